/*
 * stream.h - the switches of whole CPUs as the BPF programs see them, for the recorder.
 *
 * Every CPU is read at the first moment and at the last, and in between once a second
 * while one thread keeps it, so no time on it is missing from the trace.
 */
#ifndef PERFTAB_BPF_STREAM_H
#define PERFTAB_BPF_STREAM_H

#include "capture/linux/bpf/programs.h"
#include "capture/linux/bpf/samples.h"

struct bpf_stream_stats {
	uint64_t switches, reads, edges;
	uint64_t cost[BPF_WORDS_MAX]; /* of one record, in the words of one */
	uint64_t lost;		      /* records that found no room */
	uint64_t first_ns, last_ns;
};

/* All zero is closed. */
struct bpf_stream {
	struct bpf_programs *programs; /* NULL: closed */
	struct bpf_samples samples;
	struct bpf_seen *seen; /* by place of the CPU: its last record */
	struct bpf_stream_stats stats;
	size_t record_words;
	struct bytes *to; /* while it is drained */
	size_t bytes_max;
};

/* `ring_bytes` of each CPU.  Whatever happens, bpf_stream_close() frees it. */
MUST_CHECK enum status bpf_stream_open(struct bpf_stream *stream,
				       const struct counters *counters, size_t ring_bytes,
				       struct error *error);
void bpf_stream_close(struct bpf_stream *stream);

/* The counters count: reads each CPU, and records its switches from then on. */
void bpf_stream_begin(struct bpf_stream *stream);
/* Reads the CPUs whose last record is a second old and was not of idle; or all. */
void bpf_stream_tick(struct bpf_stream *stream, bool all);
/* Reads each CPU for the last time. */
void bpf_stream_end(struct bpf_stream *stream);

/* The counters of a CPU are gone: the time of its last record, 0: it had none. */
uint64_t bpf_stream_stop(struct bpf_stream *stream, size_t place);

/* For poll(). */
int bpf_stream_fd(const struct bpf_stream *stream);
/* Appends what was sent, as records of a perf.data; false: there is more. */
bool bpf_stream_drain(struct bpf_stream *stream, struct bytes *to);
/* After the last drain: what was lost after the last record. */
void bpf_stream_drain_losses(struct bpf_stream *stream, struct bytes *to);

#endif
