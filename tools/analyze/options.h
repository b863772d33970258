/*
 * options.h - what perftab-analyze was asked for.
 */
#ifndef PERFTAB_ANALYZE_OPTIONS_H
#define PERFTAB_ANALYZE_OPTIONS_H

#include "common/cli.h"
#include "common/cpu_list.h"
#include "common/when.h"
#include "model/reader.h"
#include "render.h"

/* Of --by: enum cut_by, then these. */
enum { BY_INTERRUPT = BY_CUTS, BY_SYMBOL, BY_MODULE };
#define BY_WORDS CUT_WORDS "|interrupt|symbol|module"

struct analyze_options {
	const char *sort_column; /* NULL: the default */
	int by_word;		 /* of BY_WORDS; of this and the next -1: not given */
	int unproven, with_idle, interrupts; /* 1: to the threads */
	struct bill_rule rule;		     /* these three */
	/* Of by_word: the lines of the bill, or the table that is shown instead. */
	enum cut_by by;
	enum place_by by_place; /* a line for each function or module */
	bool by_interrupt;	/* a line for each kind and vector of them */
	int form;		/* enum form */
	struct cut_filter filter;
	bool is_diff, has_with; /* --diff, --with */
	size_t runs_a;		/* inputs before --with */
	const char *fail_on;	/* NULL: never */
	bool check, strict, no_sandbox, verbose;
	const char *from_text, *to_text;
	struct when from, to;	/* the same */
	int64_t from_ns, to_ns; /* the same, on the trace's clock */
	int64_t interval_ns;	/* 0: none */
	const char *cpus_text;	/* NULL: all CPUs */
	const bool *cpus;	/* CPU_LIST_MAX of them, or NULL */
	int64_t trace_id;
	int64_t threads; /* 0: the default */
	int64_t top;	 /* -1: not given */
	bool ratios, csv_safe;
	int language; /* 1: local */
	int variant;  /* enum perf_counter_variant; -1: not given */
	struct value_options values;
	struct reader_options input;
	const char *query; /* NULL: no SQL */
	const char *html;  /* the page; NULL: none */
	/* Live, where there is a recorder. */
	bool is_live, all_cpus, multiplex;
	int64_t duration_ns; /* 0: none */
	struct option_texts event_texts;
};

extern const struct cli analyze_cli;

/* As cli_parse(); refuses what excludes one another. */
int parse_options(struct analyze_options *options, int argc, char **argv, int *operands);

/* An option of the lines of a bill, which others have no use for; NULL: none is given. */
const char *lines_option(const struct analyze_options *options);

#endif
