/*
 * thrift.h - writes structs in Thrift's compact protocol, which Parquet's metadata uses.
 *
 * As Apache Thrift documents it.  A struct is opened, gets its fields
 * in rising order of their ids, and is closed.
 */
#ifndef PERFTAB_PARQUET_THRIFT_H
#define PERFTAB_PARQUET_THRIFT_H

#include "base/bytes.h"
#include "base/str.h"

#define THRIFT_DEPTH_MAX 8

struct thrift {
	struct bytes *to;
	int16_t last[THRIFT_DEPTH_MAX]; /* ids of the last field, by depth */
	size_t depth;
};

enum thrift_type { THRIFT_I32 = 5, THRIFT_BINARY = 8, THRIFT_STRUCT = 12 };

void thrift_i32(struct thrift *thrift, int16_t id, int32_t value);
void thrift_i64(struct thrift *thrift, int16_t id, int64_t value);
void thrift_bool(struct thrift *thrift, int16_t id, bool value);
void thrift_text(struct thrift *thrift, int16_t id, struct str text);
/* A struct as a field; thrift_end() closes it. */
void thrift_begin(struct thrift *thrift, int16_t id);
/* `count` elements follow: thrift_element() and thrift_end(), or the two below. */
void thrift_list(struct thrift *thrift, int16_t id, enum thrift_type type, size_t count);
void thrift_element(struct thrift *thrift);
void thrift_element_i32(struct thrift *thrift, int32_t value);
void thrift_element_text(struct thrift *thrift, struct str text);
/* Closes a struct, at last the outermost one, which is open from the beginning. */
void thrift_end(struct thrift *thrift);

#endif
