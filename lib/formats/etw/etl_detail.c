/* etl_detail.c - what a switch says besides its threads and counters, as a row. */
#include "formats/etw/etl.h"

int64_t etl_detail_id(struct etl_output *output, const struct etl_switch *s, bool *is_new)
{
	const int8_t *fields = s->payload.fields;
	struct etw_switch_detail_row row = {
		.next_priority = fields[0],
		.prev_priority = fields[1],
		.previous_c_state =
			s->version >= 2 && fields[2] >= 0 ? fields[2] : INT_NONE,
		.wait_reason = etw_wait_reason(fields[4]),
		/* Since version 3 flags, of which the lowest is the wait mode. */
		.wait_mode = etw_wait_mode(
			(int8_t)(s->version >= 3 ? fields[5] & 1 : fields[5])),
		.prev_state = etw_thread_state(fields[6]),
		.ideal_cpu = (uint8_t)fields[7],
	};
	int64_t id = etw_detail(&output->details, &row, is_new);

	if (*is_new)
		etw_emit_row(&output->emit, TABLE_etw_switch_detail, s->offset, &row);
	return id;
}
