/* programs.c - loads and attaches the BPF programs with libbpf, reads their rings. */
#include "capture/linux/bpf/programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "switches_bpf.h" /* made by the build: the object as bytes */

#define SWITCH_ARGUMENTS_5_18 5 /* with the context, which comes first */
#define LOG_BYTES 65536

struct bpf_programs {
	struct bpf_object *object;
	struct bpf_link *link, *exec;
	struct bpf_link *edges[BPF_EDGES_MAX];
	struct ring_buffer *ring;
	int ring_fd;
	int counters_fd, states_fd;
	int read_fd;
	size_t cpus; /* that are possible: values of the per-CPU map */
	bool (*on_record)(void *context, const struct bpf_record *record);
	void *context;
	size_t record_bytes;
	char log[LOG_BYTES]; /* of the kernel's verifier, on failure */
};

bool bpf_programs_built(void)
{
	return true;
}

static enum status refused(const char *why, struct error *error)
{
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "BPF: %s", why);
}

/* The kernel said no to `what` with `number`. */
static enum status explain(const char *what, int number, struct error *error)
{
	if (number == EPERM || number == EACCES)
		return refused("not permitted: record as root, or with CAP_BPF and "
			       "CAP_PERFMON",
			       error);
	if (number == ENOSYS)
		return refused("this kernel was built without it", error);
	if (number == ENOMEM)
		return error_nomem(error);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "BPF: this kernel refuses to %s (%s); Linux 5.10 or newer is "
			 "needed",
			 what, strerror(number));
}

/*
 * The kernel's verifier refuses a program: its log says why in the last line but the
 * statistics.
 */
static enum status explain_load(int number, char *log, struct error *error)
{
	char *end = strstr(log, "\nprocessed "), *line;

	if (number == EPERM || (number == EACCES && !end))
		return explain("load the programs", number, error);
	if (end)
		*end = '\0';
	line = strrchr(log, '\n');
	line = line ? line + 1 : log;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "BPF: this kernel refuses to load the programs (%s%s%.100s)",
			 strerror(number), *line ? ": " : "", line);
}

/* --- configuration --- */

/* Switches and interrupts are counted by the programs themselves. */
static bool is_read(const struct counted_event *event)
{
	return !event->is_leader && !counter_is_edge(event);
}

static size_t siblings_of(const struct counters *c, const struct counted_group *group)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++)
		count += is_read(&c->events[group->first + i]);
	return count;
}

static enum status configure(const struct counters *c, size_t ring_bytes,
			     struct bpf_config *config, struct error *error)
{
	size_t words = 0;
	struct stat info;

	*config = (struct bpf_config){ .wake_bytes = (unsigned int)(ring_bytes / 2),
				       .has_cgroups = c->supports.cgroups,
				       .cgroup_id = c->request.follows_cgroup
							    ? c->request.cgroup_id
							    : 0 };
	if (c->part_count > 1)
		return refused("the CPUs of this machine count different events", error);
	for (size_t g = 0; g < c->group_count; g++) {
		size_t count = siblings_of(c, &c->groups[g]);

		if (config->counters + count > BPF_COUNTERS_MAX ||
		    words + count + 2 > BPF_WORDS_MAX)
			return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
					 "BPF: at most %d counters at a time",
					 BPF_COUNTERS_MAX);
		if (count == 0)
			continue;
		config->begins_group[config->counters] = 1;
		config->counters += (unsigned int)count;
		words += count + 2;
	}
	config->bytes = (unsigned int)(offsetof(struct bpf_record, words) + words * 8);
	if (permissions_in_pid_namespace() && stat("/proc/self/ns/pid", &info) == 0) {
		config->namespace_dev = info.st_dev;
		config->namespace_ino = info.st_ino;
	}
	return ST_OK;
}

/* Whether sched_switch passes the state of the previous task: from 5.18 on. */
static bool has_prev_state(const struct btf *kernel)
{
	int id = btf__find_by_name_kind(kernel, "btf_trace_sched_switch",
					BTF_KIND_TYPEDEF);
	const struct btf_type *type =
		id > 0 ? btf__type_by_id(kernel, (unsigned)id) : NULL;

	while (type && (btf_is_typedef(type) || btf_is_ptr(type)))
		type = btf__type_by_id(kernel, type->type);
	return type && btf_is_func_proto(type) && btf_vlen(type) >= SWITCH_ARGUMENTS_5_18;
}

static enum status probe_kernel(struct bpf_config *config, struct error *error)
{
	struct btf *kernel = btf__load_vmlinux_btf();

	if (!kernel)
		return refused("this kernel does not describe its types "
			       "(CONFIG_DEBUG_INFO_BTF)",
			       error);
	config->has_prev_state = has_prev_state(kernel);
	btf__free(kernel);
	return ST_OK;
}

/* --- loading --- */

