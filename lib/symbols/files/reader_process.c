/*
 * reader_process.c - the process that starts another one for each file, and the two ends
 * of its pipes.
 *
 * A request is a struct wire_request, the path, the build id and the places.  Its answer
 * is a number of pieces, each u32 size and bytes, then a size of 0 and a u32 result.
 * This process never looks into a file, nor at what its children send.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "symbols/files/files.h"
#include "symbols/files/read.h"

#define PIECE_BYTES 65536

struct files {
	int to, from; /* the process; -1: it is gone */
};

struct wire_request {
	uint32_t kind, path_bytes, build_id_bytes, count;
	uint64_t start;
};

/* The folder that files are below. */
struct root {
	int fd;
	const char *path; /* as the user wrote it */
};

/* --- pipes --- */

static bool write_all(int fd, const void *from, size_t size)
{
	const char *at = from;

	while (size) {
		ssize_t wrote = write(fd, at, size);

		if (wrote < 0 && errno == EINTR && !os_interrupted())
			continue;
		if (wrote <= 0)
			return false;
		at += wrote;
		size -= (size_t)wrote;
	}
	return true;
}

static bool read_all(int fd, void *to, size_t size)
{
	char *at = to;

	while (size) {
		ssize_t got = read(fd, at, size);

		if (got < 0 && errno == EINTR && !os_interrupted())
			continue;
		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

/* --- the process --- */

/* One file, in a process of its own: names to the pipe, the result as exit status. */
static _Noreturn void read_file(const struct root *root,
				const struct file_request *request, int to)
{
	struct bytes answer = { .size = 0 };
	enum file_result result = read_names(root->fd, root->path, request, &answer);

	if (answer.failed || (answer.size && !write_all(to, answer.data, answer.size)))
		result = FILE_UNREADABLE;
	_exit((int)result);
}

/* What a child sends goes on in pieces; more than the maximum ends it. */
static bool relay(int from, int to, pid_t child)
{
	static char piece[PIECE_BYTES];
	size_t all = 0;

	for (;;) {
		ssize_t got = read(from, piece, sizeof(piece));
		uint32_t size = (uint32_t)got;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return true;
		all += (size_t)got;
		if (all > 2 * ANSWER_BYTES_MAX)
			(void)kill(child, SIGKILL);
		if (!write_all(to, &size, sizeof(size)) || !write_all(to, piece, size))
			return false;
	}
}

static bool answer(const struct root *root, const struct file_request *request, int to)
{
	uint32_t end[2] = { 0, FILE_CRASHED };
	int pipe_fds[2], status = 0;
	bool sent;
	pid_t child;

	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return write_all(to, end, sizeof(end));
	child = fork();
	if (child == 0) {
		close(pipe_fds[0]);
		read_file(root, request, pipe_fds[1]);
	}
	close(pipe_fds[1]);
	sent = child < 0 || relay(pipe_fds[0], to, child);
	close(pipe_fds[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) < FILE_GONE)
		end[1] = (uint32_t)WEXITSTATUS(status);
	return sent && write_all(to, end, sizeof(end));
}

/* False: no more requests, or one that is not valid. */
static bool serve(const struct root *root, int from, int to)
{
	struct wire_request wire;
	struct file_request request;
	char *path;
	uint8_t *id;
	uint64_t *places;
	bool done = false;

	if (!read_all(from, &wire, sizeof(wire)) || wire.kind >= FILE_KINDS ||
	    wire.path_bytes > FILE_PATH_BYTES_MAX ||
	    wire.build_id_bytes > FILE_BUILD_ID_BYTES_MAX || wire.count > FILE_PLACES_MAX)
		return false;
	path = memory_alloc(wire.path_bytes + 1);
	id = memory_alloc(wire.build_id_bytes + 1);
	places = memory_alloc((wire.count + 1) * sizeof(*places));
	if (path && id && places && read_all(from, path, wire.path_bytes) &&
	    read_all(from, id, wire.build_id_bytes) &&
	    read_all(from, places, wire.count * sizeof(*places))) {
		request = (struct file_request){
			.kind = (enum file_kind)wire.kind,
			.path = { path, wire.path_bytes },
			.build_id = id,
			.build_id_bytes = wire.build_id_bytes,
			.count = wire.count,
			.start = wire.start,
			.places = places,
		};
		done = answer(root, &request, to);
	}
	free(path);
	free(id);
	free(places);
	return done;
}

/* Holds no file of the program open, so that pipes end when the program does. */
static _Noreturn void run(const struct root *root, int from, int to)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		(void)dup2(null, fd);
	(void)signal(SIGPIPE, SIG_IGN);
	while (serve(root, from, to))
		;
	_exit(0);
}

struct files *files_start(const char *root, struct error *error)
{
	struct files *files = memory_alloc_zeroed(1, sizeof(*files));
	int to[2] = { -1, -1 }, from[2] = { -1, -1 };
	int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	pid_t child = -1;

	if (!files)
		(void)error_nomem(error);
	else if (root_fd < 0)
		(void)error_set(error, ST_IO, ERROR_NO_OFFSET, "--symbols=%.150s: %s",
				root, strerror(errno));
	else if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 ||
		 (child = fork()) < 0)
		(void)error_set(error, ST_IO, ERROR_NO_OFFSET,
				"no process to read symbols: %s", strerror(errno));
	if (child == 0) {
		close(to[1]);
		close(from[0]);
		run(&(struct root){ root_fd, root }, to[0], from[1]);
	}
	for (int i = 0; i < 2; i++) {
		if (to[i] >= 0 && (child < 0 || i == 0))
			close(to[i]);
		if (from[i] >= 0 && (child < 0 || i == 1))
			close(from[i]);
	}
	if (root_fd >= 0)
		close(root_fd);
	if (child < 0) {
		free(files);
		return NULL;
	}
	files->to = to[1];
	files->from = from[0];
	return files;
}

