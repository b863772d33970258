/* The ledger of truth: the files that say what is right, as CSV. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "etw_charset.h"
#include "etw_ledger.h"

/* RFC 4180: quotes only where a comma, a quote or a line end asks for them. */
static void put_field(struct byte_buf *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		buf_bytes(out, text, strlen(text));
		return;
	}
	buf_u8(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf_u8(out, '"');
		buf_u8(out, (uint8_t)*text);
	}
	buf_u8(out, '"');
}

static void put_ansi_field(struct byte_buf *out, const char *ansi)
{
	struct byte_buf text = { 0 };

	put_ansi_as_utf8(&text, ansi);
	buf_u8(&text, '\0');
	put_field(out, (const char *)text.data);
	buf_release(&text);
}

/* The text of xperf knows no letters beyond the code page. */
static void put_name_field(struct byte_buf *out, const char *name, enum medium medium)
{
	struct byte_buf ansi = { 0 };

	if (medium == MEDIUM_ETL) {
		put_field(out, name);
		return;
	}
	put_utf8_as_ansi(&ansi, name);
	buf_u8(&ansi, '\0');
	put_ansi_field(out, (const char *)ansi.data);
	buf_release(&ansi);
}

static void put_bill(struct byte_buf *out, const struct etw_bill *bill, unsigned count)
{
	buf_text(out, ",%" PRIu64 ",%" PRIu64, bill->switches, bill->on_cpu_ns);
	for (unsigned i = 0; i < count; i++)
		buf_text(out, ",%" PRId64, (int64_t)bill->counts[i]);
	buf_u8(out, '\n');
}

static void put_heading(const struct etw_plan *plan, const char *columns,
			struct byte_buf *out)
{
	buf_text(out, "%s", columns);
	for (unsigned i = 0; i < plan->counter_count; i++) {
		buf_u8(out, ',');
		put_field(out, etw_counter_name(plan, i));
	}
	buf_u8(out, '\n');
}

static int compare_lines(const void *left, const void *right)
{
	const char *const *a = left;
	const char *const *b = right;

	return strcmp(*a, *b);
}

/* Sorts the lines of text as LC_ALL=C sort does, and appends them to out. */
static void put_sorted(struct byte_buf *text, struct byte_buf *out)
{
	const char **lines = NULL;
	size_t room = 0;
	size_t count = 0;
	char *start;

	buf_u8(text, '\0');
	start = (char *)text->data;
	for (char *end = strchr(start, '\n'); end; end = strchr(start, '\n')) {
		*end = '\0';
		lines = grow_array(lines, count, &room, sizeof(*lines));
		lines[count++] = start;
		start = end + 1;
	}
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++) {
		buf_bytes(out, lines[i], strlen(lines[i]));
		buf_u8(out, '\n');
	}
	free(lines);
	buf_release(text);
}

/* Name and pid of a process. */
static void put_process(const struct etw_process *process, bool is_known,
			struct byte_buf *out)
{
	if (is_known) {
		put_ansi_field(out, process->image);
		buf_text(out, ",%" PRIu32, process->pid);
	} else {
		buf_text(out, "(unknown),");
	}
}

static void put_life(const struct etw_ledger *ledger, const struct etw_life *life,
		     enum medium medium, struct byte_buf *out)
{
	if (!life->tid) {
		buf_text(out, "(idle),,0,Idle/%u", life->idle_cpu);
		return;
	}
	put_process(&ledger->processes[life->process], !life->silent, out);
	buf_text(out, ",%" PRIu32 ",", life->tid);
	if (life->silent || !life->name[0]) /* nameless threads go by their number */
		buf_text(out, ":%" PRIu32, life->tid);
	else
		put_name_field(out, life->name, medium);
}

void etw_truth_threads(const struct etw_ledger *ledger, enum medium medium,
		       enum bill_rule rule, struct byte_buf *out)
{
	unsigned counter_count = ledger->plan->counter_count;
	static const struct etw_bill nothing;
	struct byte_buf rows = { 0 };
	bool idle = false;