static enum status set_sizes(struct bpf_programs *p, const struct counters *c,
			     size_t ring_bytes, const struct bpf_config *config,
			     struct error *error)
{
	struct bpf_map *ring = bpf_object__find_map_by_name(p->object, "ring");
	struct bpf_map *counters = bpf_object__find_map_by_name(p->object, "counters");
	struct bpf_map *map, *constants = NULL;
	int highest = c->request.cpus.cpus[c->request.cpus.count - 1];

	bpf_object__for_each_map(map, p->object) if (strstr(bpf_map__name(map),
							    ".rodata")) constants = map;
	if (!ring || !counters || !constants ||
	    bpf_map__set_initial_value(constants, config, sizeof(*config)) != 0 ||
	    bpf_map__set_max_entries(ring, (unsigned int)ring_bytes) != 0 ||
	    bpf_map__set_max_entries(counters,
				     ((unsigned int)highest + 1) * config->counters) != 0)
		return refused("the programs do not fit this perftab-capture", error);
	return ST_OK;
}

/* The program for a tracepoint of interrupts; `others` counts those of no kind's own. */
static struct bpf_program *edge_program(const struct bpf_programs *p,
					const struct counted_event *event,
					unsigned int *others)
{
	const char *tracepoint = event->asked->tracepoint_name;
	char name[32];

	if (strcmp(tracepoint, "irq_handler_entry") == 0)
		return bpf_object__find_program_by_name(p->object, "on_irq_entry");
	if (strcmp(tracepoint, "irq_handler_exit") == 0)
		return bpf_object__find_program_by_name(p->object, "on_irq_exit");
	snprintf(name, sizeof(name), "on_edge_%u", (*others)++);
	return bpf_object__find_program_by_name(p->object, name);
}

/* Of those at interrupts, only the ones that are attached are loaded. */
static void choose_programs(struct bpf_programs *p, const struct counters *c)
{
	struct bpf_program *program;
	unsigned int others = BPF_EDGE_IRQ_EXIT + 1;

	bpf_object__for_each_program(
		program,
		p->object) if (strncmp(bpf_program__name(program), "on_irq", 6) == 0 ||
			       strncmp(bpf_program__name(program), "on_edge", 7) == 0)
		bpf_program__set_autoload(program, false);
	for (size_t i = 0; i < c->event_count; i++)
		if (counter_is_edge(&c->events[i])) {
			program = edge_program(p, &c->events[i], &others);
			if (program)
				bpf_program__set_autoload(program, true);
		}
}

static enum status load(struct bpf_programs *p, const struct counters *c,
			size_t ring_bytes, const struct bpf_config *config,
			struct error *error)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .kernel_log_size = LOG_BYTES,
		    .kernel_log_buf = p->log);
	enum status status;
	int number;

	p->object = bpf_object__open_mem(switches_bpf, sizeof(switches_bpf), &options);
	if (!p->object)
		return explain("read the programs", errno, error);
	choose_programs(p, c);
	status = set_sizes(p, c, ring_bytes, config, error);
	if (status != ST_OK)
		return status;
	number = bpf_object__load(p->object);
	return number ? explain_load(-number, p->log, error) : ST_OK;
}

static int program_fd(const struct bpf_programs *p, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(p->object, name));
}

static enum status give_counters(struct bpf_programs *p, const struct counters *c,
				 const struct bpf_config *config, struct error *error)
{
	for (size_t i = 0; i < c->request.cpus.count; i++) {
		unsigned int key =
			(unsigned int)c->request.cpus.cpus[i] * config->counters;

		for (size_t g = 0; g < c->group_count; g++)
			for (size_t k = 0; k < c->groups[g].count; k++) {
				const struct counted_event *event =
					&c->events[c->groups[g].first + k];

				if (!is_read(event))
					continue;
				if (bpf_map_update_elem(p->counters_fd, &key,
							&event->fds[i], BPF_ANY) == 0) {
					key++;
					continue;
				}
				return error_set(
					error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					"BPF: %.60s cannot be read by a program: "
					"%s",
					event->name, strerror(errno));
			}
	}
	return ST_OK;
}

/* --- the ring --- */

static bool is_command(const struct bpf_command *command, size_t bytes)
{
	size_t head = offsetof(struct bpf_command, text);

	return bytes > head && command->kind == BPF_RECORD_COMMAND &&
	       command->bytes <= bytes - head;
}

static int on_ring(void *context, void *data, size_t bytes)
{
	const struct bpf_programs *p = context;

	if (bytes != p->record_bytes && !is_command(data, bytes)) /* never */
		return 0;
	return p->on_record(p->context, data) ? 0 : -ECANCELED;
}

static enum status open_ring(struct bpf_programs *p, struct error *error)
{
	int fd = bpf_object__find_map_fd_by_name(p->object, "ring");

	p->ring = ring_buffer__new(fd, on_ring, p, NULL);
	if (!p->ring)
		return explain("map the ring", errno, error);
	p->ring_fd = ring_buffer__epoll_fd(p->ring);
	return ST_OK;
}

