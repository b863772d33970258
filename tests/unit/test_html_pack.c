/*
 * test_html_pack.c - lib/output/html: blocks of lanes, books and switches, decoded again,
 * have what was collected; and the colours of the bill's lines.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/varint.h"
#include "base/wrap.h"
#include "output/html/pack.h"
#include "unit.h"

static const struct cut_filter all = { NULL, INT_NONE, INT_NONE, INT_NONE, false };

/* Threads: two of the process P, idle of a CPU, and those of MANY processes. */
enum { P = 1, P_OTHER, IDLE, FIRST_OF_MANY = 10, MANY = 30, NOWHERE = 500 };
/* Lines: P is the heaviest, the others follow. */
enum { COLOUR_P, COLOUR_OF_MANY };
enum { GROUP = 1, CPUS = 2, WIDE = PERIOD_BOOK_COUNTERS_MAX };

/* --- a trace's totals and their bill --- */

struct packed {
	struct sink sink;
	struct totals totals;
	struct bill bill;
	struct colours colours;
	struct collect collect;
	char *page, *document;
	size_t page_size, document_size;
};

static void put(struct sink *sink, enum record_kind kind, const void *row)
{
	assert_int_equal(sink_put(sink, &(struct record){ .kind = kind, .data = row }),
			 ST_OK);
}
#define PUT(p, table, ...) \
	put(&(p)->sink, RECORD_##table, &(struct table##_row){ __VA_ARGS__ })

static void put_thread(struct packed *p, int64_t id, int64_t process, int64_t weight)
{
	PUT(p, thread, .thread_id = id, .process_id = process, .tid = 1000 + id,
	    .idle_cpu = id == IDLE ? 0 : INT_NONE);
	PUT(p, thread_summary, .thread_id = id, .group_id = GROUP, .switches = weight,
	    .on_cpu_ns = weight, .running_ns = INT_NONE);
	PUT(p, thread_charge, .thread_id = id, .counter_id = 1, .charged = weight);
}

/* They are the sink's again in teardown(). */
static enum status keep_totals(void *context, struct sink *sink, struct totals *totals)
{
	struct packed *p = context;

	(void)sink;
	p->totals = *totals;
	memset(totals, 0, sizeof(*totals));
	return ST_OK;
}

static void setup(struct packed *p)
{
	struct totals_sink *state;

	assert_int_equal(sink_open(&p->sink, &totals_sink_ops, NULL), ST_OK);
	state = p->sink.state;
	state->done = keep_totals;
	state->context = p;
	PUT(p, counter_group, .group_id = GROUP, .trace_id = 1, .counters = 1,
	    .scope = STR("cpu"));
	PUT(p, counter, .counter_id = 1, .trace_id = 1, .group_id = GROUP,
	    .name = STR("c"), .event = STR("c"));
	PUT(p, process, .process_id = P, .trace_id = 1, .pid = 70, .name = STR("p"));
	PUT(p, process, .process_id = 2, .trace_id = 1, .name = STR("swapper"));
	for (int64_t i = 0; i < MANY; i++)
		PUT(p, process, .process_id = FIRST_OF_MANY + i, .trace_id = 1,
		    .pid = 100 + i, .name = STR("m"));
	put_thread(p, P, P, 5000);
	put_thread(p, P_OTHER, P, 1);
	put_thread(p, IDLE, 2, 9000);
	for (int64_t i = 0; i < MANY; i++)
		put_thread(p, FIRST_OF_MANY + i, FIRST_OF_MANY + i, 1000 - i);
	PUT(p, trace, .trace_id = 1, .first_ns = 1000);
	assert_true(bill_make(&p->bill, &p->totals, BY_PROCESS, (struct bill_rule){ 0 },
			      &all));
	assert_true(view_sort(&p->bill.view, NULL));
	assert_true(
		colours_make(&p->colours, &p->totals, &p->bill.view, &all, BY_PROCESS));
	collect_begin(&p->collect, &(struct bill_rule){ 0 }, INT64_MIN, INT64_MAX);
}

static void teardown(struct packed *p)
{
	collect_end(&p->collect);
	colours_end(&p->colours);
	bill_release(&p->bill);
	((struct totals_sink *)p->sink.state)->totals = p->totals;
	sink_close(&p->sink);
	free(p->page);
	free(p->document);
}

UNIT_FIXTURE(struct packed, setup, teardown);

/* --- packing, and what is in the page --- */

static void pack(struct packed *p, bool (*make)(struct packing *packing))
{
	struct packing packing = { .colours = &p->colours, .collect = &p->collect };

	packing.to = open_memstream(&p->page, &p->page_size);
	packing.document = open_memstream(&p->document, &p->document_size);
	assert_true(packing.to && packing.document);
	assert_true(make(&packing));
	fclose(packing.to);
	fclose(packing.document);
}

struct block {
	uint8_t bytes[1 << 20];
	const uint8_t *at, *end;
};

static size_t unbase(const char *from, uint8_t *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	size_t count = 0, size = 0;

	for (; *from && *from != '=' && *from != '<'; from++) {
		bits = bits << 6 | (uint32_t)(strchr(digits, *from) - digits);
		if (++count % 4 != 1)
			to[size++] = (uint8_t)(bits >> (2 * (3 - (count - 1) % 4)));
	}
	return size;
}

/* The block of that number; valid until the next one. */
static struct block *block_of(const struct packed *p, int number, size_t *deflated)
{
	static struct block block;
	static uint8_t bytes[1 << 20];
	char id[40];
	const char *found;
	uLongf size = sizeof(block.bytes);

	snprintf(id, sizeof(id), "id=\"block%d\">", number);
	found = strstr(p->page, id);
	assert_non_null(found);
	*deflated = unbase(found + strlen(id), bytes);
	assert_int_equal(uncompress(block.bytes, &size, bytes, *deflated), Z_OK);
	block.at = block.bytes;
	block.end = block.bytes + size;
	return &block;
}

static uint64_t next(struct block *block)
{
	assert_true(block->at < block->end);
	return varint_decode(&block->at, block->end);
}

static int64_t next_signed(struct block *block)
{
	return varint_signed(next(block));
}

/* The number after "NAME": of the document, from *at on, which moves there. */
static int64_t member(const char **at, const char *name)
{
	char text[40];

	snprintf(text, sizeof(text), "\"%s\": ", name);
	*at = strstr(*at, text);
	assert_non_null(*at);
	*at += strlen(text);
	return strtoll(*at + (**at == '"'), NULL, 10);
}

/* --- colours --- */

UNIT_CASE(colours, struct packed *p)
{
	const struct colours *s = &p->colours;

	assert_int_equal(colours_line(s, P), colours_line(s, P_OTHER));
	assert_int_equal(colours_of_key(s, key_of_thread(P_OTHER)), COLOUR_P);
	assert_int_equal(colours_of_key(s, key_of_thread(IDLE)), COLOUR_IDLE);
	assert_int_equal(colours_of_key(s, KEY_REST), COLOUR_REST);
	assert_int_equal(colours_of_key(s, KEY_UNATTRIBUTED), COLOUR_UNATTRIBUTED);
	assert_int_equal(colours_of_key(s, KEY_WITH_IDLE), COLOUR_WITH_IDLE);
	assert_int_equal(colours_of_key(s, KEY_INTERRUPTS), COLOUR_INTERRUPTS);
	assert_int_equal(colours_of_key(s, key_of_thread(NOWHERE)), COLOUR_REST);
	assert_int_equal(colours_of_key(s, key_of_thread(-1)), COLOUR_UNATTRIBUTED);
	/* The first lines have colours of their own. */
	for (int64_t i = 0; i < MANY; i++)
		assert_int_equal(colours_of_key(s, key_of_thread(FIRST_OF_MANY + i)),
				 i < COLOUR_TASKS - 1 ? COLOUR_OF_MANY + i : COLOUR_REST);
}

/* --- intervals --- */

struct interval {
	int64_t cpu, ts_ns, thread_id, on_cpu_ns, status;
	bool is_read, in_interrupt;
};

static void add(struct packed *p, const struct interval *i, const int64_t *deltas,
		size_t slots)
{
	const struct context_switch_row row = { .switch_id = i->is_read ? INT_NONE : 1,
						.ts_ns = i->ts_ns,
						.cpu = i->cpu,
						.group_id = GROUP,
						.prev_thread_id = i->thread_id,
						.status = i->status,
						.on_cpu_ns = i->on_cpu_ns,
						.running_ns = INT_NONE };

	assert_true(collect_interval(&p->collect,
				     &(struct record){ .kind = RECORD_context_switch,
						       .data = &row,
						       .deltas = deltas,
						       .slots = slots },
				     i->in_interrupt));
}

/* --- books --- */

#define VALUES_MAX (PERIOD_BOOK_COUNTERS + WIDE)
#define BUCKETS_MAX 4096

/* What a book's block says; the sums that went in are subtracted. */
struct book {
	int64_t shift, first, buckets;
	size_t width, deflated;
	int64_t sums[BUCKETS_MAX][COLOURS][VALUES_MAX];
};

static void read_book(const struct packed *p, int number, struct book *book)
{
	const char *at = strstr(p->document, "\"books\"");
	struct block *block;

	memset(book, 0, sizeof(*book));
	for (int i = 0; i <= number; i++)
		book->width = PERIOD_BOOK_COUNTERS + (size_t)member(&at, "counters");
	book->shift = member(&at, "shift");
	book->first = member(&at, "first");
	book->buckets = member(&at, "buckets");
	assert_in_range(book->buckets, 1, BUCKETS_MAX);
	block = block_of(p, number, &book->deflated);
	for (size_t colour = 0; colour < COLOURS; colour++) {
		static uint64_t numbers[BUCKETS_MAX];
		uint64_t count = next(block), last = 0;

		assert_in_range(count, 0, book->buckets);
		for (size_t b = 0; b < count; b++)
			numbers[b] = last += next(block);
		assert_true(last < (uint64_t)book->buckets);
		for (size_t v = 0; v < book->width; v++)
			for (size_t b = 0; b < count; b++)
				book->sums[numbers[b]][colour][v] = next_signed(block);
	}
	assert_ptr_equal(block->at, block->end);
}

static void subtract(struct book *book, int64_t ts_ns, int colour, size_t v, int64_t part)
{
	int64_t bucket = (ts_ns >> book->shift) - book->first;

	assert_in_range(bucket, 0, book->buckets - 1);
	book->sums[bucket][colour][v] = wrap_sub(book->sums[bucket][colour][v], part);
}

static void assert_nothing_left(const struct book *book)
{
	const int64_t *sums = &book->sums[0][0][0];

	for (size_t i = 0; i < sizeof(book->sums) / sizeof(*sums); i++)
		if (sums[i])
			fail_msg("bucket %zu, colour %zu, value %zu: %lld too much",
				 i / VALUES_MAX / COLOURS, i / VALUES_MAX % COLOURS,
				 i % VALUES_MAX, (long long)sums[i]);
}

/* The last one is late, on a CPU that others have passed. */
static const struct interval intervals[] = {
	{ 0, 100000, P, 900, CHARGE_CHARGED, false, false },
	{ 1, 100500, FIRST_OF_MANY, 400, CHARGE_CHARGED, false, false },
	{ 0, 200000, P_OTHER, 800, CHARGE_CHARGED, true, false },
	{ 1, 300000, P, 700, CHARGE_WITH_IDLE, false, false },
	{ 0, 300001, P, 600, CHARGE_CHARGED, true, true },
	{ 0, 300002, P, 50, CHARGE_CHAIN, false, false },
	{ 0, 900000, IDLE, INT_NONE, CHARGE_CHARGED, false, false },
	{ 1, 400000, NOWHERE, 500, CHARGE_CHARGED, false, false },
};

UNIT_CASE(books, struct packed *p)
{
	static const int counters[] = { COLOUR_P,	   COLOUR_OF_MANY,
					COLOUR_P,	   COLOUR_WITH_IDLE,
					COLOUR_INTERRUPTS, COLOUR_UNATTRIBUTED,
					COLOUR_IDLE,	   COLOUR_REST };
	static struct book book;

	for (size_t i = 0; i < COUNT(intervals); i++)
		add(p, &intervals[i], (int64_t[]){ (int64_t)i + 1, (int64_t)i * -1000 },
		    2);
	pack(p, pack_books);
	HAS(p->document, "\"books_left_out\": false",
	    "{\"of\": \"group\", \"id\": \"1\"");
	read_book(p, 0, &book);
	assert_int_equal(book.width, PERIOD_BOOK_COUNTERS + 2);
	for (size_t i = 0; i < COUNT(intervals); i++) {
		const struct interval *of = &intervals[i];
		bool ends = !of->is_read && !of->in_interrupt;

		subtract(&book, of->ts_ns, counters[i], PERIOD_BOOK_SWITCHES, ends);
		if (of->on_cpu_ns != INT_NONE) /* its own time is the thread's */
			subtract(&book, of->ts_ns,
				 of->status == CHARGE_WITH_IDLE ? COLOUR_P : counters[i],
				 PERIOD_BOOK_NS, of->on_cpu_ns);
		subtract(&book, of->ts_ns, counters[i], PERIOD_BOOK_COUNTERS,
			 (int64_t)i + 1);
		subtract(&book, of->ts_ns, counters[i], PERIOD_BOOK_COUNTERS + 1,
			 (int64_t)i * -1000);
	}
	assert_nothing_left(&book);
}

static uint64_t drawn = 1;

static int64_t draw(void)
{
	drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)(drawn ^ drawn >> 29);
}

