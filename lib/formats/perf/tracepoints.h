/*
 * tracepoints.h - formats of tracepoints, and the rows made from payloads.
 */
#ifndef PERFTAB_PERF_TRACEPOINTS_H
#define PERFTAB_PERF_TRACEPOINTS_H

#include "formats/perf/rows.h"
#include "formats/perf/sample.h"

/* How a field of a tracepoint becomes a column. */
enum tracepoint_kind {
	TRACEPOINT_INT,	 /* 1, 2, 4 or 8 bytes */
	TRACEPOINT_TEXT, /* characters up to the first NUL */
	TRACEPOINT_BLOB,
	TRACEPOINT_DATA_LOC, /* u32 offset | length << 16 of data after the fields */
	TRACEPOINT_REL_LOC,  /* likewise; the offset counts from the field's end */
};

/* One field of a tracepoint's recorded format; size 0: the format has no such field. */
struct tracepoint_field {
	uint32_t offset;
	uint32_t size;
	bool is_signed;
	enum tracepoint_kind kind;
	bool is_text; /* a location: of characters, else of bytes */
	struct str name;
	struct str declaration; /* "char prev_comm[16]" */
};

struct tracepoint_format {
	uint64_t id; /* attr.config of the event */
	struct str system;
	struct str name;
	struct tracepoint_field prev_comm, prev_pid, prev_state, next_comm, next_pid;
	size_t bytes;			 /* least size of a RAW payload with these five */
	struct tracepoint_field *fields; /* all of them, in order */
	size_t field_count;
	const char *from; /* file, tracefs or shape */
	/* tracepoint_rows.c */
	struct table *table;  /* NULL: none so far */
	struct table *detail; /* of a switch leader: table of details */
	struct traced_head *row;
	/* tracepoint_details.c */
	uint64_t *mask;	   /* which bytes of the payload a detail has */
	uint64_t *factors; /* by word, for the hash */
	struct map details;
	const struct detail **recent; /* DETAILS_RECENT, by a weak hash */
	size_t detail_bytes;
	bool has_no_details; /* too long, or out of memory */
	int64_t last_detail_id;
	bool emitted, detail_emitted; /* the rows that declare the tables */
	struct tracepoint_format *next;
};

/* The fields of a switch payload that context_switch has no columns for. */
struct detail {
	int64_t id;
	struct detail *next; /* of the same hash */
	uint64_t words[];    /* the payload, masked */
};

/* A tracepoint where interrupts begin or end. */
struct perf_edge {
	enum interrupt_kind kind;
	bool is_entry;
	struct str name; /* of the vector; else of the kind of tracepoint */
	struct tracepoint_field number,
		handler; /* of the interrupt; name of its handler */
};

/* edges.c: sets event->edge if it is an edge sampled with the values of its group. */
void perf_find_edge(struct perf_catalog *catalog, struct perf_event *event);
/* Sets group->edges to the edges among its members, where both ends are. */
void perf_find_edges(struct perf_catalog *catalog, struct perf_group *group);
/* edge_sample.c: decodes a sample of an edge to RECORD_EDGE; false: it is not one. */
bool perf_decode_edge(struct reader *reader, struct perf_stream *stream,
		      const struct perf_sample *sample, bool big_endian,
		      struct record *out);

/* tracepoint_formats.c: decodes the TRACING_DATA blob; keeps formats of the events. */
void perf_decode_tracing_data(struct reader *reader, struct cursor *blob);
/* Indexes the events by format; call it before perf_parse_format(). */
void perf_index_tracepoints(struct perf_catalog *catalog);
/* Parses one format, as the kernel writes it, for every event that has it. */
void perf_parse_format(struct reader *reader, struct str system, struct str text,
		       const char *from);
/* fallback.c: recognises sched_switch by its payload, see docs/formats/perf-data.md. */
void perf_assume_format(struct reader *reader, struct perf_event *event,
			const uint8_t *raw, size_t raw_size, uint64_t offset);

/*
 * tracepoint_rows.c: emits the row of the event's own table for the sample just decoded.
 * ST_OK: there is none.  ST_END: *out and the row were emitted, in this order.
 */
enum status perf_emit_traced(struct perf_rows *rows, struct perf_catalog *catalog,
			     const struct perf_event *event,
			     const struct perf_sample *sample, bool of_switch,
			     const struct record *out);
/*
 * Returns the id of the detail of a leader's payload.  The detail is new if it changed
 * format->last_detail_id.
 */
int64_t perf_intern_detail(struct perf_catalog *catalog, const struct perf_event *event,
			   const uint8_t *raw, size_t raw_size);
/* Emits the row of the new detail. */
void perf_emit_detail(struct perf_rows *rows, struct perf_catalog *catalog,
		      struct tracepoint_format *format);

/* tracepoint_details.c: False: payloads are too long for details, or out of memory. */
bool perf_begin_details(struct perf_catalog *catalog, struct tracepoint_format *format);
/*
 * Gets the ids of the details of `count` payloads `step` bytes apart, up to the first
 * that is new; INT_NONE if there are no details.  Returns how many.
 */
size_t perf_find_details(struct tracepoint_format *format, const uint8_t *raw,
			 size_t raw_size, size_t step, int64_t *ids, size_t count);
/* Adds a new detail; NULL: out of memory. */
const struct detail *perf_new_detail(struct perf_catalog *catalog,
				     struct tracepoint_format *format, const uint8_t *raw,
				     size_t raw_size);

/*
 * Decodes a field of a RAW payload of at least format->bytes as a number; INT_NONE: no
 * such field.
 */
static inline __attribute__((always_inline)) int64_t tracepoint_int(
	const struct tracepoint_field *field, const uint8_t *raw, bool big_endian)
{
	struct cursor c = cursor_over(raw + field->offset, field->size, 0, big_endian);

	switch (field->size) {
	case 4:
		return field->is_signed ? (int32_t)cursor_u32(&c)
					: (int64_t)cursor_u32(&c);
	case 8:
		return (int64_t)cursor_u64(&c);
	case 2:
		return field->is_signed ? (int16_t)cursor_u16(&c)
					: (int64_t)cursor_u16(&c);
	case 1:
		return field->is_signed ? (int8_t)cursor_u8(&c) : (int64_t)cursor_u8(&c);
	default:
		return INT_NONE;
	}
}

#endif