static enum status attach(struct bpf_programs *p, struct error *error)
{
	p->link = bpf_program__attach_trace(
		bpf_object__find_program_by_name(p->object, "on_switch"));
	if (!p->link)
		return explain("attach to sched_switch", errno, error);
	/* Optional: /proc has the command lines of all but the shortest programs. */
	p->exec = bpf_program__attach_raw_tracepoint(
		bpf_object__find_program_by_name(p->object, "on_exec"),
		"sched_process_exec");
	return ST_OK;
}

static enum status attach_edges(struct bpf_programs *p, const struct counters *c,
				struct error *error)
{
	unsigned int others = BPF_EDGE_IRQ_EXIT + 1;
	size_t count = 0;

	for (size_t i = 0; i < c->event_count; i++) {
		const struct counted_event *event = &c->events[i];
		struct bpf_program *program;

		if (!counter_is_edge(event))
			continue;
		program = edge_program(p, event, &others);
		if (!program || count == BPF_EDGES_MAX)
			return refused("more tracepoints of interrupts than programs",
				       error);
		p->edges[count] = bpf_program__attach_raw_tracepoint(
			program, event->asked->tracepoint_name);
		if (!p->edges[count++])
			return explain(event->name, errno, error);
	}
	return ST_OK;
}

static enum status fill(struct bpf_programs *p, const struct counters *c,
			size_t ring_bytes, struct error *error)
{
	struct bpf_config config;
	enum status status = configure(c, ring_bytes, &config, error);

	if (status == ST_OK)
		status = probe_kernel(&config, error);
	if (status == ST_OK)
		status = load(p, c, ring_bytes, &config, error);
	if (status != ST_OK)
		return status;
	p->record_bytes = config.bytes;
	p->counters_fd = bpf_object__find_map_fd_by_name(p->object, "counters");
	p->states_fd = bpf_object__find_map_fd_by_name(p->object, "states");
	p->read_fd = program_fd(p, "read_counters");
	p->cpus = (size_t)libbpf_num_possible_cpus();
	status = give_counters(p, c, &config, error);
	if (status == ST_OK)
		status = open_ring(p, error);
	if (status == ST_OK)
		status = attach(p, error);
	if (status == ST_OK)
		status = attach_edges(p, c, error);
	/* Not armed yet: that it runs is all there is to see. */
	if (status == ST_OK &&
	    !bpf_programs_read(p, c->request.cpus.cpus[0], BPF_READ_TICK))
		status = explain("run a program on a CPU", errno, error);
	return status;
}

enum status bpf_programs_open(struct bpf_programs **programs, const struct counters *c,
			      size_t ring_bytes, struct error *error)
{
	struct bpf_programs *p = calloc(1, sizeof(*p));

	*programs = p;
	if (!p)
		return error_nomem(error);
	libbpf_set_print(NULL);
	return fill(p, c, ring_bytes, error);
}

void bpf_programs_close(struct bpf_programs *p)
{
	if (!p)
		return;
	bpf_link__destroy(p->link);
	bpf_link__destroy(p->exec);
	for (size_t i = 0; i < BPF_EDGES_MAX; i++)
		bpf_link__destroy(p->edges[i]);
	ring_buffer__free(p->ring);
	bpf_object__close(p->object);
	free(p);
}

/* --- while it runs --- */

bool bpf_programs_read(struct bpf_programs *p, int cpu, enum bpf_read why)
{
	unsigned long long argument = why;
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &argument,
		    .ctx_size_in = sizeof(argument), .flags = BPF_F_TEST_RUN_ON_CPU,
		    .cpu = (unsigned int)cpu);

	return bpf_prog_test_run_opts(p->read_fd, &options) == 0;
}

size_t bpf_programs_words(const struct bpf_programs *p)
{
	return (p->record_bytes - offsetof(struct bpf_record, words)) /
	       sizeof(unsigned long long);
}

int bpf_programs_fd(const struct bpf_programs *p)
{
	return p->ring_fd;
}

void bpf_programs_consume(struct bpf_programs *p,
			  bool (*on_record)(void *context,
					    const struct bpf_record *record),
			  void *context)
{
	p->on_record = on_record;
	p->context = context;
	(void)ring_buffer__consume(p->ring);
}

uint64_t bpf_programs_misses(const struct bpf_programs *p)
{
	struct bpf_program *program;
	uint64_t misses = 0;

	bpf_object__for_each_program(program, p->object)
	{
		struct bpf_prog_info info = { .type = 0 };
		unsigned int bytes = sizeof(info);

		if (bpf_program__fd(program) >= 0 &&
		    bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0)
			misses += info.recursion_misses;
	}
	return misses;
}

uint64_t bpf_programs_lost(const struct bpf_programs *p, int cpu)
{
	struct bpf_cpu_state *states = calloc(p->cpus, sizeof(*states));
	unsigned int key = 0;
	uint64_t lost = 0;

	if (states && (size_t)cpu < p->cpus &&
	    bpf_map_lookup_elem(p->states_fd, &key, states) == 0)
		lost = states[cpu].lost;
	free(states);
	return lost;
}
