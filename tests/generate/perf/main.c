/*
 * make_perf - perf.data files with what few recorders write, or with one thing wrong, and
 * the damage that a reader must report (.findings: kind|count).
 *
 *   make_perf --list
 *   make_perf DIR [CASE]
 */
#include <string.h>

#include "common/cases.h"
#include "perf/build.h"

static const uint64_t kernel_mark = (uint64_t)-128, user_mark = (uint64_t)-512,
		      deferred_mark = (uint64_t)-640;

/* What a case adds to a file that is otherwise the same for all of its kind. */
struct job {
	struct byte_buf out;
	struct byte_buf findings;
	bool is_bad; /* of a pair of cases, the bad one */
};

static void expect(struct job *job, const char *kind, unsigned int count)
{
	buf_text(&job->findings, "%s|%u\n", kind, count);
}

static const struct event clock_event = {
	.type = TYPE_SOFTWARE,
	.config = CPU_CLOCK,
	.period = 1000000,
	.sample_type = HAS_TID | HAS_TIME | HAS_CPU | HAS_IDENTIFIER,
	.read_format = 1 << 2,
	.flags = SAMPLE_ID_ALL,
	.id = 71,
	.name = "cpu-clock",
};

/* IDENTIFIER, TID, TIME, CPU: cpu-clock fired on CPU 1. */
static void put_clock_sample(struct byte_buf *out, uint64_t time_ns)
{
	size_t start = begin_record(out, RECORD_SAMPLE);

	BUF(out, "844844", clock_event.id, 501, 501, time_ns, 1, 0);
	end_record(out, start);
}

/* --- lists of CPUs --- */

/* perf 4.5 to 4.19 did not pad these; 0: list of CPUs 0, 1 and 6; mask of 1 and 64. */
static void cpu_map(struct job *job)
{
	size_t start;

	put_pipe_header(&job->out);
	put_attr_record(&job->out, &clock_event);
	put_name_update(&job->out, &clock_event);
	start = begin_record(&job->out, RECORD_CPU_MAP);
	BUF(&job->out, "22222", 0, job->is_bad ? 9 : 3, 0, 1, 6);
	end_record(&job->out, start);
	start = begin_record(&job->out, RECORD_CPU_MAP);
	BUF(&job->out, "222488", 1, job->is_bad ? 600 : 2, 8, 0, 2, 1);
	end_record(&job->out, start);
	put_comm(&job->out, &clock_event, 1000, 501, "one");
	put_clock_sample(&job->out, 2000);
	put_clock_sample(&job->out, 3000);
	if (job->is_bad)
		expect(job, "short_record", 2);
}

/* --- names and events --- */

static const struct event pair[] = {
	{ TYPE_SOFTWARE, CONTEXT_SWITCHES, 1,
	  HAS_TID | HAS_TIME | HAS_CPU | HAS_READ | HAS_IDENTIFIER, READ_GROUP_ID,
	  SAMPLE_ID_ALL, 81, "switches/name=a/" },
	{ TYPE_SOFTWARE, TASK_CLOCK, 0,
	  HAS_TID | HAS_TIME | HAS_CPU | HAS_READ | HAS_IDENTIFIER, READ_GROUP_ID,
	  SAMPLE_ID_ALL, 82, "clock/name=b/" },
};

/* IDENTIFIER, TID, TIME, CPU, READ: the n-th switch of CPU 0. */
static void put_pair_sample(struct byte_buf *out, uint32_t tid, uint64_t n)
{
	size_t start = begin_record(out, RECORD_SAMPLE);

	BUF(out, "84484488888", pair[0].id, tid, tid, 1000 * n, 0, 0, COUNT(pair), n,
	    pair[0].id, 700 * n, pair[1].id);
	end_record(out, start);
}

/*
 * Switches whose CPU only ID_INDEX has; the bad one counts an entry more than it has, so
 * none of them is used.
 */
