/*
 * sql_stop.c - a program with SQLite that ends queries of perftab.so early: by
 * interrupting them, before the first row too, and by LIMIT.
 *
 *	sql_stop EXTENSION TRACE FIFO
 *
 * TRACE is large; nothing else uses FIFO.  Prints the bytes that `LIMIT 1` has read.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "extension.h"

/* The connection can be used after an interruption. */
static void need_rows(const char *path)
{
	sqlite3_stmt *statement = ask("SELECT * FROM perftab_switches(?)", path);

	need(sqlite3_step(statement) == SQLITE_ROW, "a query after an interruption");
	sqlite3_finalize(statement);
}

/* --- between rows --- */

static void test_interruption_between_rows(const char *path)
{
	sqlite3_stmt *statement = ask("SELECT ts_ns FROM perftab_switches(?)", path);

	for (int i = 0; i < 1000; i++)
		need(sqlite3_step(statement) == SQLITE_ROW, "rows to interrupt");
	sqlite3_interrupt(db);
	need(sqlite3_step(statement) == SQLITE_INTERRUPT, "an interruption");
	sqlite3_finalize(statement);
	need_rows(path);
}

static int stop_at_third(void *calls)
{
	return ++*(int *)calls == 3;
}

static void test_progress_handler(const char *path)
{
	sqlite3_stmt *statement = ask("SELECT count(*) FROM perftab_switches(?)", path);
	int calls = 0;

	sqlite3_progress_handler(db, 1000, stop_at_third, &calls);
	need(sqlite3_step(statement) == SQLITE_INTERRUPT && calls == 3,
	     "a progress handler");
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_finalize(statement);
	need_rows(path);
}

/* --- before the first row --- */

/* A trace that never goes on. */
static int begin_fifo(const char *path)
{
	static const char head[] = "BeginHeader\r\n";
	int fd = open(path, O_RDWR);

	need(fd >= 0 && write(fd, head, strlen(head)) == (ssize_t)strlen(head), "FIFO");
	return fd;
}

/* The query has begun, and waits for more of the trace. */
static bool was_read(int fd)
{
	int left = 1;

	return ioctl(fd, FIONREAD, &left) == 0 && left == 0;
}

static void *interrupt_reader(void *fd)
{
	while (!was_read(*(int *)fd))
		usleep(1000);
	sqlite3_interrupt(db);
	return NULL;
}

static int stop_when_read(void *fd)
{
	return was_read(*(int *)fd);
}

static void test_interruption_of_waiting(const char *query, const char *path)
{
	int fd = begin_fifo(path);
	sqlite3_stmt *statement = ask(query, path);
	pthread_t thread;

	need(pthread_create(&thread, NULL, interrupt_reader, &fd) == 0, "a thread");
	need(sqlite3_step(statement) == SQLITE_INTERRUPT, query);
	pthread_join(thread, NULL);
	sqlite3_finalize(statement);
	close(fd);
	fd = begin_fifo(path);
	statement = ask(query, path);
	sqlite3_progress_handler(db, 1, stop_when_read, &fd);
	need(sqlite3_step(statement) == SQLITE_INTERRUPT, query);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_finalize(statement);
	close(fd);
}

/* --- LIMIT --- */

/* Of all threads, ever; less than 0: the kernel does not say. */
static long long bytes_read(void)
{
	long long bytes = -1;
	FILE *file = fopen("/proc/self/io", "r");

	if (file && fscanf(file, "rchar: %lld", &bytes) != 1)
		bytes = -1;
	if (file)
		fclose(file);
	return bytes;
}

static void test_limit(const char *path)
{
	long long before = bytes_read();
	sqlite3_stmt *statement = ask("SELECT * FROM perftab_switches(?) LIMIT 1", path);

	need(sqlite3_step(statement) == SQLITE_ROW, "LIMIT 1: no row");
	need(sqlite3_step(statement) == SQLITE_DONE, "LIMIT 1: more rows");
	sqlite3_finalize(statement);
	printf("%lld\n", before < 0 ? -1 : bytes_read() - before);
}

int main(int argc, char **argv)
{
	static const char *const queries[] = {
		"SELECT * FROM perftab_switches(?)",
		"SELECT * FROM perftab_samples(?)",
		"SELECT * FROM perftab_findings(?)",
		"SELECT * FROM perftab_table(?, 'thread')",
		"SELECT * FROM perftab_bill(?, 'process')",
	};

	if (argc != 4)
		return 1;
	open_with(argv[1]);
	test_limit(argv[2]);
	test_interruption_between_rows(argv[2]);
	test_progress_handler(argv[2]);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		test_interruption_of_waiting(queries[i], argv[3]);
	return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
