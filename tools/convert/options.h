/*
 * options.h - what perftab-convert was asked for.
 */
#ifndef PERFTAB_CONVERT_OPTIONS_H
#define PERFTAB_CONVERT_OPTIONS_H

#include "common/cli.h"
#include "machines.h"
#include "model/reader.h"
#include "model/sink.h"

struct convert_options {
	const char *to; /* NULL: the default */
	struct sink_options output;
	struct reader_options input;
	bool strict, no_indexes, is_list, json, verbose;
	bool anonymize, anonymize_names, no_sandbox;
	const char *mode;
	const char *symbols; /* a folder, "": /, NULL: no files */
	int loader;	     /* 1: sql; -1: not given */
	int64_t memory_mib, threads;
	int verify, sync;
	int table;	      /* enum fleet_table; -1: not given */
	const char *create;   /* a cluster; "": the default, NULL: not given */
	int parquet_encoding; /* 1: plain */
	struct machines machines;
};

extern const struct cli convert_cli;

/*
 * As cli_parse(); refuses what excludes one another.  *writer is what --to says.
 */
int parse_options(struct convert_options *options, const struct sink_ops **writer,
		  int argc, char **argv, int *operands);

#endif