static void id_index(struct job *job)
{
	struct event events[COUNT(pair)];
	size_t start;

	memcpy(events, pair, sizeof(events));
	put_pipe_header(&job->out);
	for (size_t i = 0; i < COUNT(pair); i++) {
		events[i].sample_type &= ~(uint64_t)HAS_CPU;
		put_attr_record(&job->out, &events[i]);
		put_name_update(&job->out, &events[i]);
	}
	start = begin_record(&job->out, RECORD_ID_INDEX);
	buf_u64(&job->out, COUNT(pair) + job->is_bad);
	for (size_t i = 0; i < COUNT(pair); i++)
		BUF(&job->out, "8888", pair[i].id, 0, 3, UINT64_MAX);
	end_record(&job->out, start);
	for (uint64_t n = 1; n <= 4; n++) {
		uint32_t tid = 501 + n % 2;

		start = begin_record(&job->out, RECORD_SAMPLE);
		BUF(&job->out, "844888888", pair[0].id, tid, tid, 1000 * n, COUNT(pair),
		    n, pair[0].id, 700 * n, pair[1].id);
		end_record(&job->out, start);
	}
	if (job->is_bad) {
		expect(job, "short_record", 1);
		expect(job, "bad_cpu", 4);
	}
}

/* perf 4.14 to 4.16 wrote the features of a pipe before its attributes. */
static void early_names(struct job *job)
{
	size_t start;

	put_pipe_header(&job->out);
	put_text_feature_record(&job->out, FEATURE_OSRELEASE, "4.14.0");
	start = job->out.size;
	put_event_desc_record(&job->out, pair, COUNT(pair));
	if (job->is_bad) { /* cut inside the second event */
		job->out.size -= 40;
		end_record(&job->out, start);
		expect(job, "bad_section", 1);
	}
	start = begin_record(&job->out, RECORD_HEADER_FEATURE);
	BUF(&job->out, "84", FEATURE_GROUP_DESC, 1);
	put_text(&job->out, "{a,b}");
	BUF(&job->out, "44", 0, COUNT(pair));
	end_record(&job->out, start);
	for (size_t i = 0; i < COUNT(pair); i++)
		put_attr_record(&job->out, &pair[i]);
	for (uint64_t n = 1; n <= 6; n++)
		put_pair_sample(&job->out, 501 + n % 2, n);
}

/* Named after the first record, as by its number: still without a "#2". */
static void late_name(struct job *job)
{
	put_pipe_header(&job->out);
	put_attr_record(&job->out, &clock_event);
	put_comm(&job->out, &clock_event, 1000, 501, "one");
	put_clock_sample(&job->out, 2000);
	put_event_desc_record(&job->out, &clock_event, 1);
	put_name_update(&job->out, &clock_event);
	put_clock_sample(&job->out, 3000);
}

/* perf ended before its first event. */
static void no_event(struct job *job)
{
	put_pipe_header(&job->out);
	expect(job, "unfinished", 1);
}

static void no_event_features(struct job *job)
{
	put_pipe_header(&job->out);
	put_text_feature_record(&job->out, FEATURE_OSRELEASE, "4.14.0");
	put_event_desc_record(&job->out, pair, COUNT(pair));
	expect(job, "unfinished", 1);
}

static void put_clock_file(struct job *job, uint64_t claimed)
{
	struct byte_buf records = { 0 };

	put_comm(&records, &clock_event, 1000, 501, "one");
	put_clock_sample(&records, 2000);
	put_file(&job->out, &clock_event, 1, &records, claimed);
	buf_release(&records);
}

static void no_event_file(struct job *job)
{
	put_clock_file(job, 0);
	job->out.size = 104 + 60; /* inside the attribute */
	expect(job, "truncated", 1);
}

static void no_record_file(struct job *job)
{
	put_clock_file(job, 0);
	job->out.size = 104 + 128 + 4; /* inside the ids */
	expect(job, "truncated", 1);
	expect(job, "bad_section", 1);
}

static void feature_size(struct job *job)
{
	put_clock_file(job, UINT64_C(1) << 63);
	expect(job, "bad_section", 1);
}

/* --- call chains and branches of switches --- */

static const struct event off_cpu = {
	.type = TYPE_SOFTWARE,
	.config = CONTEXT_SWITCHES,
	.period = 1,
	.sample_type = HAS_TID | HAS_TIME | HAS_CPU | HAS_READ | HAS_CHAIN |
		       HAS_BRANCHES | HAS_IDENTIFIER,
	.read_format = READ_GROUP_ID,
	.flags = SAMPLE_ID_ALL,
	.id = 91,
	.name = "context-switches",
};

