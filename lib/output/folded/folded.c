/*
 * folded.c - the sinks of stacks: folded ones for flame graphs, and those of speedscope.
 */
#include "output/folded/folded.h"

#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "output/outputs.h"

static enum status folded_open(struct sink *sink)
{
	struct folded *folded = sink->state;
	enum status status = ST_OK;

	folded->target.lock_fd = -1;
	folded->is_stdout = strcmp(sink->options.path, "-") == 0;
	stacks_begin(&folded->stacks);
	if (!folded->is_stdout)
		status = target_begin(&folded->target, &sink->options, false,
				      &sink->error);
	folded->fd = folded->is_stdout ? OS_STDOUT : folded->target.lock_fd;
	return status;
}

/* --- what is weighed --- */

/* Of the events that were sampled the heaviest, as the report has it. */
static const struct stack_counter *heaviest(const struct stacks *stacks)
{
	const struct stack_counter *best = NULL, *most = NULL;

	for (const struct stack_counter *c = stacks->counters; c; c = c->next) {
		if (c->in_group || !c->samples)
			continue;
		if (c->value > (best ? best->value : 0))
			best = c;
		if (!most || c->samples > most->samples)
			most = c;
	}
	return best ? best : most;
}

static const struct stack_counter *find_counter(const struct stacks *stacks,
						struct str name)
{
	for (const struct stack_counter *c = stacks->counters; c; c = c->next)
		if (str_equal(c->row.name, name))
			return c;
	return NULL;
}

static enum status report_counter(struct sink *sink, const char *name)
{
	const struct folded *folded = sink->state;
	char list[150] = "", shown[120];
	size_t at = 0;

	for (const struct stack_counter *c = folded->stacks.counters; c; c = c->next) {
		text_shown(shown, sizeof(shown), c->row.name, 30);
		if (at + strlen(shown) + 3 < sizeof(list))
			at += text_print(list + at, sizeof(list) - at, "%s, ", shown);
	}
	return error_set(&sink->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "no counter '%.40s'; there are %son_cpu_ns and off_cpu_ns", name,
			 list);
}

static enum status choose(struct sink *sink, struct folded_choice *choice)
{
	const struct folded *folded = sink->state;
	const struct stacks *stacks = &folded->stacks;
	const char *wanted = sink->options.counter;
	const struct stack_counter *counter =
		wanted ? find_counter(stacks, str_of(wanted)) : heaviest(stacks);

	if (!counter && !wanted)
		counter = stacks->counters; /* of a group */
	if (counter && (wanted || counter->samples || !stacks->has_switch_chains)) {
		*choice = (struct folded_choice){
			.counter_id = counter->row.counter_id,
			.name = counter->row.name,
			.is_ns = str_equal(counter->row.unit, STR("ns")),
		};
		return ST_OK;
	}
	if (wanted && strcmp(wanted, "on_cpu_ns") == 0)
		*choice = (struct folded_choice){ WEIGHT_ON_CPU, STR("on_cpu_ns"), true };
	else if (!wanted || strcmp(wanted, "off_cpu_ns") == 0)
		*choice =
			(struct folded_choice){ WEIGHT_OFF_CPU, STR("off_cpu_ns"), true };
	else
		return report_counter(sink, wanted);
	return ST_OK;
}

/* --- nothing is weighed --- */

static bool has_weight(const struct stacks *stacks, int64_t counter_id)
{
	for (const struct stack *s = stacks->first; s; s = s->next)
		if (stack_weight(stacks, s, counter_id) > 0)
			return true;
	return false;
}

static void list_weight(char list[200], struct str name)
{
	size_t at = strlen(list);
	char shown[120];

	text_shown(shown, sizeof(shown), name, 40);
	if (at + strlen(shown) + 3 < 200)
		text_print(list + at, 200 - at, "%s%s", at ? ", " : "", shown);
}

