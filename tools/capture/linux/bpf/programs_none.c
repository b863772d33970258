/* programs_none.c - see programs.h: a build without clang or libbpf. */
#include "capture/linux/bpf/programs.h"

bool bpf_programs_built(void)
{
	return false;
}

enum status bpf_programs_open(struct bpf_programs **programs,
			      const struct counters *counters, size_t ring_bytes,
			      struct error *error)
{
	(void)counters;
	(void)ring_bytes;
	*programs = NULL;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "this perftab-capture was built without BPF: that needs clang "
			 "and libbpf (libbpf-dev)");
}

void bpf_programs_close(struct bpf_programs *programs)
{
	(void)programs;
}

bool bpf_programs_read(struct bpf_programs *programs, int cpu, enum bpf_read why)
{
	(void)programs;
	(void)cpu;
	(void)why;
	return false;
}

size_t bpf_programs_words(const struct bpf_programs *programs)
{
	(void)programs;
	return 0;
}

int bpf_programs_fd(const struct bpf_programs *programs)
{
	(void)programs;
	return -1;
}

void bpf_programs_consume(struct bpf_programs *programs,
			  bool (*on_record)(void *context,
					    const struct bpf_record *record),
			  void *context)
{
	(void)programs;
	(void)on_record;
	(void)context;
}

uint64_t bpf_programs_misses(const struct bpf_programs *programs)
{
	(void)programs;
	return 0;
}

uint64_t bpf_programs_lost(const struct bpf_programs *programs, int cpu)
{
	(void)programs;
	(void)cpu;
	return 0;
}
