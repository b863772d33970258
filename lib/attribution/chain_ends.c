/*
 * chain_ends.c - reports what is unknown of a CPU: before its first values, if they are a
 * baseline, and after its last ones.
 */
#include "attribution/chain.h"
#include "attribution/chain_steps.h"
#include "base/text.h"

/* CPUs that a finding names, those with the longest times. */
#define NAMED_MAX 3

struct cpu_end {
	int64_t cpu, ns;
};

/* One end of all CPUs. */
struct ends {
	int64_t cpus, total_ns;
	struct cpu_end longest[NAMED_MAX];
};

static void add_cpu(struct ends *ends, int64_t cpu, int64_t ns)
{
	struct cpu_end end = { cpu, ns };

	if (ns == INT_NONE)
		return;
	for (int64_t i = 0; i < NAMED_MAX; i++) {
		struct cpu_end other = ends->longest[i];

		if (i < ends->cpus && other.ns >= end.ns)
			continue;
		ends->longest[i] = end;
		end = other;
	}
	ends->cpus++;
	/* Saturates: a file may have any times. */
	if (__builtin_add_overflow(ends->total_ns, ns, &ends->total_ns))
		ends->total_ns = INT64_MAX;
}

/* Sets the text; streams of threads only are of no CPU, and leave that of the kind. */
static void report_ends(struct findings *findings, enum finding_kind kind,
			const char *words, const struct ends *ends)
{
	char text[sizeof(findings->of[kind].text)], ms[40];
	size_t at;

	if (ends->cpus == 0)
		return;
	at = text_print(text, sizeof(text), "%s %lld CPU", words, (long long)ends->cpus);
	if (ends->cpus > 1) {
		text_ms(ms, sizeof(ms), ends->total_ns);
		at += text_print(text + at, sizeof(text) - at, "s, %s ms in total", ms);
	}
	for (int64_t i = 0; i < NAMED_MAX && i < ends->cpus; i++) {
		text_ms(ms, sizeof(ms), ends->longest[i].ns);
		at += text_print(text + at, sizeof(text) - at, "%s CPU %lld %s ms",
				 i ? "," : ":", (long long)ends->longest[i].cpu, ms);
	}
	if (ends->cpus > NAMED_MAX)
		text_print(text + at, sizeof(text) - at, " and %lld more",
			   (long long)(ends->cpus - NAMED_MAX));
	finding_set_text(findings, kind, text);
}

static void keep_longest(int64_t *longest_ns, int64_t ns)
{
	if (ns > *longest_ns)
		*longest_ns = ns;
}

void chain_report_ends(const struct chains *chains, const struct trace_row *trace,
		       struct findings *findings)
{
	struct ends before = { .cpus = 0 }, after = { .cpus = 0 };
	int64_t unfinished = (int64_t)chains->unfinished;

	for (size_t i = 0; i < chains->stream_count; i++) {
		const struct stream *stream = chains->streams[i];
		bool is_unfinished = stream && chain_is_unfinished(stream);
		struct cpu_state *cpu;

		unfinished += is_unfinished;
		if (!stream || !stream->started || stream->per_task)
			continue;
		cpu = chains->cpus[stream->cpu];
		if (stream->has_baseline)
			keep_longest(&cpu->unread_before_ns,
				     chain_elapsed(trace->first_ns, stream->first_ns));
		if (is_unfinished)
			keep_longest(&cpu->unread_after_ns,
				     chain_elapsed(stream->last_ns, trace->last_ns));
	}
	for (size_t i = 0; i < chains->cpu_count; i++) {
		const struct cpu_state *cpu = chains->cpus[i];

		if (!cpu)
			continue;
		add_cpu(&before, (int64_t)i, cpu->unread_before_ns);
		add_cpu(&after, (int64_t)i, cpu->unread_after_ns);
	}
	if (unfinished)
		finding_add(findings, FINDING_LAST_INTERVAL, ERROR_NO_OFFSET, unfinished);
	report_ends(findings, FINDING_FIRST_INTERVAL,
		    "baselines, not charged: before the first switch on", &before);
	report_ends(findings, FINDING_LAST_INTERVAL,
		    "unknown counts: after the last switch on", &after);
}
