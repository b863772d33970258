/* output_name.c - endings that databases do not have. */
#include "output_name.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

const char *output_name_hint(const char *path)
{
	static const struct {
		const char *ending, *what;
	} formats[] = {
		{ ".csv", "CSV is a directory of files: --to csv -o DIR" },
		{ ".json", "perftab-analyze --json prints a bill as JSON" },
		{ ".txt", "perftab-analyze prints a bill as text" },
		{ ".html", "expected a name such as x.db" },
		{ ".parquet", "Parquet is a tree of files: --to parquet -o DIR" },
		{ ".data", "expected a name such as x.db" },
		{ ".etl", "expected a name such as x.db" },
		{ ".blg", "expected a name such as x.db" },
		{ ".plb", "expected a name such as x.db" },
		{ ".gz", "pack it when it is complete: gzip x.db" },
		{ ".zst", "pack it when it is complete: zstd x.db" },
	};
	size_t length = path ? strlen(path) : 0;

	for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
		size_t bytes = strlen(formats[i].ending);

		if (length > bytes &&
		    strcasecmp(path + length - bytes, formats[i].ending) == 0)
			return formats[i].what;
	}
	return NULL;
}
