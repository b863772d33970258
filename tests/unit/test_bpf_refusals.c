/*
 * test_bpf_refusals.c - tools/capture/linux/bpf/programs.c on kernels and machines that
 * refuse the programs: what is said.  The linker gives libbpf's calls that reach the
 * kernel to the mock.
 */
#include "capture/linux/bpf/programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define EVENTS_MAX 64

/* --- the mock --- */

static struct {
	bool no_types;	  /* of the kernel */
	int load;	  /* what bpf_object__load() fails with; 0 */
	const char *log;  /* of the verifier then */
	int update;	  /* what a counter cannot be given for */
	int ring, attach; /* errno of ring_buffer__new(), bpf_program__attach_trace() */
	int edge, run;	  /* of attaching to an interrupt; of running a program */
	int links;	  /* that are attached */
	char *kernel_log;
} mock;

static int link_there; /* what a link points to */

struct btf *__wrap_btf__load_vmlinux_btf(void);
struct bpf_object *__wrap_bpf_object__open_mem(
	const void *bytes, size_t size, const struct bpf_object_open_opts *options);
struct bpf_object *__real_bpf_object__open_mem(
	const void *bytes, size_t size, const struct bpf_object_open_opts *options);
int __wrap_bpf_object__load(struct bpf_object *object);
int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags);
struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn on_sample,
					    void *context,
					    const struct ring_buffer_opts *options);
int __wrap_ring_buffer__epoll_fd(const struct ring_buffer *ring);
void __wrap_ring_buffer__free(struct ring_buffer *ring);
struct bpf_link *__wrap_bpf_program__attach_trace(const struct bpf_program *program);
struct bpf_link *__wrap_bpf_program__attach_raw_tracepoint(
	const struct bpf_program *program, const char *name);
int __wrap_bpf_link__destroy(struct bpf_link *link);
int __wrap_bpf_prog_test_run_opts(int fd, struct bpf_test_run_opts *options);

struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	return mock.no_types ? NULL : btf__new_empty();
}

struct bpf_object *__wrap_bpf_object__open_mem(const void *bytes, size_t size,
					       const struct bpf_object_open_opts *options)
{
	mock.kernel_log = options->kernel_log_buf;
	return __real_bpf_object__open_mem(bytes, size, options);
}

int __wrap_bpf_object__load(struct bpf_object *object)
{
	(void)object;
	if (mock.log)
		strcpy(mock.kernel_log, mock.log);
	return -mock.load;
}

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	(void)fd, (void)key, (void)value, (void)flags;
	errno = mock.update;
	return mock.update ? -1 : 0;
}

struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn on_sample,
					    void *context,
					    const struct ring_buffer_opts *options)
{
	(void)fd, (void)on_sample, (void)context, (void)options;
	errno = mock.ring;
	return mock.ring ? NULL : (struct ring_buffer *)(void *)&mock;
}

int __wrap_ring_buffer__epoll_fd(const struct ring_buffer *ring)
{
	(void)ring;
	return 0;
}

void __wrap_ring_buffer__free(struct ring_buffer *ring)
{
	(void)ring;
}

static struct bpf_link *attach(int number)
{
	errno = number;
	mock.links += !number;
	return number ? NULL : (struct bpf_link *)(void *)&link_there;
}

struct bpf_link *__wrap_bpf_program__attach_trace(const struct bpf_program *program)
{
	assert_non_null(program);
	return attach(mock.attach);
}

struct bpf_link *__wrap_bpf_program__attach_raw_tracepoint(
	const struct bpf_program *program, const char *name)
{
	assert_non_null(program);
	return attach(strcmp(name, "sched_process_exec") == 0 ? 0 : mock.edge);
}

int __wrap_bpf_link__destroy(struct bpf_link *link)
{
	mock.links -= link != NULL;
	return 0;
}

int __wrap_bpf_prog_test_run_opts(int fd, struct bpf_test_run_opts *options)
{
	(void)fd;
	assert_int_equal(options->cpu, 3);
	errno = mock.run;
	return mock.run ? -mock.run : 0;
}

/* --- what is asked for --- */

struct fixture {
	struct counters counters;
	struct counted_event events[EVENTS_MAX];
	struct capture_event asked; /* of edges of interrupts */
	int fds[1], cpus[1];
};

