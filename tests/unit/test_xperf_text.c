/* test_xperf_text.c - lib/formats/etw/xperf_*.c: what texts of xperf say. */
#include <stdlib.h>
#include <string.h>

#include "formats/etw/etw.h"
#include "xperf_runs.h"

/* --- recognised or not --- */

static const struct {
	int line;
	const char *bytes;
	enum status status;
} heads[] = {
	{ ROW, "BeginHeader\r\nEndHeader\r\n", ST_OK },
	{ ROW, "BeginHeader", ST_OK },
	{ ROW,
	  "\xef\xbb\xbf"
	  "BeginHeader\n",
	  ST_OK },
	{ ROW, "\n  BeginHeader\n", ST_OK },
	{ ROW, "          Pmc,  TimeStamp, ThreadID, a\n", ST_OK },
	{ ROW, "CSwitch,TimeStamp,\n", ST_OK },
	{ ROW, "ProfileFreq-SetInterval,  TimeStamp\n", ST_OK },
	{ ROW, "Begin\n", ST_UNSUPPORTED },
	{ ROW, "a b, TimeStamp\n", ST_UNSUPPORTED },
	{ ROW, ", TimeStamp\n", ST_UNSUPPORTED },
	{ ROW, "CSwitch, 12, 13\n", ST_UNSUPPORTED },
	{ ROW, "CSwitch", ST_UNSUPPORTED },
	{ ROW, "\n\n", ST_UNSUPPORTED },
	{ ROW, "", ST_TRUNCATED },
};

UNIT_TEST(probe)
{
	for (size_t i = 0; i < COUNT(heads); i++) {
		struct text_run run;

		run_bytes(&run, heads[i].bytes, strlen(heads[i].bytes));
		ROW_INT(&heads[i], run.status, heads[i].status);
	}
}

/* --- the bill --- */

static const struct {
	int line;
	const char *text;
} forms[] = {
	{ ROW, PMC SWITCH_18 "\n" THREE_SWITCHES("\n") },
	{ ROW, PMC SWITCH_21 "\n" THREE_SWITCHES(", 84017152, 0, 0\n") },
	{ ROW,
	  PMC SWITCH_23 "\n" THREE_SWITCHES(", 84017152, 0, 0, Important, Important\n") },
	/* Unknown columns, announced and not. */
	{ ROW, PMC SWITCH_23 ", Next\n" THREE_SWITCHES(", 1, 0, 0, x, y, z\n") },
	{ ROW, PMC SWITCH_18 "\n" THREE_SWITCHES(", 84017152, 0, 0\n") },
	/* The order of the column lines is of no account. */
	{ ROW, SWITCH_18 "\n" PMC THREE_SWITCHES("\n") },
	{ ROW,
	  "BeginHeader\r\n" PMC SWITCH_18 "\r\nEndHeader\r\n" THREE_SWITCHES("\r\n") },
	/* Other columns before, between and after the ones that count. */
	{ ROW,
	  PMC "CSwitch, TimeStamp, CPU, New TID, New Process Name ( PID), x, "
	      "Old TID, Old Process Name ( PID)\n"
	      "Pmc, 100, 44, 1000, 50\nCSwitch, 100, 3, 44, " A ", -, 0, " IDLE
	      "\nPmc, 130, 0, 1700, 58\nCSwitch, 130, 3, 0, " IDLE ", -, 44, " A
	      "\nPmc, 150, 44, 1710, 59\nCSwitch, 150, 3, 44, " A ", -, 0, " IDLE "\n" },
	/* Messages, blank lines and prose in between. */
	{ ROW, PMC SWITCH_18 "\n...\n" THREE_SWITCHES(
		       "\n\nError: Description for thread state (9) could not be found.\n"
		       "They say, this happens.\n") },
};

UNIT_TEST(forms)
{
	for (size_t i = 0; i < COUNT(forms); i++) {
		const char *rows = rows_of(forms[i].text);

		ROW_HAS(&forms[i], rows,
			"counter_group group_id=1 trace_id=1 "
			"leader='CSwitch' counters=2 "
			"scope='cpu' has_times='no'\n",
			"slot=1 name='Misses'", " status=1 on_cpu_ns=30000 running_ns=- ",
			"| 700,8\n", " status=1 on_cpu_ns=20000 running_ns=- ",
			"| 10,1\n", " pid=40 ", "name='a.exe'", "name='Idle/3'");
		ROW_LACKS(&forms[i], rows, "kind='bad_line'", "kind='unpaired'");
		ROW_HAS(&forms[i], rows, "status='complete'");
	}
}

