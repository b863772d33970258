/*
 * read.c - files of /proc, or of a copy of it; a read each, into one buffer.
 *
 * A copy is a folder like /proc.  Its clocks are in `clock`, lines of a name and a
 * number; what is missing there comes from `uptime` and `stat`.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "capture/linux/counters/clock.h"
#include "capture/linux/proc/private.h"

#define FIRST_ROOM ((size_t)16 << 10)
#define FILE_BYTES_MAX ((size_t)16 << 20)
/*
 * Lines are handed out until the next one does not fit into a page: they are shorter than
 * the rest of it.
 */
#define SURELY_ALL_BYTES 1024
#define WALL_1970_100NS INT64_C(116444736000000000)
/* Some 6000 years: sums of two of them fit, whatever a copy says. */
#define SECONDS_MAX UINT64_C(200000000000)

/* --- bytes --- */

static uint32_t code_of(int number)
{
	return number == ENOENT || number == ENOTDIR || number == ESRCH
		       ? CODE_FILE_NOT_FOUND
	       : number == EACCES || number == EPERM ? CODE_ACCESS_DENIED
						     : CODE_READ_FAULT;
}

/* Twice the room, with a byte kept for the NUL. */
static bool grow(struct proc_tree *tree)
{
	size_t room = tree->text_room ? 2 * tree->text_room : FIRST_ROOM;
	char *text = room > FILE_BYTES_MAX ? NULL : realloc(tree->text, room);

	if (!text)
		return false;
	tree->text = text;
	tree->text_room = room;
	return true;
}

/*
 * Files of /proc are made while they are read: the end is where nothing comes any more.
 */
