/*
 * ledger_run.c - adds the charged switches of a run: each to the book of its thread, but
 * to those of the CPU and of the status only the sums of all.
 */
#include "attribution/identity.h"
#include "attribution/ledger.h"
#include "base/uninitialized.h"
#include "base/unroll.h"
#include "base/wrap.h"

/* Books by window, of several groups, or of tasks are kept switch by switch. */
bool ledger_can_add_run(const struct ledger *ledger, const struct run *run,
			int64_t group_id)
{
	const struct group_book *group = &ledger->groups[0];

	return ledger->whole && ledger->group_count == 1 && !group->per_task &&
	       group->group_id == group_id && group->slots == run->common.count;
}

/* Sums of some switches of a run. */
struct sums {
	int64_t switches, on_cpu_ns, ran_ns;
	int64_t counts[GROUP_COUNTERS_MAX];
};

static inline void add_counts(int64_t *sums, const int64_t *counts, size_t slots)
{
	UNROLLED
	for (size_t i = 0; i < slots; i++)
		sums[i] = wrap_add(sums[i], counts[i]);
}

/* The CPU's: INT_NONE until something is known. */
static inline void add_ran(int64_t *sum, const struct run *run, int64_t more)
{
	if (run->has_running)
		*sum = wrap_add(*sum == INT_NONE ? 0 : *sum, more);
}

static inline void add_to_book(struct thread_book *book, const struct run *run,
			       int64_t switches, int64_t on_cpu_ns, int64_t ran_ns,
			       const int64_t *counts)
{
	book->switches += switches;
	book->on_cpu_ns = wrap_add(book->on_cpu_ns, on_cpu_ns);
	if (run->has_running)
		ledger_add_running(&book->ran, ran_ns);
	add_counts(book->charged, counts, run->common.count);
}

/* With many threads the books of the first switches. */
static bool fetch_first(const struct ledger *ledger, const struct run *run, size_t from,
			size_t to)
{
	if (ledger_thread_count(ledger) < MANY_THREADS)
		return false;
	for (size_t at = from; at < to && at < from + TURNS_AHEAD; at++)
		ledger_fetch_book(ledger, run->prev_thread_id[at]);
	return true;
}

static inline void fetch_ahead(const struct ledger *ledger, const struct run *run,
			       size_t at, size_t to)
{
	if (at + TURNS_AHEAD < to)
		ledger_fetch_book(ledger, run->prev_thread_id[at + TURNS_AHEAD]);
}

/* The book of a thread; NULL: out of memory. */
static inline struct thread_book *find_book(struct ledger *ledger,
					    const struct group_book *group,
					    int64_t thread_id)
{
	struct thread_book *book = ledger_first_book(ledger, thread_id);

	return book ? book : ledger_thread_book(ledger, thread_id, group);
}

/* Every switch out of a thread; those out of idle, which a CPU has one of, are summed. */
static void add_threads(struct ledger *ledger, const struct run *run,
			const struct group_book *group, size_t from, size_t to,
			struct sums *all, struct sums *idle)
{
	size_t slots = run->common.count;
	bool many = fetch_first(ledger, run, from, to);

	for (size_t at = from; at < to; at++) {
		const int64_t *deltas = run->deltas + at * slots;
		int64_t on_cpu_ns = run->on_cpu_ns[at];
		struct thread_book *book;

		if (many)
			fetch_ahead(ledger, run, at, to);
		all->on_cpu_ns = wrap_add(all->on_cpu_ns, on_cpu_ns);
		if (run->prev_tid[at] == 0) {
			idle->switches++;
			idle->on_cpu_ns = wrap_add(idle->on_cpu_ns, on_cpu_ns);
			idle->ran_ns = wrap_add(idle->ran_ns, run->ran_ns[at]);
			add_counts(idle->counts, deltas, slots);
			continue;
		}
		book = find_book(ledger, group, run->prev_thread_id[at]);
		if (book)
			add_to_book(book, run, 1, on_cpu_ns, run->ran_ns[at], deltas);
	}
}

/* The deltas of a run add up to its last values less those before it. */
static void sum_counts(const struct run *run, size_t from, size_t to, struct sums *all)
{
	size_t slots = run->common.count;
	const uint64_t *first = run->values + from * slots,
		       *last = run->values + (to - 1) * slots;
	const int64_t *deltas = run->deltas + from * slots;

	all->switches = (int64_t)(to - from);
	for (size_t i = 0; i < slots; i++)
		all->counts[i] = wrap_add((int64_t)(last[i] - first[i]), deltas[i]);
	if (run->has_running)
		all->ran_ns =
			wrap_add(wrap_sub(run->running_ns[to - 1], run->running_ns[from]),
				 run->ran_ns[from]);
}

