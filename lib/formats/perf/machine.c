/*
 * machine.c - header features that say what machine it was: CPUs, topology, memory,
 * caches, PMUs.
 *
 * All of them become facts.  Layouts: perf.data-file-format.txt of the kernel's
 * tools/perf.
 */
#include <stdlib.h>

#include "base/text.h"
#include "formats/perf/features.h"

static void read_cpu_count(struct perf_rows *rows, struct cursor *c)
{
	uint32_t available = cursor_u32(c);
	uint32_t online = cursor_u32(c);

	if (c->overrun)
		return;
	perf_number_fact(rows, "NRCPUS available", available, "");
	perf_number_fact(rows, "NRCPUS online", online, "");
	rows->trace.cpu_count = online;
}

/* Pairs of u32 number and name; what is between them depends on `group`. */
static void read_pmus(struct perf_rows *rows, struct perf_catalog *catalog,
		      struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		uint32_t type = cursor_u32(c);
		struct str name = perf_feature_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s = %u", (int)name.len, name.ptr,
			   type);
		perf_add_fact(rows, "PMU", str_of(text));
		if (name.len < PERF_NAME_BYTES_MAX / 2)
			(void)map_put(&catalog->pmus, type,
				      (void *)(uintptr_t)text_valid_utf8(&catalog->arena,
									 name)
					      .ptr);
	}
}

static void string_list_facts(struct perf_rows *rows, struct cursor *c, const char *key)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		struct str text = perf_feature_string(c);

		if (!c->overrun)
			perf_add_fact(rows, key, text);
	}
}

/*
 * Sibling lists of cores, then of threads, then u32 core and socket of each CPU; then
 * since 5.2 the lists of dies, and the die of each CPU.  The bytes left show which it is.
 */
static void read_cpu_topology(struct perf_rows *rows, struct cursor *c)
{
	string_list_facts(rows, c, "CPU_TOPOLOGY cores");
	string_list_facts(rows, c, "CPU_TOPOLOGY threads");
	for (int64_t cpu = 0; cpu < rows->trace.cpu_count && cpu < CPU_MAX &&
			      cursor_left(c) >= 8 && !c->overrun;
	     cpu++) {
		uint32_t core = cursor_u32(c), socket = cursor_u32(c);
		char text[96];

		text_print(text, sizeof(text), "CPU %lld: core %u, socket %u",
			   (long long)cpu, core, socket);
		perf_add_fact(rows, "CPU_TOPOLOGY", str_of(text));
	}
	if (!c->overrun) /* dies, since 5.2 */
		c->pos = c->end;
}

/* u32 nodes, then for each: u32 number, u64 total, u64 free kB, list of CPUs. */
static void read_numa(struct perf_rows *rows, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		uint32_t node = cursor_u32(c);
		uint64_t total = cursor_u64(c), unused = cursor_u64(c);
		struct str cpus = perf_feature_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text),
			   "node %u: CPUs %.*s, %llu kB, %llu kB free", node,
			   (int)(cpus.len < 128 ? cpus.len : 128), cpus.ptr,
			   (unsigned long long)total, (unsigned long long)unused);
		perf_add_fact(rows, "NUMA_TOPOLOGY", str_of(text));
	}
}

/* u32 version, u32 caches, each: level, line, sets, ways u32, type, size, map texts. */
static void read_caches(struct perf_rows *rows, struct cursor *c)
{
	uint32_t version = cursor_u32(c), count = cursor_u32(c);

	for (uint32_t i = 0;
	     version == 1 && i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		uint32_t level = cursor_u32(c), line = cursor_u32(c),
			 sets = cursor_u32(c), ways = cursor_u32(c);
		struct str type = perf_feature_string(c), size = perf_feature_string(c),
			   map = perf_feature_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text),
			   "L%u %.*s: %.*s, %u bytes a line, %u sets, %u ways, CPUs %.*s",
			   level, (int)(type.len < 32 ? type.len : 32), type.ptr,
			   (int)(size.len < 32 ? size.len : 32), size.ptr, line, sets,
			   ways, (int)(map.len < 100 ? map.len : 100), map.ptr);
		perf_add_fact(rows, "CACHE", str_of(text));
	}
}

