/*
 * perf_feature.c - the header features behind the data: who recorded what, where.
 *
 * Each becomes rows of header_fact; event names and tracepoint formats go to the events.
 * A string is u32 length (padded, NUL inside), then its bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "readers/perf.h"

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_E_MACHINE = 33,
	FEATURE_META_INFO = 129,
};

/* Words in a command line, groups, PMUs: more than any real file has. */
#define LIST_MAX 65536u

static const char *const names[] = {
	NULL,
	"TRACING_DATA",
	"BUILD_ID",
	"HOSTNAME",
	"OSRELEASE",
	"VERSION",
	"ARCH",
	"NRCPUS",
	"CPUDESC",
	"CPUID",
	"TOTAL_MEM",
	"CMDLINE",
	"EVENT_DESC",
	"CPU_TOPOLOGY",
	"NUMA_TOPOLOGY",
	"BRANCH_STACK",
	"PMU_MAPPINGS",
	"GROUP_DESC",
	"AUXTRACE",
	"STAT",
	"CACHE",
	"SAMPLE_TIME",
	"MEM_TOPOLOGY",
	"CLOCKID",
	"DIR_FORMAT",
	"BPF_PROG_INFO",
	"BPF_BTF",
	"COMPRESSED",
	"CPU_PMU_CAPS",
	"CLOCK_DATA",
	"HYBRID_TOPOLOGY",
	"PMU_CAPS",
	"CPU_DOMAIN_INFO",
	"E_MACHINE",
	"CLN_SIZE",
};

/* simpleperf's, from 128 on. */
static const char *const simpleperf_names[] = {
	"SIMPLEPERF_FILE",	   "SIMPLEPERF_META_INFO",
	"SIMPLEPERF_DEBUG_UNWIND", "SIMPLEPERF_DEBUG_UNWIND_FILE",
	"SIMPLEPERF_FILE2",	   "SIMPLEPERF_ETM_BRANCH_LIST",
	"SIMPLEPERF_INIT_MAP",
};

const char *perf_feature_name(unsigned int feature)
{
	if (feature >= 128 &&
	    feature - 128 < sizeof(simpleperf_names) / sizeof(simpleperf_names[0]))
		return simpleperf_names[feature - 128];
	return feature < sizeof(names) / sizeof(names[0]) ? names[feature] : NULL;
}

static struct str read_string(struct cursor *c)
{
	return cursor_padded_str(c, cursor_u32(c));
}

struct str perf_add_fact(struct perf *perf, const char *key, struct str value)
{
	struct perf_fact *fact = arena_alloc(&perf->arena, sizeof(*fact));

	value.len = value.len < PERF_FACT_BYTES_MAX ? value.len : PERF_FACT_BYTES_MAX;
	value = text_valid_utf8(&perf->arena, value);
	if (!fact || !value.ptr)
		return STR_NONE;
	fact->key = str_of(key);
	fact->value = value;
	perf->waiting = true;
	*perf->facts_tail = fact;
	perf->facts_tail = &fact->next;
	return value;
}

struct str perf_hex(struct perf *perf, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count && i < 64; i++) {
		perf->event_text[i * 2] = digits[bytes[i] >> 4];
		perf->event_text[i * 2 + 1] = digits[bytes[i] & 15];
	}
	return (struct str){ perf->event_text, (count < 64 ? count : 64) * 2 };
}

static struct str text_fact(struct perf *perf, unsigned int feature, struct cursor *c)
{
	struct str value = read_string(c);

	if (c->overrun || value.len == 0)
		return STR_NONE;
	return perf_add_fact(perf, perf_feature_name(feature), value);
}

static void number_fact(struct perf *perf, const char *key, uint64_t number,
			const char *unit)
{
	char text[64];

	text_print(text, sizeof(text), "%llu%s", (unsigned long long)number, unit);
	perf_add_fact(perf, key, str_of(text));
}