/* Counters that no deflating makes shorter: buckets are joined until the block fits. */
static void halve(struct packed *p, int64_t first)
{
	enum { BUCKETS = 4000, LENGTH = 1 << 14 };
	static struct book book;
	static int64_t deltas[BUCKETS][CPUS][WIDE];

	for (int64_t b = 0; b < BUCKETS; b++)
		for (int64_t cpu = 0; cpu < CPUS; cpu++) {
			for (size_t v = 0; v < WIDE; v++)
				deltas[b][cpu][v] = draw();
			add(p,
			    &(struct interval){ cpu, (first + b) * LENGTH + cpu,
						cpu ? FIRST_OF_MANY : P, 10,
						CHARGE_CHARGED, false, false },
			    deltas[b][cpu], WIDE);
		}
	pack(p, pack_books);
	read_book(p, 0, &book);
	assert_int_equal(book.shift, 14 + 2);
	assert_int_equal(book.first, first / 4);
	assert_int_equal(book.buckets, (first + BUCKETS - 1) / 4 - first / 4 + 1);
	assert_in_range(book.deflated, 1, 330 << 10);
	for (int64_t b = 0; b < BUCKETS; b++)
		for (int64_t cpu = 0; cpu < CPUS; cpu++) {
			int64_t ts_ns = (first + b) * LENGTH + cpu;
			int colour = cpu ? COLOUR_OF_MANY : COLOUR_P;

			subtract(&book, ts_ns, colour, PERIOD_BOOK_SWITCHES, 1);
			subtract(&book, ts_ns, colour, PERIOD_BOOK_NS, 10);
			for (size_t v = 0; v < WIDE; v++)
				subtract(&book, ts_ns, colour, PERIOD_BOOK_COUNTERS + v,
					 deltas[b][cpu][v]);
		}
	assert_nothing_left(&book);
}

