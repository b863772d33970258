/*
 * xperf_rows.c - samples, and events of which attribution needs nothing.
 */
#include "formats/etw/xperf.h"

/*
 * The column tells how samples were taken rather than of what: that the text does not
 * say.
 */
static struct str kind_of_sample(const struct xperf_view *view)
{
	struct str type = xperf_get(view, COLUMN_TYPE);

	if (type.len == 0 || str_equal(type, STR("Unbatched")) ||
	    str_equal(type, STR("Batched")))
		return STR("SampledProfile");
	if (type.len > XPERF_NAME_BYTES_MAX)
		type.len = XPERF_NAME_BYTES_MAX;
	return type;
}

/* The counter of this kind of sample, declared when it is new; INT_NONE: none. */
static int64_t sample_counter(struct xperf *x, struct str kind)
{
	size_t i = 0;

	while (i < x->sample_kind_count && !str_equal(x->sample_kinds[i], kind))
		i++;
	if (i < x->sample_kind_count)
		return x->sample_counters[i];
	if (i == XPERF_SAMPLE_KINDS_MAX) /* too many: the first stands for them */
		return x->sample_counters[0];
	x->sample_kinds[i] = arena_str(&x->kept, kind);
	if (!x->sample_kinds[i].ptr)
		return INT_NONE;
	x->sample_counters[i] = ++x->last_counter_id;
	x->sample_kind_count++;
	kind = xperf_text(&x->texts, kind);
	x->counter_row = (struct counter_row){
		.counter_id = x->sample_counters[i],
		.group_id = INT_NONE,
		.slot = INT_NONE,
		.name = kind,
		.event = kind,
		.source = STR("etw"),
		.type = INT_NONE,
		.config = INT_NONE,
		.period = INT_NONE,
	};
	xperf_put(x, RECORD_counter, &x->counter_row);
	return x->sample_counters[i];
}

void xperf_take_sample(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	struct xperf_process process;
	struct xperf_view view;
	int64_t tid, cpu, counter_id;

	if (!xperf_view(&view, class, &x->line) ||
	    !xperf_get_process(&view, COLUMN_PROCESS, &process) ||
	    !xperf_get_thread(&view, COLUMN_THREAD, &tid) ||
	    !xperf_see_cpu(x, cpu = xperf_get_number(&view, COLUMN_CPU))) {
		xperf_bad_line(reader,
			       "a SampledProfile line that does not fit its columns");
		return;
	}
	counter_id = sample_counter(x, kind_of_sample(&view));
	if (counter_id == INT_NONE)
		return;
	xperf_tell_process(x, 0, &process);
	x->sampled = (struct sampled_event){
		.pid = process.pid,
		.tid = tid,
		.row = {
			.ts_ns = xperf_ts_ns(x),
			.cpu = cpu,
			.counter_id = counter_id,
			.period = INT_NONE,
			.ip = xperf_get_number(&view, COLUMN_IP),
			.addr = INT_NONE,
			.callchain_id = INT_NONE,
			.weight = INT_NONE,
			.data_src = INT_NONE,
			.hw_transaction = INT_NONE,
			.phys_addr = INT_NONE,
			.cgroup_id = INT_NONE,
			.data_page_bytes = INT_NONE,
			.code_page_bytes = INT_NONE,
			.stack_bytes = INT_NONE,
			.aux_bytes = INT_NONE,
		},
	};
	xperf_put(x, RECORD_SAMPLED, &x->sampled);
}

void xperf_take_ready(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	struct xperf_process by, readied;
	struct xperf_view view;
	int64_t tid;

	if (!xperf_view(&view, class, &x->line) ||
	    !xperf_get_thread(&view, COLUMN_THREAD_2, &tid)) {
		xperf_bad_line(reader,
			       "a ReadyThread line that does not fit its columns");
		return;
	}
	if (xperf_get_process(&view, COLUMN_PROCESS, &by))
		xperf_tell_process(x, 0, &by);
	if (xperf_get_process(&view, COLUMN_PROCESS_2, &readied))
		xperf_tell_process(x, 1, &readied);
	if (!reader->options.want_rows)
		return;
	x->row.ready = (struct etw_ready_thread_row){
		.ts_ns = xperf_ts_ns(x),
		.cpu = xperf_get_number(&view, COLUMN_CPU),
		.thread_id = tid,
		.adjust_reason = xperf_get_number(&view, COLUMN_ADJUST_REASON),
		.adjust_increment = xperf_get_number(&view, COLUMN_INCREMENT),
		.flags = xperf_get_number(&view, COLUMN_IN_DPC),
	};
	xperf_put_row(x, TABLE_etw_ready_thread, &x->row.ready);
}

void xperf_take_interval(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	struct xperf_view view;
	struct str source;
	int64_t number;

	if (!xperf_view(&view, class, &x->line)) {
		xperf_bad_line(reader,
			       "a ProfileFreq line that does not fit its columns");
		return;
	}
	if (!reader->options.want_rows)
		return;
	source = xperf_get(&view, COLUMN_SOURCE);
	number = xperf_get_number(&view, COLUMN_SOURCE);
	x->row.interval = (struct etw_interval_row){
		.ts_ns = xperf_ts_ns(x),
		.event = class->name,
		.source = number,
		.name = number == INT_NONE && source.len ? xperf_text(&x->texts, source)
							 : STR_NONE,
		.new_interval = xperf_get_number(&view, COLUMN_NEW_INTERVAL),
		.old_interval = xperf_get_number(&view, COLUMN_OLD_INTERVAL),
	};
	xperf_put_row(x, TABLE_etw_interval, &x->row.interval);
}

void xperf_take_image(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	struct xperf_process process;
	struct xperf_view view;
	int64_t bytes, end;
	struct str file;

	if (!xperf_view(&view, class, &x->line) ||
	    !xperf_get_process(&view, COLUMN_PROCESS, &process)) {
		xperf_bad_line(reader,
			       "a line of an image that does not fit its columns");
		return;
	}
	xperf_tell_process(x, 0, &process);
	if (!reader->options.want_rows)
		return;
	x->row.image = (struct etw_image_row){
		.ts_ns = xperf_ts_ns(x),
		.event = class->name,
		.pid = process.pid,
		.addr = xperf_get_number(&view, COLUMN_ADDRESS),
		.checksum = xperf_get_number(&view, COLUMN_CHECKSUM),
		.link_time = xperf_get_number(&view, COLUMN_LINK_TIME),
		.default_addr = INT_NONE,
		.signature_level = INT_NONE,
		.signature_type = INT_NONE,
	};
	bytes = xperf_get_number(&view, COLUMN_SIZE);
	end = xperf_get_number(&view, COLUMN_END);
	if (bytes == INT_NONE && end != INT_NONE && x->row.image.addr != INT_NONE &&
	    (uint64_t)end >= (uint64_t)x->row.image.addr)
		bytes = (int64_t)((uint64_t)end - (uint64_t)x->row.image.addr);
	x->row.image.bytes = bytes;
	file = xperf_get(&view, COLUMN_FILE);
	if (file.len)
		x->row.image.filename = xperf_text(&x->texts, file);
	xperf_put_row(x, TABLE_etw_image, &x->row.image);
}
