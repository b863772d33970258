/* test_chain_edge.c - whose segment it is where interrupts begin and end. */
#include <stdlib.h>
#include <string.h>

#include "attribution/chain.h"
#include "unit.h"

enum what { DONE, SWITCH, READ, ENTRY, EXIT, LOSS };

/* The leader, a counter for each edge, and one that counts what is charged. */
enum slot { LEADER, SOFTIRQ_ENTRY, SOFTIRQ_EXIT, IRQ_ENTRY, IRQ_EXIT, VALUE, SLOTS };

#define SOFTIRQ INTERRUPT_SOFTIRQ
#define IRQ INTERRUPT_IRQ

struct step {
	int line;
	enum what what;
	int64_t ts, tid, next;
	enum interrupt_kind kind;
	int64_t vector;
	int64_t rise; /* of VALUE since the step before */
	enum charge_status status;
	const char *owner; /* whose segment ends here; NULL: its thread's */
	bool unseen;	   /* an irq began and ended before it, without a record */
};

#define STEPS 12
struct script {
	const char *name;
	struct step steps[STEPS];
};

/* clang-format off */
#define SWITCHES(at, out, in, rises, verdict, ...)                                 \
	{ ROW, .what = SWITCH, .ts = at, .tid = out, .next = in, .rise = rises,    \
	  .status = CHARGE_##verdict, __VA_ARGS__ }
#define READS(at, who, rises, verdict, whose)                                      \
	{ ROW, .what = READ, .ts = at, .tid = who, .rise = rises,                  \
	  .status = CHARGE_##verdict, .owner = whose }
#define EDGE(at, which, of, number, who, rises, verdict, whose, ...)               \
	{ ROW, .what = which, .ts = at, .kind = of, .vector = number, .tid = who,  \
	  .rise = rises, .status = CHARGE_##verdict, .owner = whose, __VA_ARGS__ }
#define LOST(at) { ROW, .what = LOSS, .ts = at }

static const struct script scripts[] = {
{ "a hard irq inside a softirq inside a work item", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, SOFTIRQ, 3, 7, 10, CHARGED, NULL),
	EDGE(101000, ENTRY, IRQ, 25, 7, 20, CHARGED, "own softirq 3 NET_RX"),
	EDGE(102000, EXIT, IRQ, 25, 7, 40, CHARGED, "irq 25 disk"),
	EDGE(103000, EXIT, SOFTIRQ, 3, 7, 80, CHARGED, "own softirq 3 NET_RX"),
	SWITCHES(200000, 7, 1, 160, CHARGED),
} },
{ "softirqs on the way out of an irq, and of the thread itself", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, IRQ, 25, 7, 1, CHARGED, NULL),
	EDGE(101000, EXIT, IRQ, 25, 7, 2, CHARGED, "irq 25 disk"),
	EDGE(102000, ENTRY, SOFTIRQ, 4, 7, 3, CHARGED, NULL),
	EDGE(103000, EXIT, SOFTIRQ, 4, 7, 4, CHARGED, "softirq 4 BLOCK"),
	EDGE(104000, ENTRY, SOFTIRQ, 9, 7, 5, CHARGED, NULL),
	EDGE(105000, EXIT, SOFTIRQ, 9, 7, 6, CHARGED, "softirq 9 RCU"),
	EDGE(108000, ENTRY, SOFTIRQ, 3, 7, 7, CHARGED, NULL),
	EDGE(109000, EXIT, SOFTIRQ, 3, 7, 8, CHARGED, "own softirq 3 NET_RX"),
	EDGE(110000, ENTRY, SOFTIRQ, 9, 7, 9, CHARGED, NULL),
	SWITCHES(200000, 7, 1, 9, EDGES),
} },
{ "a softirq that is raised again on the way out, and one of the thread later", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, IRQ, 25, 7, 1, CHARGED, NULL),
	EDGE(101000, EXIT, IRQ, 25, 7, 2, CHARGED, "irq 25 disk"),
	EDGE(102000, ENTRY, SOFTIRQ, 9, 7, 3, CHARGED, NULL),
	EDGE(103000, EXIT, SOFTIRQ, 9, 7, 4, CHARGED, "softirq 9 RCU"),
	EDGE(104000, ENTRY, SOFTIRQ, 9, 7, 5, CHARGED, NULL),
	EDGE(105000, EXIT, SOFTIRQ, 9, 7, 6, CHARGED, "softirq 9 RCU"),
	EDGE(150000, ENTRY, SOFTIRQ, 9, 7, 7, CHARGED, NULL),
	EDGE(151000, EXIT, SOFTIRQ, 9, 7, 8, CHARGED, "own softirq 9 RCU"),
	SWITCHES(200000, 7, 1, 9, CHARGED),
} },
{ "an exit without an entry proves nothing, and changes nothing", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, EXIT, IRQ, 25, 7, 10, EDGES, NULL),
	EDGE(101000, ENTRY, IRQ, 26, 7, 20, CHARGED, NULL),
	EDGE(102000, EXIT, IRQ, 25, 7, 30, EDGES, NULL),
	EDGE(103000, EXIT, IRQ, 26, 7, 40, CHARGED, "irq 26 disk"),
	SWITCHES(200000, 7, 1, 50, CHARGED),
} },
{ "a switch inside an interrupt", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, IRQ, 25, 7, 10, CHARGED, NULL),
	SWITCHES(200000, 7, 1, 50, EDGES),
	SWITCHES(300000, 1, 7, 50, CHARGED),
} },
{ "records are lost inside an irq", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, IRQ, 25, 7, 10, CHARGED, NULL),
	LOST(101000),
	EDGE(102000, ENTRY, IRQ, 26, 7, 20, LOST, NULL),
	EDGE(103000, EXIT, IRQ, 26, 7, 30, CHARGED, "irq 26 disk"),
	EDGE(104000, EXIT, IRQ, 27, 7, 40, CHARGED, "irq 27 -"),
	EDGE(105000, ENTRY, IRQ, 27, 7, 50, EDGES, NULL),
	SWITCHES(200000, 7, 1, 60, EDGES),
	EDGE(201000, ENTRY, IRQ, 25, 1, 70, CHARGED, NULL),
} },
{ "an irq of which there is no record", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, IRQ, 25, 7, 10, EDGES, NULL, .unseen = true),
	EDGE(102000, EXIT, IRQ, 25, 7, 20, CHARGED, "irq 25 disk"),
	SWITCHES(200000, 7, 1, 30, EDGES, .unseen = true),
	SWITCHES(300000, 1, 7, 30, CHARGED),
} },
{ "it begins and ends inside an interrupt", {
	READS(1000, 7, 0, BASELINE, NULL),
	EDGE(2000, EXIT, IRQ, 25, 7, 10, CHARGED, "irq 25 -"),
	EDGE(3000, ENTRY, SOFTIRQ, 1, 7, 20, CHARGED, NULL),
	EDGE(4000, EXIT, SOFTIRQ, 1, 7, 30, CHARGED, "softirq 1 TIMER"),
	EDGE(100000, ENTRY, IRQ, 25, 7, 40, CHARGED, NULL),
	READS(101000, 7, 50, CHARGED, "irq 25 disk"),
} },
{ "shared with idle, and from then on proven", {
	SWITCHES(1000, 1, 0, 0, BASELINE),
	EDGE(100000, ENTRY, SOFTIRQ, 3, 7, 10, WITH_IDLE, NULL, .unseen = true),
	EDGE(101000, EXIT, SOFTIRQ, 3, 7, 20, CHARGED, "softirq 3 NET_RX"),
	SWITCHES(200000, 7, 0, 30, CHARGED),
	EDGE(300000, ENTRY, IRQ, 25, 0, 40, CHARGED, NULL),
	EDGE(301000, EXIT, IRQ, 25, 0, 50, CHARGED, "irq 25 disk"),
	SWITCHES(400000, 7, 0, 60, WITH_IDLE),
} },
{ "another thread than the one switched in", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, IRQ, 25, 8, 10, CHAIN, NULL),
	EDGE(101000, EXIT, IRQ, 25, 8, 20, CHARGED, "irq 25 disk"),
	SWITCHES(200000, 8, 1, 30, CHARGED),
} },
{ "a read after an irq of which there is no record, and one after a loss", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, IRQ, 25, 7, 10, CHARGED, NULL),
	EDGE(101000, EXIT, IRQ, 25, 7, 20, CHARGED, "irq 25 disk"),
	{ ROW, .what = READ, .ts = 102000, .tid = 7, .rise = 30, .status = CHARGE_EDGES,
	  .unseen = true },
	READS(103000, 7, 40, EDGES, NULL),
	EDGE(140000, ENTRY, SOFTIRQ, 1, 7, 50, CHARGED, NULL),
	EDGE(141000, EXIT, SOFTIRQ, 1, 7, 60, CHARGED, "own softirq 1 TIMER"),
	READS(142000, 7, 70, CHARGED, NULL),
} },
{ "an exiting thread has no number", {
	SWITCHES(1000, 1, 7, 0, BASELINE),
	EDGE(100000, ENTRY, IRQ, 25, -1, 10, CHARGED, NULL),
	EDGE(101000, EXIT, IRQ, 25, -1, 20, CHARGED, "irq 25 disk"),
	SWITCHES(200000, 7, 1, 30, CHARGED),
} },
};
/* clang-format on */

