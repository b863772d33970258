/*
 * fallback.c - event names and tracepoint formats that a file lacks: from the user, or
 * inferred from its samples.
 *
 * A killed recorder leaves no event names and no tracepoint formats: only type 2 and the
 * number of the tracepoint.  The user may know them (--events, --tracefs); sched_switch
 * is recognised by the shape of its payload.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "base/os.h"
#include "base/text.h"
#include "formats/perf/perf.h"
#include "formats/perf/tracepoints.h"

/* A format file of tracefs; the largest are about 10 KB. */
#define FORMAT_BYTES_MAX 65536
#define PATH_BYTES 4096

/* --- --events --- */

/*
 * The next name of "{cycles,cpu/event=1,umask=2/}:S,page-faults": groups are opened,
 * commas between two slashes belong to the name.
 */
static struct str next_name(struct str *list)
{
	struct str name;
	bool in_slashes = false;
	size_t i = 0;

	while (list->len && (list->ptr[0] == '{' || list->ptr[0] == ',')) {
		list->ptr++;
		list->len--;
	}
	for (; i < list->len; i++) {
		in_slashes ^= list->ptr[i] == '/';
		if (!in_slashes && (list->ptr[i] == ',' || list->ptr[i] == '}'))
			break;
	}
	name = (struct str){ list->ptr, i };
	/* The group's own modifiers are not part of a name. */
	while (i < list->len && list->ptr[i] != ',')
		i++;
	list->ptr += i;
	list->len -= i;
	return name;
}

enum status perf_use_fallback_names(struct reader *reader)
{
	struct perf *perf = reader->state;

	if (!perf->catalog.fallback_names.ptr && reader->options.events)
		perf->catalog.fallback_names = str_of(reader->options.events);
	for (size_t i = perf->catalog.settled; i < perf->catalog.event_count; i++) {
		struct perf_event *event = perf->catalog.events[i];

		if (event->name.ptr || perf->catalog.fallback_names.len == 0)
			continue;
		perf_rename_event(&perf->catalog, event,
				  next_name(&perf->catalog.fallback_names));
	}
	return ST_OK;
}

/* --- --tracefs --- */

/* Whether there is such a folder, whatever the trace lacks. */
enum status perf_check_tracefs(struct reader *reader)
{
	const char *path = reader->options.tracefs;
	struct os_folder *folder = path ? os_folder_open(path) : NULL;

	if (path && !folder)
		return error_set(&reader->error, ST_IO, ERROR_NO_OFFSET,
				 "--tracefs=%.150s: %s", path, strerror(errno));
	os_folder_close(folder);
	return ST_OK;
}

/* A file may be missing or unreadable: the folder may be a part of tracefs. */
static enum status read_format_file(struct reader *reader, const char *system,
				    const char *name)
{
	struct error why = { .status = ST_OK };
	char path[PATH_BYTES];
	struct input input;
	size_t size;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", reader->options.tracefs,
		 system, name);
	if (input_open_regular(&input, path, &why) == ST_OK) {
		size = input_peek_some(&input, FORMAT_BYTES_MAX);
		size = size < FORMAT_BYTES_MAX ? size : FORMAT_BYTES_MAX;
		perf_parse_format(reader, str_of(system),
				  (struct str){ (const char *)input.pos, size },
				  "tracefs");
		input_close(&input);
	}
	return why.status != ST_UNSUPPORTED
		       ? ST_OK
		       : error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "events/%.80s/%.80s/format of --tracefs is not a "
				   "regular file",
				   system, name);
}

static enum status read_system(struct reader *reader, const char *system)
{
	enum status status = ST_OK;
	char path[PATH_BYTES];
	struct os_folder *folder;
	const char *entry;

	snprintf(path, sizeof(path), "%s/events/%s", reader->options.tracefs, system);
	folder = os_folder_open(path);
	while (folder && status == ST_OK && (entry = os_folder_next(folder)))
		if (entry[0] != '.')
			status = read_format_file(reader, system, entry);
	os_folder_close(folder);
	return status;
}

static bool lacks_format(const struct perf_catalog *catalog)
{
	for (size_t i = 0; i < catalog->event_count; i++)
		if (catalog->events[i]->type == PERF_TYPE_TRACEPOINT &&
		    !catalog->events[i]->format)
			return true;
	return false;
}

/* "sched:sched_switch" says which file it is. */
static enum status read_named(struct reader *reader)
{
	struct perf *perf = reader->state;
	enum status status = ST_OK;

