/* unit.c - see unit.h. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The registered tests and fixtures of all files of this program. */
static struct test {
	const char *file;
	struct CMUnitTest test;
} tests[512];
static struct fixture {
	const char *file;
	int (*setup)(void **state);
	int (*teardown)(void **state);
	bool each;
} fixtures[64];
static size_t test_count, fixture_count;

/* What is released at the end of the program, last first. */
static struct end {
	void (*release)(void *object);
	void *object;
} * ends;
static size_t end_count, end_room;

static const char *directory; /* the present one, or NULL */

void unit_assert_str(struct str found, const char *expected, const char *file, int line)
{
	char *copy;

	_assert_int_equal(found.ptr == NULL, expected == NULL, file, line);
	if (!expected)
		return;
	copy = strndup(found.ptr, found.len);
	if (strlen(copy) != found.len)
		fail_msg("%s:%d: a NUL inside the text", file, line);
	_assert_string_equal(copy, expected, file, line);
	free(copy);
}

/* --- what lasts until the program ends --- */

void unit_at_end(void (*release)(void *object), void *object)
{
	if (end_count == end_room) {
		end_room = end_room ? 2 * end_room : 64;
		ends = realloc(ends, end_room * sizeof(*ends));
	}
	ends[end_count++] = (struct end){ release, object };
}

void *unit_keep(void *memory)
{
	unit_at_end(free, memory);
	return memory;
}

void *unit_alloc(size_t size)
{
	return unit_keep(calloc(1, size));
}

static void release_all(void)
{
	while (end_count) {
		end_count--;
		ends[end_count].release(ends[end_count].object);
	}
	free(ends);
}

/* --- files --- */

static void remove_tree(void *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char below[4096];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof(below), "%s/%s", (const char *)path,
			 entry->d_name);
		remove_tree(below);
	}
	if (dir)
		closedir(dir);
	(void)remove(path);
}

const char *unit_directory(void)
{
	const char *parent = getenv("TMPDIR");
	char *path = unit_alloc(4096);

	snprintf(path, 4096, "%s/perftab-unit-XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(path))
		fail_msg("mkdtemp %s: %s", path, strerror(errno));
	unit_at_end(remove_tree, path);
	return directory = path;
}

const char *unit_below(const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = unit_alloc(size);

	snprintf(path, size, "%s/%s", folder, name);
	return path;
}

const char *unit_path(const char *name)
{
	return unit_below(directory ? directory : unit_directory(), name);
}

void unit_folder(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/", unit_path(name));
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)mkdir(path, 0700);
		*at = '/';
	}
}

void unit_write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || (size && fwrite(bytes, size, 1, file) != 1) || fclose(file) != 0)
		fail_msg("%s: %s", path, strerror(errno));
}

char *unit_read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb"), *stream;
	char chunk[4096], *bytes = NULL;
	size_t got, unused;

	if (!file)
		return NULL;
	stream = open_memstream(&bytes, size ? size : &unused);
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		fwrite(chunk, 1, got, stream);
	fclose(stream);
	fclose(file);
	return unit_keep(bytes);
}

bool unit_exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

int unit_count(const char *path, const char *beginning)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	int count = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder)))
		count += strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
	closedir(folder);
	return count;
}

/* --- words in a text --- */

void unit_has(bool has, const char *text, const char *const *parts, const char *file,
	      int line)
{
	for (; *parts; parts++) {
		bool found = strstr(text, *parts) != NULL;

		if (found != has)
			print_error("%s '%s' in:\n%s\n", has ? "no" : "there is", *parts,
				    text);
		_assert_int_equal(found, has, file, line);
	}
}

/* --- manifests --- */

