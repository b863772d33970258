/*
 * os.h - common names for the system functions that differ between Linux and Windows.
 *
 * os_posix*.c and os_windows*.c implement it; other code that runs on both includes no
 * header of a system but pthread.h.  Names of files are UTF-8 everywhere.  Functions that
 * fail set errno.
 */
#ifndef PERFTAB_OS_H
#define PERFTAB_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * SIGINT, SIGTERM and, where it is not ignored, SIGHUP set a flag instead of ending the
 * program; a write beyond the limit of a file's size fails instead.
 */
void os_catch_interrupts(void);
/* Returns whether a signal was caught; in a scope (scope.h), whether that is to stop. */
bool os_interrupted(void);
/* Undoes os_catch_interrupts(): the signals end the program again. */
void os_release_interrupts(void);
/*
 * From here on a signal ends the program at once, wherever it is, and prints the text,
 * which stays valid (NULL: none).  On Windows it always sets the flag.
 */
void os_end_at_interrupts(const char *text);
/* Path of a file or folder that the signal handler deletes first; NULL: none. */
void os_remove_at_interrupts(const char *path);
/* Signals only set the flag until os_resume_interrupts() or os_end_at_interrupts(). */
void os_hold_interrupts(void);
void os_resume_interrupts(void);
/* Ends the program as the caught signal would have, after cleaning up. */
void os_die_of_interrupt(void);

/* Makes a write to a pipe without a reader fail instead of ending the program. */
void os_ignore_closed_pipes(void);
/* Whether a write to this descriptor failed with that errno for this reason. */
bool os_is_closed_pipe(FILE *file, int number);
/* Whether this descriptor is a pipe whose reader closed it.  On Windows always false. */
bool os_is_unread(int fd);

/* Seconds of a monotonic clock. */
double os_seconds(void);

/* Sleeps until os_seconds() reaches this value or a signal comes. */
void os_sleep_until(double seconds);

/* The wall clock in units of 100 ns since 1601, UTC; minutes of UTC less local time. */
int64_t os_wall_100ns(void);
int32_t os_minutes_west(void);

/* Standard input, output and error output, as descriptors. */
enum os_standard { OS_STDIN, OS_STDOUT, OS_STDERR };

/*
 * For programs, before they open anything: those of the three that are closed become
 * /dev/null, so that no file gets their numbers, which SQLite refuses.  Reads and writes
 * of them still fail.  Does nothing on Windows.
 */
void os_fill_standard(void);

/* Creates an empty file to write bytes to. */
FILE *os_create_file(const char *path);
/* Opens a file to read its bytes. */
FILE *os_open_stream(const char *path);
/* A stream for writing to a duplicate of the descriptor. */
FILE *os_stream_of(int fd);
/*
 * A descriptor to write the bytes of a recording to: a new file that only the user can
 * read.  A file of that name that has bytes is renamed to NAME.old, in place of an older
 * one; pipes and devices are opened as they are.  Refuses links to files, and empty files
 * that others own or that have another name.  -1: *why in words.
 */
int os_open_output(const char *path, const char **why);

/* Unpredictable bits. */
uint64_t os_random(void);

/* Whether file descriptor 0, 1 or 2 is a terminal. */
bool os_is_terminal(int fd);
/*
 * Gets columns and lines of the terminal that a descriptor refers to; 0: unknown.
 */
void os_terminal_size(int fd, int *columns, int *lines);

/*
 * A stream whose bytes are *text when os_close_text() has ended it, and a NUL after
 * them.  *text is to be freed however the stream was closed; fclose() drops the bytes.
 */
FILE *os_open_text(char **text, size_t *size);
bool os_close_text(FILE *stream, char **text, size_t *size);

/* --- memory, CPUs, signals of threads --- */

/*
 * To be freed by free().  The size is a multiple of the alignment.  Windows aligns to 16
 * bytes at most: a larger alignment must matter for speed only.
 */
