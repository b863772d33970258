/*
 * Parts of swap_trace, which turns a little-endian perf.data into a big-endian one.  The
 * file is changed in place, in memory, and written only when all of it was understood:
 * every byte may be taken once, and what nobody took is reported.
 */
#ifndef SWAP_H
#define SWAP_H

#include "common/bytes.h"

struct image {
	uint8_t *data;
	uint8_t *taken; /* one byte for each of data: 1 when it has been dealt with */
	size_t size;
};

/*
 * A stretch of the image that belongs to one thing; what and start name it in messages.
 */
struct cursor {
	struct image *image;
	const char *what;
	size_t start;
	size_t at;
	size_t end;
};

struct event {
	uint32_t type;
	uint64_t config;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_type;
	uint64_t user_regs;
	uint64_t intr_regs;
	bool sample_id_all;
};

struct event_id {
	uint64_t id;
	size_t event;
};

struct trace_field;

struct trace_format {
	uint32_t id;
	struct trace_field *fields;
	size_t field_count;
};

struct swapper {
	struct image image;
	struct event *events;
	size_t event_count;
	size_t event_room;
	struct event_id *ids;
	size_t id_count;
	size_t id_room;
	struct trace_format *formats;
	size_t format_count;
	size_t format_room;
	unsigned long_bytes; /* of the machine that traced; 0 before TRACING_DATA */
	uint32_t cpus_available;
};

/* image.c */

/* die(), with which thing it is and where it is in the file. */
_Noreturn void cursor_die(const struct cursor *cursor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Says on stderr what was copied without being understood. */
void cursor_note(const struct cursor *cursor, const char *text);

void image_load(struct image *image, const char *path);
void image_store(const struct image *image, const char *path);
void image_report_rest(const struct image *image);
void image_release(struct image *image);

/* Dies unless [offset, offset + size) lies in the image. */
struct cursor cursor_open(struct image *image, const char *what, uint64_t offset,
			  uint64_t size);
size_t cursor_left(const struct cursor *cursor);
/* Value of the little-endian number at offset at; neither taken nor swapped. */
uint64_t cursor_peek(const struct cursor *cursor, size_t at, size_t width);
/* Takes count bytes as they are and returns them. */
const uint8_t *copy_bytes(struct cursor *cursor, size_t count);
/* Swaps a number of width bytes and returns its value. */
uint64_t swap_number(struct cursor *cursor, size_t width);
uint16_t swap_u16(struct cursor *cursor);
uint32_t swap_u32(struct cursor *cursor);
uint64_t swap_u64(struct cursor *cursor);
/* Takes the rest, which must be zero. */
void copy_padding(struct cursor *cursor);
/* Swaps a number anywhere between start and end, without moving. */
void swap_number_at(struct cursor *cursor, size_t at, size_t width);
/* Bits of the first bit field become the highest ones, as GCC has it. */
uint64_t reverse_bits(uint64_t value, unsigned bits);
/* Puts a big-endian value over the width bytes taken last. */
void put_back(struct cursor *cursor, uint64_t value, size_t width);

/* layout.c: see there for the letters. */
void swap_layout(struct cursor *cursor, const char *layout);

/* attr.c */
void swap_attr(struct swapper *swapper, struct cursor *cursor, size_t bytes,
	       bool is_event);
void event_add_id(struct swapper *swapper, size_t event, uint64_t id);
/* The event with this id, or NULL. */
const struct event *event_of_id(const struct swapper *swapper, uint64_t id);
/* True when every event has records of one layout. */
bool events_agree(const struct swapper *swapper);

/* sample.c */
void swap_sample(struct swapper *swapper, struct cursor *cursor);
void swap_read_values(struct cursor *cursor, uint64_t read_format);
/* The event that a record other than SAMPLE belongs to, by the id in its trailer. */
const struct event *trailer_event(const struct swapper *swapper,
				  const struct cursor *cursor);
size_t trailer_bytes(const struct event *event);
void swap_trailer(struct cursor *cursor, const struct event *event);

/* record.c: the record at cursor->at, and whatever follows it that has no header. */
void swap_record(struct swapper *swapper, struct cursor *cursor);

/* feature.c: cursor holds one header feature. */
const char *feature_name(uint64_t feature);
void swap_feature(struct swapper *swapper, struct cursor *cursor, uint64_t feature);

/* tracing.c */
void swap_tracing_data(struct swapper *swapper, struct cursor *cursor);
/* The next size bytes are the payload of a tracepoint. */
void swap_payload(const struct swapper *swapper, struct cursor *cursor, size_t size);
void release_formats(struct swapper *swapper);

#endif
