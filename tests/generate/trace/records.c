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

static void put_trailer(const struct trace *trace, struct byte_buf *out, unsigned event,
			const struct stamp *stamp)
{
	uint64_t type = trace->events[event].sample_type;
	uint64_t id = trace->events[event].first_id + stamp->cpu;

	if (scenario_has(trace->scenario, TRAIT_NO_TRAILERS))
		return;
	if (type & PERF_SAMPLE_TID) {
		buf_u32(out, stamp->pid);
		buf_u32(out, stamp->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		buf_u64(out, stamp->time_ns);
	if (type & PERF_SAMPLE_ID)
		buf_u64(out, id);
	if (type & PERF_SAMPLE_STREAM_ID)
		buf_u64(out, id);
	if (type & PERF_SAMPLE_CPU) {
		buf_u32(out, stamp->cpu);
		buf_u32(out, 0);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		buf_u64(out, id);
}

/* Records that perf makes up have a trailer of zeros, as long as the leader's. */
static void put_zero_trailer(const struct trace *trace, struct byte_buf *out)
{
	size_t start = out->size;

	put_trailer(trace, out, 0, &(struct stamp){ 0 });
	if (out->size > start)
		memset(out->data + start, 0, out->size - start);
}

static void finish_record(struct trace *trace, size_t start, unsigned event,
			  const struct stamp *stamp)
{
	struct byte_buf *ring = &trace->rings[stamp->cpu];

	put_trailer(trace, ring, event, stamp);
	record_end(ring, start);
}

void put_padded_name(struct byte_buf *out, const char *name)
{
	size_t length = strlen(name) + 1;

	buf_bytes(out, name, length);
	buf_zero(out, (8 - length % 8) % 8);
}

static void put_id_index(const struct trace *trace, struct byte_buf *out)
{
	unsigned cpu_count = trace->scenario->cpu_count;
	size_t start = record_begin(out, RECORD_ID_INDEX, 0);

	buf_u64(out, (uint64_t)trace->event_count * cpu_count);
	for (unsigned i = 0; i < trace->event_count; i++) {
		for (unsigned cpu = 0; cpu < cpu_count; cpu++) {
			buf_u64(out, trace->events[i].first_id + cpu);
			buf_u64(out, cpu);
			buf_u64(out, cpu);
			buf_u64(out, UINT64_MAX); /* any thread */
		}
	}
	record_end(out, start);
}

void trace_put_preamble(struct trace *trace)
{
	struct byte_buf *out = &trace->scratch;
	bool tool_records = scenario_has(trace->scenario, TRAIT_TOOL_RECORDS);

	if (tool_records || form_has(trace->form, FORM_PIPE))
		put_id_index(trace, out);
	if (tool_records) {
		size_t start = record_begin(out, RECORD_THREAD_MAP, 0);

		buf_u64(out, 1);
		buf_u64(out, UINT64_MAX);
		buf_zero(out, COMM_BYTES);
		record_end(out, start);
	}
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
	buf_u32(out, task->pid);
	buf_u32(out, task->tid);
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
	uint64_t type = trace->scenario->sample_type;
	uint64_t id = trace->events[0].first_id + sample->stamp.cpu;

	if (type & PERF_SAMPLE_IDENTIFIER)
		buf_u64(out, id);
	if (type & PERF_SAMPLE_IP)
		buf_u64(out, sample->ip);
	BUF(out, "448", sample->stamp.pid, sample->stamp.tid, sample->stamp.time_ns);
	if (type & PERF_SAMPLE_ADDR)
		buf_u64(out, 0);
	if (type & PERF_SAMPLE_ID)
		buf_u64(out, id);
	if (type & PERF_SAMPLE_STREAM_ID)
		buf_u64(out, id);
	buf_u32(out, sample->stamp.cpu);
	buf_u32(out, 0);
	if (type & PERF_SAMPLE_PERIOD)
		buf_u64(out, 1);
}

/* Body fields behind RAW that are one number each and always 0 for such events. */
static void put_sample_tail(const struct trace *trace, struct byte_buf *out)
{
	static const uint64_t plain_numbers[] = {
		PERF_SAMPLE_WEIGHT,	    PERF_SAMPLE_DATA_SRC,
		PERF_SAMPLE_TRANSACTION,    PERF_SAMPLE_PHYS_ADDR,
		PERF_SAMPLE_CGROUP,	    PERF_SAMPLE_DATA_PAGE_SIZE,
		PERF_SAMPLE_CODE_PAGE_SIZE,
	};

	for (size_t i = 0; i < COUNT(plain_numbers); i++)
		if (trace->scenario->sample_type & plain_numbers[i])
			buf_u64(out, 0);
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
	put_sample_tail(trace, out);
	record_end(out, start);
	if (!trace->first_sample_ns)
		trace->first_sample_ns = sample->stamp.time_ns;
	trace->last_sample_ns = sample->stamp.time_ns;
}

void trace_put_comm(struct trace *trace, const struct stamp *stamp, const char *comm,
		    bool exec)
{
	struct byte_buf *out = &trace->rings[stamp->cpu];
	uint16_t misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	size_t start = record_begin(out, PERF_RECORD_COMM, misc);

	buf_u32(out, stamp->pid);
	buf_u32(out, stamp->tid);
	put_padded_name(out, comm);
	finish_record(trace, start, trace->tracker, stamp);
}

static void put_task_record(struct trace *trace, uint32_t type, const struct stamp *stamp,
			    const struct trace_task *task)
{
	struct byte_buf *out = &trace->rings[stamp->cpu];
	size_t start = record_begin(out, type, 0);

	BUF(out, "44448", task->pid, task->parent_pid, task->tid, task->parent_tid,
	    stamp->time_ns);
	finish_record(trace, start, trace->tracker, stamp);
}

void trace_put_fork(struct trace *trace, const struct stamp *stamp,
		    const struct trace_task *task)
{
	put_task_record(trace, PERF_RECORD_FORK, stamp, task);
}

void trace_put_exit(struct trace *trace, const struct stamp *stamp,
		    const struct trace_task *task)
{
	put_task_record(trace, PERF_RECORD_EXIT, stamp, task);
}

void trace_put_mmap2(struct trace *trace, const struct stamp *stamp, const char *name)
{
	struct byte_buf *out = &trace->rings[stamp->cpu];
	size_t start = record_begin(out, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	buf_u32(out, stamp->pid);
	buf_u32(out, stamp->tid);
	buf_u64(out, text_address);
	buf_u64(out, 0x1000); /* length */
	buf_u64(out, 0);      /* file offset */
	buf_u32(out, 8);      /* major */
	buf_u32(out, 1);      /* minor */
	buf_u64(out, 4711);   /* inode */
	buf_u64(out, 0);      /* its generation */
	buf_u32(out, 5);      /* PROT_READ | PROT_EXEC */
	buf_u32(out, 2);      /* MAP_PRIVATE */
	put_padded_name(out, name);
	finish_record(trace, start, trace->tracker, stamp);
}

void trace_put_lost(struct trace *trace, const struct stamp *stamp, uint64_t count)
{
	struct byte_buf *out = &trace->rings[stamp->cpu];
	size_t start = record_begin(out, PERF_RECORD_LOST, 0);

	buf_u64(out, trace->events[0].first_id + stamp->cpu);
	buf_u64(out, count);
	finish_record(trace, start, 0, stamp);
}

void trace_put_lost_samples(struct trace *trace, const struct stamp *stamp,
			    uint64_t count)
{
	struct byte_buf *out = &trace->rings[stamp->cpu];
	size_t start = record_begin(out, PERF_RECORD_LOST_SAMPLES, 0);

	buf_u64(out, count);
	finish_record(trace, start, 0, stamp);
}

void trace_put_throttle(struct trace *trace, const struct stamp *stamp, bool on)
{
	struct byte_buf *out = &trace->rings[stamp->cpu];
	uint32_t type = on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE;
	uint64_t id = trace->events[0].first_id + stamp->cpu;
	size_t start = record_begin(out, type, 0);

	buf_u64(out, stamp->time_ns);
	buf_u64(out, id);
	buf_u64(out, id); /* stream id */
	finish_record(trace, start, 0, stamp);
}

void trace_put_switch(struct trace *trace, const struct stamp *stamp, bool out,
		      bool preempted, uint32_t other_pid, uint32_t other_tid)
{
	struct byte_buf *ring = &trace->rings[stamp->cpu];
	uint16_t misc = 0;
	size_t start;

	if (out)
		misc |= PERF_RECORD_MISC_SWITCH_OUT;
	if (out && preempted)
		misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	start = record_begin(ring, PERF_RECORD_SWITCH_CPU_WIDE, misc);
	buf_u32(ring, other_pid);
	buf_u32(ring, other_tid);
	finish_record(trace, start, trace->tracker, stamp);
}