/* Of the third switch of the bad file the branches are too many for the record. */
static void switch_fields(struct job *job)
{
	put_pipe_header(&job->out);
	put_attr_record(&job->out, &off_cpu);
	put_name_update(&job->out, &off_cpu);
	put_comm(&job->out, &off_cpu, 500, 501, "one");
	put_comm(&job->out, &off_cpu, 500, 502, "two");
	for (uint64_t n = 1; n <= 6; n++) {
		uint32_t tid = 501 + n % 2;
		size_t start = begin_record(&job->out, RECORD_SAMPLE);

		BUF(&job->out, "844844888", off_cpu.id, tid, tid, 1000 * n, 0, 0, 1, n,
		    off_cpu.id);
		BUF(&job->out, "888888", 5, kernel_mark, 0xffffffff81000000, user_mark,
		    0x401000 + tid, 0x400800);
		BUF(&job->out, "8888888", job->is_bad && n == 3 ? 2000 : 2, 0x401100,
		    0x401200, 1, 0x401300, 0x401400 + n, 2);
		end_record(&job->out, start);
	}
	if (job->is_bad)
		expect(job, "bad_tail", 1);
}

/* The user part of a chain, recorded later; in the bad file the second is too long. */
static void deferred(struct job *job)
{
	struct event sampled = clock_event;

	sampled.sample_type |= HAS_CHAIN;
	put_pipe_header(&job->out);
	put_attr_record(&job->out, &sampled);
	put_name_update(&job->out, &sampled);
	put_comm(&job->out, &sampled, 500, 501, "one");
	for (uint64_t n = 1; n <= 2; n++) {
		size_t start = begin_record(&job->out, RECORD_SAMPLE);

		BUF(&job->out, "844844", sampled.id, 501, 501, 1000 * n, 1, 0);
		BUF(&job->out, "88888", 4, kernel_mark, 0xffffffff81000000 + n,
		    deferred_mark, 7000 + n);
		end_record(&job->out, start);
		start = begin_record(&job->out, RECORD_DEFERRED);
		BUF(&job->out, "88888", 7000 + n, job->is_bad && n == 2 ? 1u << 30 : 3,
		    user_mark, 0x401000, 0x400800 + n);
		BUF(&job->out, "448448", 501, 501, 1000 * n + 1, 1, 0, sampled.id);
		end_record(&job->out, start);
	}
	if (job->is_bad)
		expect(job, "short_record", 1);
}

/* --- perf sched stats --- */

/* Numbers that rise by one, so that each column has a value of its own. */
static void put_numbers(struct byte_buf *out, size_t count, uint32_t first)
{
	for (uint32_t i = 0; i < count; i++)
		buf_u32(out, first + i);
}

static void put_schedstat(struct job *job, uint16_t version, size_t counts)
{
	size_t start = begin_record(&job->out, RECORD_SCHEDSTAT_CPU);

	BUF(&job->out, "8422", 4294900000 + version, 1, version, 0);
	put_numbers(&job->out, 6, 100 * version);
	BUF(&job->out, "888", 7, 8, UINT64_C(1) << 33);
	end_record(&job->out, start);
	start = begin_record(&job->out, RECORD_SCHEDSTAT_DOMAIN);
	BUF(&job->out, "8422", 4294900000 + version, 1, version, 2);
	put_numbers(&job->out, counts, 100 * version);
	buf_align(&job->out, start, 8);
	end_record(&job->out, start);
}

static void begin_schedstat(struct job *job)
{
	put_pipe_header(&job->out);
	put_attr_record(&job->out, &clock_event);
	put_name_update(&job->out, &clock_event);
}

static void schedstat(struct job *job)
{
	begin_schedstat(job);
	put_schedstat(job, 15, 36);
	put_schedstat(job, 16, 36);
	put_schedstat(job, 17, job->is_bad ? 36 : 45);
	if (job->is_bad)
		expect(job, "short_record", 1);
}

/* A version that is not known: kept as bytes. */
static void schedstat_version(struct job *job)
{
	begin_schedstat(job);
	put_schedstat(job, 18, 50);
}

/* --- perf stat -I --- */

