/*
 * sandbox.c - restricts the use of files with Landlock.
 *
 * The constants are those of linux/landlock.h, which older systems do not have.  Each
 * version of Landlock has more rights; a right that is handled but not allowed is
 * refused.
 */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/sandbox_calls.h"

/* The same on all architectures. */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define VERSION_FLAG 1u
#define RULE_PATH_BENEATH 1

enum right {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	REMOVE_DIR = 1 << 4,
	REMOVE_FILE = 1 << 5,
	MAKE_CHAR = 1 << 6,
	MAKE_DIR = 1 << 7,
	MAKE_REG = 1 << 8,
	MAKE_SOCK = 1 << 9,
	MAKE_FIFO = 1 << 10,
	MAKE_BLOCK = 1 << 11,
	MAKE_SYM = 1 << 12,
	REFER = 1 << 13,     /* version 2 */
	TRUNCATE = 1 << 14,  /* version 3 */
	IOCTL_DEV = 1 << 15, /* version 5 */
};

#define VERSION_1_RIGHTS ((1 << 13) - 1)
#define READING (READ_FILE | READ_DIR)
#define WRITING                                                                \
	(READING | WRITE_FILE | TRUNCATE | MAKE_REG | MAKE_DIR | REMOVE_FILE | \
	 REMOVE_DIR | REFER)
/* A rule for a file may name no others. */
#define FILE_RIGHTS (WRITE_FILE | READ_FILE | TRUNCATE)

struct ruleset {
	uint64_t handled_files;
	uint64_t handled_net; /* version 4: to bind and to connect TCP */
	uint64_t scoped;      /* version 6: abstract sockets, signals to others */
};

struct path_rule {
	uint64_t rights;
	int32_t parent_fd;
} __attribute__((packed));

static uint64_t handled(int abi)
{
	return VERSION_1_RIGHTS | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) |
	       (abi >= 5 ? IOCTL_DEV : 0);
}

static void allow(struct sandbox *sandbox, const char *path, uint64_t rights)
{
	struct path_rule rule = { .rights = rights & handled(sandbox->abi) };
	struct stat info;

	if (sandbox->rules < 0)
		return;
	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return;
	if (fstat(rule.parent_fd, &info) == 0 && !S_ISDIR(info.st_mode))
		rule.rights &= FILE_RIGHTS;
	/* Pipes have no rules and need none. */
	(void)syscall(ADD_RULE, sandbox->rules, RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

void sandbox_begin(struct sandbox *sandbox)
{
	struct ruleset rules = { 0 };
	long abi = syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG);

	*sandbox = (struct sandbox){ .rules = -1 };
	if (abi < 0) {
		sandbox->error = errno;
		return;
	}
	sandbox->abi = (int)abi;
	rules.handled_files = handled(sandbox->abi);
	rules.handled_net = abi >= 4 ? 3 : 0;
	rules.scoped = abi >= 6 ? 3 : 0;
	sandbox->rules = (int)syscall(CREATE_RULESET, &rules,
				      abi >= 6	 ? sizeof(rules)
				      : abi >= 4 ? offsetof(struct ruleset, scoped)
						 : offsetof(struct ruleset, handled_net),
				      0);
	if (sandbox->rules < 0)
		sandbox->error = errno;
	/* SQLite reads random numbers from here. */
	sandbox_allow_read(sandbox, "/dev/urandom");
#ifdef PERFTAB_SANDBOX_READS /* what a sanitizer reads when it reports */
	sandbox_allow_read(sandbox, "/proc");
	sandbox_allow_read(sandbox, "/usr");
	sandbox_allow_read(sandbox, "/lib");
#endif
#ifdef PERFTAB_SANDBOX_WRITES /* where gcov counts */
	sandbox_allow_write(sandbox, PERFTAB_SANDBOX_WRITES);
#endif
}

void sandbox_allow_read(struct sandbox *sandbox, const char *path)
{
	allow(sandbox, path, READING);
}

void sandbox_allow_write(struct sandbox *sandbox, const char *folder)
{
	allow(sandbox, folder, WRITING);
}

static int restrict_files(const struct sandbox *sandbox)
{
	if (sandbox->error)
		return sandbox->error;
	return syscall(RESTRICT_SELF, sandbox->rules, 0) == 0 ? 0 : errno;
}

bool sandbox_enter(struct sandbox *sandbox, char *missing, size_t size)
{
	int files, calls;

	tzset(); /* which reads a file */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		files = calls = errno;
	else {
		files = restrict_files(sandbox);
		calls = sandbox_restrict_calls();
	}
	if (sandbox->rules >= 0)
		close(sandbox->rules);
	sandbox->rules = -1;
	missing[0] = '\0';
	if (files && calls)
		snprintf(missing, size,
			 "no sandbox: Landlock: %s; seccomp: ", strerror(files));
	else if (files)
		snprintf(missing, size, "files are not in the sandbox: Landlock: %s",
			 strerror(files));
	else if (calls)
		snprintf(missing, size, "system calls are not in the sandbox: seccomp: ");
	if (calls)
		snprintf(missing + strlen(missing), size - strlen(missing), "%s",
			 strerror(calls));
	return !files && !calls;
}
