/* anonymous.c - the policy of anonymous.def, and the sinks that learn and replace. */
#include "pipeline/anonymous.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "pipeline/anonymous_path.h"
#include "pipeline/anonymous_tokens.h"

/* --- the policy --- */

struct line {
	const char *table; /* NULL: any table that the trace defines */
	const char *column;
	enum anonymous_kind kind;
};

static const struct line columns[] = {
#define COLUMN(table, column, kind) { #table, #column, ANONYMOUS_##kind },
#include "pipeline/anonymous.def"
};

static const struct line any_columns[] = {
#define ANY_COLUMN(column, kind) { NULL, #column, ANONYMOUS_##kind },
#include "pipeline/anonymous.def"
};

static const struct {
	const char *key;
	enum anonymous_kind kind;
} facts[] = {
#define FACT(key, kind) { key, ANONYMOUS_##kind },
#include "pipeline/anonymous.def"
};

static const struct {
	const char *kind; /* in capitals */
	const char *words;
} findings[] = {
#define FINDING(enumerator, severity, words) { #enumerator, words },
#include "model/findings.def"
#undef FINDING
};

enum anonymous_kind anonymous_policy(const char *table, const char *column)
{
	for (size_t i = 0; i < ARRAY_COUNT(columns); i++)
		if (strcmp(columns[i].table, table) == 0 &&
		    strcmp(columns[i].column, column) == 0)
			return columns[i].kind;
	return ANONYMOUS_NO_LINE;
}

bool anonymous_policy_line(size_t number, const char **table, const char **column)
{
	if (number >= ARRAY_COUNT(columns))
		return false;
	*table = columns[number].table;
	*column = columns[number].column;
	return true;
}

static enum anonymous_kind policy_of_own(const char *table, const struct field *field)
{
	enum anonymous_kind kind = anonymous_policy(table, field->name);

	for (size_t i = 0; kind == ANONYMOUS_NO_LINE && i < ARRAY_COUNT(any_columns); i++)
		if (strcmp(any_columns[i].column, field->name) == 0)
			kind = any_columns[i].kind;
	return kind;
}

static enum anonymous_kind policy_of_fact(struct str key)
{
	for (size_t i = 0; i < ARRAY_COUNT(facts); i++)
		if (str_equal(key, str_of(facts[i].key)))
			return facts[i].kind;
	return ANONYMOUS_FREE;
}

/* Session names that Windows recorders use; others are chosen by the user. */
static const char *const sessions[] = {
	"NT Kernel Logger", "Circular Kernel Context Logger",
	"Relogger",	    "xperf",
	"PerfViewSession",  "WPR_initiated_WprApp_WPR System Collector",
};

static enum anonymous_kind policy_of_recorder(const struct trace_row *trace)
{
	if (!str_equal(trace->format, STR("etl")))
		return ANONYMOUS_LABEL; /* a version */
	for (size_t i = 0; i < ARRAY_COUNT(sessions); i++)
		if (str_equal(trace->recorder, str_of(sessions[i])))
			return ANONYMOUS_KEEP;
	return ANONYMOUS_FREE;
}

/* The kind of a finding is its enumerator in lower case. */
static struct str words_of(struct str kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(findings); i++) {
		const char *name = findings[i].kind;
		size_t at = 0;

		while (at < kind.len && name[at] &&
		       (kind.ptr[at] == name[at] || (kind.ptr[at] & ~0x20) == name[at]))
			at++;
		if (at == kind.len && !name[at])
			return str_of(findings[i].words);
	}
	return STR("");
}

/* --- replacing the texts of a row --- */

/* The texts and blobs of one table that are replaced. */
struct plan {
	size_t count;
	struct {
		size_t offset;
		enum anonymous_kind kind;
	} columns[];
};

struct anonymous {
	struct tokens tokens;
	bool names;
};

struct anonymous_state {
	struct sink inner; /* ops NULL: learning */
	struct anonymous *anonymous;
	struct plan *plans[RECORD_TABLES]; /* NULL: nothing is replaced */
	struct map own_plans;		   /* by the address of the table */
	struct arena arena;		   /* the plans */
};

struct anonymous *anonymous_new(bool names)
{
	struct anonymous *anonymous = memory_alloc_zeroed(1, sizeof(*anonymous));

	if (anonymous) {
		tokens_begin(&anonymous->tokens);
		anonymous->names = names;
	}
	return anonymous;
}

