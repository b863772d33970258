/*
 * rows.c - how many rows of each table libperftab gives, and how much it reads for one.
 *
 *	library_rows FILE	prints "TABLE|ROWS" for each table
 *	library_rows --first FILE	reads by a callback until the first switch, and
 *				prints the bytes read
 */
#include <perftab/perftab.h>
#include <stdio.h>
#include <string.h>

#define TABLES_MAX 256

struct table {
	char name[64];
	long long rows;
};

static void count_row(struct table tables[TABLES_MAX], const char *name)
{
	struct table *table = tables;

	while (table->rows && strcmp(table->name, name) != 0)
		table++;
	snprintf(table->name, sizeof(table->name), "%s", name);
	table->rows++;
}

static int count_rows(const char *path)
{
	static struct table tables[TABLES_MAX + 1];
	struct perftab *trace;
	int status = perftab_open(&trace, path, NULL);

	while (status >= PERFTAB_OK && (status = perftab_next(trace)) == PERFTAB_ROW &&
	       !tables[TABLES_MAX - 1].rows)
		count_row(tables, perftab_table(trace));
	if (status != PERFTAB_DONE)
		fprintf(stderr, "%s: %s\n", path, perftab_error(trace));
	for (const struct table *table = tables; table->rows; table++)
		printf("%s|%lld\n", table->name, table->rows);
	perftab_close(trace);
	return status != PERFTAB_DONE;
}

struct source {
	FILE *file;
	long long read;
};

static ptrdiff_t read_some(void *context, void *to, size_t room)
{
	struct source *source = context;
	size_t size = fread(to, 1, room, source->file);

	source->read += (long long)size;
	return ferror(source->file) ? -1 : (ptrdiff_t)size;
}

static int read_first(const char *path)
{
	struct perftab_options options = PERFTAB_OPTIONS;
	struct source source = { fopen(path, "rb"), 0 };
	struct perftab *trace;
	int status;

	if (!source.file) {
		perror(path);
		return 1;
	}
	options.tables = "context_switch";
	options.flags = PERFTAB_NO_SANDBOX; /* which valgrind needs */
	status = perftab_open_read(&trace, path, read_some, &source, &options);
	if (status == PERFTAB_OK)
		status = perftab_next(trace);
	if (status != PERFTAB_ROW)
		fprintf(stderr, "%s: %s\n", path, perftab_error(trace));
	perftab_close(trace);
	fclose(source.file);
	printf("%lld\n", source.read);
	return status != PERFTAB_ROW;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return count_rows(argv[1]);
	if (argc == 3 && strcmp(argv[1], "--first") == 0)
		return read_first(argv[2]);
	fputs("usage: library_rows [--first] FILE\n", stderr);
	return 2;
}
