/*
 * system.h - the other functions of Windows that a recording needs, as a table of
 * pointers.
 *
 * Like etw.h: each function returns an error code of api/numbers.h; system.c fills the
 * table in the program, a mock in tests.  The caller closes the handles it gets.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_API_SYSTEM_H
#define PERFTAB_CAPTURE_WINDOWS_API_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/* TOKEN_PRIVILEGES with one privilege: 16 bytes */
struct win_privilege {
	uint32_t count;
	uint32_t luid_low;
	int32_t luid_high;
	uint32_t attributes;
};

#define WIN_NAME 64 /* bytes; longer ones are cut */

enum win_hypervisor {
	HYPERVISOR_NONE,
	HYPERVISOR_GUEST,  /* a virtual machine */
	HYPERVISOR_HYPERV, /* the root partition of Hyper-V */
};

struct win_machine {
	uint32_t major, minor, build; /* 0: unknown */
	uint32_t cpus;
	uint64_t memory_mib;
	enum win_hypervisor hypervisor;
	char host[WIN_NAME]; /* UTF-8; "": unknown */
	char processor[WIN_NAME];
};

enum win_wait {
	WAIT_ENDED, /* the process has ended */
	WAIT_INTERRUPT,
	WAIT_TIME_OVER,
	WAIT_REFUSED,
};

struct system_api {
	/* Privileges: OpenProcessToken, LookupPrivilegeValueW, AdjustTokenPrivileges */
	uint32_t (*open_token)(uint64_t *token);
	uint32_t (*find_privilege)(const uint16_t *name, struct win_privilege *found);
	uint32_t (*adjust_privilege)(uint64_t token, const struct win_privilege *wanted);
	void (*close_handle)(uint64_t handle);

	void (*read_machine)(struct win_machine *machine);

	/*
	 * Files: GetFullPathNameW; CreateFileW (truncates); MoveFileExW (replaces);
	 * DeleteFileW; GetDiskFreeSpaceExW of the folder of the file
	 */
	uint32_t (*full_path)(const uint16_t *name, uint16_t *path, uint32_t units);
	uint32_t (*create_file)(const uint16_t *path, uint64_t *file);
	uint32_t (*rename)(const uint16_t *from, const uint16_t *to);
	uint32_t (*remove)(const uint16_t *path);
	uint32_t (*free_bytes)(const uint16_t *path, uint64_t *bytes);
	/*
	 * GetModuleFileNameW of this program; GetTempPathW, with a backslash at its
	 * end; GetFileAttributesW: whether there is such a file
	 */
	uint32_t (*own_path)(uint16_t *path, uint32_t units);
	uint32_t (*temporary_folder)(uint16_t *path, uint32_t units);
	uint32_t (*find_file)(const uint16_t *path);

	/* The command: CreateProcessW, GetExitCodeProcess, TerminateProcess */
	uint32_t (*start_process)(uint16_t *command_line, uint64_t *process);
	uint32_t (*exit_code)(uint64_t process, uint32_t *code);
	uint32_t (*end_process)(uint64_t process, uint32_t code);
	/* GetCurrentProcessId: what the command's parent is in a trace */
	uint32_t (*own_id)(void);

	/* From now on wait() returns at Ctrl-C, Ctrl-Break and when the window closes. */
	void (*catch_interrupts)(void);
	/* Waits for the process (0: none), an interrupt if `interrupt`, at most `ms`. */
	enum win_wait (*wait)(uint64_t process, bool interrupt, uint32_t ms);
	double (*seconds)(void);

	/*
	 * QueryPerformanceCounter and its frequency; UTC in 100 ns since 1601; minutes
	 * from local time to UTC
	 */
	int64_t (*ticks)(void);
	int64_t (*ticks_per_second)(void);
	int64_t (*wall_100ns)(void);
	int32_t (*minutes_west)(void);
};

/* Fills the table with the functions of this machine. */
void system_api_windows(struct system_api *api);

#endif