void files_stop(struct files *files)
{
	if (!files)
		return;
	if (files->to >= 0)
		close(files->to);
	if (files->from >= 0)
		close(files->from);
	free(files);
}

/* --- asking --- */

/* Without a signal where the process is gone. */
static bool send_request(const struct files *files, const struct file_request *request)
{
	const struct wire_request wire = {
		.kind = request->kind,
		.path_bytes = (uint32_t)request->path.len,
		.build_id_bytes = request->build_id_bytes,
		.count = request->count,
		.start = request->start,
	};
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	bool sent;

	(void)sigaction(SIGPIPE, &ignore, &before);
	sent = write_all(files->to, &wire, sizeof(wire)) &&
	       write_all(files->to, request->path.ptr, wire.path_bytes) &&
	       write_all(files->to, request->build_id, wire.build_id_bytes) &&
	       write_all(files->to, request->places,
			 wire.count * sizeof(*request->places));
	(void)sigaction(SIGPIPE, &before, NULL);
	return sent;
}

static enum file_result receive(const struct files *files, struct bytes *names)
{
	for (;;) {
		uint32_t size, result;
		uint8_t *to;

		if (!read_all(files->from, &size, sizeof(size)))
			return FILE_GONE;
		if (size == 0)
			return read_all(files->from, &result, sizeof(result)) &&
					       result < FILE_GONE
				       ? (enum file_result)result
				       : FILE_GONE;
		if (size > PIECE_BYTES || names->size > 2 * ANSWER_BYTES_MAX)
			return FILE_GONE;
		to = bytes_extend(names, size);
		if (!to || !read_all(files->from, to, size))
			return FILE_GONE;
	}
}

/* What a process that read a hostile file says. */
static bool decode(const struct bytes *bytes, uint32_t count, struct arena *arena,
		   struct file_name *names)
{
	const union {
		uint16_t word;
		uint8_t first;
	} order = { 1 };
	struct cursor c = cursor_over(bytes->data, bytes->size, 0, order.first == 0);

	while (cursor_left(&c)) {
		uint32_t place = cursor_u32(&c), length = cursor_u32(&c);
		uint64_t offset = cursor_u64(&c);
		const uint8_t *name;

		if (place >= count || length > NAME_BYTES_MAX)
			return false;
		name = cursor_bytes(&c, length);
		if (!name)
			return false;
		names[place].name = text_valid_utf8(
			arena, (struct str){ (const char *)name, length });
		names[place].offset = offset;
	}
	return !c.overrun;
}

enum file_result files_ask(void *context, const struct file_request *request,
			   struct arena *arena, struct file_name *names)
{
	struct files *files = context;
	struct bytes bytes = { .size = 0 };
	enum file_result result = FILE_GONE;

	if (request->path.len > FILE_PATH_BYTES_MAX || request->count > FILE_PLACES_MAX)
		return FILE_NONE;
	if (files->to >= 0 && send_request(files, request))
		result = receive(files, &bytes);
	if (result == FILE_GONE && files->to >= 0) {
		close(files->to);
		files->to = -1;
	}
	if ((result == FILE_NAMED || result == FILE_KERNEL_NAMED) &&
	    !decode(&bytes, request->count, arena, names)) {
		result = FILE_UNREADABLE;
		memset(names, 0, request->count * sizeof(*names));
	}
	bytes_release(&bytes);
	return result;
}