void anonymous_free(struct anonymous *anonymous)
{
	if (anonymous)
		tokens_end(&anonymous->tokens);
	free(anonymous);
}

static struct str free_text(struct tokens *tokens, enum token_kind kind, struct str text)
{
	struct str known = tokens_find(tokens, kind, text);

	if (known.ptr)
		return known;
	anonymous_learn_users(tokens, text);
	return tokens_of(tokens, kind, text);
}

/* Instance names that stay: numbers, such as those of processors, and totals. */
static bool is_numbered(struct str text)
{
	static const char total[] = "_Total";

	for (size_t i = 0; i < text.len; i++) {
		if (text.len - i >= sizeof(total) - 1 &&
		    memcmp(text.ptr + i, total, sizeof(total) - 1) == 0)
			i += sizeof(total) - 2;
		else if (!memchr("0123456789,*?", text.ptr[i], 13))
			return false;
	}
	return true;
}

static struct str replace(struct anonymous *anonymous, enum anonymous_kind kind,
			  const struct record *record, struct str text)
{
	struct tokens *tokens = &anonymous->tokens;

	switch (kind) {
	case ANONYMOUS_KEEP:
		return text;
	case ANONYMOUS_LABEL:
		return tokens_name(tokens, TOKEN_LABEL, text, false);
	case ANONYMOUS_NAME:
		return tokens_name(tokens, TOKEN_PROCESS, text, anonymous->names);
	case ANONYMOUS_INSTANCE:
		return is_numbered(text) ? text : free_text(tokens, TOKEN_FREE, text);
	case ANONYMOUS_PATH:
		return anonymous_path(tokens, text);
	case ANONYMOUS_HOST:
		tokens_learn_host(tokens, text);
		return tokens_of(tokens, TOKEN_HOST, text);
	case ANONYMOUS_COMMAND:
		return free_text(tokens, TOKEN_COMMAND, text);
	case ANONYMOUS_SID:
		return anonymous_sid(tokens, text);
	case ANONYMOUS_PACKAGE:
		return tokens_of(tokens, TOKEN_PACKAGE, text);
	case ANONYMOUS_APPLICATION:
		return tokens_of(tokens, TOKEN_APPLICATION, text);
	case ANONYMOUS_BUILD:
		return tokens_of(tokens, TOKEN_BUILD, text);
	case ANONYMOUS_BY_KEY:
		return replace(anonymous,
			       policy_of_fact(RECORD_DATA(record, header_fact)->key),
			       record, text);
	case ANONYMOUS_RECORDER:
		return replace(anonymous, policy_of_recorder(RECORD_DATA(record, trace)),
			       record, text);
	case ANONYMOUS_WORDS:
		return words_of(RECORD_DATA(record, finding)->kind);
	case ANONYMOUS_DROP:
		return STR_NONE;
	case ANONYMOUS_NO_LINE:
	case ANONYMOUS_FREE:
		break;
	}
	return free_text(tokens, TOKEN_FREE, text);
}

static struct plan *make_plan(struct arena *arena, const struct table *table, bool own)
{
	struct plan *plan = arena_alloc(
		arena, sizeof(*plan) + table->field_count * sizeof(plan->columns[0]));

	for (size_t i = 0; plan && i < table->field_count; i++) {
		const struct field *field = &table->fields[i];
		enum anonymous_kind kind =
			own ? policy_of_own(table->name, field)
			    : anonymous_policy(table->name, field->name);

		if (!field_is_text(field->kind))
			continue;
		if (field->kind == FIELD_BLOB && kind != ANONYMOUS_KEEP)
			kind = ANONYMOUS_DROP;
		if (kind == ANONYMOUS_KEEP)
			continue;
		plan->columns[plan->count].offset = field->offset;
		plan->columns[plan->count++].kind = kind;
	}
	return plan;
}

/* NULL: out of memory. */
static const struct plan *plan_of(struct anonymous_state *state,
				  const struct record *record)
{
	uint64_t key = (uint64_t)(uintptr_t)record->table;
	struct plan *plan;

	if (record->kind != RECORD_OWN_TABLE)
		return state->plans[record->kind];
	plan = map_get(&state->own_plans, key);
	if (plan)
		return plan;
	plan = make_plan(&state->arena, record->table, true);
	return plan && map_put(&state->own_plans, key, plan) ? plan : NULL;
}