/* --- which Pmc line is for which event --- */

UNIT_TEST(pairing)
{
	const char *rows;

	/* A message between the two, and a state without a name. */
	rows = rows_of(PMC SWITCH_18
		       "\nPmc, 100, 44, 1000, 50\nError: thread state (9)\n"
		       "@100 a 44 - 0 3 <out of range>\nPmc, 130, 0, 1700, 58\n"
		       "@130 - 0 a 44 3\n");
	HAS(rows, "prev_state='<out of range>'", " prev_state=- status=0 ", "| 700,8\n",
	    "kind='noise_line' count=1");
	LACKS(rows, "unpaired");
	/* Another time, another thread, no event after it, another event. */
	rows = rows_of(PMC SWITCH_18
		       "\nPmc, 99, 44, 1, 1\n@100 a 44 - 0 3\nPmc, 110, 45, 1, 1\n"
		       "@110 - 0 a 44 3\nPmc, 120, 45, 1, 1\nPmc, 120, 44, 1, 1\n"
		       "@120 a 44 - 0 3\nMark, TimeStamp, Process Name ( PID), ThreadID\n"
		       "Pmc, 130, 44, 1, 1\nMark, 130, a.exe (  40), 44\n"
		       "Pmc, 131, 44, 1, 1\nMark, 131, a.exe (  40), 45\n"
		       "Pmc, 132, 44, 1, 1\nMark, 133, a.exe (  40), 44\n"
		       "Pmc, 140, 44, 1, 1\n");
	HAS(rows, "kind='unpaired' count=6", "kind='unread' count=2");
	/* Another event of that microsecond, which names no thread. */
	rows = rows_of(PMC SWITCH_18
		       "\nMark, TimeStamp, x\nPmc, 100, 44, 1000, 50\nMark, 100, 44\n"
		       "@100 a 44 - 0 3\n");
	HAS(rows, "kind='unpaired' count=1", "kind='unread' count=1");
	/* Switches without counters first, then one in between. */
	rows = rows_of(PMC SWITCH_18
		       "\n@90 a 44 - 0 3\n@95 - 0 a 44 3\nPmc, 100, 44, 1000, 50\n"
		       "@100 a 44 - 0 3\nPmc, 130, 0, 1700, 58\n@130 - 0 a 44 3\n"
		       "@140 a 44 - 0 3\nPmc, 150, 0, 1800, 60\n@150 - 0 a 44 3\n");
	HAS(rows, "status=1 on_cpu_ns=30000 running_ns=- detail_id=1 | 700,8\n",
	    "kind='unread' count=3", "kind='after_unread' count=1");
}

/* How many counters there are, and what they are called. */
UNIT_TEST(counters)
{
	const char *rows;

	/* A name with a comma: the lines with values know. */
	rows = rows_of("Pmc, TimeStamp, ThreadID, My, Own, Misses\n" SWITCH_18
		       "\n@90 a 44 - 0 3\nPmc, 130, 0, 1700, 58\n@130 - 0 a 44 3\n");
	HAS(rows, "slot=0 name='My, Own'", "slot=1 name='Misses'",
	    "kind='other_counters' count=1");
	LACKS(rows, "other_values");
	/* More values than names. */
	rows = rows_of("Pmc, TimeStamp, ThreadID, One\n" SWITCH_18
		       "\nPmc, 130, 0, 17, 58\n@130 - 0 a 44 3\n");
	HAS(rows, "slot=0 name='One'", "slot=1 name='Pmc 2'", "kind='nameless' count=1");
	/* One line has another number of values. */
	rows = rows_of(PMC SWITCH_18
		       "\nPmc, 130, 0, 17, 58\n@130 - 0 a 44 3\nPmc, 140, 44, 18\n"
		       "@140 a 44 - 0 3\nPmc, 150, 0, 19, 59, 3\n@150 - 0 a 44 3\n"
		       "Pmc, TimeStamp, ThreadID, Other, Ones\n");
	HAS(rows, "kind='other_values' count=2", "kind='unread' count=2",
	    "kind='other_counters' count=1");
	LACKS(rows, "unpaired");
	/* None. */
	rows = rows_of(SWITCH_18 "\n@90 a 44 - 0 3\n@95 - 0 a 44 3\n");
	HAS(rows, " counters=0 ", "on_cpu_ns=5000", "kind='no_counters' count=1");
	/* Announced, but never read at a switch. */
	rows = rows_of(PMC SWITCH_18 "\n@90 a 44 - 0 3\n");
	HAS(rows, "kind='no_counters' count=1");
	/* The highest value there is, and one that is none. */
	rows = rows_of(PMC SWITCH_18
		       "\nPmc, 130, 0, 18446744073709551615, 0\n@130 - 0 a 44 3\n"
		       "Pmc, 140, 0, 18446744073709551616, 0\nPmc, 150, 0, -1, 0\n");
	HAS(rows, "first_value=-1 ", "kind='bad_line' count=2");
}

