/*
 * test_etl_kernel.c - lib/formats/etw/etl_kernel.c: the fields of samples, intervals,
 * interrupts and readied threads, in each of their versions.
 */
#include <string.h>

#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"
#include "formats/etw/etw.h"
#include "unit.h"

struct fixture {
	struct etl_output *output;
	struct etl_index *index;
	struct etl_stream stream;
	struct etl_place place;
	struct findings findings;
	struct arena arena;
	struct unit_notes notes;
	struct sink sink;
	uint8_t payload[64];
	size_t size;
};

/* On CPU 3; a tick is a nanosecond; the group has two counters. */
static void setup(struct fixture *f)
{
	f->output = unit_alloc(sizeof(*f->output));
	f->index = unit_alloc(sizeof(*f->index));
	f->index->segments[0].ticks_per_s = 1000000000;
	f->index->counter_count = 2;
	f->place.cpu = 3;
	f->stream.place = &f->place;
	f->output->index = f->index;
	f->output->arena = &f->arena;
	f->output->findings = &f->findings;
	f->output->texts = unit_alloc(sizeof(*f->output->texts));
	f->output->want_rows = true;
	for (size_t i = 0; i < ETL_SOURCES; i++)
		f->output->sources[i].interval = INT_NONE;
	f->sink = unit_noting_sink(&f->notes);
}

static void teardown(struct fixture *f)
{
	emit_release(&f->output->emit);
	etl_texts_clear(f->output->texts);
	arena_release(&f->arena);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

static void put(struct fixture *f, uint64_t value, size_t size)
{
	assert_true(f->size + size <= sizeof(f->payload));
	memcpy(f->payload + f->size, &value, size); /* of a little-endian machine */
	f->size += size;
}

/* What the event of these bytes gives, and no findings of its size. */
static void on_event(struct fixture *f, unsigned int hook, uint16_t version)
{
	f->stream.event = (struct etl_event){
		.is_kernel = true,
		.group = (uint8_t)(hook >> 8),
		.opcode = (uint8_t)hook,
		.version = version,
		.pointer_bytes = 8,
		.payload = cursor_over(f->payload, f->size, 0, false),
	};
	etl_on_kernel_event(f->output, &f->stream, 1000);
	f->size = 0;
}

static void assert_whole(const struct fixture *f)
{
	assert_int_equal(f->findings.of[FINDING_SHORT_RECORD].count, 0);
	assert_int_equal(f->findings.of[FINDING_NEWER_FIELDS].count, 0);
}

/* "sample counter=3 tid=9 ip=4096 period=50\n", and rows as lines. */
static const char *emitted(struct fixture *f)
{
	static char text[1024];
	struct record record;
	struct error error;
	size_t at = 0;

	text[0] = '\0';
	while (emit_pop(&f->output->emit, &record, &error) == ST_OK) {
		const struct sampled_event *sample = record.data;
		const struct interrupted_event *within = record.data;

		if (record.kind == RECORD_SAMPLED)
			at += (size_t)snprintf(
				text + at, sizeof(text) - at,
				"sample cpu=%lld counter=%lld tid=%lld ip=%lld period=%lld\n",
				(long long)sample->row.cpu,
				(long long)sample->row.counter_id, (long long)sample->tid,
				(long long)sample->row.ip,
				sample->row.period == INT_NONE
					? -1LL
					: (long long)sample->row.period);
		else if (record.kind == RECORD_INTERRUPTED)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "%.*s %.*s from %lld to %lld on %lld\n",
					       (int)within->kind.len, within->kind.ptr,
					       (int)within->name.len, within->name.ptr,
					       (long long)within->begin_ns,
					       (long long)within->ts_ns,
					       (long long)within->cpu);
		else
			assert_int_equal(sink_put(&f->sink, &record), ST_OK);
	}
	return text;
}

/* --- samples --- */

static void sample(struct fixture *f, uint16_t version, uint32_t count)
{
	put(f, 0x7000, 8);
	put(f, 9, 4);
	put(f, count, 4);
	on_event(f, ETL_SAMPLED_PROFILE, version);
}

/* Before its interval is known, a sample has no period; the counter is declared once. */
UNIT_CASE(samples_of_the_timer, struct fixture *f)
{
	sample(f, 2, 1);
	put(f, 0, 4);
	put(f, 10000, 4);
	put(f, 20000, 4);
	on_event(f, ETL_INTERVAL_SET, 2);
	sample(f, 2, 3);
	sample(f, 2, 0x10003); /* the upper half is flags and rank */
	sample(f, 1, 0x10003); /* and was part of the count */
	assert_string_equal(emitted(f),
			    "sample cpu=3 counter=3 tid=9 ip=28672 period=-1\n"
			    "sample cpu=3 counter=3 tid=9 ip=28672 period=30000\n"
			    "sample cpu=3 counter=3 tid=9 ip=28672 period=30000\n"
			    "sample cpu=3 counter=3 tid=9 ip=28672 period=655390000\n");
	HAS(unit_notes_of(&f->notes, "counter"), "counter_id=3 ",
	    "name='Timer' event='Timer' unit='100 ns' source='etw'", "config=0 ");
	HAS(unit_notes_of(&f->notes, "etw_interval"),
	    "ts_ns=1000 event='ProfileFreq-SetInterval' source=0 name=- new_interval=10000 "
	    "old_interval=20000\n");
	assert_whole(f);
}

