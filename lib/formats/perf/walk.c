/*
 * walk.c - the walk over the records of a perf.data.
 *
 * Rows that a record needs, or that come from the same record, are emitted while it is
 * decoded (model/emit.h).  Rows about the trace come first, counts and the trace itself
 * last.  Bytes that are not records are skipped up to the next record, and reported.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "formats/perf/records.h"
#include "formats/perf/tracepoints.h"

/* --- gaps --- */

/* Reports the gap that was skipped last.  at_end: nothing follows it. */
static void report_gap(struct reader *reader, bool at_end)
{
	struct perf *perf = reader->state;
	struct perf_gap *gap = &perf->walk.gap;
	uint64_t from = perf_source_offset(&perf->source, gap->from),
		 to = perf_source_offset(&perf->source, gap->to);
	char reason[PERF_FAULT_BYTES];

	if (gap->from == gap->to)
		return;
	if (to < from || to - from > gap->to - gap->from)
		to = from + (gap->to - gap->from);
	perf_print_fault(reason, gap->fault, gap->value);
	if (at_end &&
	    (gap->fault == PERF_FAULT_OVER_END || perf->source.data_end != UINT64_MAX))
		finding_gap(&reader->findings, FINDING_TRUNCATED, from, to,
			    "the file ends at 0x%llx, inside a record",
			    (unsigned long long)to);
	else
		finding_gap(&reader->findings, FINDING_BAD_RECORD, from, to,
			    "record at 0x%llx: %s; %llu bytes skipped",
			    (unsigned long long)from, reason,
			    (unsigned long long)(gap->to - gap->from));
	gap->from = gap->to;
}

static void skip_gap(struct reader *reader, const struct perf_gap *next)
{
	struct perf *perf = reader->state;
	uint64_t end = perf->source.in->offset + input_buffered(perf->source.in);
	uint64_t to = next->to < end ? next->to : end;

	if (next->from != perf->walk.gap.to || !perf->walk.gap.fault ||
	    perf->walk.gap.from == perf->walk.gap.to) {
		report_gap(reader, false);
		perf->walk.gap = *next;
		if (!perf->walk.gap.fault) /* goes on from the block before */
			perf->walk.gap.fault = PERF_FAULT_REST;
	}
	perf->walk.gap.to = next->to;
	if (to > perf->source.in->offset)
		input_consume(perf->source.in, (size_t)(to - perf->source.in->offset));
}

/*
 * A record with an invalid size, or not all of it is buffered.  The look-ahead should
 * have found that: its results are dropped, and the next record is searched.
 */
static enum status refuse_record(struct reader *reader, uint64_t size)
{
	struct perf *perf = reader->state;
	uint64_t offset = perf->source.in->offset;
	const struct perf_gap gap = { offset, offset + PERF_RECORD_HEADER_BYTES,
				      PERF_FAULT_NOT_WHOLE, size };

	skip_gap(reader, &gap);
	perf_forget_ahead(&perf->walk, &perf->source);
	perf->walk.ahead.lost = true;
	return ST_END;
}

/* The data section ends here, as planned or not. */
static enum status end_of_data(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct input *in = perf->source.in;
	size_t rest = input_buffered(in);
	uint64_t end = in->offset + rest;

	if (end > perf->source.data_end) /* the sections after it may be buffered, too */
		end = perf->source.data_end;
	perf->walk.done = true;
	if (reader->error.status == ST_INTERRUPTED || reader->error.status == ST_NOMEM)
		return reader->error.status;
	if (perf->source.data_end != UINT64_MAX && in->offset >= perf->source.data_end) {
		report_gap(reader, false);
		return ST_END;
	}
	if (perf->walk.gap.from != perf->walk.gap.to && perf->walk.gap.to == in->offset) {
		perf->walk.gap.to = end; /* its last bytes were not enough for a header */
		report_gap(reader, true);
		return ST_END;
	}
	report_gap(reader, false);
	if (reader->error.status < ST_OK)
		finding_report(&reader->findings, FINDING_READ_ERROR,
			       perf_source_offset(&perf->source, in->offset), "%s",
			       reader->error.text);
	else if (rest || perf->source.data_end != UINT64_MAX)
		finding_gap(&reader->findings, FINDING_TRUNCATED,
			    perf_source_offset(&perf->source, in->offset),
			    perf_source_offset(&perf->source, end),
			    "the file ends at 0x%llx, inside its data",
			    (unsigned long long)perf_source_offset(&perf->source, end));
	return ST_END;
}

/* --- the walk --- */

