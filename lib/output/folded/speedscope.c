/*
 * speedscope.c - stacks as a document of speedscope (https://www.speedscope.app): one
 * profile, whose samples are the stacks with their weights.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/wrap.h"
#include "output/folded/folded.h"

struct document {
	struct folded *folded;
	struct map frames; /* hash of a name -> struct known_frame */
	size_t frame_count;
	struct bytes names, samples, weights;
	int64_t total;
	bool failed;
};

struct known_frame {
	struct str name;
	size_t number;
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

static size_t frame_number(struct document *document, struct str name)
{
	struct known_frame *known;
	uint64_t key = map_salt();

	for (size_t i = 0; i < name.len; i++)
		key = stacks_mix(key, (unsigned char)name.ptr[i]);
	while ((known = map_get(&document->frames, key)) != NULL &&
	       !str_equal(known->name, name))
		key++;
	if (known)
		return known->number;
	known = stacks_allocate(&document->folded->stacks, sizeof(*known));
	if (!known || !map_put(&document->frames, key, known)) {
		document->failed = true;
		return 0;
	}
	*known = (struct known_frame){ name, document->frame_count++ };
	put_text(&document->names,
		 known->number ? STR(",\n{\"name\":") : STR("{\"name\":"));
	put_json(&document->names, name);
	put_text(&document->names, STR("}"));
	return known->number;
}

static void add_stack(struct document *document, const struct stack *stack,
		      struct frame_list *frames, int64_t weight)
{
	if (!stacks_list_frames(&document->folded->stacks, stack, frames)) {
		document->failed = true;
		return;
	}
	put_text(&document->samples, document->total ? STR(",\n[") : STR("["));
	for (size_t i = 0; i < frames->count; i++) {
		if (i)
			put_text(&document->samples, STR(","));
		put_number(&document->samples,
			   (int64_t)frame_number(document, frames->names[i]));
	}
	put_text(&document->samples, STR("]"));
	if (document->total)
		put_text(&document->weights, STR(","));
	put_number(&document->weights, weight);
	document->total = wrap_add(document->total, weight);
}

static void put_document(struct document *document, const struct folded_choice *choice,
			 const struct trace_row *trace)
{
	struct bytes *to = &document->folded->bytes;

	put_text(to,
		 STR("{\"$schema\":\"https://www.speedscope.app/"
		     "file-format-schema.json\",\n\"exporter\":\"perftab\",\"name\":"));
	put_json(to, trace->path.ptr ? trace->path : STR("?"));
	put_text(to, STR(",\n\"shared\":{\"frames\":[\n"));
	bytes_put(to, document->names.data, document->names.size);
	put_text(to, STR("]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":"));
	put_json(to, choice->name);
	put_text(to, STR(",\"unit\":"));
	put_text(to, choice->is_ns ? STR("\"nanoseconds\"") : STR("\"none\""));
	put_text(to, STR(",\"startValue\":0,\"endValue\":"));
	put_number(to, document->total);
	put_text(to, STR(",\n\"samples\":[\n"));
	bytes_put(to, document->samples.data, document->samples.size);
	put_text(to, STR("],\n\"weights\":["));
	bytes_put(to, document->weights.data, document->weights.size);
	put_text(to, STR("]}]}\n"));
	document->failed |= to->failed;
}

enum status folded_write_speedscope(struct sink *sink, const struct folded_choice *choice,
				    const struct trace_row *trace)
{
	struct folded *folded = sink->state;
	struct document document = { .folded = folded };
	struct frame_list frames = { .count = 0 };

	for (const struct stack *s = folded->stacks.first; s; s = s->next) {
		int64_t weight = stack_weight(&folded->stacks, s, choice->counter_id);

		if (weight > 0)
			add_stack(&document, s, &frames, weight);
	}
	document.failed |= document.names.failed || document.samples.failed ||
			   document.weights.failed;
	if (!document.failed)
		put_document(&document, choice, trace);
	free(frames.names);
	map_release(&document.frames);
	bytes_release(&document.names);
	bytes_release(&document.samples);
	bytes_release(&document.weights);
	return document.failed ? error_nomem(&sink->error) : folded_flush(sink, false);
}