void *os_alloc_aligned(size_t alignment, size_t size);
/* Asks for large pages, which save thousands of page faults. */
void os_prefer_large_pages(void *memory, size_t size);
/* Before free(): returns whole pages to the system at once, whatever free() does. */
void os_drop_pages(void *memory, size_t size);
/*
 * Has malloc() use large pages from here on, where the system has them.  For programs,
 * before they start a thread.
 */
void os_use_large_pages(void);
/* Returns whole free pages of the heap to the system. */
void os_trim_heap(void);
/* Returns zeroed memory in large pages, where the system has them; NULL: failed. */
void *os_alloc_large(size_t size);
void os_free_large(void *memory, size_t size);
/* CPUs that this process may use; 0: unknown. */
size_t os_cpu_count(void);

/* A thread that is started between these two leaves signals to the main thread. */
struct os_signals {
	uint64_t bits[16];
};
void os_block_signals(struct os_signals *before);
void os_restore_signals(const struct os_signals *before);
/* Has the calling thread print numbers with a point, whatever locale a host has set. */
void os_use_c_locale(void);

/* --- names --- */

bool os_is_absolute(const char *path);
/* Whether the character separates folders; on Windows two characters do. */
bool os_is_separator(char c);
/* Returns the part after the last separator. */
const char *os_base_name(const char *path);
/*
 * Folders for temporary files, best first: those of SQLITE_TMPDIR and TMPDIR, then the
 * system's.  NULL: there is no folder of that number.
 */
#define OS_TEMPORARY_FOLDERS 4
const char *os_temporary_folder(size_t number);
/* For libraries that read the environment; false: out of memory. */
bool os_set_environment(const char *name, const char *value);

/* --- files --- */

enum os_kind { OS_FILE, OS_FOLDER, OS_LINK, OS_OTHER };

struct os_info {
	enum os_kind kind;
	bool is_own; /* belongs to the user of this process */
	uint64_t size;
	uint64_t volume, number; /* the same for all names of a file */
	uint64_t names;
};

enum os_access {
	OS_READ,
	OS_READ_AT_ONCE, /* without waiting for the writer of a pipe */
	OS_READ_PLAIN,	 /* not a link, and without waiting for the writer of a pipe */
	OS_CHANGE,	 /* reads and writes a file, not a link */
	OS_CREATE,	 /* reads and writes a new file that only the user can open */
};

/* A descriptor, or -1. */
int os_open(const char *path, enum os_access access);
/* Opens a new file to read and write, deleted when it is closed or the program ends. */
int os_create_hidden(const char *path);
/* As os_create_hidden(), in a folder, under a new name. */
int os_create_temporary(const char *folder);
bool os_close(int fd);

/* Return bytes; 0: the end; -1: failed, with EINTR if the call should be repeated. */
ptrdiff_t os_read(int fd, void *to, size_t size);
ptrdiff_t os_write(int fd, const void *from, size_t size);
/*
 * Waits until os_read() would not block, at most `milliseconds`; -1: for ever.  False: it
 * still would, or a signal came.  Always true on Windows.
 */
bool os_wait_to_read(int fd, int milliseconds);
/*
 * As os_read() and os_write(), at an offset.  On Windows they move the position of
 * os_read(): use a descriptor in one of the two ways.
 */
ptrdiff_t os_read_at(int fd, void *to, size_t size, uint64_t offset);
ptrdiff_t os_write_at(int fd, const void *from, size_t size, uint64_t offset);

/*
 * Write or read all of the bytes, in as many calls as needed.  False: failed, with errno
 * set; EIO where the file ends before the bytes do.
 */
bool os_write_all(int fd, const void *from, size_t size);
bool os_write_all_at(int fd, const void *from, size_t size, uint64_t offset);
bool os_read_all(int fd, void *to, size_t size);
bool os_read_all_at(int fd, void *to, size_t size, uint64_t offset);