static void read_cpu_count(struct perf *perf, struct cursor *c)
{
	uint32_t available = cursor_u32(c);
	uint32_t online = cursor_u32(c);

	if (c->overrun)
		return;
	number_fact(perf, "NRCPUS available", available, "");
	number_fact(perf, "NRCPUS online", online, "");
	perf->trace.cpu_count = online;
}

/* The words of the command, quoted where a shell would need it. */
static void read_command(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	char text[4096];
	size_t at = 0;

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		struct str word = read_string(c);
		bool quote = word.len == 0 || memchr(word.ptr, ' ', word.len);

		if (c->overrun)
			break;
		at += text_print(text + at, sizeof(text) - at, "%s%s%.*s%s", i ? " " : "",
				 quote ? "'" : "", (int)word.len, word.ptr,
				 quote ? "'" : "");
	}
	perf->trace.command = perf_add_fact(perf, "CMDLINE", (struct str){ text, at });
}

/* Pairs of u32 number and name; what stands between them depends on `group`. */
static void read_pmus(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		uint32_t type = cursor_u32(c);
		struct str name = read_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s = %u", (int)name.len, name.ptr,
			   type);
		perf_add_fact(perf, "PMU", str_of(text));
		if (name.len < PERF_NAME_BYTES_MAX / 2)
			(void)map_put(&perf->pmus, type,
				      (void *)(uintptr_t)text_valid_utf8(&perf->arena,
									 name)
					      .ptr);
	}
}

static void read_groups(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		struct str name = read_string(c);
		uint32_t leader = cursor_u32(c);
		uint32_t members = cursor_u32(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s: leader event %u, %u members",
			   (int)name.len, name.ptr, leader, members);
		perf_add_fact(perf, "GROUP_DESC", str_of(text));
	}
}

static void read_sample_time(struct perf *perf, struct cursor *c)
{
	uint64_t first = cursor_u64(c);
	uint64_t last = cursor_u64(c);

	if (c->overrun)
		return;
	number_fact(perf, "SAMPLE_TIME first", first, " ns");
	number_fact(perf, "SAMPLE_TIME last", last, " ns");
}

/* u32 version, u32 clockid, u64 wall clock ns, u64 trace clock ns at the same moment. */
static void read_clock_data(struct perf *perf, struct cursor *c)
{
	uint32_t version = cursor_u32(c);
	uint64_t wall, trace;

	cursor_skip(c, 4);
	wall = cursor_u64(c);
	trace = cursor_u64(c);
	if (c->overrun || version != 1)
		return;
	number_fact(perf, "CLOCK_DATA wall clock", wall, " ns");
	number_fact(perf, "CLOCK_DATA trace clock", trace, " ns");
	perf->trace.wall_offset_ns = (int64_t)(wall - trace);
}

/*
 * u32 events, u32 attr size, then for each: attr, u32 ids, name, u64 ids.  The events
 * stand in the order of the attributes; when their number differs they are told apart by
 * id.  What the attributes' own section lost (ids that lie outside the file) is taken
 * from here.
 */
static void read_event_names(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	uint32_t attr_size = cursor_u32(c);
	bool rebuild = perf->event_count == 0 && !perf->is_pipe; /* they were lost */

	for (uint32_t i = 0; i < count && i < PERF_EVENTS_MAX && !c->overrun; i++) {
		struct perf_event *event = NULL;
		struct cursor attr = cursor_sub(c, attr_size);
		uint32_t ids;
		struct str name;

		if (attr_size && perf->event_count == i && rebuild)
			event = perf_event_new(perf, &attr);
		ids = cursor_u32(c);
		name = read_string(c);
		if (!event && count == perf->event_count)
			event = perf->events[i];
		for (uint32_t k = 0; k < ids && !c->overrun; k++) {
			uint64_t id = cursor_u64(c);
			const struct perf_stream *stream = map_get(&perf->streams, id);

			if (stream && !event)
				event = stream->event;
			else if (!stream && event && !c->overrun)
				(void)perf_event_add_id(perf, event, id);
		}
		if (!c->overrun && event)
			perf_event_rename(perf, event, name);
	}
}

