/*
 * lines.c - folded stacks: "process;thread;frame;frame weight", sorted, each once.
 *
 * A name may hold anything: what would end a frame or a line becomes \xNN.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/wrap.h"
#include "output/folded/folded.h"

struct line {
	struct str text;
	int64_t weight;
};

static void put_name(struct bytes *to, struct str name)
{
	size_t at = 0;

	while (at < name.len) {
		size_t length = text_utf8_length(name.ptr + at, name.len - at);
		uint32_t code = length ? text_utf8_code(name.ptr + at, length) : 0;
		bool plain = length && code != ';' && code != ' ' && code != '\\' &&
			     !text_is_control(code);

		length = length ? length : 1;
		if (plain)
			bytes_put(to, name.ptr + at, length);
		for (size_t i = 0; i < length && !plain; i++) {
			char escape[5];

			text_print(escape, sizeof(escape), "\\x%02x",
				   (unsigned char)name.ptr[at + i]);
			bytes_put(to, escape, 4);
		}
		at += length;
	}
}

static int compare(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return str_compare(a->text, b->text);
}

static bool make_line(struct folded *folded, const struct stack *stack,
		      struct frame_list *frames, struct line *line)
{
	struct bytes text = { .size = 0 };

	if (!stacks_list_frames(&folded->stacks, stack, frames))
		return false;
	for (size_t i = 0; i < frames->count; i++) {
		if (i)
			bytes_put(&text, ";", 1);
		put_name(&text, frames->names[i]);
	}
	line->text = text.failed
			     ? STR_NONE
			     : stacks_copy(&folded->stacks,
					   (struct str){ (char *)text.data, text.size });
	bytes_release(&text);
	return line->text.ptr != NULL;
}

static size_t count_stacks(const struct stacks *stacks)
{
	size_t count = 0;

	for (const struct stack *s = stacks->first; s; s = s->next)
		count++;
	return count;
}

/* Equal texts are added up. */
static enum status put_lines(struct sink *sink, const struct line *lines, size_t count)
{
	struct folded *folded = sink->state;
	enum status status = ST_OK;

	for (size_t i = 0; i < count && status == ST_OK; i++) {
		int64_t weight = lines[i].weight;
		char number[TEXT_INT_MAX];

		while (i + 1 < count && str_equal(lines[i].text, lines[i + 1].text))
			weight = wrap_add(weight, lines[++i].weight);
		bytes_put(&folded->bytes, lines[i].text.ptr, lines[i].text.len);
		bytes_put(&folded->bytes, " ", 1);
		bytes_put(&folded->bytes, number, text_int(number, weight));
		bytes_put(&folded->bytes, "\n", 1);
		status = folded_flush(sink, false);
	}
	return status;
}

enum status folded_write_lines(struct sink *sink, const struct folded_choice *choice)
{
	struct folded *folded = sink->state;
	size_t count = 0, all = count_stacks(&folded->stacks);
	struct line *lines = memory_alloc((all + 1) * sizeof(*lines));
	struct frame_list frames = { .count = 0 };
	bool done = lines != NULL;
	enum status status;

	for (const struct stack *s = folded->stacks.first; s && done; s = s->next) {
		int64_t weight = stack_weight(&folded->stacks, s, choice->counter_id);

		if (weight <= 0) /* has no place in a picture */
			continue;
		lines[count].weight = weight;
		done = make_line(folded, s, &frames, &lines[count++]);
	}
	if (done && count)
		qsort(lines, count, sizeof(*lines), compare);
	status = done ? put_lines(sink, lines, count) : error_nomem(&sink->error);
	free(lines);
	free(frames.names);
	return status;
}
