/* refusal.c - see refusal.h. */
#include "capture/windows/etw/refusal.h"

#include <stddef.h>

#include "capture/windows/api/numbers.h"

#define AT(step) (1u << (step))
#define SESSION                                                                \
	(AT(ETW_LIST) | AT(ETW_PRIVILEGE) | AT(ETW_START) | AT(ETW_COUNTERS) | \
	 AT(ETW_EVENTS) | AT(ETW_SWITCHES))
#define FILES (AT(ETW_OUTPUT) | AT(ETW_START))

#define ELEVATE "use a prompt opened with 'Run as administrator'"
#define TOO_OLD "this Windows cannot do it; Windows 8 or later is needed"

/* The cause and the way out; the first row that fits is taken. */
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
	  "there is no such folder; make it, or choose another file with -o" },
	{ FILES, WIN_SHARING_VIOLATION,
	  "another program has the file open, perhaps a session that still runs "
	  "(logman query -ets)" },
	{ FILES, WIN_BAD_PATHNAME, "Windows takes no such name for a file" },
	{ AT(ETW_OUTPUT), WIN_FILE_NOT_FOUND,
	  "there is no such folder; make it, or choose another file with -o" },
	{ AT(ETW_OUTPUT), WIN_INVALID_NAME, "Windows takes no such name for a file" },
	{ AT(ETW_OUTPUT), WIN_ACCESS_DENIED,
	  "no right to write there; choose another file with -o" },
	{ AT(ETW_OUTPUT), WIN_WRITE_PROTECT,
	  "the disk is write-protected; choose another file with -o" },

	{ AT(ETW_START), WIN_ALREADY_EXISTS,
	  "a session of this name runs already, another profiler's or one left behind; "
	  "--stop-existing stops it first" },
	{ AT(ETW_START), WIN_NO_SYSTEM_RESOURCES,
	  "Windows has no session or no memory left; stop others (logman query -ets), "
	  "or take less memory with -m" },
	{ AT(ETW_START), WIN_NOT_ENOUGH_MEMORY,
	  "no memory for its buffers; take less with -m" },
	{ AT(ETW_START), WIN_INVALID_PARAMETER,
	  "this Windows does not take such a session; Windows 8 or later is needed" },

	{ AT(ETW_COUNTERS), WIN_BUSY,
	  "another profiler holds the counters; end it, then try again" },
	{ AT(ETW_COUNTERS), WIN_NO_SYSTEM_RESOURCES,
	  "not so many counters are free at once; name fewer with -e, or end other "
	  "profilers" },
	{ AT(ETW_COUNTERS), WIN_INVALID_PARAMETER,
	  "too many counters for this build of Windows, or some that cannot be counted "
	  "together; name fewer with -e" },

	{ SESSION, WIN_NOT_SUPPORTED, TOO_OLD },
	{ SESSION, WIN_INVALID_FUNCTION, TOO_OLD },
	{ SESSION, WIN_CALL_NOT_IMPLEMENTED, TOO_OLD },
	{ AT(ETW_LIST), WIN_INVALID_PARAMETER, TOO_OLD },
	{ AT(ETW_EVENTS) | AT(ETW_SWITCHES), WIN_INVALID_PARAMETER, TOO_OLD },

	{ AT(ETW_COMMAND), WIN_FILE_NOT_FOUND,
	  "there is no such program; what only cmd knows is run by: cmd /c ..." },
	{ AT(ETW_COMMAND), WIN_PATH_NOT_FOUND, "there is no such program" },
	{ AT(ETW_COMMAND), WIN_ACCESS_DENIED, "not permitted" },
	{ AT(ETW_COMMAND), WIN_BAD_EXE_FORMAT, "not a program for this Windows" },
	{ AT(ETW_COMMAND), WIN_ELEVATION_REQUIRED, "it asks for more rights; " ELEVATE },
};

static const char *const attempts[ETW_STEPS] = {
	[ETW_LIST] = "cannot list the profile sources",
	[ETW_PRIVILEGE] = "cannot enable SeSystemProfilePrivilege",
	[ETW_OUTPUT] = "cannot write",
	[ETW_START] = "cannot start the session",
	[ETW_COUNTERS] = "cannot count",
	[ETW_EVENTS] = "cannot have the counters read at context switches",
	[ETW_SWITCHES] = "cannot switch context switches on",
	[ETW_STOP] = "cannot stop the session",
	[ETW_COMMAND] = "cannot run",
};

static const char *no_counters(const struct win_machine *machine)
{
	switch (machine->hypervisor) {
	case HYPERVISOR_GUEST:
		return "this virtual machine has no PMU; have its host give it one, or "
		       "record on real hardware";
	case HYPERVISOR_HYPERV:
		return "Hyper-V, also beneath WSL 2 and memory integrity, may keep them; "
		       "try without (bcdedit /set hypervisorlaunchtype off, restart)";
	case HYPERVISOR_NONE:
		break;
	}
	return "the processor or its firmware shows none to Windows; try another machine";
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
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].number == refusal->number &&
		    reasons[i].steps & AT(refusal->step))
			return reasons[i].why;
	return "Windows does not say why; net helpmsg explains the number";
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
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "Windows lists no counters of this machine, its clock alone: %s",
			 no_counters(machine));
}
