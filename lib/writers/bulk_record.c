/* bulk_record.c - see bulk_record.h. */
#include "writers/bulk_record.h"

#include "writers/bulk_bytes.h"

/*
 * There must be room for the sign: a highest bit 7 needs two bytes.  Bit 0 is that of 0
 * and 1, which have types without bytes, and from 64 on that of -1 and -2, which have
 * not.
 */
const struct bulk_int_size bulk_int_sizes[128] = {
	[0] = { 8, 0 },	  [1] = { 1, 1 },   [2] = { 1, 1 },   [3] = { 1, 1 },
	[4] = { 1, 1 },	  [5] = { 1, 1 },   [6] = { 1, 1 },   [7] = { 2, 2 },
	[8] = { 2, 2 },	  [9] = { 2, 2 },   [10] = { 2, 2 },  [11] = { 2, 2 },
	[12] = { 2, 2 },  [13] = { 2, 2 },  [14] = { 2, 2 },  [15] = { 3, 3 },
	[16] = { 3, 3 },  [17] = { 3, 3 },  [18] = { 3, 3 },  [19] = { 3, 3 },
	[20] = { 3, 3 },  [21] = { 3, 3 },  [22] = { 3, 3 },  [23] = { 4, 4 },
	[24] = { 4, 4 },  [25] = { 4, 4 },  [26] = { 4, 4 },  [27] = { 4, 4 },
	[28] = { 4, 4 },  [29] = { 4, 4 },  [30] = { 4, 4 },  [31] = { 5, 6 },
	[32] = { 5, 6 },  [33] = { 5, 6 },  [34] = { 5, 6 },  [35] = { 5, 6 },
	[36] = { 5, 6 },  [37] = { 5, 6 },  [38] = { 5, 6 },  [39] = { 5, 6 },
	[40] = { 5, 6 },  [41] = { 5, 6 },  [42] = { 5, 6 },  [43] = { 5, 6 },
	[44] = { 5, 6 },  [45] = { 5, 6 },  [46] = { 5, 6 },  [47] = { 6, 8 },
	[48] = { 6, 8 },  [49] = { 6, 8 },  [50] = { 6, 8 },  [51] = { 6, 8 },
	[52] = { 6, 8 },  [53] = { 6, 8 },  [54] = { 6, 8 },  [55] = { 6, 8 },
	[56] = { 6, 8 },  [57] = { 6, 8 },  [58] = { 6, 8 },  [59] = { 6, 8 },
	[60] = { 6, 8 },  [61] = { 6, 8 },  [62] = { 6, 8 },  [63] = { 6, 8 },
	[64] = { 1, 1 },  [65] = { 1, 1 },  [66] = { 1, 1 },  [67] = { 1, 1 },
	[68] = { 1, 1 },  [69] = { 1, 1 },  [70] = { 1, 1 },  [71] = { 2, 2 },
	[72] = { 2, 2 },  [73] = { 2, 2 },  [74] = { 2, 2 },  [75] = { 2, 2 },
	[76] = { 2, 2 },  [77] = { 2, 2 },  [78] = { 2, 2 },  [79] = { 3, 3 },
	[80] = { 3, 3 },  [81] = { 3, 3 },  [82] = { 3, 3 },  [83] = { 3, 3 },
	[84] = { 3, 3 },  [85] = { 3, 3 },  [86] = { 3, 3 },  [87] = { 4, 4 },
	[88] = { 4, 4 },  [89] = { 4, 4 },  [90] = { 4, 4 },  [91] = { 4, 4 },
	[92] = { 4, 4 },  [93] = { 4, 4 },  [94] = { 4, 4 },  [95] = { 5, 6 },
	[96] = { 5, 6 },  [97] = { 5, 6 },  [98] = { 5, 6 },  [99] = { 5, 6 },
	[100] = { 5, 6 }, [101] = { 5, 6 }, [102] = { 5, 6 }, [103] = { 5, 6 },
	[104] = { 5, 6 }, [105] = { 5, 6 }, [106] = { 5, 6 }, [107] = { 5, 6 },
	[108] = { 5, 6 }, [109] = { 5, 6 }, [110] = { 5, 6 }, [111] = { 6, 8 },
	[112] = { 6, 8 }, [113] = { 6, 8 }, [114] = { 6, 8 }, [115] = { 6, 8 },
	[116] = { 6, 8 }, [117] = { 6, 8 }, [118] = { 6, 8 }, [119] = { 6, 8 },
	[120] = { 6, 8 }, [121] = { 6, 8 }, [122] = { 6, 8 }, [123] = { 6, 8 },
	[124] = { 6, 8 }, [125] = { 6, 8 }, [126] = { 6, 8 }, [127] = { 6, 8 },
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
	*--record->front.types = TYPE_REAL;
	record_int_bytes(record->front.cell, (int64_t)bits);
	record->front.cell -= sizeof(bits);
}

static void put_bytes(struct bulk_record *record, struct str bytes, uint64_t type)
{
	size_t used = (size_t)(record_end(record) - record->front.cell);

	if (bytes.len > BULK_BODY_BYTES_MAX || used + bytes.len > BULK_BODY_BYTES_MAX) {
		record->too_large = true;
		return;
	}
	record->front.types = varint_before(record->front.types, type + 2 * bytes.len);
	record->front.cell -= bytes.len;
	if (bytes.len)
		memcpy(record->front.cell, bytes.ptr, bytes.len);
}

void record_text(struct bulk_record *record, struct str text)
{
	put_bytes(record, text, TYPE_TEXT);
}

void record_blob(struct bulk_record *record, struct str bytes)
{
	put_bytes(record, bytes, TYPE_BLOB);
}

size_t record_cell(struct bulk_record *record, int64_t rowid)
{
	const uint8_t *types_end = record->types_room + sizeof(record->types_room);
	size_t types = (size_t)(types_end - record->front.types), payload;

	record->front.cell -= types;
	memcpy(record->front.cell, record->front.types, types);
	/* The header's size counts the bytes it is itself written in. */
	record->front.cell =
		varint_before(record->front.cell, types + (types < 127 ? 1 : 2));
	payload = (size_t)(record_end(record) - record->front.cell);
	record->front.cell = varint_before(record->front.cell, (uint64_t)rowid);
	record->front.cell = varint_before(record->front.cell, payload);
	return payload;
}
