/* sink.c - opens, finishes and closes an output. */
#include "model/sink.h"

#include <stdlib.h>

#include "base/memory.h"

enum status sink_open(struct sink *sink, const struct sink_ops *ops,
		      const struct sink_options *options)
{
	enum status status;

	*sink = (struct sink){ .ops = ops };
	if (options)
		sink->options = *options;
	sink->state = memory_alloc_zeroed(1, ops->state_size ? ops->state_size : 1);
	if (!sink->state)
		return error_nomem(&sink->error);
	status = ops->open ? ops->open(sink) : ST_OK;
	if (status != ST_OK)
		sink_close(sink);
	return status;
}

enum status sink_put_run(struct sink *sink, const struct run_rows *rows)
{
	return sink->ops->put_run ? sink->ops->put_run(sink, rows)
				  : sink_put_rows(sink, rows);
}

enum status sink_put_rows(struct sink *sink, const struct run_rows *rows)
{
	const struct run *run = rows->run;
	size_t slots = run->common.count;
	enum status status = ST_OK;

	for (size_t at = rows->from; at < rows->to && status == ST_OK; at++) {
		const struct context_switch_row row = run_rows_get(rows, at);

		status = sink_put(
			sink, &(struct record){
				      .kind = RECORD_context_switch,
				      .offset = run_offset(run, at),
				      .data = &row,
				      .deltas = run->deltas + at * slots,
				      .values = (const int64_t *)run->values + at * slots,
				      .slots = slots,
			      });
	}
	return status;
}

enum status sink_end_addresses(struct sink *sink)
{
	return sink->ops->end_addresses ? sink->ops->end_addresses(sink) : ST_OK;
}

enum status sink_end_switches(struct sink *sink)
{
	return sink->ops->end_switches ? sink->ops->end_switches(sink) : ST_OK;
}

enum status sink_finish(struct sink *sink)
{
	return sink->ops->finish ? sink->ops->finish(sink) : ST_OK;
}

void sink_close(struct sink *sink)
{
	if (sink->state && sink->ops->close)
		sink->ops->close(sink);
	free(sink->state);
	sink->state = NULL;
}
