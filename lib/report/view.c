/* view.c - adds up, sorts and cuts the lines of a table. */
#include "report/view.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/wrap.h"

/* --- making --- */

void view_begin(struct view *view, size_t texts, size_t ids, size_t counts, size_t values)
{
	*view = (struct view){
		.texts = texts,
		.numbers = ids + counts + values,
		.ids = ids,
		.counts = counts,
		.first_unknown = ids + counts,
		.tie = VIEW_NO_CELL,
		.first_key = VIEW_NO_CELL,
	};
}

void view_release(struct view *view)
{
	free(view->lines);
	free(view->columns);
	arena_release(&view->arena);
	view_begin(view, 0, 0, 0, 0);
}

struct view_line *view_new_line(struct view *view, enum line_kind kind)
{
	size_t texts = view->texts * sizeof(struct str);
	struct view_line *line =
		arena_alloc(&view->arena, sizeof(*line) + texts +
						  view->numbers * sizeof(*line->numbers));

	if (!line) {
		view->failed = true;
		return NULL;
	}
	line->kind = kind;
	line->texts = (struct str *)(line + 1);
	line->numbers = (int64_t *)(void *)((char *)(line + 1) + texts);
	for (size_t i = 0; i < view->ids; i++)
		line->numbers[i] = INT_NONE;
	for (size_t i = view->first_unknown; i < view->ids + view->counts; i++)
		line->numbers[i] = INT_NONE;
	return line;
}

bool view_append(struct view *view, struct view_line *line)
{
	if (view->line_count > VIEW_CELLS_MAX / (view->numbers + 1) ||
	    !ARRAY_GROW(view->lines, view->line_room, view->line_count)) {
		view->failed = true;
		return false;
	}
	view->lines[view->line_count++] = line;
	line->is_dropped = false;
	return true;
}

struct view_line *view_add_line(struct view *view, enum line_kind kind)
{
	struct view_line *line = view_new_line(view, kind);

	return line && view_append(view, line) ? line : NULL;
}

struct view_column *view_add_column(struct view *view, enum view_kind kind,
				    unsigned forms, const char *name, size_t cell)
{
	struct view_column *column = &view->spare;

	if (ARRAY_GROW(view->columns, view->column_room, view->column_count))
		column = &view->columns[view->column_count++];
	else
		view->failed = true;
	*column = (struct view_column){
		.kind = kind,
		.forms = forms,
		.name = str_of(name),
		.title = str_of(name),
		.cell = cell,
		.tie = VIEW_NO_CELL,
		.scale = 1,
		.unit = "",
	};
	return column;
}

size_t view_last_column(const struct view *view)
{
	return view->column_count - 1;
}

/* --- sums --- */

void view_add(const struct view *view, struct view_line *sum,
	      const struct view_line *line)
{
	size_t i = view->ids;

	for (; i < view->ids + view->counts; i++) {
		int64_t more = line->numbers[i];
		int64_t *to = &sum->numbers[i];

		if (more != INT_NONE)
			*to = wrap_add(*to == INT_NONE ? 0 : *to, more);
	}
	for (; i < view->numbers; i++)
		sum->numbers[i] = wrap_add(sum->numbers[i], line->numbers[i]);
}

void view_add_total(struct view *view)
{
	view->total = view_new_line(view, LINE_TOTAL);
	if (!view->total)
		return;
	if (view->texts)
		view->total->texts[0] = STR("total");
	for (size_t i = 0; i < view->line_count; i++)
		view_add(view, view->total, view->lines[i]);
	if (view->rest)
		view_add(view, view->total, view->rest);
}

/* --- trees --- */

#define DEPTH_MAX 1024

/* The depth, or DEPTH_MAX: there is no end to the parents. */
static size_t depth_of(const struct view_line *line)
{
	size_t depth = 0;

	while ((line = view_parent(line)) != NULL && depth < DEPTH_MAX)
		depth++;
	return depth;
}

