/* test_cells.c - tools/analyze/cells.h and render_csv.c: values as they are printed. */
#include "analyze/cells.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/render.h"
#include "report/view.h"
#include "unit.h"

struct printed {
	FILE *to;
	char *text;
	size_t size;
	char last[200];
};

static void setup(struct printed *printed)
{
	printed->to = open_memstream(&printed->text, &printed->size);
	assert_non_null(printed->to);
}

static void teardown(struct printed *printed)
{
	fclose(printed->to);
	free(printed->text);
}

UNIT_FIXTURE(struct printed, setup, teardown);

/* What was printed since the last call. */
static const char *printed_text(struct printed *printed)
{
	fflush(printed->to);
	assert_true(printed->size < sizeof(printed->last));
	memcpy(printed->last, printed->text, printed->size);
	printed->last[printed->size] = '\0';
	rewind(printed->to);
	return printed->last;
}

/* A formula begins with one of six characters, between quotes or not. */
UNIT_CASE(cells_of_csv, struct printed *printed)
{
	static const struct {
		int line;
		const char *text, *plain, *safe;
	} rows[] = {
		{ ROW, "", "", "" },
		{ ROW, "a b", "a b", "a b" },
		{ ROW, "a,b", "\"a,b\"", "\"a,b\"" },
		{ ROW, "a\"b", "\"a\"\"b\"", "\"a\"\"b\"" },
		{ ROW, "a\nb", "\"a\nb\"", "\"a\nb\"" },
		{ ROW, "a\rb", "\"a\rb\"", "\"a\rb\"" },
		{ ROW, "=1", "=1", "'=1" },
		{ ROW, "+1", "+1", "'+1" },
		{ ROW, "-1", "-1", "'-1" },
		{ ROW, "@a", "@a", "'@a" },
		{ ROW, "\ta", "\ta", "'\ta" },
		{ ROW, "\ra", "\"\ra\"", "\"'\ra\"" },
		{ ROW, "=a,b", "\"=a,b\"", "\"'=a,b\"" },
		{ ROW, "1=", "1=", "1=" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		csv_cell(printed->to, str_of(rows[i].text), false);
		ROW_TEXT(&rows[i], printed_text(printed), rows[i].plain);
		csv_cell(printed->to, str_of(rows[i].text), true);
		ROW_TEXT(&rows[i], printed_text(printed), rows[i].safe);
	}
	csv_cell(printed->to, STR_NONE, true);
	csv_number(printed->to, INT_NONE);
	assert_string_equal(printed_text(printed), "");
}

/* Of a number as few digits as give it back. */
UNIT_CASE(reals, struct printed *printed)
{
	static const struct {
		int line;
		double value;
		const char *text;
	} rows[] = {
		{ ROW, 0, "0" },
		{ ROW, -3, "-3" },
		{ ROW, 18446744073709551616.0, "18446744073709551616" },
		{ ROW, 0.1, "0.1" },
		{ ROW, 0.1 + 0.2, "0.30000000000000004" },
		{ ROW, 1.0 / 3, "0.3333333333333333" },
		{ ROW, 1e300, "1e+300" },
		{ ROW, 1e308 * 10, "1e999" },
		{ ROW, -1e308 * 10, "-1e999" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		print_real(printed->to, rows[i].value);
		ROW_TEXT(&rows[i], printed_text(printed), rows[i].text);
	}
}

/* A third of the columns, "~", and the end; never a part of a character. */
UNIT_CASE(paths, struct printed *printed)
{
	print_path(printed->to, STR("123456789"), 9);
	assert_string_equal(printed_text(printed), "123456789");
	print_path(printed->to, STR("1234567890"), 9);
	assert_string_equal(printed_text(printed), "123~67890");
	print_path(printed->to, STR("\xc3\xa4\xc3\xb6\xc3\xbc/67890"), 7);
	assert_string_equal(printed_text(printed), "\xc3\xa4\xc3\xb6~7890");
	print_path(printed->to, STR("/1234567\xc3\xa4\xc3\xb6\xc3\xbc"), 7);
	assert_string_equal(printed_text(printed), "/1~7\xc3\xa4\xc3\xb6\xc3\xbc");
}

UNIT_CASE(words, struct printed *printed)
{
	setenv("COLUMNS", "44", 1);
	print_words(printed->to, "a234567890 b234567890 c234567890 d234567 e");
	assert_string_equal(printed_text(printed),
			    "a234567890 b234567890 c234567890 d234567\ne\n");
	print_words(printed->to, "a234567890 b234567890 c234567890 d23456 e");
	assert_string_equal(printed_text(printed),
			    "a234567890 b234567890 c234567890 d23456\ne\n");
	print_words(printed->to, "a234567890 b234567890 c234567890 d2345 e");
	assert_string_equal(printed_text(printed),
			    "a234567890 b234567890 c234567890 d2345 e\n");
}

enum { ID, COUNTED, VALUE };

/* The smallest number is a value; of a count, and of an id, it says "not known". */
UNIT_CASE(lines_of_csv, struct printed *printed)
{
	const struct render_options options = { .csv_safe = true };
	struct view_line *line;
	struct view_column *ratio;
	struct view view;

	view_begin(&view, 1, 1, 1, 1);
	view_add_column(&view, VIEW_NAME, VIEW_CSV, "name", 0);
	view_add_column(&view, VIEW_ID, VIEW_CSV, "id", ID);
	view_add_column(&view, VIEW_NUMBER, VIEW_TEXT, "text", COUNTED);
	view_add_column(&view, VIEW_NUMBER, VIEW_CSV, "counted", COUNTED);
	view_add_column(&view, VIEW_NUMBER, VIEW_CSV, "value", VALUE);
	ratio = view_add_column(&view, VIEW_RATIO, VIEW_CSV, "ratio", VALUE);
	ratio->other = COUNTED;
	ratio->scale = 1;
	line = view_add_line(&view, LINE_TASK);
	line->texts[0] = STR("=a");
	line->numbers[ID] = line->numbers[COUNTED] = line->numbers[VALUE] = INT_NONE;
	line = view_add_line(&view, LINE_TASK);
	line->texts[0] = STR("b");
	line->numbers[ID] = 1;
	line->numbers[COUNTED] = 2;
	line->numbers[VALUE] = 3;
	line = view_add_line(&view, LINE_UNATTRIBUTED);
	line->texts[0] = STR("c");
	line->numbers[COUNTED] = 4;
	line->numbers[VALUE] = 5;
	render_csv(printed->to, &view, &options);
	assert_string_equal(printed_text(printed), "name,id,counted,value,ratio\n"
						   "'=a,,,-9223372036854775808,\n"
						   "b,1,2,3,1.5\n"
						   "c,,4,5,\n");
	view_release(&view);
}
