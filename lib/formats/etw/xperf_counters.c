/*
 * xperf_counters.c - Pmc lines: which counters there are, and their values until the
 * event that they were read at.
 *
 * A Pmc line belongs to the event on the next line.  It has no CPU and names the thread
 * that comes, not the one that pays; so it is a switch's only where time and new thread
 * are the same.
 */
#include <string.h>

#include "base/text.h"
#include "formats/etw/xperf.h"

/* Looked through for the first Pmc line, which shows how many counters there are. */
#define LOOK_AHEAD_BYTES INPUT_BUFFER_BYTES
#define LOOK_AHEAD_LINES 64u
#define PMC_VALUES_AT 3 /* after name, time and thread */

/* --- which counters --- */

/* Counters of a Pmc line, if this is one; 0: it is not. */
static size_t count_values(const char *line, const char *end)
{
	struct str text = xperf_trim((struct str){ line, (size_t)(end - line) });
	size_t fields = 0;
	const char *comma;

	if (text.len < 4 || memcmp(text.ptr, "Pmc,", 4) != 0)
		return 0;
	for (const char *at = text.ptr + 4; at; at = comma ? comma + 1 : NULL) {
		const char *stop = text.ptr + text.len;
		int64_t number;

		comma = memchr(at, ',', (size_t)(stop - at));
		if (comma)
			stop = comma;
		while (stop > at && stop[-1] == '\r')
			stop--;
		if (!xperf_number(xperf_trim((struct str){ at, (size_t)(stop - at) }),
				  &number) &&
		    fields < PMC_VALUES_AT - 1)
			return 0;
		fields++;
	}
	return fields > PMC_VALUES_AT - 1 ? fields - (PMC_VALUES_AT - 1) : 0;
}

/*
 * Names may hold commas: where values are near, they say how many counters there are.  It
 * is as many as there are names, if any line has so many values; else the first line
 * decides.  What was read of the line before is gone after this.
 */
static void look_ahead(struct xperf_counters *counters, struct input *in)
{
	size_t have =
		in->is_live ? input_buffered(in) : input_peek_some(in, LOOK_AHEAD_BYTES);
	const char *line = (const char *)in->pos, *end = line + have, *stop;

	/* No byte is looked at twice, however many column lines there are. */
	if (counters->looked_to > in->offset && counters->looked_to - in->offset <= have)
		line += counters->looked_to - in->offset;
	for (size_t lines = 0, count = 0;
	     line < end && lines < LOOK_AHEAD_LINES && count != counters->name_count;
	     line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop)
			break;
		count = count_values(line, stop);
		lines += count > 0;
		if (count &&
		    (counters->values_seen == 0 || count == counters->name_count))
			counters->values_seen = count;
	}
	counters->looked_to = in->offset + (uint64_t)(line - (const char *)in->pos);
}

static bool same_names(const struct xperf_counters *counters,
		       const struct xperf_line *line)
{
	size_t count = line->count > PMC_VALUES_AT ? line->count - PMC_VALUES_AT : 0;

	if (count != counters->name_count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!str_equal(counters->names[i], xperf_field(line, i + PMC_VALUES_AT)))
			return false;
	return true;
}

static bool copy_names(struct xperf_counters *counters, const struct xperf_line *line)
{
	arena_release(&counters->arena);
	counters->name_count = 0;
	for (size_t i = PMC_VALUES_AT; i < line->count; i++) {
		struct str name = arena_str(&counters->arena, line->fields[i]);

		if (!name.ptr)
			return false;
		/* Names become those of columns, which end there. */
		name.len = strnlen(name.ptr, name.len);
		counters->names[counters->name_count++] = name;
	}
	return true;
}

void xperf_define_pmc(struct xperf *x, struct input *in)
{
	struct xperf_counters *counters = &x->counters;
	const struct xperf_line *line = &x->line;

	if (line->count > XPERF_FIELDS_MAX) {
		xperf_bad_line(x, "too many counters");
		return;
	}
	if (counters->declared) {
		if (!same_names(counters, line))
			finding_add(x->findings, FINDING_OTHER_COUNTERS, line->offset, 1);
		return;
	}
	if (!copy_names(counters, line))
		return;
	if (counters->values_seen == 0)
		look_ahead(counters, in);
	counters->count =
		counters->values_seen ? counters->values_seen : counters->name_count;
	if (counters->count > GROUP_COUNTERS_MAX)
		counters->count = 0;
}

/* --- the group --- */

/* Names that are too many are one with commas: the first. */
static struct str joined_name(struct xperf_counters *counters, size_t count)
{
	size_t bytes = 0, at = 0;
	char *text;

	for (size_t i = 0; i < count; i++)
		bytes += counters->names[i].len + 2;
	text = arena_alloc(&counters->arena, bytes);
	if (!text)
		return STR_NONE;
	for (size_t i = 0; i < count; i++) {
		if (i) {
			memcpy(text + at, ", ", 2);
			at += 2;
		}
		if (counters->names[i].len)
			memcpy(text + at, counters->names[i].ptr, counters->names[i].len);
		at += counters->names[i].len;
	}
	return (struct str){ text, at };
}