	put_heading(ledger->plan, "process,pid,tid,thread,switches,on_cpu_ns", out);
	for (size_t i = 0; i < ledger->life_count; i++) {
		const struct etw_life *life = &ledger->lives[i];
		const struct etw_bill *bill = &life->bills[medium][rule];

		if (!bill->switches)
			continue;
		idle |= !life->tid;
		put_life(ledger, life, medium, &rows);
		put_bill(&rows, bill, counter_count);
	}
	if (!idle) {
		buf_text(&rows, "(idle),,,");
		put_bill(&rows, &nothing, counter_count);
	}
	buf_text(&rows, "(unattributed),,,");
	put_bill(&rows, &ledger->unattributed[medium][rule], counter_count);
	put_sorted(&rows, out);
}

struct process_sum {
	uint64_t threads;
	struct etw_bill bill;
};

static void sum_add(struct process_sum *sum, const struct etw_bill *bill)
{
	sum->threads++;
	sum->bill.switches += bill->switches;
	sum->bill.on_cpu_ns += bill->on_cpu_ns;
	for (unsigned i = 0; i < COUNTER_MAX; i++)
		sum->bill.counts[i] += bill->counts[i];
}

static void put_sum(struct byte_buf *out, const struct process_sum *sum, unsigned count)
{
	buf_text(out, ",%" PRIu64, sum->threads);
	put_bill(out, &sum->bill, count);
}

void etw_truth_processes(const struct etw_ledger *ledger, enum medium medium,
			 struct byte_buf *out)
{
	unsigned count = ledger->plan->counter_count;
	size_t unknown = ledger->process_count;
	size_t idle = unknown + 1;
	struct process_sum *sums = calloc(idle + 1, sizeof(*sums));
	struct byte_buf rows = { 0 };

	if (!sums)
		die("no memory for %zu processes", idle + 1);
	for (size_t i = 0; i < ledger->life_count; i++) {
		const struct etw_life *life = &ledger->lives[i];
		const struct etw_bill *bill = &life->bills[medium][RULE_SEPARATE];
		size_t to = !life->tid ? idle : life->silent ? unknown : life->process;

		if (bill->switches)
			sum_add(&sums[to], bill);
	}
	put_heading(ledger->plan, "process,pid,threads,switches,on_cpu_ns", out);
	for (size_t i = 0; i <= unknown; i++) {
		if (!sums[i].threads)
			continue;
		put_process(&ledger->processes[i < unknown ? i : 0], i < unknown, &rows);
		put_sum(&rows, &sums[i], count);
	}
	buf_text(&rows, "(idle),");
	put_sum(&rows, &sums[idle], count);
	buf_text(&rows, "(unattributed),,");
	put_bill(&rows, &ledger->unattributed[medium][RULE_SEPARATE], count);
	put_sorted(&rows, out);
	free(sums);
}

static void put_check_row(const struct etw_ledger *ledger, const struct etw_chain *chain,
			  unsigned cpu, unsigned counter, struct byte_buf *out)
{
	uint64_t charged = chain->sums[STATUS_CHARGED][counter];
	uint64_t idle = chain->sums[STATUS_IDLE][counter];
	uint64_t unattributed = chain->sums[STATUS_UNATTRIBUTED][counter];
	uint64_t whole = chain->last[counter] - chain->first[counter];

	if (whole != charged + idle + unattributed)
		die("%s: cpu %u, counter %u: the ledger does not balance",
		    ledger->plan->name, cpu, counter);
	buf_text(out, "%u,", cpu);
	put_field(out, etw_counter_name(ledger->plan, counter));
	buf_text(out,
		 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",0,%" PRId64 ",%" PRId64 ",1\n",
		 (int64_t)chain->first[counter], (int64_t)chain->last[counter],
		 (int64_t)charged, (int64_t)idle, (int64_t)unattributed);
}

void etw_truth_check(const struct etw_ledger *ledger, enum medium medium,
		     struct byte_buf *out)
{
	buf_text(out, "cpu,counter,first,last,"
		      "charged,with_idle,idle,unattributed,balanced\n");
	for (unsigned cpu = 0; cpu < ledger->plan->cpu_count; cpu++)
		for (unsigned i = 0; i < ledger->plan->counter_count; i++)
			if (ledger->chains[medium][cpu].counted)
				put_check_row(ledger, &ledger->chains[medium][cpu], cpu,
					      i, out);
}
