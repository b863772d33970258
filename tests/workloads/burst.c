/*
 * burst.c - very many processes or threads that hardly live.
 *
 *   burst [-t] COUNT [NAME]
 *
 * Each child sets the NAME ("burst-child"), touches a page and ends; never more than 32
 * at a time.  -t: threads of one process instead, one after another.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_A_TIME 32

static void *live(void *name)
{
	volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	prctl(PR_SET_NAME, name);
	if (page != MAP_FAILED)
		page[0] = 1;
	return NULL;
}

static int run_threads(long count, char *name)
{
	for (long i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, live, name) != 0) {
			fputs("burst: cannot create a thread\n", stderr);
			return 1;
		}
		pthread_join(thread, NULL);
	}
	return 0;
}

static int run_processes(long count, char *name)
{
	long alive = 0;

	for (long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0) {
			live(name);
			_exit(0);
		}
		if (child < 0) {
			perror("burst: fork");
			return 1;
		}
		if (++alive == AT_A_TIME && wait(NULL) > 0)
			alive--;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	bool is_threads = argc > 1 && strcmp(argv[1], "-t") == 0;
	char own_name[] = "burst-child", *name = own_name;
	long count;

	argv += is_threads;
	argc -= is_threads;
	count = argc > 1 ? atol(argv[1]) : 0;
	if (argc > 2)
		name = argv[2];
	if (count <= 0) {
		fputs("usage: burst [-t] COUNT [NAME]\n", stderr);
		return 2;
	}
	return is_threads ? run_threads(count, name) : run_processes(count, name);
}
