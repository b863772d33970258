/* session.c - see session.h. */
#include "session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/cursor.h"
#include "base/little_endian.h"
#include "base/os.h"
#include "names.h"

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

/* Of optional ones what is wrong with the last is told, if none of them can be had. */
static enum status add_wishes(struct session *session, struct error *error)
{
	const struct session_options *options = &session->options;
	enum status status = ST_OK;

	for (size_t i = 0; i < options->wish_count; i++) {
		*error = (struct error){ .status = ST_OK };
		status = selection_add(&session->selection, options->wishes[i], error);
		if (status != ST_OK &&
		    (status != ST_UNSUPPORTED || !options->wishes_are_optional))
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
				     .ask = { .source = source } };
	status = countersets_open(&session->all, &session->ask, error);
	selection_begin(&session->selection, &session->all);
	if (session->all.code != CODE_DONE) {
		char words[SOURCE_CODE_WORDS];

		warn(session, "the countersets cannot be listed: %s%s%s",
		     source_code_words(words, session->all.code),
		     session->ask.trouble ? "; " : "", ask_trouble_text(&session->ask));
	}
	return status == ST_OK ? add_wishes(session, error) : status;
}

void session_close(struct session *session)
{
	const struct source *source = session->source;

	if (session->is_open)
		(void)source->ops->close(source->state, session->query);
	selection_release(&session->selection);
	countersets_release(&session->all);
	ask_release(&session->ask);
}

/* --- what is known before the first snapshot --- */

static enum status put_facts(struct session *session)
{
	const struct source *source = session->source;
	const char *key, *value;
	struct plb_clock clock = { 0 };
	enum status status = ST_OK;

	for (size_t i = 0;
	     status == ST_OK && source->ops->fact(source->state, i, &key, &value); i++)
		status = plb_put_fact(&session->writer, key, value);
	for (size_t i = 0; status == ST_OK && i < session->options.fact_count; i++)
		status = plb_put_fact(&session->writer, session->options.facts[i].key,
				      session->options.facts[i].value);
	source->ops->clock(source->state, &clock);
	return status == ST_OK ? plb_put_clock(&session->writer, &clock) : status;
}

static enum status put_registration(struct session *session, const struct counterset *set,
				    uint32_t request, uint32_t argument)
{
	struct plb_registration registration = { .request = request,
						 .argument = argument };

	memcpy(registration.guid, set->guid, PLB_GUID_BYTES);
	registration.code = ask_registration(&session->ask, set->guid, request, argument);
	return plb_put_registration(&session->writer, &registration,
				    session->ask.buffer.bytes, session->ask.size);
}

/* All that can be asked of a counterset, whether it is answered or not. */
static enum status put_counterset(struct session *session, const struct counterset *set)
{
	enum status status = ST_OK;
	uint32_t code;

	for (uint32_t request = PLB_COUNTERSET_STRUCT;
	     status == ST_OK && request <= PLB_COUNTER_ENGLISH_NAMES; request++) {
		if (request != PLB_COUNTER_STRUCT)
			status = put_registration(session, set, request, 0);
		for (size_t i = 0; request == PLB_COUNTER_STRUCT && status == ST_OK &&
				   i < set->counter_count;
		     i++)
			status = put_registration(session, set, request,
						  set->counters[i].id);
		/* Of one whose counters are not known: whether it would tell. */
		if (request == PLB_COUNTER_STRUCT && set->counter_count == 0 &&
		    status == ST_OK)
			status = put_registration(session, set, request, 0);
	}
	if (status != ST_OK || !(set->instance_type & SOURCE_HAS_INSTANCES))
		return status;
	code = ask_instances(&session->ask, set->guid);
	return plb_put_instances(&session->writer, set->guid, code,
				 session->ask.buffer.bytes, session->ask.size);
}

/* --- the query --- */

/* What the source says of each identifier. */
static void judge_identifiers(struct session *session)
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

	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "%s fails: %s", call,
			 source_code_words(words, code));
}

static enum status put_query(struct session *session, struct error *error)
{
	const struct source *source = session->source;
	struct selection *selection = &session->selection;
	uint32_t code = source->ops->open(source->state, &session->query);
	enum status status;