/* u64 version, block size, nodes, each: u64 node, u64 bits, u64 words. */
static void read_memory(struct perf_rows *rows, struct cursor *c)
{
	uint64_t version = cursor_u64(c), block = cursor_u64(c), count = cursor_u64(c);

	if (version != 1 || c->overrun)
		return;
	perf_number_fact(rows, "MEM_TOPOLOGY block size", block, "");
	for (uint64_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		uint64_t node = cursor_u64(c), bits = cursor_u64(c), blocks = 0;
		char text[96];

		for (uint64_t at = 0; at < bits && !c->overrun; at += 64)
			blocks += (uint64_t)__builtin_popcountll(cursor_u64(c));
		if (c->overrun)
			break;
		text_print(text, sizeof(text), "node %llu: %llu blocks",
			   (unsigned long long)node, (unsigned long long)blocks);
		perf_add_fact(rows, "MEM_TOPOLOGY", str_of(text));
	}
}

/* u32 pairs of key and value texts; with_pmu: lists of them, each with a PMU's name. */
static void read_capabilities(struct perf_rows *rows, struct cursor *c, bool with_pmu)
{
	uint32_t pmus = with_pmu ? cursor_u32(c) : 1;

	for (uint32_t p = 0; p < pmus && p < PERF_LIST_MAX && !c->overrun; p++) {
		uint32_t count = cursor_u32(c);
		char lines[2048];
		size_t at = 0;
		struct str pmu = STR("cpu");

		for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
			struct str key = perf_feature_string(c),
				   value = perf_feature_string(c);

			if (!c->overrun)
				at += text_print(lines + at, sizeof(lines) - at,
						 "%s%.*s=%.*s", at ? ", " : "",
						 (int)(key.len < 64 ? key.len : 64),
						 key.ptr,
						 (int)(value.len < 64 ? value.len : 64),
						 value.ptr);
		}
		if (with_pmu)
			pmu = perf_feature_string(c);
		if (!c->overrun) {
			char text[2200];

			text_print(text, sizeof(text), "%.*s: %.*s",
				   (int)(pmu.len < 64 ? pmu.len : 64), pmu.ptr, (int)at,
				   lines);
			perf_add_fact(rows, with_pmu ? "PMU_CAPS" : "CPU_PMU_CAPS",
				      str_of(text));
		}
	}
}

/* u32 core PMUs, each: name, CPUs. */
static void read_hybrid(struct perf_rows *rows, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		struct str pmu = perf_feature_string(c), cpus = perf_feature_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s: CPUs %.*s",
			   (int)(pmu.len < 64 ? pmu.len : 64), pmu.ptr,
			   (int)(cpus.len < 200 ? cpus.len : 200), cpus.ptr);
		perf_add_fact(rows, "HYBRID_TOPOLOGY", str_of(text));
	}
}

/* u32 version, type, level, ratio, mmap_len. */
static void read_compression(struct perf_rows *rows, struct cursor *c)
{
	uint32_t version = cursor_u32(c), type = cursor_u32(c), level = cursor_u32(c),
		 ratio = cursor_u32(c);
	char text[96];

	if (c->overrun)
		return;
	text_print(text, sizeof(text), "version %u, %s, level %u, ratio %u", version,
		   type == PERF_COMPRESSED_ZSTD ? "zstd" : "unknown method", level,
		   ratio);
	perf_add_fact(rows, "COMPRESSED", str_of(text));
}

bool perf_machine_read(struct perf_rows *rows, struct perf_catalog *catalog,
		       unsigned int feature, struct cursor *c)
{
	switch (feature) {
	case FEATURE_NRCPUS:
		read_cpu_count(rows, c);
		return true;
	case FEATURE_CPU_TOPOLOGY:
		read_cpu_topology(rows, c);
		return true;
	case FEATURE_NUMA_TOPOLOGY:
		read_numa(rows, c);
		return true;
	case FEATURE_PMU_MAPPINGS:
		read_pmus(rows, catalog, c);
		return true;
	case FEATURE_CACHE:
		read_caches(rows, c);
		return true;
	case FEATURE_MEM_TOPOLOGY:
		read_memory(rows, c);
		return true;
	case FEATURE_HYBRID_TOPOLOGY:
		read_hybrid(rows, c);
		return true;
	case FEATURE_COMPRESSED:
		read_compression(rows, c);
		return true;
	case FEATURE_CPU_PMU_CAPS:
	case FEATURE_PMU_CAPS:
		read_capabilities(rows, c, feature == FEATURE_PMU_CAPS);
		return true;
	case FEATURE_TOTAL_MEM:
		perf_number_fact(rows, "TOTAL_MEM", cursor_u64(c), " kB");
		return true;
	case FEATURE_E_MACHINE:
		perf_number_fact(rows, "E_MACHINE", cursor_u32(c), "");
		return true;
	default:
		return false;
	}
}