	for (size_t i = perf->catalog.settled;
	     i < perf->catalog.event_count && status == ST_OK; i++) {
		const struct perf_event *event = perf->catalog.events[i];
		char name[PERF_NAME_BYTES_MAX + 1], *colon;

		if (event->type != PERF_TYPE_TRACEPOINT || event->format)
			continue;
		text_print(name, sizeof(name), "%.*s", (int)event->name.len,
			   event->name.len ? event->name.ptr : "");
		colon = strchr(name, ':');
		if (!colon || strchr(name, '/') || strstr(name, ".."))
			continue;
		*colon = '\0';
		status = read_format_file(reader, name, colon + 1);
	}
	return status;
}

enum status perf_use_fallback_formats(struct reader *reader)
{
	struct perf *perf = reader->state;
	enum status status;
	char path[PATH_BYTES];
	struct os_folder *folder;
	const char *entry;

	if (!reader->options.tracefs || !lacks_format(&perf->catalog))
		return ST_OK;
	perf_index_tracepoints(&perf->catalog);
	status = read_named(reader);
	if (status != ST_OK || !lacks_format(&perf->catalog))
		return status;
	snprintf(path, sizeof(path), "%s/events", reader->options.tracefs);
	folder = os_folder_open(path);
	while (folder && status == ST_OK && (entry = os_folder_next(folder)))
		if (entry[0] != '.')
			status = read_system(reader, entry);
	os_folder_close(folder);
	return status;
}

/* --- the shape of sched_switch --- */

#define COMM_BYTES 16

/*
 * The event's format since Linux 2.6.33, as tracefs has it; `state` bytes for the long
 * prev_state: 8 on 64-bit machines, 4 on others.
 */
static size_t shape_text(char *text, size_t size, uint64_t id, size_t state)
{
	return text_print(
		text, size,
		"name: sched_switch\nID: %llu\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
		"\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		"\tfield:long prev_state;\toffset:32;\tsize:%zu;\tsigned:1;\n"
		"\tfield:char next_comm[16];\toffset:%zu;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t next_pid;\toffset:%zu;\tsize:4;\tsigned:1;\n"
		"\tfield:int next_prio;\toffset:%zu;\tsize:4;\tsigned:1;\n",
		(unsigned long long)id, state, 32 + state, 48 + state, 52 + state);
}

/* Printable, NUL-terminated; "swapper/N" for idle and only for idle. */
static bool is_comm(const uint8_t *at, uint32_t pid)
{
	const uint8_t *nul = memchr(at, 0, COMM_BYTES);

	if ((pid == 0) != (memcmp(at, "swapper", 7) == 0))
		return false;

	for (const uint8_t *c = at; nul && c < nul; c++)
		if (*c < 0x20 || *c == 0x7f)
			return false;
	return nul && nul != at;
}

/* Type, common_pid and both names are as in a switch; priorities are 0 .. 139. */
static bool has_shape(const struct perf_catalog *catalog, const struct perf_event *event,
		      const uint8_t *raw, size_t size, size_t state)
{
	struct cursor c = cursor_over(raw, size, 0, catalog->big_endian);
	uint32_t pid, prev_pid, prev_prio, next_pid, next_prio;

	if (size < 56 + state || size > 56 + state + 4 || cursor_u16(&c) != event->config)
		return false;
	cursor_skip(&c, 2);
	pid = cursor_u32(&c);
	cursor_skip(&c, COMM_BYTES);
	prev_pid = cursor_u32(&c);
	prev_prio = cursor_u32(&c);
	cursor_skip(&c, state + COMM_BYTES);
	next_pid = cursor_u32(&c);
	next_prio = cursor_u32(&c);
	return pid == prev_pid && prev_prio < 140 && next_prio < 140 &&
	       is_comm(raw + 8, prev_pid) && is_comm(raw + 32 + state, next_pid);
}

void perf_assume_format(struct reader *reader, struct perf_event *event,
			const uint8_t *raw, size_t raw_size, uint64_t offset)
{
	struct perf *perf = reader->state;
	char text[2048];
	size_t state = has_shape(&perf->catalog, event, raw, raw_size, 8)   ? 8
		       : has_shape(&perf->catalog, event, raw, raw_size, 4) ? 4
									    : 0;

	if (state == 0)
		return;
	perf_index_tracepoints(&perf->catalog);
	perf_parse_format(reader, STR("sched"),
			  (struct str){ text, shape_text(text, sizeof(text),
							 event->config, state) },
			  "shape");
	if (!event->format)
		return;
	finding_add(&reader->findings, FINDING_ASSUMED_FORMAT, offset, 1);
	if (!event->named) {
		perf_rename_event(&perf->catalog, event, STR("sched:sched_switch"));
		event->named = false; /* inferred, not recorded */
	}
}