/* --- simpleperf --- */

/*
 * Names the events that a line is about.  Of events of other PMUs than the core's the
 * config may hold options besides: there the type decides.
 */
static void name_simpleperf(struct perf *perf, uint32_t type, uint64_t config,
			    struct str name)
{
	struct perf_event *of_type = NULL;
	bool found = false;

	for (size_t i = 0; i < perf->event_count; i++) {
		struct perf_event *event = perf->events[i];

		if (event->type != type)
			continue;
		if (event->config == config) {
			perf_event_rename(perf, event, name);
			found = true;
		} else if (type > PERF_TYPE_BREAKPOINT && !event->named) {
			of_type = event;
		}
	}
	if (!found && of_type)
		perf_event_rename(perf, of_type, name);
}

/* "name,type,config" lines. */
static void read_simpleperf_names(struct perf *perf, struct str lines)
{
	for (uint32_t n = 0; lines.len && n < PERF_EVENTS_MAX; n++) {
		const char *end = memchr(lines.ptr, '\n', lines.len);
		size_t len = end ? (size_t)(end - lines.ptr) : lines.len;
		char line[PERF_NAME_BYTES_MAX + 64];
		unsigned int type;
		unsigned long long config;
		const char *comma;

		text_print(line, sizeof(line), "%.*s", (int)(len < 300 ? len : 300),
			   lines.ptr);
		comma = strchr(line, ',');
		if (comma && sscanf(comma, ",%u,%llu", &type, &config) == 2)
			name_simpleperf(perf, type, config,
					(struct str){ line, (size_t)(comma - line) });
		lines.ptr += len + (end != NULL);
		lines.len -= len + (end != NULL);
	}
}

/* Pairs of texts, each with its NUL. */
static void read_meta_info(struct perf *perf, struct cursor *c)
{
	perf->is_simpleperf = true;
	while (cursor_left(c)) {
		struct str key = cursor_nul_str(c), value = cursor_nul_str(c);
		char fact[64];

		if (c->overrun)
			return;
		text_print(fact, sizeof(fact), "META_INFO %.*s",
			   (int)(key.len < 48 ? key.len : 48), key.ptr);
		if (str_equal(key, STR("event_type_info")))
			read_simpleperf_names(perf, value);
		perf_add_fact(perf, text_valid_utf8(&perf->arena, str_of(fact)).ptr,
			      value);
		if (str_equal(key, STR("simpleperf_version")))
			perf->trace.recorder = text_valid_utf8(&perf->arena, value);
	}
}

/* --- what machine it was --- */

static void string_list_facts(struct perf *perf, struct cursor *c, const char *key)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		struct str text = read_string(c);

		if (!c->overrun)
			perf_add_fact(perf, key, text);
	}
}

/*
 * Sibling lists of cores, then of threads, then u32 core and socket of each CPU; then
 * since 5.2 the lists of dies, and the die of each CPU.  Told apart by what is left.
 */
static void read_cpu_topology(struct perf *perf, struct cursor *c)
{
	string_list_facts(perf, c, "CPU_TOPOLOGY cores");
	string_list_facts(perf, c, "CPU_TOPOLOGY threads");
	for (int64_t cpu = 0; cpu < perf->trace.cpu_count && cpu < CPU_MAX &&
			      cursor_left(c) >= 8 && !c->overrun;
	     cpu++) {
		uint32_t core = cursor_u32(c), socket = cursor_u32(c);
		char text[96];

		text_print(text, sizeof(text), "CPU %lld: core %u, socket %u",
			   (long long)cpu, core, socket);
		perf_add_fact(perf, "CPU_TOPOLOGY", str_of(text));
	}
	if (!c->overrun) /* dies, since 5.2 */
		c->pos = c->end;
}

