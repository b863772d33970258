/*
 * test_spaces.c - lib/symbols: what was mapped at an address and when, whose the frames
 * of a call chain are, and functions that a trace names.
 */
#include <string.h>

#include "symbols/carried.h"
#include "symbols/frames.h"
#include "symbols/spaces.h"
#include "unit.h"

/* --- spaces: thread N is the first of process N, whose pid is 10 * N --- */

UNIT_FIXTURE(struct spaces, spaces_begin, spaces_release);

static void add_process(struct spaces *s, int64_t id, int64_t pid, int64_t start_ns)
{
	spaces_on_process(s, &(struct process_row){ .process_id = id,
						    .pid = pid,
						    .start_ns = start_ns,
						    .end_ns = INT_NONE });
	spaces_on_thread(s, &(struct thread_row){ .thread_id = id, .process_id = id });
}

static void add_processes(struct spaces *s, int64_t count)
{
	for (int64_t id = 1; id <= count; id++)
		add_process(s, id, 10 * id, INT_NONE);
}

static void map(struct spaces *s, int64_t ts_ns, int64_t thread_id, int64_t from,
		int64_t to, const char *name)
{
	spaces_on_mmap(s, &(struct mmap_row){ .ts_ns = ts_ns,
					      .pid = thread_id < 0 ? -1 : 10 * thread_id,
					      .thread_id = thread_id,
					      .mode = INT_NONE,
					      .addr = from,
					      .bytes = to - from,
					      .filename = str_of(name) });
}

static void exec(struct spaces *s, int64_t ts_ns, int64_t thread_id)
{
	spaces_on_comm(s, &(struct comm_row){
				  .ts_ns = ts_ns, .thread_id = thread_id, .is_exec = 1 });
}

static void fork_of(struct spaces *s, int64_t ts_ns, int64_t parent, int64_t child)
{
	spaces_on_fork(s, &(struct fork_row){ .ts_ns = ts_ns,
					      .thread_id = child,
					      .parent_thread_id = parent });
}

/* "NAME FROM TO; " of each version; INT_NONE is the kernel. */
static const char *found(struct spaces *s, int64_t thread_id, uint64_t address)
{
	static char text[512];
	struct version versions[MAPPING_VERSIONS_MAX];
	size_t used = 0, count;

	count = spaces_find(s, spaces_process(s, thread_id), address, versions);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const struct version *v = &versions[i];
		char from[24] = "-", to[24] = "-";

		if (v->from_ns != INT64_MIN)
			snprintf(from, sizeof(from), "%lld", (long long)v->from_ns);
		if (v->to_ns != INT64_MAX)
			snprintf(to, sizeof(to), "%lld", (long long)v->to_ns);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s %s %s; ",
					 (int)v->mapping->module->path.len,
					 v->mapping->module->path.ptr, from, to);
	}
	return text;
}

UNIT_CASE(ends_of_mappings, struct spaces *s)
{
	add_processes(s, 2);
	map(s, 10, 1, 0x1000, 0x2000, "a");
	map(s, 0, 1, 0x2000, 0x3000, "b");
	spaces_settle(s);
	assert_string_equal(found(s, 1, 0xfff), "");
	assert_string_equal(found(s, 1, 0x1000), "a 10 -; ");
	assert_string_equal(found(s, 1, 0x1fff), "a 10 -; ");
	assert_string_equal(found(s, 1, 0x2000), "b - -; ");
	assert_string_equal(found(s, 1, 0x3000), "");
	assert_string_equal(found(s, 2, 0x1000), "");
}

/* A file of functions that were compiled while it ran, which it names by address. */
UNIT_CASE(mapping_of_jit, struct spaces *s)
{
	struct mmap_row row = { .ts_ns = 10,
				.pid = 10,
				.thread_id = 1,
				.mode = INT_NONE,
				.addr = 0x1000,
				.bytes = 0x1000,
				.file_offset = 0x300,
				.prot = 0x4000,
				.filename = STR("jit") };
	struct version versions[MAPPING_VERSIONS_MAX];

	add_processes(s, 1);
	spaces_on_mmap(s, &row);
	row.addr = 0x5000;
	row.prot = 5;
	spaces_on_mmap(s, &row);
	row.addr = 0x7000;
	row.prot = INT_NONE;
	spaces_on_mmap(s, &row);
	spaces_settle(s);
	for (size_t i = 0; i < 3; i++) {
		static const uint64_t addresses[] = { 0x1000, 0x5000, 0x7000 };
		static const uint64_t offsets[] = { 0x1000, 0x300, 0x300 };

		assert_int_equal(
			spaces_find(s, spaces_process(s, 1), addresses[i], versions), 1);
		assert_int_equal(versions[0].mapping->file_offset, offsets[i]);
	}
}

