/*
 * tool_rows.c - records that recorders write: events and features of a pipe, maps, counts
 * of perf stat.
 *
 * Layouts: tools/lib/perf/include/perf/event.h and perf.data-file-format.txt of the
 * kernel.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/perf/features.h"
#include "formats/perf/records.h"
#include "formats/perf/tracepoints.h"

enum { CPUS_LIST = 0, CPUS_MASK = 1, CPUS_RANGE = 2 };

/* --- events --- */

/* attr, then the ids of its instances. */
static bool decode_attr(struct reader *reader, struct cursor *c)
{
	struct perf *perf = reader->state;
	size_t size = perf_attr_size(*c, cursor_left(c));
	struct cursor attr = cursor_sub(c, size);
	struct perf_event *event;

	if (!perf->source.is_pipe) /* the header has them already */
		return true;
	if (size < 8)
		return false;
	event = perf_add_event(&perf->catalog, &attr);
	while (event && cursor_left(c) >= 8)
		if (!perf_add_id(&perf->catalog, event, cursor_u64(c)))
			return false;
	/* Late ones must be ready for the records that follow. */
	return event && (!perf->walk.described || perf_settle_events(reader) == ST_OK);
}

/*
 * u64 id, char name[64]: writers before 2013.  The id is the event's config.
 * perftab-capture uses it for facts of its own.
 */
static bool decode_event_type(struct perf *perf, struct cursor *c, uint64_t offset)
{
	uint64_t config = cursor_u64(c);
	struct str name;

	if (config == PERF_OWN_FACTS) {
		perf_decode_own_facts(perf, c, offset);
		return true;
	}
	name = cursor_padded_str(c, cursor_left(c) < 64 ? cursor_left(c) : 64);

	for (size_t i = 0; i < perf->catalog.event_count && !c->overrun; i++)
		if (perf->catalog.events[i]->config == config &&
		    !perf->catalog.events[i]->named)
			perf_rename_event(&perf->catalog, perf->catalog.events[i], name);
	return !c->overrun;
}

static bool decode_scale(struct perf_rows *rows, struct cursor *c,
			 const struct perf_event *event)
{
	uint64_t bits = cursor_u64(c);
	double scale;
	char fact[PERF_NAME_BYTES_MAX + 48];

	memcpy(&scale, &bits, sizeof(scale));
	text_print(fact, sizeof(fact), "%.*s: %.17g", (int)event->name.len,
		   event->name.len ? event->name.ptr : "", scale);
	if (!c->overrun)
		perf_emit_fact(rows, "EVENT_UPDATE scale", str_of(fact));
	return !c->overrun;
}

/* u64 type, u64 id, then a text or a number; *known: it was used. */
static bool decode_update(struct perf *perf, struct cursor *whole, bool *known)
{
	struct cursor local = *whole, *c = &local;
	uint64_t type = cursor_u64(c);
	const struct perf_stream *stream = map_get(&perf->catalog.streams, cursor_u64(c));
	struct str text;

	if (c->overrun)
		return false;
	*known = stream && type <= UPDATE_NAME;
	if (!*known)
		return true;
	if (type == UPDATE_SCALE)
		return decode_scale(&perf->rows, c, stream->event);
	text = cursor_padded_str(c, cursor_left(c));
	if (text.len > PERF_NAME_BYTES_MAX)
		text.len = PERF_NAME_BYTES_MAX;
	if (type == UPDATE_NAME)
		perf_rename_event(&perf->catalog, stream->event, text);
	else if (text.len)
		stream->event->unit = text_valid_utf8(&perf->catalog.arena, text);
	return true;
}

/* simpleperf: u64 count, then {u64 event, u64 id}. */
static bool decode_simpleperf_ids(struct perf *perf, struct cursor *c)
{
	uint64_t count = cursor_u64(c);

	if (c->overrun || count > cursor_left(c) / 16)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t event = cursor_u64(c), id = cursor_u64(c);

		if (event < perf->catalog.event_count &&
		    !perf_add_id(&perf->catalog, perf->catalog.events[event], id))
			return false;
	}
	return true;
}