/* Returns the branch of a line, made if needed; NULL: out of memory. */
static struct view_branch *branch_of(struct view *view, struct view_line *line)
{
	if (!line->branch)
		line->branch = arena_alloc(&view->arena, sizeof(*line->branch));
	view->failed |= !line->branch;
	return line->branch;
}

bool view_set_parent(struct view *view, struct view_line *line, struct view_line *parent)
{
	if (!branch_of(view, line))
		return false;
	line->branch->parent = parent;
	return true;
}

static bool has_sums(struct view *view, struct view_line *line)
{
	struct view_branch *branch = branch_of(view, line);

	if (branch && !branch->sums)
		branch->sums =
			arena_alloc(&view->arena, view->numbers * sizeof(*branch->sums));
	view->failed |= !branch || !branch->sums;
	return !view->failed;
}

void view_make_tree(struct view *view)
{
	view->is_tree = true;
	for (size_t i = 0; i < view->line_count; i++)
		if (depth_of(view->lines[i]) == DEPTH_MAX)
			view->lines[i]->branch->parent = NULL;
	for (size_t i = 0; i < view->line_count; i++) {
		struct view_line *line = view->lines[i];

		for (struct view_line *at = line; at; at = view_parent(at)) {
			struct view_line sum = { .kind = LINE_TASK };

			if (!has_sums(view, at))
				return;
			sum.numbers = at->branch->sums;
			view_add(view, &sum, line);
		}
		line->branch->depth = depth_of(line);
	}
}

bool view_ratio(const struct view *view, const struct view_column *column,
		const struct view_line *line, double *value)
{
	bool is_share = column->kind != VIEW_RATIO;
	int64_t part = view_number(column, line);
	int64_t whole = is_share ? view->total->numbers[column->cell]
				 : line->numbers[column->other];

	if (whole <= 0 || part == INT_NONE)
		return false;
	*value = is_share ? (double)part * 100 / (double)whole
			  : (double)part / (double)whole * column->scale;
	return true;
}

/* --- order --- */

struct order {
	const struct view *view;
	const struct view_column *column; /* NULL: as made */
};

