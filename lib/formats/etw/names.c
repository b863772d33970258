/*
 * names.c - see etw.h.  The names of thread states and wait reasons are those of
 * KTHREAD_STATE and KWAIT_REASON in Microsoft's documentation, in the order of their
 * numbers.
 */
#include "formats/etw/etw.h"

#include "base/array.h"
#include "base/text.h"

/* Between 1601-01-01 and 1970-01-01, in 100 ns. */
#define FILETIME_OF_1970 INT64_C(116444736000000000)

#define TABLES "formats/etw/tables.def"
#define TABLES_AS_FIELDS
#include "model/tables_as.h"

const struct table etw_tables[ETW_TABLES] = {
#define TABLES "formats/etw/tables.def"
#define TABLES_AS_LIST(table)                                                    \
	[TABLE_##table] = { #table, table##_fields, ARRAY_COUNT(table##_fields), \
			    sizeof(struct table##_row) },
#include "model/tables_as.h"
};

static const char *const states[] = {
	"Initialized", "Ready",
	"Running",     "Standby",
	"Terminated",  "Waiting",
	"Transition",  "DeferredReady",
	"GateWait",    "WaitingForProcessInSwap",
};

static const char *const wait_reasons[] = {
	"Executive",
	"FreePage",
	"PageIn",
	"PoolAllocation",
	"DelayExecution",
	"Suspended",
	"UserRequest",
	"WrExecutive",
	"WrFreePage",
	"WrPageIn",
	"WrPoolAllocation",
	"WrDelayExecution",
	"WrSuspended",
	"WrUserRequest",
	"WrEventPair",
	"WrQueue",
	"WrLpcReceive",
	"WrLpcReply",
	"WrVirtualMemory",
	"WrPageOut",
	"WrRendezvous",
	"WrKeyedEvent",
	"WrTerminated",
	"WrProcessInSwap",
	"WrCpuRateControl",
	"WrCalloutStack",
	"WrKernel",
	"WrResource",
	"WrPushLock",
	"WrMutex",
	"WrQuantumEnd",
	"WrDispatchInt",
	"WrPreempted",
	"WrYieldExecution",
	"WrFastMutex",
	"WrGuardedMutex",
	"WrRundown",
	"WrAlertByThreadId",
	"WrDeferredPreempt",
	"WrPhysicalFault",
	"WrIoRing",
	"WrMdlCache",
	"WrRcu",
};

static struct str name_of(const char *const *names, size_t count, int64_t number)
{
	return number >= 0 && (uint64_t)number < count ? str_of(names[number]) : STR_NONE;
}

struct str etw_thread_state(int64_t number)
{
	return name_of(states, ARRAY_COUNT(states), number);
}

int64_t etw_thread_state_number(struct str name)
{
	for (size_t i = 0; i < ARRAY_COUNT(states); i++)
		if (str_equal_nocase(name, str_of(states[i])))
			return (int64_t)i;
	return INT_NONE;
}

struct str etw_wait_reason(int64_t number)
{
	return name_of(wait_reasons, ARRAY_COUNT(wait_reasons), number);
}

struct str etw_wait_mode(int64_t number)
{
	return number == 0 ? STR("NonSwap") : number == 1 ? STR("Swapable") : STR_NONE;
}

int64_t etw_unix_ns(uint64_t filetime)
{
	int64_t since_1970, ns;

	if (filetime > INT64_MAX)
		return INT_NONE;
	since_1970 = (int64_t)filetime - FILETIME_OF_1970;
	return __builtin_mul_overflow(since_1970, 100, &ns) ? INT_NONE : ns;
}

/* --- texts of the ANSI code page --- */

/* Unicode of the bytes 0x80 to 0x9f of Windows-1252; 0: none. */
static const uint16_t windows_1252[32] = {
	0x20ac, 0,	0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
	0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,	0x017d, 0,
	0,	0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
	0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,	0x017e, 0x0178,
};

static size_t write_character(char *to, uint8_t byte)
{
	uint32_t code = byte >= 0x80 && byte < 0xa0 ? windows_1252[byte - 0x80] : byte;

	if (code == 0 && byte) /* no character there: U+FFFD */
		code = 0xfffd;
	return text_write_utf8(to, code);
}

struct str etw_ansi_text(struct arena *arena, struct str bytes)
{
	size_t at = 0, i = 0;
	char *to;

	while (i < bytes.len && (bytes.ptr[i] & 0x80) == 0)
		i++;
	if (i == bytes.len) /* ASCII, as nearly all are */
		return bytes;
	to = arena_alloc(arena, bytes.len * 3 + 1);
	if (!to)
		return STR_NONE;
	for (i = 0; i < bytes.len; i++)
		at += write_character(to + at, (uint8_t)bytes.ptr[i]);
	return (struct str){ to, at };
}