static void name_source(struct fixture *f, unsigned int hook, uint32_t source,
			uint32_t interval, char name)
{
	put(f, source, 4);
	put(f, interval, 4);
	put(f, 0, 4);
	put(f, (uint64_t)name, 2);
	put(f, 0, 2);
	on_event(f, hook, 3);
}

/* The interval before the earliest note; the name of the first. */
UNIT_CASE(intervals_noted_late, struct fixture *f)
{
	static const struct {
		unsigned int hook;
		uint64_t ticks;
		uint32_t source, now, before;
	} events[] = {
		{ ETL_INTERVAL_DC_END, 900, 3, 50, 0 },
		{ ETL_INTERVAL_SET, 500, 3, 40, 30 },
		{ ETL_INTERVAL_DC_START, 600, 3, 40, 0 },
		{ ETL_INTERVAL_DC_START, 600, 4, 70, 0 },
		{ ETL_INTERVAL_DC_START, 600, ETL_SOURCES, 80, 0 },
		{ ETL_INTERVAL_SET, 700, 6, 80, 0 },
		{ ETL_INTERVAL_DC_START, 900, 6, 90, 0 },
	};

	for (size_t i = 0; i < ETL_SOURCES; i++)
		f->index->sources[i].interval = INT_NONE;
	f->index->texts = f->output->texts;
	f->index->arena = &f->arena;
	for (size_t i = 0; i < COUNT(events); i++) {
		struct etl_event event = {
			.is_kernel = true,
			.group = (uint8_t)(events[i].hook >> 8),
			.opcode = (uint8_t)(events[i].hook & 0xff),
			.version = 3,
			.ticks = events[i].ticks,
		};

		f->size = 0;
		put(f, events[i].source, 4);
		put(f, events[i].now, 4);
		put(f, events[i].before, 4);
		put(f, 'a' + i, 2);
		put(f, 0, 2);
		event.payload = cursor_over(f->payload, f->size, 0, false);
		assert_true(etl_session_event(f->index, &event));
	}
	assert_int_equal(f->index->sources[3].interval, 30);
	assert_string_equal(f->index->sources[3].name.ptr, "a");
	assert_int_equal(f->index->sources[4].interval, 70);
	assert_string_equal(f->index->sources[4].name.ptr, "d");
	assert_int_equal(f->index->sources[5].interval, INT_NONE);
	/* There was none before it was set. */
	assert_int_equal(f->index->sources[6].interval, 90);
}

/* Of a counter: the 16 bits are its number, and each sample is one overflow. */
UNIT_CASE(samples_of_counters, struct fixture *f)
{
	static const uint32_t sources[] = { 19, 27, 19, 1000 };

	name_source(f, ETL_INTERVAL_DC_START, 19, 65536, 'A');
	name_source(f, ETL_INTERVAL_DC_END, 19, 65537, 'B'); /* its name stays */
	name_source(f, ETL_INTERVAL_SET, 999, 5, 'C');	     /* no such source */
	for (size_t i = 0; i < COUNT(sources); i++) {
		put(f, 0x7000, 8);
		put(f, 9, 4);
		put(f, sources[i], 4);
		on_event(f, ETL_PMC_INTERRUPT, 2);
	}
	assert_string_equal(emitted(f),
			    "sample cpu=3 counter=3 tid=9 ip=28672 period=65537\n"
			    "sample cpu=3 counter=4 tid=9 ip=28672 period=-1\n"
			    "sample cpu=3 counter=3 tid=9 ip=28672 period=65537\n"
			    "sample cpu=3 counter=5 tid=9 ip=28672 period=-1\n");
	HAS(unit_notes_of(&f->notes, "counter"), "counter_id=3 ", "name='A'",
	    "config=19 ", "name='source 27'", "unit=-", "counter_id=5 ",
	    "name='source 255'");
	HAS(unit_notes_of(&f->notes, "etw_interval"),
	    "event='ProfileFreq-DCStart' source=19 name='A' new_interval=65536 ",
	    "event='ProfileFreq-DCEnd' source=19 name='B'", "source=999 name='C'");
	assert_whole(f);
}

/* --- interrupts --- */

