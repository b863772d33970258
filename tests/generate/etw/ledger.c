/* The ledger of truth: who is charged for an interval. */
#include "etw/ledger.h"

#include <stdlib.h>
#include <string.h>

void etw_ledger_init(struct etw_ledger *ledger, const struct etw_plan *plan)
{
	*ledger = (struct etw_ledger){ .plan = plan };
	for (unsigned medium = 0; medium < MEDIUM_COUNT; medium++)
		for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
			ledger->chains[medium][cpu].corrupt_ns = UINT64_MAX;
}

size_t etw_ledger_process(struct etw_ledger *ledger, uint32_t pid, const char *image)
{
	size_t index = ledger->process_count++;
	struct etw_process *process;

	ledger->processes = grow_array(ledger->processes, index, &ledger->process_room,
				       sizeof(*process));
	process = &ledger->processes[index];
	*process = (struct etw_process){ .pid = pid };
	if (strlen(image) >= sizeof(process->image))
		die("image name \"%s\" is too long", image);
	memcpy(process->image, image, strlen(image) + 1);
	return index;
}

size_t etw_ledger_thread(struct etw_ledger *ledger, uint32_t tid, size_t process)
{
	size_t index = ledger->account_count++;

	ledger->accounts = grow_array(ledger->accounts, index, &ledger->account_room,
				      sizeof(*ledger->accounts));
	ledger->accounts[index] = (struct etw_account){ .tid = tid, .process = process };
	return index;
}

void etw_ledger_rename(struct etw_ledger *ledger, size_t account, const char *name)
{
	if (strlen(name) >= sizeof(ledger->accounts[account].name))
		die("thread name \"%s\" is too long", name);
	memcpy(ledger->accounts[account].name, name, strlen(name) + 1);
}

void etw_ledger_disturb(struct etw_ledger *ledger, enum medium medium, unsigned cpu)
{
	ledger->chains[medium][cpu].disturbed = true;
}

static enum charge_status interval_status(const struct etw_chain *chain,
					  const struct etw_entry *entry, uint32_t tid)
{
	if (chain->disturbed || chain->between || chain->in_tid != tid)
		return STATUS_UNATTRIBUTED;
	if (entry->time_ns > chain->corrupt_ns)
		return STATUS_UNATTRIBUTED;
	for (unsigned i = 0; i < entry->counter_count; i++)
		if (entry->values[i] < chain->book.last[i])
			return STATUS_UNATTRIBUTED;
	return tid ? STATUS_CHARGED : STATUS_IDLE;
}

/*
 * The first counted switch of a CPU is the baseline: it ends no interval, but it is a
 * switch of the thread that goes.
 */
static void add_baseline(struct etw_ledger *ledger, enum medium medium,
			 const struct etw_entry *entry)
{
	struct etw_chain *chain = &ledger->chains[medium][entry->cpu];
	const uint64_t nothing[TRUTH_COUNTERS] = { 0 };

	for (int rule = 0; rule < RULE_COUNT; rule++)
		bill_add(&ledger->accounts[entry->account].bills[medium][rule], 0,
			 nothing);
	memcpy(chain->book.first, entry->values, sizeof(chain->book.first));
	chain->counted = true;
}

static void charge_interval(struct etw_ledger *ledger, enum medium medium,
			    const struct etw_entry *entry, bool is_counted)
{
	struct etw_chain *chain = &ledger->chains[medium][entry->cpu];
	struct etw_account *account = &ledger->accounts[entry->account];
	uint64_t on_cpu_ns = chain->seen ? entry->time_ns - chain->time_ns : 0;
	enum charge_status status = STATUS_UNATTRIBUTED;
	uint64_t deltas[TRUTH_COUNTERS] = { 0 };

	if (is_counted) {
		status = interval_status(chain, entry, account->tid);
		for (unsigned i = 0; i < entry->counter_count; i++) {
			deltas[i] = entry->values[i] - chain->book.last[i];
			chain->book.sums[status][i] += deltas[i];
		}
	}
	bill_add(&account->bills[medium][RULE_SWITCHED_OUT], on_cpu_ns, deltas);
	if (status == STATUS_UNATTRIBUTED)
		bill_add(&ledger->unattributed[medium][RULE_SEPARATE], on_cpu_ns, deltas);
	else
		bill_add(&account->bills[medium][RULE_SEPARATE], on_cpu_ns, deltas);
}

void etw_ledger_enter(struct etw_ledger *ledger, enum medium medium,
		      const struct etw_entry *entry)
{
	struct etw_chain *chain = &ledger->chains[medium][entry->cpu];
	bool is_counted = entry->counter_count == ledger->plan->counter_count;

	/* One stream for all CPUs: nobody can say which CPU a switch was on. */
	if (ledger->plan->dress & DRESS_SINGLE_STREAM)
		return;
	if (chain->seen && entry->time_ns <= chain->time_ns)
		die("%s: cpu %u: time goes back", ledger->plan->name, entry->cpu);
	if (entry->dropped && medium == MEDIUM_ETL)
		chain->disturbed = true;
	if (is_counted && !chain->counted)
		add_baseline(ledger, medium, entry);
	else
		charge_interval(ledger, medium, entry, is_counted);
	if (is_counted) {
		memcpy(chain->book.last, entry->values, sizeof(chain->book.last));
		chain->disturbed = false;
		chain->between = false;
	} else {
		chain->between = true;
	}
	chain->seen = true;
	chain->in_tid = entry->new_tid;
	chain->time_ns = entry->time_ns;
}

void etw_ledger_release(struct etw_ledger *ledger)
{
	free(ledger->processes);
	free(ledger->accounts);
	ledger->processes = NULL;
	ledger->accounts = NULL;
}