UNIT_CASE(books_too_large, struct packed *p)
{
	halve(p, 1000);
}

/* Odd before it is halved once, and odd in between. */
UNIT_CASE(books_too_large_odd, struct packed *p)
{
	halve(p, 1003);
}

UNIT_CASE(books_too_many, struct packed *p)
{
	const int64_t delta = 1;
	struct context_switch_row row = { .switch_id = 1, .status = CHARGE_CHARGED };

	for (row.group_id = 1; row.group_id <= PERIOD_BOOKS_MAX + 1; row.group_id++)
		assert_true(collect_interval(
			&p->collect,
			&(struct record){ .data = &row, .deltas = &delta, .slots = 1 },
			false));
	pack(p, pack_books);
	HAS(p->document, "\"books_left_out\": true", "\"id\": \"8\"", "block7");
	LACKS(p->document, "\"id\": \"9\"");
}

/* --- lanes --- */

enum { LANE_BUCKETS = 20000 };

/* Shares of the buckets of each CPU, by colour. */
struct level {
	int64_t shift, first, buckets;
	uint8_t shares[CPUS][LANE_BUCKETS][COLOURS];
};

static void read_lane(struct block *block, uint8_t (*shares)[COLOURS], int64_t buckets)
{
	size_t length = (size_t)next(block);
	const uint8_t *end = block->at + length;
	int64_t at = 0, last = -1;

	while (block->at < end) {
		uint8_t pairs = *block->at++;

		if (pairs == 0) {
			at += (int64_t)next(block);
			continue;
		}
		if (pairs == 255) {
			for (uint64_t i = next(block); i; i--) {
				assert_true(last >= 0 && at < buckets);
				memcpy(shares[at++], shares[last], COLOURS);
			}
			continue;
		}
		assert_true(at < buckets);
		for (; pairs; pairs--, block->at += 2)
			shares[at][block->at[0]] = block->at[1];
		last = at++;
	}
	assert_ptr_equal(block->at, end);
}

