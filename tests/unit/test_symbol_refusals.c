/*
 * test_symbol_refusals.c - lib/symbols/resolve_names.c: files without names, what is said
 * of them, and how many are asked for.
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
					     .left = FILE_BUDGET,
					     .answers = &f->answer,
					     .count = 1 };
}

static void teardown(struct fixture *f)
{
	arena_release(&f->resolution.arena);
	map_release(&f->resolution.asked_by_path);
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

/* --- limits --- */

#define MANY 5000

/* Files of one address each, whose paths and build ids are `paths` and `ids` many. */
struct many {
	struct fixture *f;
	struct module *modules;
	struct mapping *mappings;
	char (*paths)[32], (*ids)[8];
};

static void add_files(struct many *m, int paths, int ids)
{
	struct resolution *resolution = &m->f->resolution;

	m->modules = unit_alloc(MANY * sizeof(*m->modules));
	m->mappings = unit_alloc(MANY * sizeof(*m->mappings));
	m->paths = unit_alloc(MANY * sizeof(*m->paths));
	m->ids = unit_alloc(MANY * sizeof(*m->ids));
	resolution->answers = unit_alloc(MANY * sizeof(*resolution->answers));
	resolution->count = MANY;
	for (int i = 0; i < MANY; i++) {
		snprintf(m->paths[i], sizeof(m->paths[i]), "/bin/tool%04d", i % paths);
		snprintf(m->ids[i], sizeof(m->ids[i]), "%04x", 1 + i % ids);
		m->modules[i] = (struct module){ .path = str_of(m->paths[i]),
						 .build_id = str_of(m->ids[i]) };
		m->mappings[i] = (struct mapping){ .start = START,
						   .end = 2 * START,
						   .module = &m->modules[i] };
		resolution->answers[i] = (struct answer){ .address = START + 0x234,
							  .mapping = &m->mappings[i],
							  .module = &m->modules[i] };
	}
}

/* How many modules have these words; NULL: none. */
static int count_words(const struct many *m, const char *words)
{
	int count = 0;

	for (int i = 0; i < MANY; i++) {
		const char *symbols = m->modules[i].symbols;

		count +=
			words && symbols ? strcmp(symbols, words) == 0 : words == symbols;
	}
	return count;
}

/* One file under many names is read once: the first that has the build id is enough. */
UNIT_CASE(names_of_one_file, struct fixture *f)
{
	struct many m = { .f = f };

	add_files(&m, MANY, 1);
	f->result = FILE_NAMED;
	resolve_names(&f->resolution);
	assert_int_equal(f->asked, 1);
	assert_int_equal(count_words(&m, "file"), MANY);
	for (int i = 0; i < MANY; i++)
		ASSERT_STR(f->resolution.answers[i].symbol, "work");
	assert_false(f->resolution.limit_reached);
}

/* So is one that crashes what reads it. */
UNIT_CASE(names_of_a_file_that_crashes, struct fixture *f)
{
	struct many m = { .f = f };

	add_files(&m, MANY, 1);
	f->result = FILE_CRASHED;
	resolve_names(&f->resolution);
	assert_int_equal(f->asked, 1);
	assert_int_equal(count_words(&m, "unreadable"), MANY);
}

UNIT_CASE(files_max, struct fixture *f)
{
	static const struct {
		int line;
		int paths, ids;
		enum file_result result;
		int asked;
	} rows[] = {
		{ ROW, MANY, MANY, FILE_NAMED, FILES_MAX },
		{ ROW, MANY, MANY, FILE_NONE, FILES_MAX },
		{ ROW, MANY, 1, FILE_NONE, FILES_MAX },
		{ ROW, 1, MANY, FILE_OTHER_BUILD_ID, FILES_OF_PATH_MAX },
		{ ROW, 10, MANY, FILE_OTHER_BUILD_ID, 10 * FILES_OF_PATH_MAX },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct many m = { .f = f };

		add_files(&m, rows[i].paths, rows[i].ids);
		f->result = rows[i].result;
		f->asked = 0;
		f->resolution.left = FILE_BUDGET;
		f->resolution.limit_reached = false;
		map_release(&f->resolution.asked_by_path);
		resolve_names(&f->resolution);
		ROW_INT(&rows[i], f->asked, rows[i].asked);
		ROW_INT(&rows[i], count_words(&m, NULL), MANY - rows[i].asked);
		ROW_TRUE(&rows[i], f->resolution.limit_reached);
	}
}

/* Bytes are charged as they are asked and answered; the last answer may exceed them. */
UNIT_CASE(bytes_and_seconds_of_files, struct fixture *f)
{
	struct many m = { .f = f };

	f->result = FILE_NAMED;
	add_files(&m, MANY, MANY);
	f->resolution.left.bytes = 3 * (sizeof(uint64_t) + strlen("work")) - 1;
	resolve_names(&f->resolution);
	assert_int_equal(f->asked, 3);
	assert_true(f->resolution.limit_reached);

	add_files(&m, MANY, MANY);
	f->resolution.left = FILE_BUDGET;
	f->resolution.left.seconds = 0;
	f->asked = 0;
	resolve_names(&f->resolution);
	assert_int_equal(f->asked, 0);
	assert_int_equal(count_words(&m, NULL), MANY);
}
