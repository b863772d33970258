/* finding.c - see finding.h. */
#include "core/finding.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/error.h"

static const struct {
	const char *kind;
	const char *severity;
	const char *words;
} kinds[FINDING_KINDS] = {
#define FINDING(enumerator, severity, words) { #enumerator, #severity, words },
#include "core/findings.def"
#undef FINDING
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

void finding_say(struct findings *findings, enum finding_kind kind, uint64_t offset,
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

bool findings_damaged(const struct findings *findings)
{
	for (int i = 0; i < FINDING_KINDS; i++)
		if (findings->of[i].count && strcmp(kinds[i].severity, "damage") == 0)
			return true;
	return false;
}

/* The enumerator in lower case; static, as the list is. */
static struct str kind_name(enum finding_kind kind)
{
	static char names[FINDING_KINDS][32];
	char *name = names[kind];

	if (!name[0])
		for (size_t i = 0; kinds[kind].kind[i] && i < sizeof(names[0]) - 1; i++)
			name[i] = (char)(kinds[kind].kind[i] == '_'
						 ? '_'
						 : kinds[kind].kind[i] | 0x20);
	return str_of(name);
}

bool finding_row(const struct findings *findings, enum finding_kind kind,
		 struct finding_row *row)
{
	const char *own = findings->of[kind].text;
	uint64_t offset = findings->of[kind].first_offset;

	if (findings->of[kind].count == 0)
		return false;
	*row = (struct finding_row){
		.severity = str_of(kinds[kind].severity),
		.kind = kind_name(kind),
		.count = findings->of[kind].count,
		.first_offset = offset == ERROR_NO_OFFSET ? INT_NONE : (int64_t)offset,
		.text = str_of(own[0] ? own : kinds[kind].words),
	};
	return true;
}
