/* The ledger of truth: charges by docs/attribution.md, and the truth files. */
#include "trace/ledger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ledger_init(struct ledger *ledger, const struct scenario *scenario)
{
	*ledger = (struct ledger){ .scenario = scenario };
}

size_t ledger_birth(struct ledger *ledger, uint32_t pid, uint32_t tid, size_t main,
		    const char *comm)
{
	size_t index = ledger->account_count;
	struct account *account;

	ledger->accounts = grow_array(ledger->accounts, index, &ledger->account_room,
				      sizeof(*account));
	account = &ledger->accounts[index];
	*account = (struct account){
		.pid = pid,
		.tid = tid,
		.main = main == SIZE_MAX ? index : main,
	};
	ledger->account_count++;
	ledger_rename(ledger, index, comm);
	return index;
}

void ledger_rename(struct ledger *ledger, size_t account, const char *comm)
{
	size_t length = strlen(comm);

	if (length >= COMM_BYTES)
		die("comm \"%s\" is longer than %d bytes", comm, COMM_BYTES - 1);
	memcpy(ledger->accounts[account].comm, comm, length + 1);
}

void ledger_disturb(struct ledger *ledger, unsigned cpu)
{
	ledger->chains[cpu].disturbed = true;
}

void ledger_switch_in(struct ledger *ledger, unsigned cpu, uint32_t left, uint32_t tid,
		      uint64_t time_ns)
{
	struct chain *chain = &ledger->chains[cpu];

	chain->idle_ran |=
		tid == 0 || (left == 0 && (chain->in_known || chain->left_tid != 0));
	chain->others_ran |= tid && chain->ran_tid && chain->ran_tid != tid;
	if (tid)
		chain->ran_tid = tid;
	chain->in_known = true;
	chain->in_tid = tid;
	chain->in_ns = time_ns;
}

static bool interval_is_clean(const struct ledger *ledger, const struct chain *chain,
			      const struct ledger_sample *sample)
{
	const struct scenario *scenario = ledger->scenario;

	if (chain->disturbed || chain->others_ran)
		return false;
	for (unsigned i = 0; i < scenario->counter_count; i++)
		if (sample->values[i] < chain->book.last[i])
			return false;
	return !scenario_has_times(scenario) ||
	       sample->running_ns - chain->running_ns >=
		       sample->enabled_ns - chain->enabled_ns;
}

/* The leader counted other than one switch: what the SWITCH records prove. */
static enum charge_status witness_status(const struct chain *chain, uint32_t tid)
{
	if (!chain->in_known || chain->ran_tid != tid)
		return STATUS_UNATTRIBUTED;
	if (tid == 0)
		return STATUS_IDLE;
	return chain->idle_ran ? STATUS_WITH_IDLE : STATUS_CHARGED;
}

static enum charge_status interval_status(const struct ledger *ledger,
					  const struct chain *chain,
					  const struct ledger_sample *sample)
{
	const struct scenario *scenario = ledger->scenario;
	uint32_t tid = ledger->accounts[sample->account].tid;
	bool next_known =
		!scenario->software_leader || scenario_has(scenario, TRAIT_SWITCH);

	if (!chain->seen)
		return STATUS_BASELINE;
	if (!interval_is_clean(ledger, chain, sample))
		return STATUS_UNATTRIBUTED;
	if (sample->values[0] - chain->book.last[0] != 1)
		return witness_status(chain, tid);
	if (!next_known || chain->next_tid == tid)
		return tid || scenario_hides_idle(scenario) ? STATUS_CHARGED
							    : STATUS_IDLE;
	return chain->next_tid == 0 ? STATUS_WITH_IDLE : STATUS_UNATTRIBUTED;
}

static uint64_t interval_on_cpu(const struct ledger *ledger, const struct chain *chain,
				const struct ledger_sample *sample,
				enum charge_status status)
{
	uint32_t tid = ledger->accounts[sample->account].tid;

	if (status == STATUS_BASELINE)
		return 0;
	if (status == STATUS_UNATTRIBUTED)
		return sample->time_ns - chain->time_ns;
	if (chain->in_known && chain->in_tid == tid)
		return sample->time_ns - chain->in_ns;
	return status == STATUS_WITH_IDLE ? 0 : sample->time_ns - chain->time_ns;
}

static void chain_advance(struct chain *chain, const struct ledger_sample *sample,
			  uint32_t left_tid, unsigned counter_count)
{
	if (!chain->seen)
		memcpy(chain->book.first, sample->values,
		       counter_count * sizeof(uint64_t));
	memcpy(chain->book.last, sample->values, counter_count * sizeof(uint64_t));
	chain->seen = true;
	chain->disturbed = false;
	chain->in_known = chain->idle_ran = chain->others_ran = false;
	chain->left_tid = left_tid;
	chain->ran_tid = 0;
	chain->time_ns = sample->time_ns;
	chain->next_tid = sample->next_tid;
	chain->enabled_ns = sample->enabled_ns;
	chain->running_ns = sample->running_ns;
}

