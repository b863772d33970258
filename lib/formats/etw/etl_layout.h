/*
 * etl_layout.h - buffers and events of an .etl file, decoded independently of the rest of
 * the file; docs/formats/etl.md has the layouts.
 *
 *   etl_buffer.c   one buffer of the file: header, decompression
 *   etl_chunks.c   many small reads as few large ones
 *   etl_event.c    one event: header, extension, payload
 */
#ifndef PERFTAB_ETL_LAYOUT_H
#define PERFTAB_ETL_LAYOUT_H

#include <stdatomic.h>

#include "base/background.h"
#include "base/cursor.h"
#include "model/reader.h"

#define ETL_BUFFER_HEADER_BYTES 0x48u
/* The kernel's own limit since Windows 10. */
#define ETL_BUFFER_BYTES_MAX ((size_t)16 << 20)
/* BufferFlag 0x20 leaves 11 bits for the processor. */
#define ETL_CPUS_MAX 2048u
/*
 * Bytes held of a buffer that is not compressed; fewer with many CPUs.  Reads are slow
 * under Wine; no event is larger than 64 KiB.
 */
#define ETL_WINDOW_BYTES ((size_t)256 * 1024)
#define ETL_WINDOW_BYTES_MIN ((size_t)32 * 1024)
/* LogFileMode, EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING. */
#define ETL_MODE_ONE_STREAM 0x10000000u
/* Three bits of the event header. */
#define ETL_PMCS_MAX 7u

/* --- buffers --- */

enum etl_buffer_flag {
	ETL_BUFFER_EVENTS_LOST = 0x02,
	ETL_BUFFER_LOST = 0x04,
	ETL_BUFFER_PROC_INDEX = 0x20,
	ETL_BUFFER_COMPRESSED = 0x40,
};

#define ETL_BUFFER_TYPE_HEADER 4

struct etl_buffer_header {
	uint32_t size;	 /* in the file, this header included */
	uint32_t filled; /* after decompression, likewise */
	int64_t sequence;
	uint32_t cpu;
	uint16_t flags, type;
	uint16_t method; /* of compression, if it is compressed */
};

struct etl_buffer_header etl_decode_buffer_header(const uint8_t *at);
bool etl_is_buffer(const struct etl_buffer_header *header);

/* The events of a buffer, and the memory they may need. */
struct etl_block {
	uint8_t *raw; /* owned, each grown on demand */
	size_t raw_room;
	uint8_t *unpacked;
	size_t unpacked_room;
	const uint8_t *events; /* in raw, unpacked or the memory of the caller */
	size_t size;
	uint64_t offset; /* in the file: of the first event, or of the compressed body */
	bool compressed; /* all events have the same `offset` */
	bool is_whole;	 /* no byte of it is missing */
};

/*
 * Opens the events of a buffer of header->size bytes; they are valid as long as it and
 * the block.  If decompression fails, block->size is the size up to there, and
 * `findings`, unless NULL, gets the reason.
 */
MUST_CHECK enum status etl_block_open(const uint8_t *buffer, uint64_t offset,
				      const struct etl_buffer_header *header,
				      struct etl_block *block, struct findings *findings);
/* --- the file in chunks (etl_chunks.c) --- */

#define ETL_CHUNKS 16
/* Chunks read ahead: with the maximum of unfinished jobs, one more can be held. */
#define ETL_CHUNKS_AHEAD 7
_Static_assert(BACKGROUND_JOBS_MAX + ETL_CHUNKS_AHEAD < ETL_CHUNKS, "one is held");

struct etl_chunk {
	uint8_t *bytes;	 /* ETL_WINDOW_BYTES */
	uint64_t number; /* the first is 0 */
	size_t size;	 /* 0: none is held */
	uint64_t turn;	 /* number of its last use */
	int fd;
	size_t job;	     /* its number among all that were queued */
	atomic_bool is_read; /* `got` is set */
	size_t got;	     /* bytes; fewer than `size`: reading failed */
};

/* Zeroed at the start. */
struct etl_chunks {
	struct etl_chunk all[ETL_CHUNKS];
	uint64_t turn;
	uint64_t asked, read;	  /* bytes requested, bytes read */
	size_t queued;		  /* jobs, in all */
	struct background *ahead; /* NULL: none is read ahead */
};

/* As input_read_at(), for small parts of a file that are near to one another. */
MUST_CHECK enum status etl_chunks_read(struct etl_chunks *chunks, struct input *input,
				       uint64_t offset, uint8_t *to, size_t size);
/*
 * Has other threads read chunks before they are requested, from here on.
 */
void etl_chunks_read_ahead(struct etl_chunks *chunks);
void etl_chunks_release(struct etl_chunks *chunks);

/* --- windows of buffers --- */

/* As etl_block_open() for a buffer of the file that was open before. */
MUST_CHECK enum status etl_block_read(struct etl_chunks *chunks, struct input *input,
				      uint64_t offset, uint32_t size,
				      struct etl_block *block);
/* Reads so many bytes of the events of a buffer that is not compressed. */
MUST_CHECK enum status etl_window_read(struct etl_chunks *chunks, struct input *input,
				       uint64_t offset, size_t bytes,
				       struct etl_block *block);
void etl_block_release(struct etl_block *block);

/* --- events --- */

enum etl_header {
	ETL_SYSTEM,
	ETL_COMPACT,
	ETL_FULL,
	ETL_INSTANCE,
	ETL_PERFINFO,
	ETL_EVENT,
	ETL_MESSAGE,
	ETL_ULONG32_TIME,
	ETL_OTHER, /* TIMED, ERROR, WNODE: skipped by their size */
};

struct etl_event {
	enum etl_header header;
	uint8_t header_type;   /* its third byte */
	uint8_t pointer_bytes; /* 4 or 8; of this event, never of the file */
	uint32_t size;	       /* in the buffer, without padding */
	uint64_t offset;       /* in the file */
	bool has_ticks;
	uint64_t ticks;	  /* of the clock of the session */
	int64_t tid, pid; /* INT_NONE: not in the header */
	bool is_kernel;	  /* group and opcode are the kernel's */
	uint8_t group, opcode;
	uint16_t id; /* of EVENT_HEADER events; number of a message */
	uint16_t version;
	const uint8_t *guid; /* 16 bytes, or NULL */
	bool has_pebs;	     /* an index precedes the counters */
	bool odd_bits;	     /* unknown bits of the extension: payload not decoded */
	uint8_t pmc_count;   /* 0 .. ETL_PMCS_MAX */
	const uint8_t *pmcs; /* pmc_count u64 */
	struct cursor payload;
};

enum etl_walk { ETL_WALK_EVENT, ETL_WALK_END, ETL_WALK_BAD };

/* Reads the event at the cursor and moves to the next one. */
enum etl_walk etl_decode_event(struct cursor *c, struct etl_event *event);
/* "SYSTEM64", "EVENT32", ...; constant. */
const char *etl_header_name(const struct etl_event *event);

#endif
