/*
 * make_etw_cases DIR - small .etl files whose events are written down one by one:
 *
 *   handed-over.etl   a thread id passes from first.exe to second.exe while a buffer of
 *                     CPU 0 is lost; CPU 1 goes on meanwhile
 *   handed-openly.etl the same with all its events: nothing is in doubt
 *   interrupts.etl    two ISRs, one of them within a DPC, and DPCs: known times
 *   interrupts-bad.etl   the same with one that ends before it begins, and one cut short
 *   handed-silently.etl  without those events, and nothing says that any were lost
 *   process-reused.etl   the id of first.exe passes to second.exe in a lost buffer;
 *                        thread id 1000 is used again, 1008 is never named again, and
 *                        1004 is a new thread
 *   process-openly.etl   the same with all its events
 *   process-ended.etl    the end of first.exe and its threads is there, the rest is lost
 *   command.etl       a recorder and what it starts, with pids that others had before
 *
 * Each switch out of a thread that changes hands counts another power of ten.
 */
#include "common/program.h"
#include "etw/etl_write.h"
#include "etw/forms.h"

enum {
	FIRST_PID = 100,
	SECOND_PID = 200,
	TID = 1000, /* the one that changes hands */
	TYPE_ISR = 0x43,
	TYPE_DPC = 0x44,
	OTHER_TID = 2000, /* stays first.exe's */
	NEW_TID = 1004,	  /* of second.exe alone */
	GONE_TID = 1008,  /* of first.exe, and later of none that is named */
	RECORDER_PID = 50,
};

enum handing { HANDED_OVER, HANDED_OPENLY, HANDED_SILENTLY };

enum reuse { REUSED, REUSED_OPENLY, REUSED_AFTER_END };

static const struct etw_plan plan = {
	.name = "scripted",
	.cpu_count = 2,
	.counter_count = 1,
	.cswitch_version = 4,
	.clock = CLOCK_QPC,
	.clock_hz = 10000000,
};

#define ROUTINE 0xfffff80712340000u

static struct etl etl;
static struct etw_ledger ledger;
static uint64_t values[2]; /* of each CPU's counter */

static struct etw_stamp at(uint64_t us, unsigned cpu)
{
	return (struct etw_stamp){ .us = us, .cpu = cpu, .pid = 4, .tid = 8 };
}

static void put_child(uint64_t us, enum verb verb, uint32_t pid, uint32_t parent,
		      const char *image)
{
	struct etw_stamp stamp = at(us, 0);
	struct etw_process_facts facts = {
		.pid = pid,
		.parent_pid = parent,
		.exit_status = 259,
		.version = 4,
		.authorities = -1,
		.image = image,
		.command = "",
		.package = "",
		.app = "",
	};

	etl_put_process(&etl, &stamp, verb, &facts);
}

static void put_process(uint64_t us, enum verb verb, uint32_t pid, const char *image)
{
	put_child(us, verb, pid, 4, image);
}

static void put_thread(uint64_t us, enum verb verb, uint32_t pid, uint32_t tid)
{
	struct etw_stamp stamp = at(us, 0);
	struct etw_thread_facts facts = {
		.pid = pid, .tid = tid, .version = 3, .name = "", .image = ""
	};

	etl_put_thread(&etl, &stamp, verb, &facts);
}

static void put_switch(uint64_t us, unsigned cpu, uint32_t from, uint32_t to,
		       uint64_t counted)
{
	struct etw_switch sw = {
		.cpu = cpu,
		.us = us,
		.old_tid = from,
		.new_tid = to,
		.state = 5,
		.counter_count = 1,
		.values = { values[cpu] += counted },
	};

	(void)etl_put_switch(&etl, &sw);
}

/* The thread runs on a CPU for a while. */
static void run(uint64_t us, unsigned cpu, uint32_t tid, uint64_t counted)
{
	put_switch(us, cpu, 0, tid, 1);
	put_switch(us + 50, cpu, tid, 0, counted);
}

static void begin(const char *directory, const char *name)
{
	char path[PATH_BYTES];
	struct etw_stamp stamp = at(10, 0);

	order_path(&(struct order){ .directory = directory }, name, ".etl", path);
	values[0] = values[1] = 0;
	etw_ledger_init(&ledger, &plan);
	(void)etw_ledger_thread(&ledger, 0, etw_ledger_process(&ledger, 0, "Idle"));
	etl_open(&etl, &plan, &etw_forms[0], &ledger, path, 1);
	etl_put_counters(&etl, &stamp, false);
}

