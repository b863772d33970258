/* session.c - records the answers of a source into a bundle; see session.h. */
#include "capture/perflib/session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/cursor.h"
#include "base/little_endian.h"
#include "base/os.h"
#include "capture/perflib/names.h"

#define NAP_SECONDS 1.0

static void warn(const struct session *session, const char *format, ...)
	PRINTF_LIKE(2, 3);

static void warn(const struct session *session, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!session->options.warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	session->options.warn(text);
}

/* Reports the last error if no optional counterset is available. */
static enum status add_requests(struct session *session, struct error *error)
{
	const struct session_options *options = &session->options;
	enum status status = ST_OK;

	for (size_t i = 0; i < options->request_count; i++) {
		*error = (struct error){ .status = ST_OK };
		status = selection_add(&session->selection, options->requests[i], error);
		if (status != ST_OK &&
		    (status != ST_UNSUPPORTED || !options->requests_are_optional))
			return status;
	}
	if (status == ST_OK || session->selection.count == 0)
		return status;
	*error = (struct error){ .status = ST_OK };
	return ST_OK;
}

enum status session_open(struct session *session, struct source *source,
			 const struct session_options *options, struct error *error)
{
	enum status status;

	*session = (struct session){ .source = source,
				     .options = *options,
				     .retry = { .source = source } };
	status = countersets_open(&session->all, &session->retry, error);
	selection_init(&session->selection, &session->all);
	if (session->all.code != CODE_DONE) {
		char words[SOURCE_CODE_WORDS];

		warn(session, "cannot list the countersets: %s%s%s",
		     source_code_words(words, session->all.code),
		     session->retry.trouble ? "; " : "",
		     query_retry_trouble_text(&session->retry));
	}
	return status == ST_OK ? add_requests(session, error) : status;
}

void session_close(struct session *session)
{
	const struct source *source = session->source;

	if (session->is_open)
		(void)source->ops->close(source->state, session->query);
	selection_release(&session->selection);
	countersets_release(&session->all);
	query_retry_release(&session->retry);
}

/* --- facts and registration --- */

static enum status write_facts(struct session *session)
{
	const struct source *source = session->source;
	const char *key, *value;
	struct plb_clock clock = { 0 };
	enum status status = ST_OK;

	for (size_t i = 0;
	     status == ST_OK && source->ops->fact(source->state, i, &key, &value); i++)
		status = plb_write_fact(&session->writer, key, value);
	for (size_t i = 0; status == ST_OK && i < session->options.fact_count; i++)
		status = plb_write_fact(&session->writer, session->options.facts[i].key,
					session->options.facts[i].value);
	source->ops->clock(source->state, &clock);
	return status == ST_OK ? plb_write_clock(&session->writer, &clock) : status;
}

static enum status write_registration(struct session *session,
				      const struct counterset *set, uint32_t request,
				      uint32_t argument)
{
	struct plb_registration registration = { .request = request,
						 .argument = argument };

	memcpy(registration.guid, set->guid, PLB_GUID_BYTES);
	registration.code =
		query_retry_registration(&session->retry, set->guid, request, argument);
	return plb_write_registration(&session->writer, &registration,
				      session->retry.buffer.bytes, session->retry.size);
}

/* Records every registration query of a counterset, failed ones too. */
static enum status write_counterset(struct session *session, const struct counterset *set)
{
	enum status status = ST_OK;
	uint32_t code;

	for (uint32_t request = PLB_COUNTERSET_STRUCT;
	     status == ST_OK && request <= PLB_COUNTER_ENGLISH_NAMES; request++) {
		if (request != PLB_COUNTER_STRUCT)
			status = write_registration(session, set, request, 0);
		for (size_t i = 0; request == PLB_COUNTER_STRUCT && status == ST_OK &&
				   i < set->counter_count;
		     i++)
			status = write_registration(session, set, request,
						    set->counters[i].id);
		/* With unknown counters, one query shows whether it would answer. */
		if (request == PLB_COUNTER_STRUCT && set->counter_count == 0 &&
		    status == ST_OK)
			status = write_registration(session, set, request, 0);
	}
	if (status != ST_OK || !(set->instance_type & SOURCE_HAS_INSTANCES))
		return status;
	code = query_retry_instances(&session->retry, set->guid);
	return plb_write_instances(&session->writer, set->guid, code,
				   session->retry.buffer.bytes, session->retry.size);
}

/* --- the query --- */

/* Warns of each identifier that the source refused. */
static void warn_refused(struct session *session)
{
	struct selection *selection = &session->selection;
	struct cursor c = cursor_over(selection->identifiers, selection->size, 0, false);

	while (cursor_left(&c) >= SOURCE_IDENTIFIER_BYTES) {
		const uint8_t *at = c.pos;
		uint32_t code = le_u32(at + 16), size = le_u32(at + 20);
		char words[SOURCE_CODE_WORDS], name[TEXT_GUID_BYTES], safe[400];
		struct counterset *set;

		if (size < SOURCE_IDENTIFIER_BYTES || size > cursor_left(&c))
			break;
		cursor_skip(&c, size);
		if (code == CODE_DONE)
			continue;
		session->stats.refused++;
		set = countersets_by_guid(&session->all, at);
		if (!set)
			continue;
		text_shown(safe, sizeof(safe), str_of(counterset_name(set, name)), 90);
		warn(session, "%s: refused: %s", safe, source_code_words(words, code));
	}
}

static enum status query_failed(struct error *error, const char *call, uint32_t code)
{
	char words[SOURCE_CODE_WORDS];

	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "cannot %s: %s", call,
			 source_code_words(words, code));
}

