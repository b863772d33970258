/* double_system.c - the played Windows: rights, files, processes, time. */
#include <stdio.h>
#include <string.h>

#include "utf16.h"
#include "windows_double.h"
#include "windows_numbers.h"

#define TOKEN 0x30
#define FILE_HANDLE 0x40
#define PROCESS 0x50

/* --- rights --- */

static uint32_t open_token(uint64_t *token)
{
	uint32_t number = double_enter("OpenProcessToken");

	double_log("OpenProcessToken = %u\n", number);
	*token = TOKEN;
	windows_double.handles += number == WIN_OK;
	return number;
}

static uint32_t find_privilege(const uint16_t *name, struct win_privilege *found)
{
	uint32_t number = double_enter("LookupPrivilegeValueW");
	char text[DOUBLE_NAME];

	double_text(text, sizeof(text), name);
	double_log("LookupPrivilegeValueW \"%s\" = %u\n", text, number);
	found->luid_low = 11;
	return number;
}

static uint32_t adjust_privilege(uint64_t token, const struct win_privilege *wanted)
{
	uint32_t number = double_enter("AdjustTokenPrivileges");

	if (token != TOKEN)
		return double_fault("the token");
	double_log("AdjustTokenPrivileges = %u\n", number);
	double_log_bytes(wanted, sizeof(*wanted));
	if (number == WIN_OK || wanted->attributes == 0)
		windows_double.privileges = wanted->attributes == WIN_PRIVILEGE_ENABLED;
	return number;
}

static void close_handle(uint64_t handle)
{
	double_log("CloseHandle 0x%llx\n", (unsigned long long)handle);
	windows_double.handles--;
}

static void look(struct win_machine *machine)
{
	*machine = windows_double.machine;
}

/* --- files --- */

static char *file_named(const char *name)
{
	for (size_t i = 0; i < DOUBLE_FILES; i++)
		if (strcmp(windows_double.files[i], name) == 0)
			return windows_double.files[i];
	return NULL;
}

bool double_has_file(const char *name)
{
	return file_named(name) != NULL;
}

bool double_add_file(const char *name)
{
	char *place = file_named(name);

	place = place ? place : file_named("");
	if (place)
		snprintf(place, DOUBLE_NAME, "%s", name);
	return place != NULL;
}

static uint32_t full_path(const uint16_t *name, uint16_t *path, uint32_t units)
{
	uint32_t number = double_enter("GetFullPathNameW");
	char text[DOUBLE_NAME], full[2 * DOUBLE_NAME];

	double_text(text, sizeof(text), name);
	snprintf(full, sizeof(full), "C:\\work\\%s", text);
	double_log("GetFullPathNameW \"%s\" = %u\n", text, number);
	if (number == WIN_OK && !utf16_of(path, units, full))
		number = WIN_BAD_PATHNAME;
	return number;
}

static uint32_t create_file(const uint16_t *path, uint64_t *file)
{
	uint32_t number = double_enter("CreateFileW");
	char text[DOUBLE_NAME];

	double_text(text, sizeof(text), path);
	double_log("CreateFileW \"%s\" = %u\n", text, number);
	*file = FILE_HANDLE;
	if (number == WIN_OK && double_add_file(text))
		windows_double.handles++;
	return number;
}

static bool is_written(void)
{
	const struct windows_double *d = &windows_double;

	for (size_t i = 0; i < DOUBLE_SESSIONS; i++)
		if (d->sessions[i].handle && d->sessions[i].ours &&
		    d->now_ms < d->gone_ms)
			return true;
	return false;
}

static uint32_t rename_file(const uint16_t *from, const uint16_t *to)
{
	uint32_t number = double_enter("MoveFileExW");
	char old[DOUBLE_NAME], new[DOUBLE_NAME], *file;

	double_text(old, sizeof(old), from);
	double_text(new, sizeof(new), to);
	file = file_named(old);
	if (number == WIN_OK && (!file || is_written()))
		number = double_fault("the file is not there, or a session writes it");
	double_log("MoveFileExW \"%s\" to \"%s\" = %u\n", old, new, number);
	if (number == WIN_OK)
		snprintf(file, DOUBLE_NAME, "%s", new);
	return number;
}

static uint32_t remove_file(const uint16_t *path)
{
	uint32_t number = double_enter("DeleteFileW");
	char text[DOUBLE_NAME], *file;

	double_text(text, sizeof(text), path);
	file = file_named(text);
	if (number == WIN_OK && (!file || is_written()))
		number = double_fault("the file is not there, or a session writes it");
	double_log("DeleteFileW \"%s\" = %u\n", text, number);
	if (number == WIN_OK)
		file[0] = '\0';
	return number;
}

