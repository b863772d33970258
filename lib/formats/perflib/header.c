/*
 * header.c - PERF_DATA_HEADER, and how it follows the one before: rules V1 to V5,
 * V7 and V26.
 */
#include "formats/perflib/perflib.h"

#define PROTOCOL_BYTES_MAX (UINT32_C(1) << 30)

#define UNIX_EPOCH_100NS INT64_C(116444736000000000)

/* How far the two wall clocks of a header may be apart: zones are whole quarter hours. */
#define CLOCKS_APART_MAX_MS 60000
#define ZONE_STEP_MS (15 * 60 * 1000)
#define ZONE_MAX_MS (INT64_C(15) * 3600 * 1000)

/* The same moment, in whichever zone the calendar is. */
static bool is_same_moment(int64_t calendar_ms, int64_t wall_100ns)
{
	int64_t apart = calendar_ms - (wall_100ns - UNIX_EPOCH_100NS) / 10000;
	int64_t rest;

	if (apart > ZONE_MAX_MS || apart < -ZONE_MAX_MS)
		return false;
	rest = (apart % ZONE_STEP_MS + ZONE_STEP_MS) % ZONE_STEP_MS;
	return rest <= CLOCKS_APART_MAX_MS || rest >= ZONE_STEP_MS - CLOCKS_APART_MAX_MS;
}

/* --- V5 --- */

static void check_clocks(struct perflib *perflib, uint64_t offset,
			 const struct perflib_date *t)
{
	struct perflib_snapshot_row *row = &perflib->walk.snapshot_row;
	struct findings *findings = perflib->findings;

	if (row->perf_time < 0)
		finding_report(findings, FINDING_PERFLIB_V5, offset + 8,
			       "V5: PerfTimeStamp is %lld", (long long)row->perf_time);
	if (row->perf_time_100ns < 0)
		finding_report(findings, FINDING_PERFLIB_V5, offset + 16,
			       "V5: PerfTime100NSec is %lld",
			       (long long)row->perf_time_100ns);
	if (row->perf_freq <= 0)
		finding_report(findings, FINDING_PERFLIB_V5, offset + 24,
			       "V5: PerfFreq is %lld", (long long)row->perf_freq);
	if (!perflib_date_is_valid(t))
		finding_report(findings, FINDING_PERFLIB_V5, offset + 32,
			       "V5: SystemTime is not a date: %u-%u-%u %u:%u:%u.%u",
			       t->year, t->month, t->day, t->hour, t->minute, t->second,
			       t->ms);
	else if (row->perf_time_100ns >= 0 &&
		 !is_same_moment(perflib_date_ms(t), row->perf_time_100ns))
		finding_report(
			findings, FINDING_PERFLIB_V5, offset + 32,
			"V5: SystemTime and PerfTime100NSec are not the same moment "
			"in any zone");
}

/* --- V26 and V7 --- */

static void check_order(struct perflib *perflib, uint64_t offset)
{
	const struct perflib_snapshot_row *row = &perflib->walk.snapshot_row;
	struct perflib_query *query = perflib->walk.query;
	struct findings *findings = perflib->findings;

	if (query->has_last && row->perf_time <= query->last_time)
		finding_report(findings, FINDING_PERFLIB_V26, offset + 8,
			       "V26: PerfTimeStamp is %lld after %lld",
			       (long long)row->perf_time, (long long)query->last_time);
	if (query->has_last && row->perf_time_100ns < query->last_100ns)
		finding_report(findings, FINDING_PERFLIB_V26, offset + 16,
			       "V26: PerfTime100NSec is %lld after %lld",
			       (long long)row->perf_time_100ns,
			       (long long)query->last_100ns);
	if (query->has_last && row->perf_freq != query->last_freq)
		finding_report(findings, FINDING_PERFLIB_V26, offset + 24,
			       "V26: PerfFreq is %lld after %lld",
			       (long long)row->perf_freq, (long long)query->last_freq);
	query->has_last = true;
	query->last_time = row->perf_time;
	query->last_100ns = row->perf_time_100ns;
	query->last_freq = row->perf_freq;
}

static void check_identifiers(struct perflib *perflib, uint64_t offset)
{
	struct perflib_query *query = perflib->walk.query;

	if (!perflib->is_bundle)
		return;
	if (!query->has_info && !query->is_reported && perflib->walk.blocks != 0) {
		query->is_reported = true;
		finding_report(perflib->findings, FINDING_PERFLIB_V7, offset + 4,
			       "V7: the identifiers of query %u are not in the bundle",
			       query->number);
	} else if (query->has_info && perflib->walk.blocks != query->identifiers) {
		finding_report(perflib->findings, FINDING_PERFLIB_V7, offset + 4,
			       "V7: %u blocks, but the query has %zu identifiers",
			       perflib->walk.blocks, query->identifiers);
	}
}

