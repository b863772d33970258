/*
 * kernel_names.c - names of functions of a kernel, from its kallsyms.
 *
 * Its addresses are of one boot: they hold if the kernel has the build id, and its text
 * begins where the trace says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "symbols/files/read.h"

#define NOTES_BYTES_MAX 65536
#define NOTE_BUILD_ID 3

/* Notes: u32 name size, u32 size, u32 type, name, body; both padded to 4. */
static bool has_id(int fd, const struct file_request *request)
{
	static uint8_t bytes[NOTES_BYTES_MAX];
	const union {
		uint16_t word;
		uint8_t first;
	} order = { 1 };
	size_t size = 0;
	ssize_t got;
	struct cursor c;

	while (size < sizeof(bytes) &&
	       (got = read(fd, bytes + size, sizeof(bytes) - size)) > 0)
		size += (size_t)got;
	c = cursor_over(bytes, size, 0, order.first == 0);
	while (cursor_left(&c) >= 12 && !c.overrun) {
		uint32_t name_size = cursor_u32(&c), body_size = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		const uint8_t *name, *body;

		if (name_size > NOTES_BYTES_MAX || body_size > NOTES_BYTES_MAX)
			return false;
		name = cursor_bytes(&c, (name_size + 3) / 4 * 4);
		body = cursor_bytes(&c, (body_size + 3) / 4 * 4);
		if (name && body && type == NOTE_BUILD_ID && name_size == 4 &&
		    memcmp(name, "GNU", 4) == 0)
			return request->build_id_bytes &&
			       body_size >= request->build_id_bytes &&
			       memcmp(body, request->build_id, request->build_id_bytes) ==
				       0;
	}
	return false;
}

/* "ffffffff81000000 T _text" and maybe "\t[module]"; false: not a line of code. */
static bool parse_line(char *line, struct function *function, bool *is_start)
{
	char *end, *name;
	char type;

	function->start = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	type = end[1];
	name = end + 3;
	name[strcspn(name, "\t\n")] = '\0';
	function->name = name;
	function->bytes = 0;
	function->rank = type == 'T' ? 2 : type == 't' ? 1 : 0;
	*is_start = strcmp(name, "_text") == 0 || strcmp(name, "_stext") == 0;
	return name[0] && strchr("TtWw", type) != NULL;
}

enum file_result kernel_names(int kallsyms_fd, int notes_fd,
			      const struct file_request *request, struct bytes *answer)
{
	struct functions functions = { .count = 0 };
	struct arena arena = { NULL };
	enum file_result result = FILE_UNREADABLE;
	bool is_hidden = true, has_start = false;
	char line[1024];
	FILE *file;

	if (!has_id(notes_fd, request))
		return FILE_OTHER_BUILD_ID;
	file = fdopen(dup(kallsyms_fd), "r");
	while (file && !functions.failed && fgets(line, sizeof(line), file)) {
		struct function function;
		bool is_start;

		if (!parse_line(line, &function, &is_start))
			continue;
		is_hidden &= function.start == 0;
		has_start |= is_start && function.start == request->start;
		function.name = arena_str(&arena, str_of(function.name)).ptr;
		functions.failed |= !function.name;
		if (function.name)
			functions_add(&functions, &function);
	}
	if (file)
		fclose(file);
	if (is_hidden || functions.failed)
		result = FILE_NO_SYMBOLS;
	else if (!has_start)
		result = FILE_OTHER_BOOT;
	else if (functions_answer(&functions, request->places, request->count, answer))
		result = FILE_KERNEL_NAMED;
	free(functions.list);
	arena_release(&arena);
	return result;
}
