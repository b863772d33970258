/*
 * switch_load.c - context switches at a steady rate, on all CPUs.
 *
 *   switch_load SWITCHES_PER_SECOND SECONDS
 *
 * On each CPU two processes hand a byte there and back through pipes, each time two
 * switches, in bursts of a millisecond each.  Prints how many switches they made.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BURST_NS 1000000
#define NS_PER_S INT64_C(1000000000)

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
		die("switch_load: clock_gettime");
	return time.tv_sec * NS_PER_S + time.tv_nsec;
}

static void sleep_until(int64_t at_ns)
{
	const struct timespec at = { at_ns / NS_PER_S, at_ns % NS_PER_S };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		die("switch_load: sched_setaffinity");
}

/* Sends back each byte until there are no more. */
static _Noreturn void answer(const int *in, const int *out)
{
	char byte;

	prctl(PR_SET_NAME, "load-answer");
	close(in[1]);
	close(out[0]);
	while (read(in[0], &byte, 1) == 1)
		if (write(out[1], &byte, 1) != 1)
			break;
	_exit(0);
}

static void exchange(int to, int from)
{
	char byte = 0;

	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		die("switch_load: pipe");
}

/* Of one CPU; ends with the process. */
static _Noreturn void ask(int cpu, double rounds_per_burst, int64_t end_ns)
{
	int there[2], back[2];
	int64_t at_ns = now_ns();
	double due = 0;

	move_to(cpu);
	if (pipe(there) != 0 || pipe(back) != 0)
		die("switch_load: pipe");
	switch (fork()) {
	case -1:
		die("switch_load: fork");
	case 0:
		answer(there, back);
	default:
		break;
	}
	prctl(PR_SET_NAME, "load-ask");
	close(there[0]);
	close(back[1]);
	for (; at_ns < end_ns; at_ns += BURST_NS) {
		for (due += rounds_per_burst; due >= 1; due--)
			exchange(there[1], back[0]);
		if (now_ns() >
		    at_ns + NS_PER_S) /* cannot keep up: no burst is made up for */
			at_ns = now_ns();
		sleep_until(at_ns + BURST_NS);
	}
	close(there[1]);
	wait(NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	double rate = argc == 3 ? atof(argv[1]) : 0;
	int64_t seconds = argc == 3 ? atoll(argv[2]) : 0, end_ns;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct rusage used;

	if (rate < 1 || rate > 1e7 || seconds < 1 || seconds > 86400) {
		fprintf(stderr, "usage: switch_load SWITCHES_PER_SECOND SECONDS\n");
		return 2;
	}
	end_ns = now_ns() + seconds * NS_PER_S;
	for (int cpu = 0; cpu < cpus; cpu++) {
		pid_t child = fork();

		if (child == -1)
			die("switch_load: fork");
		if (child == 0)
			ask(cpu, rate / (double)cpus / 2 * BURST_NS / NS_PER_S, end_ns);
	}
	while (wait(NULL) > 0)
		;
	if (getrusage(RUSAGE_CHILDREN, &used) != 0)
		die("switch_load: getrusage");
	printf("%ld\n", used.ru_nvcsw + used.ru_nivcsw);
	return 0;
}
