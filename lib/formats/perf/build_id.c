/* build_id.c - a build id, as a record and as an entry of the header feature. */
#include "formats/perf/records.h"

#define MISC_CPUMODE 7
#define MISC_BUILD_ID_SIZE (1u << 15)
#define BUILD_ID_BYTES 20

/* pid s32, id u8[20], size u8 and padding, name */
bool perf_decode_build_id(struct perf_scratch *scratch, struct cursor *c, uint16_t misc,
			  struct record *out)
{
	struct build_id_row *row = &scratch->event.build_id;
	size_t size = BUILD_ID_BYTES;
	const uint8_t *id;

	*row = (struct build_id_row){ .mode = misc & MISC_CPUMODE };
	row->pid = (int32_t)cursor_u32(c);
	id = cursor_bytes(c, BUILD_ID_BYTES + 4);
	if (!id)
		return false;
	if (misc & MISC_BUILD_ID_SIZE && id[BUILD_ID_BYTES] <= BUILD_ID_BYTES)
		size = id[BUILD_ID_BYTES];
	row->build_id = perf_print_hex(scratch, id, size);
	row->filename = cursor_padded_str(c, cursor_left(c));
	out->kind = RECORD_build_id;
	return true;
}
