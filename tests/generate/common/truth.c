/* Books and truth files of the generators of traces. */
#include "truth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void bill_add(struct bill *bill, uint64_t on_cpu_ns, const uint64_t *deltas)
{
	bill->switches++;
	bill->on_cpu_ns += on_cpu_ns;
	for (unsigned i = 0; i < TRUTH_COUNTERS; i++)
		bill->counts[i] += deltas[i];
}

void bill_add_bill(struct bill *bill, const struct bill *more)
{
	bill->switches += more->switches;
	bill->on_cpu_ns += more->on_cpu_ns;
	for (unsigned i = 0; i < TRUTH_COUNTERS; i++)
		bill->counts[i] += more->counts[i];
}

void truth_field(struct byte_buf *out, const char *text)
{
	bool is_quoted = strpbrk(text, ",\"\r\n");

	if (is_quoted)
		buf_u8(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf_u8(out, '"');
		buf_u8(out, (uint8_t)*text);
	}
	if (is_quoted)
		buf_u8(out, '"');
}

void truth_heading(const struct truth *truth, const char *columns, struct byte_buf *out)
{
	buf_text(out, "%s", columns);
	for (unsigned i = 0; i < truth->counter_count; i++) {
		buf_u8(out, ',');
		truth_field(out, truth->name(truth->context, i));
	}
	buf_u8(out, '\n');
}

void truth_bill(const struct truth *truth, const struct bill *bill, struct byte_buf *out)
{
	buf_text(out, ",%" PRIu64 ",%" PRIu64, bill->switches, bill->on_cpu_ns);
	for (unsigned i = 0; i < truth->counter_count; i++)
		buf_text(out, ",%" PRId64, (int64_t)bill->counts[i]);
	buf_u8(out, '\n');
}

static int compare_lines(const void *left, const void *right)
{
	const char *const *a = left;
	const char *const *b = right;

	return strcmp(*a, *b);
}

void truth_sorted(struct byte_buf *rows, struct byte_buf *out)
{
	const char **lines = NULL;
	size_t room = 0;
	size_t count = 0;
	char *start;

	buf_u8(rows, '\0');
	start = (char *)rows->data;
	for (char *end = strchr(start, '\n'); end; end = strchr(start, '\n')) {
		*end = '\0';
		lines = grow_array(lines, count, &room, sizeof(*lines));
		lines[count++] = start;
		start = end + 1;
	}
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++) {
		buf_bytes(out, lines[i], strlen(lines[i]));
		buf_u8(out, '\n');
	}
	free(lines);
	buf_release(rows);
}

void truth_check_heading(struct byte_buf *out)
{
	buf_text(out, "cpu,counter,first,last,"
		      "charged,interrupts,with_idle,idle,unattributed,balanced\n");
}

void truth_check(const struct truth *truth, const struct book *book, unsigned cpu,
		 struct byte_buf *out)
{
	for (unsigned i = 0; i < truth->counter_count; i++) {
		uint64_t rest = book->last[i] - book->first[i];

		buf_text(out, "%u,", cpu);
		truth_field(out, truth->name(truth->context, i));
		buf_text(out, ",%" PRId64 ",%" PRId64, (int64_t)book->first[i],
			 (int64_t)book->last[i]);
		for (unsigned status = 0; status < STATUS_COUNT; status++) {
			buf_text(out, ",%" PRId64, (int64_t)book->sums[status][i]);
			rest -= book->sums[status][i];
		}
		if (rest)
			die("%s: cpu %u, counter %u: the ledger does not balance",
			    truth->scenario, cpu, i);
		buf_text(out, ",1\n");
	}
}