struct world {
	struct chains chains;
	struct identity identity;
	struct findings findings;
	uint64_t values[SLOTS];
	int64_t sums[SLOTS];
	int64_t reached[CHARGE_STATUSES];
};

static const size_t edge_slots[] = { SOFTIRQ_ENTRY, SOFTIRQ_EXIT, IRQ_ENTRY, IRQ_EXIT };
static const struct edge_slots edges = { COUNT(edge_slots), edge_slots };

static size_t slot_of(const struct step *step)
{
	size_t slot = step->kind == IRQ ? IRQ_ENTRY : SOFTIRQ_ENTRY;

	return step->what == EXIT ? slot + 1 : slot;
}

static void count(struct world *world, const struct step *step)
{
	world->values[VALUE] += (uint64_t)step->rise;
	world->values[LEADER] += step->what == SWITCH;
	if (step->what == ENTRY || step->what == EXIT)
		world->values[slot_of(step)]++;
	if (step->unseen) {
		world->values[IRQ_ENTRY]++;
		world->values[IRQ_EXIT]++;
	}
}

static struct switch_event event_of(const struct world *world, const struct step *step)
{
	bool is_switch = step->what == SWITCH;

	return (struct switch_event){ .ts_ns = step->ts,
				      .prev_tid = is_switch ? step->tid : INT_NONE,
				      .next_tid = is_switch ? step->next : INT_NONE,
				      .prev_state = INT_NONE,
				      .never_rotated = true,
				      .is_read = step->what == READ,
				      .sample_pid = step->tid,
				      .sample_tid = step->tid,
				      .enabled_ns = INT_NONE,
				      .running_ns = INT_NONE,
				      .leader_lost = INT_NONE,
				      .values = world->values,
				      .count = SLOTS,
				      .edges = &edges };
}

