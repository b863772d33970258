/* unit.c - see unit.h. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

/* Every path that was asked for, and how many directories still need them. */
static struct arena paths;
static int directories;

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

/* --- files --- */

char *unit_directory(void)
{
	const char *parent = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof(path), "%s/perftab-unit-XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(path))
		fail_msg("mkdtemp %s: %s", path, strerror(errno));
	directories++;
	return strdup(path);
}

static void remove_tree(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char below[4096];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		remove_tree(below);
	}
	if (dir)
		closedir(dir);
	(void)remove(path);
}

void unit_remove(char *directory)
{
	remove_tree(directory);
	free(directory);
	if (--directories == 0)
		arena_release(&paths);
}

const char *unit_path(const char *directory, const char *name)
{
	size_t size = strlen(directory) + strlen(name) + 2;
	char *path = arena_alloc(&paths, size);

	snprintf(path, size, "%s/%s", directory, name);
	return path;
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
	size_t got;

	if (!file)
		return NULL;
	stream = open_memstream(&bytes, size);
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		fwrite(chunk, 1, got, stream);
	fclose(stream);
	fclose(file);
	return bytes;
}

bool unit_exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

int unit_count(const char *directory, const char *beginning)
{
	DIR *folder = opendir(directory);
	const struct dirent *entry;
	int count = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder)))
		count += strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
	closedir(folder);
	return count;
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

struct reader unit_player(struct unit_play *play)
{
	static const struct reader_ops player = { .name = "player", .next = play_next };

	play->at = 0;
	return (struct reader){ .ops = &player, .state = play, .path = "(player)" };
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

static enum status note_put(struct sink *sink, const struct record *record)
{
	struct unit_notes *notes = sink->state;

	if (record->kind == notes->fail_at)
		return error_set(&sink->error, ST_IO, ERROR_NO_OFFSET, "told to fail");
	note_row(notes->stream, record_table(record), record);
	return ST_OK;
}

struct sink unit_noting_sink(struct unit_notes *notes)
{
	static const struct sink_ops noting = { .name = "notes", .put = note_put };

	*notes = (struct unit_notes){ .fail_at = RECORD_SAMPLED };
	notes->stream = open_memstream(&notes->text, &notes->size);
	return (struct sink){ .ops = &noting, .state = notes };
}

const char *unit_notes_text(struct unit_notes *notes)
{
	fflush(notes->stream);
	return notes->text;
}

char *unit_notes_of(struct unit_notes *notes, const char *table)
{
	const char *line = unit_notes_text(notes);
	size_t name = strlen(table), size;
	char *lines = NULL;
	FILE *to = open_memstream(&lines, &size);

	while (*line) {
		const char *end = strchr(line, '\n') + 1;

		if (strncmp(line, table, name) == 0 && line[name] == ' ')
			fwrite(line, 1, (size_t)(end - line), to);
		line = end;
	}
	fclose(to);
	return lines;
}

void unit_notes_free(struct unit_notes *notes)
{
	fclose(notes->stream);
	free(notes->text);
}
