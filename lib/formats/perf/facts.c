/* facts.c - rows of header_fact: what a file says of its recording, as text. */
#include "base/text.h"
#include "formats/perf/records.h"

struct str perf_emit_fact(struct perf_rows *rows, const char *key, struct str value)
{
	struct header_fact_row row = { .key = str_of(key) };

	rows->fact_bytes +=
		value.len < PERF_FACT_BYTES_MAX ? value.len : PERF_FACT_BYTES_MAX;
	if (++rows->fact_count > PERF_FACTS_MAX ||
	    rows->fact_bytes > PERF_FACTS_BYTES_MAX) {
		finding_add(rows->findings, FINDING_FACT_LIMIT, ERROR_NO_OFFSET, 1);
		return STR_NONE;
	}
	value.len = value.len < PERF_FACT_BYTES_MAX ? value.len : PERF_FACT_BYTES_MAX;
	row.value = text_valid_utf8(&rows->texts, value);
	if (row.value.ptr)
		emit_push_row(&rows->emit, RECORD_header_fact, 0, &row);
	return row.value;
}

void perf_emit_number(struct perf_rows *rows, const char *key, uint64_t number,
		      const char *unit)
{
	char text[64];

	text_print(text, sizeof(text), "%llu%s", (unsigned long long)number, unit);
	perf_emit_fact(rows, key, str_of(text));
}

struct str perf_print_hex(struct perf_scratch *scratch, const uint8_t *bytes,
			  size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count && i < 64; i++) {
		scratch->text[i * 2] = digits[bytes[i] >> 4];
		scratch->text[i * 2 + 1] = digits[bytes[i] & 15];
	}
	return (struct str){ scratch->text, (count < 64 ? count : 64) * 2 };
}
