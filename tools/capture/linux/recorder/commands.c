/* commands.c - reads command lines of new processes as they begin; see commands.h. */
#include "capture/linux/recorder/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "capture/linux/recorder/tasks.h"

#define TRIES_MAX 8
#define PID_IN_COMM 8	   /* after the header */
#define TIME_BEFORE_END 24 /* of the trailer: time, CPU, id */
#define COMM_EXEC (1u << 13)

/* --- records --- */

static bool read_command(struct commands *commands, const struct new_command *command)
{
	if (commands->counters->supports.clockid &&
	    !tasks_began_before("/proc", command->pid, command->time_ns))
		return true;
	return tasks_write_command(&commands->made, "/proc", command->pid,
				   command->time_ns);
}

static void read_waiting(struct commands *commands)
{
	size_t left = 0;

	for (size_t i = 0; i < commands->waiting_count; i++) {
		struct new_command *command = &commands->waiting[i];

		if (!read_command(commands, command) && ++command->tries < TRIES_MAX)
			commands->waiting[left++] = *command;
	}
	commands->waiting_count = left;
}

/* A process of that number that began after the exec is another one. */
void commands_note(struct commands *commands, pid_t pid, uint64_t time_ns)
{
	const struct new_command command = { .pid = pid, .time_ns = time_ns };

	if (!read_command(commands, &command) &&
	    commands->waiting_count < COMMANDS_WAITING_MAX)
		commands->waiting[commands->waiting_count++] = command;
}

/* --- the events --- */

static struct perf_event_attr attr_of(const struct counters *c)
{
	struct perf_event_attr attr = counters_tracker(c)->attr;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.task = attr.mmap = attr.context_switch = attr.cgroup = 0;
	attr.wakeup_watermark = 1;
	return attr;
}

/* The first event of a CPU owns its ring. */
static bool open_cpu(struct commands *commands, size_t cpu)
{
	const struct counters *c = commands->counters;
	struct perf_event_attr attr = attr_of(c);
	size_t tasks = c->instances / c->request.cpus.count;
	struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = cpu } };
	int owner = -1;

	for (size_t i = cpu * tasks; i < (cpu + 1) * tasks; i++) {
		int fd = counter_open(&attr, counters_tid(c, i), counters_cpu(c, i), -1);

		commands->fds[i] = fd;
		if (fd < 0 && tasks > 1 && errno == ESRCH)
			continue;
		if (fd < 0)
			return false;
		if (owner >= 0) {
			if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner) != 0)
				return false;
			continue;
		}
		owner = fd;
		event.data.u64 = i;
		if (!ring_open(&commands->rings[cpu], fd,
			       (size_t)sysconf(_SC_PAGESIZE)) ||
		    epoll_ctl(commands->poll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
			return false;
	}
	return true;
}

void commands_open(struct commands *commands, const struct counters *c)
{
	*commands = (struct commands){ .counters = c, .poll_fd = -1 };
	commands->fds = malloc(c->instances * sizeof(*commands->fds));
	commands->rings = calloc(c->request.cpus.count, sizeof(*commands->rings));
	if (!commands->fds || !commands->rings)
		return;
	for (size_t i = 0; i < c->instances; i++)
		commands->fds[i] = -1;
	commands->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	commands->works = commands->poll_fd >= 0;
	for (size_t i = 0; i < c->request.cpus.count && commands->works; i++)
		commands->works = open_cpu(commands, i);
}

void commands_begin(struct commands *commands)
{
	for (size_t i = 0; commands->works && i < commands->counters->instances; i++)
		if (commands->fds[i] >= 0)
			(void)ioctl(commands->fds[i], PERF_EVENT_IOC_ENABLE, 0);
}

void commands_close(struct commands *commands)
{
	const struct counters *c = commands->counters;

	for (size_t i = 0; commands->rings && i < c->request.cpus.count; i++)
		ring_close(&commands->rings[i]);
	for (size_t i = 0; commands->fds && i < c->instances; i++)
		if (commands->fds[i] >= 0)
			close(commands->fds[i]);
	if (c && commands->poll_fd >= 0)
		close(commands->poll_fd);
	free(commands->fds);
	free(commands->rings);
	bytes_release(&commands->made);
	*commands = (struct commands){ .counters = NULL };
}

/* --- reading --- */

static void read_ring(struct commands *commands, struct ring *ring)
{
	uint64_t end = ring_poll(ring);

	for (uint64_t at = 0; at < end;) {
		uint64_t word = ring_u64(ring, at);
		struct perf_event_header header;
		uint32_t pid;

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header)) /* the kernel never does */
			break;
		word = ring_u64(ring, at + PID_IN_COMM);
		memcpy(&pid, &word, sizeof(pid));
		if (header.type == PERF_RECORD_COMM && header.misc & COMM_EXEC)
			commands_note(commands, (pid_t)pid,
				      ring_u64(ring, at + header.size - TIME_BEFORE_END));
		at += header.size;
	}
	ring_done(ring);
}

/* The owner of a ring has ended: its CPU is looked at with the others. */
static void drop_ended(struct commands *commands)
{
	struct epoll_event ready[16];
	int count = epoll_wait(commands->poll_fd, ready, 16, 0);

	for (int i = 0; i < count; i++)
		if (ready[i].events & (EPOLLHUP | EPOLLERR))
			(void)epoll_ctl(commands->poll_fd, EPOLL_CTL_DEL,
					commands->fds[ready[i].data.u64], NULL);
}

void commands_read(struct commands *commands)
{
	if (!commands->works)
		return;
	drop_ended(commands);
	read_waiting(commands);
	for (size_t i = 0; i < commands->counters->request.cpus.count; i++)
		read_ring(commands, &commands->rings[i]);
}
