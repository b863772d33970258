/*
 * The program around a generator of traces: scenarios, each in one of several forms, made
 * from a seed and with so many switches into a directory.
 */
#ifndef GENERATE_PROGRAM_H
#define GENERATE_PROGRAM_H

#include "bytes.h"

enum { PATH_BYTES = 4096 };

struct order {
	const char *directory;
	size_t form;
	uint64_t seed;
	uint64_t switches;
};

struct generator {
	const char *usage; /* that of this generator, before that of the options */
	const char *noun;  /* what it calls a scenario */
	size_t scenario_count;
	size_t form_count;
	const char *(*scenario_name)(size_t scenario);
	const char *(*form_name)(size_t form);
	bool (*can_hold)(size_t form, size_t scenario);
	void (*make)(size_t scenario, const struct order *order);
	void (*self_test)(void); /* or NULL */
};

/* The main function. */
int generate(const struct generator *generator, int argc, char **argv);

/* "<directory>/<name><suffix>"; dies when it is too long. */
void order_path(const struct order *order, const char *name, const char *suffix,
		char path[PATH_BYTES]);
/* Saves the text there and releases it. */
void order_save(const struct order *order, const char *name, const char *suffix,
		struct byte_buf *text);

#endif
