/*
 * seam.c - lib/base/os.h does the same on every system: what outputs and inputs rely on.
 *
 *   seam FOLDER        works in the folder, which is empty
 *   seam lock FILE     exit status 3 if another process has locked the file
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

#define FAR_BYTES (UINT64_C(5) << 30)

static const char *folder;

static void check(bool good, const char *what, int line)
{
	if (good)
		return;
	printf("seam.c:%d: %s: %s\n", line, what, strerror(errno));
	exit(1);
}

#define CHECK(what) check((what), #what, __LINE__)

/* In one of four buffers. */
static const char *path_of(const char *name)
{
	static char paths[4][4096];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static int make(const char *name, const char *text)
{
	int fd = os_open(path_of(name), OS_CREATE);

	CHECK(fd >= 0);
	CHECK(os_write(fd, text, strlen(text)) == (ptrdiff_t)strlen(text));
	return fd;
}

static bool has(const char *name, const char *text)
{
	char got[64] = "";
	int fd = os_open(path_of(name), OS_READ);
	bool same;

	if (fd < 0)
		return false;
	same = os_read(fd, got, sizeof(got) - 1) == (ptrdiff_t)strlen(text) &&
	       strcmp(got, text) == 0;
	CHECK(os_close(fd));
	return same;
}

static void test_bytes(void)
{
	char abc[] = "abc", de[] = "de";
	const struct os_piece pieces[] = { { abc, 3 }, { de, 2 } };
	char got[8] = "";
	struct os_info info;
	int fd = make("far", "head");

	CHECK(os_write_pieces_at(fd, pieces, 2, FAR_BYTES) == 5);
	CHECK(os_read_at(fd, got, 8, FAR_BYTES + 1) == 4 && strcmp(got, "bcde") == 0);
	CHECK(os_read_at(fd, got, 8, FAR_BYTES + 5) == 0);
	CHECK(os_inspect(fd, &info) && info.kind == OS_FILE);
	CHECK(info.size == FAR_BYTES + 5 && info.names == 1 && info.is_own);
	CHECK(os_seek(fd, 1) && os_position(fd) == 1);
	CHECK(os_read(fd, got, 3) == 3 && memcmp(got, "ead", 3) == 0);
	CHECK(os_sync(fd) && os_set_mode(fd, 0600) && os_close(fd));
	CHECK(os_remove_file(path_of("far")));
	errno = 0;
	CHECK(os_open(path_of("far"), OS_READ) < 0 && errno == ENOENT);
}

/* An open file can be renamed, and an open one replaced. */
static void test_names(void)
{
	int one = make("one", "1"), two = make("two", "2");
	struct os_info a, b;

	errno = 0;
	CHECK(os_open(path_of("one"), OS_CREATE) < 0 && errno == EEXIST);
	CHECK(os_inspect(one, &a) && os_inspect_path(path_of("one"), &b));
	CHECK(os_is_same(&a, &b) && os_inspect(two, &b) && !os_is_same(&a, &b));
	errno = 0;
	CHECK(!os_move_if_free(path_of("one"), path_of("two")) && errno == EEXIST);
	CHECK(os_move_if_free(path_of("one"), path_of("three")));
	CHECK(os_close(two) && os_move(path_of("three"), path_of("two")));
	CHECK(os_inspect_name(path_of("two"), &b) && os_is_same(&a, &b));
	CHECK(has("two", "1") && os_close(one) && os_remove_file(path_of("two")));
}

static void test_hidden(void)
{
	struct os_info info;
	size_t size;
	char *text;
	FILE *stream;
	int fd = os_create_hidden(path_of("hidden"));

	CHECK(fd >= 0 && os_write_at(fd, "x", 1, 9) == 1 && os_close(fd));
	CHECK(!os_inspect_name(path_of("hidden"), &info));
	fd = os_create_temporary(folder);
	CHECK(fd >= 0 && os_write(fd, "xy", 2) == 2 && os_close(fd));
	stream = os_open_text(&text, &size);
	CHECK(stream && fputs("some text", stream) >= 0);
	CHECK(os_close_text(stream, &text, &size) && size == 9);
	CHECK(strcmp(text, "some text") == 0);
	free(text);
}

static void test_paths(void)
{
	bool is_windows = os_is_separator('\\');

	CHECK(os_is_separator('/') && !os_is_separator(':'));
	CHECK(os_is_absolute("/a") && !os_is_absolute("a/b") && !os_is_absolute(""));
	CHECK(os_is_absolute("C:\\a") == is_windows);
	CHECK(os_is_absolute("\\\\server\\share\\a") == is_windows);
	CHECK(strcmp(os_base_name("a/b"), "b") == 0);
	CHECK(strcmp(os_base_name("C:\\a\\b"), is_windows ? "b" : "C:\\a\\b") == 0);
}

static void test_system(void)
{
	void *memory = os_alloc_aligned(4096, 8192);
	int columns = -1, lines = -1, file = make("plain", "");
	bool has_folder = false;

	CHECK(memory && os_cpu_count() > 0);
	free(memory);
	os_terminal_size(file, &columns, &lines); /* which it is not */
	CHECK(columns == 0 && lines == 0 && !os_is_terminal(file));
	CHECK(os_close(file) && os_remove_file(path_of("plain")));
	for (size_t i = 0; i < OS_TEMPORARY_FOLDERS; i++)
		has_folder |= os_temporary_folder(i) != NULL;
	CHECK(has_folder && os_random() != os_random());
}

static void test_locks(const char *self)
{
	char command[9000];
	int fd = make("locked", "x");

#ifdef _WIN32
	snprintf(command, sizeof(command), "cmd /c \"\"%s\" lock \"%s\"\"", self,
		 path_of("locked"));
#else
	snprintf(command, sizeof(command), "\"%s\" lock \"%s\"; exit $?", self,
		 path_of("locked"));
#endif
	CHECK(system(command) == 0 && os_lock(fd));
	CHECK(system(command) != 0 && has("locked", "x"));
	CHECK(os_close(fd) && system(command) == 0);
	CHECK(os_remove_file(path_of("locked")));
}

static void test_folders(void)
{
	struct os_folder *made, *inner;
	struct os_info a, b;
	const char *name;
	int fd;

	CHECK(os_make_folder(path_of("made")));
	made = os_folder_open_in(NULL, path_of("made"));
	CHECK(made && os_folder_lock(made) && os_folder_inspect(made, &a));
	CHECK(a.kind == OS_FOLDER && os_inspect_name(path_of("made"), &b));
	CHECK(os_is_same(&a, &b));
	fd = os_open_in(made, "\xce\xbb.csv", OS_CREATE);
	CHECK(fd >= 0 && os_close(fd) && os_make_folder_in(made, "inner"));
	CHECK(os_move_in(made, "\xce\xbb.csv", "inner/x.csv"));
	CHECK((name = os_folder_next(made)) && strcmp(name, "inner") == 0);
	CHECK(!os_folder_next(made) && !os_folder_next(made));
	inner = os_folder_open_in(made, "inner");
	CHECK(inner && os_inspect_in(inner, "x.csv", &b) && b.kind == OS_FILE);
	os_folder_rewind(inner);
	CHECK((name = os_folder_next(inner)) && strcmp(name, "x.csv") == 0);
	CHECK(!os_folder_open_in(inner, "x.csv"));
	/* An open folder can be renamed, over an empty one. */
	CHECK(os_make_folder(path_of("empty")));
	CHECK(os_move(path_of("made"), path_of("empty")));
	os_folder_moved(made, path_of("empty"));
	os_folder_close(inner);
	CHECK(!os_remove_folder(path_of("empty")));
	CHECK(os_remove_file_in(made, "inner/x.csv") &&
	      os_remove_folder_in(made, "inner"));
	os_folder_close(made);
	CHECK(os_remove_folder(path_of("empty")));
}

int main(int argc, char **argv)
{
	int fd;

	if (argc == 3 && strcmp(argv[1], "lock") == 0) {
		fd = os_open(argv[2], OS_READ_PLAIN);
		return fd < 0 ? 2 : os_lock(fd) ? 0 : errno == EWOULDBLOCK ? 3 : 4;
	}
	if (argc != 2)
		return 2;
	folder = argv[1];
	test_bytes();
	test_names();
	test_paths();
	test_system();
	test_hidden();
	test_locks(argv[0]);
	test_folders();
	puts("good");
	return 0;
}
