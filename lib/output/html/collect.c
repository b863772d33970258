/* collect.c - adds intervals and samples to lanes, books and single switches. */
#include "output/html/collect.h"

#include <stdlib.h>

#include "base/memory.h"

#define ALL_CPUS (-1)
#define LANE_BUCKETS 65536
#define LANE_ENTRIES 8 /* of a bucket; more would not be seen */
/* About what fits the page (pack_lanes.c), or twice that. */
#define LANE_BYTES ((size_t)3 << 20)
#define LANE_CPU_BYTES ((size_t)64 << 10) /* and for each CPU above 16 */
#define LANE_BYTES_MAX ((size_t)6 << 20)
#define COARSE_BUCKETS 1024
#define COARSE_BYTES ((size_t)3 << 20)
#define PERIOD_BOOK_BUCKETS 4096
#define PERIOD_BOOK_BYTES ((size_t)8 << 20)
#define SWITCH_BYTES ((size_t)448 << 10)
#define WINDOW_SWITCH_BYTES ((size_t)8 << 20)

static void begin_lanes(struct collect *collect, struct lanes *lanes)
{
	*lanes = (struct lanes){ .recent = NULL };
	sums_begin(&lanes->sums, &collect->lane_budget, 1, LANE_ENTRIES, LANE_BUCKETS);
	sums_begin(&lanes->coarse, &collect->coarse_budget, 1, SUMS_KEEP_MAX,
		   COARSE_BUCKETS);
	lanes->sums.coarser = &lanes->coarse;
}

static void end_lanes(struct lanes *lanes)
{
	struct lane_cpu *next;

	sums_end(&lanes->sums);
	sums_end(&lanes->coarse);
	map_release(&lanes->cpus);
	for (struct lane_cpu *cpu = lanes->all; cpu; cpu = next) {
		next = cpu->next;
		free(cpu);
	}
	lanes->all = lanes->recent = NULL;
}

void collect_begin(struct collect *collect, const struct bill_rule *rule, int64_t from_ns,
		   int64_t to_ns)
{
	bool is_window = from_ns != INT64_MIN || to_ns != INT64_MAX;

	*collect = (struct collect){
		.rule = *rule,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.lane_budget = { 0, LANE_BYTES },
		.coarse_budget = { 0, COARSE_BYTES },
		.book_budget = { 0, PERIOD_BOOK_BYTES },
	};
	collect->rule.with_idle_to_threads |= rule->unproven_to_threads;
	begin_lanes(collect, &collect->intervals);
	begin_lanes(collect, &collect->records);
	switches_begin(&collect->switches,
		       is_window ? WINDOW_SWITCH_BYTES : SWITCH_BYTES);
}

void collect_end_lanes(struct collect *collect)
{
	end_lanes(&collect->intervals);
	end_lanes(&collect->records);
}

void collect_end(struct collect *collect)
{
	collect_end_lanes(collect);
	for (size_t i = 0; i < collect->book_count; i++)
		sums_end(&collect->books[i].sums);
	switches_end(&collect->switches);
	collect->book_count = 0;
}

/* --- lanes --- */

static void add_budget(struct lanes *lanes)
{
	struct sums_budget *budget = lanes->sums.budget;

	if (lanes->count > 16 && budget->max < LANE_BYTES_MAX)
		budget->max += LANE_CPU_BYTES;
}

static struct lane_cpu *find_cpu(struct lanes *lanes, int64_t number)
{
	struct lane_cpu *cpu;

	if (lanes->recent && lanes->recent_cpu == number)
		return lanes->recent;
	cpu = map_get(&lanes->cpus, (uint64_t)number);
	if (!cpu) {
		cpu = memory_alloc_zeroed(1, sizeof(*cpu));
		if (!cpu || !map_put(&lanes->cpus, (uint64_t)number, cpu)) {
			free(cpu);
			return NULL;
		}
		cpu->last_ns = INT_NONE;
		cpu->has_lane = lanes->count < LANES_MAX;
		lanes->are_too_many |= !cpu->has_lane;
		lanes->count += cpu->has_lane;
		add_budget(lanes);
		cpu->next = lanes->all;
		lanes->all = cpu;
	}
	lanes->recent = cpu;
	lanes->recent_cpu = number;
	return cpu;
}

/* From the end of what is known of the CPU on, or for ns (INT_NONE: all since then). */
static bool add_lane(struct lanes *lanes, int64_t number, int64_t ts_ns, int64_t ns,
		     uint64_t key)
{
	struct lane_cpu *cpu = find_cpu(lanes, number);
	int64_t last_ns = cpu ? cpu->last_ns : 0;
	int64_t start_ns = ns > 0 && ns <= ts_ns ? ts_ns - ns : last_ns;

	if (!cpu)
		return false;
	if (last_ns != INT_NONE && ts_ns <= last_ns)
		return true; /* another group's row about the same time */
	cpu->last_ns = ts_ns;
	if (start_ns == INT_NONE || ns == 0 || !cpu->has_lane)
		return true;
	if (last_ns != INT_NONE && start_ns < last_ns)
		start_ns = last_ns;
	return sums_add_time(&lanes->sums, number, start_ns, ts_ns, key);
}