static struct level *read_level(const struct packed *p, int number)
{
	static struct level level;
	const char *at = strstr(p->document, "\"levels\"");
	struct block *block;
	size_t deflated;

	memset(&level, 0, sizeof(level));
	for (int i = 0; i <= number; i++)
		level.shift = member(&at, "shift");
	level.first = member(&at, "first");
	level.buckets = member(&at, "buckets");
	assert_in_range(level.buckets, 1, LANE_BUCKETS);
	block = block_of(p, number, &deflated);
	for (int cpu = 0; cpu < CPUS; cpu++)
		read_lane(block, level.shares[cpu], level.buckets);
	assert_ptr_equal(block->at, block->end);
	return &level;
}

/* In 64ths of a bucket of 2^14 ns, from the bucket 10 on. */
static void run(struct packed *p, int64_t cpu, int64_t from, int64_t to, int64_t thread)
{
	const int64_t delta = 1;
	int64_t start_ns = 10 << 14;

	add(p,
	    &(struct interval){ cpu, start_ns + to * 256, thread, (to - from) * 256,
				CHARGE_CHARGED, false, false },
	    &delta, 1);
}

UNIT_CASE(lanes, struct packed *p)
{
	const struct level *level;

	run(p, 1, 0, 32, P);
	run(p, 1, 32, 48, FIRST_OF_MANY);
	run(p, 1, 48, 61, FIRST_OF_MANY + MANY - 1);
	run(p, 1, 61, 63, FIRST_OF_MANY + 1); /* just seen */
	run(p, 1, 63, 64, FIRST_OF_MANY + 2); /* less than that */
	run(p, 0, 64, 5 * 64, P);
	run(p, 0, 5 * 64, 6 * 64, IDLE); /* is not drawn */
	run(p, 0, 8 * 64, 9 * 64 + 16, P_OTHER);
	pack(p, pack_lanes);
	HAS(p->document, "\"lanes\": {\"left_out\": false, \"cpus\": [0, 1]");
	LACKS(p->document, "block1");
	level = read_level(p, 0);
	assert_int_equal(level->shift, 14);
	assert_int_equal(level->first, 10);
	assert_int_equal(level->shares[1][0][COLOUR_P], 32);
	assert_int_equal(level->shares[1][0][COLOUR_OF_MANY], 16);
	assert_int_equal(level->shares[1][0][COLOUR_OF_MANY + 1], 2);
	assert_int_equal(level->shares[1][0][COLOUR_REST], 13 + 1);
	for (int64_t b = 0; b < level->buckets; b++) {
		int64_t wanted = b == 9 ? 16 : (b >= 1 && b < 5) || b == 8 ? 64 : 0;

		assert_int_equal(level->shares[0][b][COLOUR_P], wanted);
		assert_int_equal(level->shares[0][b][COLOUR_IDLE], 0);
		if (b)
			assert_int_equal(level->shares[1][b][COLOUR_P], 0);
	}
}

