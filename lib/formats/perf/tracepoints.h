/*
 * tracepoints.h - formats of tracepoints, and the rows that they make of payloads.
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
	TRACEPOINT_DATA_LOC, /* u32 offset | length << 16 of what follows the fields */
	TRACEPOINT_REL_LOC,  /* the same, the offset counted from the field's end */
};

/* One field of a tracepoint's recorded format; size 0: the format has no such field. */
struct tracepoint_field {
	uint32_t offset;
	uint32_t size;
	bool is_signed;
	enum tracepoint_kind kind;
	bool is_text; /* the target of a location: characters, else bytes */
	struct str name;
	struct str declaration; /* "char prev_comm[16]" */
};

struct tracepoint_format {
	uint64_t id; /* attr.config of the event */
	struct str system;
	struct str name;
	struct tracepoint_field prev_comm, prev_pid, prev_state, next_comm, next_pid;
	size_t bytes;			 /* of a RAW payload that holds these five */
	struct tracepoint_field *fields; /* all of them, in order */
	size_t field_count;
	const char *from; /* file, tracefs or shape */
	/* tracepoint_rows.c */
	struct table *table;  /* NULL: none yet */
	struct table *detail; /* of a leader whose switches have rows already */
	struct traced_head *row;
	/* tracepoint_details.c */
	uint64_t *mask;	   /* bytes of the payload that make a detail */
	uint64_t *factors; /* of its words, for their hash */
	struct map details;
	const struct detail **recent; /* DETAILS_RECENT, by a weak hash */
	size_t detail_bytes;
	bool has_no_details; /* too long, or no memory */
	int64_t last_detail_id;
	bool emitted, detail_emitted; /* the catalogue's row of the table */
	struct tracepoint_format *next;
};

/* What a switch of a counter group has besides its row. */
struct detail {
	int64_t id;
	struct detail *next; /* with the same hash */
	uint64_t words[];    /* of the payload, under the mask */
};

/* A tracepoint where interrupts begin or end. */
struct perf_edge {
	enum interrupt_kind kind;
	bool is_entry;
	struct str name; /* of a vector; else of the kind's tracepoints */
	struct tracepoint_field number, handler; /* handler: its name */
};

/* edges.c: decides whether the event is one, and sampled with the values of its group. */
void perf_find_edge(struct perf_catalog *catalog, struct perf_event *event);
/* The members of a group that are, where both ends are among them. */
void perf_find_edges(struct perf_catalog *catalog, struct perf_group *group);
/* edge_sample.c: a sample of one as RECORD_EDGE; false: it is not such a one. */
bool perf_decode_edge(struct reader *reader, struct perf_stream *stream,
		      const struct perf_sample *sample, bool big_endian,
		      struct record *out);

/* tracepoint_formats.c: decodes the TRACING_DATA blob; keeps formats of the events. */
void perf_decode_tracing_data(struct reader *reader, struct cursor *blob);
/* Indexes the formats that events need; before perf_parse_format(). */
void perf_index_tracepoints(struct perf_catalog *catalog);
/* Parses one format, as the kernel writes it, for every event that has it. */
void perf_parse_format(struct reader *reader, struct str system, struct str text,
		       const char *from);
/* fallback.c: recognises sched_switch by its payload, see docs/formats/perf-data.md. */
void perf_assume_format(struct reader *reader, struct perf_event *event,
			const uint8_t *raw, size_t raw_size, uint64_t offset);

/*
 * tracepoint_rows.c: emits the row of the event's own table for the sample just decoded.
 * ST_OK: none.  ST_END: that row was emitted, and *out before it.
 */
enum status perf_emit_traced(struct perf_rows *rows, struct perf_catalog *catalog,
			     const struct perf_event *event,
			     const struct perf_sample *sample, bool of_switch,
			     const struct record *out);
/*
 * The id of the detail of a leader's payload.  It is new if format->last_detail_id
 * changed.
 */
int64_t perf_intern_detail(struct perf_catalog *catalog, const struct perf_event *event,
			   const uint8_t *raw, size_t raw_size);
/* Emits the row of the detail that is new. */
void perf_emit_detail(struct perf_rows *rows, struct perf_catalog *catalog,
		      struct tracepoint_format *format);

/* tracepoint_details.c: false: a payload is too long to have details, or no memory. */
bool perf_begin_details(struct perf_catalog *catalog, struct tracepoint_format *format);
/*
 * The ids of the details of `count` payloads `step` bytes apart, as far as they are known
 * already; INT_NONE if there are none.  Less than count: the next one is new.
 */
size_t perf_find_details(struct tracepoint_format *format, const uint8_t *raw,
			 size_t raw_size, size_t step, int64_t *ids, size_t count);
/* One that is not known; NULL: no memory. */
const struct detail *perf_new_detail(struct perf_catalog *catalog,
				     struct tracepoint_format *format, const uint8_t *raw,
				     size_t raw_size);

/*
 * A field of a RAW payload that has format->bytes, as a number; INT_NONE: no such field.
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