/* The thread's own time; what is known only to be of no one thread reaches back. */
static bool add_interval_lane(struct lanes *lanes, const struct context_switch_row *row,
			      enum charge_class class)
{
	bool has_time = row->on_cpu_ns != INT_NONE && row->on_cpu_ns > 0;
	int64_t ns = has_time ? row->on_cpu_ns : INT_NONE;
	uint64_t key = key_of_thread(row->prev_thread_id);

	if (row->status == CHARGE_BASELINE)
		ns = 0;
	else if (class == CLASS_INTERRUPT)
		key = KEY_INTERRUPTS;
	else if (class == CLASS_UNPROVEN) {
		key = KEY_UNATTRIBUTED;
		ns = INT_NONE;
	} else if (!has_time)
		key = class == CLASS_WITH_IDLE ? (uint64_t)KEY_WITH_IDLE : key;
	return add_lane(lanes, row->cpu, row->ts_ns, ns, key);
}

struct lanes *collect_lanes(struct collect *collect)
{
	return collect->intervals.count ? &collect->intervals : &collect->records;
}

/* --- books --- */

struct period_book *collect_book(struct collect *collect, enum period_book_kind kind,
				 int64_t id)
{
	for (size_t i = 0; i < collect->book_count; i++)
		if (collect->books[i].id == id && collect->books[i].kind == kind)
			return &collect->books[i];
	return NULL;
}

size_t collect_rank(const struct collect *collect, size_t book)
{
	const struct period_book *of = &collect->books[book];
	size_t rank = 0;

	for (const struct period_book *b = collect->books;
	     b < collect->books + collect->book_count; b++)
		rank += b->kind < of->kind || (b->kind == of->kind && b->id < of->id);
	return rank;
}

/* NULL: there are too many. */
static struct period_book *make_book(struct collect *collect, enum period_book_kind kind,
				     int64_t id, size_t counters)
{
	struct period_book *book = collect_book(collect, kind, id);

	if (book)
		return book;
	if (collect->book_count == PERIOD_BOOKS_MAX) {
		collect->books_are_too_many = true;
		return NULL;
	}
	book = &collect->books[collect->book_count++];
	*book = (struct period_book){
		.kind = kind,
		.id = id,
		.counters = counters < PERIOD_BOOK_COUNTERS_MAX
				    ? counters
				    : PERIOD_BOOK_COUNTERS_MAX,
	};
	sums_begin(&book->sums, &collect->book_budget,
		   PERIOD_BOOK_COUNTERS + book->counters, 0, PERIOD_BOOK_BUCKETS);
	return book;
}

/*
 * One track for all CPUs, whose rows mostly come in the order of time.  What is late goes
 * to the track of its CPU, where none is; CPUs beyond the lanes share one.
 */
static int64_t track_of(const struct period_book *book, int64_t cpu, int64_t ts_ns)
{
	if (!sums_is_late(&book->sums, ALL_CPUS, ts_ns))
		return ALL_CPUS;
	return cpu >= 0 && cpu < LANES_MAX ? cpu : LANES_MAX;
}

/* The same places that lib/report/bill.c gives an interval by its rule. */
static bool add_to_book(const struct collect *collect, struct period_book *book,
			const struct context_switch_row *row, unsigned int kind,
			int64_t ts_ns, const int64_t *deltas)
{
	const struct bill_rule *rule = &collect->rule;
	int64_t values[SUMS_VALUES_MAX] = { kind & SWITCH_ENDS ? 1 : 0,
					    row->on_cpu_ns == INT_NONE ? 0
								       : row->on_cpu_ns };
	uint64_t thread = key_of_thread(row->prev_thread_id), key = thread;
	int64_t track = track_of(book, row->cpu, ts_ns);

	for (size_t i = 0; i < book->counters; i++)
		values[PERIOD_BOOK_COUNTERS + i] = deltas[i];
	switch (kind & ~SWITCH_ENDS) {
	case CLASS_UNPROVEN:
		if (!rule->unproven_to_threads)
			key = KEY_UNATTRIBUTED;
		break;
	case CLASS_INTERRUPT:
		values[PERIOD_BOOK_SWITCHES] = 0;
		if (!rule->interrupts_to_threads)
			key = KEY_INTERRUPTS;
		break;
	case CLASS_WITH_IDLE:
		if (!rule->with_idle_to_threads) {
			int64_t time[SUMS_VALUES_MAX] = { 0, values[PERIOD_BOOK_NS] };

			/* Time on the CPU is the thread's, as far as it is known. */
			if (time[PERIOD_BOOK_NS] &&
			    !sums_add(&book->sums, track, ts_ns, thread, time))
				return false;
			values[PERIOD_BOOK_NS] = 0;
			key = KEY_WITH_IDLE;
		}
		break;
	default:
		break;
	}
	return sums_add(&book->sums, track, ts_ns, key, values);
}