enum charge_status ledger_enter(struct ledger *ledger, const struct ledger_sample *sample)
{
	struct chain *chain = &ledger->chains[sample->cpu];
	struct account *account = &ledger->accounts[sample->account];
	unsigned count = ledger->scenario->counter_count;
	enum charge_status status = interval_status(ledger, chain, sample);
	uint64_t on_cpu_ns = interval_on_cpu(ledger, chain, sample, status);
	uint64_t deltas[COUNTER_MAX] = { 0 };

	for (unsigned i = 0; i < count && status != STATUS_BASELINE; i++) {
		deltas[i] = sample->values[i] - chain->book.last[i];
		chain->book.sums[status][i] += deltas[i];
	}
	bill_add(&account->bills[RULE_SWITCHED_OUT], on_cpu_ns, deltas);
	if (status == STATUS_UNATTRIBUTED)
		bill_add(&ledger->unattributed[RULE_SEPARATE], on_cpu_ns, deltas);
	else
		bill_add(&account->bills[RULE_SEPARATE], on_cpu_ns, deltas);
	if (account->tid)
		bill_add(&ledger->cgroups[sample->cgroup][RULE_SWITCHED_OUT], on_cpu_ns,
			 deltas);
	if (account->tid && status != STATUS_UNATTRIBUTED)
		bill_add(&ledger->cgroups[sample->cgroup][RULE_SEPARATE], on_cpu_ns,
			 deltas);
	chain_advance(chain, sample, account->tid, count);
	return status;
}

static const char *counter_name(const void *context, unsigned counter)
{
	return scenario_counter(context, counter).name;
}

static struct truth truth_of(const struct ledger *ledger)
{
	return (struct truth){ ledger->scenario, counter_name, ledger->scenario->name,
			       ledger->scenario->counter_count };
}

static void put_account(const struct ledger *ledger, const struct account *account,
			struct byte_buf *out)
{
	if (account->tid) {
		truth_field(out, ledger->accounts[account->main].comm);
		buf_text(out, ",%" PRIu32, account->pid);
	} else if (scenario_hides_idle(ledger->scenario)) {
		buf_text(out, "(outside the namespace),");
	} else {
		buf_text(out, "(idle),");
	}
	buf_text(out, ",%" PRIu32 ",", account->tid);
	truth_field(out, account->comm);
}

void ledger_thread_csv(const struct ledger *ledger, enum bill_rule rule,
		       struct byte_buf *out)
{
	struct truth truth = truth_of(ledger);
	struct byte_buf rows = { 0 };

	truth_heading(&truth, "process,pid,tid,thread,switches,on_cpu_ns", out);
	for (size_t i = 0; i < ledger->account_count; i++) {
		if (!ledger->accounts[i].bills[rule].switches)
			continue;
		put_account(ledger, &ledger->accounts[i], &rows);
		truth_bill(&truth, &ledger->accounts[i].bills[rule], &rows);
	}
	if (scenario_hides_idle(ledger->scenario)) { /* a line that every bill has */
		static const struct bill none;

		buf_text(&rows, "(idle),,,");
		truth_bill(&truth, &none, &rows);
	}
	buf_text(&rows, "(unattributed),,,");
	truth_bill(&truth, &ledger->unattributed[rule], &rows);
	truth_sorted(&rows, out);
}

void ledger_cgroup_csv(const struct ledger *ledger, enum bill_rule rule,
		       struct byte_buf *out)
{
	struct truth truth = truth_of(ledger);
	struct byte_buf rows = { 0 };
	struct bill idle = { 0 };

	truth_heading(&truth, "cgroup,switches,on_cpu_ns", out);
	for (unsigned i = 0; i < CGROUP_COUNT; i++) {
		if (!ledger->cgroups[i][rule].switches)
			continue;
		buf_text(&rows, "%s", cgroups[i].path);
		truth_bill(&truth, &ledger->cgroups[i][rule], &rows);
	}
	for (size_t i = 0; i < ledger->account_count; i++)
		if (!ledger->accounts[i].tid)
			bill_add_bill(&idle, &ledger->accounts[i].bills[rule]);
	buf_text(&rows, "(idle)");
	truth_bill(&truth, &idle, &rows);
	buf_text(&rows, "(unattributed)");
	truth_bill(&truth, &ledger->unattributed[rule], &rows);
	truth_sorted(&rows, out);
}

void ledger_check_csv(const struct ledger *ledger, struct byte_buf *out)
{
	struct truth truth = truth_of(ledger);

	truth_check_heading(out);
	for (unsigned cpu = 0; cpu < ledger->scenario->cpu_count; cpu++)
		if (ledger->chains[cpu].seen)
			truth_check(&truth, &ledger->chains[cpu].book, cpu, out);
}

void ledger_release(struct ledger *ledger)
{
	free(ledger->accounts);
	ledger->accounts = NULL;
}
