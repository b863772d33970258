/* thrift.c - the compact protocol: short headers of fields, numbers as varints. */
#include "output/parquet/thrift.h"

#include "base/varint.h"

enum wire_type {
	WIRE_TRUE = 1,
	WIRE_FALSE = 2,
	WIRE_I32 = THRIFT_I32,
	WIRE_I64 = 6,
	WIRE_BINARY = THRIFT_BINARY,
	WIRE_LIST = 9,
	WIRE_STRUCT = THRIFT_STRUCT,
};

/* A list's header has four bits for its length. */
#define SHORT_LIST_MAX 14

static void put_byte(struct thrift *thrift, unsigned int byte)
{
	bytes_put(thrift->to, &(uint8_t){ (uint8_t)byte }, 1);
}

static void put_field(struct thrift *thrift, int16_t id, enum wire_type type)
{
	int16_t *last = &thrift->last[thrift->depth];
	int step = id - *last;

	if (step > 0 && step <= 15) {
		put_byte(thrift, (unsigned int)step << 4 | type);
	} else {
		put_byte(thrift, type);
		varint_put(thrift->to, varint_zigzag(id));
	}
	*last = id;
}

static void put_text(struct thrift *thrift, struct str text)
{
	varint_put(thrift->to, text.len);
	bytes_put(thrift->to, text.ptr, text.len);
}

void thrift_i32(struct thrift *thrift, int16_t id, int32_t value)
{
	put_field(thrift, id, WIRE_I32);
	varint_put(thrift->to, varint_zigzag(value));
}

void thrift_i64(struct thrift *thrift, int16_t id, int64_t value)
{
	put_field(thrift, id, WIRE_I64);
	varint_put(thrift->to, varint_zigzag(value));
}

void thrift_bool(struct thrift *thrift, int16_t id, bool value)
{
	put_field(thrift, id, value ? WIRE_TRUE : WIRE_FALSE);
}

void thrift_text(struct thrift *thrift, int16_t id, struct str text)
{
	put_field(thrift, id, WIRE_BINARY);
	put_text(thrift, text);
}

void thrift_begin(struct thrift *thrift, int16_t id)
{
	put_field(thrift, id, WIRE_STRUCT);
	thrift_element(thrift);
}

void thrift_list(struct thrift *thrift, int16_t id, enum thrift_type type, size_t count)
{
	put_field(thrift, id, WIRE_LIST);
	if (count <= SHORT_LIST_MAX) {
		put_byte(thrift, (unsigned int)count << 4 | type);
		return;
	}
	put_byte(thrift, 0xf0u | type);
	varint_put(thrift->to, count);
}

void thrift_element(struct thrift *thrift)
{
	thrift->last[++thrift->depth] = 0;
}

void thrift_element_i32(struct thrift *thrift, int32_t value)
{
	varint_put(thrift->to, varint_zigzag(value));
}

void thrift_element_text(struct thrift *thrift, struct str text)
{
	put_text(thrift, text);
}

void thrift_end(struct thrift *thrift)
{
	put_byte(thrift, 0);
	if (thrift->depth)
		thrift->depth--;
}
