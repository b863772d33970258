/* The ledger of truth: the files that say what is right, as CSV. */
#include <inttypes.h>
#include <stdlib.h>

#include "etw/charset.h"
#include "etw/ledger.h"

static void put_ansi_field(struct byte_buf *out, const char *ansi)
{
	struct byte_buf text = { 0 };

	put_ansi_as_utf8(&text, ansi);
	buf_u8(&text, '\0');
	truth_field(out, (const char *)text.data);
	buf_release(&text);
}

/* The text of xperf knows no letters beyond the code page. */
static void put_name_field(struct byte_buf *out, const char *name, enum medium medium)
{
	struct byte_buf ansi = { 0 };

	if (medium == MEDIUM_ETL) {
		truth_field(out, name);
		return;
	}
	put_utf8_as_ansi(&ansi, name);
	buf_u8(&ansi, '\0');
	put_ansi_field(out, (const char *)ansi.data);
	buf_release(&ansi);
}

static const char *counter_name(const void *context, unsigned counter)
{
	return etw_counter_name(context, counter);
}

static struct truth truth_of(const struct etw_ledger *ledger)
{
	return (struct truth){ ledger->plan, counter_name, ledger->plan->name,
			       ledger->plan->counter_count };
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

static void put_account(const struct etw_ledger *ledger,
			const struct etw_account *account, enum medium medium,
			struct byte_buf *out)
{
	if (!account->tid) {
		buf_text(out, "(idle),,0,Idle/%u", account->idle_cpu);
		return;
	}
	put_process(&ledger->processes[account->process], !account->silent, out);
	buf_text(out, ",%" PRIu32 ",", account->tid);
	if (account->silent ||
	    !account->name[0]) /* nameless threads go by their number */
		buf_text(out, ":%" PRIu32, account->tid);
	else
		put_name_field(out, account->name, medium);
}

void etw_truth_threads(const struct etw_ledger *ledger, enum medium medium,
		       enum bill_rule rule, struct byte_buf *out)
{
	struct truth truth = truth_of(ledger);
	static const struct bill nothing;
	struct byte_buf rows = { 0 };
	bool idle = false;

	truth_heading(&truth, "process,pid,tid,thread,switches,on_cpu_ns", out);
	for (size_t i = 0; i < ledger->account_count; i++) {
		const struct etw_account *account = &ledger->accounts[i];

		if (!account->bills[medium][rule].switches)
			continue;
		idle |= !account->tid;
		put_account(ledger, account, medium, &rows);
		truth_bill(&truth, &account->bills[medium][rule], &rows);
	}
	if (!idle) {
		buf_text(&rows, "(idle),,,");
		truth_bill(&truth, &nothing, &rows);
	}
	buf_text(&rows, "(unattributed),,,");
	truth_bill(&truth, &ledger->unattributed[medium][rule], &rows);
	truth_sorted(&rows, out);
}

struct process_sum {
	uint64_t threads;
	struct bill bill;
};

static void put_sum(const struct truth *truth, const struct process_sum *sum,
		    struct byte_buf *out)
{
	buf_text(out, ",%" PRIu64, sum->threads);
	truth_bill(truth, &sum->bill, out);
}

void etw_truth_processes(const struct etw_ledger *ledger, enum medium medium,
			 struct byte_buf *out)
{
	struct truth truth = truth_of(ledger);
	size_t unknown = ledger->process_count;
	size_t idle = unknown + 1;
	struct process_sum *sums = calloc(idle + 1, sizeof(*sums));
	struct byte_buf rows = { 0 };

	if (!sums)
		die("no memory for %zu processes", idle + 1);
	for (size_t i = 0; i < ledger->account_count; i++) {
		const struct etw_account *account = &ledger->accounts[i];
		const struct bill *bill = &account->bills[medium][RULE_SEPARATE];
		size_t to = !account->tid     ? idle
			    : account->silent ? unknown
					      : account->process;

		sums[to].threads += bill->switches != 0;
		bill_add_bill(&sums[to].bill, bill);
	}
	truth_heading(&truth, "process,pid,threads,switches,on_cpu_ns", out);
	for (size_t i = 0; i <= unknown; i++) {
		if (!sums[i].threads)
			continue;
		put_process(&ledger->processes[i < unknown ? i : 0], i < unknown, &rows);
		put_sum(&truth, &sums[i], &rows);
	}
	buf_text(&rows, "(idle),");
	put_sum(&truth, &sums[idle], &rows);
	buf_text(&rows, "(unattributed),,");
	truth_bill(&truth, &ledger->unattributed[medium][RULE_SEPARATE], &rows);
	truth_sorted(&rows, out);
	free(sums);
}

void etw_truth_check(const struct etw_ledger *ledger, enum medium medium,
		     struct byte_buf *out)
{
	struct truth truth = truth_of(ledger);

	truth_check_heading(out);
	for (unsigned cpu = 0; cpu < ledger->plan->cpu_count; cpu++)
		if (ledger->chains[medium][cpu].counted)
			truth_check(&truth, &ledger->chains[medium][cpu].book, cpu, out);
}