/* Says what else there is to weigh by. */
static void warn_if_empty(const struct sink *sink, const struct folded_choice *choice,
			  const struct trace_row *trace)
{
	const struct folded *folded = sink->state;
	const struct stacks *stacks = &folded->stacks;
	char list[200] = "", text[400], shown[120];

	if (has_weight(stacks, choice->counter_id))
		return;
	for (const struct stack_counter *c = stacks->counters; c; c = c->next)
		if (has_weight(stacks, c->row.counter_id))
			list_weight(list, c->row.name);
	if (has_weight(stacks, WEIGHT_ON_CPU))
		list_weight(list, STR("on_cpu_ns"));
	if (has_weight(stacks, WEIGHT_OFF_CPU))
		list_weight(list, STR("off_cpu_ns"));
	text_shown(shown, sizeof(shown), choice->name, 40);
	if (*list)
		text_print(
			text, sizeof(text),
			"no stack has a weight by %s, so the output has none; --counter can "
			"be %s",
			shown, list);
	else
		text_print(text, sizeof(text),
			   "no stack has a weight, so the output has none");
	trace_contents_warn(&folded->contents, &sink->options, trace, text);
}

/* What the bill has in the line "(counter fell)" has no place in a picture. */
static void warn_of_fall(const struct sink *sink, const struct folded_choice *choice,
			 const struct trace_row *trace)
{
	const struct stacks *stacks = &((struct folded *)sink->state)->stacks;
	char path[200] = "", name[120], text[400];

	if (trace->path.ptr)
		text_shown(path, sizeof(path), trace->path, 120);
	text_shown(name, sizeof(name), choice->name, 40);
	for (const struct stack *s = stacks->first; s && sink->options.warn;
	     s = s->next) {
		int64_t weight = stack_weight(stacks, s, choice->counter_id);

		if (weight >= 0 || s->thread_id != THREAD_FELL)
			continue;
		text_print(text, sizeof(text),
			   "%s: %s went down, by %llu: that is left out", path, name,
			   0 - (unsigned long long)weight);
		sink->options.warn(sink->options.context, text);
	}
}

/* --- rows --- */

static enum status end_trace(struct sink *sink, const struct trace_row *trace,
			     bool is_speedscope)
{
	struct folded *folded = sink->state;
	struct folded_choice choice = { 0, STR_NONE, false };
	enum status status;

	stacks_settle(&folded->stacks);
	if (is_speedscope && folded->traces++)
		return error_set(&sink->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "a document of speedscope holds one trace: give one "
				 "input");
	status = choose(sink, &choice);
	if (status == ST_OK)
		warn_if_empty(sink, &choice, trace);
	if (status == ST_OK)
		warn_of_fall(sink, &choice, trace);
	if (status == ST_OK)
		status = is_speedscope ? folded_write_speedscope(sink, &choice, trace)
				       : folded_write_lines(sink, &choice);
	stacks_release(&folded->stacks);
	folded->contents = (struct trace_contents){ .has_values = false };
	return status;
}

static enum status put(struct sink *sink, const struct record *record, bool is_speedscope)
{
	struct folded *folded = sink->state;

	if (record->kind == RECORD_trace)
		return end_trace(sink, record->data, is_speedscope);
	trace_contents_on_row(&folded->contents, record);
	stacks_on_row(&folded->stacks, record);
	return folded->stacks.failed ? stacks_error(&folded->stacks, &sink->error)
				     : ST_OK;
}

static enum status folded_put(struct sink *sink, const struct record *record)
{
	return put(sink, record, false);
}

static enum status speedscope_put(struct sink *sink, const struct record *record)
{
	return put(sink, record, true);
}

static enum status folded_finish(struct sink *sink)
{
	struct folded *folded = sink->state;
	enum status status = folded_flush(sink, true);

	return status == ST_OK && !folded->is_stdout
		       ? target_commit(&folded->target, &sink->error)
		       : status;
}

static void folded_close(struct sink *sink)
{
	struct folded *folded = sink->state;

	bytes_release(&folded->bytes);
	stacks_release(&folded->stacks);
	if (!folded->is_stdout)
		target_release(&folded->target);
}

const struct sink_ops folded_writer = {
	.name = "folded",
	.state_size = sizeof(struct folded),
	.to_stdout = true,
	.open = folded_open,
	.put = folded_put,
	.finish = folded_finish,
	.close = folded_close,
};

const struct sink_ops speedscope_writer = {
	.name = "speedscope",
	.state_size = sizeof(struct folded),
	.to_stdout = true,
	.open = folded_open,
	.put = speedscope_put,
	.finish = folded_finish,
	.close = folded_close,
};
