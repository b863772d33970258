/* system.c - the mock of privileges, files, processes and time. */
#include <stdio.h>
#include <string.h>

#include "capture/windows/api/numbers.h"
#include "capture/windows/utf16.h"
#include "mock.h"

#define TOKEN 0x30
#define FILE_HANDLE 0x40
#define PROCESS 0x50

/* --- privileges --- */

static uint32_t open_token(uint64_t *token)
{
	uint32_t number = mock_enter("OpenProcessToken");

	mock_log("OpenProcessToken = %u\n", number);
	*token = TOKEN;
	mock.handles += number == WIN_OK;
	return number;
}

static uint32_t find_privilege(const uint16_t *name, struct win_privilege *found)
{
	uint32_t number = mock_enter("LookupPrivilegeValueW");
	char text[MOCK_NAME];

	mock_text(text, sizeof(text), name);
	mock_log("LookupPrivilegeValueW \"%s\" = %u\n", text, number);
	found->luid_low = 11;
	return number;
}

static uint32_t adjust_privilege(uint64_t token, const struct win_privilege *wanted)
{
	uint32_t number = mock_enter("AdjustTokenPrivileges");

	if (token != TOKEN)
		return mock_fault("the token");
	mock_log("AdjustTokenPrivileges %u of luid %u:%d, attributes 0x%x = %u\n",
		 wanted->count, wanted->luid_low, wanted->luid_high, wanted->attributes,
		 number);
	if (number == WIN_OK || wanted->attributes == 0)
		mock.privileges = wanted->attributes == WIN_PRIVILEGE_ENABLED;
	return number;
}

static void close_handle(uint64_t handle)
{
	mock_log("CloseHandle 0x%llx\n", (unsigned long long)handle);
	mock.handles--;
}

static void read_machine(struct win_machine *machine)
{
	*machine = mock.machine;
}

/* --- files --- */

static char *file_named(const char *name)
{
	for (size_t i = 0; i < MOCK_FILES; i++)
		if (strcmp(mock.files[i], name) == 0)
			return mock.files[i];
	return NULL;
}

bool mock_has_file(const char *name)
{
	return file_named(name) != NULL;
}

bool mock_add_file(const char *name)
{
	char *place = file_named(name);

	place = place ? place : file_named("");
	if (place)
		snprintf(place, MOCK_NAME, "%s", name);
	return place != NULL;
}

static uint32_t full_path(const uint16_t *name, uint16_t *path, uint32_t units)
{
	uint32_t number = mock_enter("GetFullPathNameW");
	char text[MOCK_NAME], full[2 * MOCK_NAME];

	mock_text(text, sizeof(text), name);
	snprintf(full, sizeof(full), "%s%s", strchr(text, ':') ? "" : "C:\\work\\", text);
	mock_log("GetFullPathNameW \"%s\" = %u\n", text, number);
	if (number == WIN_OK && !utf16_of(path, units, full))
		number = WIN_BAD_PATHNAME;
	return number;
}

static uint32_t create_file(const uint16_t *path, uint64_t *file)
{
	uint32_t number = mock_enter("CreateFileW");
	char text[MOCK_NAME];

	mock_text(text, sizeof(text), path);
	mock_log("CreateFileW \"%s\" = %u\n", text, number);
	*file = FILE_HANDLE;
	if (number == WIN_OK && mock_add_file(text))
		mock.handles++;
	return number;
}

/* Copies the script's trace to a real file of that name. */
static void write_trace(const char *name)
{
	FILE *from = fopen(mock.trace, "rb"), *to = fopen(name, "wb");
	char bytes[4096];
	size_t got;

	while (from && to && (got = fread(bytes, 1, sizeof(bytes), from)) > 0)
		(void)fwrite(bytes, 1, got, to);
	if (!from || !to)
		(void)mock_fault("the script's trace cannot be copied");
	if (from)
		fclose(from);
	if (to)
		fclose(to);
}