/* --- names --- */

#define NAMED(name)                              \
	PMC SWITCH_21 "\n" IN("100", name, "44") \
		OUT(IDLE, "0", "Running") "3, 0, 1, 0, 0\n"
#define NAMED_BOTH(new_name, old_name)                  \
	PMC SWITCH_21 "\n" IN("100", new_name, "44")    \
		OUT(old_name, "48", "Waiting") "3, 0, " \
					       "1, 0, 0\n"

static const struct {
	int line;
	const char *text, *wanted, *also;
} names[] = {
	{ ROW, NAMED("foo, bar (x86).exe (1234)"), "pid=1234 ",
	  "name='foo, bar (x86).exe'" },
	{ ROW, NAMED("a,  b,c (7).exe (  12)"), "pid=12 ", "name='a,  b,c (7).exe'" },
	{ ROW, NAMED_BOTH("x, y (1) (20)", "p, q, r (30)"), "pid=30 ", "name='p, q, r'" },
	{ ROW, NAMED_BOTH("x, y (1) (20)", "p, q, r (30)"), "pid=20 ",
	  "name='x, y (1)'" },
	{ ROW, NAMED_BOTH("x.exe (20)", "p, q (30)"), "pid=30 ", "name='p, q'" },
	/* Of the code page of the machine; UTF-8 stays. */
	{ ROW, NAMED("caf\xe9.exe (20)"), "pid=20 ", "name='caf\xc3\xa9.exe'" },
	{ ROW, NAMED("caf\xc3\xa9.exe (20)"), "pid=20 ", "name='caf\xc3\xa9.exe'" },
	/* Processes of which the trace knows nothing. */
	{ ROW, NAMED_BOTH("x.exe (20)", "Unknown (  -1)"), "pid=- ", "name='(unknown)'" },
	{ ROW, NAMED_BOTH("x.exe (20)", "Unknown (4294967295)"), "pid=- ",
	  "name='(unknown)'" },
};

UNIT_TEST(names)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		const char *rows = rows_of(names[i].text);

		if (!strstr(rows, names[i].wanted) || !strstr(rows, names[i].also))
			print_error("%s", rows);
		ROW_HAS(&names[i], rows, names[i].wanted, names[i].also);
		ROW_LACKS(&names[i], rows, "bad_line");
		/* Also of a thread that is only ever switched in. */
		ROW_INT(&names[i], strstr(rows, "(unknown)") != NULL,
			strcmp(names[i].wanted, "pid=- ") == 0);
	}
}

/* --- the other events --- */

#define P_START                                                                      \
	"P-Start, TimeStamp, Process Name ( PID), ParentPID, SessionID, UniqueKey, " \
	"DirTableBase, Flags, SID, Command Line, Package, Application\n"
#define P_END                                                                      \
	"P-End, TimeStamp, Process Name ( PID), ParentPID, SessionID, UniqueKey, " \
	"Status, DirTableBase, Flags, SID, Command Line, Package, Application\n"
#define SHORT_P "P-Start, TimeStamp, Process Name ( PID), ParentPID\n"
#define START                                                                    \
	"P-Start, 10, b,c.exe (1204), 40, 1, 0xffffa00000000010, 0x1000, 0x20, " \
	"S-1-5-18, \"C:\\b.exe\" --emit=x,y  --z \"open, <none>, app!1\n"

