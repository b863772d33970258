/*
 * lines.c - folded stacks: "process;thread;frame;frame weight", sorted, each once.
 *
 * A name may hold anything: what would end a frame or a line becomes \xNN.  Stacks are
 * merged in a tree of names: as texts, many deep stacks with long names would need
 * thousands of times the bytes of their trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/wrap.h"
#include "output/folded/folded.h"

/* --- the tree --- */

/* A frame after those of its parents. */
struct node {
	const struct stack_name *name;
	struct node *children, *sibling;
	int64_t weight;
	uint32_t number;
	bool is_line; /* a stack ends here */
};

struct tree {
	struct stacks *stacks;
	struct map by_key; /* numbers of the parent and of the name -> struct node */
	struct node root;
	uint32_t count;
	struct bytes scratch;
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

/* False: stacks->failed. */
static bool make_line_text(struct tree *tree, struct stack_name *name)
{
	if (name->line.ptr)
		return true;
	tree->scratch.size = 0;
	put_name(&tree->scratch, name->text);
	tree->stacks->failed |= tree->scratch.failed;
	if (tree->scratch.size == name->text.len)
		name->line = name->text;
	else if (!tree->scratch.failed)
		name->line = stacks_copy(tree->stacks,
					 (struct str){ (char *)tree->scratch.data,
						       tree->scratch.size });
	return !tree->stacks->failed;
}

static struct node *intern_child(struct tree *tree, struct node *parent,
				 struct stack_name *name)
{
	uint64_t key = (uint64_t)parent->number << 32 | name->number;
	struct node *node = map_get(&tree->by_key, key);

	if (node || !make_line_text(tree, name))
		return node;
	node = stacks_allocate(tree->stacks, sizeof(*node));
	if (!node)
		return NULL;
	*node = (struct node){ .name = name,
			       .sibling = parent->children,
			       .number = ++tree->count };
	parent->children = node;
	tree->stacks->failed |= !map_put(&tree->by_key, key, node);
	return tree->stacks->failed ? NULL : node;
}

/* Stacks that show the same are added up.  False: stacks->failed. */
static bool add_stack(struct tree *tree, const struct stack *stack, int64_t weight,
		      struct frame_list *frames)
{
	struct node *node = &tree->root;

	if (!stacks_list_frames(tree->stacks, stack, frames))
		return false;
	for (size_t i = 0; i < frames->count && node; i++)
		node = intern_child(tree, node, frames->names[i]);
	if (!node)
		return false;
	node->is_line = true;
	node->weight = wrap_add(node->weight, weight);
	return true;
}

static bool add_stacks(struct tree *tree, int64_t counter_id)
{
	struct frame_list frames = { .count = 0 };
	bool done = true;

	for (const struct stack *s = tree->stacks->first; s && done; s = s->next) {
		int64_t weight = stack_weight(tree->stacks, s, counter_id);

		if (weight > 0) /* others have no place in a picture */
			done = add_stack(tree, s, weight, &frames);
	}
	free(frames.names);
	return done;
}

/* --- the lines --- */

/* The line that ends with a name, or all those that go on after it. */
struct item {
	const struct node *node;
	bool goes_on;
};

/* Items of a node's children, and how many of them are written. */
struct level {
	struct item *items;
	size_t count, next;
	size_t line_bytes; /* of the frames before */
};

struct writing {
	struct sink *sink;
	struct stacks *stacks; /* a small tree can have long lines */
	struct level *levels;
	size_t depth, room;
	struct bytes line;
};

/* A byte of what the item's lines have in common; -1: the end of the text. */
static int byte_at(const struct item *item, size_t at)
{
	struct str text = item->node->name->line;

	if (at < text.len)
		return (unsigned char)text.ptr[at];
	return item->goes_on ? ';' : -1;
}

/* As the whole texts of the lines compare: no name has a ';'. */
static int compare(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	struct str x = a->node->name->line, y = b->node->name->line;
	size_t common = x.len < y.len ? x.len : y.len;
	int order = common ? memcmp(x.ptr, y.ptr, common) : 0;

	return order ? order : byte_at(a, common) - byte_at(b, common);
}

/* False: out of memory. */
static bool begin_level(struct writing *writing, const struct node *node)
{
	struct level level = { .line_bytes = writing->line.size };
	size_t count = 0;

	for (const struct node *c = node->children; c; c = c->sibling)
		count += (c->is_line ? 1U : 0U) + (c->children ? 1U : 0U);
	level.items = memory_alloc((count + 1) * sizeof(*level.items));
	if (!level.items || !ARRAY_GROW(writing->levels, writing->room, writing->depth)) {
		free(level.items);
		return false;
	}
	for (const struct node *c = node->children; c; c = c->sibling) {
		if (c->is_line)
			level.items[level.count++] = (struct item){ c, false };
		if (c->children)
			level.items[level.count++] = (struct item){ c, true };
	}
	if (count)
		qsort(level.items, count, sizeof(*level.items), compare);
	writing->levels[writing->depth++] = level;
	return true;
}

static enum status put_line(struct writing *writing, int64_t weight)
{
	struct bytes *to = &((struct folded *)writing->sink->state)->bytes;
	char number[TEXT_INT_MAX];

	if (writing->line.failed)
		return error_nomem(&writing->sink->error);
	if (!stacks_charge(writing->stacks, writing->line.size))
		return stacks_error(writing->stacks, &writing->sink->error);
	bytes_put(to, writing->line.data, writing->line.size);
	bytes_put(to, " ", 1);
	bytes_put(to, number, text_int(number, weight));
	bytes_put(to, "\n", 1);
	return folded_flush(writing->sink, false);
}

static enum status put_item(struct writing *writing, const struct item *item)
{
	struct str text = item->node->name->line;

	bytes_put(&writing->line, text.ptr, text.len);
	if (!item->goes_on)
		return put_line(writing, item->node->weight);
	bytes_put(&writing->line, ";", 1);
	return begin_level(writing, item->node) ? ST_OK
						: error_nomem(&writing->sink->error);
}

static enum status put_tree(struct sink *sink, const struct tree *tree)
{
	struct writing writing = { .sink = sink, .stacks = tree->stacks };
	enum status status =
		begin_level(&writing, &tree->root) ? ST_OK : error_nomem(&sink->error);

	while (writing.depth) {
		struct level *level = &writing.levels[writing.depth - 1];

		if (level->next < level->count && status == ST_OK) {
			writing.line.size = level->line_bytes;
			status = put_item(&writing, &level->items[level->next++]);
		} else {
			free(level->items);
			writing.depth--;
		}
	}
	free(writing.levels);
	bytes_release(&writing.line);
	return status;
}

enum status folded_write_lines(struct sink *sink, const struct folded_choice *choice)
{
	struct stacks *stacks = &((struct folded *)sink->state)->stacks;
	struct tree tree = { .stacks = stacks };
	enum status status = add_stacks(&tree, choice->counter_id)
				     ? put_tree(sink, &tree)
				     : stacks_error(stacks, &sink->error);

	map_release(&tree.by_key);
	bytes_release(&tree.scratch);
	return status;
}
