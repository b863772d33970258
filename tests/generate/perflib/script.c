/*
 * plb_script - a PerfLib bundle from a script, for values that are known beforehand.
 *
 *   plb_script <SCRIPT >OUT.plb
 *
 * Of these commands, a line each or separated by semicolons:
 *
 *   set SET KIND NAME                     a counterset; KIND is its InstanceType
 *   counter SET ID TYPE BASE TIME FREQ MULTI NAME
 *                                         a counter; - is none
 *   register SET                          the records of both
 *   ask SET COUNTER                       an identifier; - is all counters
 *   query                                 the record of the identifiers
 *   snapshot TICKS WALL FREQUENCY         an answer, up to the next of these or the end
 *   block TYPE [COUNTER ...]              a block of it, with its list of counters
 *   instance ID NAME                      an instance of it; NAME to the end
 *   value BYTES NUMBER ...                its values
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perflib/build.h"

#define COUNTERS_MAX 64
#define NAME_MAX 64

struct set {
	unsigned int number, kind, count;
	char name[NAME_MAX];
	struct counter counters[COUNTERS_MAX];
	char names[COUNTERS_MAX][NAME_MAX];
};

static struct set sets[8];
static size_t set_count;
static struct byte_buf identifiers, answer;
static unsigned int asked, blocks,
	instances;		 /* identifiers; of the answer; of the block */
static size_t block_at, list_at; /* 0: none */

/* --- words of a line --- */

static char *word(char **line)
{
	char *start = *line + strspn(*line, " \t\n");

	*line = start + strcspn(start, " \t\n");
	if (**line)
		*(*line)++ = '\0';
	return *start ? start : NULL;
}

static char *rest(char **line)
{
	char *start = *line + strspn(*line, " \t");

	start[strcspn(start, "\n")] = '\0';
	return start;
}

static unsigned long long number(char **line)
{
	const char *text = word(line);

	if (!text)
		die("a number is missing");
	return strcmp(text, "-") == 0 ? NONE : strtoull(text, NULL, 0);
}

static struct set *find_set(unsigned long long wanted)
{
	for (size_t i = 0; i < set_count; i++)
		if (sets[i].number == wanted)
			return &sets[i];
	die("no set %llu", wanted);
}

static void end_block(void)
{
	if (list_at) {
		buf_set_size(&answer, list_at, list_at);
		buf_set_u32(&answer, list_at + 4, instances);
	}
	if (block_at)
		buf_set_size(&answer, block_at + 8, block_at);
	list_at = block_at = 0;
	instances = 0;
}

static void end_answer(struct build *build)
{
	end_block();
	if (answer.size == 0)
		return;
	buf_set_size(&answer, 0, 0);
	put_data(build, answer.size, &answer);
	answer.size = 0;
}

/* --- registration --- */

static void on_set(struct build *build, char *line)
{
	struct set *set = &sets[set_count++];

	(void)build;
	if (set_count > COUNT(sets))
		die("too many sets");
	set->number = (unsigned int)number(&line);
	set->kind = (unsigned int)number(&line);
	snprintf(set->name, sizeof(set->name), "%s", rest(&line));
}

static void on_counter(struct build *build, char *line)
{
	struct set *set = find_set(number(&line));
	struct counter *counter = &set->counters[set->count];
	char *name = set->names[set->count];

	(void)build;
	if (set->count++ == COUNTERS_MAX)
		die("too many counters");
	counter->id = (unsigned int)number(&line);
	counter->type = (unsigned int)number(&line);
	for (int k = 0; k < 4; k++)
		counter->partners[k] = (unsigned int)number(&line);
	snprintf(name, NAME_MAX, "%s", rest(&line));
	counter->name = name;
}

static void on_register(struct build *build, char *line)
{
	const struct set *set = find_set(number(&line));
	struct byte_buf p = { 0 };

	end_answer(build);
	buf_counterset(&p, set->number, set->count, set->kind);
	for (unsigned int i = 0; i < set->count; i++)
		buf_counter(&p, &set->counters[i], 0, 0);
	put_result(build, set->number, 1, 0, &p);
	p.size = 0;
	buf_wide_z(&p, set->name);
	put_result(build, set->number, 9, 0, &p);
	p.size = 0;
	buf_names(&p, set->counters, set->count);
	put_result(build, set->number, 10, 0, &p);
	buf_release(&p);
}

