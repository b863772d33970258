/* The events of a trace, and its records, most of them in per-CPU rings. */
#include <linux/perf_event.h>
#include <string.h>

#include "trace/parts.h"

enum {
	FLAG_DISABLED = 0,
	FLAG_MMAP = 8,
	FLAG_COMM = 9,
	FLAG_TASK = 13,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_MMAP2 = 23,
	FLAG_COMM_EXEC = 24,
	FLAG_CONTEXT_SWITCH = 26,
	FLAG_WRITE_BACKWARD = 27,
	TYPE_SOFTWARE = 1,
	SOFTWARE_DUMMY = 9,
};

static const uint64_t text_address = 0x400000;

static uint64_t tracking_flags(const struct scenario *scenario)
{
	uint64_t flags = 1u << FLAG_MMAP | 1u << FLAG_COMM | 1u << FLAG_TASK |
			 1u << FLAG_MMAP2 | 1u << FLAG_COMM_EXEC;

	if (scenario_has(scenario, TRAIT_SWITCH))
		flags |= 1u << FLAG_CONTEXT_SWITCH;
	return flags;
}

static void add_event(struct trace *trace, const struct trace_event *event)
{
	struct trace_event *added = &trace->events[trace->event_count];
	unsigned cpu_count = trace->scenario->cpu_count;

	*added = *event;
	if (!scenario_has(trace->scenario, TRAIT_NO_TRAILERS))
		added->flags |= 1u << FLAG_SAMPLE_ID_ALL;
	if (form_has(trace->form, FORM_BACKWARD))
		added->flags |= 1u << FLAG_WRITE_BACKWARD;
	added->first_id = 300 + (uint64_t)trace->event_count * cpu_count;
	trace->event_count++;
}

void trace_add_events(struct trace *trace)
{
	const struct scenario *scenario = trace->scenario;
	bool has_tracker = scenario_has(scenario, TRAIT_TRACKER);
	struct trace_event dummy = {
		.spec = { "dummy:HG", TYPE_SOFTWARE, SOFTWARE_DUMMY },
		.period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.read_format = PERF_FORMAT_ID,
		.flags = tracking_flags(scenario),
	};

	for (unsigned i = 0; i < scenario->counter_count; i++) {
		struct trace_event event = {
			.spec = scenario_counter(scenario, i),
			.period = i == 0,
			.sample_type = scenario->sample_type,
			.read_format = scenario->read_format,
		};

		if (i == 0)
			event.flags = 1u << FLAG_DISABLED;
		if (i == 0 && !has_tracker)
			event.flags |= tracking_flags(scenario);
		add_event(trace, &event);
	}
	if (has_tracker) {
		trace->tracker = trace->event_count;
		add_event(trace, &dummy);
	}
}

size_t record_begin(struct byte_buf *out, uint32_t type, uint16_t misc)
{
	size_t start = out->size;

	BUF(out, "422", type, misc, 0);
	return start;
}

void record_end_unaligned(struct byte_buf *out, size_t start)
{
	size_t size = out->size - start;

	if (size > UINT16_MAX)
		die("record of %zu bytes cannot be written", size);
	buf_set_u16(out, start + 6, (uint16_t)size);
}

void record_end(struct byte_buf *out, size_t start)
{
	if ((out->size - start) % 8)
		die("record of %zu bytes cannot be written", out->size - start);
	record_end_unaligned(out, start);
}

/* A field that is there if its bit of sample_type is set. */
struct sample_field {
	uint64_t bit;
	const char *layout;
	uint64_t values[2];
};

static void put_fields(struct byte_buf *out, uint64_t type,
		       const struct sample_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (type & fields[i].bit)
			buf_structure(out, fields[i].layout, fields[i].values,
				      strlen(fields[i].layout));
}

static void put_trailer(const struct trace *trace, struct byte_buf *out, unsigned event,
			const struct stamp *stamp)
{
	uint64_t id = trace->events[event].first_id + stamp->cpu;
	const struct sample_field fields[] = {
		{ PERF_SAMPLE_TID, "44", { stamp->pid, stamp->tid } },
		{ PERF_SAMPLE_TIME, "8", { stamp->time_ns } },
		{ PERF_SAMPLE_ID, "8", { id } },
		{ PERF_SAMPLE_STREAM_ID, "8", { id } },
		{ PERF_SAMPLE_CPU, "44", { stamp->cpu, 0 } },
		{ PERF_SAMPLE_IDENTIFIER, "8", { id } },
	};

	if (!scenario_has(trace->scenario, TRAIT_NO_TRAILERS))
		put_fields(out, trace->events[event].sample_type, fields, COUNT(fields));
}

/* Records that perf makes up have a trailer of zeros, as long as the leader's. */
static void put_zero_trailer(const struct trace *trace, struct byte_buf *out)
{
	size_t start = out->size;

	put_trailer(trace, out, 0, &(struct stamp){ 0 });
	if (out->size > start)
		memset(out->data + start, 0, out->size - start);
}

