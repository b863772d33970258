/* source.c - answers the calls of PerfLib from /proc. */
#include "capture/linux/proc/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "capture/linux/counters/clock.h"
#include "capture/linux/proc/private.h"
#include "capture/perflib/names.h"

#define TREES_MAX 100000
#define REQUESTS_MAX 65536
#define FACT_BYTES 256
#define ERROR_BUSY 170 /* ERROR_BUSY of Windows: there is a query already */

struct proc_source {
	char **trees; /* NULL: live */
	size_t tree_count, tree_room;
	size_t at; /* the snapshot that comes next */
	struct proc_tree tree;
	struct proc_snapshot snapshot;
	struct bytes scratch;
	bool is_open;
	struct proc_request *requests;
	struct bytes info; /* the identifiers that were taken */
	size_t request_count, request_room;
	struct arena arena;
	char fact[FACT_BYTES];
};

/* --- the countersets --- */

static uint32_t proc_enumerate(void *state, struct source_buffer *buffer)
{
	struct proc_source *proc = state;

	proc->scratch.size = 0;
	for (int i = 0; i < PROC_SETS; i++)
		if (i != PROC_SET_IDLE_STATE || proc_has_idle_states(&proc->tree))
			bytes_put(&proc->scratch, proc_set((enum proc_set_number)i)->guid,
				  PLB_GUID_BYTES);
	return source_fill(buffer, proc->scratch.data, proc->scratch.size);
}

static uint32_t proc_registration_of(void *state, const uint8_t *guid, uint32_t request,
				     uint32_t argument, struct source_buffer *buffer)
{
	struct proc_source *proc = state;

	return proc_registration(&proc->scratch, guid, request, argument, buffer);
}

static void read_wanted(struct proc_source *proc)
{
	proc_tree_read_clocks(&proc->tree);
	proc_read_machine(&proc->tree, &proc->snapshot);
	proc_read_processes(&proc->tree, &proc->snapshot);
}

static uint32_t proc_instances(void *state, const uint8_t *guid,
			       struct source_buffer *buffer)
{
	struct proc_source *proc = state;
	enum proc_set_number set = proc_set_of(guid);
	bool wanted[PROC_SETS];

	if (set == PROC_SETS)
		return CODE_SET_NOT_FOUND;
	memcpy(wanted, proc->snapshot.wanted, sizeof(wanted));
	memset(proc->snapshot.wanted, 0, sizeof(wanted));
	proc->snapshot.wanted[set] = true;
	read_wanted(proc);
	memcpy(proc->snapshot.wanted, wanted, sizeof(wanted));
	if (proc->snapshot.sets[set].code != CODE_DONE)
		return proc->snapshot.sets[set].code;
	proc_answer_instances(&proc->scratch, &proc->snapshot.sets[set]);
	if (proc->scratch.failed || proc->snapshot.sets[set].failed)
		return CODE_OUT_OF_MEMORY;
	return source_fill(buffer, proc->scratch.data, proc->scratch.size);
}

/* --- the query --- */

static uint32_t proc_open(void *state, uint32_t *query)
{
	struct proc_source *proc = state;

	if (proc->is_open)
		return ERROR_BUSY;
	proc->is_open = true;
	*query = 1;
	return CODE_DONE;
}

/* The status of an identifier; what it requests if that is 0. */
static uint32_t parse_request(struct proc_source *proc, const uint8_t *at, uint32_t size,
			      struct proc_request *request)
{
	enum proc_set_number number = proc_set_of(at);
	uint32_t counter = le_u32(at + 24);
	const struct proc_set *set;

	if (number == PROC_SETS)
		return CODE_SET_NOT_FOUND;
	set = proc_set(number);
	if (counter != SOURCE_ANY && (counter < 1 || counter > set->count))
		return CODE_COUNTER_NOT_FOUND;
	*request = (struct proc_request){
		.set = number,
		.counter = counter == SOURCE_ANY ? SOURCE_ANY : counter - 1,
		.instance = le_u32(at + 28),
		.name = names_utf8(&proc->arena, at + SOURCE_IDENTIFIER_BYTES,
				   size - SOURCE_IDENTIFIER_BYTES),
	};
	if (!request->name.ptr)
		return CODE_OUT_OF_MEMORY;
	if (!(set->instance_type & SOURCE_HAS_INSTANCES) != (request->name.len == 0))
		return CODE_INVALID_PARAMETER;
	return CODE_DONE;
}