/* One group on CPU 3: switches, and a software event. */
static void setup(struct fixture *f)
{
	memset(&mock, 0, sizeof(mock));
	f->asked = (struct capture_event){ .is_edge = true,
					   .tracepoint_name =
						   (char *)(uintptr_t) "softirq_entry" };
	f->cpus[0] = 3;
	f->counters.events = f->events;
	f->counters.event_count = 2;
	f->counters.groups[0] = (struct counted_group){ 0, 2, 0 };
	f->counters.group_count = f->counters.part_count = 1;
	f->counters.request.cpus = (struct cpu_list){ f->cpus, 1 };
	for (size_t i = 0; i < EVENTS_MAX; i++)
		f->events[i] =
			(struct counted_event){ .name = (char *)(uintptr_t) "page-faults",
						.fds = f->fds };
	f->events[0].is_leader = true;
}

static void teardown(struct fixture *f)
{
	(void)f;
	assert_int_equal(mock.links, 0);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

static void expect(struct fixture *f, int line, const char *words)
{
	const struct {
		int line;
	} row = { line };
	struct bpf_programs *programs;
	struct error error = { .status = ST_OK };
	enum status status = bpf_programs_open(&programs, &f->counters, 65536, &error);

	ROW_TRUE(&row, (status == ST_OK) == (words == NULL));
	ROW_TEXT(&row, error.text, words ? words : "");
	bpf_programs_close(programs);
}
#define EXPECT(words) expect(f, __LINE__, (words))

static void add_edges(struct fixture *f, size_t count)
{
	for (size_t i = 0; i < count; i++)
		f->events[f->counters.event_count++].asked = &f->asked;
	f->counters.groups[0].count += count;
}

/* --- machines --- */

UNIT_CASE(all_is_there, struct fixture *f)
{
	EXPECT(NULL);
	add_edges(f, BPF_EDGES_MAX - 2);
	EXPECT(NULL);
}

UNIT_CASE(counters_that_programs_cannot_read, struct fixture *f)
{
	f->counters.part_count = 2;
	EXPECT("BPF: the CPUs of this machine count different events");
	f->counters.part_count = 1;
	f->counters.event_count = f->counters.groups[0].count = BPF_COUNTERS_MAX + 1;
	EXPECT(NULL);
	f->counters.event_count = ++f->counters.groups[0].count;
	EXPECT("BPF: at most 32 counters at a time");
	f->counters.event_count = f->counters.groups[0].count = 2;
	mock.update = EINVAL;
	EXPECT("BPF: page-faults cannot be read by a program: Invalid argument");
}

/* Those of irq_handler have programs of their own, all others BPF_EDGES_MAX less two. */
UNIT_CASE(more_interrupts_than_programs, struct fixture *f)
{
	add_edges(f, BPF_EDGES_MAX - 1);
	EXPECT("BPF: more tracepoints of interrupts than programs");
}

/* --- kernels --- */

UNIT_CASE(kernels_that_refuse, struct fixture *f)
{
	mock.no_types = true;
	EXPECT("BPF: this kernel does not describe its types (CONFIG_DEBUG_INFO_BTF)");
	mock.no_types = false;
	mock.attach = EPERM;
	EXPECT("BPF: not permitted: record as root, or with CAP_BPF and CAP_PERFMON");
	mock.attach = ENOSYS;
	EXPECT("BPF: this kernel was built without it");
	mock.attach = EOPNOTSUPP;
	EXPECT("BPF: this kernel refuses to attach to sched_switch (Operation not "
	       "supported); Linux 5.10 or newer is needed");
	mock.attach = 0;
	mock.run = EINVAL;
	EXPECT("BPF: this kernel refuses to run a program on a CPU (Invalid argument); "
	       "Linux 5.10 or newer is needed");
	mock.run = 0;
	mock.ring = ENOMEM;
	EXPECT("out of memory");
	mock.ring = 0;
	mock.edge = EACCES;
	add_edges(f, 1);
	EXPECT("BPF: not permitted: record as root, or with CAP_BPF and CAP_PERFMON");
}

/* The last line of the verifier's log but its statistics says why. */
UNIT_CASE(programs_that_do_not_load, struct fixture *f)
{
	mock.load = EINVAL;
	EXPECT("BPF: this kernel refuses to load the programs (Invalid argument)");
	mock.log = "0: (bf) r6 = r1\nunknown func bpf_ringbuf_query#134\n"
		   "processed 12 insns (limit 1000000)\n";
	EXPECT("BPF: this kernel refuses to load the programs (Invalid argument: unknown "
	       "func bpf_ringbuf_query#134)");
	mock.load = EACCES; /* the verifier's, not that of rights */
	EXPECT("BPF: this kernel refuses to load the programs (Permission denied: "
	       "unknown func bpf_ringbuf_query#134)");
	mock.log = "";
	EXPECT("BPF: not permitted: record as root, or with CAP_BPF and CAP_PERFMON");
	mock.load = EPERM;
	EXPECT("BPF: not permitted: record as root, or with CAP_BPF and CAP_PERFMON");
}
