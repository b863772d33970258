/* bulk_record.c - see bulk_record.h. */
#include "writers/bulk_record.h"

#include "writers/bulk_bytes.h"

/* By the number of the highest bit that differs from the sign. */
const struct bulk_int_size bulk_int_sizes[64] = {
	[0] = { 1, 1 },	 [1] = { 1, 1 },  [2] = { 1, 1 },  [3] = { 1, 1 },
	[4] = { 1, 1 },	 [5] = { 1, 1 },  [6] = { 1, 1 },  [7] = { 2, 2 },
	[8] = { 2, 2 },	 [9] = { 2, 2 },  [10] = { 2, 2 }, [11] = { 2, 2 },
	[12] = { 2, 2 }, [13] = { 2, 2 }, [14] = { 2, 2 }, [15] = { 3, 3 },
	[16] = { 3, 3 }, [17] = { 3, 3 }, [18] = { 3, 3 }, [19] = { 3, 3 },
	[20] = { 3, 3 }, [21] = { 3, 3 }, [22] = { 3, 3 }, [23] = { 4, 4 },
	[24] = { 4, 4 }, [25] = { 4, 4 }, [26] = { 4, 4 }, [27] = { 4, 4 },
	[28] = { 4, 4 }, [29] = { 4, 4 }, [30] = { 4, 4 }, [31] = { 5, 6 },
	[32] = { 5, 6 }, [33] = { 5, 6 }, [34] = { 5, 6 }, [35] = { 5, 6 },
	[36] = { 5, 6 }, [37] = { 5, 6 }, [38] = { 5, 6 }, [39] = { 5, 6 },
	[40] = { 5, 6 }, [41] = { 5, 6 }, [42] = { 5, 6 }, [43] = { 5, 6 },
	[44] = { 5, 6 }, [45] = { 5, 6 }, [46] = { 5, 6 }, [47] = { 6, 8 },
	[48] = { 6, 8 }, [49] = { 6, 8 }, [50] = { 6, 8 }, [51] = { 6, 8 },
	[52] = { 6, 8 }, [53] = { 6, 8 }, [54] = { 6, 8 }, [55] = { 6, 8 },
	[56] = { 6, 8 }, [57] = { 6, 8 }, [58] = { 6, 8 }, [59] = { 6, 8 },
	[60] = { 6, 8 }, [61] = { 6, 8 }, [62] = { 6, 8 }, [63] = { 6, 8 },
};

#define TYPE_REAL 7
#define TYPE_BLOB 12 /* and two for each byte; texts are odd */
#define TYPE_TEXT 13

/* Integers of more than six bytes gain nothing over a real. */
#define REAL_AS_INT_MAX ((double)((int64_t)1 << 47))

void record_real(struct bulk_record *record, double value)
{
	uint64_t bits;

	if (value != value) { /* not a number: SQLite has no such value */
		record_null(record);
		return;
	}
	/* SQLite stores a whole number as an integer, and reads it back as a real. */
	if (value >= -REAL_AS_INT_MAX && value < REAL_AS_INT_MAX &&
	    value == (double)(int64_t)value) {
		record_int(record, (int64_t)value);
		return;
	}
	memcpy(&bits, &value, sizeof(bits));
	*record->types_end++ = TYPE_REAL;
	record_int_bytes(record->body_end, (int64_t)bits, sizeof(bits));
	record->body_end += sizeof(bits);
}

static void put_bytes(struct bulk_record *record, struct str bytes, uint64_t type)
{
	size_t used = (size_t)(record->body_end - record->body);

	if (bytes.len > BULK_BODY_BYTES_MAX || used + bytes.len > BULK_BODY_BYTES_MAX) {
		record->too_large = true;
		return;
	}
	record->types_end += put_varint(record->types_end, type + 2 * bytes.len);
	if (bytes.len)
		memcpy(record->body_end, bytes.ptr, bytes.len);
	record->body_end += bytes.len;
}

void record_text(struct bulk_record *record, struct str text)
{
	put_bytes(record, text, TYPE_TEXT);
}

void record_blob(struct bulk_record *record, struct str bytes)
{
	put_bytes(record, bytes, TYPE_BLOB);
}

void record_write(const struct bulk_record *record, uint8_t *to)
{
	size_t types = (size_t)(record->types_end - record->types);

	to += put_varint(to, types + (types < 127 ? 1 : 2));
	memcpy(to, record->types, types);
	memcpy(to + types, record->body, (size_t)(record->body_end - record->body));
}
