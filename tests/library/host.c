/*
 * host.c - a program that uses libperftab, for tests.
 *
 *	library_host [--plain] [--threads] FILE...
 *
 * Prints for each file, in their order, its last status, the number of its rows and a sum
 * over all their cells.  --plain: without a sandbox; --threads: all files at once, each
 * in a thread.  Exits with 1 if the library ended the program, caught a signal or printed
 * anything.
 */
#include <inttypes.h>
#include <locale.h>
#include <perftab/perftab.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX 256

struct reading {
	const char *path;
	unsigned int flags;
	int status;
	long long rows;
	uint64_t sum;
	char error[256];
};

static bool has_finished;

static void at_exit(void)
{
	if (!has_finished)
		_exit(1);
}

static uint64_t add_text(uint64_t sum, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sum = sum * 31 + (unsigned char)text[i];
	return sum;
}

static uint64_t add_cell(uint64_t sum, struct perftab *trace, int column)
{
	size_t length;
	const char *text = perftab_text(trace, column, &length);

	switch (perftab_type(trace, column)) {
	case PERFTAB_INTEGER:
		return sum * 31 + (uint64_t)perftab_int(trace, column);
	case PERFTAB_REAL:
		return sum * 31 + (uint64_t)(perftab_real(trace, column) * 1000);
	case PERFTAB_TEXT:
	case PERFTAB_BLOB:
		return add_text(sum, text, length);
	default:
		return sum * 31 + 7;
	}
}

static void *read_all(void *context)
{
	struct reading *reading = context;
	struct perftab_options options = PERFTAB_OPTIONS;
	struct perftab *trace;

	options.flags = reading->flags;
	if (perftab_open(&trace, reading->path, &options) == PERFTAB_OK)
		while (perftab_next(trace) == PERFTAB_ROW) {
			reading->rows++;
			for (int i = 0; i < perftab_columns(trace); i++)
				reading->sum = add_cell(reading->sum, trace, i);
		}
	reading->status = perftab_status(trace);
	snprintf(reading->error, sizeof(reading->error), "%s", perftab_error(trace));
	perftab_close(trace);
	return NULL;
}

static bool has_handlers(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGPIPE, SIGSEGV, SIGABRT };
	struct sigaction action;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &action) != 0 ||
		    action.sa_handler != SIG_DFL)
			return true;
	return false;
}

static bool read_files(struct reading *readings, int count, bool at_once)
{
	static pthread_t threads[FILES_MAX];

	for (int i = 0; i < count; i++)
		if (!at_once)
			read_all(&readings[i]);
		else if (pthread_create(&threads[i], NULL, read_all, &readings[i]) != 0)
			return false;
	for (int i = 0; at_once && i < count; i++)
		pthread_join(threads[i], NULL);
	return true;
}

int main(int argc, char **argv)
{
	static struct reading readings[FILES_MAX];
	bool at_once = false;
	unsigned int flags = 0;
	int first = 1, count;

	for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
		at_once |= strcmp(argv[first], "--threads") == 0;
		if (strcmp(argv[first], "--plain") == 0)
			flags = PERFTAB_NO_SANDBOX;
	}
	count = argc - first < FILES_MAX ? argc - first : FILES_MAX;
	atexit(at_exit);
	setlocale(LC_ALL, ""); /* as programs with windows do */
	for (int i = 0; i < count; i++)
		readings[i] = (struct reading){ .path = argv[first + i], .flags = flags };
	if (!read_files(readings, count, at_once) || has_handlers())
		return 1;
	for (int i = 0; i < count; i++)
		printf("%s %d %lld %016" PRIx64 "%s%s\n", readings[i].path,
		       readings[i].status, readings[i].rows, readings[i].sum,
		       readings[i].error[0] ? " " : "", readings[i].error);
	has_finished = true;
	return 0;
}