UNIT_CASE(interrupts, struct fixture *f)
{
	put(f, 400, 8);
	put(f, 0xfffff801, 8);
	put(f, 1, 1);
	put(f, 0x91, 2);
	put(f, 0, 1);
	on_event(f, ETL_ISR, 2);
	put(f, 500, 8);
	put(f, 0xfffff802, 8);
	put(f, 1, 1);
	put(f, 0x92, 2);
	put(f, 0, 5);
	on_event(f, ETL_ISR_MSI, 2);
	for (unsigned int i = 0; i < 3; i++) {
		static const unsigned int hooks[] = { ETL_DPC, ETL_THREADED_DPC,
						      ETL_TIMER_DPC };

		put(f, 600 + i, 8);
		put(f, 0xfffff803, 8);
		on_event(f, hooks[i], 2);
	}
	assert_string_equal(emitted(f), "isr 0xfffff801 from 400 to 1000 on 3\n"
					"isr 0xfffff802 from 500 to 1000 on 3\n"
					"dpc 0xfffff803 from 600 to 1000 on 3\n"
					"dpc 0xfffff803 from 601 to 1000 on 3\n"
					"dpc 0xfffff803 from 602 to 1000 on 3\n");
	HAS(unit_notes_of(&f->notes, "etw_interrupt"),
	    "ts_ns=400 end_ns=1000 cpu=3 event='ISR' vector=145 routine=4294965249\n",
	    "ts_ns=500 end_ns=1000 cpu=3 event='ISR-MSI' vector=146 ",
	    "event='DPC' vector=- routine=4294965251\n", "event='ThreadedDPC' ",
	    "event='TimerDPC' ");
	assert_whole(f);
}

/* Version 1 has other fields after the routine; a begin after the end is damage. */
UNIT_CASE(interrupts_with_less_known, struct fixture *f)
{
	put(f, 1001, 8);
	put(f, 0x10, 8);
	put(f, 1, 4);
	on_event(f, ETL_ISR, 1);
	assert_string_equal(emitted(f), "");
	HAS(unit_notes_of(&f->notes, "etw_interrupt"),
	    "ts_ns=- end_ns=1000 cpu=3 event='ISR' vector=- routine=16\n");
	assert_whole(f);
}

/* A stream for all CPUs names none. */
UNIT_CASE(interrupts_of_one_stream, struct fixture *f)
{
	f->index->log.mode = ETL_MODE_ONE_STREAM;
	put(f, 400, 8);
	put(f, 0x10, 8);
	on_event(f, ETL_DPC, 2);
	assert_string_equal(emitted(f), "");
	HAS(unit_notes_of(&f->notes, "etw_interrupt"),
	    "ts_ns=400 end_ns=1000 cpu=- event='DPC'");
}

/* --- readied threads, and events that do not fit --- */

UNIT_CASE(readied_threads, struct fixture *f)
{
	put(f, 77, 4);
	put(f, 1, 1);
	put(f, 0xfe, 1);
	put(f, 6, 1);
	put(f, 0, 1);
	on_event(f, ETL_READY_THREAD, 2);
	assert_string_equal(emitted(f), "");
	HAS(unit_notes_of(&f->notes, "etw_ready_thread"),
	    "ts_ns=1000 cpu=3 thread_id=77 adjust_reason=1 adjust_increment=-2 flags=6\n");
	assert_whole(f);
}

UNIT_CASE(events_cut_short, struct fixture *f)
{
	static const unsigned int hooks[] = { ETL_READY_THREAD,	 ETL_SAMPLED_PROFILE,
					      ETL_PMC_INTERRUPT, ETL_ISR,
					      ETL_DPC,		 ETL_INTERVAL_SET };

	for (size_t i = 0; i < COUNT(hooks); i++) {
		put(f, 0, 5);
		on_event(f, hooks[i], 3);
		assert_int_equal(f->findings.of[FINDING_SHORT_RECORD].count, i + 1);
	}
	assert_string_equal(emitted(f), "");
	assert_string_equal(unit_notes_text(&f->notes), "");
	/* Fields of a later Windows are a finding, and no more. */
	put(f, 77, 8);
	put(f, 0, 1);
	on_event(f, ETL_READY_THREAD, 2);
	assert_string_equal(emitted(f), "");
	assert_int_equal(f->findings.of[FINDING_NEWER_FIELDS].count, 1);
	HAS(unit_notes_of(&f->notes, "etw_ready_thread"), "thread_id=77 ");
}

/* Samples are counted without rows, too. */
UNIT_CASE(rows_that_are_not_wanted, struct fixture *f)
{
	f->output->want_rows = false;
	put(f, 77, 8);
	on_event(f, ETL_READY_THREAD, 2);
	put(f, 400, 8);
	put(f, 0x10, 8);
	on_event(f, ETL_DPC, 2);
	name_source(f, ETL_INTERVAL_SET, 0, 10, 'T');
	sample(f, 2, 1);
	assert_string_equal(emitted(f),
			    "dpc 0x10 from 400 to 1000 on 3\n"
			    "sample cpu=3 counter=3 tid=9 ip=28672 period=10\n");
	LACKS(unit_notes_text(&f->notes), "etw_");
	assert_whole(f);
}