UNIT_TEST(processes)
{
	static const char *const columns[] = { P_START, SHORT_P };

	for (size_t i = 0; i < COUNT(columns); i++) {
		char text[2048];
		const char *rows;

		snprintf(text, sizeof(text), "%s%s%s", columns[i], P_END,
			 START "P-End, 90, b,c.exe (1204), 40, 1, 0xffffa00000000010, "
			       "0x2a, 0x1000, 0x20, S-1-5-18, <none>, <none>, <none>\n");
		rows = rows_of(text);
		HAS(rows,
		    "etw_process trace_id=1 ts_ns=10000 event='P-Start' pid=1204 "
		    "parent_pid=40 session_id=1 exit_status=- flags=32 "
		    "unique_key=-105553116266480 directory_table_base=4096 "
		    "sid='S-1-5-18' image='b,c.exe' command='\"C:\\b.exe\" "
		    "--emit=x,y  --z \"open' package=- application_id='app!1'\n",
		    "event='P-End' pid=1204 parent_pid=40 session_id=1 "
		    "exit_status=42 ",
		    "parent_pid=40 start_ns=10000 end_ns=90000 name='b,c.exe' "
		    "command='\"C:\\b.exe\" --emit=x,y  --z \"open'\n");
		LACKS(rows, "finding ");
	}
}

#define T_COLUMNS(name) \
	name ", TimeStamp, Process Name ( PID), ThreadID, StackBase, Image!Function\n"

UNIT_TEST(threads)
{
	const char *rows = rows_of(
		T_COLUMNS("T-DCStart") T_COLUMNS("T-Start") T_COLUMNS("T-End") T_COLUMNS(
			"T-DCEnd") "T-DCStart, 1, " A ", 44, 0x10, a!b, "
				   "\"Unknown\"\n"
				   "T-Start, 20, b, c.exe (1204), 48, 0x10, b!c, \"worker, 2\"\n"
				   "T-End, 30, b, c.exe (1204), 48, 0x10, b!c,  \"worker, 2\"\n"
				   "T-DCEnd, 90, Unknown (  -1), 52, 0x10, b!c\n"
				   "T-Start, 95, " A ", 0, 0x10, b!c\nT-Start, 95, " A
				   ", x, 0x10, b!c\n");

	HAS(rows, "fork trace_id=1 ts_ns=20000 ", "exit trace_id=1 ts_ns=30000 ",
	    " tid=44 recorder_tid=- idle_cpu=- start_ns=- end_ns=- name=-\n",
	    " tid=48 recorder_tid=- idle_cpu=- start_ns=20000 end_ns=30000 "
	    "name='worker, 2'\n",
	    " pid=1204 parent_pid=- start_ns=- end_ns=- name='b, c.exe' ",
	    "name='(unknown)'", "kind='bad_line' count=1");
}

UNIT_TEST(rows)
{
	const char *rows = rows_of(
		"SampledProfile, TimeStamp, Process Name ( PID), ThreadID, PrgrmCtr, "
		"CPU, ThreadStartImage!Function, Image!Function, Count, SampledProfile "
		"type\n"
		"ReadyThread, TimeStamp, Process Name ( PID), ThreadID, Rdy Process Name "
		"( PID), Rdy TID, AdjustReason, AdjustIncrement, InDPC\n"
		"ProfileFreq-DCStart, TimeStamp, Process Name ( PID), ThreadID, Source, "
		"New Interval, Old Interval\n"
		"I-Start, TimeStamp, Process Name ( PID), Image Base, End Address, "
		"CheckSum, TimeDateStamp, FileName\n"
		"T-DCStart, TimeStamp, Process Name ( PID), ThreadID\n"
		"T-DCStart, 1, " A ", 44\n"
		"SampledProfile, 5, " A
		", 44, 0xfffff80000000010, 2, a!b<c,d>, e!f<g, h>, "
		"1, Unbatched\n"
		"SampledProfile, 6, " A ", 44, 0x10, 2, a!b, e!f, 1, Timer\n"
		"SampledProfile, 7, " A ", 44, 0x10, x, a!b, e!f, 1, Timer\n"
		"ReadyThread, 8, x, y (8), 60, " A ", 44, 1, -2, 1\n"
		"ProfileFreq-DCStart, 9, " A ", 44, Timer, 10000, 10000\n"
		"ProfileFreq-DCStart, 9, " A ", 44, 3, 65536, 65536\n"
		"I-Start, 9, " A ", 0x1000, 0x3000, 0x5, 0x60, C:\\a, b.exe\n");

	HAS(rows, "name='SampledProfile' event='SampledProfile' unit=- source='etw'",
	    "name='Timer' event='Timer' ",
	    "sample sample_id=1 ts_ns=5000 cpu=2 thread_id=1 counter_id=1 period=- "
	    "mode=0 ip=-8796093022192 ",
	    "kind='bad_line' count=1",
	    "etw_ready_thread trace_id=1 ts_ns=8000 cpu=- thread_id=1 "
	    "adjust_reason=1 adjust_increment=-2 flags=1\n",
	    "event='ProfileFreq-DCStart' source=- name='Timer' new_interval=10000 "
	    "old_interval=10000\n",
	    " source=3 name=- new_interval=65536 ",
	    "etw_image trace_id=1 ts_ns=9000 event='I-Start' pid=40 addr=4096 "
	    "bytes=8192 checksum=5 link_time=96 default_addr=- signature_level=- "
	    "signature_type=- filename='C:\\a, b.exe'\n",
	    "name='SampledProfile' events=3 bytes=", " kept='sample'\n");
}

