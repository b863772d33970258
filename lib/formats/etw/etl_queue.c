/*
 * etl_queue.c - what the decoders of events share: the queue of records on their way out,
 * and the check that ends every decoder.
 */
#include <assert.h>

#include "formats/etw/etl.h"

void etl_put(struct etl_output *output, enum record_kind kind, const void *data,
	     uint64_t offset)
{
	struct etl_queue *queue = &output->queue;

	assert(queue->count < sizeof(queue->records) / sizeof(queue->records[0]));
	queue->records[queue->count++] =
		(struct record){ .kind = kind, .offset = offset, .data = data };
}

void etl_put_row(struct etl_output *output, enum etw_table table, const void *row,
		 uint64_t offset)
{
	struct etl_queue *queue = &output->queue;

	assert(queue->count < sizeof(queue->records) / sizeof(queue->records[0]));
	queue->records[queue->count++] = etw_row(table, row, offset);
}

bool etl_next_queued(struct etl_output *output, struct record *out)
{
	struct etl_queue *queue = &output->queue;
	const struct record *from;

	if (queue->next == queue->count)
		return false;
	/* Field by field, as it was written: that is what the CPU still has at hand. */
	from = &queue->records[queue->next++];
	out->kind = from->kind;
	out->offset = from->offset;
	out->data = from->data;
	out->table = from->table;
	out->deltas = out->values = NULL;
	out->slots = 0;
	return true;
}

bool etl_payload_is_whole(struct etl_output *output, const struct etl_event *event,
			  const struct cursor *c)
{
	if (c->overrun)
		finding_report(
			output->findings, FINDING_SHORT_RECORD, event->offset,
			"%s event, group %02x, opcode %02x, version %u, of %u bytes: "
			"too short for its fields",
			etl_header_name(event), event->group, event->opcode,
			event->version, event->size);
	else if (cursor_left(c))
		finding_add(output->findings, FINDING_NEWER_FIELDS, event->offset, 1);
	return !c->overrun;
}
