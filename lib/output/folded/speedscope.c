/*
 * speedscope.c - stacks as a document of speedscope (https://www.speedscope.app): one
 * profile, whose samples are the stacks with their weights.
 *
 * Their frames are listed twice, for the names and for the samples: a small trace can
 * have samples that come to a large document.
 */
#include <stdlib.h>

#include "base/text.h"
#include "base/wrap.h"
#include "output/folded/folded.h"

struct document {
	struct sink *sink;
	struct stacks *stacks;
	const struct folded_choice *choice;
	struct bytes *to;
	struct frame_list frames; /* of a stack */
	uint32_t frame_count;
	int64_t total;
};

static void put_text(struct bytes *to, struct str text)
{
	bytes_put(to, text.ptr, text.len);
}

static void put_number(struct bytes *to, int64_t value)
{
	char number[TEXT_INT_MAX];

	bytes_put(to, number, text_int(number, value));
}

/* All but printable ASCII as \u00NN would lose UTF-8, which passes. */
static void put_json(struct bytes *to, struct str text)
{
	bytes_put(to, "\"", 1);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		char escape[8];

		if (c == '"' || c == '\\' || c < 0x20 || c == 0x7f) {
			text_print(escape, sizeof(escape), "\\u%04x", c);
			bytes_put(to, escape, 6);
		} else {
			bytes_put(to, text.ptr + i, 1);
		}
	}
	bytes_put(to, "\"", 1);
}

/* Numbers the names in the order they come, and adds up the weights. */
static void put_names(struct document *document, int64_t weight, bool is_first)
{
	(void)is_first;
	for (size_t i = 0; i < document->frames.count; i++) {
		struct stack_name *name = document->frames.names[i];

		if (name->frame_number)
			continue;
		name->frame_number = ++document->frame_count;
		put_text(document->to, document->frame_count > 1 ? STR(",\n{\"name\":")
								 : STR("{\"name\":"));
		put_json(document->to, name->text);
		put_text(document->to, STR("}"));
	}
	document->total = wrap_add(document->total, weight);
}

static void put_sample(struct document *document, int64_t weight, bool is_first)
{
	(void)weight;
	put_text(document->to, is_first ? STR("[") : STR(",\n["));
	for (size_t i = 0; i < document->frames.count; i++) {
		if (i)
			put_text(document->to, STR(","));
		put_number(document->to,
			   (int64_t)document->frames.names[i]->frame_number - 1);
	}
	put_text(document->to, STR("]"));
}

static void put_weight(struct document *document, int64_t weight, bool is_first)
{
	if (!is_first)
		put_text(document->to, STR(","));
	put_number(document->to, weight);
}

typedef void put_part_fn(struct document *document, int64_t weight, bool is_first);

/* A part of the document: something of each stack. */
static enum status put_stacks(struct document *document, put_part_fn *put,
			      bool has_frames)
{
	struct stacks *stacks = document->stacks;
	enum status status = ST_OK;
	bool is_first = true;

	for (const struct stack *s = stacks->first; s && status == ST_OK; s = s->next) {
		int64_t weight = stack_weight(stacks, s, document->choice->counter_id);

		if (weight <= 0) /* has no place in a picture */
			continue;
		if (has_frames && !stacks_list_frames(stacks, s, &document->frames))
			return stacks_error(stacks, &document->sink->error);
		put(document, weight, is_first);
		is_first = false;
		status = folded_flush(document->sink, false);
	}
	return status;
}

static enum status put_document(struct document *document, const struct trace_row *trace)
{
	const struct folded_choice *choice = document->choice;
	struct bytes *to = document->to;
	enum status status;

	put_text(to,
		 STR("{\"$schema\":\"https://www.speedscope.app/"
		     "file-format-schema.json\",\n\"exporter\":\"perftab\",\"name\":"));
	put_json(to, trace->path.ptr ? trace->path : STR("?"));
	put_text(to, STR(",\n\"shared\":{\"frames\":[\n"));
	status = put_stacks(document, put_names, true);
	put_text(to, STR("]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":"));
	put_json(to, choice->name);
	put_text(to, STR(",\"unit\":"));
	put_text(to, choice->is_ns ? STR("\"nanoseconds\"") : STR("\"none\""));
	put_text(to, STR(",\"startValue\":0,\"endValue\":"));
	put_number(to, document->total);
	put_text(to, STR(",\n\"samples\":[\n"));
	if (status == ST_OK)
		status = put_stacks(document, put_sample, true);
	put_text(to, STR("],\n\"weights\":["));
	if (status == ST_OK)
		status = put_stacks(document, put_weight, false);
	put_text(to, STR("]}]}\n"));
	return status == ST_OK ? folded_flush(document->sink, false) : status;
}

enum status folded_write_speedscope(struct sink *sink, const struct folded_choice *choice,
				    const struct trace_row *trace)
{
	struct folded *folded = sink->state;
	struct document document = { .sink = sink,
				     .stacks = &folded->stacks,
				     .choice = choice,
				     .to = &folded->bytes };
	enum status status = put_document(&document, trace);

	free(document.frames.names);
	return status;
}
