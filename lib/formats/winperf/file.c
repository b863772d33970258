/*
 * file.c - files of V1 blocks: what RegQueryValueEx(HKEY_PERFORMANCE_DATA)
 * returned, one block or several, one after the other.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "formats/formats.h"
#include "formats/winperf/winperf.h"

struct winperf_file {
	struct winperf winperf;
	struct input_bytes block;
	struct emit emit;
	bool ended;
	struct trace_row trace;
};

static int winperf_file_probe(const uint8_t *head, size_t len)
{
	static const uint8_t begin[12] = { 'P', 0, 'E', 0, 'R', 0, 'F', 0, 1 };

	return len >= sizeof(begin) && memcmp(head, begin, sizeof(begin)) == 0 ? 95 : 0;
}

static enum status winperf_file_open(struct reader *reader)
{
	struct winperf_file *file = reader->state;
	struct trace_row *trace = &file->trace;

	winperf_init(&file->winperf, &reader->findings, &file->emit);
	reader_describe(reader, &file->winperf.registry.arena, trace);
	trace->format = STR("perflib");
	trace->form = STR("V1 blocks");
	trace->byte_order = STR("little-endian");
	trace->clock = STR("QPC");
	return ST_OK;
}

static void winperf_file_close(struct reader *reader)
{
	struct winperf_file *file = reader->state;

	emit_release(&file->emit);
	winperf_release(&file->winperf);
	free(file->block.bytes);
}

/* --- bytes into memory --- */

/* What is left cannot be read. */
static enum status skip_rest(struct reader *reader, enum finding_kind kind,
			     uint64_t offset, const char *what)
{
	uint64_t end;

	while (input_peek_some(&reader->input, 1) > 0)
		input_consume(&reader->input, input_buffered(&reader->input));
	end = reader->input.offset;
	finding_gap(&reader->findings, kind, offset, end, "%" PRIu64 " bytes %s",
		    end - offset, what);
	return reader->error.status < ST_OK ? reader->error.status : ST_END;
}

/* The next block; ST_END: there is none. */
static enum status read_block(struct reader *reader)
{
	struct winperf_file *file = reader->state;
	uint64_t offset = reader->input.offset;
	size_t there = input_peek_some(&reader->input, WINPERF_HEADER_BYTES), loaded;
	uint32_t claimed;
	enum status status;

	if (reader->error.status < ST_OK)
		return reader->error.status;
	if (there == 0)
		return ST_END;
	claimed =
		winperf_block_bytes(cursor_over(reader->input.pos, there, offset, false));
	if (claimed > WINPERF_BLOCK_BYTES_MAX)
		return skip_rest(reader, FINDING_PERF_BLOCK_SIZE, offset,
				 "that begin with a block over the size limit");
	if (claimed < WINPERF_HEADER_BYTES)
		return skip_rest(reader, FINDING_PERF_BLOCK_HEADER, offset,
				 "that do not begin with the header of a block");
	status = input_copy_out(&reader->input, claimed, &file->block, &loaded);
	if (status != ST_OK)
		return status;
	if (loaded < claimed)
		finding_report(&reader->findings, FINDING_TRUNCATED, offset + loaded,
			       "a block of %u bytes, of which %zu are there", claimed,
			       loaded);
	winperf_begin_block(&file->winperf,
			    cursor_over(file->block.bytes, loaded, offset, false),
			    INT_NONE);
	return ST_OK;
}

/* --- after the last snapshot --- */

static void describe_trace(struct reader *reader)
{
	struct winperf_file *file = reader->state;
	struct trace_row *trace = &file->trace;

	winperf_describe(&file->winperf, trace);
	trace->status = findings_completeness(&reader->findings);
	if (trace->bytes == INT_NONE)
		trace->bytes = (int64_t)reader->input.offset;
}

static void end_of_file(struct reader *reader)
{
	struct winperf_file *file = reader->state;

	file->ended = true;
	describe_trace(reader);
	emit_push(&file->emit,
		  &(struct record){ .kind = RECORD_trace, .data = &file->trace });
}

static enum status winperf_file_next(struct reader *reader, struct record *out)
{
	struct winperf_file *file = reader->state;

	for (;;) {
		enum status status = winperf_next(&file->winperf, out, &reader->error);

		if (status != ST_END || file->ended)
			return status;
		status = reader_interrupted(reader) ? ST_INTERRUPTED : read_block(reader);
		if (status == ST_END)
			end_of_file(reader);
		else if (status != ST_OK)
			return status;
	}
}

const struct reader_ops winperf_reader = {
	.name = "winperf",
	.state_size = sizeof(struct winperf_file),
	.probe = winperf_file_probe,
	.open = winperf_file_open,
	.next = winperf_file_next,
	.close = winperf_file_close,
};
