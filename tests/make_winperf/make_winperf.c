/*
 * make_winperf - PerfLib V1 blocks (.v1) and performance logs (.blg), good and bad, with
 * what a reader must find in them (.findings) and keep of them (.values).
 *
 *   make_winperf --list
 *   make_winperf --log SAMPLES FILE
 *   make_winperf DIR [CASE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winperf_build.h"

static const char *const block_cases[] = {
	"good",
	"good-wide",
	"good-code-page",
	"odd-code-page",
	"odd-id",
	"bad-header-short",
	"bad-header-long",
	"bad-signature",
	"bad-endian",
	"bad-machine",
	"bad-size-billions",
	"bad-clock-freq",
	"bad-clock-date",
	"bad-objects-many",
	"bad-objects-behind",
	"bad-object-zero",
	"bad-object-long",
	"bad-definitions-short",
	"bad-definitions-long",
	"bad-counters-billions",
	"bad-counter-short",
	"bad-instance-short",
	"bad-instance-long",
	"bad-instances-billions",
	"bad-values-short",
	"bad-values-long",
	"bad-value-outside",
	"bad-name-outside",
	"bad-name-no-end",
	"bad-parent",
	"bad-rest",
};

static const char *const log_cases[] = {
	"good-log",	"good-parts",	 "odd-part-type",
	"bad-names",	"bad-catalogue", "bad-no-catalogue",
	"bad-part-tag", "bad-part-size", "bad-part-missing",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool is_case(const struct build *build, const char *name)
{
	return strcmp(build->wrong, name) == 0;
}

bool is_now(const struct build *build, const char *name)
{
	return is_case(build, name) && build->sample == 2;
}

/* --- what must be said --- */

void tell(struct build *build, const char *kind, size_t at)
{
	if (build->told_count == COUNT(build->told))
		die("too many findings");
	build->told[build->told_count++] = (struct told){ kind, at };
}

void settle(struct build *build, size_t first, size_t from)
{
	for (size_t i = first; i < build->told_count; i++) {
		const struct told *told = &build->told[i];

		if (told->at == SIZE_MAX)
			buf_text(&build->findings, "%s|\n", told->kind);
		else
			buf_text(&build->findings, "%s|%zu\n", told->kind,
				 told->at + from);
	}
	build->told_count = first;
}

void buf_utf16(struct byte_buf *buf, const char *text)
{
	for (; *text; text++) {
		if ((*text & 0xe0) == 0xc0) { /* two bytes of UTF-8 */
			buf_u16(buf,
				(uint16_t)((text[0] & 0x1f) << 6 | (text[1] & 0x3f)));
			text++;
			continue;
		}
		buf_u16(buf, (uint8_t)*text);
	}
	buf_u16(buf, 0);
}

/* --- files --- */

static void save(const char *dir, const char *name, const char *extension,
		 const struct byte_buf *bytes)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%s", dir, name, extension);
	file = fopen(path, "wb");
	if (!file || (bytes->size && fwrite(bytes->data, bytes->size, 1, file) != 1) ||
	    fclose(file) != 0)
		die("cannot write %s", path);
}

/* Behind these nothing of the file can be read. */
static bool ends_here(const struct build *build)
{
	return is_now(build, "bad-signature") || is_now(build, "bad-size-billions");
}

static void put_blocks(struct build *build)
{
	size_t values = SIZE_MAX;

	for (build->sample = 1; build->sample <= 3; build->sample++) {
		struct byte_buf p = { 0 };
		size_t told = build->told_count;

		put_block(build, &p);
		settle(build, told, build->out.size);
		buf_bytes(&build->out, p.data, p.size);
		buf_release(&p);
		if (ends_here(build))
			values = build->values.size;
	}
	if (values != SIZE_MAX)
		build->values.size = values;
}

static void make(const char *dir, const char *name, bool is_log)
{
	struct build build = { .wrong = name };

	build.is_wide = strcmp(name, "good-wide") == 0;
	build.code_page = strcmp(name, "good-code-page") == 0  ? 1252
			  : strcmp(name, "odd-code-page") == 0 ? 1251
							       : 0;
	if (is_log)
		put_log(&build);
	else
		put_blocks(&build);
	save(dir, name, is_log ? "blg" : "v1", &build.out);
	save(dir, name, "findings", &build.findings);
	save(dir, name, "values", &build.values);
	buf_release(&build.out);
	buf_release(&build.findings);
	buf_release(&build.values);
}

static bool make_all(const char *dir, const char *only, const char *const *cases,
		     size_t count, bool is_log)
{
	bool made = false;

	for (size_t i = 0; i < count; i++)
		if (!only || strcmp(only, cases[i]) == 0) {
			make(dir, cases[i], is_log);
			made = true;
		}
	return made;
}

static void list(const char *const *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		puts(cases[i]);
}

int main(int argc, char **argv)
{
	const char *only = argc == 3 ? argv[2] : NULL;
	bool made;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list(block_cases, COUNT(block_cases));
		list(log_cases, COUNT(log_cases));
		return 0;
	}
	if (argc == 4 && strcmp(argv[1], "--log") == 0) {
		write_log(argv[3], (unsigned int)strtoul(argv[2], NULL, 10));
		return 0;
	}
	if (argc != 2 && argc != 3) {
		fputs("usage: make_winperf --list\n"
		      "       make_winperf --log SAMPLES FILE\n"
		      "       make_winperf DIR [CASE]\n",
		      stderr);
		return 2;
	}
	made = make_all(argv[1], only, block_cases, COUNT(block_cases), false);
	made |= make_all(argv[1], only, log_cases, COUNT(log_cases), true);
	if (!made)
		die("there is no case %s", argv[2]);
	return 0;
}