static bool read_whole(struct proc_tree *tree, int fd, size_t *size)
{
	*size = 0;
	for (;;) {
		size_t room = tree->text_room ? tree->text_room - 1 - *size : 0;
		ssize_t got;

		if (room == 0 && !grow(tree)) {
			errno = EFBIG;
			return false;
		}
		if (room == 0)
			continue;
		got = read(fd, tree->text + *size, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		*size += (size_t)got;
		/* A call saved for each process. */
		if (got == 0 || (*size < SURELY_ALL_BYTES && (size_t)got < room))
			break;
	}
	tree->text[*size] = '\0';
	return true;
}

struct str proc_read(struct proc_tree *tree, int folder, const char *path)
{
	/* In a copy there may be anything: a FIFO would be waited for. */
	int options = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = folder < 0 ? -1 : openat(folder, path, options);
	size_t size;
	bool done;

	if (fd < 0) {
		tree->code = folder < 0 ? CODE_FILE_NOT_FOUND : code_of(errno);
		return STR_NONE;
	}
	done = read_whole(tree, fd, &size);
	tree->code = done ? CODE_DONE : code_of(errno);
	close(fd);
	return done ? (struct str){ tree->text, size } : STR_NONE;
}

/* --- words --- */

bool proc_line(struct str *text, struct str *line)
{
	const char *end;

	if (text->len == 0)
		return false;
	end = memchr(text->ptr, '\n', text->len);
	*line = (struct str){ text->ptr, end ? (size_t)(end - text->ptr) : text->len };
	text->ptr += line->len + (end != NULL);
	text->len -= line->len + (end != NULL);
	return true;
}

static void skip_blanks(struct str *line)
{
	while (line->len && (*line->ptr == ' ' || *line->ptr == '\t')) {
		line->ptr++;
		line->len--;
	}
}

struct str proc_word(struct str *line)
{
	struct str word;

	skip_blanks(line);
	word = (struct str){ line->ptr, 0 };
	while (word.len < line->len && word.ptr[word.len] != ' ' &&
	       word.ptr[word.len] != '\t')
		word.len++;
	line->ptr += word.len;
	line->len -= word.len;
	return word;
}

/* Modulo 2^64, which is how the kernel counts; a sign negates. */
uint64_t proc_number(struct str *line)
{
	uint64_t value = 0;
	bool negative;

	skip_blanks(line);
	negative = line->len && *line->ptr == '-';
	if (negative) {
		line->ptr++;
		line->len--;
	}
	while (line->len && *line->ptr >= '0' && *line->ptr <= '9') {
		value = value * 10 + (uint64_t)(*line->ptr - '0');
		line->ptr++;
		line->len--;
	}
	return negative ? 0 - value : value;
}

bool proc_starts(struct str line, const char *start)
{
	size_t length = strlen(start);

	return line.len >= length && memcmp(line.ptr, start, length) == 0;
}

/* --- clocks --- */

static int64_t seconds_100ns(uint64_t seconds)
{
	return (int64_t)(seconds < SECONDS_MAX ? seconds : SECONDS_MAX) * 10000000;
}

/* "12.34" in units of 100 ns. */
static int64_t decimal_100ns(struct str text)
{
	int64_t value = seconds_100ns(proc_number(&text)), unit = 1000000;

	if (text.len && *text.ptr == '.')
		for (size_t i = 1;
		     i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9' && unit;
		     i++, unit /= 10)
			value += (text.ptr[i] - '0') * unit;
	return value;
}

/* From what every copy of /proc has. */
static void guess_clocks(struct proc_tree *tree)
{
	struct str text = proc_read(tree, tree->root, "uptime"), line;

	if (text.ptr)
		tree->boot_100ns = decimal_100ns(text);
	tree->ticks = tree->boot_100ns;
	tree->wall_100ns = WALL_1970_100NS + tree->boot_100ns;
	text = proc_read(tree, tree->root, "stat");
	while (text.ptr && proc_line(&text, &line))
		if (proc_starts(line, "btime ")) {
			(void)proc_word(&line);
			tree->wall_100ns = WALL_1970_100NS + tree->boot_100ns +
					   seconds_100ns(proc_number(&line));
		}
}

static void read_clocks(struct proc_tree *tree)
{
	struct str text, line;

	guess_clocks(tree);
	text = proc_read(tree, tree->root, "clock");
	while (text.ptr && proc_line(&text, &line)) {
		struct str key = proc_word(&line);
		uint64_t value = proc_number(&line);

		if (str_equal(key, STR("monotonic_ns")))
			tree->ticks = (int64_t)(value / 100);
		else if (str_equal(key, STR("realtime_ns")))
			tree->wall_100ns = WALL_1970_100NS + (int64_t)(value / 100);
		else if (str_equal(key, STR("boottime_ns")))
			tree->boot_100ns = (int64_t)(value / 100);
		else if (str_equal(key, STR("minutes_west")))
			tree->minutes_west = (int32_t)value;
		else if (str_equal(key, STR("user_hz")) && value)
			tree->user_hz = value;
		else if (str_equal(key, STR("page_bytes")))
			tree->page_bytes = value;
	}
}

void proc_tree_read_clocks(struct proc_tree *tree)
{
	if (!tree->is_live) {
		read_clocks(tree);
		return;
	}
	tree->boot_100ns = (int64_t)(now_ns(CLOCK_BOOTTIME) / 100);
	tree->wall_100ns = os_wall_100ns();
	tree->ticks = (int64_t)(now_ns(CLOCK_MONOTONIC) / 100);
}

/* --- trees --- */

enum status proc_tree_open(struct proc_tree *tree, const char *path, struct error *error)
{
	int options = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int why;
	char shown[240];

	*tree = (struct proc_tree){ .is_live = path == NULL, .sysfs = -1 };
	tree->root = open(path ? path : "/proc", options);
	why = errno;
	text_shown(shown, sizeof(shown), str_of(path ? path : "/proc"), 120);
	if (tree->root < 0)
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot open %s: %s",
				 shown, strerror(why));
	if (path && faccessat(tree->root, "stat", F_OK, 0) != 0)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "%s is not a copy of /proc: no stat", shown);
	tree->sysfs = path ? openat(tree->root, "sysfs", options) : open("/sys", options);
	tree->user_hz = path ? 100 : (uint64_t)sysconf(_SC_CLK_TCK);
	tree->page_bytes = path ? 4096 : (uint64_t)sysconf(_SC_PAGESIZE);
	tree->minutes_west = path ? 0 : os_minutes_west();
	return ST_OK;
}

void proc_tree_close(struct proc_tree *tree)
{
	if (tree->root >= 0)
		close(tree->root);
	if (tree->sysfs >= 0)
		close(tree->sysfs);
	tree->root = tree->sysfs = -1;
	free(tree->text);
	tree->text = NULL;
	tree->text_room = 0;
}
