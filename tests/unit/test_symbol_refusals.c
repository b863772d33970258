/*
 * test_symbol_refusals.c - lib/symbols/resolve_names.c: files without names, and what is
 * said of them.
 */
#include "symbols/resolve.h"

#include <string.h>

#include "unit.h"

#define START 0x1000

struct fixture {
	struct spaces spaces;
	struct carried carried;
	struct build_ids build_ids;
	struct module module;
	struct mapping mapping;
	struct answer answer;
	struct symbol_options options;
	struct resolution resolution;
	enum file_result result; /* of the next file */
	int asked;
	char warned[300];
};

static enum file_result ask(void *files, const struct file_request *request,
			    struct arena *arena, struct file_name *names)
{
	struct fixture *f = files;

	(void)arena;
	f->asked++;
	assert_int_equal(request->count, 1);
	assert_int_equal(request->places[0], 0x234);
	assert_int_equal(request->build_id_bytes, 2);
	if (f->result == FILE_NAMED)
		names[0] = (struct file_name){ STR("work"), 4 };
	return f->result;
}

static void warn(void *context, const char *path, const char *text)
{
	struct fixture *f = context;

	snprintf(f->warned, sizeof(f->warned), "%s: %s", path, text);
}

/* One address in one file that has a build id. */
static void setup(struct fixture *f)
{
	spaces_begin(&f->spaces);
	f->module = (struct module){ .path = STR("/bin/tool"), .build_id = STR("abcd") };
	f->spaces.first_module = &f->module;
	f->mapping = (struct mapping){ .start = START,
				       .end = 2 * START,
				       .module = &f->module };
	f->answer = (struct answer){ .address = START + 0x234,
				     .mapping = &f->mapping,
				     .module = &f->module };
	f->options = (struct symbol_options){ ask, f, warn, f };
	f->resolution = (struct resolution){ .spaces = &f->spaces,
					     .carried = &f->carried,
					     .build_ids = &f->build_ids,
					     .options = &f->options,
					     .answers = &f->answer,
					     .count = 1 };
}

static void teardown(struct fixture *f)
{
	arena_release(&f->resolution.arena);
	spaces_release(&f->spaces);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

UNIT_CASE(what_is_said_of_a_file, struct fixture *f)
{
	static const struct {
		int line;
		enum file_result result;
		const char *symbols, *warned;
	} rows[] = {
		{ ROW, FILE_NAMED, "file", "" },
		{ ROW, FILE_NONE, "no file", "" },
		{ ROW, FILE_OTHER_BUILD_ID, "other build id", "" },
		{ ROW, FILE_NO_SYMBOLS, "no symbols", "" },
		{ ROW, FILE_UNREADABLE, "unreadable",
		  "/bin/tool: no names of functions: it cannot be read, or is not a "
		  "valid ELF file" },
		{ ROW, FILE_CRASHED, "unreadable",
		  "/bin/tool: no names of functions: the process that read it crashed "
		  "or took too long" },
		{ ROW, FILE_GONE, "unreadable",
		  "/bin/tool: no names of functions: the process that reads files is "
		  "gone" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		f->result = rows[i].result;
		f->warned[0] = '\0';
		f->module.symbols = NULL;
		f->answer.symbol = STR_NONE;
		resolve_names(&f->resolution);
		ROW_TEXT(&rows[i], f->module.symbols, rows[i].symbols);
		ROW_TEXT(&rows[i], f->warned, rows[i].warned);
		ROW_STR(&rows[i], f->answer.symbol,
			rows[i].result == FILE_NAMED ? "work" : NULL);
	}
	assert_int_equal(f->asked, (int)COUNT(rows));
	/* The first of the three that could not be read. */
	assert_int_equal(f->resolution.unreadable, 3);
	assert_string_equal(f->resolution.unreadable_path, "/bin/tool");
}

/* A build id of zeros, as old recorders write, is none: no file can be the right one. */
UNIT_CASE(no_build_id, struct fixture *f)
{
	f->module.build_id = STR("0000");
	resolve_names(&f->resolution);
	assert_int_equal(f->asked, 0);
	assert_string_equal(f->module.symbols, "no build id");
}