UNIT_TEST(corruption)
{
	const char *rows = rows_of(
		PMC SWITCH_18
		"\nPmcCorruptionStatus, TimeStamp, ProcessorIndex, NumberOfProfileSources, [[Source, LastGood] ...]\n"
		"PmcCorruptionStatus, 1, 1, 0\nPmc, 100, 44, 1, 1\n"
		"@100 a 44 - 0 0\nPmc, 101, 48, 1, 1\n@101 b 48 - 0 1\n"
		"PmcCorruptionStatus, 102, 0, 1, 3, 5\nPmc, 110, 0, 2, 2\n"
		"@110 - 0 a 44 0\nPmc, 111, 0, 2, 2\n@111 - 0 b 48 1\n"
		"PmcCorruptionStatus, 112, 65536, 1\n");

	HAS(rows, "kind='suspect' count=1", "kind='bad_line' count=1");
	LACKS(rows, "unpaired");
	/* Two CPUs, one after the other. */
	rows = rows_of(
		PMC SWITCH_18
		"\nPmcCorruptionStatus, TimeStamp, ProcessorIndex, NumberOfProfileSources, [[Source, LastGood] ...]\n"
		"Pmc, 100, 44, 1, 1\n@100 a 44 - 0 0\nPmc, 101, 48, 1, 1\n@101 b 48 - 0 1\n"
		"PmcCorruptionStatus, 102, 0, 1, 3, 5\nPmcCorruptionStatus, 102, 1, 1, 3, 5\n"
		"Pmc, 110, 0, 2, 2\n@110 - 0 a 44 0\nPmc, 111, 0, 2, 2\n@111 - 0 b 48 1\n");
	HAS(rows, "kind='suspect' count=2");
}

UNIT_TEST(os_line)
{
	const char *rows = rows_of(
		"BeginHeader\nFirstReliableEventTimeStamp, TimeStamp\nEndHeader\n"
		"OS Version: 10.0.19041, Trace Size: 12KB, Events Lost: 3, Buffers "
		"lost: 2, Trace Start: 132000000000000000, Trace Length: 7 sec, "
		"PointerSize: 8, Trace Name: C:\\a, b: c.etl\n"
		"FirstReliableEventTimeStamp, 12\n"
		"FirstReliableCSwitchEventTimeStamp, 6016\n"
		"OS Version: 6.1, Events Lost: 9\n");

	HAS(rows, "os_release='10.0.19041'", "wall_offset_ns=1555526400000000000 ",
	    "header_fact trace_id=1 key='Trace Length' value='7 sec'\n",
	    "header_fact trace_id=1 key='PointerSize' value='8'\n",
	    "header_fact trace_id=1 key='Trace Name' value='C:\\a, b: c.etl'\n",
	    "key='FirstReliableCSwitchEventTimeStamp' value='6016'\n",
	    "kind='lost_events' count=3", "kind='lost_buffers' count=2",
	    "format='xperf text'");
}