/* *known: a feature that a header can have, or the end marker, which is empty. */
static bool decode_feature(struct reader *reader, struct cursor *whole, bool *known)
{
	struct cursor c = *whole;
	uint64_t feature = cursor_u64(&c);

	if (c.overrun)
		return false;
	*known = feature < PERF_FEATURES_MAX || cursor_left(&c) == 0;
	if (cursor_left(&c) && *known)
		perf_decode_feature(reader, (unsigned int)feature, &c);
	return true;
}

static bool decode_tracing_data(struct reader *reader, struct cursor *c, bool simpleperf)
{
	/* After a short record, it was decoded with its payload. */
	if (!simpleperf && cursor_left(c) <= 8)
		return true;
	cursor_skip(c, 4); /* its size: all the rest */
	perf_decode_tracing_data(reader, c);
	return true;
}

/* --- facts --- */

static void number_fact(struct perf_rows *rows, const char *key, uint64_t number)
{
	char text[32];

	text_print(text, sizeof(text), "%llu", (unsigned long long)number);
	perf_emit_fact(rows, key, str_of(text));
}

static bool decode_time_conv(struct perf_rows *rows, struct cursor *c)
{
	uint64_t shift = cursor_u64(c), mult = cursor_u64(c), zero = cursor_u64(c);

	if (c->overrun)
		return false;
	number_fact(rows, "TIME_CONV shift", shift);
	number_fact(rows, "TIME_CONV mult", mult);
	number_fact(rows, "TIME_CONV zero", zero);
	return true;
}

static bool decode_stat_config(struct perf_rows *rows, struct cursor *c)
{
	static const char *const tags[] = { "STAT_CONFIG aggregation mode",
					    "STAT_CONFIG interval ms",
					    "STAT_CONFIG scale",
					    "STAT_CONFIG aggregation level" };
	uint64_t count = cursor_u64(c);

	if (c->overrun || count > cursor_left(c) / 16)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t tag = cursor_u64(c), value = cursor_u64(c);

		number_fact(rows,
			    tag < ARRAY_COUNT(tags) ? tags[tag] : "STAT_CONFIG other",
			    value);
	}
	return true;
}

/* --- rows --- */

/* size, offset, reference u64 | idx, tid, cpu, reserved u32; the data follows it. */
static bool decode_auxtrace(struct perf *perf, struct cursor *c, struct record *out)
{
	struct aux_row *row = &perf->scratch.event.aux;
	uint32_t cpu;

	*row = (struct aux_row){ .ts_ns = INT_NONE,
				 .cpu = INT_NONE,
				 .record = STR("AUXTRACE"),
				 .flags = INT_NONE };
	row->bytes = (int64_t)cursor_u64(c);
	row->aux_offset = (int64_t)cursor_u64(c);
	cursor_skip(c, 8 + 4);
	row->thread_id = (int32_t)cursor_u32(c);
	cpu = cursor_u32(c);
	if (cpu < CPU_MAX)
		row->cpu = cpu;
	out->kind = RECORD_aux;
	return !c->overrun;
}

/* id u64 | cpu, thread u32 | value, enabled, running u64 */
static bool decode_stat(struct perf *perf, struct cursor *c, struct record *out)
{
	struct stat_row *row = &perf->scratch.event.stat;
	const struct perf_stream *stream = map_get(&perf->catalog.streams, cursor_u64(c));
	int32_t cpu = (int32_t)cursor_u32(c);

	*row = (struct stat_row){ .round = perf->rows.stat_round + 1, .cpu = INT_NONE };
	if (cpu >= 0 && cpu < CPU_MAX)
		row->cpu = cpu;
	row->counter_id = perf_counter_id(stream);
	row->thread = cursor_u32(c);
	row->value = (int64_t)cursor_u64(c);
	row->enabled_ns = (int64_t)cursor_u64(c);
	row->running_ns = (int64_t)cursor_u64(c);
	if (!stream && !c->overrun)
		finding_add(perf->findings, FINDING_UNKNOWN_ID, out->offset, 1);
	out->kind = RECORD_stat;
	return !c->overrun;
}