/* The first level is the finest; the coarse one has the same times in longer buckets. */
UNIT_CASE(lanes_of_two_levels, struct packed *p)
{
	const struct level *level;
	int64_t joined;

	for (int64_t b = 0; b < 8000; b++) {
		run(p, 0, b * 64, b * 64 + 64, P);
		run(p, 1, b * 64, b * 64 + 64, b % 2 ? P : FIRST_OF_MANY);
	}
	pack(p, pack_lanes);
	level = read_level(p, 0);
	assert_int_equal(level->shift, 14);
	assert_in_range(level->buckets, 8000, 8001);
	for (int64_t b = 0; b < 8000; b++) {
		assert_int_equal(level->shares[0][b][COLOUR_P], 64);
		assert_int_equal(level->shares[1][b][COLOUR_P], b % 2 ? 64 : 0);
		assert_int_equal(level->shares[1][b][COLOUR_OF_MANY], b % 2 ? 0 : 64);
	}
	level = read_level(p, 1);
	joined = 1 << (level->shift - 14);
	assert_true(joined >= 8);
	assert_int_equal(level->first, 10 / joined);
	assert_true(level->buckets <= 1024);
	for (int64_t b = 1; b < 8000 / joined - 1; b++) {
		assert_int_equal(level->shares[0][b][COLOUR_P], 64);
		assert_int_equal(level->shares[1][b][COLOUR_P], 32);
		assert_int_equal(level->shares[1][b][COLOUR_OF_MANY], 32);
	}
}

