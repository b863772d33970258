/* sink.c - a sink that hands the requested rows to the caller of a feed. */
#include "feed/private.h"

struct feed_sink {
	struct feed *feed;
};

/* --- which rows --- */

static struct feed_columns find_columns(const struct feed *feed,
					const struct record *record)
{
	const struct table *table = record_table(record);
	struct feed_columns columns = { table, SIZE_MAX, SIZE_MAX, false, true };

	if (record->kind == RECORD_OWN_TABLE && feed->own_table)
		columns.is_requested = strcmp(feed->own_table, table->name) == 0;
	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];

		columns.has_texts |= field_is_text(field->kind);
		if (strcmp(field->name, "ts_ns") == 0)
			columns.ts = field->offset;
		else if (strcmp(field->name, "cpu") == 0)
			columns.cpu = field->offset;
	}
	return columns;
}

static int64_t number_at(const struct record *record, size_t offset)
{
	int64_t number;

	memcpy(&number, (const char *)record->data + offset, sizeof(number));
	return number;
}

static bool passes(const struct feed_request *request, const struct feed_columns *columns,
		   const struct record *record)
{
	if (!columns->is_requested)
		return false;
	if (request->cpu != INT_NONE && columns->cpu != SIZE_MAX &&
	    number_at(record, columns->cpu) != request->cpu)
		return false;
	if (columns->ts != SIZE_MAX) {
		int64_t ts_ns = number_at(record, columns->ts);

		if (ts_ns < request->from_ns || ts_ns > request->to_ns)
			return false;
	}
	return true;
}

static struct feed_columns *columns_of(struct feed *feed, const struct record *record)
{
	struct feed_columns *columns = &feed->columns[record->kind];

	if (columns->table != record_table(record)) {
		*columns = find_columns(feed, record);
		feed->has_own_table |=
			columns->is_requested && record->kind == RECORD_OWN_TABLE;
	}
	return columns;
}

enum status feed_put(struct feed *feed, const struct record *record)
{
	return feed_put_row(feed, record, columns_of(feed, record)->has_texts);
}

static enum status check(struct sink *sink, enum status status)
{
	if (status == ST_NOMEM)
		return error_nomem(&sink->error);
	return status == ST_OK
		       ? ST_OK
		       : error_set(&sink->error, status, ERROR_NO_OFFSET, "interrupted");
}

static enum status put(struct sink *sink, const struct record *record)
{
	struct feed *feed = ((struct feed_sink *)sink->state)->feed;
	const struct feed_columns *columns;

	if (!feed->request.tables[record->kind])
		return ST_OK;
	columns = columns_of(feed, record);
	if (!passes(&feed->request, columns, record))
		return ST_OK;
	return check(sink, feed_put_row(feed, record, columns->has_texts));
}

static enum status put_run(struct sink *sink, const struct run_rows *rows)
{
	struct feed *feed = ((struct feed_sink *)sink->state)->feed;
	const struct feed_request *request = &feed->request;

	if (request->cpu != INT_NONE && rows->run->stream_count)
		return sink_put_rows(sink, rows);
	if (!request->tables[RECORD_context_switch] ||
	    (request->cpu != INT_NONE && request->cpu != rows->run->common.cpu))
		return ST_OK;
	return check(sink, feed_put_rows(feed, rows));
}

static const struct sink_ops feed_sink = {
	.name = "feed",
	.state_size = sizeof(struct feed_sink),
	.put = put,
	.put_run = put_run,
};

enum status feed_open_sink(struct feed *feed, struct sink *sink)
{
	enum status status = sink_open(sink, &feed_sink, NULL);

	if (status == ST_OK)
		((struct feed_sink *)sink->state)->feed = feed;
	return status;
}
