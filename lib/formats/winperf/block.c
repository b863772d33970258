/*
 * block.c - a V1 block: PERF_DATA_BLOCK, its objects, the definitions of their
 * counters.
 *
 * All objects are judged before the first row goes out, so that countersets and counters
 * come before the snapshot that needs them.  What is wrong with an object costs that
 * object: the next one is found by the length of this one.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/etw/etw.h"
#include "formats/winperf/winperf.h"

#define OBJECT_BYTES 64u
#define COUNTER_BYTES 40u
/* Where pointers to titles take 8 bytes. */
#define OBJECT_BYTES_WIDE 80u
#define COUNTER_BYTES_WIDE 56u

#define TYPE_MULTI 0x02000000u

/* perflib_block.type of what V2 has for the same. */
#define BLOCK_COUNTERS 2
#define BLOCK_COUNTERSET 6

/* Of the header: SystemTime and the clocks after it. */
#define CLOCKS_AT 36
#define PERF_TIME_AT 56

static const uint8_t signature[8] = { 'P', 0, 'E', 0, 'R', 0, 'F', 0 };

uint32_t winperf_block_bytes(struct cursor c)
{
	const uint8_t *at = cursor_bytes(&c, sizeof(signature));

	if (!at || memcmp(at, signature, sizeof(signature)) != 0)
		return 0;
	cursor_skip(&c, 12);
	return cursor_u32(&c);
}

/* --- definitions of counters --- */

struct definition {
	uint32_t bytes, title, detail_level, type, size, at;
	int32_t scale;
};

static struct definition decode_definition(struct cursor *c, bool is_wide)
{
	size_t pointer = is_wide ? 12 : 4; /* with its alignment, before or after it */
	struct definition d = { .bytes = cursor_u32(c), .title = cursor_u32(c) };

	cursor_skip(c, is_wide ? 8 : pointer);
	cursor_skip(c, 4); /* of the help text */
	cursor_skip(c, pointer);
	d.scale = (int32_t)cursor_u32(c);
	d.detail_level = cursor_u32(c);
	d.type = cursor_u32(c);
	d.size = cursor_u32(c);
	d.at = cursor_u32(c);
	return d;
}

/* The base of a counter follows it. */
static void find_base(struct winperf_counter *counter, const struct definition *d,
		      const struct definition *next)
{
	if (registry_is_base(d->type) || !next || !registry_is_base(next->type))
		return;
	if (d->type & TYPE_MULTI)
		counter->known.row.multi_counter = counter->known.row.counter + 1;
	else
		counter->known.row.base_counter = counter->known.row.counter + 1;
}

/* What the log says of the counter, if that is it. */
static int64_t time_base(const struct winperf *w, int64_t position,
			 const struct definition *d)
{
	struct winperf_list list = w->list;
	size_t at = (size_t)position;

	if (at >= list.count)
		return INT_NONE;
	cursor_skip(&list.titles, 4 * at);
	cursor_skip(&list.types, 4 * at);
	cursor_skip(&list.time_bases, 8 * at);
	if (cursor_u32(&list.titles) != d->title || cursor_u32(&list.types) != d->type)
		return INT_NONE;
	return (int64_t)cursor_u64(&list.time_bases);
}

static void describe(struct winperf *w, const struct winperf_set *set,
		     struct winperf_counter *counter, const struct definition *d,
		     const struct definition *next)
{
	counter->known.row.name = winperf_title(w, set->known.node.id.text, d->title);
	counter->known.row.time_base = time_base(w, counter->known.row.counter, d);
	counter->known.row.type = d->type;
	counter->known.row.detail_level = d->detail_level;
	counter->known.row.default_scale = d->scale;
	counter->known.row.title = d->title;
	find_base(counter, d, next);
}

/* --- an object --- */

struct object_header {
	uint32_t bytes, definitions, header, title, detail_level, counters, code_page;
	int32_t instances;
	int64_t time, freq;
	bool is_wide;
};

static struct object_header decode_object(struct cursor *c)
{
	struct object_header h = { .bytes = cursor_u32(c) };