static bool is_written(void)
{
	const struct mock *m = &mock;

	for (size_t i = 0; i < MOCK_SESSIONS; i++)
		if (m->sessions[i].handle && m->sessions[i].ours &&
		    m->now_ms < m->gone_ms)
			return true;
	return false;
}

static uint32_t rename_file(const uint16_t *from, const uint16_t *to)
{
	uint32_t number = mock_enter("MoveFileExW");
	char old[MOCK_NAME], new[MOCK_NAME], *file;

	mock_text(old, sizeof(old), from);
	mock_text(new, sizeof(new), to);
	file = file_named(old);
	if (number == WIN_OK && (!file || is_written()))
		number = mock_fault("the file is not there, or a session writes it");
	mock_log("MoveFileExW \"%s\" to \"%s\" = %u\n", old, new, number);
	if (number == WIN_OK)
		snprintf(file, MOCK_NAME, "%s", new);
	if (number == WIN_OK && mock.trace[0])
		write_trace(new);
	return number;
}

static uint32_t remove_file(const uint16_t *path)
{
	uint32_t number = mock_enter("DeleteFileW");
	char text[MOCK_NAME], *file;

	mock_text(text, sizeof(text), path);
	file = file_named(text);
	if (number == WIN_OK && (!file || is_written()))
		number = mock_fault("the file is not there, or a session writes it");
	mock_log("DeleteFileW \"%s\" = %u\n", text, number);
	if (number == WIN_OK)
		file[0] = '\0';
	if (number == WIN_OK && mock.trace[0])
		(void)remove(text);
	return number;
}

static uint32_t free_bytes(const uint16_t *path, uint64_t *bytes)
{
	uint32_t number = mock_enter("GetDiskFreeSpaceExW");
	char text[MOCK_NAME];

	mock_text(text, sizeof(text), path);
	mock_log("GetDiskFreeSpaceExW \"%s\" = %u\n", text, number);
	*bytes = mock.free_bytes;
	return number;
}

static uint32_t own_path(uint16_t *path, uint32_t units)
{
	uint32_t number = mock_enter("GetModuleFileNameW");

	mock_log("GetModuleFileNameW = %u\n", number);
	if (number == WIN_OK &&
	    !utf16_of(path, units, "C:\\Program Files\\perftab\\perftab-capture.exe"))
		number = WIN_INSUFFICIENT_BUFFER;
	return number;
}

static uint32_t temporary_folder(uint16_t *path, uint32_t units)
{
	uint32_t number = mock_enter("GetTempPathW");

	mock_log("GetTempPathW = %u\n", number);
	if (number == WIN_OK && !utf16_of(path, units, "C:\\Temp\\"))
		number = WIN_INSUFFICIENT_BUFFER;
	return number;
}

static uint32_t find_file(const uint16_t *path)
{
	uint32_t number = mock_enter("GetFileAttributesW");
	char text[MOCK_NAME];

	mock_text(text, sizeof(text), path);
	mock_log("GetFileAttributesW \"%s\" = %u\n", text, number);
	return number;
}

/* --- the command --- */

static uint32_t start_process(uint16_t *command_line, uint64_t *process)
{
	struct mock *m = &mock;
	uint32_t number = mock_enter("CreateProcessW");
	char text[MOCK_NAME];

	mock_text(text, sizeof(text), command_line);
	mock_log("CreateProcessW %s = %u\n", text, number);
	if (number != WIN_OK)
		return number;
	*process = PROCESS;
	m->process_ended = false;
	if (strstr(text, "perftab-analyze.exe\"")) {
		if (is_written())
			(void)mock_fault("the bill of a session that runs");
		m->command_code = m->bill_code;
		m->command_ms = 100;
	}
	m->handles++;
	m->processes++;
	m->process_end_ms =
		m->command_ms == UINT32_MAX ? UINT32_MAX : m->now_ms + m->command_ms;
	m->process_code = m->command_code;
	return WIN_OK;
}