static void stat_rounds(struct job *job)
{
	size_t start;

	put_pipe_header(&job->out);
	put_attr_record(&job->out, &clock_event);
	put_name_update(&job->out, &clock_event);
	start = begin_record(&job->out, RECORD_STAT_CONFIG);
	BUF(&job->out, "888", 1, 1, 100);
	end_record(&job->out, start);
	for (uint64_t round = 1; round <= 3; round++) {
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			start = begin_record(&job->out, RECORD_STAT);
			BUF(&job->out, "844888", clock_event.id, cpu, 0,
			    round * round * 1000 + cpu, round * 2000, round * 1900);
			if (job->is_bad && round == 2 && cpu == 1)
				job->out.size -= 16;
			end_record(&job->out, start);
		}
		start = begin_record(&job->out, RECORD_STAT_ROUND);
		BUF(&job->out, "88", round == 3, round * 100000000);
		end_record(&job->out, start);
	}
	if (job->is_bad)
		expect(job, "short_record", 1);
}

static void hybrid(struct job *job)
{
	put_hybrid(&job->out);
}

/* --- records that are cut short --- */

/* Fields of a record, and what every record of the kernel ends with; cut to `bytes`. */
static void put_cut(struct job *job, uint32_t type, size_t bytes, uint64_t time_ns)
{
	size_t start = begin_record(&job->out, type);

	if (type == RECORD_COMM)
		BUF(&job->out, "448", 502, 502, 0x6f7774); /* two */
	else if (type != RECORD_SWITCH)
		BUF(&job->out, "44448", 502, 501, 502, 501, time_ns);
	BUF(&job->out, "448448", 502, 502, time_ns, 1, 0, clock_event.id);
	if (job->is_bad)
		job->out.size = start + bytes;
	end_record(&job->out, start);
}

/* One entry of the build ids; bad: it claims to be longer than all of them. */
static void put_build_ids(struct job *job)
{
	size_t start = begin_record(&job->out, RECORD_HEADER_FEATURE);

	BUF(&job->out, "8422", FEATURE_BUILD_ID, 0, 2, job->is_bad ? 400 : 48);
	BUF(&job->out, "488884", 501, 1, 2, 3, 0x656e6f, 0);
	end_record(&job->out, start);
}

static void short_records(struct job *job)
{
	size_t start;

	put_pipe_header(&job->out);
	put_attr_record(&job->out, &clock_event);
	put_name_update(&job->out, &clock_event);
	put_build_ids(job);
	start = begin_record(&job->out, RECORD_THREAD_MAP);
	BUF(&job->out, "88888", job->is_bad ? 3 : 1, 501, 0x656e6f, 0, 0);
	job->out.size -= 8;
	end_record(&job->out, start);
	put_comm(&job->out, &clock_event, 1000, 501, "one");
	put_cut(job, RECORD_FORK, 16, 1100);
	put_cut(job, RECORD_COMM, 8, 1200);
	put_cut(job, RECORD_COMM, 16, 1300);
	put_clock_sample(&job->out, 2000);
	put_cut(job, RECORD_SWITCH, 8, 2100);
	put_cut(job, RECORD_EXIT, 8, 2200);
	put_cut(job, RECORD_EXIT, 24, 2300);
	put_clock_sample(&job->out, 3000);
	if (!job->is_bad)
		return;
	expect(job, "short_record", 6);
	expect(job, "bad_cpu", 1);
	expect(job, "bad_section", 1);
}

/* Kinds of maps, features and group members that are not known: reported, but sound. */
static void unknown_kinds(struct job *job)
{
	size_t start;

	put_pipe_header(&job->out);
	for (size_t i = 0; i < COUNT(pair); i++)
		put_attr_record(&job->out, &pair[i]);
	start = begin_record(&job->out, RECORD_CPU_MAP);
	BUF(&job->out, "2222", 9, 1, 2, 3);
	end_record(&job->out, start);
	start = begin_record(&job->out, RECORD_HEADER_FEATURE);
	BUF(&job->out, "88", 300, 7);
	end_record(&job->out, start);
	put_pair_sample(&job->out, 501, 1);
	start = begin_record(&job->out, RECORD_SAMPLE);
	BUF(&job->out, "84484488888", pair[1].id, 501, 501, 2000, 0, 0, COUNT(pair), 2,
	    99, 1400, pair[1].id);
	end_record(&job->out, start);
}