	h.definitions = cursor_u32(c);
	h.header = cursor_u32(c);
	h.title = cursor_u32(c);
	h.is_wide = h.header == OBJECT_BYTES_WIDE;
	cursor_skip(c, h.is_wide ? 8 + 8 + 8 : 4 + 4 + 4);
	h.detail_level = cursor_u32(c);
	h.counters = cursor_u32(c);
	cursor_skip(c, 4); /* DefaultCounter */
	h.instances = (int32_t)cursor_u32(c);
	h.code_page = cursor_u32(c);
	if (h.is_wide)
		cursor_skip(c, 4);
	h.time = (int64_t)cursor_u64(c);
	h.freq = (int64_t)cursor_u64(c);
	return h;
}

/* Objects with other definitions are others, whatever they are called. */
static uint64_t hash_definitions(struct cursor c, const struct object_header *h)
{
	uint64_t hash = map_salt();

	for (uint32_t i = 0; i < h->counters; i++) {
		struct cursor one = c;
		struct definition d = decode_definition(&one, h->is_wide);

		hash = map_mix(hash, d.title, (uint64_t)d.type << 32 | (uint32_t)d.scale);
		cursor_skip(&c, d.bytes);
	}
	return hash;
}

/* Room for the pointers to its counters, which the rows of a new set are made for. */
static bool describe_set(struct winperf *w, struct winperf_set *set,
			 const struct object_header *h)
{
	set->known.row.title = h->title;
	set->known.row.name = winperf_title(w, set->known.node.id.text, h->title);
	set->known.row.machine = set->known.node.id.text;
	set->known.row.detail_level = h->detail_level;
	set->known.row.counters = h->counters;
	set->known.row.instance_type = h->instances < 0 ? 0 : 2;
	set->counters = arena_alloc(&w->registry.arena,
				    (h->counters + 1) * sizeof(struct winperf_counter *));
	w->registry.out_of_memory |= !set->counters;
	return set->counters;
}

/* The counters of a set, and where their values are in this block. */
static bool decode_definitions(struct winperf *w, struct winperf_set *set,
			       struct cursor c, const struct object_header *h)
{
	for (uint32_t i = 0; i < h->counters; i++) {
		uint64_t offset = c.offset;
		struct cursor one = c, after;
		struct definition d = decode_definition(&one, h->is_wide), next = { 0 };
		bool is_first;

		cursor_skip(&c, d.bytes);
		if (!set->counters[i]) {
			set->counters[i] = winperf_counter(w, set, i, offset, &is_first);
			if (!set->counters[i])
				return false;
			after = c;
			if (i + 1 < h->counters)
				next = decode_definition(&after, h->is_wide);
			describe(w, set, set->counters[i], &d,
				 i + 1 < h->counters ? &next : NULL);
		}
		set->counters[i]->size = d.size;
		set->counters[i]->at = d.at;
	}
	return true;
}

/* Whether all definitions are there, one after the other. */
static bool check_definitions(struct winperf *w, struct cursor c,
			      const struct object_header *h)
{
	uint32_t least = h->is_wide ? COUNTER_BYTES_WIDE : COUNTER_BYTES;

	if (h->counters > WINPERF_SET_COUNTERS_MAX ||
	    h->counters > cursor_left(&c) / least) {
		finding_report(
			w->registry.findings, FINDING_PERF_BLOCK_COUNTERS,
			winperf_place(w, c.offset),
			"an object with %u counters, where %zu bytes have room for "
			"%zu (at most %d are read)",
			h->counters, cursor_left(&c), cursor_left(&c) / least,
			WINPERF_SET_COUNTERS_MAX);
		return false;
	}
	for (uint32_t i = 0; i < h->counters; i++) {
		struct cursor one = c;
		uint32_t bytes = cursor_u32(&one);

		if (bytes < least || bytes > cursor_left(&c)) {
			finding_report(
				w->registry.findings, FINDING_PERF_BLOCK_COUNTERS,
				winperf_place(w, c.offset),
				"the definition of a counter of %u bytes where %zu "
				"are left, expected at least %u",
				bytes, cursor_left(&c), least);
			return false;
		}
		cursor_skip(&c, bytes);
	}
	if (cursor_left(&c))
		finding_report(w->registry.findings, FINDING_PERF_BLOCK_COUNTERS,
			       winperf_place(w, c.offset),
			       "%zu bytes after the definitions of an object's counters",
			       cursor_left(&c));
	return true;
}

