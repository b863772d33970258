/* os_posix.c - os.h for Linux and other POSIX systems. */
#include "core/os.h"

#include <signal.h>
#include <stddef.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t caught_signal;

static void on_signal(int number)
{
	caught_signal = number;
}

void os_catch_interrupts(void)
{
	/* No SA_RESTART: a read that waits on a pipe must come back. */
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool os_interrupted(void)
{
	return caught_signal != 0;
}

void os_die_of_interrupt(void)
{
	if (caught_signal) {
		signal(caught_signal, SIG_DFL);
		raise(caught_signal);
	}
}

double os_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t os_random(void)
{
	uint64_t bits = 0;

	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits))
		bits = (uint64_t)(os_seconds() * 1e9);
	return bits;
}

bool os_is_terminal(int fd)
{
	return isatty(fd) == 1;
}
