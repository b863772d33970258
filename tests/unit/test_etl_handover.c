/*
 * test_etl_handover.c - lib/formats/etw/etl_handover.c: from when to when it is in doubt
 * whose an id is, by where events were lost.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"
#include "unit.h"

/* Places, drops and events that name tasks; a tick is a nanosecond. */
#define MOST 8

struct fixture {
	struct reader reader;
	struct etl *etl;
	struct findings findings;
	struct etl_place places[MOST];
	struct etl_drop drops[MOST];
	char text[512];
};

static void setup(struct fixture *f)
{
	struct etl_index *index;

	f->etl = unit_alloc(sizeof(*f->etl));
	f->reader.state = f->etl;
	index = &f->etl->index;
	index->findings = &f->findings;
	index->segment_count = 1;
	index->segments[0].ticks_per_s = 1000000000;
	index->places = f->places;
	index->drops = f->drops;
}

static void teardown(struct fixture *f)
{
	emit_release(&f->etl->output.emit);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* A buffer of a CPU, with events from a time to another; one before it may be missing. */
static struct etl_place *buffer(struct fixture *f, uint16_t cpu, uint64_t first,
				uint64_t last, bool after_loss)
{
	struct etl_index *index = &f->etl->index;
	struct etl_place *place = &f->places[index->place_count++];

	assert_true(index->place_count <= MOST);
	*place = (struct etl_place){ .sequence = (int64_t)index->place_count,
				     .rank = (uint32_t)index->place_count,
				     .first_ticks = first,
				     .last_ticks = last,
				     .cpu = cpu,
				     .flags = after_loss ? ETL_BUFFER_EVENTS_LOST : 0,
				     .is_whole = true,
				     .is_timed = true };
	return place;
}

/* Something was lost between 300 and 400. */
static void lose(struct fixture *f)
{
	buffer(f, 0, 0, 300, false);
	buffer(f, 0, 400, 1000, true);
}

static struct etl_naming naming(uint64_t ticks, int event, size_t order)
{
	return (struct etl_naming){ .ticks = ticks,
				    .order = (uint32_t)order,
				    .opcode = (uint8_t)event };
}

static void thread(struct fixture *f, uint64_t ticks, int event, uint32_t tid,
		   uint32_t pid)
{
	struct etl_owners *owners = &f->etl->index.owners;

	if (!owners->all)
		owners->all = calloc(MOST, sizeof(*owners->all));
	assert_true(owners->all && owners->count < MOST);
	owners->all[owners->count] = (struct etl_owner){
		.named = naming(ticks, event, owners->count), .tid = tid, .pid = pid
	};
	owners->count++;
}

static struct etl_process *process(struct fixture *f, uint64_t ticks, int event,
				   uint32_t pid, const char *image)
{
	struct etl_owners *owners = &f->etl->index.owners;
	struct etl_process *added;

	if (!owners->processes)
		owners->processes = calloc(MOST, sizeof(*owners->processes));
	assert_true(owners->processes && owners->process_count < MOST);
	added = &owners->processes[owners->process_count];
	*added = (struct etl_process){ .named = naming(ticks, event,
						       owners->process_count),
				       .pid = pid,
				       .parent_pid = 4,
				       .key = INT_NONE,
				       .image = str_of(image) };
	owners->process_count++;
	return added;
}

/* "thread 5: 301 to 400" */
static void assert_handed(struct fixture *f, const char *expected, int64_t findings)
{
	struct record record;
	size_t at = 0;

	assert_int_equal(etl_hand_over(&f->reader), ST_OK);
	f->text[0] = '\0';
	while (emit_pop(&f->etl->output.emit, &record, &f->reader.error) == ST_OK) {
		const struct task_handed_event *event = record.data;

		assert_int_equal(record.kind, RECORD_TASK_HANDED);
		at += (size_t)snprintf(f->text + at, sizeof(f->text) - at,
				       "%s%s %lld: %lld to ", at ? ", " : "",
				       event->is_process ? "process" : "thread",
				       (long long)event->id, (long long)event->from_ns);
		at += (size_t)snprintf(f->text + at, sizeof(f->text) - at,
				       event->to_ns == INT64_MAX ? "the end" : "%lld",
				       (long long)event->to_ns);
	}
	assert_string_equal(f->text, expected);
	assert_int_equal(f->findings.of[FINDING_HANDED_OVER].count, findings);
	assert_int_equal(f->etl->index.owners.count, 0);
}

/* --- threads --- */

UNIT_CASE(a_thread_passes_on_in_a_loss, struct fixture *f)
{
	lose(f);
	thread(f, 100, ETL_THREAD_START, 5, 10);
	thread(f, 900, ETL_THREAD_DC_END, 5, 20);
	assert_handed(f, "thread 5: 301 to 400", 1);
	assert_string_equal(
		f->findings.of[FINDING_HANDED_OVER].text,
		"thread 5 is of process 10, later of process 20, and no event "
		"shows the change: unattributed from 301 to 400 ns");
}

UNIT_CASE(without_a_loss_all_is_in_doubt, struct fixture *f)
{
	buffer(f, 0, 0, 300, false);
	buffer(f, 0, 400, 1000, false);
	thread(f, 100, ETL_THREAD_START, 5, 10);
	thread(f, 900, ETL_THREAD_DC_END, 5, 20);
	assert_handed(f, "thread 5: 101 to 900", 1);
}

/* The end of the thread was recorded: its last switch shows where the next one begins. */
UNIT_CASE(an_end_without_a_loss_is_no_doubt, struct fixture *f)
{
	thread(f, 100, ETL_THREAD_END, 5, 10);
	thread(f, 900, ETL_THREAD_DC_END, 5, 20);
	assert_handed(f, "", 0);
}

UNIT_CASE(an_end_and_a_loss_are, struct fixture *f)
{
	lose(f);
	thread(f, 100, ETL_THREAD_END, 5, 10);
	thread(f, 900, ETL_THREAD_DC_END, 5, 20);
	assert_handed(f, "thread 5: 301 to 400", 1);
}

/* A start shows the change; other numbers do not matter. */
UNIT_CASE(no_change_is_hidden, struct fixture *f)
{
	lose(f);
	thread(f, 900, ETL_THREAD_START, 5, 20);
	thread(f, 100, ETL_THREAD_START, 5, 10);
	thread(f, 950, ETL_THREAD_DC_END, 5, 20);
	thread(f, 100, ETL_THREAD_START, 6, 10);
	thread(f, 900, ETL_THREAD_DC_END, 7, 20);
	assert_handed(f, "", 0);
}

/* From the first loss in between to the last one; others do not matter. */
UNIT_CASE(several_losses, struct fixture *f)
{
	buffer(f, 0, 0, 50, false);
	buffer(f, 0, 60, 300, true);
	buffer(f, 0, 400, 600, true);
	buffer(f, 0, 700, 950, true);
	buffer(f, 0, 960, 1000, true);
	thread(f, 100, ETL_THREAD_START, 5, 10);
	thread(f, 900, ETL_THREAD_DC_END, 5, 20);
	assert_handed(f, "thread 5: 301 to 700", 1);
}

/* Losses of two CPUs that overlap are one; each is of its own CPU. */
UNIT_CASE(losses_of_two_cpus, struct fixture *f)
{
	buffer(f, 0, 0, 300, false);
	buffer(f, 0, 400, 1000, true);
	buffer(f, 1, 0, 350, true); /* the first one of its CPU */
	buffer(f, 1, 450, 1000, true);
	thread(f, 100, ETL_THREAD_START, 5, 10);
	thread(f, 900, ETL_THREAD_DC_END, 5, 20);
	assert_handed(f, "thread 5: 301 to 450", 1);
}

/* The span is cut where the loss is longer than it. */
UNIT_CASE(a_loss_around_it, struct fixture *f)
{
	buffer(f, 0, 0, 50, false);
	buffer(f, 0, 950, 1000, true);
	thread(f, 100, ETL_THREAD_START, 5, 10);
	thread(f, 900, ETL_THREAD_DC_END, 5, 20);
	assert_handed(f, "thread 5: 101 to 900", 1);
}

/* A buffer that is cut loses what follows its last event, up to the next buffer. */
UNIT_CASE(buffers_that_are_cut, struct fixture *f)
{
	buffer(f, 0, 0, 300, false)->is_whole = false;
	buffer(f, 0, 350, 350, false)->is_timed = false;
	buffer(f, 0, 400, 500, false);
	buffer(f, 1, 0, 850, false)->is_whole = false;
	thread(f, 100, ETL_THREAD_START, 5, 10);
	thread(f, 700, ETL_THREAD_DC_END, 5, 20);
	thread(f, 800, ETL_THREAD_START, 6, 10);
	thread(f, 900, ETL_THREAD_DC_END, 6, 20);
	assert_handed(f, "thread 5: 301 to 400, thread 6: 851 to 900", 2);
}

/* A drop lies between the one before it on its CPU and its own time. */
UNIT_CASE(dropped_events, struct fixture *f)
{
	f->drops[0] = (struct etl_drop){ .ticks = 200, .cpu = 0 };
	f->drops[1] = (struct etl_drop){ .ticks = 300, .cpu = 1 };
	f->drops[2] = (struct etl_drop){ .ticks = 600, .cpu = 1 };
	f->etl->index.drop_count = 3;
	thread(f, 350, ETL_THREAD_START, 5, 10);
	thread(f, 900, ETL_THREAD_DC_END, 5, 20);
	thread(f, 100, ETL_THREAD_START, 6, 10);
	thread(f, 290, ETL_THREAD_DC_END, 6, 20);
	assert_handed(f, "thread 5: 351 to 600, thread 6: 101 to 290", 2);
}

/* Two events at one time: the order in the file decides, and no time is in doubt. */
UNIT_CASE(at_one_time, struct fixture *f)
{
	lose(f);
	thread(f, 500, ETL_THREAD_DC_START, 5, 10);
	thread(f, 500, ETL_THREAD_DC_END, 5, 20);
	assert_handed(f, "", 0);
}

/* --- processes --- */

UNIT_CASE(a_process_passes_on_with_its_threads, struct fixture *f)
{
	lose(f);
	process(f, 100, ETL_PROCESS_START, 10, "a.exe");
	process(f, 900, ETL_PROCESS_DC_END, 10, "b.exe");
	thread(f, 100, ETL_THREAD_START, 5, 10); /* nothing names it again */
	thread(f, 100, ETL_THREAD_START, 6, 10); /* is one of the later process */
	thread(f, 900, ETL_THREAD_DC_END, 6, 10);
	thread(f, 100, ETL_THREAD_START, 7, 10); /* ended before */
	thread(f, 200, ETL_THREAD_END, 7, 10);
	assert_handed(f,
		      "process 10: 301 to 400, thread 5: 301 to the end, "
		      "thread 6: 301 to 400",
		      2);
	assert_string_equal(f->findings.of[FINDING_HANDED_OVER].text,
			    "process 10 is a.exe, later b.exe, and no event shows the "
			    "change: unattributed from 301 to 400 ns");
}

/* The end of a process is known: after it, the number is the later one's at once. */
UNIT_CASE(a_process_that_ended, struct fixture *f)
{
	lose(f);
	process(f, 100, ETL_PROCESS_END, 10, "a.exe");
	process(f, 900, ETL_PROCESS_DC_END, 10, "b.exe");
	assert_handed(f, "process 10: 101 to 101", 0);
}

/* Image, parent and kernel object are those of a process for good. */
UNIT_CASE(signs_of_another_process, struct fixture *f)
{
	lose(f);
	process(f, 100, ETL_PROCESS_START, 10, "a.exe"); /* nothing differs */
	process(f, 900, ETL_PROCESS_DC_END, 10, "a.exe")->key = 7;
	process(f, 100, ETL_PROCESS_START, 11, "a.exe");
	process(f, 900, ETL_PROCESS_DC_END, 11, "a.exe")->parent_pid = 5;
	process(f, 100, ETL_PROCESS_START, 12, "a.exe")->key = 8;
	process(f, 900, ETL_PROCESS_DC_END, 12, "a.exe")->key = 7;
	process(f, 100, ETL_PROCESS_START, 13, "a.exe"); /* its start shows it */
	process(f, 900, ETL_PROCESS_START, 13, "b.exe");
	assert_handed(f, "process 11: 301 to 400, process 12: 301 to 400", 2);
}

UNIT_CASE(a_process_without_a_name, struct fixture *f)
{
	lose(f);
	process(f, 100, ETL_PROCESS_START, 10, "");
	process(f, 900, ETL_PROCESS_DC_END, 10, "b.exe");
	assert_handed(f, "process 10: 301 to 400", 1);
	HAS(f->findings.of[FINDING_HANDED_OVER].text, "is (no name), later b.exe");
}