/* u32 nodes, then for each: u32 number, u64 total, u64 free kB, list of CPUs. */
static void read_numa(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		uint32_t node = cursor_u32(c);
		uint64_t total = cursor_u64(c), unused = cursor_u64(c);
		struct str cpus = read_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text),
			   "node %u: CPUs %.*s, %llu kB, %llu kB free", node,
			   (int)(cpus.len < 128 ? cpus.len : 128), cpus.ptr,
			   (unsigned long long)total, (unsigned long long)unused);
		perf_add_fact(perf, "NUMA_TOPOLOGY", str_of(text));
	}
}

/* u32 version, u32 caches, each: level, line, sets, ways u32, type, size, map texts. */
static void read_caches(struct perf *perf, struct cursor *c)
{
	uint32_t version = cursor_u32(c), count = cursor_u32(c);

	for (uint32_t i = 0; version == 1 && i < count && i < LIST_MAX && !c->overrun;
	     i++) {
		uint32_t level = cursor_u32(c), line = cursor_u32(c),
			 sets = cursor_u32(c), ways = cursor_u32(c);
		struct str type = read_string(c), size = read_string(c),
			   map = read_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text),
			   "L%u %.*s: %.*s, %u bytes a line, %u sets, %u ways, CPUs %.*s",
			   level, (int)(type.len < 32 ? type.len : 32), type.ptr,
			   (int)(size.len < 32 ? size.len : 32), size.ptr, line, sets,
			   ways, (int)(map.len < 100 ? map.len : 100), map.ptr);
		perf_add_fact(perf, "CACHE", str_of(text));
	}
}

/* u64 version, block size, nodes, each: u64 node, u64 bits, u64 words. */
static void read_memory(struct perf *perf, struct cursor *c)
{
	uint64_t version = cursor_u64(c), block = cursor_u64(c), count = cursor_u64(c);

	if (version != 1 || c->overrun)
		return;
	number_fact(perf, "MEM_TOPOLOGY block size", block, "");
	for (uint64_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		uint64_t node = cursor_u64(c), bits = cursor_u64(c), blocks = 0;
		char text[96];

		for (uint64_t at = 0; at < bits && !c->overrun; at += 64)
			blocks += (uint64_t)__builtin_popcountll(cursor_u64(c));
		if (c->overrun)
			break;
		text_print(text, sizeof(text), "node %llu: %llu blocks",
			   (unsigned long long)node, (unsigned long long)blocks);
		perf_add_fact(perf, "MEM_TOPOLOGY", str_of(text));
	}
}

/* u32 pairs of key and value texts; with_pmu: lists of them, each with a PMU's name. */
static void read_capabilities(struct perf *perf, struct cursor *c, bool with_pmu)
{
	uint32_t pmus = with_pmu ? cursor_u32(c) : 1;

	for (uint32_t p = 0; p < pmus && p < LIST_MAX && !c->overrun; p++) {
		uint32_t count = cursor_u32(c);
		char lines[2048];
		size_t at = 0;
		struct str pmu = STR("cpu");

		for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
			struct str key = read_string(c), value = read_string(c);

			if (!c->overrun)
				at += text_print(lines + at, sizeof(lines) - at,
						 "%s%.*s=%.*s", at ? ", " : "",
						 (int)(key.len < 64 ? key.len : 64),
						 key.ptr,
						 (int)(value.len < 64 ? value.len : 64),
						 value.ptr);
		}
		if (with_pmu)
			pmu = read_string(c);
		if (!c->overrun) {
			char text[2200];

			text_print(text, sizeof(text), "%.*s: %.*s",
				   (int)(pmu.len < 64 ? pmu.len : 64), pmu.ptr, (int)at,
				   lines);
			perf_add_fact(perf, with_pmu ? "PMU_CAPS" : "CPU_PMU_CAPS",
				      str_of(text));
		}
	}
}