static struct winperf_object *new_object(struct winperf *w)
{
	struct winperf_walk *walk = &w->walk;

	if (!ARRAY_GROW(walk->objects, walk->object_room, walk->object_count)) {
		w->registry.out_of_memory = true;
		return NULL;
	}
	return &walk->objects[walk->object_count];
}

/* The whole of an object, whose lengths fit. */
static void add_object(struct winperf *w, struct cursor whole,
		       const struct object_header *h, uint32_t place, struct str machine)
{
	struct winperf_object *object = new_object(w);
	uint64_t offset = whole.offset;
	struct registry_id id = { RECORD_perflib_counterset, { h->title }, machine };
	struct cursor definitions;
	bool is_new;

	cursor_skip(&whole, h->header);
	definitions = cursor_sub(&whole, h->definitions - h->header);
	if (!object || !check_definitions(w, definitions, h))
		return;
	id.numbers[1] = hash_definitions(definitions, h);
	id.numbers[2] = h->counters;
	*object = (struct winperf_object){
		.set = winperf_set(w, &id, offset, &is_new),
		.rest = whole,
		.offset = offset,
		.place = place,
		.title = h->title,
		.instances = h->instances < 0 ? 1 : (uint32_t)h->instances,
		.has_instances = h->instances >= 0,
		.code_page = h->code_page,
		.bytes = h->bytes,
		.time = h->freq > 0 ? h->time : INT_NONE,
		.freq = h->freq > 0 ? h->freq : INT_NONE,
	};
	if (!object->set || (is_new && !describe_set(w, object->set, h)) ||
	    !decode_definitions(w, object->set, definitions, h))
		return;
	w->walk.object_count++;
}

/* False: the next object cannot be found. */
static bool next_object(struct winperf *w, struct cursor *c, uint32_t place,
			struct str machine)
{
	struct cursor head = *c;
	uint64_t offset = c->offset;
	size_t left = cursor_left(c);
	struct object_header h = decode_object(&head);

	if (head.overrun || h.bytes < OBJECT_BYTES || h.bytes > left) {
		winperf_gap(w, FINDING_PERF_BLOCK_OBJECT, offset, left,
			    "an object of %u bytes where %zu are left, expected at least "
			    "%u",
			    h.bytes, left, OBJECT_BYTES);
		return false;
	}
	head = cursor_sub(c, h.bytes);
	if (h.header < OBJECT_BYTES || (h.header > OBJECT_BYTES && !h.is_wide) ||
	    h.definitions < h.header || h.definitions > h.bytes || h.instances < -1) {
		winperf_gap(w, FINDING_PERF_BLOCK_OBJECT, offset, h.bytes,
			    "an object with %u bytes of header, %u of definitions, %u in "
			    "all, and %d instances",
			    h.header, h.definitions, h.bytes, h.instances);
		return true;
	}
	add_object(w, head, &h, place, machine);
	return true;
}

/* --- the block --- */

static void add_time(struct winperf *w, const struct perflib_snapshot_row *row)
{
	int64_t wall = etw_unix_ns((uint64_t)row->perf_time_100ns);

	if (row->ts_ns == INT_NONE)
		return;
	if (w->first_ns == INT_NONE || row->ts_ns < w->first_ns)
		w->first_ns = row->ts_ns;
	if (w->last_ns == INT_NONE || row->ts_ns > w->last_ns)
		w->last_ns = row->ts_ns;
	if (w->wall_offset_ns == INT_NONE && wall != INT_NONE &&
	    __builtin_sub_overflow(wall, row->ts_ns, &w->wall_offset_ns))
		w->wall_offset_ns = INT_NONE;
}