/* Runtimes map the same again and again, at once or later: that is one mapping. */
UNIT_CASE(repeated_mappings, struct spaces *s)
{
	add_processes(s, 2);
	for (int64_t n = 0; n < 200; n++)
		map(s, 10, 1, 0x1000, 0x2000, "at once");
	for (int64_t n = 0; n < 50; n++)
		map(s, 10 + 2 * n, 2, 0x1000, 0x2000, "later");
	map(s, 41, 2, 0x1800, 0x2000, "between");
	spaces_settle(s);
	assert_string_equal(found(s, 1, 0x1000), "at once 10 -; ");
	assert_string_equal(found(s, 2, 0x1000), "later 10 -; ");
	assert_string_equal(found(s, 2, 0x1800),
			    "later 10 41; between 41 42; later 42 -; ");
	assert_false(s->limit_reached);
}

/* Of too many different ones the last are known. */
UNIT_CASE(many_mappings, struct spaces *s)
{
	add_processes(s, 1);
	for (int64_t n = 1; n <= 20; n++)
		map(s, 10 * n, 1, 0x1000, 0x2000, n == 20 ? "last" : n % 2 ? "a" : "b");
	spaces_settle(s);
	assert_non_null(strstr(found(s, 1, 0x1000), "a 190 200; last 200 -; "));
	assert_true(s->limit_reached);
}

/* The later one counts where they overlap; a long one goes on after short ones. */
UNIT_CASE(overlapping_mappings, struct spaces *s)
{
	add_processes(s, 1);
	map(s, 10, 1, 0x1000, 0x9000, "long");
	map(s, 20, 1, 0x2000, 0x3000, "x");
	map(s, 30, 1, 0x4000, 0x5000, "y");
	spaces_settle(s);
	assert_string_equal(found(s, 1, 0x2800), "long 10 20; x 20 -; ");
	assert_string_equal(found(s, 1, 0x3000), "long 10 -; ");
	assert_string_equal(found(s, 1, 0x4000), "long 10 30; y 30 -; ");
	assert_string_equal(found(s, 1, 0x8fff), "long 10 -; ");
}

/* An exec ends what was there before it; what it maps itself may have its time. */
UNIT_CASE(exec_ends_mappings, struct spaces *s)
{
	add_processes(s, 1);
	map(s, 10, 1, 0x1000, 0x2000, "a");
	exec(s, 40, 1);
	exec(s, 20, 1);
	map(s, 20, 1, 0x1000, 0x2000, "b");
	spaces_settle(s);
	assert_string_equal(found(s, 1, 0x1800), "a 10 20; b 20 40; ");
}

/*
 * The walk for an address asks for no exec: each mapping has its end before the first
 * one, and the execs of a process are in order to find it.
 */
UNIT_CASE(many_execs, struct spaces *s)
{
	enum { EXECS = 1000 };
	const struct space_process *process;

	add_processes(s, 2);
	for (int64_t n = 0; n < EXECS; n++) {
		exec(s, 100 + 10 * (n * 7 % EXECS), 1);
		map(s, 105 + 10 * n, 1, 0x1000, 0x2000, "a");
	}
	map(s, 100, 2, 0x1000, 0x2000, "b");
	spaces_settle(s);
	process = spaces_process(s, 1);
	assert_int_equal(process->exec_count, EXECS);
	for (size_t i = 0; i < EXECS; i++)
		assert_int_equal(process->execs[i], 100 + 10 * (int64_t)i);
	for (size_t i = 0; i < s->count; i++) {
		const struct mapping *mapping = &s->mappings[i];

		assert_int_equal(mapping->end_ns,
				 mapping->process_id == 2 || i == EXECS - 1
					 ? INT64_MAX
					 : mapping->ts_ns + 5);
	}
	assert_string_equal(found(s, 2, 0x1000), "b 100 -; ");
	assert_non_null(strstr(found(s, 1, 0x1000), "a 10085 10090; a 10095 -; "));
}

