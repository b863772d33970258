/*
 * names.c - hardware, software and cache events by the names that perf has for
 * them.
 *
 * As tools/perf/util/evsel.c and parse-events.c of Linux know them.
 */
#include <stdlib.h>
#include <strings.h>

#include "base/array.h"
#include "capture/linux/events/private.h"

#define HARDWARE(name, alias, config)                                   \
	{                                                               \
		name, alias, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config \
	}
#define SOFTWARE(name, alias, config)                                   \
	{                                                               \
		name, alias, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config \
	}

const struct event_name event_names[] = {
	HARDWARE("cycles", "cpu-cycles", CPU_CYCLES),
	HARDWARE("instructions", NULL, INSTRUCTIONS),
	HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", NULL, BRANCH_MISSES),
	HARDWARE("cache-references", NULL, CACHE_REFERENCES),
	HARDWARE("cache-misses", NULL, CACHE_MISSES),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES),
	HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES),
	HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend",
		 STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND),
	SOFTWARE("task-clock", NULL, TASK_CLOCK),
	SOFTWARE("cpu-clock", NULL, CPU_CLOCK),
	SOFTWARE("page-faults", "faults", PAGE_FAULTS),
	SOFTWARE("minor-faults", NULL, PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", NULL, PAGE_FAULTS_MAJ),
	SOFTWARE("context-switches", "cs", CONTEXT_SWITCHES),
	SOFTWARE("cpu-migrations", "migrations", CPU_MIGRATIONS),
	SOFTWARE("alignment-faults", NULL, ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", NULL, EMULATION_FAULTS),
	SOFTWARE("bpf-output", NULL, BPF_OUTPUT),
	SOFTWARE("cgroup-switches", NULL, CGROUP_SWITCHES),
	SOFTWARE("dummy", NULL, DUMMY),
};
const size_t event_name_count = ARRAY_COUNT(event_names);

#define WORDS_MAX 5
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define READ (1U << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE (1U << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1U << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* Each at its number in the kernel; the first word is the one to be shown. */
static const struct {
	const char *words[WORDS_MAX];
	unsigned int has; /* operations that there are */
} caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = { { "L1-dcache", "l1-d", "l1d", "L1-data" },
				      READ | WRITE | PREFETCH },
	[PERF_COUNT_HW_CACHE_L1I] = { { "L1-icache", "l1-i", "l1i", "L1-instruction" },
				      READ | PREFETCH },
	[PERF_COUNT_HW_CACHE_LL] = { { "LLC", "L2" }, READ | WRITE | PREFETCH },
	[PERF_COUNT_HW_CACHE_DTLB] = { { "dTLB", "d-tlb", "Data-TLB" },
				       READ | WRITE | PREFETCH },
	[PERF_COUNT_HW_CACHE_ITLB] = { { "iTLB", "i-tlb", "Instruction-TLB" }, READ },
	[PERF_COUNT_HW_CACHE_BPU] = { { "branch", "branches", "bpu", "btb", "bpc" },
				      READ },
	[PERF_COUNT_HW_CACHE_NODE] = { { "node" }, READ | WRITE | PREFETCH },
};
static const char *const operations[][WORDS_MAX] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches",
					      "speculative-read", "speculative-load" },
};
static const char *const results[][WORDS_MAX] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

/* How much of the text one of the words matches, up to its end or a dash; 0: none. */
static size_t word_length(struct str text, const char *const words[WORDS_MAX])
{
	size_t longest = 0;

	for (size_t i = 0; i < WORDS_MAX && words[i]; i++) {
		size_t length = strlen(words[i]);

		if (length > longest && length <= text.len &&
		    strncasecmp(text.ptr, words[i], length) == 0 &&
		    (length == text.len || text.ptr[length] == '-'))
			longest = length;
	}
	return longest;
}

/* The row that matches most of the text, which is moved past it; `count`: none does. */
static size_t parse_word(struct str *text, const char *const rows[][WORDS_MAX],
			 size_t count)
{
	size_t best = count, longest = 0;

	for (size_t i = 0; i < count; i++) {
		size_t length = word_length(*text, rows[i]);

		if (length > longest) {
			longest = length;
			best = i;
		}
	}
	if (longest) {
		longest += longest < text->len; /* the dash */
		text->ptr += longest;
		text->len -= longest;
	}
	return best;
}

static size_t parse_cache(struct str *text)
{
	size_t best = COUNT(caches), longest = 0;

	for (size_t i = 0; i < COUNT(caches); i++) {
		size_t length = word_length(*text, caches[i].words);

		if (length > longest) {
			longest = length;
			best = i;
		}
	}
	text->ptr += longest;
	text->len -= longest;
	return best;
}

/*
 * CACHE[-OPERATION][-RESULT], the last two in either order, and read accesses where they
 * are not said.
 */
