/* profile_sources.c - reads and prints the profile sources; see profile_sources.h. */
#include "capture/windows/etw/profile_sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/utf16.h"

#define LIST_BYTES_FIRST 16384u
#define LIST_BYTES_MAX (1u << 20)
#define ENTRY_BYTES 24 /* of PROFILE_SOURCE_INFO before the name */

/* --- the bytes --- */

static bool is_too_short(uint32_t number)
{
	return number == WIN_BAD_LENGTH || number == WIN_INSUFFICIENT_BUFFER ||
	       number == WIN_MORE_DATA;
}

/* The reported size may be outdated at the next call, or invalid. */
static uint32_t grown(uint32_t size, uint32_t needed)
{
	uint32_t twice = size > LIST_BYTES_MAX / 2 ? LIST_BYTES_MAX : size * 2;

	if (needed > twice)
		return needed < LIST_BYTES_MAX ? needed : LIST_BYTES_MAX;
	return twice;
}

static enum status read_list(struct profile_sources *list, const struct etw_api *api,
			     uint8_t **bytes, uint32_t *used, struct error *error)
{
	for (uint32_t size = LIST_BYTES_FIRST;;) {
		uint32_t returned = 0, number;

		*bytes = malloc(size);
		if (!*bytes)
			return error_nomem(error);
		number = api->query(0, WIN_TRACE_SOURCE_LIST, *bytes, size, &returned);
		if (number == WIN_OK && returned > size)
			return error_set(error, ST_CORRUPT, ERROR_NO_OFFSET,
					 "invalid list of profile sources: %u bytes in a "
					 "buffer of %u",
					 returned, size);
		if (number == WIN_OK) {
			*used = returned;
			return ST_OK;
		}
		if (!is_too_short(number)) {
			list->number = number;
			return ST_UNSUPPORTED;
		}
		if (size == LIST_BYTES_MAX)
			return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
					 "the list of profile sources is too large: "
					 "expected at most %u bytes",
					 LIST_BYTES_MAX);
		free(*bytes);
		*bytes = NULL;
		size = grown(size, returned);
	}
}

enum status profile_sources_read(struct profile_sources *list, const struct etw_api *api,
				 struct error *error)
{
	uint8_t *bytes = NULL;
	uint32_t used = 0;
	enum status status;

	memset(list, 0, sizeof(*list));
	status = read_list(list, api, &bytes, &used, error);
	if (status == ST_OK)
		status = profile_sources_parse(list, bytes, used, error);
	free(bytes);
	return status;
}

void profile_sources_release(struct profile_sources *list)
{
	free(list->sources);
	list->sources = NULL;
	list->count = list->room = 0;
}

/* --- the entries --- */

static struct profile_source *new_source(struct profile_sources *list,
					 struct error *error)
{
	struct profile_source *source;

	if (list->count == PROFILE_SOURCES_MAX) {
		error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
			  "too many profile sources: expected at most %d",
			  PROFILE_SOURCES_MAX);
		return NULL;
	}
	if (!ARRAY_GROW(list->sources, list->room, list->count)) {
		error_nomem(error);
		return NULL;
	}
	source = &list->sources[list->count++];
	*source = (struct profile_source){ .id = 0 };
	return source;
}

/* The name ends with a NUL or with the entry. */
static void decode_name(struct profile_source *source, struct cursor *entry)
{
	uint16_t text[PROFILE_SOURCE_NAME];
	size_t units = 0;

	while (units < PROFILE_SOURCE_NAME && cursor_left(entry) >= 2) {
		text[units] = cursor_u16(entry);
		if (text[units++] == 0)
			break;
	}
	utf16_to_utf8(source->name, sizeof(source->name), text, units);
}

enum status profile_sources_parse(struct profile_sources *list, const uint8_t *bytes,
				  size_t size, struct error *error)
{
	struct cursor left = cursor_over(bytes, size, 0, false);
	uint32_t next;

	do {
		uint64_t offset = left.offset;
		struct cursor entry = left;
		struct profile_source *source;

		next = cursor_u32(&entry);
		if (cursor_left(&left) < ENTRY_BYTES)
			return error_set(error, ST_CORRUPT, offset,
					 "list of profile sources: entry at 0x%llx: %zu "
					 "bytes left, expected at least %d",
					 (unsigned long long)offset, cursor_left(&left),
					 ENTRY_BYTES);
		if (next && (next < ENTRY_BYTES || next > cursor_left(&left)))
			return error_set(
				error, ST_CORRUPT, offset,
				"list of profile sources: entry at 0x%llx: offset "
				"of the next entry is %u, expected %d to %zu",
				(unsigned long long)offset, next, ENTRY_BYTES,
				cursor_left(&left));
		source = new_source(list, error);
		if (!source)
			return error->status;
		entry = cursor_sub(&left, next ? next : cursor_left(&left));
		(void)cursor_u32(&entry);
		source->id = cursor_u32(&entry);
		source->least = cursor_u32(&entry);
		source->most = cursor_u32(&entry);
		(void)cursor_u64(&entry);
		decode_name(source, &entry);
	} while (next);
	return ST_OK;
}

/* --- lookup and output --- */

const struct profile_source *profile_sources_find(const struct profile_sources *list,
						  struct str name)
{
	for (size_t i = 0; i < list->count; i++)
		if (str_equal_nocase(str_of(list->sources[i].name), name))
			return &list->sources[i];
	return NULL;
}

bool profile_sources_clock_only(const struct profile_sources *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!str_equal_nocase(str_of(list->sources[i].name), STR("Timer")))
			return false;
	return true;
}

void profile_sources_print(FILE *to, const struct profile_sources *list)
{
	size_t width = strlen("name");

	for (size_t i = 0; i < list->count; i++) {
		char shown[4 * PROFILE_SOURCE_NAME];
		size_t columns = text_shown(shown, sizeof(shown),
					    str_of(list->sources[i].name), 60);

		width = columns > width ? columns : width;
	}
	fprintf(to, "%-*s  %6s  %12s  %12s\n", (int)width, "name", "id", "min interval",
		"max interval");
	for (size_t i = 0; i < list->count; i++) {
		const struct profile_source *source = &list->sources[i];
		char shown[4 * PROFILE_SOURCE_NAME];
		size_t columns =
			text_shown(shown, sizeof(shown), str_of(source->name), 60);

		fprintf(to, "%s%*s  %6u  %12u  %12u\n", shown, (int)(width - columns), "",
			source->id, source->least, source->most);
	}
}