/* --- the trace's clock --- */

static void set_trace_time(struct perflib *perflib)
{
	const struct perflib_snapshot_row *row = &perflib->walk.snapshot_row;
	struct trace_row *trace = &perflib->trace;
	int64_t wall, offset;

	if (row->ts_ns == INT_NONE)
		return;
	if (trace->first_ns == INT_NONE || row->ts_ns < trace->first_ns)
		trace->first_ns = row->ts_ns;
	if (trace->last_ns == INT_NONE || row->ts_ns > trace->last_ns)
		trace->last_ns = row->ts_ns;
	if (trace->wall_offset_ns == INT_NONE && row->perf_time_100ns > 0 &&
	    !__builtin_mul_overflow(row->perf_time_100ns - UNIX_EPOCH_100NS, 100,
				    &wall) &&
	    !__builtin_sub_overflow(wall, row->ts_ns, &offset))
		trace->wall_offset_ns = offset;
}

/* --- V1 to V4 --- */

/* How much of the answer is what the header says; 0: none of it. */
static size_t check_size(struct perflib *perflib, uint64_t offset, size_t length,
			 uint32_t total, uint64_t expected_bytes)
{
	struct findings *findings = perflib->findings;

	if (total > PROTOCOL_BYTES_MAX) {
		finding_report(findings, FINDING_PERFLIB_V4, offset,
			       "V4: dwTotalSize is %u, expected at most %u", total,
			       PROTOCOL_BYTES_MAX);
		return length;
	}
	if (total < PERFLIB_ANSWER_HEADER_BYTES) {
		finding_gap(findings, FINDING_PERFLIB_V2, offset, offset + length,
			    "V2: dwTotalSize is %u, expected at least %d", total,
			    PERFLIB_ANSWER_HEADER_BYTES);
		return 0;
	}
	if (total > length)
		finding_report(findings, FINDING_PERFLIB_V2, offset,
			       "V2: dwTotalSize is %u, but there are %zu bytes", total,
			       length);
	else if (total < length)
		finding_gap(findings, FINDING_PERFLIB_V2, offset + total, offset + length,
			    "V2: dwTotalSize is %u, but there are %zu bytes", total,
			    length);
	else if (total != expected_bytes)
		finding_report(findings, FINDING_PERFLIB_V2, offset,
			       "V2: dwTotalSize is %u, but the call returned %llu", total,
			       (unsigned long long)expected_bytes);
	if (total % 8 != 0)
		finding_report(findings, FINDING_PERFLIB_V3, offset,
			       "V3: dwTotalSize is %u, expected a multiple of 8", total);
	return total < length ? total : length;
}

bool perflib_decode_header(struct perflib *perflib, struct cursor answer,
			   uint64_t expected_bytes)
{
	struct perflib_walk *walk = &perflib->walk;
	struct perflib_snapshot_row *row = &walk->snapshot_row;
	uint64_t offset = answer.offset;
	size_t length = cursor_left(&answer), used;
	struct perflib_date t;
	char text[PERFLIB_DATE_BYTES];
	uint32_t total;

	if (length < PERFLIB_ANSWER_HEADER_BYTES) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V1, offset,
			    offset + length,
			    "V1: an answer of %zu bytes, expected at least %d", length,
			    PERFLIB_ANSWER_HEADER_BYTES);
		return false;
	}
	total = cursor_u32(&answer);
	used = check_size(perflib, offset, length, total, expected_bytes);
	if (used == 0)
		return false;
	walk->blocks = cursor_u32(&answer);
	row->blocks = walk->blocks;
	row->perf_time = (int64_t)cursor_u64(&answer);
	row->perf_time_100ns = (int64_t)cursor_u64(&answer);
	row->perf_freq = (int64_t)cursor_u64(&answer);
	row->ts_ns = perflib_ns(row->perf_time, row->perf_freq);
	t = perflib_date_read(&answer);
	perflib_date_print(text, &t);
	if (perflib_date_is_valid(&t))
		row->system_time = emit_text(&perflib->emit, str_of(text));
	check_clocks(perflib, offset, &t);
	check_order(perflib, offset);
	check_identifiers(perflib, offset);
	set_trace_time(perflib);
	walk->answer = cursor_sub(&answer, used - PERFLIB_ANSWER_HEADER_BYTES);
	return true;
}
