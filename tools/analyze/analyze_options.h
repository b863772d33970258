/*
 * analyze_options.h - what perftab-analyze was asked for.
 */
#ifndef PERFTAB_ANALYZE_OPTIONS_H
#define PERFTAB_ANALYZE_OPTIONS_H

#include "bill.h"
#include "common/cli.h"
#include "model/reader.h"
#include "print.h"
#include "values.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

struct analyze_options {
	const char *by_name, *rule_name, *sort_column; /* NULL: the default */
	enum bill_by by;			       /* by_name */
	enum bill_rule rule;			       /* rule_name */
	int format;
	bool check, strict;
	int64_t from_ns, to_ns, trace_id;
	int64_t top; /* -1: not given */
	struct print_options print_options;
	const char *language, *variant_name;
	struct value_options value_options;
	struct reader_options input;
	const char *query; /* NULL: no SQL */
	/* Live, where there is a recorder. */
	bool live_wanted, all_cpus, multiplex;
	int64_t pid;
	const char *interval_text, *duration_text;
	struct option_texts event_texts;
};

extern struct analyze_options asked;
extern const struct cli analyze_cli;

/* As cli_parse(): fills `asked`, and refuses what does not go together. */
int analyze_options(int argc, char **argv, int *operands);

#endif