/* --- the sinks --- */

static enum status hand_on(struct sink *sink, const struct record *record)
{
	struct sink *inner = &((struct anonymous_state *)sink->state)->inner;
	enum status status = inner->ops ? sink_put(inner, record) : ST_OK;

	if (status != ST_OK)
		sink->error = inner->error;
	return status;
}

/* Whether the output may be written with these tokens. */
static enum status judge(struct sink *sink, const struct tokens *tokens)
{
	if (tokens->out_of_memory)
		return error_nomem(&sink->error);
	if (tokens->found_late)
		return error_set(&sink->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "a name already written may hold that of a user or host "
				 "that came later: save the input to a file first, "
				 "which can be read twice");
	return ST_OK;
}

static enum status anonymous_write(struct sink *sink, const struct record *record)
{
	struct anonymous_state *state = sink->state;
	const struct plan *plan = plan_of(state, record);
	struct record shown = *record;
	union {
		char bytes[OWN_ROW_BYTES_MAX];
		int64_t aligned;
	} row;
	enum status status;

	if (!plan)
		return error_nomem(&sink->error);
	if (plan->count == 0)
		return hand_on(sink, record);
	assert(record_table(record)->row_size <= sizeof(row));
	memcpy(row.bytes, record->data, record_table(record)->row_size);
	for (size_t i = 0; i < plan->count; i++) {
		struct str text;

		memcpy(&text, row.bytes + plan->columns[i].offset, sizeof(text));
		if (!text.ptr)
			continue;
		text = replace(state->anonymous, plan->columns[i].kind, record, text);
		memcpy(row.bytes + plan->columns[i].offset, &text, sizeof(text));
	}
	status = judge(sink, &state->anonymous->tokens);
	shown.data = row.bytes;
	return status == ST_OK ? hand_on(sink, &shown) : status;
}

static enum status anonymous_finish(struct sink *sink)
{
	struct anonymous_state *state = sink->state;
	enum status status = sink_finish(&state->inner);

	sink->error = state->inner.error;
	return status;
}

static void anonymous_close(struct sink *sink)
{
	struct anonymous_state *state = sink->state;

	if (state->inner.ops)
		sink_close(&state->inner);
	map_release(&state->own_plans);
	arena_release(&state->arena);
}

static const struct sink_ops learning_sink = {
	.name = "anonymous",
	.state_size = sizeof(struct anonymous_state),
	.totals_only = true,
	.put = anonymous_write,
	.close = anonymous_close,
};

static const struct sink_ops anonymous_sink = {
	.name = "anonymous",
	.state_size = sizeof(struct anonymous_state),
	.put = anonymous_write,
	.finish = anonymous_finish,
	.close = anonymous_close,
};

static enum status begin(struct sink *sink, const struct sink_ops *ops,
			 const struct sink_options *options, struct anonymous *anonymous)
{
	struct anonymous_state *state;
	enum status status = sink_open(sink, ops, options);

	if (status != ST_OK)
		return status;
	state = sink->state;
	state->anonymous = anonymous;
	anonymous->tokens.learning = ops == &learning_sink;
	for (size_t i = 0; i < RECORD_TABLES; i++) {
		state->plans[i] = make_plan(&state->arena, &tables[i], false);
		if (!state->plans[i]) {
			sink_close(sink);
			return error_nomem(&sink->error);
		}
	}
	return ST_OK;
}

enum status anonymous_learn(struct sink *sink, struct anonymous *anonymous)
{
	return begin(sink, &learning_sink, NULL, anonymous);
}

enum status anonymous_open(struct sink *sink, struct anonymous *anonymous,
			   const struct sink_ops *writer,
			   const struct sink_options *options)
{
	enum status status = begin(sink, &anonymous_sink, options, anonymous);
	struct anonymous_state *state;

	if (status != ST_OK)
		return status;
	state = sink->state;
	status = sink_open(&state->inner, writer, options);
	if (status != ST_OK) {
		sink->error = state->inner.error;
		sink_close(sink);
	}
	return status;
}

void *anonymous_inner_state(const struct sink *sink)
{
	return ((const struct anonymous_state *)sink->state)->inner.state;
}

void anonymous_each_kept(const struct anonymous *anonymous,
			 void (*call)(void *context, struct str text, bool is_process),
			 void *context)
{
	tokens_each_kept(&anonymous->tokens, call, context);
}
