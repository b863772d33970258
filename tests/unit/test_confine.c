/*
 * test_confine.c - tools/common/confine.h: what -v says where the kernel lacks a part of
 * the sandbox.  A filter of system calls mocks such a kernel.
 */
#include "common/confine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"

#define LANDLOCK_CREATE_RULESET 444
#define VERSION_FLAG 1u

struct kernel {
	int landlock, seccomp; /* errno of each, 0: it has it */
	bool verbose;
};

static uint32_t answer(int number)
{
	return number ? SECCOMP_RET_ERRNO | (uint32_t)number : SECCOMP_RET_ALLOW;
}

static int enter(void *context)
{
	const struct kernel *kernel = context;
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LANDLOCK_CREATE_RULESET, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer(kernel->landlock)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer(kernel->seccomp)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { COUNT(steps), steps };
	char *inputs[] = { (char[]){ "/dev/null" } };
	const struct confinement allowed = { .inputs = inputs, .input_count = 1 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		return 1;
	confine("tool", &allowed, kernel->verbose);
	return 0;
}

UNIT_TEST(notes)
{
	bool has_landlock = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, VERSION_FLAG) > 0;
	const struct {
		int line;
		struct kernel kernel;
		const char *says;
	} rows[] = {
		{ ROW,
		  { ENOSYS, 0, true },
		  "tool: files are not in the sandbox: Landlock: Function not implemented\n" },
		{ ROW,
		  { EOPNOTSUPP, 0, true },
		  "tool: files are not in the sandbox: Landlock: Operation not supported\n" },
		{ ROW,
		  { 0, EINVAL, true },
		  "tool: system calls are not in the sandbox: seccomp: Invalid argument\n" },
		{ ROW,
		  { ENOSYS, EINVAL, true },
		  "tool: no sandbox: Landlock: Function not implemented; seccomp: Invalid "
		  "argument\n" },
		{ ROW, { ENOSYS, EINVAL, false }, "" },
		{ ROW, { ENOSYS, 0, false }, "" },
		{ ROW, { 0, 0, true }, "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct kernel kernel = rows[i].kernel;
		struct unit_output output;

		if (!kernel.landlock && !has_landlock)
			continue;
		unit_capture(enter, &kernel, &output);
		if (output.status == 1)
			skip(); /* filters are refused here */
		ROW_TEXT(&rows[i], output.err, rows[i].says);
	}
}