static void end(uint64_t us)
{
	etl_close(&etl, us);
	etw_ledger_release(&ledger);
}

static void make_handed(const char *directory, const char *name, enum handing handing)
{
	begin(directory, name);
	put_process(20, VERB_DC_START, FIRST_PID, "first.exe");
	put_process(22, VERB_DC_START, SECOND_PID, "second.exe");
	put_thread(24, VERB_DC_START, FIRST_PID, TID);
	put_thread(26, VERB_DC_START, FIRST_PID, OTHER_TID);
	run(100, 0, TID, 1); /* the first switch of a CPU is its baseline */
	run(120, 1, OTHER_TID, 3);
	run(200, 0, TID, 10);
	run(300, 1, OTHER_TID, 5);
	etl_flush(&etl, 900);
	if (handing == HANDED_OPENLY) {
		put_thread(1000, VERB_END, FIRST_PID, TID);
		put_thread(1100, VERB_START, SECOND_PID, TID);
		etl_flush(&etl, 1150);
	} else if (handing == HANDED_OVER) {
		etl.next_sequence++;
		etl.buffers_lost++;
	}
	run(1200, 1, TID, 100); /* its first interval begins before the loss */
	run(1300, 1, TID, 1000);
	etl_flush(&etl, 1900);
	run(2000, 0, OTHER_TID, 7);
	run(2100, 0, TID, 10000);
	run(2200, 1, TID, 100000);
	if (handing == HANDED_OPENLY)
		put_thread(2900, VERB_DC_END, SECOND_PID, TID);
	else
		put_thread(2900, VERB_END, SECOND_PID, TID);
	put_thread(2910, VERB_DC_END, FIRST_PID, OTHER_TID);
	end(3000);
}

/* What happens between the two processes; buffers that are lost hold none of it. */
static void put_reuse(enum reuse reuse)
{
	if (reuse != REUSED) {
		put_thread(1000, VERB_END, FIRST_PID, TID);
		put_thread(1010, VERB_END, FIRST_PID, GONE_TID);
		put_process(1020, VERB_END, FIRST_PID, "first.exe");
		etl_flush(&etl, 1030);
	}
	if (reuse == REUSED_OPENLY) {
		put_process(1040, VERB_START, FIRST_PID, "second.exe");
		put_thread(1050, VERB_START, FIRST_PID, TID);
		put_thread(1060, VERB_START, FIRST_PID, NEW_TID);
		etl_flush(&etl, 1070);
	} else {
		etl.next_sequence++;
		etl.buffers_lost++;
	}
}

static void make_reused(const char *directory, const char *name, enum reuse reuse)
{
	begin(directory, name);
	put_process(20, VERB_DC_START, FIRST_PID, "first.exe");
	put_process(22, VERB_DC_START, SECOND_PID, "other.exe");
	put_thread(24, VERB_DC_START, FIRST_PID, TID);
	put_thread(26, VERB_DC_START, FIRST_PID, GONE_TID);
	put_thread(28, VERB_DC_START, SECOND_PID, OTHER_TID);
	run(100, 0, TID, 1); /* the first switch of a CPU is its baseline */
	run(120, 1, OTHER_TID, 3);
	run(200, 0, TID, 10);
	run(300, 1, GONE_TID, 100);
	etl_flush(&etl, 900);
	put_reuse(reuse);
	run(1200, 1, OTHER_TID, 5); /* its first interval begins before the loss */
	if (reuse == REUSED)
		run(1300, 1, TID, 1000); /* in the loss of CPU 0 */
	etl_flush(&etl, 1900);
	run(2000, 0, OTHER_TID, 7);
	run(2100, 0, TID, 10000);
	run(2200, 1, NEW_TID, 100000);
	if (reuse == REUSED)
		run(2300, 1, GONE_TID, 1000000);
	put_thread(2900, VERB_DC_END, FIRST_PID, TID);
	put_thread(2910, VERB_DC_END, FIRST_PID, NEW_TID);
	put_thread(2920, VERB_DC_END, SECOND_PID, OTHER_TID);
	put_process(2930, VERB_DC_END, FIRST_PID, "second.exe");
	put_process(2940, VERB_DC_END, SECOND_PID, "other.exe");
	end(3000);
}