static const char *owner_of(const struct world *world, const struct step *step,
			    char *text, size_t size)
{
	const struct interrupt *interrupt = world->chains.interrupt;
	const struct interrupt_row *row = interrupt ? &interrupt->row : NULL;

	if (!row || step->what == SWITCH)
		return "";
	snprintf(text, size, "%s%.*s %lld %.*s", row->in_thread ? "own " : "",
		 (int)row->kind.len, row->kind.ptr, (long long)row->vector,
		 row->name.ptr ? (int)row->name.len : 1,
		 row->name.ptr ? row->name.ptr : "-");
	return text;
}

static void run_step(struct world *world, const struct step *step)
{
	struct context_switch_row row = { .status = CHARGE_STATUSES };
	struct switch_event event = event_of(world, step);
	struct edge_event edge = { event,
				   step->kind,
				   step->what == ENTRY,
				   step->vector,
				   step->what == ENTRY && step->kind == IRQ ? STR("disk")
									    : STR_NONE,
				   slot_of(step) };
	char text[80];
	bool done;

	if (step->what == SWITCH)
		done = chain_switch(&world->chains, &world->identity, &world->findings,
				    &event, 0x40, 5, &row);
	else if (step->what == READ)
		done = chain_read(&world->chains, &world->identity, &world->findings,
				  &event, 0x40, 5, &row);
	else
		done = chain_edge(&world->chains, &world->identity, &world->findings,
				  &edge, 0x40, 5, &row);
	ROW_TRUE(step, done);
	ROW_TEXT(step, charge_status_words[row.status].words,
		 charge_status_words[step->status].words);
	ROW_TEXT(step, owner_of(world, step, text, sizeof(text)),
		 step->owner ? step->owner : "");
	if (step->what == EXIT)
		ROW_INT(step, world->chains.ended, step->owner != NULL);
	for (size_t i = 0; i < SLOTS; i++)
		world->sums[i] += world->chains.deltas[i];
	world->reached[row.status]++;
}

