/* system.c - calls the other functions of Windows; see system.h. */
#include "capture/windows/api/system.h"

#include <cpuid.h>
#include <stddef.h>
#include <string.h>
#include <windows.h>

#include "base/os.h"
#include "base/os_windows.h"
#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/utf16.h"

#define SAME(what, ours, theirs) _Static_assert((ours) == (theirs), what)

SAME("TOKEN_PRIVILEGES", sizeof(struct win_privilege), sizeof(TOKEN_PRIVILEGES));
SAME("LUID", offsetof(struct win_privilege, luid_low),
     offsetof(TOKEN_PRIVILEGES, Privileges[0].Luid));
SAME("Attributes", offsetof(struct win_privilege, attributes),
     offsetof(TOKEN_PRIVILEGES, Privileges[0].Attributes));
SAME("SE_PRIVILEGE_ENABLED", WIN_PRIVILEGE_ENABLED, SE_PRIVILEGE_ENABLED);
SAME("ERROR_FILE_NOT_FOUND", WIN_FILE_NOT_FOUND, ERROR_FILE_NOT_FOUND);
SAME("ERROR_PATH_NOT_FOUND", WIN_PATH_NOT_FOUND, ERROR_PATH_NOT_FOUND);
SAME("ERROR_WRITE_PROTECT", WIN_WRITE_PROTECT, ERROR_WRITE_PROTECT);
SAME("ERROR_SHARING_VIOLATION", WIN_SHARING_VIOLATION, ERROR_SHARING_VIOLATION);
SAME("ERROR_DISK_FULL", WIN_DISK_FULL, ERROR_DISK_FULL);
SAME("ERROR_INVALID_NAME", WIN_INVALID_NAME, ERROR_INVALID_NAME);
SAME("ERROR_BAD_EXE_FORMAT", WIN_BAD_EXE_FORMAT, ERROR_BAD_EXE_FORMAT);
SAME("ERROR_NOT_ALL_ASSIGNED", WIN_NOT_ALL_ASSIGNED, ERROR_NOT_ALL_ASSIGNED);
SAME("ERROR_PRIVILEGE_NOT_HELD", WIN_PRIVILEGE_NOT_HELD, ERROR_PRIVILEGE_NOT_HELD);

static uint32_t outcome(BOOL good)
{
	return good ? WIN_OK : GetLastError();
}

static HANDLE handle_of(uint64_t number)
{
	return (HANDLE)(uintptr_t)number;
}

static void close_handle(uint64_t handle)
{
	CloseHandle(handle_of(handle));
}

/* --- privileges --- */

static uint32_t open_token(uint64_t *token)
{
	HANDLE handle = NULL;
	BOOL good = OpenProcessToken(GetCurrentProcess(),
				     TOKEN_QUERY | TOKEN_ADJUST_PRIVILEGES, &handle);

	*token = (uintptr_t)handle;
	return outcome(good);
}

static uint32_t find_privilege(const uint16_t *name, struct win_privilege *found)
{
	LUID luid = { 0, 0 };
	BOOL good = LookupPrivilegeValueW(NULL, name, &luid);

	found->luid_low = luid.LowPart;
	found->luid_high = luid.HighPart;
	return outcome(good);
}

/* Succeeds, with ERROR_NOT_ALL_ASSIGNED, if the token lacks the privilege. */
static uint32_t adjust_privilege(uint64_t token, const struct win_privilege *wanted)
{
	TOKEN_PRIVILEGES privileges = { .PrivilegeCount = wanted->count };

	privileges.Privileges[0].Luid.LowPart = wanted->luid_low;
	privileges.Privileges[0].Luid.HighPart = wanted->luid_high;
	privileges.Privileges[0].Attributes = wanted->attributes;
	SetLastError(ERROR_SUCCESS);
	if (!AdjustTokenPrivileges(handle_of(token), FALSE, &privileges, 0, NULL, NULL))
		return GetLastError();
	return GetLastError();
}