/* A process with one thread, whose tid is the next number. */
static void put_both(uint64_t us, enum verb verb, uint32_t pid, uint32_t parent,
		     const char *image)
{
	if (verb == VERB_END)
		put_thread(us - 5, verb, pid, pid + 1);
	put_child(us, verb, pid, parent, image);
	if (verb != VERB_END)
		put_thread(us + 5, verb, pid, pid + 1);
}

/*
 * stale.exe and older.exe keep the pids of parents that ended long ago, which the
 * recorder and build.exe have now.  build.exe started cc.exe, and that as.exe, before
 * other.exe got cc.exe's pid.
 */
static void make_command(const char *directory)
{
	begin(directory, "command");
	put_both(20, VERB_DC_START, RECORDER_PID, 4, "recorder.exe");
	put_both(30, VERB_DC_START, 60, RECORDER_PID, "stale.exe");
	put_both(40, VERB_DC_START, 64, 100, "older.exe");
	run(100, 0, RECORDER_PID + 1, 1); /* the first switch of a CPU is its baseline */
	run(200, 0, 61, 10);
	run(300, 0, 65, 100);
	put_both(400, VERB_START, 100, RECORDER_PID, "build.exe");
	put_both(500, VERB_START, 104, 100, "cc.exe");
	put_both(600, VERB_START, 108, 104, "as.exe");
	run(700, 0, 101, 1000);
	run(800, 0, 105, 10000);
	run(900, 0, 109, 100000);
	put_both(1000, VERB_END, 104, 100, "cc.exe");
	put_both(1100, VERB_START, 104, 60, "other.exe");
	put_both(1200, VERB_START, 112, 104, "foreign.exe");
	run(1300, 0, 105, 1000000);
	run(1400, 0, 113, 10000000);
	put_both(2000, VERB_DC_END, 60, RECORDER_PID, "stale.exe");
	put_both(2100, VERB_DC_END, 64, 100, "older.exe");
	put_both(2200, VERB_DC_END, 108, 104, "as.exe");
	end(3000);
}

/* Entry and end; an ISR has a vector. */
static void put_interrupt(uint64_t from_us, uint64_t to_us, uint8_t type,
			  uint64_t routine, unsigned vector)
{
	struct etw_stamp stamp = at(to_us, 0);
	struct event_id id = { HEAD_PERFINFO, GROUP_PERFINFO, type, 2 };

	etl_begin(&etl, &stamp, id);
	buf_u64(&etl.event, clock_ticks(&etl.clock, from_us));
	etl_pointer(&etl, routine);
	if (vector)
		BUF(&etl.event, "121", 1, vector, 0);
	etl_end(&etl);
}

static void make_interrupts(const char *directory, const char *name, bool is_bad)
{
	begin(directory, name);
	put_process(20, VERB_DC_START, FIRST_PID, "first.exe");
	put_thread(24, VERB_DC_START, FIRST_PID, TID);
	put_switch(100, 0, 0, TID, 1); /* the baseline */
	put_interrupt(110, 120, TYPE_ISR, ROUTINE, 0x51);
	put_interrupt(140, 145, TYPE_ISR, ROUTINE, 0x51); /* in the DPC */
	put_interrupt(130, 160, TYPE_DPC, ROUTINE + 0x100, 0);
	if (is_bad) {
		put_interrupt(180, 170, TYPE_DPC, ROUTINE, 0); /* ends before it begins */
		put_interrupt(171, 172, TYPE_ISR, ROUTINE, 0); /* lacks its vector */
	}
	put_switch(200, 0, TID, 0, 1000); /* 100 us: 10 a microsecond */
	put_interrupt(220, 230, TYPE_DPC, ROUTINE + 0x100, 0);
	put_switch(300, 0, 0, TID, 50);
	put_switch(400, 0, TID, 0, 7);
	end(1000);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: make_etw_cases DIR");
	make_handed(argv[1], "handed-over", HANDED_OVER);
	make_handed(argv[1], "handed-openly", HANDED_OPENLY);
	make_handed(argv[1], "handed-silently", HANDED_SILENTLY);
	make_reused(argv[1], "process-reused", REUSED);
	make_reused(argv[1], "process-openly", REUSED_OPENLY);
	make_reused(argv[1], "process-ended", REUSED_AFTER_END);
	make_command(argv[1]);
	make_interrupts(argv[1], "interrupts", false);
	make_interrupts(argv[1], "interrupts-bad", true);
	return 0;
}