static void add_to_cpu(struct cpu_book *book, const struct run *run, size_t from,
		       size_t to, const struct sums *all, const struct sums *idle)
{
	struct cpu_summary_row *summary = &book->summary;

	if (summary->switches + summary->reads == 0)
		summary->first_ns = run->ts_ns[from];
	summary->switches += all->switches;
	summary->last_ns = run->ts_ns[to - 1];
	book->last_switch =
		(struct last_switch){ run->ts_ns[to - 1], run->prev_thread_id[to - 1],
				      run->next_thread_id[to - 1] };
	summary->on_cpu_ns = wrap_add(summary->on_cpu_ns, all->on_cpu_ns);
	summary->idle_ns = wrap_add(summary->idle_ns, idle->on_cpu_ns);
	add_ran(&summary->running_ns, run, all->ran_ns);
	add_counts(book->idle, idle->counts, run->common.count);
	for (size_t i = 0; i < run->common.count; i++)
		book->charged[i] = wrap_add(book->charged[i],
					    wrap_sub(all->counts[i], idle->counts[i]));
}

static void add_to_status(struct group_book *group, const struct sums *all)
{
	group->status[CHARGE_CHARGED].switches += all->switches;
	group->status[CHARGE_CHARGED].on_cpu_ns =
		wrap_add(group->status[CHARGE_CHARGED].on_cpu_ns, all->on_cpu_ns);
}

static int64_t idle_of(const struct run *run, size_t from)
{
	while (run->prev_tid[from] != 0)
		from++;
	return run->prev_thread_id[from];
}

/* --- several streams --- */

/* Sums of the switches of one stream. */
struct stream_sums {
	size_t first, last; /* places */
	int64_t switches;
	int64_t idle_switches, idle_ns;
	int64_t *idle; /* counts */
};

static void add_switches(struct ledger *ledger, const struct run *run,
			 const struct group_book *group, size_t from, size_t to,
			 struct stream_sums *all)
{
	size_t slots = run->common.count;
	bool many = fetch_first(ledger, run, from, to);

	for (size_t at = from; at < to; at++) {
		struct stream_sums *sums = &all[run->stream_at[at]];
		const int64_t *deltas = run->deltas + at * slots;
		struct thread_book *book;

		if (many)
			fetch_ahead(ledger, run, at, to);
		if (sums->switches++ == 0)
			sums->first = at;
		sums->last = at;
		if (run->prev_tid[at] == 0) {
			sums->idle_switches++;
			sums->idle_ns = wrap_add(sums->idle_ns, run->on_cpu_ns[at]);
			add_counts(sums->idle, deltas, slots);
			continue;
		}
		book = find_book(ledger, group, run->prev_thread_id[at]);
		if (book)
			add_to_book(book, run, 1, run->on_cpu_ns[at], 0, deltas);
	}
}

static int64_t idle_of_stream(const struct run *run, const struct stream_sums *sums)
{
	size_t at = sums->last;

	while (run->prev_tid[at] != 0)
		at = run->before[at];
	return run->prev_thread_id[at];
}

/* Times and values of a stream rise from what was before its first switch. */
static void add_stream(struct ledger *ledger, const struct run *run,
		       struct group_book *group, int64_t cpu,
		       const struct stream_sums *sums)
{
	size_t slots = run->common.count, before = run->before[sums->first];
	const uint64_t *first = run->values + before * slots,
		       *last = run->values + sums->last * slots;
	int64_t time = wrap_sub(run->ts_ns[sums->last], run->ts_ns[before]);
	struct cpu_book *book = ledger_cpu_book(ledger, group, cpu);
	struct thread_book *idle =
		sums->idle_switches
			? ledger_thread_book(ledger, idle_of_stream(run, sums), group)
			: NULL;

	if (idle)
		add_to_book(idle, run, sums->idle_switches, sums->idle_ns, 0, sums->idle);
	group->status[CHARGE_CHARGED].switches += sums->switches;
	group->status[CHARGE_CHARGED].on_cpu_ns =
		wrap_add(group->status[CHARGE_CHARGED].on_cpu_ns, time);
	if (!book)
		return;
	if (book->summary.switches + book->summary.reads == 0)
		book->summary.first_ns = run->ts_ns[sums->first];
	book->summary.switches += sums->switches;
	book->summary.last_ns = run->ts_ns[sums->last];
	book->last_switch = (struct last_switch){ run->ts_ns[sums->last],
						  run->prev_thread_id[sums->last],
						  run->next_thread_id[sums->last] };
	book->summary.on_cpu_ns = wrap_add(book->summary.on_cpu_ns, time);
	book->summary.idle_ns = wrap_add(book->summary.idle_ns, sums->idle_ns);
	add_counts(book->idle, sums->idle, slots);
	for (size_t i = 0; i < slots; i++)
		book->charged[i] =
			wrap_add(book->charged[i],
				 wrap_sub((int64_t)(last[i] - first[i]), sums->idle[i]));
}

