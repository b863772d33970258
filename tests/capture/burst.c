/*
 * burst.c - very many processes that hardly live.
 *
 *   burst COUNT [NAME]
 *
 * Each child sets the NAME ("burst-child"), touches a page and ends; never more than 32
 * at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_A_TIME 32

static _Noreturn void live(const char *name)
{
	volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	prctl(PR_SET_NAME, name);
	if (page != MAP_FAILED)
		page[0] = 1;
	_exit(0);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0, alive = 0;

	if (count <= 0) {
		fprintf(stderr, "usage: burst COUNT [NAME]\n");
		return 2;
	}
	for (long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0)
			live(argc > 2 ? argv[2] : "burst-child");
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