/* A record can have that size, and `have` bytes hold all of it. */
static inline bool is_whole(const struct perf_header *header, size_t have)
{
	return header->size >= PERF_RECORD_HEADER_BYTES && header->size <= have;
}

/* Decodes a record that is_whole(). */
static enum status decode_at(struct reader *reader, const uint8_t *at, uint64_t offset,
			     const struct perf_header *header, struct record *out)
{
	struct perf *perf = reader->state;
	struct cursor body =
		cursor_over(at + PERF_RECORD_HEADER_BYTES,
			    header->size - PERF_RECORD_HEADER_BYTES,
			    offset + PERF_RECORD_HEADER_BYTES, perf->catalog.big_endian);
	enum status status;

	out->offset = perf->source.in == perf->source.input
			      ? offset
			      : perf_source_offset(&perf->source, offset);
	out->data = &perf->scratch.event;
	if (header->type == PERF_RECORD_SAMPLE) /* nearly all are */
		return perf_decode_sample(reader, &body, header->misc, out);
	perf->walk.record_offset = out->offset;
	status = perf_decode_record(reader, &body, header, out);
	if (header->type == PERF_RECORD_ID_INDEX && perf->source.merge)
		perf_merge_report_missing(perf->source.merge, perf->catalog.ring_count);
	return status;
}

/* The next task record that the look-ahead found. */
static enum status next_task(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;
	uint64_t offset = perf->walk.ahead.tasks[perf->walk.ahead.next++].offset;
	struct cursor rest =
		cursor_over(perf->source.in->pos, input_buffered(perf->source.in),
			    perf->source.in->offset, perf->catalog.big_endian);
	struct perf_header header;

	if (offset < rest.offset)
		return ST_END;
	cursor_skip(&rest, (size_t)(offset - rest.offset));
	if (cursor_left(&rest) < PERF_RECORD_HEADER_BYTES || rest.overrun)
		return ST_END;
	header = perf_decode_header(rest.pos, perf->catalog.big_endian);
	if (!is_whole(&header, cursor_left(&rest)))
		return ST_END;
	return decode_at(reader, rest.pos, offset, &header, out);
}

/* A task record in its own place: the thread on the CPU is exiting. */
static enum status decode_task_again(struct reader *reader, const uint8_t *at,
				     uint64_t offset, const struct perf_header *header,
				     struct record *out)
{
	int64_t short_ones = reader->findings.of[FINDING_SHORT_RECORD].count;
	int64_t bad_cpus = reader->findings.of[FINDING_BAD_CPU].count;
	enum status status = ST_END;

	if (header->type == PERF_RECORD_EXIT)
		status = decode_at(reader, at, offset, header, out);
	/* They were counted when it was emitted. */
	reader->findings.of[FINDING_SHORT_RECORD].count = short_ones;
	reader->findings.of[FINDING_BAD_CPU].count = bad_cpus;
	if (status == ST_OK)
		out->kind = RECORD_TASK_EXITING;
	return status;
}

/* TRACING_DATA after its record, or within a long one; other payloads are not used. */
static enum status decode_payload(struct reader *reader, const struct perf_header *header,
				  uint64_t offset, uint64_t size)
{
	struct perf *perf = reader->state;
	bool is_format = header->type == PERF_RECORD_TRACING_DATA ||
			 header->type == PERF_RECORD_SIMPLEPERF_TRACING_DATA;
	uint8_t *bytes;
	enum status status;

	if (!is_format || size > PERF_FEATURE_BYTES_MAX) {
		finding_add(&reader->findings, FINDING_SKIPPED_PAYLOAD,
			    perf_source_offset(&perf->source, offset), 1);
		return input_skip(perf->source.in, size);
	}
	bytes = memory_alloc(size ? (size_t)size : 1);
	if (!bytes)
		return error_nomem(&reader->error);
	status = input_read(perf->source.in, bytes, (size_t)size);
	if (status == ST_OK) {
		struct cursor c = cursor_over(bytes, (size_t)size,
					      perf_source_offset(&perf->source, offset),
					      perf->catalog.big_endian);

		/* simpleperf: u32 size first. */
		if (header->type == PERF_RECORD_SIMPLEPERF_TRACING_DATA)
			cursor_skip(&c, 4);
		perf_decode_tracing_data(reader, &c);
	}
	free(bytes);
	return status;
}

/*
 * A record with a payload beyond its size, or too long for the buffer.  Its own row is
 * decoded if it fits the buffer.
 */