void unit_unescape(char *text)
{
	static const char letters[] = "nrt\\", bytes[] = "\n\r\t\\";
	char *to = text;

	for (; *text; text++) {
		const char *letter =
			text[0] == '\\' && text[1] ? strchr(letters, text[1]) : NULL;
		unsigned int byte;

		if (letter) {
			*to++ = bytes[letter - letters];
			text++;
		} else if (sscanf(text, "\\x%2x", &byte) == 1) {
			*to++ = (char)byte;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

size_t unit_fields(struct unit_line *line, char **fields, size_t most)
{
	char *at = line->text, *end = at;
	size_t count = 0;

	while (end && count < most) {
		end = strstr(at, " | ");
		if (end)
			*end = '\0';
		unit_unescape(at);
		fields[count++] = at;
		at = end ? end + 3 : at;
	}
	return count;
}

void unit_manifest(const char *name, void (*on_line)(struct unit_line *line))
{
	const char *path = unit_below(UNIT_DIRECTORY, name);
	char *rest = unit_read_file(path, NULL), *text;

	if (!rest)
		fail_msg("%s: %s", path, strerror(errno));
	for (int line = 1; (text = strsep(&rest, "\n")); line++)
		if (*text && *text != '#')
			on_line(&(struct unit_line){ path, line, text });
}

/* --- a function in a child process --- */

/* Both pipes are small against what tests print, so one after the other is enough. */
static void drain(int fd, char *to, size_t size)
{
	size_t at = 0;
	ssize_t got;

	while (at + 1 < size && (got = read(fd, to + at, size - 1 - at)) > 0)
		at += (size_t)got;
	to[at] = '\0';
	close(fd);
}

void unit_capture(int (*run)(void *context), void *context, struct unit_output *output)
{
	int out[2], err[2], status = 0;
	pid_t child;

	if (pipe(out) != 0 || pipe(err) != 0)
		fail_msg("pipe: %s", strerror(errno));
	fflush(NULL);
	child = fork();
	if (child == 0) {
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		for (int i = 0; i < 2; i++) {
			close(out[i]);
			close(err[i]);
		}
		status = run(context);
		fflush(NULL);
		_exit(status & 0xff);
	}
	close(out[1]);
	close(err[1]);
	drain(out[0], output->out, sizeof(output->out));
	drain(err[0], output->err, sizeof(output->err));
	if (waitpid(child, &status, 0) != child)
		fail_msg("waitpid: %s", strerror(errno));
	output->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- records in --- */

static enum status play_next(struct reader *reader, struct record *record)
{
	struct unit_play *play = reader->state;

	if (play->at == play->count)
		return play->ends_with == ST_OK ? ST_END : play->ends_with;
	*record = play->records[play->at++];
	return ST_OK;
}

struct reader unit_replay(struct unit_play *play)
{
	static const struct reader_ops replay = { .name = "replay", .next = play_next };

	play->at = 0;
	return (struct reader){ .ops = &replay, .state = play, .path = "(replay)" };
}

/* --- records out --- */

static void note_bytes(FILE *to, struct str bytes)
{
	fputs("0x", to);
	for (size_t i = 0; i < bytes.len; i++)
		fprintf(to, "%02x", (uint8_t)bytes.ptr[i]);
}

static void note_row(FILE *to, const struct table *table, const struct record *record)
{
	const char *row = record->data;

	fputs(table->name, to);
	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];
		struct str text;
		int64_t value;

		fprintf(to, " %s=", field->name);
		memcpy(&value, row + field->offset, sizeof(value));
		memcpy(&text, row + field->offset,
		       !field_is_int(field->kind) ? sizeof(text) : 0);
		if (field->kind == FIELD_BLOB && text.ptr)
			note_bytes(to, text);
		else if (!field_is_int(field->kind) && text.ptr)
			fprintf(to, "'%.*s'", (int)text.len, text.ptr);
		else if (!field_is_int(field->kind) ||
			 (field->kind == FIELD_INT && value == INT_NONE))
			fputc('-', to);
		else
			fprintf(to, "%lld", (long long)value);
	}
	for (size_t i = 0; i < record->slots; i++)
		fprintf(to, "%s%lld", i ? "," : " | ", (long long)record->deltas[i]);
	fputc('\n', to);
}

struct unit_stream {
	FILE *file;
	char *text;
	size_t size;
};

static enum status note_put(struct sink *sink, const struct record *record)
{
	struct unit_notes *notes = sink->state;

	if (record->kind == notes->fail_at)
		return error_set(&sink->error, ST_IO, ERROR_NO_OFFSET, "asked to fail");
	note_row(notes->stream->file, record_table(record), record);
	return ST_OK;
}

static void close_stream(void *stream)
{
	struct unit_stream *closed = stream;

	fclose(closed->file);
	free(closed->text);
}

struct sink unit_noting_sink(struct unit_notes *notes)
{
	static const struct sink_ops noting = { .name = "notes", .put = note_put };
	struct unit_stream *stream = unit_alloc(sizeof(*stream));

	stream->file = open_memstream(&stream->text, &stream->size);
	unit_at_end(close_stream, stream);
	*notes = (struct unit_notes){ stream, RECORD_SAMPLED };
	return (struct sink){ .ops = &noting, .state = notes };
}

const char *unit_notes_text(const struct unit_notes *notes)
{
	fflush(notes->stream->file);
	return notes->stream->text;
}

const char *unit_notes_of(const struct unit_notes *notes, const char *table)
{
	const char *line = unit_notes_text(notes);
	char *lines = unit_alloc(strlen(line) + 1), *to = lines;
	size_t name = strlen(table);

	while (*line) {
		const char *end = strchr(line, '\n') + 1;

		if (strncmp(line, table, name) == 0 && line[name] == ' ')
			to = mempcpy(to, line, (size_t)(end - line));
		line = end;
	}
	return lines;
}

/* --- the program --- */

void unit_add_test(const char *file, const char *name, CMUnitTestFunction run)
{
	assert_true(test_count < COUNT(tests));
	tests[test_count++] = (struct test){ file, { name, run, NULL, NULL, NULL } };
}

void unit_add_fixture(const char *file, CMFixtureFunction setup,
		      CMFixtureFunction teardown, bool each)
{
	assert_true(fixture_count < COUNT(fixtures));
	fixtures[fixture_count++] = (struct fixture){ file, setup, teardown, each };
}

/* Is the path of a source file .../test_NAME.c? */
static bool is_file(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');
	size_t length = strlen(name);

	base = base ? base + 1 : path;
	return strncmp(base, "test_", 5) == 0 && strncmp(base + 5, name, length) == 0 &&
	       strcmp(base + 5 + length, ".c") == 0;
}

static int run_file(const char *name)
{
	struct fixture fixture = { .each = true };
	struct CMUnitTest chosen[COUNT(tests)];
	size_t count = 0;
	int failed;

	for (size_t i = 0; i < fixture_count; i++)
		if (is_file(fixtures[i].file, name))
			fixture = fixtures[i];
	for (size_t i = 0; i < test_count; i++) {
		if (!is_file(tests[i].file, name))
			continue;
		chosen[count] = tests[i].test;
		if (fixture.each) {
			chosen[count].setup_func = fixture.setup;
			chosen[count].teardown_func = fixture.teardown;
		}
		count++;
	}
	if (count == 0) {
		fprintf(stderr, "no tests in test_%s.c\n", name);
		return 2;
	}
	failed = _cmocka_run_group_tests(name, chosen, count,
					 fixture.each ? NULL : fixture.setup,
					 fixture.each ? NULL : fixture.teardown);
	release_all();
	return failed;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return run_file(argv[1]);
	fputs("usage: unit_PROGRAM NAME, for the tests of test_NAME.c:\n", stderr);
	for (size_t i = 0; i < test_count; i++)
		fprintf(stderr, "  %s %s\n", tests[i].file, tests[i].test.name);
	return 2;
}