static struct str numbered_name(struct xperf_counters *counters, size_t slot)
{
	char text[32] = "Pmc ";
	size_t length = 4 + text_int(text + 4, (int64_t)slot + 1);

	return arena_str(&counters->arena, (struct str){ text, length });
}

static struct str counter_name(struct xperf_counters *counters, size_t slot)
{
	size_t more = counters->name_count > counters->count
			      ? counters->name_count - counters->count
			      : 0;

	if (slot + more >= counters->name_count)
		return numbered_name(counters, slot);
	if (more && slot == 0)
		return joined_name(counters, more + 1);
	return counters->names[slot + more];
}

/* More or fewer names than counters. */
static void check_names(const struct xperf_counters *counters, struct findings *findings)
{
	if (counters->name_count > counters->count && counters->count)
		finding_report(
			findings, FINDING_OTHER_COUNTERS, ERROR_NO_OFFSET,
			"%zu names for the %zu counters of Pmc lines: the first contains commas",
			counters->name_count, counters->count);
	else if (counters->name_count < counters->count)
		finding_add(findings, FINDING_NAMELESS, ERROR_NO_OFFSET,
			    (int64_t)(counters->count - counters->name_count));
}

void xperf_emit_group(struct xperf *x)
{
	struct xperf_counters *counters = &x->counters;
	struct counter_group_row group = {
		.group_id = 1,
		.leader = STR("CSwitch"),
		.counters = (int64_t)counters->count,
		.scope = STR("cpu"),
		.has_times = STR("no"),
	};

	counters->declared = true;
	check_names(counters, x->findings);
	emit_push_row(&x->emit, RECORD_counter_group, 0, &group);
	for (size_t i = 0; i < counters->count; i++)
		(void)xperf_emit_counter(
			x, xperf_text(&counters->arena, counter_name(counters, i)),
			(int64_t)i);
}

/* --- Pmc lines --- */

void xperf_drop_pmc(struct xperf *x)
{
	struct xperf_pmc *pmc = &x->counters.pmc;

	if (pmc->waits)
		finding_add(x->findings, FINDING_UNPAIRED, pmc->offset, 1);
	pmc->waits = false;
}

/* The first line with values decides how many there are. */
static bool right_count(struct xperf *x, size_t count)
{
	struct xperf_counters *counters = &x->counters;

	if (counters->values_seen == 0 && count) {
		counters->values_seen = count;
		if (!counters->declared && count <= GROUP_COUNTERS_MAX)
			counters->count = count;
	}
	if (count == counters->count)
		return true;
	finding_add(x->findings, FINDING_OTHER_VALUES, x->line.offset, 1);
	return false;
}

/* Its columns are fixed but for the counters. */
void xperf_on_pmc(struct xperf *x)
{
	const struct xperf_line *line = &x->line;
	int64_t tid;

	xperf_drop_pmc(x);
	if (line->count < PMC_VALUES_AT || line->count > XPERF_FIELDS_MAX ||
	    !xperf_number(line->fields[2], &tid)) {
		xperf_bad_line(x, "a Pmc line without a thread");
		return;
	}
	for (size_t i = PMC_VALUES_AT; i < line->count; i++) {
		uint64_t value;

		if (!xperf_count(line->fields[i], &value)) {
			xperf_bad_line(x, "a counter value that is not a number");
			return;
		}
		if (i - PMC_VALUES_AT < GROUP_COUNTERS_MAX)
			x->counters.values[i - PMC_VALUES_AT] = value;
	}
	x->counters.pmc = (struct xperf_pmc){
		.waits = true,
		.fits = right_count(x, line->count - PMC_VALUES_AT),
		.offset = line->offset,
		.us = x->us,
		.tid = tid == -1 || tid == UINT32_MAX ? INT_NONE : tid,
	};
}

void xperf_end_pmc(struct xperf *x, const struct xperf_class *class)
{
	struct xperf_pmc *pmc = &x->counters.pmc;
	struct xperf_event event;

	if (!pmc->waits)
		return;
	/*
	 * Counters may be read at other events too; one without a thread proves nothing.
	 */
	if (pmc->us == x->us &&
	    xperf_event(&event, class, &x->line, XPERF_NEEDS_THREAD) &&
	    event.tid == pmc->tid)
		pmc->waits = false;
	xperf_drop_pmc(x);
}

bool xperf_pair(struct xperf *x, int64_t new_tid)
{
	struct xperf_counters *counters = &x->counters;
	struct xperf_pmc *pmc = &counters->pmc;

	if (!pmc->waits || pmc->us != x->us || pmc->tid != new_tid) {
		xperf_drop_pmc(x);
		return counters->count == 0;
	}
	pmc->waits = false;
	counters->paired += pmc->fits;
	return pmc->fits;
}
