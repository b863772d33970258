/*
 * plb_script.c - a PerfLib bundle from a script, for values that are known beforehand.
 *
 *   plb_script <SCRIPT >OUT.plb
 *
 *   set SET KIND NAME                     a counterset; KIND is its InstanceType
 *   counter SET ID TYPE BASE TIME FREQ MULTI NAME
 *                                         a counter; - is none
 *   register SET                          the records of both
 *   ask SET COUNTER                       an identifier; - is all counters
 *   query                                 the record of the identifiers
 *   snapshot TICKS WALL FREQUENCY         an answer, up to the next of these or the end
 *   block TYPE [COUNTER ...]              a block of it, with its list of counters
 *   instance ID NAME                      an instance of it; NAME ends with the line
 *   value BYTES NUMBER ...                its values
 *
 * Like make_plb it knows nothing of lib/.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plb_build.h"

#define NONE 0xffffffff
#define COUNTERS_MAX 64
#define NAME_MAX 64

struct set {
	unsigned int number, kind, count;
	char name[NAME_MAX];
	struct {
		unsigned int id, type, partners[4];
		char name[NAME_MAX];
	} counters[COUNTERS_MAX];
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

void buf_guid(struct byte_buf *buf, unsigned int set)
{
	for (unsigned int i = 0; i < 16; i++)
		buf_u8(buf, (uint8_t)(set + i));
}

static void buf_utf16(struct byte_buf *buf, const char *text)
{
	for (; *text; text++)
		buf_u16(buf, (uint8_t)*text);
	buf_u16(buf, 0);
}

static void pad(struct byte_buf *buf)
{
	while (buf->size % 8)
		buf_u8(buf, 0);
}

/* --- registration --- */

static void take_set(char *line)
{
	struct set *set = &sets[set_count++];

	if (set_count > sizeof(sets) / sizeof(sets[0]))
		die("too many sets");
	set->number = (unsigned int)number(&line);
	set->kind = (unsigned int)number(&line);
	snprintf(set->name, sizeof(set->name), "%s", rest(&line));
}

static void take_counter(char *line)
{
	struct set *set = find_set(number(&line));
	unsigned int i = set->count++;

	if (i == COUNTERS_MAX)
		die("too many counters");
	set->counters[i].id = (unsigned int)number(&line);
	set->counters[i].type = (unsigned int)number(&line);
	for (int k = 0; k < 4; k++)
		set->counters[i].partners[k] = (unsigned int)number(&line);
	snprintf(set->counters[i].name, NAME_MAX, "%s", rest(&line));
}

static void put_result(struct build *build, const struct set *set, unsigned int request,
		       const struct byte_buf *result)
{
	struct byte_buf p = { 0 };

	buf_guid(&p, set->number);
	buf_u32(&p, request);
	buf_zero(&p, 12);
	buf_bytes(&p, result->data, result->size);
	put_record(build, 3, &p);
	buf_release(&p);
}

static void put_structure(struct build *build, const struct set *set)
{
	struct byte_buf p = { 0 };

	buf_guid(&p, set->number);
	buf_u32(&p, 0);
	buf_u32(&p, 100);
	buf_u32(&p, set->count);
	buf_u32(&p, set->kind);
	for (unsigned int i = 0; i < set->count; i++) {
		buf_u32(&p, set->counters[i].id);
		buf_u32(&p, set->counters[i].type);
		buf_u64(&p, 0);
		buf_u32(&p, 100);
		buf_u32(&p, 0);
		for (int k = 0; k < 4; k++)
			buf_u32(&p, set->counters[i].partners[k]);
		buf_u64(&p, 0);
	}
	put_result(build, set, 1, &p);
	buf_release(&p);
}

static void put_names(struct build *build, const struct set *set)
{
	struct byte_buf p = { 0 };

	buf_utf16(&p, set->name);
	put_result(build, set, 9, &p);
	p.size = 0;
	buf_u32(&p, 0);
	buf_u32(&p, set->count);
	for (unsigned int i = 0; i < set->count; i++) {
		buf_u32(&p, set->counters[i].id);
		buf_u32(&p, 0);
	}
	for (unsigned int i = 0; i < set->count; i++) {
		buf_set_u32(&p, 12 + 8 * i, (uint32_t)p.size);
		buf_utf16(&p, set->counters[i].name);
	}
	buf_set_u32(&p, 0, (uint32_t)p.size);
	put_result(build, set, 10, &p);
	buf_release(&p);
}

static void take_ask(char *line)
{
	struct byte_buf *p = &identifiers;

	if (asked == 0)
		buf_u64(p, 0);
	buf_guid(p, (unsigned int)number(&line));
	buf_u32(p, 0);
	buf_u32(p, 40);
	buf_u32(p, (uint32_t)number(&line));
	buf_u32(p, NONE);
	buf_u32(p, asked++);
	buf_u32(p, 0);
}