enum status event_cache_find(struct str name, uint64_t *config)
{
	size_t operation = COUNT(operations), result = COUNT(results);
	size_t cache = parse_cache(&name);

	if (cache == COUNT(caches))
		return ST_END;
	if (name.len) { /* the dash that word_length() saw */
		name.ptr++;
		if (--name.len == 0)
			return ST_END;
	}
	while (name.len) {
		size_t before = name.len;
		char last = name.ptr[name.len - 1];

		if (last == '-')
			return ST_END;
		if (operation == COUNT(operations))
			operation = parse_word(&name, operations, COUNT(operations));
		if (name.len == before && result == COUNT(results))
			result = parse_word(&name, results, COUNT(results));
		if (name.len == before)
			return ST_END;
	}
	if (operation == COUNT(operations))
		operation = PERF_COUNT_HW_CACHE_OP_READ;
	if (result == COUNT(results))
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	*config = cache | operation << 8 | result << 16;
	return caches[cache].has >> operation & 1 ? ST_OK : ST_UNSUPPORTED;
}

bool event_cache_name(size_t index, char *to, size_t size, uint64_t *config)
{
	for (size_t i = 0; i < COUNT(caches) * COUNT(operations) * 2; i++) {
		size_t cache = i / (COUNT(operations) * 2);
		size_t operation = i / 2 % COUNT(operations);
		bool is_miss = i % 2;

		if (!(caches[cache].has >> operation & 1) || index-- > 0)
			continue;
		snprintf(to, size, "%s-%s%s", caches[cache].words[0],
			 operations[operation][is_miss ? 0 : 1],
			 is_miss ? "-misses" : "");
		*config = cache | operation << 8 | (uint64_t)is_miss << 16;
		return true;
	}
	return false;
}

enum status event_name_find(struct str name, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < event_name_count; i++) {
		if (!str_equal(name, str_of(event_names[i].name)) &&
		    !(event_names[i].alias &&
		      str_equal(name, str_of(event_names[i].alias))))
			continue;
		*type = event_names[i].type;
		*config = event_names[i].config;
		return ST_OK;
	}
	*type = PERF_TYPE_HW_CACHE;
	return event_cache_find(name, config);
}

/* One event for each kind of core; the kernel reads the PMU's type in the upper half. */
static enum status add_for_cores(struct event_scope *scope, struct str name,
				 uint32_t type, uint64_t config)
{
	bool is_raw = type == PERF_TYPE_RAW;

	for (size_t i = 0; i < scope->pmus.count; i++) {
		const struct pmu *pmu = &scope->pmus.pmus[i];
		struct capture_event *event;
		enum status status;
		char *own;

		if (!pmu->is_core)
			continue;
		own = event_join(pmu->name, "/", name, "/");
		if (!own)
			return error_nomem(scope->error);
		status = event_add(scope, str_of(own), is_raw ? pmu->type : type,
				   config | (is_raw ? 0 : (uint64_t)pmu->type << 32),
				   &event);
		if (status == ST_OK)
			status = event_set_pmu(scope, event, pmu);
		free(own);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* "4:0x3c", a type and a config. */
static bool find_numeric(struct str name, uint32_t *type, uint64_t *config)
{
	const char *colon = memchr(name.ptr, ':', name.len);
	uint64_t number;
	size_t at = colon ? (size_t)(colon - name.ptr) : 0;

	if (!colon || !event_number((struct str){ name.ptr, at }, &number) ||
	    number > INT32_MAX ||
	    !event_number((struct str){ colon + 1, name.len - at - 1 }, config))
		return false;
	*type = (uint32_t)number;
	return true;
}

/* "rHEX"; perf reads "read" as the operation of a cache, not for 0xead. */
static bool find_raw(struct str name, uint64_t *config)
{
	return name.len > 1 && name.ptr[0] == 'r' && !str_equal(name, STR("read")) &&
	       event_hex((struct str){ name.ptr + 1, name.len - 1 }, config);
}

enum status event_add_name(struct event_scope *scope, struct str name)
{
	struct capture_event *event;
	enum status status;
	uint64_t config;
	uint32_t type;

	if (find_numeric(name, &type, &config))
		return event_add(scope, name, type, config, &event);
	status = event_name_find(name, &type, &config);
	if (status == ST_UNSUPPORTED)
		return event_fail(scope, status, "there is no cache event '%s'",
				  event_shown(name).text);
	if (status == ST_END) {
		if (!find_raw(name, &config))
			return ST_END;
		type = PERF_TYPE_RAW;
	}
	if (type != PERF_TYPE_SOFTWARE) {
		status = event_pmus(scope);
		if (status != ST_OK)
			return status;
		if (scope->pmus.cores > 1)
			return add_for_cores(scope, name, type, config);
	}
	return event_add(scope, name, type, config, &event);
}