/* --- the machine --- */

/* The result of GetVersionEx depends on the manifest; that of ntdll does not. */
static void read_version(struct win_machine *machine)
{
	typedef LONG(WINAPI * version_call)(OSVERSIONINFOW *);
	HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
	version_call get =
		ntdll ? (version_call)(void *)GetProcAddress(ntdll, "RtlGetVersion")
		      : NULL;
	OSVERSIONINFOW version = { .dwOSVersionInfoSize = sizeof(version) };

	if (!get || get(&version) != 0)
		return;
	machine->major = version.dwMajorVersion;
	machine->minor = version.dwMinorVersion;
	machine->build = version.dwBuildNumber;
}

/*
 * Leaf 1, ECX bit 31: a hypervisor is present.  If it is Hyper-V ("Microsoft Hv") and
 * this Windows may manage processors (leaf 0x40000003, EBX bit 12), it is the root
 * partition.
 */
static enum win_hypervisor find_hypervisor(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31))
		return HYPERVISOR_NONE;
	__cpuid(0x40000000, a, b, c, d);
	if (b != 0x7263694d || c != 0x666f736f || d != 0x76482074)
		return HYPERVISOR_GUEST;
	__cpuid(0x40000003, a, b, c, d);
	return b >> 12 & 1 ? HYPERVISOR_HYPERV : HYPERVISOR_GUEST;
}

static void read_host(char to[WIN_NAME])
{
	WCHAR name[WIN_NAME];
	DWORD units = WIN_NAME;

	if (GetComputerNameExW(ComputerNameDnsHostname, name, &units))
		utf16_to_utf8(to, WIN_NAME, name, units);
}

/* Leaves 0x80000002 to 0x80000004: the name, sometimes with leading blanks. */
static void read_processor(char to[WIN_NAME])
{
	unsigned words[12] = { 0 };
	char name[sizeof(words) + 1] = "";

	for (unsigned i = 0; i < 3; i++)
		if (!__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1],
				 &words[4 * i + 2], &words[4 * i + 3]))
			return;
	memcpy(name, words, sizeof(words));
	text_print(to, WIN_NAME, "%s", name + strspn(name, " "));
}

static void read_machine(struct win_machine *machine)
{
	MEMORYSTATUSEX memory = { .dwLength = sizeof(memory) };

	*machine = (struct win_machine){ 0 };
	read_version(machine);
	read_host(machine->host);
	read_processor(machine->processor);
	machine->cpus = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
	machine->memory_mib =
		GlobalMemoryStatusEx(&memory) ? memory.ullTotalPhys >> 20 : 0;
	machine->hypervisor = find_hypervisor();
}

/* --- files --- */

static uint32_t full_path(const uint16_t *name, uint16_t *path, uint32_t units)
{
	DWORD used = GetFullPathNameW(name, units, path, NULL);

	if (used == 0)
		return GetLastError();
	return used < units ? WIN_OK : WIN_BAD_PATHNAME;
}

static uint32_t create_file(const uint16_t *path, uint64_t *file)
{
	HANDLE handle = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
				    FILE_ATTRIBUTE_NORMAL, NULL);

	*file = (uintptr_t)handle;
	return outcome(handle != INVALID_HANDLE_VALUE);
}

static uint32_t rename_file(const uint16_t *from, const uint16_t *to)
{
	return outcome(MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING));
}

static uint32_t remove_file(const uint16_t *path)
{
	return outcome(DeleteFileW(path));
}

static uint32_t free_bytes(const uint16_t *path, uint64_t *bytes)
{
	WCHAR folder[1024];
	ULARGE_INTEGER available;
	size_t length = 0, slash = 0;
	BOOL good;

	for (; path[length] && length + 1 < 1024; length++) {
		folder[length] = path[length];
		if (path[length] == '\\')
			slash = length + 1;
	}
	folder[slash] = 0;
	good = GetDiskFreeSpaceExW(folder, &available, NULL, NULL);
	*bytes = good ? available.QuadPart : 0;
	return outcome(good);
}

