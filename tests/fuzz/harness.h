/*
 * harness.h - one input through reader and attribution, as every fuzz program runs it.
 */
#ifndef PERFTAB_HARNESS_H
#define PERFTAB_HARNESS_H

#include <stddef.h>
#include <stdint.h>

enum outcome {
	OUTCOME_OK,	 /* read to its end, nothing damaged */
	OUTCOME_REFUSED, /* an error ended it */
	OUTCOME_DAMAGED, /* read to its end, with findings of severity damage */
	OUTCOMES
};

struct reader_ops;
struct reader_options;

/* What --events says in the next runs in memory; NULL: nothing. */
extern const char *harness_events;
/* Runs the bytes as one of these formats, which end with NULL; releases everything. */
enum outcome harness_run_as(const uint8_t *data, size_t size,
			    const struct reader_ops *const *formats);
/* The same without attribution: what comes out of the reader. */
enum outcome harness_read_as(const uint8_t *data, size_t size,
			     const struct reader_ops *const *formats);
/* As harness_run_as(), for a file or a folder. */
enum outcome harness_run_path(const char *path, const struct reader_options *options,
			      const struct reader_ops *const *formats);

/* What damage_perflib.c runs: the bytes, then a bundle with its checksums made right. */
enum outcome perflib_run(const uint8_t *data, size_t size);

/* What libFuzzer, onefile.c and damage.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A whole file in memory, or NULL with a message on stderr; free() it. */
uint8_t *harness_load(const char *path, size_t *size);

#endif
