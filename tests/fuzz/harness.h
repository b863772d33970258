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

/* Runs the bytes as a trace and releases everything; never prints. */
enum outcome harness_run(const uint8_t *data, size_t size);
/* The same for these formats, which end with NULL. */
enum outcome harness_run_as(const uint8_t *data, size_t size,
			    const struct reader_ops *const *formats);
/* The same for a file or a folder. */
enum outcome harness_run_path(const char *path, const struct reader_options *options,
			      const struct reader_ops *const *formats);

/* What libFuzzer, onefile.c and damage.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A whole file in memory, or NULL with a message on stderr; free() it. */
uint8_t *harness_load(const char *path, size_t *size);

#endif