static void add_streams(struct ledger *ledger, const struct run *run,
			struct group_book *group, size_t from, size_t to)
{
	size_t slots = run->common.count;
	struct stream_sums sums[RUN_STREAMS_MAX] UNINITIALIZED;
	int64_t idle[RUN_VALUES_MAX] UNINITIALIZED; /* has a place for each stream */

	memset(sums, 0, run->stream_count * sizeof(sums[0]));
	memset(idle, 0, run->stream_count * slots * sizeof(idle[0]));
	for (size_t s = 0; s < run->stream_count; s++)
		sums[s].idle = idle + s * slots;
	add_switches(ledger, run, group, from, to, sums);
	for (size_t s = 0; s < run->stream_count; s++)
		if (sums[s].switches)
			add_stream(ledger, run, group, run->streams[s].cpu, &sums[s]);
}

/* --- a run --- */

void ledger_add_run(struct ledger *ledger, const struct run *run, int64_t group_id,
		    size_t from, size_t to)
{
	struct group_book *group = ledger_find_group(ledger, group_id);
	size_t slots = run->common.count;
	struct sums all UNINITIALIZED, idle UNINITIALIZED;
	struct thread_book *book;
	struct cpu_book *cpu;

	if (run->stream_count) {
		add_streams(ledger, run, group, from, to);
		return;
	}
	all.switches = all.on_cpu_ns = all.ran_ns = 0;
	idle.switches = idle.on_cpu_ns = idle.ran_ns = 0;
	memset(idle.counts, 0, slots * sizeof(idle.counts[0]));
	add_threads(ledger, run, group, from, to, &all, &idle);
	sum_counts(run, from, to, &all);
	book = idle.switches ? ledger_thread_book(ledger, idle_of(run, from), group)
			     : NULL;
	if (book)
		add_to_book(book, run, idle.switches, idle.on_cpu_ns, idle.ran_ns,
			    idle.counts);
	cpu = ledger_cpu_book(ledger, group, run->common.cpu);
	if (cpu)
		add_to_cpu(cpu, run, from, to, &all, &idle);
	add_to_status(group, &all);
}

/* What all switches come to: times and values rise from what was before the first. */
static void sum_all(const struct run_summed *summed, struct sums *all)
{
	const struct run *ends = summed->ends;
	size_t slots = ends->common.count, last = ends->count;

	all->switches = (int64_t)summed->sums->count;
	all->on_cpu_ns = wrap_sub(ends->ts_ns[last], ends->ts_ns[0]);
	all->ran_ns = ends->has_running
			      ? wrap_sub(ends->running_ns[last], ends->running_ns[0])
			      : 0;
	for (size_t i = 0; i < slots; i++)
		all->counts[i] =
			(int64_t)(ends->values[last * slots + i] - ends->values[i]);
}

struct ledger_sums ledger_add_sums(struct ledger *ledger, const struct run_summed *summed,
				   int64_t group_id)
{
	struct ledger_sums busy;
	const struct run_sums *sums = summed->sums;
	const struct run *ends = summed->ends;
	struct group_book *group = ledger_find_group(ledger, group_id);
	struct cpu_book *cpu = ledger_cpu_book(ledger, group, ends->common.cpu);
	struct sums all UNINITIALIZED, idle UNINITIALIZED;

	memset(&idle, 0, sizeof(idle));
	sum_all(summed, &all);
	for (size_t i = 0; i < sums->thread_count; i++) {
		const struct thread_sums *of = &sums->threads[i];
		const int64_t *counts = sums->counts + i * sums->slots;
		struct thread_book *book =
			find_book(ledger, group, summed->threads[i]->thread_id);

		if (book)
			add_to_book(book, ends, of->switches, of->on_cpu_ns, of->ran_ns,
				    counts);
		if (of->tid == 0) {
			idle.on_cpu_ns = of->on_cpu_ns;
			memcpy(idle.counts, counts,
			       ends->common.count * sizeof(idle.counts[0]));
		}
	}
	if (cpu)
		add_to_cpu(cpu, ends, 1, ends->count + 1, &all, &idle);
	add_to_status(group, &all);
	busy.all_ns = all.on_cpu_ns;
	busy.on_cpu_ns = wrap_sub(all.on_cpu_ns, idle.on_cpu_ns);
	for (size_t i = 0; i < ends->common.count; i++)
		busy.counts[i] = wrap_sub(all.counts[i], idle.counts[i]);
	return busy;
}