static uint32_t proc_add(void *state, uint32_t query, uint8_t *identifiers, uint32_t size)
{
	struct proc_source *proc = state;

	(void)query;
	while (size >= SOURCE_IDENTIFIER_BYTES) {
		uint32_t length = le_u32(identifiers + 20), code;
		struct proc_request *request;

		if (length < SOURCE_IDENTIFIER_BYTES || length > size || length % 8 ||
		    proc->request_count == REQUESTS_MAX)
			return CODE_INVALID_PARAMETER;
		if (!ARRAY_GROW(proc->requests, proc->request_room, proc->request_count))
			return CODE_OUT_OF_MEMORY;
		request = &proc->requests[proc->request_count];
		code = parse_request(proc, identifiers, length, request);
		le_write_u32(identifiers + 16, code);
		if (code == CODE_DONE) {
			le_write_u32(identifiers + 32, (uint32_t)proc->request_count);
			bytes_put(&proc->info, identifiers, length);
			proc->snapshot.wanted[request->set] = true;
			proc->request_count++;
		}
		identifiers += length;
		size -= length;
	}
	return size ? CODE_INVALID_PARAMETER : CODE_DONE;
}

static uint32_t proc_info(void *state, uint32_t query, struct source_buffer *buffer)
{
	const struct proc_source *proc = state;

	(void)query;
	if (proc->info.failed)
		return CODE_OUT_OF_MEMORY;
	return source_fill(buffer, proc->info.data, proc->info.size);
}

static uint32_t proc_close(void *state, uint32_t query)
{
	struct proc_source *proc = state;

	(void)query;
	proc->is_open = false;
	proc->request_count = 0;
	proc->info.size = 0;
	memset(proc->snapshot.wanted, 0, sizeof(proc->snapshot.wanted));
	return CODE_DONE;
}

/* --- snapshots --- */

/* The tree of the snapshot that comes next becomes the one that is read. */
static uint32_t open_tree(struct proc_source *proc)
{
	struct error error = { .status = ST_OK };

	if (!proc->trees)
		return CODE_DONE;
	if (proc->at == proc->tree_count)
		return CODE_NO_MORE_ITEMS;
	proc_tree_close(&proc->tree);
	return proc_tree_open(&proc->tree, proc->trees[proc->at], &error) == ST_OK
		       ? CODE_DONE
		       : CODE_FILE_NOT_FOUND;
}

static uint32_t proc_data(void *state, uint32_t query, struct source_buffer *buffer)
{
	struct proc_source *proc = state;
	uint32_t code = open_tree(proc);

	(void)query;
	if (code == CODE_NO_MORE_ITEMS)
		return code;
	if (code == CODE_DONE) {
		read_wanted(proc);
		proc_answer(&proc->scratch, &proc->tree, &proc->snapshot, proc->requests,
			    proc->request_count);
		code = proc->scratch.failed ? CODE_OUT_OF_MEMORY
					    : source_fill(buffer, proc->scratch.data,
							  proc->scratch.size);
	}
	if (code != CODE_NOT_ENOUGH_MEMORY)
		proc->at++;
	return code;
}

/* --- what is not of PerfLib --- */

static int64_t proc_ticks(void *state)
{
	const struct proc_source *proc = state;

	return proc->tree.is_live ? (int64_t)(now_ns(CLOCK_MONOTONIC) / 100)
				  : proc->tree.ticks;
}

static void proc_clock(void *state, struct plb_clock *clock)
{
	struct proc_source *proc = state;

	clock->ticks_before = proc_ticks(proc);
	proc_tree_read_clocks(&proc->tree);
	*clock = (struct plb_clock){
		.ticks_before =
			proc->tree.is_live ? clock->ticks_before : proc->tree.ticks,
		.ticks_after = proc_ticks(proc),
		.ticks_per_second = PROC_TICKS_PER_SECOND,
		.wall_100ns = proc->tree.wall_100ns,
		.minutes_west = proc->tree.minutes_west,
	};
}

static bool fact_of_file(struct proc_source *proc, const char *path)
{
	struct str text = proc_read(&proc->tree, proc->tree.root, path), line;

	if (!text.ptr || !proc_line(&text, &line) || !line.len)
		return false;
	text_print(proc->fact, FACT_BYTES, "%.*s",
		   (int)(line.len < FACT_BYTES ? line.len : FACT_BYTES - 1), line.ptr);
	return true;
}

/* Kernels before 6.1 have no sys/kernel/arch. */
static bool fact_of_arch(struct proc_source *proc)
{
	struct utsname names;

	if (fact_of_file(proc, "sys/kernel/arch"))
		return true;
	if (!proc->tree.is_live || uname(&names) != 0)
		return false;
	text_print(proc->fact, FACT_BYTES, "%s", names.machine);
	return true;
}

static bool fact_of_cpu(struct proc_source *proc)
{
	struct str text = proc_read(&proc->tree, proc->tree.root, "cpuinfo"), line;

	while (text.ptr && proc_line(&text, &line)) {
		const char *colon = memchr(line.ptr, ':', line.len);

		if (!proc_starts(line, "model name") || !colon)
			continue;
		text_print(proc->fact, FACT_BYTES, "%.*s",
			   (int)(line.ptr + line.len - colon - 1), colon + 1);
		memmove(proc->fact, proc->fact + strspn(proc->fact, " "),
			strlen(proc->fact) - strspn(proc->fact, " ") + 1);
		return true;
	}
	return false;
}

