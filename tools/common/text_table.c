/* text_table.c - aligns cells in columns and prints them in blocks. */
#include "text_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "model/record.h"

#define COLUMNS_MIN 40
#define COLUMNS_MAX 1000

size_t text_columns(void)
{
	const char *text = getenv("COLUMNS");
	long columns = text ? strtol(text, NULL, 10) : 0;

	if (columns < COLUMNS_MIN || columns > COLUMNS_MAX) {
		int width, lines;

		os_terminal_size(OS_STDOUT, &width, &lines);
		columns = width > 0 && width < COLUMNS_MIN ? COLUMNS_MIN : width;
	}
	return columns <= 0 || columns > COLUMNS_MAX ? TEXT_TABLE_COLUMNS
						     : (size_t)columns;
}

void text_table_init(struct text_table *table, size_t columns, size_t repeated)
{
	*table = (struct text_table){ .columns = columns, .repeated = repeated };
	table->left = arena_alloc(&table->arena, columns * sizeof(*table->left));
	table->failed = !table->left;
}

void text_table_row(struct text_table *table)
{
	size_t used = table->rows * table->columns;

	if (!ARRAY_GROW(table->cells, table->room, used + table->columns)) {
		table->failed = true;
		return;
	}
	for (size_t i = 0; i < table->columns; i++)
		table->cells[used + i] = STR("");
	table->rows++;
}

void text_table_text(struct text_table *table, size_t column, struct str text)
{
	if (table->failed)
		return;
	text = arena_str(&table->arena, text);
	table->failed |= !text.ptr;
	table->cells[(table->rows - 1) * table->columns + column] = text;
}

void text_table_int(struct text_table *table, size_t column, int64_t value)
{
	char text[40];

	if (value == INT_NONE)
		return;
	text_grouped(text, sizeof(text), value);
	text_table_text(table, column, str_of(text));
}

void text_table_ms(struct text_table *table, size_t column, int64_t ns)
{
	char text[48];

	text_ms(text, sizeof(text), ns);
	text_table_text(table, column, str_of(text));
}

void text_table_real(struct text_table *table, size_t column, double value, int places,
		     const char *unit)
{
	char text[64];

	text_print(text, sizeof(text), "%.*f%s%s", places, value, unit[0] ? " " : "",
		   unit);
	text_table_text(table, column, str_of(text));
}

/* --- printing --- */

/* Characters, not bytes; every one is taken for one column wide. */
static size_t width_of(struct str text)
{
	size_t width = 0;

	for (size_t i = 0; i < text.len; i++)
		width += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
	return width;
}

static size_t column_width(const struct text_table *table, size_t column)
{
	size_t widest = 0;

	for (size_t row = 0; row < table->rows; row++) {
		size_t width = width_of(table->cells[row * table->columns + column]);

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* Blanks wait for the next text: no line ends with them. */
static void print_cell(FILE *to, struct str text, size_t width, bool left, size_t *blanks)
{
	size_t pad = width - width_of(text);

	if (text.len == 0) {
		*blanks += width;
		return;
	}
	fprintf(to, "%*s", (int)(*blanks + (left ? 0 : pad)), "");
	fwrite(text.ptr, 1, text.len, to);
	*blanks = left ? pad : 0;
}

static void print_rule(FILE *to, size_t width)
{
	while (width--)
		fputc('-', to);
	fputc('\n', to);
}

/* The repeated columns and [from, end). */
static void print_block(const struct text_table *table, const size_t *widths, size_t from,
			size_t end, FILE *to)
{
	size_t total = 0;

	for (size_t c = 0; c < end; c = c + 1 == table->repeated ? from : c + 1)
		total += widths[c] + (c ? 2 : 0);
	for (size_t row = 0; row < table->rows; row++) {
		size_t blanks = 0;

		if (table->rules && row == table->rules)
			print_rule(to, total);
		for (size_t c = 0; c < end; c = c + 1 == table->repeated ? from : c + 1) {
			blanks += c ? 2 : 0;
			print_cell(to, table->cells[row * table->columns + c], widths[c],
				   table->left[c], &blanks);
		}
		fputc('\n', to);
	}
}

/* The titles from that column on, as many as fit in a line. */
static void print_left_out(const struct text_table *table, size_t from, size_t columns,
			   FILE *to)
{
	static const char begin[] = "not shown: ", end[] = " (wider terminal)";
	size_t used = sizeof(begin) + sizeof(end) + sizeof(", ...");

	fputs(begin, to);
	for (size_t c = from; c < table->columns; c++) {
		struct str title = table->cells[c];

		used += 2 + width_of(title);
		if (c > from && used > columns) {
			fputs(", ...", to);
			break;
		}
		fprintf(to, "%s%.*s", c > from ? ", " : "", (int)title.len, title.ptr);
	}
	fprintf(to, "%s\n", end);
}

void text_table_print(const struct text_table *table, FILE *to)
{
	size_t fixed = 0, from = table->repeated, columns = text_columns();
	size_t *widths = memory_alloc_zeroed(table->columns, sizeof(*widths));

	if (!widths || table->failed) {
		free(widths);
		return;
	}
	for (size_t c = 0; c < table->columns; c++)
		widths[c] = column_width(table, c);
	for (size_t c = 0; c < table->repeated; c++)
		fixed += widths[c] + (c ? 2 : 0);
	while (from < table->columns) {
		size_t end = from, used = fixed;

		/* At least one column a block, however wide it is. */
		while (end < table->columns &&
		       (end == from || used + 2 + widths[end] <= columns))
			used += 2 + widths[end++];
		if (from != table->repeated)
			fputc('\n', to);
		print_block(table, widths, from, end, to);
		if (table->one_block && end < table->columns)
			print_left_out(table, end, columns, to);
		from = table->one_block ? table->columns : end;
	}
	free(widths);
}

void text_table_release(struct text_table *table)
{
	free(table->cells);
	arena_release(&table->arena);
}