void put_padded_name(struct byte_buf *out, const char *name)
{
	size_t length = strlen(name) + 1;

	buf_bytes(out, name, length);
	buf_zero(out, (8 - length % 8) % 8);
}

/* A record in the ring of the stamp's CPU: numbers, a name or NULL, and the trailer. */
static void put_record(struct trace *trace, const struct stamp *stamp, unsigned event,
		       uint32_t type, uint16_t misc, const char *name, const char *layout,
		       const uint64_t *values)
{
	struct byte_buf *ring = &trace->rings[stamp->cpu];
	size_t start = record_begin(ring, type, misc);

	buf_structure(ring, layout, values, strlen(layout));
	if (name)
		put_padded_name(ring, name);
	put_trailer(trace, ring, event, stamp);
	record_end(ring, start);
}

static void put_id_index(const struct trace *trace, struct byte_buf *out)
{
	unsigned cpu_count = trace->scenario->cpu_count;
	size_t start = record_begin(out, RECORD_ID_INDEX, 0);

	buf_u64(out, (uint64_t)trace->event_count * cpu_count);
	for (unsigned i = 0; i < trace->event_count; i++)
		for (unsigned cpu = 0; cpu < cpu_count; cpu++) /* of any thread */
			BUF(out, "8888", trace->events[i].first_id + cpu, cpu, cpu,
			    UINT64_MAX);
	record_end(out, start);
}

static void put_cgroups(const struct trace *trace, struct byte_buf *out)
{
	for (unsigned i = 0; i + 1 < CGROUP_COUNT; i++) {
		size_t start = record_begin(out, PERF_RECORD_CGROUP, 0);

		buf_u64(out, cgroups[i].id);
		put_padded_name(out, cgroups[i].path);
		put_zero_trailer(trace, out);
		record_end(out, start);
	}
}

void trace_put_preamble(struct trace *trace)
{
	struct byte_buf *out = &trace->scratch;
	bool tool_records = scenario_has(trace->scenario, TRAIT_TOOL_RECORDS);

	if (tool_records || form_has(trace->form, FORM_PIPE))
		put_id_index(trace, out);
	if (tool_records) {
		size_t start = record_begin(out, RECORD_THREAD_MAP, 0);

		BUF(out, "8888", 1, UINT64_MAX, 0, 0);
		record_end(out, start);
	}
	if (scenario_has(trace->scenario, TRAIT_CGROUPS))
		put_cgroups(trace, out);
	output_put(trace, out);
}

void trace_put_existing(struct trace *trace, const struct trace_task *task,
			const char *comm)
{
	struct byte_buf *out = &trace->scratch;
	size_t start = record_begin(out, PERF_RECORD_FORK, 0);

	BUF(out, "44448", task->pid, task->parent_pid, task->tid, task->parent_tid, 0);
	put_zero_trailer(trace, out);
	record_end(out, start);
	start = record_begin(out, PERF_RECORD_COMM, 0);
	BUF(out, "44", task->pid, task->tid);
	put_padded_name(out, comm);
	put_zero_trailer(trace, out);
	record_end(out, start);
	output_put(trace, out);
}

void trace_put_ready(struct trace *trace)
{
	struct byte_buf *out = &trace->scratch;

	if (!scenario_has(trace->scenario, TRAIT_TOOL_RECORDS))
		return;
	record_end(out, record_begin(out, RECORD_FINISHED_INIT, 0));
	output_put(trace, out);
}

static void put_read(const struct trace *trace, struct byte_buf *out,
		     const struct trace_sample *sample)
{
	uint64_t format = trace->scenario->read_format;

	buf_u64(out, trace->scenario->counter_count);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		buf_u64(out, sample->enabled_ns);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		buf_u64(out, sample->running_ns);
	for (unsigned i = 0; i < trace->scenario->counter_count; i++) {
		buf_u64(out, sample->values[i]);
		if (format & PERF_FORMAT_ID)
			buf_u64(out, trace->events[i].first_id + sample->stamp.cpu);
		if (format & PERF_FORMAT_LOST)
			buf_u64(out, i ? 0 : sample->lost);
	}
}

/* Body fields before READ, in the order of the ABI. */
static void put_sample_head(const struct trace *trace, struct byte_buf *out,
			    const struct trace_sample *sample)
{
	uint64_t id = trace->events[0].first_id + sample->stamp.cpu;
	const struct sample_field fields[] = {
		{ PERF_SAMPLE_IDENTIFIER, "8", { id } },
		{ PERF_SAMPLE_IP, "8", { sample->ip } },
		{ PERF_SAMPLE_TID, "44", { sample->stamp.pid, sample->stamp.tid } },
		{ PERF_SAMPLE_TIME, "8", { sample->stamp.time_ns } },
		{ PERF_SAMPLE_ADDR, "8", { 0 } },
		{ PERF_SAMPLE_ID, "8", { id } },
		{ PERF_SAMPLE_STREAM_ID, "8", { id } },
		{ PERF_SAMPLE_CPU, "44", { sample->stamp.cpu, 0 } },
		{ PERF_SAMPLE_PERIOD, "8", { 1 } },
	};

	put_fields(out, trace->scenario->sample_type, fields, COUNT(fields));
}

