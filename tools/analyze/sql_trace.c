/* sql_trace.c - converts a trace as perftab-convert does, next to no other file. */
#include "sql_trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/os.h"
#include "common/cli.h"
#include "formats/database/file.h"
#include "formats/formats.h"
#include "output/outputs.h"
#include "pipeline/pipeline.h"
#include "symbols/symbols.h"

#define PATH_BYTES 4096

/* Views over nothing but totals, which cost a third of a conversion of all rows. */
static const char *const total_views[] = { "process_bill", "comm_bill", "process_tree",
					   "process_metric" };
/* What they read. */
static const char *const complete[] = {
	"counter", "counter_group",  "cpu_charge",	"cpu_summary",
	"process", "process_charge", "process_summary", "status_summary",
	"thread",  "thread_summary", "interrupt",
};

static bool mentions(const char *query, const char *word)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), "%%%s%%", word);
	return sqlite3_strlike(pattern, query, 0) == 0;
}

bool sql_trace_needs_totals(const char *path, const char *query)
{
	struct os_info info;

	if (strcmp(path, "-") == 0 || !os_inspect_path(path, &info) ||
	    (info.kind != OS_FILE && info.kind != OS_FOLDER))
		return false; /* cannot be read again */
	for (size_t i = 0; i < ARRAY_COUNT(total_views); i++)
		if (mentions(query, total_views[i]))
			return !mentions(query, "context_switch") &&
			       !mentions(query, "sqlite_") && !mentions(query, "pragma");
	return false;
}

static bool is_in(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sqlite3_stricmp(name, names[i]) == 0)
			return true;
	return false;
}

static int allow_complete(void *unused, int action, const char *first, const char *second,
			  const char *database, const char *view)
{
	(void)unused;
	(void)second;
	(void)database;
	(void)view;
	return action != SQLITE_READ || is_in(first, complete, ARRAY_COUNT(complete)) ||
			       is_in(first, total_views, ARRAY_COUNT(total_views))
		       ? SQLITE_OK
		       : SQLITE_DENY;
}

bool sql_trace_suffices(sqlite3 *db, const char *query)
{
	sqlite3_stmt *statement = NULL;
	bool done = sqlite3_set_authorizer(db, allow_complete, NULL) == SQLITE_OK &&
		    sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK;

	sqlite3_finalize(statement);
	return sqlite3_set_authorizer(db, NULL, NULL) == SQLITE_OK && done;
}

/* What a run reports of. */
struct query_run {
	struct sql_trace *trace;
	const char *path, *format;
	struct progress progress;
};

/* A name that is free, in the first folder where a file can be made. */
static enum status choose_path(char path[PATH_BYTES], struct error *error)
{
	for (size_t i = 0; i < OS_TEMPORARY_FOLDERS; i++) {
		const char *folder = os_temporary_folder(i);
		int fd = -1;

		if (folder && strlen(folder) + 64 < PATH_BYTES)
			fd = os_create_temporary(folder);
		if (fd < 0)
			continue;
		(void)os_close(fd);
		snprintf(path, PATH_BYTES, "%s/perftab-sql-%016llx.db", folder,
			 (unsigned long long)os_random());
		return ST_OK;
	}
	return error_set(error, ST_IO, ERROR_NO_OFFSET,
			 "cannot make a temporary database: %s: set TMPDIR to a folder "
			 "with room",
			 strerror(errno));
}

static void show_progress(void *context, const struct reader *reader)
{
	struct query_run *run = context;

	progress_show(&run->progress, reader_done_bytes(reader),
		      reader_all_bytes(reader));
}

static void report_finding(void *context, const struct finding_row *finding)
{
	struct query_run *run = context;

	if (!str_equal(finding->severity, STR("damage")))
		return;
	run->trace->is_damaged = true;
	progress_end(&run->progress);
	cli_finding("perftab-analyze", run->path, run->format, finding->text);
}

static enum status pump(struct sql_trace *trace, struct reader *reader, struct sink *sink,
			struct error *error)
{
	struct query_run run = {
		trace, reader->path, reader->ops->name, { .tool = NULL }
	};
	const struct pipeline_hooks hooks = { .progress = show_progress,
					      .finding = report_finding,
					      .context = &run };
	struct pipeline pipeline;
	enum status status;

	pipeline_init(&pipeline, sink, 1);
	progress_begin(&run.progress, "perftab-analyze");
	status = pipeline_run(&pipeline, reader, &hooks);
	progress_end(&run.progress);
	if (status == ST_OK)
		status = sink_finish(sink);
	if (status != ST_OK)
		*error = sink->error.status < ST_OK ? sink->error : reader->error;
	pipeline_release(&pipeline);
	return status;
}

/* Names of functions are those that the trace has. */
static enum status convert(struct sql_trace *trace, const char *path,
			   struct reader *reader, struct error *error)
{
	const struct sink_options options = { .path = path,
					      .totals_only = trace->only_totals,
					      .indexes = true,
					      .sync = SYNC_NEVER,
					      .verify = VERIFY_NEVER };
	const struct symbol_options symbol_options = { .ask = NULL };
	struct sink writer, symbols;
	enum status status = sink_open(&writer, &sqlite_writer, &options);

	if (status != ST_OK) {
		*error = writer.error;
		return status;
	}
	status = symbols_open(&symbols, &writer, &symbol_options);
	if (status == ST_OK) {
		status = pump(trace, reader, &symbols, error);
		sink_close(&symbols);
	} else {
		*error = symbols.error;
	}
	sink_close(&writer);
	return status;
}

static enum status convert_path(struct sql_trace *trace, const char *path,
				char database[PATH_BYTES], struct error *error)
{
	const struct reader_options options = { .want_rows = !trace->only_totals };
	struct reader reader;
	enum status status = reader_open(&reader, path, &options, all_formats);

	if (status != ST_OK) {
		*error = reader.error;
		return status;
	}
	if (reader.ops->emits_rows)
		status = error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "expected a trace or a file with a database");
	if (status == ST_OK)
		status = choose_path(database, error);
	if (status == ST_OK)
		status = convert(trace, database, &reader, error);
	reader_close(&reader);
	return status;
}

enum status sql_trace_open(struct sql_trace *trace, sqlite3 **db, const char *path,
			   struct error *error)
{
	char database[PATH_BYTES] = "";
	enum status status;

	os_catch_interrupts();
	os_end_at_interrupts(NULL);
	status = convert_path(trace, path, database, error);
	if (status == ST_OK)
		status = database_file_open_removed(db, database, error);
	if (status != ST_OK && database[0])
		(void)os_remove_file(database);
	if (os_interrupted()) {
		sqlite3_close(*db);
		*db = NULL;
	}
	os_die_of_interrupt();
	os_release_interrupts();
	return status;
}