UNIT_TEST(scripts)
{
	struct world *world = calloc(1, sizeof(*world));

	for (size_t i = 0; i < COUNT(scripts); i++) {
		identity_begin(&world->identity);
		chains_begin(&world->chains);
		memset(world->values, 0, sizeof(world->values));
		memset(world->sums, 0, sizeof(world->sums));
		for (size_t k = 0; k < STEPS; k++) {
			const struct step *step = &scripts[i].steps[k];

			count(world, step);
			if (step->what == LOSS)
				chain_loss(&world->chains,
					   &(struct loss_event){ .cpu = 0 });
			else if (step->what != DONE)
				run_step(world, step);
		}
		/* Every count is somewhere, once; those of the first step came before. */
		for (size_t s = 0; s < SLOTS; s++)
			if (s != LEADER)
				assert_int_equal(world->sums[s], world->values[s]);
		chains_end(&world->chains);
		identity_end(&world->identity);
	}
	assert_int_equal(world->findings.of[FINDING_EDGES].count,
			 world->reached[CHARGE_EDGES]);
	assert_true(world->reached[CHARGE_EDGES] > 5);
	free(world);
}

/* A read that was made before the last edge, and written after it. */
UNIT_TEST(stale_read)
{
	struct world *world = calloc(1, sizeof(*world));
	const struct step first = { 0, SWITCH, .ts = 1000, .tid = 1, .next = 7 };
	const struct step edge = { 0,
				   ENTRY,
				   .ts = 3000,
				   .tid = 7,
				   .kind = IRQ,
				   .vector = 25,
				   .status = CHARGE_CHARGED };
	const struct step read = { 0, READ, .ts = 2000, .tid = 7 };
	struct context_switch_row row;
	struct switch_event event;

	identity_begin(&world->identity);
	chains_begin(&world->chains);
	run_step(world, &first);
	count(world, &edge);
	run_step(world, &edge);
	event = event_of(world, &read);
	assert_false(chain_read(&world->chains, &world->identity, &world->findings,
				&event, 0x40, 5, &row));
	chains_end(&world->chains);
	identity_end(&world->identity);
	free(world);
}

/* --- what an edge proves by itself --- */

enum twist {
	NOTHING,
	LEADER_ROSE,
	VALUE_FELL,
	THROTTLED,
	TIME_BACK,
	LEADER_LOST,
	TOOK_TURNS,
	NEVER_TURNED,
	UNSEEN_EDGE,
};

/* A switch into 7 at 1000, then an entry at 5000. */
static const struct {
	int line;
	enum twist twist;
	int64_t tid; /* of the sample at the entry */
	enum charge_status status;
	int64_t who, on_cpu_ns; /* tid charged, -1: none */
} proofs[] = {
	{ ROW, NOTHING, 7, CHARGE_CHARGED, 7, 4000 },
	{ ROW, NOTHING, -1, CHARGE_CHARGED, 7,
	  4000 }, /* an exiting thread has no number */
	{ ROW, NOTHING, 9, CHARGE_CHAIN, 9, 4000 },
	{ ROW, NOTHING, 0, CHARGE_WITH_IDLE, 7, 0 },
	{ ROW, LEADER_ROSE, 7, CHARGE_LEADER, 7, 4000 },
	{ ROW, VALUE_FELL, 7, CHARGE_DECREASE, 7, 4000 },
	{ ROW, THROTTLED, 7, CHARGE_THROTTLE, 7, 4000 },
	{ ROW, TIME_BACK, 7, CHARGE_CHAIN, 7, 0 },
	{ ROW, LEADER_LOST, 7, CHARGE_LOST, 7, 4000 },
	{ ROW, TOOK_TURNS, 7, CHARGE_MULTIPLEXED, 7, 4000 },
	{ ROW, NEVER_TURNED, 7, CHARGE_CHARGED, 7, 4000 },
	{ ROW, UNSEEN_EDGE, 7, CHARGE_EDGES, 7, 4000 },
};

static void twist(struct world *world, enum twist twist, struct switch_event *event)
{
	world->values[LEADER] += twist == LEADER_ROSE;
	world->values[VALUE] -= twist == VALUE_FELL;
	world->values[IRQ_EXIT] += twist == UNSEEN_EDGE;
	if (twist == THROTTLED)
		chain_throttled(&world->chains,
				&(struct throttled_event){ .cpu = 0, .throttled = true });
	if (twist == TIME_BACK)
		event->ts_ns = 900;
	if (twist == LEADER_LOST)
		event->leader_lost = 4;
	if (twist == TOOK_TURNS || twist == NEVER_TURNED) {
		event->enabled_ns = 5000;
		event->running_ns = 3000;
		event->never_rotated = twist == NEVER_TURNED;
	}
}

