/* finding.c - counts findings by kind and turns them into rows. */
#include "model/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

static const struct {
	const char *kind;
	const char *severity;
	const char *words;
} kinds[FINDING_KINDS] = {
#define FINDING(enumerator, severity, words) { #enumerator, #severity, words },
#include "model/findings.def"
#undef FINDING
};

const enum finding_kind finding_of_status[CHARGE_STATUSES] = {
#define STATUS(enumerator, number, name, reason, words, finding) [number] = (finding),
#include "model/statuses.def"
#undef STATUS
};

void finding_add(struct findings *findings, enum finding_kind kind, uint64_t offset,
		 int64_t count)
{
	if (findings->of[kind].count == 0)
		findings->of[kind].first_offset = offset;
	/* Saturates: a file may claim any number of lost events. */
	if (__builtin_add_overflow(findings->of[kind].count, count,
				   &findings->of[kind].count))
		findings->of[kind].count = INT64_MAX;
}

void finding_report(struct findings *findings, enum finding_kind kind, uint64_t offset,
		    const char *format, ...)
{
	if (findings->of[kind].count == 0) {
		va_list args;

		va_start(args, format);
		vsnprintf(findings->of[kind].text, sizeof(findings->of[kind].text),
			  format, args);
		va_end(args);
	}
	finding_add(findings, kind, offset, 1);
}

void finding_set_text(struct findings *findings, enum finding_kind kind, const char *text)
{
	snprintf(findings->of[kind].text, sizeof(findings->of[kind].text), "%s", text);
}

/* Room for one more gap, or NULL: then it is only counted. */
static struct finding_gap *new_gap(struct findings *findings)
{
	if (findings->gap_count == FINDING_GAPS_MAX ||
	    !ARRAY_GROW(findings->gaps, findings->gap_room, findings->gap_count))
		return NULL;
	return &findings->gaps[findings->gap_count++];
}

void finding_gap(struct findings *findings, enum finding_kind kind, uint64_t from,
		 uint64_t to, const char *format, ...)
{
	struct finding_gap *gap = new_gap(findings);
	va_list args;

	if (!gap) {
		finding_add(findings, kind, from, 1);
		return;
	}
	gap->kind = kind;
	gap->from = from;
	gap->to = to;
	va_start(args, format);
	vsnprintf(gap->text, sizeof(gap->text), format, args);
	va_end(args);
}

void findings_release(struct findings *findings)
{
	free(findings->gaps);
	findings->gaps = NULL;
	findings->gap_count = findings->gap_room = 0;
}

bool finding_any(const struct findings *findings, enum finding_kind kind)
{
	for (size_t i = 0; i < findings->gap_count; i++)
		if (findings->gaps[i].kind == kind)
			return true;
	return findings->of[kind].count != 0;
}

bool findings_damaged(const struct findings *findings)
{
	for (int i = 0; i < FINDING_KINDS; i++)
		if (finding_any(findings, (enum finding_kind)i) &&
		    strcmp(kinds[i].severity, "damage") == 0)
			return true;
	return false;
}

struct str findings_completeness(const struct findings *findings)
{
	if (!findings_damaged(findings))
		return STR("complete");
	if (finding_any(findings, FINDING_UNFINISHED) ||
	    finding_any(findings, FINDING_TRUNCATED) ||
	    finding_any(findings, FINDING_MISSING_FILE) ||
	    finding_any(findings, FINDING_READ_ERROR))
		return STR("partial");
	return STR("recovered");
}

/* The enumerator in lower case; each thread makes its own. */
struct str finding_kind_name(enum finding_kind kind)
{
	static _Thread_local char names[FINDING_KINDS][32];
	char *name = names[kind];

	if (!name[0])
		for (size_t i = 0; kinds[kind].kind[i] && i < sizeof(names[0]) - 1; i++)
			name[i] = (char)(kinds[kind].kind[i] == '_'
						 ? '_'
						 : kinds[kind].kind[i] | 0x20);
	return str_of(name);
}

static int64_t offset_of(uint64_t offset)
{
	return offset > INT64_MAX ? INT_NONE : (int64_t)offset;
}

/* Fills in the row of a kind, for findings without rows of their own. */
static bool kind_row(const struct findings *findings, enum finding_kind kind,
		     struct finding_row *row)
{
	const char *own = findings->of[kind].text;
	int64_t count = findings->of[kind].count;

	if (count == 0)
		return false;
	*row = (struct finding_row){
		.severity = str_of(kinds[kind].severity),
		.kind = finding_kind_name(kind),
		.count = count,
		.first_offset = offset_of(findings->of[kind].first_offset),
		.end_offset = INT_NONE,
		.text = str_of(own[0] ? own : kinds[kind].words),
	};
	return true;
}

bool finding_row(const struct findings *findings, size_t number, struct finding_row *row)
{
	const struct finding_gap *gap;

	if (number < FINDING_KINDS)
		return kind_row(findings, (enum finding_kind)number, row);
	gap = &findings->gaps[number - FINDING_KINDS];
	*row = (struct finding_row){
		.severity = str_of(kinds[gap->kind].severity),
		.kind = finding_kind_name(gap->kind),
		.count = 1,
		.first_offset = offset_of(gap->from),
		.end_offset = offset_of(gap->to),
		.text = str_of(gap->text),
	};
	return true;
}