static enum status decode_long(struct reader *reader, const struct perf_header *header,
			       const struct perf_extent *extent, struct record *out)
{
	struct perf *perf = reader->state;
	struct input *in = perf->source.in;
	uint64_t offset = in->offset;
	bool fits = extent->record < 128 && extent->record <= input_buffered(in);
	uint32_t head = fits ? extent->record : PERF_RECORD_HEADER_BYTES;
	uint8_t copy[128];
	enum status status;

	/* Consumed bytes are gone with the next peek. */
	memcpy(copy, in->pos, head);
	input_consume(in, head);
	status = decode_payload(reader, header, offset, extent->whole - head);
	if (status == ST_INTERRUPTED || status == ST_NOMEM)
		return status;
	if (status != ST_OK) {
		perf->walk.done = true;
		finding_gap(
			&reader->findings, FINDING_TRUNCATED,
			perf_source_offset(&perf->source, offset),
			perf_source_offset(&perf->source, in->offset),
			"record at 0x%llx: the file ends inside its data of %llu bytes",
			(unsigned long long)perf_source_offset(&perf->source, offset),
			(unsigned long long)(extent->whole - head));
	}
	if (head != extent->record)
		return ST_END;
	return decode_at(reader, copy, offset, header, out);
}

/* Compressed pieces begin: from here on a layer supplies the records. */
static enum status begin_decompressing(struct reader *reader)
{
	struct perf *perf = reader->state;
	enum status status =
		perf_decompressor_open(reader, perf->source.input, perf->source.data_end,
				       &perf->source.decompressor);

	if (status != ST_OK)
		return status;
	perf->source.in = perf_decompressor_stream(perf->source.decompressor);
	perf->source.data_end = UINT64_MAX;
	perf_forget_ahead(&perf->walk, &perf->source);
	perf->walk.ahead.round = perf->walk.ahead.round_before = 0;
	return ST_OK;
}

enum status perf_open_order(struct reader *reader)
{
	struct perf *perf = reader->state;
	enum status status = ST_OK;
	bool backward = false;

	for (size_t i = 0; i < perf->catalog.event_count; i++)
		backward |=
			(perf->catalog.events[i]->flags & PERF_FLAG_WRITE_BACKWARD) != 0;
	if (!backward)
		return ST_OK;
	/* Only decompressed records can be sorted. */
	if (perf->source.in == perf->source.input)
		status = begin_decompressing(reader);
	if (status == ST_OK)
		status = perf_order_open(reader, perf->source.in, UINT64_MAX,
					 &perf->source.order);
	if (status != ST_OK)
		return status;
	perf->source.in = perf_order_stream(perf->source.order);
	perf_forget_ahead(&perf->walk, &perf->source);
	return ST_OK;
}

/* A sample whose size is too large by whole records: those are decoded after all. */
static void reopen_rest(struct perf *perf, const uint8_t *end)
{
	size_t left = perf->walk.sample_left;

	if (!perf_holds_records(&perf->catalog, end - left, left))
		return;
	finding_add(perf->findings, FINDING_REPAIRED,
		    perf_source_offset(&perf->source, perf->source.in->offset - left), 1);
	perf->walk.ahead.reopened_to = perf->source.in->offset;
	perf->source.in->pos -= left;
	perf->source.in->offset -= left;
	perf_scan_again(perf, left);
}

/* Prepares what the next records need; *more: start again. */
static enum status prepare(struct reader *reader, bool *more)
{
	struct perf *perf = reader->state;
	struct perf_header header;
	enum status status;

	*more = false;
	status = perf_scan_ahead(reader);
	if (status != ST_OK || perf->source.in->offset < perf->walk.ahead.scanned ||
	    perf->walk.ahead.gap_next < perf->walk.ahead.gap_count)
		return status;
	/* Nothing can be decoded yet. */
	if (input_buffered(perf->source.in) < PERF_RECORD_HEADER_BYTES)
		return ST_OK;
	header = perf_decode_header(perf->source.in->pos, perf->catalog.big_endian);
	if (perf_is_compressed(header.type) && perf->source.in == perf->source.input) {
		*more = true;
		return begin_decompressing(reader);
	}
	if (!perf->walk.described) {
		*more = true;
		perf->walk.described = true;
		status = perf_settle_events(reader);
		return status == ST_OK ? perf_open_order(reader) : status;
	}
	return ST_OK;
}