static bool decode_stat_round(struct perf *perf, struct cursor *c, struct record *out)
{
	struct stat_round_row *row = &perf->scratch.event.stat_round;

	*row = (struct stat_round_row){ .round = ++perf->rows.stat_round };
	row->kind = cursor_u64(c) ? STR("final") : STR("interval");
	row->time_ns = (int64_t)cursor_u64(c);
	out->kind = RECORD_stat_round;
	return !c->overrun;
}

/* --- records that make several rows --- */

/* u64 count, then {u64 tid, char name[16]} */
static bool decode_thread_map(struct perf_rows *rows, struct cursor *c, uint64_t offset,
			      bool want_rows)
{
	uint64_t count = cursor_u64(c), i = 0;

	for (; i < count && cursor_left(c) >= 24; i++) {
		struct thread_map_row row = { .position = (int64_t)i };

		row.tid = (int32_t)cursor_u64(c);
		row.name = cursor_padded_str(c, 16);
		if (want_rows)
			emit_push_row(&rows->emit, RECORD_thread_map, offset, &row);
	}
	return !c->overrun && i == count;
}

/* At most as many CPUs as there can be, over all such records; false: no more. */
static bool emit_cpu(struct perf_rows *rows, uint64_t offset, int64_t cpu)
{
	const struct cpu_map_row row = { .cpu = cpu };

	if (++rows->cpu_map_rows > CPU_MAX) {
		finding_add(rows->findings, FINDING_FACT_LIMIT, offset, 1);
		return false;
	}
	perf_note_cpu(rows->scope, cpu);
	if (rows->wants_cpu_map)
		emit_push_row(&rows->emit, RECORD_cpu_map, offset, &row);
	return true;
}

/* u16 count, u16 each */
static bool decode_cpu_list(struct perf_rows *rows, struct cursor *c, uint64_t offset)
{
	size_t count = cursor_u16(c);

	if (c->overrun || count > cursor_left(c) / 2)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!emit_cpu(rows, offset, (int16_t)cursor_u16(c)))
			break;
	return true;
}

/* u16 words, u16 bytes a word, maybe padding, words */
static bool decode_cpu_mask(struct perf_rows *rows, struct cursor *c, size_t body,
			    uint64_t offset)
{
	size_t count = cursor_u16(c), bytes = cursor_u16(c);

	if (bytes != 4 && bytes != 8)
		return false;
	if (bytes == 8) /* packed to 8 bytes, or as C aligns it */
		cursor_skip(c, body == 8 + count * 8 ? 2 : 4);
	if (c->overrun || count > cursor_left(c) / bytes)
		return false;
	for (size_t word = 0; word < count; word++) {
		uint64_t bits = bytes == 8 ? cursor_u64(c) : cursor_u32(c);

		for (size_t i = 0; i < bytes * 8; i++)
			if (bits >> i & 1 &&
			    !emit_cpu(rows, offset, (int64_t)(word * bytes * 8 + i)))
				return true;
	}
	return true;
}

/* u16 type, then: a list, a mask or a range (u8 any, u8, u16 first, u16 last). */
static bool decode_cpu_map(struct perf_rows *rows, struct cursor *whole, uint64_t offset,
			   bool *known)
{
	struct cursor local = *whole, *c = &local;
	size_t body = cursor_left(c);
	uint16_t type = cursor_u16(c), first, last;

	if (c->overrun)
		return false;
	*known = type <= CPUS_RANGE;
	switch (type) {
	case CPUS_LIST:
		return decode_cpu_list(rows, c, offset);
	case CPUS_MASK:
		return decode_cpu_mask(rows, c, body, offset);
	case CPUS_RANGE:
		cursor_skip(c, 2);
		first = cursor_u16(c);
		last = cursor_u16(c);
		for (int64_t cpu = first; cpu <= last && !c->overrun; cpu++)
			if (!emit_cpu(rows, offset, cpu))
				break;
		return !c->overrun;
	default:
		return !c->overrun;
	}
}

/* --- dispatch --- */