/* Body fields after RAW, one number each; all but the control group are 0. */
static void put_sample_tail(const struct trace *trace, struct byte_buf *out,
			    uint64_t cgroup_id)
{
	static const uint64_t numbers = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
					PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |
					PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
					PERF_SAMPLE_CODE_PAGE_SIZE;

	for (uint64_t left = trace->scenario->sample_type & numbers; left;
	     left &= left - 1)
		buf_u64(out, (left & -left) == PERF_SAMPLE_CGROUP ? cgroup_id : 0);
}

void trace_put_sample(struct trace *trace, const struct trace_sample *sample)
{
	struct byte_buf *out = &trace->rings[sample->stamp.cpu];
	uint64_t type = trace->scenario->sample_type;
	size_t start = record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	put_sample_head(trace, out, sample);
	put_read(trace, out, sample);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		BUF(out, "8888", 3, (uint64_t)PERF_CONTEXT_KERNEL, sample->ip,
		    sample->ip + 0x100);
	}
	if (type & PERF_SAMPLE_RAW)
		sched_put_raw(out, trace->scenario, &sample->sched);
	put_sample_tail(trace, out, sample->cgroup_id);
	record_end(out, start);
	if (!trace->first_sample_ns)
		trace->first_sample_ns = sample->stamp.time_ns;
	trace->last_sample_ns = sample->stamp.time_ns;
}

void trace_put_comm(struct trace *trace, const struct stamp *stamp, const char *comm,
		    bool exec)
{
	const uint64_t values[] = { stamp->pid, stamp->tid };

	put_record(trace, stamp, trace->tracker, PERF_RECORD_COMM,
		   exec ? PERF_RECORD_MISC_COMM_EXEC : 0, comm, "44", values);
}

static void put_task(struct trace *trace, uint32_t type, const struct stamp *stamp,
		     const struct trace_task *task)
{
	const uint64_t values[] = { task->pid, task->parent_pid, task->tid,
				    task->parent_tid, stamp->time_ns };

	put_record(trace, stamp, trace->tracker, type, 0, NULL, "44448", values);
}

void trace_put_fork(struct trace *trace, const struct stamp *stamp,
		    const struct trace_task *task)
{
	put_task(trace, PERF_RECORD_FORK, stamp, task);
	trace->late[stamp->cpu] = scenario_has(trace->scenario, TRAIT_LATE_FORK);
}

void trace_put_exit(struct trace *trace, const struct stamp *stamp,
		    const struct trace_task *task)
{
	put_task(trace, PERF_RECORD_EXIT, stamp, task);
}

void trace_put_mmap2(struct trace *trace, const struct stamp *stamp, const char *name)
{
	/* pid, tid; address, length, file offset; major, minor, inode, its generation;
	 * PROT_READ | PROT_EXEC, MAP_PRIVATE */
	const uint64_t values[] = { stamp->pid, stamp->tid, text_address, 0x1000, 0,
				    8,		1,	    4711,	  0,	  5,
				    2 };

	put_record(trace, stamp, trace->tracker, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
		   name, "44888448844", values);
}

void trace_put_lost(struct trace *trace, const struct stamp *stamp, uint64_t count)
{
	const uint64_t values[] = { trace->events[0].first_id + stamp->cpu, count };

	put_record(trace, stamp, 0, PERF_RECORD_LOST, 0, NULL, "88", values);
}

void trace_put_lost_samples(struct trace *trace, const struct stamp *stamp,
			    uint64_t count)
{
	put_record(trace, stamp, 0, PERF_RECORD_LOST_SAMPLES, 0, NULL, "8", &count);
}

void trace_put_throttle(struct trace *trace, const struct stamp *stamp, bool on)
{
	uint64_t id = trace->events[0].first_id + stamp->cpu;
	const uint64_t values[] = { stamp->time_ns, id, id };

	put_record(trace, stamp, 0, on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, 0,
		   NULL, "888", values);
}

void trace_put_switch(struct trace *trace, const struct stamp *stamp, bool out,
		      bool preempted, uint32_t other_pid, uint32_t other_tid)
{
	const uint64_t values[] = { other_pid, other_tid };
	uint16_t misc = 0;

	if (out)
		misc |= PERF_RECORD_MISC_SWITCH_OUT;
	if (out && preempted)
		misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	put_record(trace, stamp, trace->tracker, PERF_RECORD_SWITCH_CPU_WIDE, misc, NULL,
		   "44", values);
}
