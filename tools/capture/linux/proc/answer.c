/* answer.c - rows in the layouts of perflib.h: all five types of blocks. */
#include <time.h>

#include "base/little_endian.h"
#include "base/pattern.h"
#include "capture/linux/proc/private.h"
#include "capture/perflib/names.h"

#define WALL_1970_100NS INT64_C(116444736000000000)

enum block_type {
	ERROR_RETURN = 0,
	SINGLE_COUNTER = 1,
	MULTIPLE_COUNTERS = 2,
	MULTIPLE_INSTANCES = 4,
	COUNTERSET = 6,
};

static void write_u16(struct bytes *to, uint16_t value)
{
	uint8_t *at = bytes_extend(to, 2);

	if (at)
		le_write_u16(at, value);
}

static void write_u32(struct bytes *to, uint32_t value)
{
	uint8_t *at = bytes_extend(to, 4);

	if (at)
		le_write_u32(at, value);
}

static void write_u64(struct bytes *to, uint64_t value)
{
	uint8_t *at = bytes_extend(to, 8);

	if (at)
		le_write_u64(at, value);
}

static void set_u32(struct bytes *to, size_t at, size_t value)
{
	if (!to->failed)
		le_write_u32(to->data + at, (uint32_t)value);
}

/* PERF_COUNTER_DATA; what has 32 bits wraps. */
static void write_value(struct bytes *to, uint32_t type, uint64_t value)
{
	uint32_t bytes = proc_value_bytes(type);
	uint8_t *at = bytes_extend(to, 16);

	if (!at)
		return;
	le_write_u32(at, bytes);
	le_write_u32(at + 4, 16);
	le_write_u64(at + 8, bytes == 8 ? value : value & UINT32_MAX);
}

static void write_values(struct bytes *to, const struct proc_request *request,
			 const uint64_t *values)
{
	const struct proc_set *set = proc_set(request->set);

	for (uint32_t i = 0; i < set->count; i++)
		if (request->counter == SOURCE_ANY || request->counter == i)
			write_value(to, proc_counter(set->first + i)->type, values[i]);
}

/* PERF_MULTI_COUNTERS */
static void write_list(struct bytes *to, const struct proc_set *set)
{
	size_t start = to->size;

	write_u32(to, 0);
	write_u32(to, set->count);
	for (uint32_t i = 0; i < set->count; i++)
		write_u32(to, i + 1);
	bytes_pad(to, start, 8);
	set_u32(to, start, to->size - start);
}

/* PERF_INSTANCE_HEADER and the name; one that is too long is cut. */
static void write_instance(struct bytes *to, uint32_t id, struct str name)
{
	size_t start = to->size, length = names_utf16(NULL, 0, name);
	uint8_t *at;

	if (length > 2 * SOURCE_NAME_UNITS_MAX)
		length = 2 * SOURCE_NAME_UNITS_MAX;
	write_u32(to, 0);
	write_u32(to, id);
	at = bytes_extend(to, length);
	if (at && length)
		(void)names_utf16(at, length, name);
	write_u16(to, 0);
	bytes_pad(to, start, 8);
	set_u32(to, start, to->size - start);
}

static struct str name_of(const struct proc_rows *rows, size_t i)
{
	return (struct str){ (const char *)rows->names.data + rows->rows[i].name_at,
			     rows->rows[i].name_bytes };
}

static bool is_requested(const struct proc_request *request, const struct proc_rows *rows,
			 size_t i)
{
	return (request->instance == SOURCE_ANY ||
		request->instance == rows->rows[i].id) &&
	       pattern_match(request->name, name_of(rows, i));
}

/* PERF_MULTI_INSTANCES, with the values of each. */
static void write_instances(struct bytes *to, const struct proc_request *request,
			    const struct proc_rows *rows)
{
	size_t start = to->size, count = 0;

	write_u32(to, 0);
	write_u32(to, 0);
	for (size_t i = 0; i < rows->count; i++) {
		if (!is_requested(request, rows, i))
			continue;
		write_instance(to, rows->rows[i].id, name_of(rows, i));
		write_values(to, request, rows->values + i * rows->per_row);
		count++;
	}
	set_u32(to, start, to->size - start);
	set_u32(to, start + 4, count);
}

static void write_block(struct bytes *to, const struct proc_request *request,
			const struct proc_rows *rows)
{
	bool has_instances = request->name.len > 0,
	     is_all = request->counter == SOURCE_ANY;
	uint32_t code = rows->failed		       ? CODE_OUT_OF_MEMORY
			: rows->code != CODE_DONE      ? rows->code
			: has_instances || rows->count ? CODE_DONE
						       : CODE_READ_FAULT;
	size_t start = to->size;
	enum block_type type = code != CODE_DONE	 ? ERROR_RETURN
			       : has_instances && is_all ? COUNTERSET
			       : has_instances		 ? MULTIPLE_INSTANCES
			       : is_all			 ? MULTIPLE_COUNTERS
							 : SINGLE_COUNTER;

	write_u32(to, code);
	write_u32(to, type);
	write_u32(to, 0);
	write_u32(to, 0);
	if (type == COUNTERSET || type == MULTIPLE_COUNTERS)
		write_list(to, proc_set(request->set));
	if (type == COUNTERSET || type == MULTIPLE_INSTANCES)
		write_instances(to, request, rows);
	else if (type != ERROR_RETURN)
		write_values(to, request, rows->values);
	set_u32(to, start + 8, to->size - start);
}

/* SYSTEMTIME, UTC */
static void write_system_time(struct bytes *to, int64_t wall_100ns)
{
	int64_t since_1970 = wall_100ns - WALL_1970_100NS;
	time_t seconds = (time_t)(since_1970 / 10000000);
	struct tm t = { .tm_year = 70, .tm_mday = 1 };

	(void)gmtime_r(&seconds, &t);
	write_u16(to, (uint16_t)(t.tm_year + 1900));
	write_u16(to, (uint16_t)(t.tm_mon + 1));
	write_u16(to, (uint16_t)t.tm_wday);
	write_u16(to, (uint16_t)t.tm_mday);
	write_u16(to, (uint16_t)t.tm_hour);
	write_u16(to, (uint16_t)t.tm_min);
	write_u16(to, (uint16_t)(t.tm_sec > 59 ? 59 : t.tm_sec));
	write_u16(to, (uint16_t)(since_1970 % 10000000 / 10000));
}

void proc_answer(struct bytes *answer, const struct proc_tree *tree,
		 const struct proc_snapshot *snapshot,
		 const struct proc_request *requests, size_t count)
{
	answer->size = 0;
	write_u32(answer, 0);
	write_u32(answer, (uint32_t)count);
	write_u64(answer, (uint64_t)tree->ticks);
	write_u64(answer, (uint64_t)tree->wall_100ns);
	write_u64(answer, PROC_TICKS_PER_SECOND);
	write_system_time(answer, tree->wall_100ns);
	for (size_t i = 0; i < count; i++)
		write_block(answer, &requests[i], &snapshot->sets[requests[i].set]);
	set_u32(answer, 0, answer->size);
}

void proc_answer_instances(struct bytes *answer, const struct proc_rows *rows)
{
	answer->size = 0;
	for (size_t i = 0; i < rows->count; i++)
		write_instance(answer, rows->rows[i].id, name_of(rows, i));
}