static int ascending(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_ratios(const struct order *order, const struct view_line *a,
			  const struct view_line *b)
{
	double x, y;
	bool has_x = view_ratio(order->view, order->column, a, &x);
	bool has_y = view_ratio(order->view, order->column, b, &y);

	if (!has_x || !has_y)
		return has_y - has_x;
	return x > y ? -1 : x < y;
}

static int compare_keys(const struct order *order, const struct view_line *a,
			const struct view_line *b)
{
	const struct view_column *column = order->column;
	int result;

	if (!column)
		return 0;
	switch (column->kind) {
	case VIEW_NAME:
		return str_compare(a->texts[column->cell], b->texts[column->cell]);
	case VIEW_ID:
		return ascending(view_number(column, a), view_number(column, b));
	case VIEW_RATIO:
		return compare_ratios(order, a, b);
	default:
		result = ascending(view_number(column, b), view_number(column, a));
		if (result == 0 && column->tie != VIEW_NO_CELL)
			result = ascending(b->numbers[column->tie],
					   a->numbers[column->tie]);
		return result;
	}
}

/* Compares lines of equal keys, independently of the order of their making. */
static int compare_rest(const struct view *view, const struct view_line *a,
			const struct view_line *b)
{
	int result = 0;

	if (view->tie != VIEW_NO_CELL)
		result = ascending(b->numbers[view->tie], a->numbers[view->tie]);
	for (size_t i = 0; result == 0 && i < view->ids; i++)
		result = ascending(a->numbers[i], b->numbers[i]);
	for (size_t i = 0; result == 0 && i < view->texts; i++)
		result = str_compare(a->texts[i], b->texts[i]);
	for (size_t i = view->ids; result == 0 && i < view->numbers; i++)
		result = ascending(b->numbers[i], a->numbers[i]);
	return result;
}

/* A line with what decides in most cases: numbers that rise in the order of the lines. */
struct item {
	int64_t key;
	struct view_line *line;
};

static int64_t key_of(const struct order *order, const struct view_line *line)
{
	const struct view_column *column = order->column;

	if (!column || column->kind == VIEW_NAME || column->kind == VIEW_RATIO)
		return 0;
	return column->kind == VIEW_ID ? view_number(column, line)
				       : ~view_number(column, line);
}

static bool is_before(const struct order *order, const struct item *a,
		      const struct item *b)
{
	int result = ascending(a->line->kind, b->line->kind);

	if (result == 0)
		result = ascending(a->key, b->key);
	if (result == 0)
		result = compare_keys(order, a->line, b->line);
	if (result == 0 && order->column && !order->view->keeps_order)
		result = compare_rest(order->view, a->line, b->line);
	return result <= 0;
}

/* Merges the sorted runs [from, middle) and [middle, end). */
static void merge(const struct order *order, struct item *from, size_t middle, size_t end,
		  struct item *to)
{
	size_t a = 0, b = middle;

	for (size_t i = 0; i < end; i++)
		to[i] = b == end || (a < middle && is_before(order, &from[a], &from[b]))
				? from[a++]
				: from[b++];
}

/* A stable sort, which qsort() is not; qsort_r() is not everywhere. */
static bool sort_lines(const struct order *order, struct view_line **lines, size_t count)
{
	struct item *items = memory_alloc((2 * count + 1) * sizeof(*items));
	struct item *from = items, *to = items + count;

	if (!items)
		return false;
	for (size_t i = 0; i < count; i++)
		items[i] = (struct item){ key_of(order, lines[i]), lines[i] };
	for (size_t run = 1; run < count; run *= 2) {
		struct item *sorted = to;

		for (size_t at = 0; at < count; at += 2 * run) {
			size_t left = count - at;

			merge(order, from + at, run < left ? run : left,
			      2 * run < left ? 2 * run : left, to + at);
		}
		to = from;
		from = sorted;
	}
	for (size_t i = 0; i < count; i++)
		lines[i] = from[i].line;
	free(items);
	return true;
}

/* The sorted lines again, each after its parent and before the parent's siblings. */
static void arrange_tree(struct view *view)
{
	struct view_branch root = { .parent = NULL };
	size_t count = 0;

	/* Lines may have been added since the tree was made. */
	for (size_t i = 0; i < view->line_count; i++) {
		struct view_branch *branch = branch_of(view, view->lines[i]);

		if (!branch)
			return;
		branch->first_child = branch->next_sibling = NULL;
	}
	for (size_t i = 0; i < view->line_count; i++) {
		struct view_line *line = view->lines[i], *parent = view_parent(line);
		struct view_branch *to = parent ? parent->branch : &root;

		if (to->first_child)
			to->last_child->branch->next_sibling = line;
		else
			to->first_child = line;
		to->last_child = line;
	}
	for (struct view_line *at = root.first_child; at; at = at->branch->next_sibling) {
		view->lines[count++] = at;
		while (at->branch->first_child)
			view->lines[count++] = at = at->branch->first_child;
		while (!at->branch->next_sibling && view_parent(at))
			at = view_parent(at);
	}
}

static bool is_sortable(const struct view_column *column)
{
	return column->forms & (VIEW_CSV | VIEW_JSON) && column->kind < VIEW_KIND;
}

static const struct view_column *find_column(const struct view *view, struct str name)
{
	/* Names of the trace precede those of this program. */
	for (int is_event = 1; is_event >= 0; is_event--)
		for (size_t i = 0; i < view->column_count; i++) {
			const struct view_column *column = &view->columns[i];

			if (column->is_event == is_event && is_sortable(column) &&
			    str_equal(column->name, name))
				return column;
		}
	return NULL;
}

bool view_sort(struct view *view, const char *column)
{
	struct order order = { view, NULL };

	if (column)
		order.column = find_column(view, str_of(column));
	else if (view->first_key != VIEW_NO_CELL)
		order.column = &view->columns[view->first_key];
	if (column && !order.column)
		return false;
	view->failed |= !sort_lines(&order, view->lines, view->line_count);
	if (view->is_tree)
		arrange_tree(view);
	return true;
}
