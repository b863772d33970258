/*
 * programs.h - the BPF programs of one recording: loaded, attached, heard.
 *
 * programs.c needs libbpf and what clang made of switches.bpf.c; a build without either
 * has programs_none.c, whose open says so.
 */
#ifndef PERFTAB_BPF_PROGRAMS_H
#define PERFTAB_BPF_PROGRAMS_H

#include "capture/linux/bpf/record.h"
#include "capture/linux/counters/counters.h"

struct bpf_programs;

/* Was built with them. */
bool bpf_programs_built(void);

/*
 * Loads and attaches the programs for counters that are open; records nothing yet.  The
 * ring is of all CPUs together, a power of two of pages.  On failure the error says in
 * one sentence why.  Whatever happens, bpf_programs_close() frees it.
 */
MUST_CHECK enum status bpf_programs_open(struct bpf_programs **programs,
					 const struct counters *counters,
					 size_t ring_bytes, struct error *error);
void bpf_programs_close(struct bpf_programs *programs);

/* Words that are filled in each record. */
size_t bpf_programs_words(const struct bpf_programs *programs);

/* Reads the counters of a CPU there and sends a record; false: the CPU is offline. */
bool bpf_programs_read(struct bpf_programs *programs, int cpu, enum bpf_read why);

/* Is readable when the ring fills. */
int bpf_programs_fd(const struct bpf_programs *programs);

/*
 * Hands out the records that are there, in the order in which they were sent, until
 * `on_record` returns false.  One of kind BPF_RECORD_COMMAND is a struct bpf_command.
 */
void bpf_programs_consume(struct bpf_programs *programs,
			  bool (*on_record)(void *context,
					    const struct bpf_record *record),
			  void *context);

/* How often the kernel did not run a program because it was already running. */
uint64_t bpf_programs_misses(const struct bpf_programs *programs);
/* Records of a CPU that found no room so far. */
uint64_t bpf_programs_lost(const struct bpf_programs *programs, int cpu);

#endif