static void on_ask(struct build *build, char *line)
{
	struct byte_buf *p = &identifiers;

	(void)build;
	if (asked == 0)
		buf_u64(p, 0);
	buf_guid(p, (unsigned int)number(&line));
	BUF(p, "4444", 0, 40, (uint32_t)number(&line), NONE);
	buf_u32(p, asked++);
	buf_u32(p, 0);
}

/* --- answers --- */

/* The calendar is that of 2026-11-21 11:02:44, for the wall clock 134397325643640000. */
static void on_snapshot(struct build *build, char *line)
{
	unsigned long long ticks = number(&line), wall = number(&line);

	end_answer(build);
	blocks = 0;
	BUF(&answer, "44888", 0, 0, ticks, wall, number(&line));
	BUF(&answer, "22222222", 2026, 11, 6, 21, 11, 2, 44, 364);
}

static void on_block(struct build *build, char *line)
{
	unsigned int type = (unsigned int)number(&line), count = 0;
	const char *id;
	size_t ids;

	(void)build;
	end_block();
	buf_set_u32(&answer, 4, ++blocks);
	block_at = answer.size;
	BUF(&answer, "448", 0, type, 0);
	if (type == 2 || type == 6) {
		ids = answer.size;
		buf_u64(&answer, 0);
		while ((id = word(&line))) {
			buf_u32(&answer, (uint32_t)strtoul(id, NULL, 0));
			count++;
		}
		buf_align(&answer, 0, 8);
		buf_set_size(&answer, ids, ids);
		buf_set_u32(&answer, ids + 4, count);
	}
	if (type == 4 || type == 6) {
		list_at = answer.size;
		buf_u64(&answer, 0);
	}
}

static void on_instance(struct build *build, char *line)
{
	size_t at = answer.size;

	(void)build;
	instances++;
	buf_u32(&answer, 0);
	buf_u32(&answer, (uint32_t)number(&line));
	buf_wide_z(&answer, rest(&line));
	buf_align(&answer, 0, 8);
	buf_set_size(&answer, at, at);
}

static void on_value(struct build *build, char *line)
{
	unsigned int bytes = (unsigned int)number(&line);
	const char *value;

	(void)build;
	while ((value = word(&line))) {
		buf_u32(&answer, bytes);
		buf_u32(&answer, bytes == 16 ? 24 : 16);
		buf_number(&answer, strtoull(value, NULL, 0), bytes == 4 ? 4 : 8);
		buf_zero(&answer, bytes == 4 ? 4 : bytes - 8);
	}
}

/* --- the script --- */

static void on_query(struct build *build, char *line)
{
	(void)line;
	put_record(build, 5, &identifiers);
}

static const struct {
	const char *word;
	void (*on_line)(struct build *build, char *line);
} words[] = {
	{ "set", on_set },     { "counter", on_counter },   { "register", on_register },
	{ "ask", on_ask },     { "query", on_query },	    { "snapshot", on_snapshot },
	{ "block", on_block }, { "instance", on_instance }, { "value", on_value },
};

static void on_line(struct build *build, char *line)
{
	const char *what = word(&line);

	if (!what || *what == '#')
		return;
	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(what, words[i].word) == 0) {
			words[i].on_line(build, line);
			return;
		}
	die("unknown: %s", what);
}

int main(void)
{
	struct build build = { .records = 0 };
	char line[4096];

	begin_file(&build);
	while (fgets(line, sizeof(line), stdin))
		for (char *next = *line == '#' ? NULL : line, *part;
		     (part = strsep(&next, ";"));)
			on_line(&build, part);
	end_answer(&build);
	end_file(&build);
	file_write(stdout, "stdout", build.out.data, build.out.size);
	file_close(stdout, "stdout");
	buf_release(&identifiers);
	buf_release(&answer);
	buf_release(&build.out);
	return 0;
}