static uint32_t free_bytes(const uint16_t *path, uint64_t *bytes)
{
	uint32_t number = double_enter("GetDiskFreeSpaceExW");
	char text[DOUBLE_NAME];

	double_text(text, sizeof(text), path);
	double_log("GetDiskFreeSpaceExW \"%s\" = %u\n", text, number);
	*bytes = windows_double.free_bytes;
	return number;
}

/* --- the command --- */

static uint32_t start_process(uint16_t *command_line, uint64_t *process)
{
	struct windows_double *d = &windows_double;
	uint32_t number = double_enter("CreateProcessW");
	char text[DOUBLE_NAME];

	double_text(text, sizeof(text), command_line);
	double_log("CreateProcessW %s = %u\n", text, number);
	if (number != WIN_OK)
		return number;
	*process = PROCESS;
	d->handles++;
	d->processes++;
	d->process_end_ms =
		d->command_ms == UINT32_MAX ? UINT32_MAX : d->now_ms + d->command_ms;
	d->process_code = d->command_code;
	return WIN_OK;
}

static void end_now(uint32_t code)
{
	windows_double.process_ended = true;
	windows_double.process_code = code;
	windows_double.processes--;
}

static uint32_t exit_code(uint64_t process, uint32_t *code)
{
	uint32_t number = double_enter("GetExitCodeProcess");

	if (process != PROCESS)
		return double_fault("the process");
	*code = windows_double.process_ended ? windows_double.process_code : 259;
	double_log("GetExitCodeProcess = %u, %u\n", number, *code);
	return number;
}

static uint32_t end_process(uint64_t process, uint32_t code)
{
	uint32_t number = double_enter("TerminateProcess");

	if (process != PROCESS)
		return double_fault("the process");
	double_log("TerminateProcess %u = %u\n", code, number);
	if (number == WIN_OK && !windows_double.process_ended)
		end_now(code);
	return number;
}

/* --- time --- */

static void catch_interrupts(void)
{
	double_log("SetConsoleCtrlHandler\n");
	windows_double.catches = true;
}

static enum win_wait wait_for(uint64_t process, bool interrupt, uint32_t ms)
{
	struct windows_double *d = &windows_double;
	uint32_t until = d->now_ms + ms;
	enum win_wait what = WAIT_TIME_OVER;

	if (double_enter("WaitForMultipleObjects") != WIN_OK) {
		what = WAIT_REFUSED;
		until = d->now_ms;
	} else if (process && d->process_ended) {
		what = WAIT_ENDED;
		until = d->now_ms;
	} else if (process && d->process_end_ms <= until &&
		   d->process_end_ms <= (interrupt ? d->interrupt_ms : UINT32_MAX)) {
		what = WAIT_ENDED;
		until = d->process_end_ms;
		end_now(d->process_code);
	} else if (interrupt && d->catches && d->interrupt_ms <= until) {
		what = WAIT_INTERRUPT;
		until = d->interrupt_ms > d->now_ms ? d->interrupt_ms : d->now_ms;
	}
	d->now_ms = until;
	double_log("WaitForMultipleObjects%s%s, %u ms = %s\n",
		   process ? " the process" : "", interrupt ? " an interrupt" : "", ms,
		   what == WAIT_ENDED	    ? "ended"
		   : what == WAIT_INTERRUPT ? "interrupt"
		   : what == WAIT_REFUSED   ? "refused"
					    : "time over");
	return what;
}

static double seconds(void)
{
	return 1000 + windows_double.now_ms / 1000.0;
}

static int64_t ticks(void)
{
	return windows_double.ticks += 1000;
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

void double_system(struct system_api *api)
{
	*api = (struct system_api){
		.open_token = open_token,
		.find_privilege = find_privilege,
		.adjust_privilege = adjust_privilege,
		.close_handle = close_handle,
		.look = look,
		.full_path = full_path,
		.create_file = create_file,
		.rename = rename_file,
		.remove = remove_file,
		.free_bytes = free_bytes,
		.start_process = start_process,
		.exit_code = exit_code,
		.end_process = end_process,
		.catch_interrupts = catch_interrupts,
		.wait = wait_for,
		.seconds = seconds,
		.ticks = ticks,
		.ticks_per_second = ticks_per_second,
		.wall_100ns = wall_100ns,
		.minutes_west = minutes_west,
	};
}

void double_tell_left(void)
{
	const struct windows_double *d = &windows_double;
	int sessions = 0;

	for (size_t i = 0; i < DOUBLE_SESSIONS; i++)
		sessions += d->sessions[i].handle && d->sessions[i].ours &&
			    d->now_ms < d->gone_ms;
	printf("left: %d sessions, %d handles, %d processes, %d privileges, %d faults; files:",
	       sessions, d->handles, d->processes, d->privileges, d->faults);
	for (size_t i = 0; i < DOUBLE_FILES; i++)
		if (d->files[i][0])
			printf(" %s", d->files[i]);
	printf("\n");
}