/* --- answers --- */

static void end_block(void)
{
	if (list_at) {
		buf_set_u32(&answer, list_at, (uint32_t)(answer.size - list_at));
		buf_set_u32(&answer, list_at + 4, instances);
	}
	if (block_at)
		buf_set_u32(&answer, block_at + 8, (uint32_t)(answer.size - block_at));
	list_at = block_at = 0;
	instances = 0;
}

static void end_answer(struct build *build)
{
	struct byte_buf record = { 0 };

	end_block();
	if (answer.size == 0)
		return;
	buf_set_u32(&answer, 0, (uint32_t)answer.size);
	buf_u64(&record, 0);
	buf_u32(&record, (uint32_t)answer.size);
	buf_u32(&record, 0);
	buf_u64(&record, 1);
	buf_u64(&record, 2);
	buf_bytes(&record, answer.data, answer.size);
	put_record(build, 6, &record);
	buf_release(&record);
	answer.size = 0;
}

/* The calendar is that of 2026-11-21 11:02:44, for the wall clock 134397325643640000. */
static void take_snapshot(struct build *build, char *line)
{
	static const uint16_t date[] = { 2026, 11, 6, 21, 11, 2, 44, 364 };
	unsigned long long ticks = number(&line), wall = number(&line);

	end_answer(build);
	blocks = 0;
	buf_u32(&answer, 0);
	buf_u32(&answer, 0);
	buf_u64(&answer, ticks);
	buf_u64(&answer, wall);
	buf_u64(&answer, number(&line));
	for (int i = 0; i < 8; i++)
		buf_u16(&answer, date[i]);
}

static void take_block(char *line)
{
	unsigned int type = (unsigned int)number(&line), count = 0;
	const char *id;
	size_t ids;

	end_block();
	buf_set_u32(&answer, 4, ++blocks);
	block_at = answer.size;
	buf_u32(&answer, 0);
	buf_u32(&answer, type);
	buf_u64(&answer, 0);
	if (type == 2 || type == 6) {
		ids = answer.size;
		buf_u64(&answer, 0);
		while ((id = word(&line))) {
			buf_u32(&answer, (uint32_t)strtoul(id, NULL, 0));
			count++;
		}
		pad(&answer);
		buf_set_u32(&answer, ids, (uint32_t)(answer.size - ids));
		buf_set_u32(&answer, ids + 4, count);
	}
	if (type == 4 || type == 6) {
		list_at = answer.size;
		buf_u64(&answer, 0);
	}
}

static void take_instance(char *line)
{
	size_t at = answer.size;

	instances++;
	buf_u32(&answer, 0);
	buf_u32(&answer, (uint32_t)number(&line));
	buf_utf16(&answer, rest(&line));
	pad(&answer);
	buf_set_u32(&answer, at, (uint32_t)(answer.size - at));
}

static void take_value(char *line)
{
	unsigned int bytes = (unsigned int)number(&line);
	const char *value;

	while ((value = word(&line))) {
		buf_u32(&answer, bytes);
		buf_u32(&answer, bytes == 16 ? 24 : 16);
		buf_number(&answer, strtoull(value, NULL, 0), bytes == 4 ? 4 : 8);
		buf_zero(&answer, bytes == 4 ? 4 : bytes - 8);
	}
}

/* --- the script --- */

static void take_line(struct build *build, char *line)
{
	const char *what = word(&line);

	if (!what || *what == '#')
		return;
	if (strcmp(what, "set") == 0)
		take_set(line);
	else if (strcmp(what, "counter") == 0)
		take_counter(line);
	else if (strcmp(what, "register") == 0) {
		const struct set *set = find_set(number(&line));

		end_answer(build);
		put_structure(build, set);
		put_names(build, set);
	} else if (strcmp(what, "ask") == 0)
		take_ask(line);
	else if (strcmp(what, "query") == 0)
		put_record(build, 5, &identifiers);
	else if (strcmp(what, "snapshot") == 0)
		take_snapshot(build, line);
	else if (strcmp(what, "block") == 0)
		take_block(line);
	else if (strcmp(what, "instance") == 0)
		take_instance(line);
	else if (strcmp(what, "value") == 0)
		take_value(line);
	else
		die("unknown: %s", what);
}

int main(void)
{
	struct build build = { .wrong = "" };
	struct byte_buf end = { 0 };
	char line[4096];

	begin_file(&build);
	while (fgets(line, sizeof(line), stdin))
		take_line(&build, line);
	end_answer(&build);
	buf_u32(&end, build.records);
	buf_u32(&end, 0);
	put_record(&build, 7, &end);
	if (fwrite(build.out.data, build.out.size, 1, stdout) != 1 || fflush(stdout) != 0)
		die("cannot write");
	buf_release(&end);
	buf_release(&identifiers);
	buf_release(&answer);
	buf_release(&build.out);
	return 0;
}