static bool find_fact(struct proc_source *proc, const char *key)
{
	size_t cpus;

	if (strcmp(key, "SOURCE") == 0)
		return text_print(proc->fact, FACT_BYTES, "proc") > 0;
	if (strcmp(key, "HOSTNAME") == 0)
		return fact_of_file(proc, "sys/kernel/hostname");
	if (strcmp(key, "OSRELEASE") == 0)
		return fact_of_file(proc, "sys/kernel/osrelease");
	if (strcmp(key, "ARCH") == 0)
		return fact_of_arch(proc);
	if (strcmp(key, "CPUDESC") == 0)
		return fact_of_cpu(proc);
	cpus = proc_count_cpus(&proc->tree);
	text_print(proc->fact, FACT_BYTES, "%zu", cpus);
	return cpus > 0;
}

static bool proc_fact(void *state, size_t number, const char **key, const char **value)
{
	static const char *const keys[] = { "SOURCE", "HOSTNAME", "OSRELEASE",
					    "ARCH",   "CPUDESC",  "NRCPUS online" };
	struct proc_source *proc = state;

	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		if (!find_fact(proc, keys[i]) || number-- > 0)
			continue;
		*key = keys[i];
		*value = proc->fact;
		return true;
	}
	return false;
}

static void proc_release(void *state)
{
	struct proc_source *proc = state;

	for (size_t i = 0; i < proc->tree_count; i++)
		free(proc->trees[i]);
	free(proc->trees);
	for (int i = 0; i < PROC_SETS; i++)
		proc_rows_release(&proc->snapshot.sets[i]);
	free(proc->snapshot.pids);
	proc_tree_close(&proc->tree);
	bytes_release(&proc->scratch);
	bytes_release(&proc->info);
	free(proc->requests);
	arena_release(&proc->arena);
	free(proc);
}

#define PROC_CALLS                                                         \
	.name = "proc", .enumerate = proc_enumerate,                       \
	.registration = proc_registration_of, .instances = proc_instances, \
	.open = proc_open, .add = proc_add, .query_info = proc_info,       \
	.query_data = proc_data, .close = proc_close, .clock = proc_clock, \
	.ticks = proc_ticks, .fact = proc_fact, .release = proc_release

static const struct source_ops proc_ops = { PROC_CALLS, .is_recorded = false };
static const struct source_ops saved_proc_ops = { PROC_CALLS, .is_recorded = true };

/* --- opening --- */

static enum status set_tree(struct proc_source *proc, const char *path,
			    struct error *error)
{
	if (proc->tree_count == TREES_MAX)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET, "more than %d folders",
				 TREES_MAX);
	if (!ARRAY_GROW(proc->trees, proc->tree_room, proc->tree_count))
		return error_nomem(error);
	proc->trees[proc->tree_count] = strdup(path);
	if (!proc->trees[proc->tree_count])
		return error_nomem(error);
	proc->tree_count++;
	return ST_OK;
}

/* A copy of /proc, or 1, 2, 3, ... in a folder. */
static enum status set_trees(struct proc_source *proc, const char *path,
			     struct error *error)
{
	enum status status = ST_OK;
	char inner[4096];

	text_print(inner, sizeof(inner), "%s/1", path);
	if (access(inner, F_OK) != 0)
		return set_tree(proc, path, error);
	text_print(inner, sizeof(inner), "%s/stat", path);
	if (access(inner, F_OK) == 0) /* 1 is a process */
		return set_tree(proc, path, error);
	for (int i = 1; status == ST_OK; i++) {
		text_print(inner, sizeof(inner), "%s/%d", path, i);
		if (access(inner, F_OK) != 0)
			break;
		status = set_tree(proc, inner, error);
	}
	return status;
}

enum status proc_source_open(struct source *source, const char *const *trees,
			     size_t count, struct error *error)
{
	struct proc_source *proc = calloc(1, sizeof(*proc));
	enum status status = ST_OK;

	if (!proc)
		return error_nomem(error);
	proc->tree.root = proc->tree.sysfs = -1;
	*source = (struct source){ count ? &saved_proc_ops : &proc_ops, proc };
	for (size_t i = 0; status == ST_OK && i < count; i++)
		status = set_trees(proc, trees[i], error);
	/* Before the first snapshot, all facts are those of the first tree. */
	for (size_t i = 0; status == ST_OK && i < proc->tree_count; i++) {
		proc_tree_close(&proc->tree);
		status = proc_tree_open(&proc->tree,
					proc->trees[proc->tree_count - 1 - i], error);
	}
	if (status == ST_OK && count == 0)
		status = proc_tree_open(&proc->tree, NULL, error);
	if (status == ST_OK)
		proc_tree_read_clocks(&proc->tree);
	return status;
}
