/* metadata.c - keys of a Parquet footer; see metadata.h. */
#include "output/parquet/metadata.h"

#include "base/text.h"
#include "schema.h"

#define QUOTED(number) #number
#define TEXT_OF(number) QUOTED(number)

static bool add_line(struct bytes *to, struct str name, struct str value)
{
	bytes_put(to, name.ptr, name.len);
	bytes_put(to, "=", 1);
	bytes_put(to, value.ptr, value.len);
	bytes_put(to, "\n", 1);
	return !to->failed;
}

bool metadata_add_finding(struct metadata *metadata, const struct finding_row *row)
{
	char count[TEXT_INT_MAX + 1];

	return add_line(&metadata->findings, row->kind,
			(struct str){ count, text_int(count, row->count) });
}

bool metadata_add_counter(struct metadata *metadata, const struct counter_row *row)
{
	return !row->unit.ptr || add_line(&metadata->units, row->name, row->unit);
}

static void add_key(struct metadata *metadata, const char *name, struct str value)
{
	if (value.ptr)
		metadata->keys[metadata->count++] = (struct parquet_key){ name, value };
}

/* Keys are UTF-8 in Parquet. */
static struct str copy(struct metadata *metadata, struct str text, bool *is_complete)
{
	struct str own = text.ptr ? text_valid_utf8(&metadata->arena, text) : STR_NONE;

	*is_complete &= !text.ptr || own.ptr;
	return own;
}

static struct str copy_number(struct metadata *metadata, int64_t number,
			      bool *is_complete)
{
	char digits[TEXT_INT_MAX];
	struct str text = { digits, 0 };

	if (number == INT_NONE)
		return STR_NONE;
	text.len = text_int(digits, number);
	return copy(metadata, text, is_complete);
}

static struct str copy_lines(struct metadata *metadata, const struct bytes *lines,
			     bool *is_complete)
{
	struct str text = { (const char *)lines->data, lines->size };

	return copy(metadata, text, is_complete);
}

bool metadata_end(struct metadata *metadata, const struct trace_row *trace)
{
	bool done = true;

	metadata->count = 0;
	add_key(metadata, "perftab.schema_version", STR(TEXT_OF(SCHEMA_VERSION)));
	add_key(metadata, "perftab.path", copy(metadata, trace->path, &done));
	add_key(metadata, "perftab.format", copy(metadata, trace->format, &done));
	add_key(metadata, "perftab.status", copy(metadata, trace->status, &done));
	add_key(metadata, "perftab.host", copy(metadata, trace->host, &done));
	add_key(metadata, "perftab.clock", copy(metadata, trace->clock, &done));
	add_key(metadata, "perftab.wall_offset_ns",
		copy_number(metadata, trace->wall_offset_ns, &done));
	add_key(metadata, "perftab.units", copy_lines(metadata, &metadata->units, &done));
	add_key(metadata, "perftab.findings",
		copy_lines(metadata, &metadata->findings, &done));
	return done;
}

void metadata_release(struct metadata *metadata)
{
	bytes_release(&metadata->findings);
	bytes_release(&metadata->units);
	arena_release(&metadata->arena);
	*metadata = (struct metadata){ .count = 0 };
}
