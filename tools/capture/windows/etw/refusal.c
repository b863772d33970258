/* refusal.c - causes and remedies of error codes, as a table; see refusal.h. */
#include "capture/windows/etw/refusal.h"

#include <stddef.h>

#include "base/array.h"
#include "capture/windows/api/numbers.h"

#define AT(step) (1u << (step))
#define SESSION                                                                \
	(AT(ETW_LIST) | AT(ETW_PRIVILEGE) | AT(ETW_START) | AT(ETW_COUNTERS) | \
	 AT(ETW_SAMPLES) | AT(ETW_EVENTS) | AT(ETW_SWITCHES))
#define FILES (AT(ETW_OUTPUT) | AT(ETW_START))

#define ELEVATE "use a prompt opened with 'Run as administrator'"
#define TOO_OLD "this Windows does not support it; Windows 8 or later is needed"

/* Cause and remedy; the first matching row counts. */
static const struct {
	unsigned steps;
	uint32_t number;
	const char *why;
} reasons[] = {
	{ AT(ETW_PRIVILEGE), WIN_NOT_ALL_ASSIGNED,
	  "this prompt is not elevated, or the account lacks 'Profile system performance'; " ELEVATE },
	{ SESSION, WIN_ACCESS_DENIED, "not permitted; " ELEVATE },
	{ SESSION, WIN_PRIVILEGE_NOT_HELD, "not permitted; " ELEVATE },

	{ FILES, WIN_DISK_FULL,
	  "the disk is full; free some space, or write to another disk with -o" },
	{ FILES, WIN_PATH_NOT_FOUND,
	  "the folder does not exist; create it, or choose another file with -o" },
	{ FILES, WIN_SHARING_VIOLATION,
	  "another program has the file open, perhaps a session that still runs "
	  "(see logman query -ets)" },
	{ FILES, WIN_BAD_PATHNAME, "invalid file name" },
	{ AT(ETW_OUTPUT), WIN_FILE_NOT_FOUND,
	  "the folder does not exist; create it, or choose another file with -o" },
	{ AT(ETW_OUTPUT), WIN_INVALID_NAME, "invalid file name" },
	{ AT(ETW_OUTPUT), WIN_ACCESS_DENIED,
	  "permission denied; choose another file with -o" },
	{ AT(ETW_OUTPUT), WIN_WRITE_PROTECT,
	  "the disk is write-protected; choose another file with -o" },

	{ AT(ETW_START), WIN_ALREADY_EXISTS,
	  "a session of this name is already running, of another profiler or of a "
	  "recording that was killed; --stop-existing stops it first" },
	{ AT(ETW_START), WIN_NO_SYSTEM_RESOURCES,
	  "no session or no memory is left; stop other sessions (see logman query "
	  "-ets), or use less memory with -m" },
	{ AT(ETW_START), WIN_NOT_ENOUGH_MEMORY,
	  "not enough memory for its buffers; use less with -m" },
	{ AT(ETW_START), WIN_INVALID_PARAMETER,
	  "this Windows does not support such a session; Windows 8 or later is needed" },

	{ AT(ETW_COUNTERS), WIN_BUSY,
	  "another profiler holds the counters; stop it and try again" },
	{ AT(ETW_COUNTERS), WIN_NO_SYSTEM_RESOURCES,
	  "not enough counters are free; choose fewer with -e, or stop other profilers" },
	{ AT(ETW_SAMPLES), WIN_BUSY,
	  "another profiler holds the counters; stop it and try again" },
	{ AT(ETW_SAMPLES), WIN_NO_SYSTEM_RESOURCES,
	  "not enough counters are free; choose fewer with --sample and -e" },
	{ AT(ETW_SAMPLES), WIN_INVALID_PARAMETER,
	  "this Windows or machine cannot sample it, or not at this interval" },

	{ AT(ETW_COUNTERS), WIN_INVALID_PARAMETER,
	  "too many counters for this build of Windows, or some that cannot be counted "
	  "together; choose fewer with -e" },

	{ SESSION, WIN_NOT_SUPPORTED, TOO_OLD },
	{ SESSION, WIN_INVALID_FUNCTION, TOO_OLD },
	{ SESSION, WIN_CALL_NOT_IMPLEMENTED, TOO_OLD },
	{ AT(ETW_LIST), WIN_INVALID_PARAMETER, TOO_OLD },
	{ AT(ETW_EVENTS) | AT(ETW_SWITCHES), WIN_INVALID_PARAMETER, TOO_OLD },

	{ AT(ETW_COMMAND), WIN_FILE_NOT_FOUND,
	  "no such program; run commands that are built into cmd with: cmd /c ..." },
	{ AT(ETW_COMMAND), WIN_PATH_NOT_FOUND, "no such program" },
	{ AT(ETW_COMMAND), WIN_ACCESS_DENIED, "not permitted" },
	{ AT(ETW_COMMAND), WIN_BAD_EXE_FORMAT, "not a program for this Windows" },
	{ AT(ETW_COMMAND), WIN_ELEVATION_REQUIRED, "it needs more privileges; " ELEVATE },
};

static const char *const attempts[ETW_STEPS] = {
	[ETW_LIST] = "cannot list the profile sources",
	[ETW_PRIVILEGE] = "cannot enable SeSystemProfilePrivilege",
	[ETW_OUTPUT] = "cannot write",
	[ETW_START] = "cannot start the session",
	[ETW_COUNTERS] = "cannot count",
	[ETW_SAMPLES] = "cannot sample",
	[ETW_EVENTS] = "cannot read the counters at context switches",
	[ETW_SWITCHES] = "cannot enable context switch events",
	[ETW_STOP] = "cannot stop the session",
	[ETW_COMMAND] = "cannot run",
};

static const char *no_counters(const struct win_machine *machine)
{
	switch (machine->hypervisor) {
	case HYPERVISOR_GUEST:
		return "this virtual machine has no PMU; enable one on its host, or record on "
		       "real hardware";
	case HYPERVISOR_HYPERV:
		return "Hyper-V (used by WSL 2 and memory integrity too) may hide them; try "
		       "without it (bcdedit /set hypervisorlaunchtype off, restart)";
	case HYPERVISOR_NONE:
		break;
	}
	return "the processor or its firmware exposes none to Windows; try another machine";
}

static bool is_unsupported(uint32_t number)
{
	return number == WIN_NOT_SUPPORTED || number == WIN_INVALID_FUNCTION ||
	       number == WIN_CALL_NOT_IMPLEMENTED;
}

static const char *reason(const struct etw_refusal *refusal)
{
	if (refusal->why)
		return refusal->why;
	if (refusal->step == ETW_COUNTERS && is_unsupported(refusal->number))
		return no_counters(refusal->machine);
	if (refusal->step == ETW_STOP)
		return "it may still run; stop it with: logman stop NAME -ets";
	for (size_t i = 0; i < ARRAY_COUNT(reasons); i++)
		if (reasons[i].number == refusal->number &&
		    reasons[i].steps & AT(refusal->step))
			return reasons[i].why;
	return "unexpected error; net helpmsg explains the number";
}

enum status etw_report_refusal(const struct etw_refusal *refusal, struct error *error)
{
	const char *what = refusal->what;

	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "%s%s%.60s%s: %s (error %u)", attempts[refusal->step],
			 what ? " '" : "", what ? what : "", what ? "'" : "",
			 reason(refusal), refusal->number);
}

enum status etw_report_no_counters(const struct win_machine *machine, struct error *error)
{
	return error_set(
		error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
		"Windows lists no processor counters of this machine, only its clock: %s",
		no_counters(machine));
}