static int64_t tid_of(const struct world *world, int64_t thread_id)
{
	for (size_t i = 0; i < world->identity.listed; i++)
		if (identity_at(&world->identity, i)->thread_id == thread_id)
			return thread_tid(identity_at(&world->identity, i));
	return -1;
}

UNIT_TEST(proofs)
{
	for (size_t i = 0; i < COUNT(proofs); i++) {
		struct world *world = unit_alloc(sizeof(*world));
		const struct step in = {
			.what = SWITCH, .ts = 1000, .tid = 1, .next = 7
		};
		const struct step entry = { .what = ENTRY,
					    .ts = 5000,
					    .tid = proofs[i].tid,
					    .kind = IRQ,
					    .vector = 25 };
		struct context_switch_row row = { .status = CHARGE_STATUSES };
		struct edge_event edge = {
			.kind = IRQ, .is_entry = true, .vector = 25, .slot = IRQ_ENTRY
		};
		struct switch_event first;
		bool has_times =
			proofs[i].twist == TOOK_TURNS || proofs[i].twist == NEVER_TURNED;

		identity_begin(&world->identity);
		chains_begin(&world->chains);
		world->values[VALUE] = 50;
		first = event_of(world, &in);
		first.never_rotated = !has_times;
		first.enabled_ns = first.running_ns = has_times ? 1000 : INT_NONE;
		first.leader_lost = proofs[i].twist == LEADER_LOST ? 3 : INT_NONE;
		assert_true(chain_switch(&world->chains, &world->identity,
					 &world->findings, &first, 0x40, 5, &row));
		count(world, &entry);
		edge.at = event_of(world, &entry);
		twist(world, proofs[i].twist, &edge.at);
		ROW_TRUE(&proofs[i], chain_edge(&world->chains, &world->identity,
						&world->findings, &edge, 0x40, 5, &row));
		ROW_TEXT(&proofs[i], charge_status_words[row.status].words,
			 charge_status_words[proofs[i].status].words);
		ROW_INT(&proofs[i], tid_of(world, row.prev_thread_id), proofs[i].who);
		ROW_INT(&proofs[i], row.on_cpu_ns, proofs[i].on_cpu_ns);
		chains_end(&world->chains);
		identity_end(&world->identity);
	}
}

/* The first event of a group is an edge: its values are where the next one begins. */
UNIT_TEST(first_edge)
{
	struct world *world = unit_alloc(sizeof(*world));
	const struct step entry = { 0,		 ENTRY,	       .ts = 5000, .tid = 7,
				    .kind = IRQ, .vector = 25, .rise = 10 };
	const struct step exit = {
		.what = EXIT, .ts = 6000, .tid = 7, .kind = IRQ, .vector = 25, .rise = 20
	};
	struct context_switch_row row;
	struct edge_event edge = { .kind = IRQ, .vector = 25 };

	identity_begin(&world->identity);
	chains_begin(&world->chains);
	count(world, &entry);
	edge.at = event_of(world, &entry);
	edge.is_entry = true;
	edge.slot = IRQ_ENTRY;
	assert_true(chain_edge(&world->chains, &world->identity, &world->findings, &edge,
			       0x40, 5, &row));
	assert_int_equal(row.status, CHARGE_BASELINE);
	assert_int_equal(row.on_cpu_ns, 0);
	count(world, &exit);
	edge.at = event_of(world, &exit);
	edge.is_entry = false;
	edge.slot = IRQ_EXIT;
	assert_true(chain_edge(&world->chains, &world->identity, &world->findings, &edge,
			       0x40, 5, &row));
	assert_int_equal(row.status, CHARGE_CHARGED);
	assert_int_equal(row.on_cpu_ns, 1000);
	assert_int_equal(world->chains.deltas[VALUE], 20);
	chains_end(&world->chains);
	identity_end(&world->identity);
}

