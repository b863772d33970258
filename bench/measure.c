/*
 * measure.c - runs a command and prints what it took.
 *
 *   measure COMMAND [ARGUMENT...]
 *
 * One line on descriptor 3: seconds of wall time, seconds of CPU (user and kernel)
 * and the peak of resident memory in MiB.  Exits as the command did.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	double started = now();
	struct rusage usage;
	int status;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr,
			"usage: measure COMMAND [ARGUMENT...]   (result on descriptor 3)\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		close(3);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("measure");
		return 1;
	}
	dprintf(3, "%.3f %.3f %.1f\n", now() - started,
		seconds(usage.ru_utime) + seconds(usage.ru_stime),
		(double)usage.ru_maxrss / 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