/* Up to its first exec a process has what its parents had at the fork. */
UNIT_CASE(forks_inherit, struct spaces *s)
{
	add_processes(s, 5);
	map(s, 10, 1, 0x1000, 0x2000, "a");
	fork_of(s, 30, 1, 2);
	fork_of(s, 35, 2, 3);
	map(s, 40, 1, 0x5000, 0x6000, "late");
	exec(s, 45, 1);
	exec(s, 50, 2);
	fork_of(s, 60, 2, 4);
	fork_of(s, 70, 1, 5);
	spaces_settle(s);
	assert_string_equal(found(s, 1, 0x1800), "a 10 45; ");
	assert_string_equal(found(s, 2, 0x1800), "a 30 50; ");
	assert_string_equal(found(s, 3, 0x1800), "a 35 -; ");
	assert_string_equal(found(s, 4, 0x1800), "");
	assert_string_equal(found(s, 5, 0x1800), "");
	assert_string_equal(found(s, 2, 0x5800), "");
}

/* A mapping whose thread is not known is that of the pid at that time. */
UNIT_CASE(pids_used_again, struct spaces *s)
{
	struct mmap_row row = { .pid = 70,
				.thread_id = INT_NONE,
				.mode = INT_NONE,
				.addr = 0x1000,
				.bytes = 0x1000,
				.filename = STR("a") };

	add_process(s, 1, 70, INT_NONE);
	add_process(s, 2, 70, 100);
	row.ts_ns = 99;
	spaces_on_mmap(s, &row);
	row.ts_ns = 100;
	row.filename = STR("b");
	spaces_on_mmap(s, &row);
	spaces_settle(s);
	assert_string_equal(found(s, 1, 0x1000), "a 99 -; ");
	assert_string_equal(found(s, 2, 0x1000), "b 100 -; ");
}

/* Kernel code comes and goes; the mapping that begins last counts. */
UNIT_CASE(kernel_symbols, struct spaces *s)
{
	struct ksymbol_row row = {
		.ts_ns = 10, .addr = 0x5000, .bytes = 0x100, .kind = STR("bpf")
	};

	map(s, 5, -1, 0x4000, 0x8000, "[kernel.kallsyms]_text");
	spaces_on_ksymbol(s, &row);
	row.ts_ns = 20;
	row.is_removed = 1;
	spaces_on_ksymbol(s, &row);
	row.ts_ns = 30;
	row.is_removed = 0;
	spaces_on_ksymbol(s, &row);
	spaces_settle(s);
	assert_string_equal(found(s, INT_NONE, 0x5000), "[bpf] 10 20; [bpf] 30 -; ");
	assert_string_equal(found(s, INT_NONE, 0x5100), "[kernel.kallsyms] - -; ");
	assert_string_equal(found(s, INT_NONE, 0x4fff), "[kernel.kallsyms] - -; ");
	assert_string_equal(found(s, INT_NONE, 0x8000), "");
}

UNIT_CASE(images, struct spaces *s)
{
	struct mmap_row row = { .ts_ns = 10,
				.pid = 10,
				.thread_id = INT_NONE,
				.addr = 0x1000,
				.bytes = 0x1000,
				.filename = STR("a.dll") };

	add_processes(s, 1);
	spaces_on_image(s, &row, false);
	spaces_on_image(s, &row, false); /* listed again */
	row.ts_ns = 20;
	spaces_on_image(s, &row, true);
	spaces_settle(s);
	assert_string_equal(found(s, 1, 0x1000), "a.dll 10 20; ");
}

/* --- frames --- */

static bool has(const struct frames *frames, uint64_t address, uint64_t owner)
{
	for (size_t i = 0; i < frames->capacity; i++)
		if (frames->places[i].owner == owner &&
		    frames->places[i].address == address)
			return true;
	return false;
}

