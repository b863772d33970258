/* The head of the text: the columns of each class of events, and what was recorded. */
#include <inttypes.h>

#include "etw/charset.h"
#include "etw/xperf_write.h"

struct event_class {
	const char *name;
	const char *columns;
};

#define PROCESS "Process Name ( PID)"
#define THREAD_COLUMNS                                                                \
	PROCESS ",   ThreadID,       StackBase,      StackLimit,      UsrStkBase, "   \
		"      UsrStkLmt,         TebBase, SubProcessTag, BasePri, PagePri, " \
		"IoPri, Flags, Image!Function, ThreadName"
#define START_COLUMNS                                                       \
	PROCESS ",  ParentPID,  SessionID,        UniqueKey, DirTableBase," \
		"      Flags,        SID, Command Line, Package, Application Id"
#define END_COLUMNS                                                                     \
	PROCESS ",  ParentPID,  SessionID,        UniqueKey,     Status, DirTableBase," \
		"      Flags,        SID, Command Line, Package, Application Id"

/* clang-format off */
static const struct event_class classes[] = {
	{ "P-Start", START_COLUMNS },
	{ "P-End", END_COLUMNS },
	{ "P-DCStart", START_COLUMNS },
	{ "P-DCEnd", END_COLUMNS },
	{ "T-Start", THREAD_COLUMNS },
	{ "T-End", THREAD_COLUMNS },
	{ "T-DCStart", THREAD_COLUMNS },
	{ "T-DCEnd", THREAD_COLUMNS },
	{ "I-Start", PROCESS ", ImageBase, ImageEnd, ImageCheckSum, TimeDateStamp, FileName" },
	{ "DiskRead", PROCESS ",   ThreadID,     IrpPtr,   ByteOffset,     IOSize, ElapsedTime" },
	{ "SampledProfile", PROCESS ",   ThreadID,           PrgrmCtr, CPU, "
	  "ThreadStartImage!Function, Image!Function, Count, SampledProfile type" },
	{ "ReadyThread", PROCESS ",   ThreadID, Rdy Process Name ( PID),    Rdy TID, "
	  "AdjustReason, AdjustIncrement, InDPC" },
	{ "ProfileFreq-SetInterval", PROCESS ",   ThreadID, Source, New Interval, Old Interval" },
	{ "ProfileFreq-DCStart", PROCESS ",   ThreadID, Source, New Interval, Old Interval" },
	{ "ProfileFreq-DCEnd", PROCESS ",   ThreadID, Source, New Interval, Old Interval" },
	{ "PmcCorruptionStatus", "ProcessorIndex, NumberOfProfileSources, "
	  "[[Source, LastGoodTimestampQpc] ...]" },
	{ "UnknownEvent/Classic", PROCESS ",   ThreadID, CPU, Guid, Opcode, Level, Version, "
	  "Length" },
	{ "GroupMasks", "Count, Masks" },
};
/* clang-format on */

static void put_class(const struct etw_form *form, const struct event_class *of,
		      struct byte_buf *out)
{
	buf_text(out, "%23s,  TimeStamp, %s", of->name, of->columns);
	xperf_end_line(form, out);
}

static void put_counter_class(const struct etw_plan *plan, const struct etw_form *form,
			      struct byte_buf *out)
{
	buf_text(out, "%23s,  TimeStamp,   ThreadID", "Pmc");
	for (unsigned i = 0; i < plan->counter_count; i++) {
		buf_text(out, ", ");
		put_utf8_as_ansi(out, etw_counter_name(plan, i));
	}
	xperf_end_line(form, out);
}

static void put_switch_class(const struct etw_form *form, struct byte_buf *out)
{
	buf_text(out,
		 "%23s,  TimeStamp, New Process Name ( PID),    New TID, NPri, NQnt, "
		 "TmSinceLast, WaitTime, Old Process Name ( PID),    Old TID, OPri, "
		 "OQnt,        OldState,      Wait Reason, Swapable, InSwitchTime, CPU, "
		 "IdealProc",
		 "CSwitch");
	if (form->columns > 18)
		buf_text(out, ",  OldRemQnt, NewPriDecr, PrevCState");
	if (form->columns > 21)
		buf_text(out, ", OldThrdBamQosLevel, NewThrdBamQosLevel");
	xperf_end_line(form, out);
}

static void put_first_lines(const struct etw_form *form, struct byte_buf *out)
{
	buf_text(out, "FirstReliableEventTimeStamp, 0");
	xperf_end_line(form, out);
	buf_text(out, "FirstReliableCSwitchEventTimeStamp, 812");
	xperf_end_line(form, out);
	buf_text(out, "%23s, %10d, 8, 0x17, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0",
		 "GroupMasks", 0);
	xperf_end_line(form, out);
}

void xperf_put_head(const struct etw_plan *plan, const struct etw_form *form,
		    uint64_t length_us, uint32_t events_lost, uint32_t buffers_lost,
		    struct byte_buf *out)
{
	buf_text(out, "BeginHeader");
	xperf_end_line(form, out);
	for (size_t i = 0; i < COUNT(classes); i++)
		put_class(form, &classes[i], out);
	if (plan->counter_count)
		put_counter_class(plan, form, out);
	put_switch_class(form, out);
	buf_text(out, "EndHeader");
	xperf_end_line(form, out);
	buf_text(out,
		 "OS Version: 10.0.18362, Trace Size: 512KB, Events Lost: %" PRIu32
		 ", Buffers lost: %" PRIu32 ", Trace Start: %" PRIu64
		 ", Trace Length: %" PRIu64
		 " sec, PointerSize: 8, Trace Name: C:\\traces\\one, two.etl",
		 events_lost, buffers_lost, clock_filetime(0),
		 (length_us + 999999) / 1000000);
	xperf_end_line(form, out);
	put_first_lines(form, out);
}