static void decode_clocks(struct winperf *w, struct cursor *c,
			  struct perflib_snapshot_row *row)
{
	uint64_t offset = c->offset;
	struct perflib_date date = perflib_date_read(c);
	bool is_date = perflib_date_is_valid(&date);
	char text[PERFLIB_DATE_BYTES];

	cursor_skip(c, 4); /* alignment */
	row->perf_time = (int64_t)cursor_u64(c);
	row->perf_freq = (int64_t)cursor_u64(c);
	row->perf_time_100ns = (int64_t)cursor_u64(c);
	row->ts_ns = perflib_ns(row->perf_time, row->perf_freq);
	perflib_date_print(text, &date);
	if (is_date)
		row->system_time = emit_text(w->registry.emit, str_of(text));
	add_time(w, row);
	if (!is_date || row->perf_time < 0 || row->perf_freq <= 0 ||
	    row->perf_time_100ns < 0)
		finding_report(
			w->registry.findings, FINDING_PERF_BLOCK_CLOCK,
			winperf_place(w, offset),
			"a block of %s: PerfTime %lld, PerfFreq %lld, PerfTime100nSec "
			"%lld",
			text, (long long)row->perf_time, (long long)row->perf_freq,
			(long long)row->perf_time_100ns);
}

int64_t winperf_block_ns(struct cursor block)
{
	int64_t time, frequency;

	if (winperf_block_bytes(block) == 0)
		return INT_NONE;
	cursor_skip(&block, PERF_TIME_AT);
	time = (int64_t)cursor_u64(&block);
	frequency = (int64_t)cursor_u64(&block);
	return block.overrun ? INT_NONE : perflib_ns(time, frequency);
}

/* The name of the machine, which follows the header. */
static struct str decode_machine(struct winperf *w, struct cursor block, uint32_t length,
				 uint32_t at)
{
	const uint8_t *name;

	if (length == 0)
		return STR_NONE;
	cursor_skip(&block, at);
	name = cursor_bytes(&block, length);
	if (!name) {
		finding_report(w->registry.findings, FINDING_PERF_BLOCK_NAME,
			       winperf_place(w, block.offset),
			       "the name of the machine, %u bytes at %u, is not in the "
			       "block",
			       length, at);
		return STR_NONE;
	}
	return winperf_utf8(w, name, length & ~1u);
}

static void decode_objects(struct winperf *w, struct cursor c, uint32_t objects,
			   struct str machine)
{
	uint32_t at = 0;
	size_t left;

	while (at < objects && cursor_left(&c) >= 4 && !w->registry.out_of_memory) {
		if (!next_object(w, &c, at++, machine))
			return;
	}
	left = cursor_left(&c);
	if (at < objects)
		finding_report(w->registry.findings, FINDING_PERF_BLOCK_OBJECTS,
			       winperf_place(w, c.offset),
			       "%u objects claimed, but only %u are there", objects, at);
	else if (left)
		winperf_gap(w, FINDING_PERF_BLOCK_OBJECTS, c.offset, left,
			    "%zu bytes after the last of %u objects", left, objects);
}

/* How much of the block there is; 0: none of it can be read. */
static size_t check_size(struct winperf *w, const struct cursor *block, uint32_t total,
			 uint32_t header)
{
	uint64_t from = block->offset;
	size_t length = cursor_left(block);

	if (header < WINPERF_HEADER_BYTES || header > length || total < header) {
		winperf_gap(w, FINDING_PERF_BLOCK_HEADER, from, length,
			    "a block of %u bytes with %u of header where %zu are left",
			    total, header, length);
		return 0;
	}
	if (total > length)
		finding_report(w->registry.findings, FINDING_PERF_BLOCK_SIZE,
			       winperf_place(w, from + 20),
			       "a block of %u bytes, of which %zu are there", total,
			       length);
	else if (total < length)
		winperf_gap(w, FINDING_PERF_BLOCK_SIZE, from + total, length - total,
			    "%zu bytes after a block of %u", length - total, total);
	return total < length ? total : length;
}