/* --- the command --- */

static uint32_t own_path(uint16_t *path, uint32_t units)
{
	DWORD length = GetModuleFileNameW(NULL, path, units);

	if (length == 0)
		return GetLastError();
	return length < units ? WIN_OK : WIN_INSUFFICIENT_BUFFER;
}

static uint32_t temporary_folder(uint16_t *path, uint32_t units)
{
	DWORD length = GetTempPathW(units, path);

	if (length == 0)
		return GetLastError();
	return length < units ? WIN_OK : WIN_INSUFFICIENT_BUFFER;
}

static uint32_t find_file(const uint16_t *path)
{
	return outcome(GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES);
}

static uint32_t start_process(uint16_t *command_line, uint64_t *process)
{
	STARTUPINFOW startup = { .cb = sizeof(startup) };
	PROCESS_INFORMATION started;

	if (!CreateProcessW(NULL, command_line, NULL, NULL, TRUE, 0, NULL, NULL, &startup,
			    &started))
		return GetLastError();
	CloseHandle(started.hThread);
	*process = (uintptr_t)started.hProcess;
	return WIN_OK;
}

static uint32_t exit_code(uint64_t process, uint32_t *code)
{
	DWORD got = 0;
	BOOL good = GetExitCodeProcess(handle_of(process), &got);

	*code = got;
	return outcome(good);
}

/* TerminateProcess returns before the process has ended. */
static uint32_t end_process(uint64_t process, uint32_t code)
{
	BOOL good = TerminateProcess(handle_of(process), code);
	uint32_t number = outcome(good);

	if (good)
		WaitForSingleObject(handle_of(process), INFINITE);
	return number;
}

static uint32_t own_id(void)
{
	return GetCurrentProcessId();
}

static enum win_wait wait_for(uint64_t process, bool interrupt, uint32_t ms)
{
	HANDLE handles[2];
	enum win_wait meanings[2];
	DWORD count = 0, event;

	if (process) {
		handles[count] = handle_of(process);
		meanings[count++] = WAIT_ENDED;
	}
	if (interrupt && os_interrupt_event()) {
		handles[count] = os_interrupt_event();
		meanings[count++] = WAIT_INTERRUPT;
	}
	if (count == 0) {
		Sleep(ms);
		return WAIT_TIME_OVER;
	}
	event = WaitForMultipleObjects(count, handles, FALSE, ms);
	if (event == WAIT_TIMEOUT)
		return WAIT_TIME_OVER;
	return event < count ? meanings[event] : WAIT_REFUSED; /* WAIT_OBJECT_0 is 0 */
}

/* --- clocks --- */

static int64_t ticks(void)
{
	LARGE_INTEGER now;

	QueryPerformanceCounter(&now);
	return now.QuadPart;
}

static int64_t ticks_per_second(void)
{
	LARGE_INTEGER frequency;

	QueryPerformanceFrequency(&frequency);
	return frequency.QuadPart;
}

void system_api_windows(struct system_api *api)
{
	*api = (struct system_api){
		.open_token = open_token,
		.find_privilege = find_privilege,
		.adjust_privilege = adjust_privilege,
		.close_handle = close_handle,
		.read_machine = read_machine,
		.full_path = full_path,
		.create_file = create_file,
		.rename = rename_file,
		.remove = remove_file,
		.free_bytes = free_bytes,
		.own_path = own_path,
		.temporary_folder = temporary_folder,
		.find_file = find_file,
		.start_process = start_process,
		.exit_code = exit_code,
		.end_process = end_process,
		.own_id = own_id,
		.catch_interrupts = os_catch_interrupts,
		.wait = wait_for,
		.seconds = os_seconds,
		.ticks = ticks,
		.ticks_per_second = ticks_per_second,
		.wall_100ns = os_wall_100ns,
		.minutes_west = os_minutes_west,
	};
}