/* Deeper than any kernel nests them: those that end are known, but not what is below. */
static void nest(struct world *world, enum what what, int64_t vector, int64_t owner)
{
	char text[80];
	const struct step step = { .what = what,
				   .ts = 2000 + (int64_t)world->values[VALUE],
				   .tid = 7,
				   .kind = IRQ,
				   .vector = vector,
				   .rise = 10,
				   .status = CHARGE_CHARGED,
				   .owner = owner < 0 ? NULL : text };

	snprintf(text, sizeof(text), "irq %d disk", (int)owner);
	count(world, &step);
	run_step(world, &step);
}

UNIT_TEST(too_deep)
{
	struct world *world = unit_alloc(sizeof(*world));
	const struct step in = { .what = SWITCH, .ts = 1000, .tid = 1, .next = 7 };
	const struct step read = {
		.what = READ, .ts = 50000, .tid = 7, .status = CHARGE_EDGES
	};
	int64_t i = 0;

	identity_begin(&world->identity);
	chains_begin(&world->chains);
	run_step(world, &in);
	for (; i <= INTERRUPT_DEPTH_MAX; i++)
		nest(world, ENTRY, i, i - 1);
	while (i-- > INTERRUPT_DEPTH_MAX - 2)
		nest(world, EXIT, i, i);
	run_step(world, &read);
	chains_end(&world->chains);
	identity_end(&world->identity);
}

/* Samples with the numbers of another namespace only show that it is another thread. */
UNIT_TEST(other_namespace)
{
	static const struct {
		int line;
		int64_t own; /* of the sample */
		enum charge_status status;
		int64_t who;
	} edges_of_samples[] = {
		{ ROW, 107, CHARGE_CHARGED, 7 },
		{ ROW, 107, CHARGE_CHARGED, 7 },
		{ ROW, 108, CHARGE_NO_THREAD, -1 },
	};
	struct world *world = unit_alloc(sizeof(*world));
	const struct step in = { .what = SWITCH, .ts = 1000, .tid = 1, .next = 7 };

	identity_begin(&world->identity);
	chains_begin(&world->chains);
	world->identity.spaces_differ = true;
	run_step(world, &in);
	for (size_t i = 0; i < COUNT(edges_of_samples); i++) {
		const struct step step = { .what = i % 2 ? EXIT : ENTRY,
					   .ts = 2000 + (int64_t)i,
					   .tid = edges_of_samples[i].own,
					   .kind = IRQ,
					   .vector = 25 };
		struct context_switch_row row;
		struct edge_event edge = { .kind = IRQ,
					   .is_entry = step.what == ENTRY,
					   .vector = 25,
					   .slot = slot_of(&step) };

		count(world, &step);
		edge.at = event_of(world, &step);
		assert_true(chain_edge(&world->chains, &world->identity, &world->findings,
				       &edge, 0x40, 5, &row));
		ROW_TEXT(&edges_of_samples[i], charge_status_words[row.status].words,
			 charge_status_words[edges_of_samples[i].status].words);
		ROW_INT(&edges_of_samples[i], tid_of(world, row.prev_thread_id),
			edges_of_samples[i].who);
	}
	chains_end(&world->chains);
	identity_end(&world->identity);
}

/* An edge with an invalid CPU, or with other counters than those of its group. */
UNIT_TEST(misfits)
{
	struct world *world = unit_alloc(sizeof(*world));
	const struct step entry = { .what = ENTRY, .ts = 5000, .tid = 7, .kind = IRQ };
	struct context_switch_row row;
	struct edge_event edge = { .kind = IRQ, .is_entry = true, .slot = IRQ_ENTRY };

	identity_begin(&world->identity);
	chains_begin(&world->chains);
	edge.at = event_of(world, &entry);
	edge.at.cpu = CPU_MAX;
	assert_false(chain_edge(&world->chains, &world->identity, &world->findings, &edge,
				0x40, 5, &row));
	assert_int_equal(world->findings.of[FINDING_BAD_CPU].count, 1);
	edge.at.cpu = 0;
	assert_true(chain_edge(&world->chains, &world->identity, &world->findings, &edge,
			       0x40, 5, &row));
	edge.at.count--;
	assert_false(chain_edge(&world->chains, &world->identity, &world->findings, &edge,
				0x40, 5, &row));
	edge.at.count++;
	edge.at.edges = NULL;
	edge.at.stream = 1;
	assert_false(chain_edge(&world->chains, &world->identity, &world->findings, &edge,
				0x40, 5, &row));
	assert_int_equal(world->findings.of[FINDING_GROUP_READ].count, 2);
	chains_end(&world->chains);
	identity_end(&world->identity);
}
