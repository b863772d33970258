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
