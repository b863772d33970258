/* rows.c - the instances of a counterset, as they were read. */
#include <stdlib.h>

#include "base/array.h"
#include "capture/linux/proc/private.h"

/* As many as the reader keeps of a trace. */
#define ROWS_MAX ((size_t)262144)
/* Text beyond the longest name of PerfLib is cut off in any case. */
#define NAME_BYTES_MAX ((size_t)3 * SOURCE_NAME_UNITS_MAX)

void proc_rows_begin(struct proc_rows *rows, enum proc_set_number set)
{
	rows->code = CODE_DONE;
	rows->count = 0;
	rows->per_row = proc_set(set)->count;
	rows->names.size = 0;
	rows->failed = rows->names.failed = false;
}

static bool make_room(struct proc_rows *rows)
{
	size_t room = rows->room;

	if (!ARRAY_GROW(rows->rows, room, rows->count))
		return false;
	rows->values = array_grow(rows->values, &rows->room, rows->count,
				  rows->per_row * sizeof(*rows->values));
	return rows->count < rows->room;
}

uint64_t *proc_row(struct proc_rows *rows, uint32_t id, struct str name)
{
	uint64_t *values;

	if (name.len > NAME_BYTES_MAX)
		name.len = NAME_BYTES_MAX;
	if (rows->count == ROWS_MAX || (rows->count == rows->room && !make_room(rows))) {
		rows->failed = true;
		return NULL;
	}
	rows->rows[rows->count] = (struct proc_row){
		.id = id,
		.name_at = (uint32_t)rows->names.size,
		.name_bytes = (uint32_t)name.len,
	};
	bytes_put(&rows->names, name.ptr, name.len);
	if (rows->names.failed) {
		rows->failed = true;
		return NULL;
	}
	values = rows->values + rows->count * rows->per_row;
	memset(values, 0, rows->per_row * sizeof(*values));
	rows->count++;
	return values;
}

void proc_rows_release(struct proc_rows *rows)
{
	free(rows->rows);
	free(rows->values);
	bytes_release(&rows->names);
}