static void emit_snapshot(struct winperf *w, struct cursor block, uint32_t header,
			  uint32_t objects)
{
	struct winperf_walk *walk = &w->walk;
	struct perflib_snapshot_row row = {
		.snapshot = ++w->snapshots,
		.query = walk->query,
		.code = INT_NONE,
		.record_offset = (int64_t)winperf_place(w, block.offset),
		.bytes = (int64_t)cursor_left(&block),
		.blocks = objects,
	};
	struct cursor c = block;
	uint32_t machine_bytes, machine_at;
	struct str machine;

	walk->snapshot = row.snapshot;
	cursor_skip(&c, CLOCKS_AT);
	decode_clocks(w, &c, &row);
	machine_bytes = cursor_u32(&c);
	machine_at = cursor_u32(&c);
	machine = decode_machine(w, block, machine_bytes, machine_at);
	if (!w->host.ptr)
		w->host = winperf_copy_text(w, machine, block.offset);
	cursor_skip(&block, header);
	decode_objects(w, block, objects, machine);
	emit_push_row(w->registry.emit, RECORD_perflib_snapshot,
		      (uint64_t)row.record_offset, &row);
}

void winperf_begin_block(struct winperf *w, struct cursor block, int64_t query)
{
	struct winperf_walk *walk = &w->walk;
	struct cursor c = block;
	uint32_t is_little, total, header, objects;
	size_t length;

	arena_release(&w->scratch);
	walk->in_object = false;
	walk->object = walk->object_count = 0;
	walk->value_at = walk->value_count = 0;
	walk->query = query;
	total = winperf_block_bytes(c);
	cursor_skip(&c, sizeof(signature));
	is_little = cursor_u32(&c);
	cursor_skip(&c, 12);
	header = cursor_u32(&c);
	objects = cursor_u32(&c);
	if (cursor_left(&block) < WINPERF_HEADER_BYTES || total == 0 || is_little != 1) {
		winperf_gap(w, FINDING_PERF_BLOCK_HEADER, block.offset,
			    cursor_left(&block),
			    "%zu bytes that do not begin with the header of a "
			    "little-endian block",
			    cursor_left(&block));
		return;
	}
	length = check_size(w, &block, total, header);
	if (length)
		emit_snapshot(w, cursor_sub(&block, length), header, objects);
}

/* --- rows --- */

static void emit_object(struct winperf *w)
{
	const struct winperf_walk *walk = &w->walk;
	const struct winperf_object *object = &walk->objects[walk->object];
	struct perflib_block_row row = {
		.snapshot = walk->snapshot,
		.block = object->place,
		.counterset = object->set->known.row.counterset,
		.record_offset = (int64_t)winperf_place(w, object->offset),
		.type = object->has_instances ? BLOCK_COUNTERSET : BLOCK_COUNTERS,
		.bytes = object->bytes,
		.counters = object->set->known.row.counters,
		.instances = object->has_instances ? object->instances : INT_NONE,
		.object_time = object->time,
		.object_freq = object->freq,
	};

	emit_push_row(w->registry.emit, RECORD_perflib_block, (uint64_t)row.record_offset,
		      &row);
}

static bool begin_object(struct winperf *w)
{
	if (w->walk.object == w->walk.object_count)
		return false;
	winperf_begin_object(w);
	emit_object(w);
	return true;
}

/* The next object or instance; false: there is none. */
static bool walk_on(struct winperf *w)
{
	struct winperf_walk *walk = &w->walk;

	if (!walk->in_object)
		return begin_object(w);
	walk->in_object = winperf_next_instance(w);
	walk->object += !walk->in_object;
	return true;
}

enum status winperf_next(struct winperf *w, struct record *out, struct error *error)
{
	enum status status;

	do {
		status = emit_pop(w->registry.emit, out, error);
		if (status == ST_END && winperf_next_value(w, out))
			status = ST_OK;
	} while (status == ST_END && walk_on(w));
	return w->registry.out_of_memory ? error_nomem(error) : status;
}