static void end_now(uint32_t code)
{
	mock.process_ended = true;
	mock.process_code = code;
	mock.processes--;
}

static uint32_t exit_code(uint64_t process, uint32_t *code)
{
	uint32_t number = mock_enter("GetExitCodeProcess");

	if (process != PROCESS)
		return mock_fault("the process");
	*code = mock.process_ended ? mock.process_code : 259;
	mock_log("GetExitCodeProcess = %u, %u\n", number, *code);
	return number;
}

static uint32_t end_process(uint64_t process, uint32_t code)
{
	uint32_t number = mock_enter("TerminateProcess");

	if (process != PROCESS)
		return mock_fault("the process");
	mock_log("TerminateProcess %u = %u\n", code, number);
	if (number == WIN_OK && !mock.process_ended)
		end_now(code);
	return number;
}

static uint32_t own_id(void)
{
	return mock.own_id;
}

/* --- time --- */

static void catch_interrupts(void)
{
	mock_log("SetConsoleCtrlHandler\n");
	mock.catches = true;
}

static enum win_wait wait_for(uint64_t process, bool interrupt, uint32_t ms)
{
	struct mock *m = &mock;
	uint32_t until = m->now_ms + ms;
	enum win_wait what = WAIT_TIME_OVER;

	if (mock_enter("WaitForMultipleObjects") != WIN_OK) {
		what = WAIT_REFUSED;
		until = m->now_ms;
	} else if (process && m->process_ended) {
		what = WAIT_ENDED;
		until = m->now_ms;
	} else if (process && m->process_end_ms <= until &&
		   m->process_end_ms <= (interrupt ? m->interrupt_ms : UINT32_MAX)) {
		what = WAIT_ENDED;
		until = m->process_end_ms;
		end_now(m->process_code);
	} else if (interrupt && m->catches && m->interrupt_ms <= until) {
		what = WAIT_INTERRUPT;
		until = m->interrupt_ms > m->now_ms ? m->interrupt_ms : m->now_ms;
	}
	m->now_ms = until;
	mock_log("WaitForMultipleObjects%s%s, %u ms = %s\n",
		 process ? " the process" : "", interrupt ? " an interrupt" : "", ms,
		 what == WAIT_ENDED	  ? "ended"
		 : what == WAIT_INTERRUPT ? "interrupt"
		 : what == WAIT_REFUSED	  ? "refused"
					  : "time over");
	return what;
}

static double seconds(void)
{
	return 1000 + mock.now_ms / 1000.0;
}

static int64_t ticks(void)
{
	return mock.ticks += 1000;
}

static int64_t ticks_per_second(void)
{
	return 10000000;
}

static int64_t wall_100ns(void)
{
	return INT64_C(134397325643640000);
}

static int32_t minutes_west(void)
{
	return -60;
}

void mock_system(struct system_api *api)
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
		.catch_interrupts = catch_interrupts,
		.wait = wait_for,
		.seconds = seconds,
		.ticks = ticks,
		.ticks_per_second = ticks_per_second,
		.wall_100ns = wall_100ns,
		.minutes_west = minutes_west,
	};
}

void mock_report_left(void)
{
	const struct mock *m = &mock;
	int sessions = 0;

	for (size_t i = 0; i < MOCK_SESSIONS; i++)
		sessions += m->sessions[i].handle && m->sessions[i].ours &&
			    m->now_ms < m->gone_ms;
	for (size_t i = 0; i < sizeof(m->intervals) / sizeof(m->intervals[0]); i++)
		if (m->intervals[i])
			(void)mock_fault("an interval is not restored");
	printf("left: %d sessions, %d handles, %d processes, %d privileges, %d faults; files:",
	       sessions, m->handles, m->processes, m->privileges, m->faults);
	for (size_t i = 0; i < MOCK_FILES; i++)
		if (m->files[i][0])
			printf(" %s", m->files[i]);
	printf("\n");
}