/* --- switches --- */

UNIT_CASE(switches, struct packed *p)
{
	static const unsigned int kinds[] = { CLASS_CHARGED | SWITCH_ENDS,
					      CLASS_CHARGED | SWITCH_ENDS,
					      CLASS_CHARGED,
					      CLASS_WITH_IDLE | SWITCH_ENDS,
					      CLASS_INTERRUPT,
					      CLASS_UNPROVEN | SWITCH_ENDS,
					      CLASS_CHARGED | SWITCH_ENDS,
					      CLASS_CHARGED | SWITCH_ENDS };
	static const uint64_t threads[] = { 0, 1, 2, 0, 0, 0, 3, 4 };
	const size_t count = COUNT(intervals);
	struct block *block;
	int64_t ts_ns = 1000; /* when the trace begins */
	size_t deflated;

	for (size_t i = 0; i < count; i++)
		add(p, &intervals[i], (int64_t[]){ (int64_t)i, -5 }, 2);
	pack(p, pack_switches);
	block = block_of(p, 0, &deflated);
	assert_int_equal(next(block), count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(next(block), intervals[i].cpu + 1);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(ts_ns += next_signed(block), intervals[i].ts_ns);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(next_signed(block), intervals[i].on_cpu_ns == INT_NONE
							     ? 0
							     : intervals[i].on_cpu_ns);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(next(block), threads[i]);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(next(block), kinds[i]);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(next(block), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(next_signed(block), i);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(next_signed(block), -5);
	assert_ptr_equal(block->at, block->end);
	HAS(p->document, "\"start_ns\": \"1000\"",
	    "\"threads\": [[0,1001],[1,1010],[0,1002],[31,1003],[null,null]]");
	LACKS(p->document, "to_ns");
}

/* The document says up to when all of them are there. */
UNIT_CASE(switches_up_to, struct packed *p)
{
	const int64_t delta = 1;
	int64_t i = 0;
	char wanted[60];

	while (!p->collect.switches.is_full)
		add(p,
		    &(struct interval){ 0, 5000 + i++, P, 1, CHARGE_CHARGED, false,
					false },
		    &delta, 1);
	pack(p, pack_switches);
	snprintf(wanted, sizeof(wanted), "\"to_ns\": \"%lld\"", 5000 + (long long)i - 1);
	HAS(p->document, wanted);
}
