/* output_name.c - what the ending of an output's name says. */
#include "output_name.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

const struct output_name *output_name_find(const char *path)
{
	static const struct output_name names[] = {
		{ ".folded", "folded", NULL },
		{ ".speedscope.json", "speedscope", NULL },
		{ ".pftrace", "perfetto", NULL },
		{ ".perfetto-trace", "perfetto", NULL },
		{ ".native", "clickhouse", NULL },
		{ ".csv", NULL, "CSV is a directory of files: --to csv -o DIR" },
		{ ".tsv", NULL, "CSV is a directory of files: --to csv -o DIR" },
		{ ".json", NULL, "perftab-analyze --json prints a bill as JSON" },
		{ ".txt", NULL, "perftab-analyze prints a bill as text" },
		{ ".html", NULL, "expected a name such as x.db" },
		{ ".svg", NULL, "stacks for flame graphs: -o x.folded" },
		{ ".pb", NULL, "a trace for Perfetto: -o x.pftrace" },
		{ ".parquet", NULL, "Parquet is a tree of files: --to parquet -o DIR" },
		{ ".arrow", NULL, "Parquet is a tree of files: --to parquet -o DIR" },
		{ ".duckdb", NULL, "DuckDB reads Parquet: --to parquet -o DIR" },
		{ ".data", NULL, "expected a name such as x.db" },
		{ ".etl", NULL, "expected a name such as x.db" },
		{ ".blg", NULL, "expected a name such as x.db" },
		{ ".plb", NULL, "expected a name such as x.db" },
		{ ".gz", NULL, "pack it when it is complete: gzip x.db" },
		{ ".zst", NULL, "pack it when it is complete: zstd x.db" },
	};
	size_t length = path ? strlen(path) : 0;

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		size_t bytes = strlen(names[i].ending);

		if (length > bytes &&
		    strcasecmp(path + length - bytes, names[i].ending) == 0)
			return &names[i];
	}
	return NULL;
}