	if (code != CODE_DONE)
		return query_failed(error, "opening a query", code);
	session->is_open = true;
	code = source->ops->add(source->state, session->query, selection->identifiers,
				(uint32_t)selection->size);
	status = plb_put_add(&session->writer, session->query, code,
			     selection->identifiers, selection->size);
	if (status != ST_OK)
		return status;
	if (code != CODE_DONE)
		return query_failed(error, "adding the counters", code);
	judge_identifiers(session);
	code = ask_info(&session->ask, session->query);
	if (code != CODE_DONE) {
		char words[SOURCE_CODE_WORDS];

		warn(session, "which block is which is not told: %s%s%s",
		     source_code_words(words, code), session->ask.trouble ? "; " : "",
		     ask_trouble_text(&session->ask));
	}
	return plb_put_info(&session->writer, session->query, code,
			    session->ask.buffer.bytes, session->ask.size);
}

/* --- snapshots --- */

/*
 * Waits for the next moment of the schedule, which is counted from the first one, so that
 * nothing adds up.  Moments that have passed already are left out.
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

		/* A signal just before the call would be slept through. */
		os_sleep_until(until < now + NAP_SECONDS ? until : now + NAP_SECONDS);
		now = os_seconds();
	}
}

static enum status put_snapshot(struct session *session, uint32_t code)
{
	const struct ask *ask = &session->ask;
	const struct plb_data data = {
		.query = session->query,
		.code = code,
		.reported_bytes = ask->wants,
		.ticks_before = ask->ticks_before,
		.ticks_after = ask->ticks_after,
	};
	struct plb_writer *writer = &session->writer;
	enum status status = plb_put_data(writer, &data, ask->buffer.bytes, ask->size);

	session->stats.snapshots++;
	session->stats.failed += code != CODE_DONE;
	session->stats.answer_bytes += ask->size;
	if (status == ST_OK && session->out.flush)
		status = session->out.flush(session->out.context, &writer->error);
	return status;
}

static void tell_failure(const struct session *session, uint32_t code)
{
	char words[SOURCE_CODE_WORDS];

	warn(session, "a snapshot cannot be had: %s%s%s", source_code_words(words, code),
	     session->ask.trouble ? "; " : "", ask_trouble_text(&session->ask));
}

static enum status too_many_failures(struct session *session, uint32_t code,
				     struct error *error)
{
	char words[SOURCE_CODE_WORDS];

	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "%" PRId64 " snapshots in a row cannot be had: %s%s%s",
			 (int64_t)SESSION_FAILURES_MAX, source_code_words(words, code),
			 session->ask.trouble ? "; " : "",
			 ask_trouble_text(&session->ask));
}

/* What the source says then is worth one snapshot, and no more. */
static enum status put_nothing(struct session *session, struct error *error)
{
	enum status status =
		put_snapshot(session, ask_data(&session->ask, session->query));

	if (status != ST_OK)
		return status;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "none of the counters can be captured");
}

static enum status put_snapshots(struct session *session, struct error *error)
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
		code = ask_data(&session->ask, session->query);
		if (is_recorded && code == CODE_NO_MORE_ITEMS)
			break;
		status = put_snapshot(session, code);
		if (status != ST_OK)
			return status;
		if (code != CODE_DONE && failures == 0)
			tell_failure(session, code);
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
		status = put_facts(session);
	for (size_t i = 0;
	     status == ST_OK && !os_interrupted() && i < session->selection.set_count;
	     i++)
		status = put_counterset(session, session->selection.sets[i]);
	if (status == ST_OK)
		status = put_query(session, error);
	if (status == ST_OK)
		status = session->stats.refused < session->selection.count
				 ? put_snapshots(session, error)
				 : put_nothing(session, error);
	/* A bundle that ends early for a reason of the source's is whole all the same. */
	if (writer->error.status == ST_OK && plb_finish(writer) == ST_OK && out->flush)
		(void)out->flush(out->context, &writer->error);
	if (writer->error.status != ST_OK) {
		*error = writer->error;
		status = error->status;
	}
	return status;
}
