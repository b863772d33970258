/*
 * os_posix_signals.c - the signals of os.h, for Linux and other POSIX systems.
 *
 * The handler may come between any two instructions: it calls the system alone.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os.h"
#include "base/scope.h"

/* Written by the handler, read by all threads. */
static atomic_int caught_signal;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler may not take a lock");

/* Read by the handler. */
static atomic_int at_once, held;
static _Atomic(const char *) last_words, doomed;
_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "a handler may not take a lock");

/* For os_resume_interrupts(); set by programs alone: the library raises no signal. */
static void (*raise_held)(void);

/* --- removing an output from the handler --- */

/* How often to remove a folder: other threads may still add files to it. */
#define REMOVE_TRIES 8
#define FOLDERS_DEEP 8 /* those of Parquet are 4: TABLE/counters=/host=/date= */
/* Offsets of size and name in an entry of getdents64(). */
#define ENTRY_SIZE_AT 16
#define ENTRY_NAME_AT 19

static void remove_entry(int folder, const char *name, int depth);

static void empty_folder(int fd, int depth)
{
	_Alignas(uint64_t) char entries[2048];
	long got;

	while ((got = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		uint16_t size;

		for (long at = 0; at < got; at += size) {
			const char *name = entries + at + ENTRY_NAME_AT;

			memcpy(&size, entries + at + ENTRY_SIZE_AT, sizeof(size));
			if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
				remove_entry(fd, name, depth + 1);
		}
	}
}

static void remove_entry(int folder, const char *name, int depth)
{
	int fd;

	if (unlinkat(folder, name, 0) == 0 || depth > FOLDERS_DEEP)
		return;
	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (int tries = 0; fd >= 0 && tries < REMOVE_TRIES; tries++) {
		empty_folder(fd, depth);
		if (unlinkat(folder, name, AT_REMOVEDIR) == 0)
			break;
		(void)lseek(fd, 0, SEEK_SET);
	}
	if (fd >= 0)
		close(fd);
}

/* --- signals --- */

static void on_signal(int number)
{
	const char *path = doomed, *text = last_words;

	caught_signal = number;
	if (!at_once || held)
		return;
	if (path)
		remove_entry(AT_FDCWD, path, 0);
	if (text && write(STDERR_FILENO, text, strlen(text)) < 0)
		last_words = NULL; /* it is closed */
	signal(number, SIG_DFL);
	raise(number); /* when this returns */
}

/* nohup ignores it, and so do we. */
static void handle_hangup(void (*handler)(int))
{
	struct sigaction action;

	if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
		action = (struct sigaction){ .sa_handler = handler };
		sigaction(SIGHUP, &action, NULL);
	}
}

void os_catch_interrupts(void)
{
	/* No SA_RESTART: a read that waits on a pipe must come back. */
	struct sigaction action = { .sa_handler = on_signal };

	at_once = held = 0;
	raise_held = NULL;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	handle_hangup(on_signal);
	signal(SIGXFSZ, SIG_IGN); /* the write fails instead: EFBIG */
}

void os_release_interrupts(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	handle_hangup(SIG_DFL);
}

static void raise_caught(void)
{
	if (caught_signal)
		raise(caught_signal);
}

void os_end_at_interrupts(const char *text)
{
	held = 0;
	last_words = text;
	at_once = 1;
	raise_held = raise_caught;
	raise_caught();
}

void os_remove_at_interrupts(const char *path)
{
	doomed = path;
}

void os_hold_interrupts(void)
{
	held = 1;
}

void os_resume_interrupts(void)
{
	held = 0;
	if (raise_held)
		raise_held();
}

bool os_interrupted(void)
{
	struct scope *scope = scope_current();

	if (scope)
		return atomic_load_explicit(&scope->stop, memory_order_relaxed);
	return caught_signal != 0;
}

void os_die_of_interrupt(void)
{
	if (caught_signal) {
		signal(caught_signal, SIG_DFL);
		raise(caught_signal);
	}
}