static enum status write_query(struct session *session, struct error *error)
{
	const struct source *source = session->source;
	struct selection *selection = &session->selection;
	uint32_t code = source->ops->open(source->state, &session->query);
	enum status status;

	if (code != CODE_DONE)
		return query_failed(error, "open a query", code);
	session->is_open = true;
	code = source->ops->add(source->state, session->query, selection->identifiers,
				(uint32_t)selection->size);
	status = plb_write_add(&session->writer, session->query, code,
			       selection->identifiers, selection->size);
	if (status != ST_OK)
		return status;
	if (code != CODE_DONE)
		return query_failed(error, "add the counters", code);
	warn_refused(session);
	code = query_retry_info(&session->retry, session->query);
	if (code != CODE_DONE) {
		char words[SOURCE_CODE_WORDS];

		warn(session, "cannot tell which block is of which counter: %s%s%s",
		     source_code_words(words, code), session->retry.trouble ? "; " : "",
		     query_retry_trouble_text(&session->retry));
	}
	return plb_write_info(&session->writer, session->query, code,
			      session->retry.buffer.bytes, session->retry.size);
}

/* --- snapshots --- */

/*
 * Waits for the next time of the schedule.  Times are computed from the first one, so
 * that delays do not add up; times that have passed are skipped.
 */
static void wait_for_turn(struct session *session, double began, int64_t *turn)
{
	double interval = session->options.interval, now = os_seconds();
	int64_t passed = (int64_t)((now - began) / interval);

	(*turn)++;
	if (passed >= *turn) {
		session->stats.missed += passed + 1 - *turn;
		*turn = passed + 1;
	}
	while (!os_interrupted() && now < began + (double)*turn * interval) {
		double until = began + (double)*turn * interval;

		/* Short naps: a signal just before the call does not end the sleep. */
		os_sleep_until(until < now + NAP_SECONDS ? until : now + NAP_SECONDS);
		now = os_seconds();
	}
}

static enum status write_snapshot(struct session *session, uint32_t code)
{
	const struct query_retry *retry = &session->retry;
	const struct plb_data data = {
		.query = session->query,
		.code = code,
		.reported_bytes = retry->wants,
		.ticks_before = retry->ticks_before,
		.ticks_after = retry->ticks_after,
	};
	struct plb_writer *writer = &session->writer;
	enum status status =
		plb_write_data(writer, &data, retry->buffer.bytes, retry->size);

	session->stats.snapshots++;
	session->stats.failed += code != CODE_DONE;
	session->stats.answer_bytes += retry->size;
	if (status == ST_OK && session->out.flush)
		status = session->out.flush(session->out.context, &writer->error);
	return status;
}

static void warn_failure(const struct session *session, uint32_t code)
{
	char words[SOURCE_CODE_WORDS];

	warn(session, "a snapshot failed: %s%s%s", source_code_words(words, code),
	     session->retry.trouble ? "; " : "",
	     query_retry_trouble_text(&session->retry));
}

static enum status too_many_failures(struct session *session, uint32_t code,
				     struct error *error)
{
	char words[SOURCE_CODE_WORDS];

	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "%" PRId64 " snapshots in a row failed: %s%s%s",
			 (int64_t)SESSION_FAILURES_MAX, source_code_words(words, code),
			 session->retry.trouble ? "; " : "",
			 query_retry_trouble_text(&session->retry));
}

/* When every counter was refused: one empty snapshot. */
static enum status write_empty_snapshot(struct session *session, struct error *error)
{
	enum status status = write_snapshot(session, query_retry_data(&session->retry,
								      session->query));

	if (status != ST_OK)
		return status;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "none of the counters can be captured");
}

static enum status write_snapshots(struct session *session, struct error *error)
{
	const struct session_options *options = &session->options;
	bool is_recorded = session->source->ops->is_recorded;
	double began = os_seconds();
	int64_t turn = 0;
	int failures = 0;

	while (!options->snapshots || session->stats.snapshots < options->snapshots) {
		enum status status;
		uint32_t code;

		if (session->stats.snapshots && !is_recorded)
			wait_for_turn(session, began, &turn);
		if (os_interrupted())
			break;
		code = query_retry_data(&session->retry, session->query);
		if (is_recorded && code == CODE_NO_MORE_ITEMS)
			break;
		status = write_snapshot(session, code);
		if (status != ST_OK)
			return status;
		if (code != CODE_DONE && failures == 0)
			warn_failure(session, code);
		failures = code == CODE_DONE ? 0 : failures + 1;
		if (failures == SESSION_FAILURES_MAX)
			return too_many_failures(session, code, error);
	}
	return ST_OK;
}

enum status session_record(struct session *session, const struct session_out *out,
			   struct error *error)
{
	struct plb_writer *writer = &session->writer;
	enum status status = plb_begin(writer, out->write, out->context);

	session->out = *out;
	if (status == ST_OK)
		status = write_facts(session);
	for (size_t i = 0;
	     status == ST_OK && !os_interrupted() && i < session->selection.set_count;
	     i++)
		status = write_counterset(session, session->selection.sets[i]);
	if (status == ST_OK)
		status = write_query(session, error);
	if (status == ST_OK)
		status = session->stats.refused < session->selection.count
				 ? write_snapshots(session, error)
				 : write_empty_snapshot(session, error);
	/* A bundle that ends early because of the source is complete too. */
	if (writer->error.status == ST_OK && plb_finish(writer) == ST_OK && out->flush)
		(void)out->flush(out->context, &writer->error);
	if (writer->error.status != ST_OK) {
		*error = writer->error;
		status = error->status;
	}
	return status;
}