/* One record of the data section: ST_OK with a record, or ST_END with none in it. */
static enum status decode_next(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;
	struct perf_ahead *ahead = &perf->walk.ahead;
	struct input *in = perf->source.in;
	uint64_t offset = in->offset;
	struct perf_header header;
	const uint8_t *at;
	enum status status;

	if (offset >= perf->source.data_end)
		return end_of_data(reader);
	if (offset >= ahead->safe) {
		bool more;

		status = prepare(reader, &more);
		if (status != ST_OK || more)
			return status == ST_OK ? ST_END : status;
	}
	if (ahead->next < ahead->count)
		return next_task(reader, out);
	if (ahead->gap_next < ahead->gap_count &&
	    ahead->gaps[ahead->gap_next].from <= offset) {
		skip_gap(reader, &ahead->gaps[ahead->gap_next++]);
		return ST_END;
	}
	if (offset >= ahead->scanned || input_buffered(in) < PERF_RECORD_HEADER_BYTES)
		return end_of_data(reader);
	at = in->pos;
	header = perf_decode_header(at, perf->catalog.big_endian);
	if (header.type >= PERF_RECORD_TRACING_DATA) { /* its size may be another */
		const struct perf_extent extent =
			perf_find_extent(&perf->catalog, at, input_buffered(in));

		if (extent.fault)
			return refuse_record(reader, extent.value);
		if (extent.whole > extent.record || extent.record > input_buffered(in)) {
			perf_count_record(&perf->rows, header.type);
			return decode_long(reader, &header, &extent, out);
		}
		header.size = extent.record;
	}
	if (UNLIKELY(!is_whole(&header, input_buffered(in))))
		return refuse_record(reader, header.size);
	perf_count_record(&perf->rows, header.type);
	input_consume(in, header.size);
	if (header.type == PERF_RECORD_COMM || header.type == PERF_RECORD_FORK ||
	    header.type == PERF_RECORD_EXIT)
		return decode_task_again(reader, at, offset, &header, out);
	status = decode_at(reader, at, offset, &header, out);
	if (perf->walk.sample_left && header.type == PERF_RECORD_SAMPLE)
		reopen_rest(perf, at + header.size);
	return status;
}

/* The place up to which perf_decode_plain() may go by itself. */
static uint64_t find_plain_end(const struct perf *perf)
{
	const struct perf_ahead *ahead = &perf->walk.ahead;
	uint64_t end = ahead->safe < ahead->scanned ? ahead->safe : ahead->scanned;

	if (ahead->next < ahead->count || perf->walk.done)
		return 0;
	if (ahead->gap_next < ahead->gap_count && ahead->gaps[ahead->gap_next].from < end)
		end = ahead->gaps[ahead->gap_next].from;
	return end < perf->source.data_end ? end : perf->source.data_end;
}

/* After the data: ST_OK if rows were emitted, ST_END when nothing is left. */
static enum status emit_end(struct reader *reader)
{
	struct perf *perf = reader->state;
	enum status status;

	if (perf->rows.trace_done)
		return ST_END;
	if (perf->rows.counters_done) { /* the consumers of these may add findings */
		perf->rows.trace_done = true;
		perf_emit_trace(perf);
		return ST_OK;
	}
	perf->rows.counters_done = true;
	if (perf->catalog.event_count == 0 &&
	    !findings_damaged(&reader->findings)) { /* else that is the reason */
		perf->source.unfinished = true;
		finding_report(&reader->findings, FINDING_UNFINISHED, ERROR_NO_OFFSET,
			       "the recorder ended before it wrote its first event");
	}
	status = perf_settle_events(reader); /* perhaps nothing needed them */
	if (status != ST_OK)
		return status;
	input_end(perf->source.input); /* the totals need memory as well */
	perf_emit_counters(&perf->rows, &perf->catalog);
	return ST_OK;
}

enum status perf_next_record(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;

	for (;;) {
		enum status status;

		if (reader->wants_runs &&
		    perf_decode_run(reader, out)) /* nearly always */
			return ST_OK;
		if (perf_decode_plain(reader, out))
			return ST_OK;
		perf->scratch.plain = NULL; /* another event may use its room */
		status = emit_pop(&perf->rows.emit, out, &reader->error);
		if (status != ST_END)
			return status;
		if (perf->walk.done) {
			status = emit_end(reader);
			if (status != ST_OK)
				return status;
			continue;
		}
		status = decode_next(reader, out);
		perf->walk.plain_to = find_plain_end(perf);
		if (status == ST_OK && !emit_is_waiting(&perf->rows.emit))
			return ST_OK;
		/* Rows that the record needs were emitted and precede it. */
		if (status == ST_OK)
			emit_push(&perf->rows.emit, out);
		else if (status != ST_END)
			return status;
		if (reader_interrupted(reader))
			return ST_INTERRUPTED;
	}
}
