/*
 * xperf_rows.c - samples, and events of which attribution needs nothing.
 */
#include "base/array.h"
#include "formats/etw/xperf.h"

/*
 * The column says how samples were taken rather than of what: the text does not say
 * that.
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
	x->sample_kind_count++;
	return x->sample_counters[i] =
		       xperf_emit_counter(x, xperf_text(&x->texts, kind), INT_NONE);
}

void xperf_on_sample(struct xperf *x, const struct xperf_class *class,
		     const struct xperf_event *event)
{
	int64_t counter_id = sample_counter(x, kind_of_sample(&event->view));
	struct sampled_event out = { .pid = event->process.pid, .tid = event->tid };

	(void)class;
	if (counter_id == INT_NONE)
		return;
	xperf_emit_process(x, &event->process);
	row_clear(&tables[RECORD_sample], &out.row);
	out.row.ts_ns = xperf_ts_ns(x);
	out.row.cpu = event->cpu;
	out.row.counter_id = counter_id;
	out.row.mode = 0;
	out.row.ip = xperf_get_number(&event->view, COLUMN_IP);
	xperf_emit_event(x, RECORD_SAMPLED, &out, sizeof(out));
}

void xperf_on_ready(struct xperf *x, const struct xperf_class *class,
		    const struct xperf_event *event)
{
	static const struct xperf_number numbers[] = {
		XPERF_NUMBER(etw_ready_thread, cpu, COLUMN_CPU),
		XPERF_NUMBER(etw_ready_thread, adjust_reason, COLUMN_ADJUST_REASON),
		XPERF_NUMBER(etw_ready_thread, adjust_increment, COLUMN_INCREMENT),
		XPERF_NUMBER(etw_ready_thread, flags, COLUMN_IN_DPC),
	};
	const struct xperf_view *view = &event->view;
	struct etw_ready_thread_row row = { .ts_ns = xperf_ts_ns(x),
					    .thread_id = event->tid_2 };
	struct xperf_process by, readied;

	(void)class;
	if (xperf_get_process(view, COLUMN_PROCESS, &by))
		xperf_emit_process(x, &by);
	if (xperf_get_process(view, COLUMN_PROCESS_2, &readied))
		xperf_emit_process(x, &readied);
	if (!x->want_rows)
		return;
	xperf_get_numbers(view, numbers, ARRAY_COUNT(numbers), &row);
	xperf_emit_row(x, TABLE_etw_ready_thread, &row);
}

void xperf_on_interval(struct xperf *x, const struct xperf_class *class,
		       const struct xperf_event *event)
{
	static const struct xperf_number numbers[] = {
		XPERF_NUMBER(etw_interval, source, COLUMN_SOURCE),
		XPERF_NUMBER(etw_interval, new_interval, COLUMN_NEW_INTERVAL),
		XPERF_NUMBER(etw_interval, old_interval, COLUMN_OLD_INTERVAL),
	};
	struct str source = xperf_get(&event->view, COLUMN_SOURCE);
	struct etw_interval_row row = { .ts_ns = xperf_ts_ns(x), .event = class->name };

	if (!x->want_rows)
		return;
	xperf_get_numbers(&event->view, numbers, ARRAY_COUNT(numbers), &row);
	if (row.source == INT_NONE && source.len)
		row.name = xperf_text(&x->texts, source);
	xperf_emit_row(x, TABLE_etw_interval, &row);
}

void xperf_on_image(struct xperf *x, const struct xperf_class *class,
		    const struct xperf_event *event)
{
	static const struct xperf_number numbers[] = {
		XPERF_NUMBER(etw_image, addr, COLUMN_ADDRESS),
		XPERF_NUMBER(etw_image, bytes, COLUMN_SIZE),
		XPERF_NUMBER(etw_image, checksum, COLUMN_CHECKSUM),
		XPERF_NUMBER(etw_image, link_time, COLUMN_LINK_TIME),
	};
	const struct xperf_view *view = &event->view;
	struct etw_image_row row = { .ts_ns = xperf_ts_ns(x),
				     .event = class->name,
				     .pid = event->process.pid,
				     .default_addr = INT_NONE,
				     .signature_level = INT_NONE,
				     .signature_type = INT_NONE };
	struct str file = xperf_get(view, COLUMN_FILE);
	int64_t end = xperf_get_number(view, COLUMN_END);

	xperf_emit_process(x, &event->process);
	if (!x->want_rows)
		return;
	xperf_get_numbers(view, numbers, ARRAY_COUNT(numbers), &row);
	if (row.bytes == INT_NONE && end != INT_NONE && row.addr != INT_NONE &&
	    (uint64_t)end >= (uint64_t)row.addr)
		row.bytes = (int64_t)((uint64_t)end - (uint64_t)row.addr);
	if (file.len)
		row.filename = xperf_text(&x->texts, file);
	xperf_emit_row(x, TABLE_etw_image, &row);
}