/* --- rows --- */

static bool is_wanted(const struct collect *collect, int64_t ts_ns)
{
	return ts_ns == INT_NONE
		       ? collect->from_ns == INT64_MIN && collect->to_ns == INT64_MAX
		       : ts_ns >= collect->from_ns && ts_ns < collect->to_ns;
}

static bool add_switch(struct collect *collect, const struct period_book *book,
		       const struct context_switch_row *row, unsigned int kind,
		       const int64_t *deltas)
{
	if (collect->switches.is_full) {
		switches_leave_out(&collect->switches, collect->last_ns);
		return true;
	}
	return switches_add(
		&collect->switches,
		&(struct switch_entry){
			.cpu = row->cpu,
			.ts_ns = collect->last_ns,
			.on_cpu_ns = row->on_cpu_ns == INT_NONE ? 0 : row->on_cpu_ns,
			.key = key_of_thread(row->prev_thread_id),
			.kind = kind,
			.book = (size_t)(book - collect->books),
			.deltas = deltas,
			.count = book->counters,
		});
}

bool collect_interval(struct collect *collect, const struct record *record,
		      bool in_interrupt)
{
	const struct context_switch_row *row = record->data;
	enum charge_class class = charge_class(row->status, in_interrupt);
	unsigned int kind = class;
	struct period_book *book;

	if (row->status < 0 || row->status >= CHARGE_STATUSES ||
	    !is_wanted(collect, row->ts_ns))
		return true;
	if (row->ts_ns >= 0)
		collect->last_ns = row->ts_ns;
	if (row->cpu != INT_NONE && row->ts_ns >= 0 &&
	    !add_interval_lane(&collect->intervals, row, class))
		return false;
	if (row->switch_id != INT_NONE)
		kind |= SWITCH_ENDS;
	book = make_book(collect, PERIOD_BOOK_OF_GROUP, row->group_id, record->slots);
	if (!book)
		return true;
	return add_switch(collect, book, row, kind, record->deltas) &&
	       add_to_book(collect, book, row, kind, collect->last_ns, record->deltas);
}

bool collect_run(struct collect *collect, const struct run_rows *rows)
{
	const struct run *run = rows->run;
	bool done = true;

	for (size_t at = rows->from; at < rows->to && done; at++) {
		const struct context_switch_row row = run_rows_get(rows, at);

		done = collect_interval(
			collect,
			&(struct record){ .kind = RECORD_context_switch,
					  .data = &row,
					  .deltas = run->deltas + at * run->common.count,
					  .slots = run->common.count },
			false);
	}
	return done;
}

bool collect_sample(struct collect *collect, const struct sample_row *row)
{
	const int64_t values[SUMS_VALUES_MAX] = { 1, 0,
						  row->period == INT_NONE ? 0
									  : row->period };
	struct period_book *book;

	if (row->counter_id == INT_NONE || !is_wanted(collect, row->ts_ns))
		return true;
	if (row->ts_ns >= 0)
		collect->last_ns = row->ts_ns;
	book = make_book(collect, PERIOD_BOOK_OF_EVENT, row->counter_id, 1);
	return !book || sums_add(&book->sums, track_of(book, row->cpu, collect->last_ns),
				 collect->last_ns, key_of_thread(row->thread_id), values);
}

bool collect_on_cpu(struct collect *collect, const struct switch_record_row *row)
{
	int64_t ns = row->on_cpu_ns == INT_NONE ? 0 : row->on_cpu_ns;
	const int64_t values[SUMS_VALUES_MAX] = { 1, ns };
	struct period_book *book;

	if (row->thread_id == INT_NONE || row->ts_ns == INT_NONE || row->ts_ns < 0 ||
	    !is_wanted(collect, row->ts_ns))
		return true;
	if (row->cpu != INT_NONE && !collect->intervals.count &&
	    !add_lane(&collect->records, row->cpu, row->ts_ns, ns,
		      key_of_thread(row->thread_id)))
		return false;
	book = make_book(collect, PERIOD_BOOK_OF_TIME, INT_NONE, 0);
	return !book || sums_add(&book->sums, track_of(book, row->cpu, row->ts_ns),
				 row->ts_ns, key_of_thread(row->thread_id), values);
}