/* Samples of an event that no attribute describes. */
static void unknown_id(struct job *job)
{
	size_t start;

	put_pipe_header(&job->out);
	put_attr_record(&job->out, &clock_event);
	put_clock_sample(&job->out, 2000);
	for (uint64_t n = 0; n < 2; n++) {
		start = begin_record(&job->out, RECORD_SAMPLE);
		BUF(&job->out, "844844", clock_event.id + 900, 501, 501, 3000 + n, 1, 0);
		end_record(&job->out, start);
	}
	put_clock_sample(&job->out, 4000);
	expect(job, "unknown_id", 2);
}

/* The size of the header and the distance of attributes are not what the file has. */
static void header_sizes(struct job *job)
{
	put_clock_file(job, 0);
	memset(job->out.data + 8, 0, 16);
	expect(job, "repaired", 2);
}

/* Hardware trace data after its record. */
static void payload(struct job *job)
{
	size_t start;

	put_pipe_header(&job->out);
	put_attr_record(&job->out, &clock_event);
	put_clock_sample(&job->out, 2000);
	start = begin_record(&job->out, RECORD_AUXTRACE);
	BUF(&job->out, "8884444", 64, 0, 1, 0, 501, 0, 0);
	end_record(&job->out, start);
	for (unsigned int i = 0; i < 8; i++)
		buf_u64(&job->out, UINT64_MAX);
	put_clock_sample(&job->out, 3000);
}

static const struct event placed = {
	.type = TYPE_SOFTWARE,
	.config = CPU_CLOCK,
	.period = 1000000,
	.sample_type = HAS_IP | HAS_TID | HAS_TIME | HAS_CPU | HAS_IDENTIFIER,
	.flags = SAMPLE_ID_ALL,
	.id = 73,
	.name = "cpu-clock",
};

/* Parts of a library that are mapped over one another again and again. */
static void many_mappings(struct job *job)
{
	put_pipe_header(&job->out);
	put_attr_record(&job->out, &placed);
	for (uint64_t n = 1; n <= 40; n++) {
		size_t start;

		put_mapping(&job->out, &placed, 1000 * n, 501, 0x400000 - 16 * n);
		start = begin_record(&job->out, RECORD_SAMPLE);
		BUF(&job->out, "8844844", placed.id, 0x400010, 501, 501, 1000 * n + 1, 1,
		    0);
		end_record(&job->out, start);
	}
}

/* --- the cases --- */

static const struct {
	const char *name;
	void (*put)(struct job *job);
} cases[] = {
	{ "good-short-records", short_records },
	{ "bad-short-records", short_records },
	{ "odd-unknown-kinds", unknown_kinds },
	{ "bad-unknown-id", unknown_id },
	{ "bad-header-sizes", header_sizes },
	{ "odd-payload", payload },
	{ "odd-many-mappings", many_mappings },
	{ "good-cpu-map", cpu_map },
	{ "bad-cpu-map", cpu_map },
	{ "good-id-index", id_index },
	{ "bad-id-index", id_index },
	{ "good-early-names", early_names },
	{ "bad-early-names", early_names },
	{ "good-late-name", late_name },
	{ "bad-no-event", no_event },
	{ "bad-no-event-features", no_event_features },
	{ "bad-no-event-file", no_event_file },
	{ "bad-no-record-file", no_record_file },
	{ "bad-feature-size", feature_size },
	{ "good-switch-fields", switch_fields },
	{ "bad-switch-fields", switch_fields },
	{ "good-deferred", deferred },
	{ "bad-deferred", deferred },
	{ "good-schedstat", schedstat },
	{ "bad-schedstat", schedstat },
	{ "odd-schedstat-version", schedstat_version },
	{ "good-stat", stat_rounds },
	{ "bad-stat", stat_rounds },
	{ "good-hybrid", hybrid },
};

static void make(const char *directory, const char *name)
{
	struct job job = { .is_bad = strncmp(name, "bad-", 4) == 0 };

	for (size_t i = 0; i < COUNT(cases); i++)
		if (strcmp(cases[i].name, name) == 0)
			cases[i].put(&job);
	case_save(directory, name, "data", &job.out);
	case_save(directory, name, "findings", &job.findings);
}

int main(int argc, char **argv)
{
	struct fault names[COUNT(cases)];

	for (size_t i = 0; i < COUNT(cases); i++)
		names[i] = (struct fault){ .name = cases[i].name };
	return make_cases(names, COUNT(cases),
			  "usage: make_perf --list\n"
			  "       make_perf DIR [CASE]\n",
			  make, argc, argv);
}
