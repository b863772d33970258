/*
 * own_facts.c - what perftab-capture itself found out: rows of audit_check and
 * kernel_task.
 *
 * Lines of eight fields with tabs between them: what, CPU, event, least, most, found,
 * verdict, note; "-" is not known.  Of "task" the event is a thread, least and most are
 * its voluntary and involuntary switches, found its time on a CPU.  Of "clock" the least
 * is the time of day when the recording ended, the most the trace's clock at that moment.
 * "offline" is a CPU that went, and found its last time.  Other lines are skipped and
 * counted.  tools/capture/linux/audit/facts.c writes them.
 */
#include "formats/perf/records.h"

#include <stdlib.h>

#include "base/text.h"
#include "model/own_facts.h"

#define FIELDS 8
#define OWN_FACTS_MAX 262144u /* lines of a trace */
#define NUMBER_BYTES_MAX 20

enum { WHAT, CPU, EVENT, LEAST, MOST, FOUND, VERDICT, NOTE };

static bool is_none(struct str field)
{
	return str_equal(field, STR("-"));
}

/* INT_NONE for "-"; false: not a number. */
static bool parse_number(struct str field, int64_t *number)
{
	char digits[NUMBER_BYTES_MAX + 1], *end;

	*number = INT_NONE;
	if (is_none(field))
		return true;
	if (field.len == 0 || field.len > NUMBER_BYTES_MAX)
		return false;
	memcpy(digits, field.ptr, field.len);
	digits[field.len] = '\0';
	*number = strtoll(digits, &end, 10);
	return *end == '\0';
}

/* Cuts a line at its tabs; false: other than eight fields. */
static bool split(struct str line, struct str *fields)
{
	for (size_t i = 0; i < FIELDS; i++) {
		const char *tab = line.len ? memchr(line.ptr, '\t', line.len) : NULL;
		size_t length = tab ? (size_t)(tab - line.ptr) : line.len;

		if (length == 0 || (tab == NULL) != (i == FIELDS - 1))
			return false;
		fields[i] = (struct str){ line.ptr, length };
		line.ptr += length + (tab != NULL);
		line.len -= length + (tab != NULL);
	}
	return true;
}

static bool is_verdict(struct str verdict)
{
	return is_none(verdict) || str_equal(verdict, STR("proven")) ||
	       str_equal(verdict, STR("plausible")) ||
	       str_equal(verdict, STR("contradicted"));
}

static struct str text_of(struct perf_rows *rows, struct str field)
{
	return is_none(field) ? STR_NONE : emit_text(&rows->emit, field);
}

static bool emit_check(struct perf *perf, const struct str *fields,
		       const int64_t *numbers, uint64_t offset)
{
	struct audit_check_row row = {
		.cpu = numbers[CPU],
		.counter_id = INT_NONE,
		.least = numbers[LEAST],
		.most = numbers[MOST],
		.found = numbers[FOUND],
	};
	int64_t event = numbers[EVENT];

	if (own_fact_find(fields[WHAT]) == OWN_FACTS || !is_verdict(fields[VERDICT]) ||
	    (row.cpu != INT_NONE && (row.cpu < 0 || row.cpu >= CPU_MAX)))
		return false;
	if (event != INT_NONE &&
	    (event < 0 || (uint64_t)event >= perf->catalog.event_count))
		return false;
	if (event != INT_NONE) /* the number of its counter: perf_counter_id() */
		row.counter_id = event + 1;
	row.what = emit_text(&perf->rows.emit, fields[WHAT]);
	row.verdict = text_of(&perf->rows, fields[VERDICT]);
	row.note = text_of(&perf->rows, fields[NOTE]);
	emit_push_row(&perf->rows.emit, RECORD_audit_check, offset, &row);
	return true;
}

static bool emit_task(struct perf *perf, const int64_t *numbers, uint64_t offset)
{
	const struct kernel_task_row row = {
		.tid = numbers[EVENT],
		.run_ns = numbers[FOUND],
		.voluntary = numbers[LEAST],
		.involuntary = numbers[MOST],
	};

	if (row.tid <= 0 || row.run_ns < 0) /* INT_NONE too */
		return false;
	emit_push_row(&perf->rows.emit, RECORD_kernel_task, offset, &row);
	return true;
}

/* The time of day at the end leads to the drift of the clocks. */
static bool keep_clock(struct perf *perf, const int64_t *numbers)
{
	int64_t offset;

	if (numbers[LEAST] <= 0 || numbers[MOST] <= 0 || /* INT_NONE too */
	    __builtin_sub_overflow(numbers[LEAST], numbers[MOST], &offset))
		return false;
	perf->rows.trace.wall_offset_end_ns = offset;
	return true;
}

static bool report_offline(struct perf *perf, const int64_t *numbers, uint64_t offset)
{
	int64_t cpu = numbers[CPU], last_ns = numbers[FOUND];
	char when[48] = "";

	if (cpu < 0 || cpu >= CPU_MAX) /* INT_NONE too */
		return false;
	if (last_ns != INT_NONE)
		text_print(when, sizeof(when), " after %lld ns", (long long)last_ns);
	finding_report(perf->findings, FINDING_CPU_OFFLINE, offset,
		       "CPU %lld went offline%s, and its counters with it: what it did "
		       "afterwards is not counted",
		       (long long)cpu, when);
	return true;
}

static bool decode_line(struct perf *perf, struct str line, uint64_t offset)
{
	struct str fields[FIELDS];
	int64_t numbers[FIELDS] = { 0 };

	if (!split(line, fields))
		return false;
	for (size_t i = CPU; i <= FOUND; i++)
		if (!parse_number(fields[i], &numbers[i]))
			return false;
	if (str_equal(fields[WHAT], STR("clock")))
		return keep_clock(perf, numbers);
	if (str_equal(fields[WHAT], STR("offline")))
		return report_offline(perf, numbers, offset);
	return str_equal(fields[WHAT], STR("task"))
		       ? emit_task(perf, numbers, offset)
		       : emit_check(perf, fields, numbers, offset);
}

void perf_decode_own_facts(struct perf *perf, struct cursor *c, uint64_t offset)
{
	struct str text = cursor_padded_str(c, cursor_left(c));

	while (text.len) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t length = end ? (size_t)(end - text.ptr) : text.len;

		if (++perf->rows.own_fact_count > OWN_FACTS_MAX) {
			finding_add(perf->findings, FINDING_FACT_LIMIT, offset, 1);
			return;
		}
		if (!decode_line(perf, (struct str){ text.ptr, length }, offset))
			finding_add(perf->findings, FINDING_SHORT_RECORD, offset, 1);
		text.ptr += length + (end != NULL);
		text.len -= length + (end != NULL);
	}
}