/* u32 core PMUs, each: name, CPUs. */
static void read_hybrid(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		struct str pmu = read_string(c), cpus = read_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s: CPUs %.*s",
			   (int)(pmu.len < 64 ? pmu.len : 64), pmu.ptr,
			   (int)(cpus.len < 200 ? cpus.len : 200), cpus.ptr);
		perf_add_fact(perf, "HYBRID_TOPOLOGY", str_of(text));
	}
}

/* u32 version, type, level, ratio, mmap_len. */
static void read_compression(struct perf *perf, struct cursor *c)
{
	uint32_t version = cursor_u32(c), type = cursor_u32(c), level = cursor_u32(c),
		 ratio = cursor_u32(c);
	char text[96];

	if (c->overrun)
		return;
	text_print(text, sizeof(text), "version %u, %s, level %u, ratio %u", version,
		   type == 1 ? "zstd" : "unknown method", level, ratio);
	perf_add_fact(perf, "COMPRESSED", str_of(text));
}

/* Records as BUILD_ID ones are, one behind the other. */
static void read_build_ids(struct perf *perf, struct cursor *c)
{
	while (cursor_left(c) >= PERF_RECORD_HEADER_BYTES && !c->overrun) {
		struct perf_header header = perf_header_read(c->pos, c->big_endian);
		struct cursor body = cursor_sub(c, header.size);
		struct perf_build *build = arena_alloc(&perf->arena, sizeof(*build));
		struct record unused;

		cursor_skip(&body, PERF_RECORD_HEADER_BYTES);
		if (body.overrun || !build)
			return;
		if (!perf_build_id_read(perf, &body, header.misc, &unused))
			continue;
		build->row = perf->event.build_id;
		build->row.build_id = arena_str(&perf->arena, build->row.build_id);
		build->row.filename = text_valid_utf8(&perf->arena, build->row.filename);
		perf->waiting = true;
		*perf->builds_tail = build;
		perf->builds_tail = &build->next;
	}
}

/* --- all of them --- */

static void read_one_text(struct perf *perf, unsigned int feature, struct cursor *c)
{
	struct str value = text_fact(perf, feature, c);

	switch (feature) {
	case FEATURE_HOSTNAME:
		perf->trace.host = value;
		break;
	case FEATURE_OSRELEASE:
		perf->trace.os_release = value;
		break;
	case FEATURE_VERSION:
		perf->trace.recorder = value;
		break;
	case FEATURE_ARCH:
		perf->trace.arch = value;
		break;
	case FEATURE_CPUDESC:
		perf->trace.cpu_model = value;
		break;
	default:
		break;
	}
}