UNIT_TEST(frames_of_chains)
{
	static struct frames frames;

	frames_add_chain(
		&frames, 5,
		STR("[\"kernel\",\"0x10\",\"guest\",\"0x11\",\"user\",\"0x12\"]"));
	frames_use_chain(&frames, 6, 1); /* is not there */
	assert_int_equal(frames.count, 0);
	frames_use_chain(&frames, 5, INT_NONE);
	assert_int_equal(frames.count, 1);
	assert_true(has(&frames, 0x10, FRAME_OF_KERNEL));
	frames_use_chain(&frames, 5, 1);
	frames_use_chain(&frames, 5, 0);
	frames_use_chain(&frames, 5, 1);
	assert_int_equal(frames.count, 3);
	assert_true(has(&frames, 0x12, frame_owner(1)));
	assert_true(has(&frames, 0x12, frame_owner(0)));
	for (uint64_t i = 0; i < 5000; i++)
		frames_add(&frames, 0x10 + i % 2500, FRAME_OF_KERNEL);
	assert_int_equal(frames.count, 2500 + 2);
	assert_true(has(&frames, 0x12, frame_owner(1)));
	frames_release(&frames);
}

/* There is room for a number of bytes; those before are kept until it is full again. */
UNIT_TEST(frames_of_many_chains)
{
	struct frames *frames = unit_alloc(sizeof(*frames));
	const size_t large = FRAME_CHAINS_BYTES * 3 / 4;
	const char *text = unit_alloc(large);

	frames_add_chain(frames, 1, STR("[\"user\",\"0x10\"]"));
	frames_add_chain(frames, 2, (struct str){ text, large });
	frames_add_chain(frames, 3, (struct str){ text, large });
	frames_use_chain(frames, 1, 7);
	assert_int_equal(frames->count, 1);
	assert_true(has(frames, 0x10, frame_owner(7)));
	frames_add_chain(frames, 4, (struct str){ text, large });
	frames_use_chain(frames, 1, 8);
	assert_int_equal(frames->count, 1);
	frames_release(frames);
}

UNIT_TEST(frames_over_the_limit)
{
	struct frames *frames = unit_alloc(sizeof(*frames));

	for (uint64_t i = 0; i < FRAMES_MAX + 3; i++)
		frames_add(frames, i, FRAME_OF_KERNEL);
	frames_add(frames, FRAMES_MAX - 1, FRAME_OF_KERNEL);
	assert_int_equal(frames->count, FRAMES_MAX);
	assert_int_equal(frames->dropped, 3);
	assert_true(has(frames, FRAMES_MAX - 1, FRAME_OF_KERNEL));
	frames_release(frames);
}

/* --- functions that a trace names --- */

static void carry(struct carried *carried, const char *base, int64_t addr, int64_t bytes,
		  const char *name)
{
	carried_add(carried, &(struct file_symbol_row){ .filename = STR("f"),
							.base = str_of(base),
							.addr = addr,
							.bytes = bytes,
							.name = str_of(name) });
}

UNIT_TEST(carried_functions)
{
	static const struct {
		int line;
		uint64_t places[CARRIED_BASES]; /* in the file, the mapping, memory */
		const char *name;
		uint64_t offset;
	} finds[] = {
		{ ROW, { 0xff, 0, 0 }, NULL, 0 },
		{ ROW, { 0x100, 0, 0 }, "first", 0 },
		{ ROW, { 0x10f, 0x300, 0 }, "first", 15 },
		{ ROW, { 0x110, 0, 0 }, NULL, 0 },
		{ ROW, { 0x110, 0x301, 0 }, "mapped", 1 },
		{ ROW, { 0x110, 0, 0x900 }, "address", 0 },
		{ ROW, { 0x200, 0, 0 }, "open", 0 }, /* up to the next one */
		{ ROW, { 0x2ff, 0, 0 }, "open", 255 },
		{ ROW, { 0x300, 0, 0 }, "last", 0 },
		{ ROW, { 0x304, 0, 0 }, NULL, 0 },
	};
	struct carried carried = { .count = 0 };

	carry(&carried, "file", 0x300, 4, "last");
	carry(&carried, "file", 0x100, 16, "first");
	carry(&carried, "file", 0x200, INT_NONE, "open");
	carry(&carried, "map", 0x300, 16, "mapped");
	carry(&carried, "address", 0x900, 16, "address");
	carry(&carried, "address", 0, -1, "unknown");
	carried_settle(&carried);
	for (size_t i = 0; i < COUNT(finds); i++) {
		uint64_t offset = 0;
		struct str name =
			carried_find(&carried, STR("f"), finds[i].places, &offset);

		ROW_STR(&finds[i], name, finds[i].name);
		ROW_INT(&finds[i], offset, finds[i].offset);
	}
	carried_release(&carried);
}
