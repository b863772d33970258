/* handle.c - opens and closes handles; rows, bills and failures. */
#include "library/handle.h"

#include <errno.h>
#include <stdlib.h>

#include "base/os.h"
#include "version.h"

const char *perftab_version(void)
{
	return PERFTAB_VERSION;
}

/* --- failures --- */

/* ST_CORRUPT to ST_INTERRUPTED are PERFTAB_CORRUPT to PERFTAB_INTERRUPTED. */
_Static_assert((int)ST_CORRUPT == PERFTAB_CORRUPT &&
		       (int)ST_TRUNCATED == PERFTAB_TRUNCATED &&
		       (int)ST_UNSUPPORTED == PERFTAB_UNSUPPORTED &&
		       (int)ST_LIMIT == PERFTAB_LIMIT && (int)ST_IO == PERFTAB_IO &&
		       (int)ST_NOMEM == PERFTAB_NOMEM &&
		       (int)ST_INTERRUPTED == PERFTAB_INTERRUPTED,
	       "failures have the same numbers");

int handle_fail(struct perftab *trace, enum status status, const char *text)
{
	(void)error_set(&trace->error, status, ERROR_NO_OFFSET, "%s", text);
	trace->status = (int)status;
	return trace->status;
}

/* Leaves rows, and a failure that there was, as they are. */
int handle_misuse(struct perftab *trace, const char *text)
{
	if (trace && trace->status >= PERFTAB_OK) {
		int before = trace->status;

		(void)handle_fail(trace, (enum status)PERFTAB_MISUSE, text);
		if (trace->feed) {
			trace->status = before;
			trace->error.status = ST_OK;
		}
	}
	return PERFTAB_MISUSE;
}

int perftab_status(const struct perftab *trace)
{
	return trace ? trace->status : PERFTAB_NOMEM;
}

const char *perftab_error(const struct perftab *trace)
{
	return trace ? trace->error.text : "out of memory";
}

uint64_t perftab_error_offset(const struct perftab *trace)
{
	return trace && trace->error.status < ST_OK ? trace->error.offset
						    : PERFTAB_NO_OFFSET;
}

int perftab_is_damaged(const struct perftab *trace)
{
	return trace && trace->feed && feed_is_damaged(trace->feed);
}

/* --- opening --- */

static bool is_interrupted(void *context)
{
	const struct perftab *trace = context;

	return trace->options.interrupted(trace->options.context) != 0;
}

/* Marks the tables of a list of names; the name of one of the trace's own is kept. */
static int request_tables(struct perftab *trace, const char *names)
{
	struct feed_request *request = &trace->request;

	memset(request->tables, 0, sizeof(request->tables));
	while (*names) {
		size_t length = strcspn(names, ", ");
		struct str name = arena_str(&trace->arena, (struct str){ names, length });
		enum record_kind kind;

		if (!name.ptr)
			return handle_fail(trace, ST_NOMEM, "out of memory");
		names += length + strspn(names + length, ", ");
		if (length == 0)
			continue;
		if (feed_view(name.ptr))
			return handle_fail(trace, ST_UNSUPPORTED, feed_view(name.ptr));
		kind = feed_table_kind(name.ptr);
		if (kind == RECORD_OWN_TABLE && request->own_table)
			return handle_fail(trace, ST_UNSUPPORTED,
					   "tables: at most one that is the trace's own");
		if (kind == RECORD_OWN_TABLE)
			request->own_table = name.ptr;
		request->tables[kind] = true;
	}
	return PERFTAB_OK;
}

static int set_options(struct perftab *trace, const struct perftab_options *options)
{
	struct feed_request *request = &trace->request;

	if (!options)
		return PERFTAB_OK;
	if (options->size < sizeof(*options))
		return handle_fail(trace, (enum status)PERFTAB_MISUSE,
				   "the options have no size: use PERFTAB_OPTIONS");
	trace->options = *options;
	request->cpu = options->cpu < 0 ? INT_NONE : options->cpu;
	request->from_ns = options->from_ns;
	request->to_ns = options->to_ns;
	request->no_sandbox = options->flags & PERFTAB_NO_SANDBOX;
	request->context = trace;
	if (options->interrupted)
		request->interrupted = is_interrupted;
	return options->tables ? request_tables(trace, options->tables) : PERFTAB_OK;
}

