/*
 * test_recorder_refusals.c - tools/capture/linux/recorder and counters, where the kernel
 * refuses what it accepted a moment before, is too old, or has no processes, pipes or
 * files left.  The linker gives those calls to the mock.
 */
#include "capture/linux/recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"

/* --- the mock --- */

static struct {
	int ioctl_errno;      /* of PERF_EVENT_IOC_SET_OUTPUT; 0 */
	bool no_ids;	      /* it does not know PERF_EVENT_IOC_ID */
	int cgroup_errno;     /* of a counter of a control group; 0 */
	bool ends, has_ended; /* all tasks, when counters are opened to stay */
	int pipe_fails;	      /* the call that does, from 1; 0 */
	bool fork_fails;
} mock;

long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
bool __wrap_ring_open(struct ring *ring, int fd, size_t size);
void __wrap_ring_close(struct ring *ring);
enum status __wrap_counters_open(struct counters *c, struct error *error);
enum status __real_counters_open(struct counters *c, struct error *error);
int __wrap_pipe2(int fds[2], int flags);
int __real_pipe2(int fds[2], int flags);
pid_t __wrap_fork(void);

/* Every counter there is opens, as a file that can be closed. */
long __wrap_syscall(long number, ...)
{
	unsigned long flags;
	va_list args;

	assert_int_equal(number, SYS_perf_event_open);
	va_start(args, number);
	(void)va_arg(args, struct perf_event_attr *);
	for (int i = 0; i < 3; i++)
		(void)va_arg(args, int);
	flags = va_arg(args, unsigned long);
	va_end(args);
	errno = flags & PERF_FLAG_PID_CGROUP ? mock.cgroup_errno
		: mock.has_ended	     ? ESRCH
					     : 0;
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	errno = mock.no_ids ? ENOTTY : mock.ioctl_errno;
	if (request == PERF_EVENT_IOC_ID)
		return mock.no_ids ? -1 : 0;
	return request == PERF_EVENT_IOC_SET_OUTPUT && mock.ioctl_errno ? -1 : 0;
}

bool __wrap_ring_open(struct ring *ring, int fd, size_t size)
{
	(void)ring, (void)fd, (void)size;
	return true;
}

void __wrap_ring_close(struct ring *ring)
{
	(void)ring;
}

enum status __wrap_counters_open(struct counters *c, struct error *error)
{
	mock.has_ended = mock.ends;
	return __real_counters_open(c, error);
}

int __wrap_pipe2(int fds[2], int flags)
{
	if (mock.pipe_fails == 0 || --mock.pipe_fails > 0)
		return __real_pipe2(fds, flags);
	errno = EMFILE;
	return -1;
}

/* No test here may get as far as a command. */
pid_t __wrap_fork(void)
{
	assert_true(mock.fork_fails);
	errno = EAGAIN;
	return -1;
}

static int reset(void **state)
{
	(void)state;
	memset(&mock, 0, sizeof(mock));
	return 0;
}

UNIT_EACH(reset, NULL);

/* --- open.c: counters of this process, which has two threads --- */

static int gate[2];

static void *wait_for_end(void *unused)
{
	char byte;

	(void)unused;
	assert_int_equal(read(gate[0], &byte, 1), 0);
	return NULL;
}

static void expect_refusal(const char *words, const char *reason)
{
	const char *const events[] = { "task-clock" };
	const struct recorder_options options = { .events = events,
						  .event_lists = 1,
						  .pid = getpid(),
						  .ring_bytes = 65536,
						  .via = RECORDER_VIA_PERF };
	struct error error = { .status = ST_OK };
	struct recorder recorder;
	pthread_t thread;

	assert_int_equal(__real_pipe2(gate, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_end, NULL), 0);
	assert_true(recorder_open(&recorder, &options, &error) < ST_OK);
	recorder_close(&recorder);
	close(gate[1]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(gate[0]);
	HAS(error.text, words, reason);
}

UNIT_TEST(a_ring_that_cannot_be_shared)
{
	mock.ioctl_errno = EINVAL;
	expect_refusal(": cannot share the ring of CPU ", ": Invalid argument");
}

UNIT_TEST(a_process_that_ends_before_its_counters_open)
{
	mock.ends = true;
	expect_refusal("the process has ended", "");
}

/* --- counters.c --- */

UNIT_TEST(a_kernel_without_ids)
{
	mock.no_ids = true;
	expect_refusal("this kernel gives counters no ids (PERF_EVENT_IOC_ID)",
		       ": Linux 3.12 or newer is needed");
}

UNIT_TEST(a_kernel_without_control_groups)
{
	int cpus[] = { 0 };
	struct event_list list = { .count = 0 };
	const struct permissions permissions = { .is_perfmon = true };
	const struct counter_request request = { .events = &list,
						 .permissions = &permissions,
						 .cpus = { cpus, 1 },
						 .follows_cgroup = true,
						 .wake_bytes = 4096 };
	struct error error = { .status = ST_OK };
	struct counters counters;

	mock.cgroup_errno = EBADF;
	assert_int_equal(counters_plan(&counters, &request, &error), ST_OK);
	assert_int_equal(counters_open(&counters, &error), ST_UNSUPPORTED);
	assert_string_equal(error.text,
			    "--cgroup: this kernel cannot count a control group there "
			    "(Bad file descriptor): CONFIG_CGROUP_PERF, and the "
			    "hierarchy that has perf_event");
	counters_close(&counters);
}

/* --- workload.c --- */

static void expect_no_command(const char *words)
{
	char *const command[] = { (char *)(uintptr_t) "true", NULL };
	struct error error = { .status = ST_OK };
	struct workload workload;

	assert_int_equal(workload_prepare(&workload, command, false, &error), ST_IO);
	assert_string_equal(error.text, words);
	workload_stop(&workload);
}

UNIT_TEST(a_command_without_a_pipe)
{
	for (int call = 1; call <= 2; call++) {
		int lowest = dup(0);

		close(lowest);
		mock.pipe_fails = call;
		expect_no_command("cannot make a pipe: Too many open files");
		/* Nothing stays open. */
		assert_int_equal(dup(0), lowest);
		close(lowest);
	}
}

UNIT_TEST(a_command_without_a_process)
{
	mock.fork_fails = true;
	expect_no_command("cannot fork: Resource temporarily unavailable");
}

/* --- control_groups.c --- */

UNIT_TEST(a_control_group_that_cannot_be_opened)
{
	struct error error = { .status = ST_OK };
	char name[300], path[CGROUP_PATH_BYTES];
	int fd;

	memset(name, 'x', sizeof(name) - 1); /* longer than a file's name may be */
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(control_groups_open(unit_directory(), name, &fd, path,
					     sizeof(path), &error),
			 ST_UNSUPPORTED);
	HAS(error.text, "--cgroup: cannot open ", ": File name too long");
}

/* --- counters/interrupts.c --- */

UNIT_TEST(interrupts_without_tracefs)
{
	const struct event_sources sources = { .tracefs = NULL };
	struct error error = { .status = ST_OK };
	struct event_list list = { .count = 0 };

	assert_int_equal(interrupts_add(&list, &sources, INTERRUPTS_NONE, &error), ST_OK);
	assert_int_equal(interrupts_add(&list, &sources, INTERRUPTS_EXACT, &error),
			 ST_UNSUPPORTED);
	assert_string_equal(error.text,
			    "--interrupts: the tracepoints of interrupts cannot be read: "
			    "tracefs is not mounted, or root's alone");
	assert_int_equal(list.count, 0);
}
