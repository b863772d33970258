/*
 * planted.c - a reader that does what a trace might make a faulty one do.
 *
 * Its input is "PLANTED what [path]".  It is refused with a sentence that says what came
 * of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/formats.h"
#include "model/reader.h"

#define MAGIC "PLANTED "

static int read_file(const char *path)
{
	return open(path, O_RDONLY);
}

static int write_file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

static int read_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY);
}

static int make_socket(const char *path)
{
	(void)path;
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int run_program(const char *path)
{
	char *const arguments[] = { (char[]){ "planted" }, NULL };

	fflush(NULL);
	return execv(path, arguments);
}

static int fork_process(const char *path)
{
	pid_t child = fork();

	(void)path;
	if (child == 0)
		_exit(0);
	return child < 0 ? -1 : 0;
}

static int signal_parent(const char *path)
{
	(void)path;
	return kill(getppid(), 0);
}

static int make_code(const char *path)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)path;
	return page == MAP_FAILED ? -1 : 0;
}

static int new_ring(const char *path)
{
	(void)path; /* io_uring would open files past the filter */
	return (int)syscall(425, 1, NULL);
}

static const struct {
	const char *what;
	int (*act)(const char *path);
} acts[] = {
	{ "read", read_file },	     { "write", write_file },
	{ "folder", read_folder },   { "socket", make_socket },
	{ "program", run_program },  { "fork", fork_process },
	{ "signal", signal_parent }, { "code", make_code },
	{ "remove", unlink },	     { "ring", new_ring },
};

static int planted_probe(const uint8_t *head, size_t len)
{
	return len >= 8 && memcmp(head, MAGIC, 8) == 0 ? 100 : 0;
}

static enum status planted_open(struct reader *reader)
{
	(void)reader;
	return ST_OK;
}

static enum status planted_next(struct reader *reader, struct record *record)
{
	size_t len = input_peek_some(&reader->input, 1024);
	char what[16] = "", path[1001] = "", text[1025];
	int result;

	(void)record;
	memcpy(text, reader->input.pos, len);
	text[len] = '\0';
	if (sscanf(text, MAGIC "%15s %1000s", what, path) < 1)
		return ST_END;
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (strcmp(acts[i].what, what) != 0)
			continue;
		errno = 0;
		result = acts[i].act(path);
		return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "%s: %s", what,
				 result < 0 ? strerror(errno) : "succeeded");
	}
	return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "unknown act '%s'", what);
}

static const struct reader_ops planted_reader = {
	.name = "planted",
	.state_size = 1,
	.probe = planted_probe,
	.open = planted_open,
	.next = planted_next,
};

/* In place of the lists of lib/formats/formats.c and trace_formats.c. */
const struct reader_ops *const all_formats[] = { &planted_reader, NULL };
const struct reader_ops *const trace_formats[] = { &planted_reader, NULL };
