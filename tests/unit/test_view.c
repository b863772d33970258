/* test_view.c - lib/report/view.h: order, shares and ratios of lines. */
#include "report/view.h"

#include "unit.h"

enum { ID, FIRST, SECOND, NUMBERS };

static void setup(struct view *view)
{
	struct view_column *ratio;

	view_begin(view, 1, 1, 0, 2);
	view_add_column(view, VIEW_NAME, VIEW_CSV, "name", 0);
	view_add_column(view, VIEW_NUMBER, VIEW_CSV, "first", FIRST);
	view_add_column(view, VIEW_SHARE, VIEW_TEXT, "share", FIRST);
	ratio = view_add_column(view, VIEW_RATIO, VIEW_CSV, "ratio", FIRST);
	ratio->other = SECOND;
	ratio->scale = 100;
}

UNIT_FIXTURE(struct view, setup, view_release);

static void add_line(struct view *view, const char *name, int64_t id, int64_t first,
		     int64_t second)
{
	struct view_line *line = view_add_line(view, LINE_TASK);

	assert_non_null(line);
	line->texts[0] = str_of(name);
	line->numbers[ID] = id;
	line->numbers[FIRST] = first;
	line->numbers[SECOND] = second;
}

/* The names of all lines, one after the other. */
static void assert_order(const struct view *view, const char *expected)
{
	char text[64];
	size_t at = 0;

	for (size_t i = 0; i < view->line_count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%.*s",
				       (int)view->lines[i]->texts[0].len,
				       view->lines[i]->texts[0].ptr);
	assert_string_equal(text, expected);
}

/* The largest ratio first; lines that have none last. */
UNIT_CASE(ratios, struct view *view)
{
	double value;

	add_line(view, "a", 1, 5, 0);
	add_line(view, "b", 2, 1, 2);
	add_line(view, "c", 3, 6, 0);
	add_line(view, "d", 4, 3, 2);
	assert_true(view_sort(view, "ratio"));
	assert_order(view, "dbac");
	assert_true(view_ratio(view, &view->columns[3], view->lines[0], &value));
	assert_true(value == 150);
	assert_false(view_ratio(view, &view->columns[3], view->lines[2], &value));
}

/* A total that is not positive has no shares. */
UNIT_TEST(shares)
{
	static const struct {
		int line;
		int64_t a, b;
		bool has_share;
		double share; /* of a */
	} rows[] = {
		{ ROW, 1, 3, true, 25 },
		{ ROW, -1, 3, true, -50 },
		{ ROW, -1, 1, false, 0 },
		{ ROW, -4, 1, false, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct view view;
		double value;

		setup(&view);
		add_line(&view, "a", 1, rows[i].a, 1);
		add_line(&view, "b", 2, rows[i].b, 1);
		view_add_total(&view);
		ROW_INT(&rows[i],
			view_ratio(&view, &view.columns[2], view.lines[0], &value),
			rows[i].has_share);
		if (rows[i].has_share)
			ROW_TRUE(&rows[i], value == rows[i].share);
		view_release(&view);
	}
}

/* Equal lines by their id, or as they were made. */
UNIT_CASE(equals, struct view *view)
{
	add_line(view, "b", 2, 7, 1);
	add_line(view, "a", 1, 7, 1);
	add_line(view, "c", 2, 7, 1);
	view->keeps_order = true;
	assert_true(view_sort(view, "first"));
	assert_order(view, "bac");
	view->keeps_order = false;
	assert_true(view_sort(view, "first"));
	assert_order(view, "abc");
	assert_false(view_sort(view, "share")); /* not in CSV */
}