/* What describes the trace; its rows, if any, are facts. */
static bool decode_description(struct reader *reader, struct cursor *c, uint32_t type,
			       struct record *out, bool *known)
{
	struct perf *perf = reader->state;
	bool want = reader->options.want_rows;

	*known = true;
	switch (type) {
	case PERF_RECORD_HEADER_ATTR:
		return decode_attr(reader, c);
	case PERF_RECORD_HEADER_EVENT_TYPE:
		return decode_event_type(perf, c, out->offset);
	case PERF_RECORD_EVENT_UPDATE:
		return decode_update(perf, c, known);
	case PERF_RECORD_HEADER_FEATURE:
		return decode_feature(reader, c, known);
	case PERF_RECORD_TRACING_DATA:
	case PERF_RECORD_SIMPLEPERF_TRACING_DATA:
		return decode_tracing_data(reader, c, type != PERF_RECORD_TRACING_DATA);
	case PERF_RECORD_SIMPLEPERF_EVENT_ID:
		return decode_simpleperf_ids(perf, c);
	case PERF_RECORD_TIME_CONV:
		return decode_time_conv(&perf->rows, c);
	case PERF_RECORD_STAT_CONFIG:
		return decode_stat_config(&perf->rows, c);
	case PERF_RECORD_THREAD_MAP:
		if (!perf_note_threads(&perf->catalog, *c))
			return false;
		return decode_thread_map(&perf->rows, c, out->offset, want);
	case PERF_RECORD_CPU_MAP:
		perf->rows.scope = &perf->catalog.scope;
		perf->rows.wants_cpu_map = want;
		return decode_cpu_map(&perf->rows, c, out->offset, known);
	case PERF_RECORD_SIMPLEPERF_KERNEL_SYMBOL:
		return perf_decode_kernel_symbols(&perf->rows, c);
	case PERF_RECORD_SIMPLEPERF_DSO:
		return perf_decode_dso(&perf->rows, &perf->dsos, c);
	case PERF_RECORD_SIMPLEPERF_SYMBOL:
		return perf_decode_dso_symbol(&perf->rows, &perf->dsos, c);
	default:
		*known = false;
		return true;
	}
}

enum status perf_decode_tool_record(struct reader *reader, struct cursor *c,
				    const struct perf_header *header, struct record *out)
{
	struct perf *perf = reader->state;
	bool known = false, whole = true;

	if (header->type == PERF_RECORD_HEADER_EVENT_TYPE) {
		out->kind = RECORD_TABLES; /* none yet */
		whole = perf_decode_own(perf, c, out, &known);
		if (known && whole)
			return out->kind == RECORD_TASK_COMMAND ? ST_OK : ST_END;
	}
	if (!known)
		whole = decode_description(reader, c, header->type, out, &known);
	if (known && whole)
		return ST_END;
	if (!known) {
		switch (header->type) {
		case PERF_RECORD_BUILD_ID:
			whole = perf_decode_build_id(&perf->scratch, c, header->misc,
						     out);
			break;
		case PERF_RECORD_AUXTRACE:
			whole = decode_auxtrace(perf, c, out);
			break;
		case PERF_RECORD_STAT:
			whole = decode_stat(perf, c, out);
			break;
		case PERF_RECORD_STAT_ROUND:
			whole = decode_stat_round(perf, c, out);
			break;
		case PERF_RECORD_SCHEDSTAT_CPU:
		case PERF_RECORD_SCHEDSTAT_DOMAIN:
			whole = perf_decode_schedstat(&perf->scratch, header->type, c,
						      out, &known);
			if (!known)
				return perf_decode_other(reader, c, header, out);
			break;
		default:
			return perf_decode_other(reader, c, header, out);
		}
	}
	/* Counts of perf stat are its bill: analyze needs them as well. */
	if (whole)
		return reader->options.want_rows || header->type == PERF_RECORD_STAT ||
				       header->type == PERF_RECORD_STAT_ROUND
			       ? ST_OK
			       : ST_END;
	finding_add(&reader->findings, FINDING_SHORT_RECORD, out->offset, 1);
	return ST_END;
}