/* What ends for good: a thread that terminates, an id that is used again. */
UNIT_TEST(incarnations)
{
	const char *rows = rows_of(PMC SWITCH_18 "\n" T_COLUMNS(
		"T-Start") "T-Start, 50, a.exe (  40), 44, 0x1, x!y\nPmc, 100, 44, 1, 1\n"
			   "@100 a 44 - 0 0\nPmc, 110, 0, 4, 4\n@110 - 0 a 44 0 Terminated\n"
			   "T-Start, 120, b.exe (1204), 44, 0x1, x!y\nPmc, 130, 44, 5, 5\n"
			   "@130 b 44 - 0 0\nPmc, 140, 0, 9, 9\n@140 - 0 b 44 0\n");

	HAS(rows, "prev_state=4 ", " start_ns=50000 end_ns=110000 ",
	    " start_ns=120000 end_ns=- ", "| 3,3\n", "| 4,4\n");
}

/* No line reports ends and beginnings, but the lines name other processes. */
UNIT_TEST(other_process)
{
	const char *rows = rows_of(
		PMC SWITCH_18 "\nPmc, 100, 44, 1, 1\n@100 a 44 - 0 0\nPmc, 110, 0, 4, 4\n"
			      "@110 - 0 a 44 0\nPmc, 120, 44, 5, 5\n@120 b 44 - 0 0\n"
			      "Pmc, 130, 0, 9, 9\n@130 - 0 b 44 0\n");

	HAS(rows, "name='a.exe'", "name='b.exe'", " pid=40 ", " pid=1204 ",
	    " tid=44 recorder_tid=- idle_cpu=- start_ns=120000 ", "thread thread_id=1 ",
	    "| 3,3\n", "| 4,4\n");
	/* In as one process, out as the other: whose the interval was is not proven. */
	rows = rows_of(PMC SWITCH_18
		       "\nPmc, 100, 44, 1, 1\n@100 a 44 - 0 0\nPmc, 110, 0, 4, 4\n"
		       "@110 - 0 b 44 0\n");
	HAS(rows, "kind='lost_window' count=1");
	LACKS(rows, " status=1 ");
	/* A rundown says the same; the end of a thread lets its number go. */
	rows = rows_of(T_COLUMNS("T-DCStart")
			       T_COLUMNS("T-End") "T-DCStart, 10, " A ", 44, 0x1, x!y\n"
						  "T-DCStart, 20, " B ", 44, 0x1, x!y\n"
						  "T-DCStart, 30, " B ", 44, 0x1, x!y\n");
	HAS(rows, "fork trace_id=1 ts_ns=20000 ");
	LACKS(rows, "fork trace_id=1 ts_ns=30000 ");
	HAS(rows, " pid=40 ", " pid=1204 ", "kind='handed_over' count=1");
}

/* The end of a thread names another process than the switches before it. */
UNIT_TEST(handed_over)
{
	const char *rows = rows_of(PMC SWITCH_18 "\n" T_COLUMNS(
		"T-End") "Pmc, 100, 44, 1, 1\n@100 a 44 - 0 0\nT-End, 105, " B
			 ", 44, 0x1, x!y\nPmc, 110, 0, 4, 4\n@110 - 0 a 44 0\n");

	HAS(rows, "kind='handed_over' count=1", "kind='lost_window' count=1",
	    "unattributed between 100000 and 105000 ns",
	    "fork trace_id=1 ts_ns=105000 thread_id=3 ",
	    " start_ns=105000 end_ns=105000 ");
	LACKS(rows, " status=1 ");
	/* Then it is the later one's; while it does not run nothing is in doubt. */
	rows = rows_of(PMC SWITCH_18
		       "\n" T_COLUMNS("T-DCEnd") "Pmc, 100, 44, 1, 1\n@100 a 44 - 0 0\n"
						 "Pmc, 110, 0, 4, 4\n@110 - 0 a 44 0\n"
						 "T-DCEnd, 115, " B ", 44, 0x1, x!y\n"
						 "Pmc, 120, 44, 5, 5\n@120 b 44 - 0 0\n"
						 "Pmc, 130, 0, 9, 9\n@130 - 0 b 44 0\n");
	HAS(rows, "kind='handed_over' count=1", "| 3,3\n", "| 4,4\n",
	    " tid=44 recorder_tid=- idle_cpu=- start_ns=115000 ");
	LACKS(rows, "kind='lost_window'");
}