struct os_piece {
	void *bytes;
	size_t size;
};

/*
 * Writes pieces one after the other, at least one, and as many as one call handles.
 * Returns the bytes written.
 */
ptrdiff_t os_write_pieces_at(int fd, const struct os_piece *pieces, size_t count,
			     uint64_t offset);

/*
 * Room on the disk that a growing file asks for ahead of its writes: ext4 then looks for
 * blocks once for many writes, which take 0.6 of the time.  Zeroed at the start.
 */
struct os_room {
	uint64_t end;	 /* offset of its end in the file */
	bool is_refused; /* the file system has no such room */
};

/* Call it before a write that ends at `end`.  Does nothing on other file systems. */
void os_reserve(int fd, struct os_room *room, uint64_t end);
/* Releases room that was not written to; the size of the file does not change. */
void os_give_back(int fd, struct os_room *room);

bool os_seek(int fd, uint64_t offset);
/* Returns the offset of the next read or write; 0: unknown. */
uint64_t os_position(int fd);
/* Announces that the file is read from begin to end. */
void os_expect_sequential(int fd);

bool os_inspect(int fd, struct os_info *info);
/* Inspects the file, or the target of a link. */
bool os_inspect_path(const char *path, struct os_info *info);
/* Inspects the file or the link itself. */
bool os_inspect_name(const char *path, struct os_info *info);
bool os_is_same(const struct os_info *a, const struct os_info *b);

/*
 * Locks a file against other processes until it is closed.  False with EWOULDBLOCK:
 * another process has the lock.
 */
bool os_lock(int fd);
/* Flushes to the disk; true where the system has no such function. */
bool os_sync(int fd);
/* Sets POSIX permissions; does nothing on Windows. */
bool os_set_mode(int fd, unsigned int mode);

/* Renames, over a file or an empty folder that has the name. */
bool os_move(const char *from, const char *to);
/* Renames unless the name is in use; in one step if the system can. */
bool os_move_if_free(const char *from, const char *to);
/* Exchanges two names; false with ENOSYS or EINVAL where the system cannot. */
bool os_exchange(const char *one, const char *other);
bool os_remove_file(const char *path);
bool os_remove_folder(const char *path);
/* Makes a folder that only the user can open. */
bool os_make_folder(const char *path);
/* Whether files can be made in the folder. */
bool os_is_writable_folder(const char *path);
/* Flushes the names in a folder; true where that is impossible. */
bool os_sync_folder(const char *path);

/* --- folders: files are named relative to an open one, not by paths --- */

struct os_folder;

struct os_folder *os_folder_open(const char *path);
/* Opens a folder in another one, or at a path (folder NULL); refuses links. */
struct os_folder *os_folder_open_in(struct os_folder *folder, const char *name);
void os_folder_close(struct os_folder *folder);
/* The name of the next entry except . and ..; NULL at the end. */
const char *os_folder_next(struct os_folder *folder);
void os_folder_rewind(struct os_folder *folder);
/* Announces that the folder has another path now. */
void os_folder_moved(struct os_folder *folder, const char *path);
/* As the functions for descriptors. */
bool os_folder_inspect(struct os_folder *folder, struct os_info *info);
bool os_folder_lock(struct os_folder *folder);
bool os_folder_sync(struct os_folder *folder);
bool os_folder_set_mode(struct os_folder *folder, unsigned int mode);

/* As the functions for paths; a link itself is inspected and removed. */
bool os_inspect_in(struct os_folder *folder, const char *name, struct os_info *info);
int os_open_in(struct os_folder *folder, const char *name, enum os_access access);
bool os_make_folder_in(struct os_folder *folder, const char *name);
bool os_move_in(struct os_folder *folder, const char *from, const char *to);
bool os_remove_file_in(struct os_folder *folder, const char *name);
bool os_remove_folder_in(struct os_folder *folder, const char *name);

#endif