/* False: a feature that is only kept. */
static bool read_known(struct reader *reader, unsigned int feature, struct cursor *c)
{
	struct perf *perf = reader->state;

	switch (feature) {
	case FEATURE_TRACING_DATA:
		perf_tracing_data_read(reader, c);
		c->overrun = false; /* says itself what was wrong */
		return true;
	case FEATURE_BUILD_ID:
		if (reader->options.want_rows)
			read_build_ids(perf, c);
		return true;
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_VERSION:
	case FEATURE_ARCH:
	case FEATURE_CPUDESC:
	case FEATURE_CPUID:
		read_one_text(perf, feature, c);
		return true;
	case FEATURE_NRCPUS:
		read_cpu_count(perf, c);
		return true;
	case FEATURE_TOTAL_MEM:
		number_fact(perf, "TOTAL_MEM", cursor_u64(c), " kB");
		return true;
	case FEATURE_CMDLINE:
		read_command(perf, c);
		return true;
	case FEATURE_EVENT_DESC:
		read_event_names(perf, c);
		return true;
	case FEATURE_CPU_TOPOLOGY:
		read_cpu_topology(perf, c);
		return true;
	case FEATURE_NUMA_TOPOLOGY:
		read_numa(perf, c);
		return true;
	case FEATURE_BRANCH_STACK:
	case FEATURE_STAT: /* flags: that they are there is all they say */
		perf_add_fact(perf, perf_feature_name(feature), STR("yes"));
		return true;
	case FEATURE_PMU_MAPPINGS:
		read_pmus(perf, c);
		return true;
	case FEATURE_GROUP_DESC:
		read_groups(perf, c);
		return true;
	case FEATURE_CACHE:
		read_caches(perf, c);
		return true;
	case FEATURE_SAMPLE_TIME:
		read_sample_time(perf, c);
		return true;
	case FEATURE_MEM_TOPOLOGY:
		read_memory(perf, c);
		return true;
	case FEATURE_CLOCKID:
		number_fact(perf, "CLOCKID resolution", cursor_u64(c), " ns");
		return true;
	case FEATURE_DIR_FORMAT:
		perf->is_directory = true;
		number_fact(perf, "DIR_FORMAT version", cursor_u64(c), "");
		return true;
	case FEATURE_COMPRESSED:
		read_compression(perf, c);
		return true;
	case FEATURE_CPU_PMU_CAPS:
	case FEATURE_PMU_CAPS:
		read_capabilities(perf, c, feature == FEATURE_PMU_CAPS);
		return true;
	case FEATURE_CLOCK_DATA:
		read_clock_data(perf, c);
		return true;
	case FEATURE_HYBRID_TOPOLOGY:
		read_hybrid(perf, c);
		return true;
	case FEATURE_E_MACHINE:
		number_fact(perf, "E_MACHINE", cursor_u32(c), "");
		return true;
	case FEATURE_META_INFO:
		read_meta_info(perf, c);
		return true;
	default:
		return false;
	}
}

/* A row of header_feature; NULL: no memory, or it was listed before. */
static struct header_feature_row *list_feature(struct perf *perf, unsigned int feature,
					       uint64_t offset, uint64_t bytes)
{
	struct perf_met_feature *met = arena_alloc(&perf->arena, sizeof(*met));

	if (!met || map_get(&perf->features_met, feature) ||
	    !map_put(&perf->features_met, feature, met))
		return NULL;
	met->row = (struct header_feature_row){
		.feature = feature,
		.name = str_of(perf_feature_name(feature)),
		.section_offset = (int64_t)offset,
		.bytes = (int64_t)bytes,
		.status = STR("decoded"),
	};
	perf->waiting = true;
	*perf->features_tail = met;
	perf->features_tail = &met->next;
	return &met->row;
}

void perf_feature_drop(struct reader *reader, unsigned int feature, uint64_t offset,
		       uint64_t bytes)
{
	struct header_feature_row *row =
		list_feature(reader->state, feature, offset, bytes);

	if (row)
		row->status = STR("dropped");
}

void perf_feature_read(struct reader *reader, unsigned int feature, struct cursor *c)
{
	struct perf *perf = reader->state;
	struct str content = { (const char *)c->pos, cursor_left(c) };
	uint64_t offset = c->offset;
	struct header_feature_row *row =
		list_feature(perf, feature, offset, cursor_left(c));

	if (content.len == 0 && feature != FEATURE_BRANCH_STACK &&
	    feature != FEATURE_STAT) {
		if (row)
			row->status = STR("empty");
		return;
	}
	if (!read_known(reader, feature, c)) {
		finding_add(&reader->findings, FINDING_OTHER_FEATURE, offset, 1);
		if (row) {
			row->status = STR("kept");
			if (reader->options.want_rows &&
			    content.len <= PERF_CONTENT_BYTES_MAX)
				row->content = arena_str(&perf->arena, content);
		}
		return;
	}
	if (!c->overrun)
		return;
	if (row)
		row->status = STR("dropped");
	finding_gap(
		&reader->findings, FINDING_BAD_SECTION, offset, offset + content.len,
		"header feature %s at 0x%llx: its %zu bytes are not what it should be",
		perf_feature_name(feature) ? perf_feature_name(feature) : "?",
		(unsigned long long)offset, content.len);
}