static int open_handle(struct perftab **handle, const struct feed_source *source,
		       const struct perftab_options *options)
{
	struct perftab *trace;

	if (!handle)
		return PERFTAB_MISUSE;
	*handle = trace = calloc(1, sizeof(*trace));
	if (!trace)
		return PERFTAB_NOMEM;
	trace->source = *source;
	trace->request = feed_request_all();
	if (source->path) {
		struct str path = arena_str(&trace->arena, str_of(source->path));

		if (!path.ptr)
			return handle_fail(trace, ST_NOMEM, "out of memory");
		trace->source.path = path.ptr;
	}
	return set_options(trace, options);
}

int perftab_open(struct perftab **handle, const char *path,
		 const struct perftab_options *options)
{
	const struct feed_source source = { .path = path };
	struct os_info info;
	int status = open_handle(handle, &source, options);

	if (status != PERFTAB_OK)
		return status;
	if (!path)
		return handle_misuse(*handle, "no path was given");
	if (os_inspect_path(path, &info))
		return PERFTAB_OK;
	(void)error_set(&(*handle)->error, ST_IO, ERROR_NO_OFFSET, "cannot open: %s",
			strerror(errno));
	return (*handle)->status = PERFTAB_IO;
}

int perftab_open_memory(struct perftab **handle, const void *bytes, size_t size,
			const struct perftab_options *options)
{
	const struct feed_source source = { .bytes = bytes, .size = bytes ? size : 0 };

	return open_handle(handle, &source, options);
}

int perftab_open_read(struct perftab **handle, const char *name, perftab_read *read,
		      void *context, const struct perftab_options *options)
{
	const struct feed_source source = { .path = name,
					    .read = read,
					    .context = context };
	int status = open_handle(handle, &source, options);

	return status == PERFTAB_OK && !read
		       ? handle_misuse(*handle, "no callback was given")
		       : status;
}

void perftab_close(struct perftab *trace)
{
	if (!trace)
		return;
	feed_close(trace->feed);
	free(trace->delta_names);
	arena_release(&trace->arena);
	free(trace);
}

/* --- rows --- */

int perftab_bill(struct perftab *trace, const char *by)
{
	if (!trace || trace->status != PERFTAB_OK || trace->feed || trace->request.run)
		return handle_misuse(trace, "a bill is asked for before the first row");
	if (!by || !feed_bill_by(by, &trace->bill.by))
		return handle_misuse(trace, "unknown bill: expected " CUT_WORDS);
	trace->request.run = feed_run_bill;
	trace->request.run_context = &trace->bill;
	trace->request.no_details = true;
	trace->request.limits_totals = true;
	return PERFTAB_OK;
}

int perftab_next(struct perftab *trace)
{
	enum status status;

	if (!trace)
		return PERFTAB_MISUSE;
	trace->row.table = NULL;
	if (trace->status < PERFTAB_OK)
		return trace->status;
	trace->error.text[0] = '\0'; /* of a misuse */
	if (trace->status == PERFTAB_DONE)
		return PERFTAB_DONE;
	if (!trace->feed) {
		trace->feed = feed_open(&trace->source, &trace->request);
		if (!trace->feed)
			return handle_fail(trace, ST_NOMEM,
					   "out of memory, or no thread can be started");
	}
	status = feed_next(trace->feed, &trace->row);
	if (status < ST_OK) {
		trace->row.table = NULL;
		trace->error = *feed_error(trace->feed);
		return trace->status = (int)status;
	}
	return trace->status = status == ST_OK ? PERFTAB_ROW : PERFTAB_DONE;
}
