/*
 * layout.h - the layout of PerfLib bundles (.plb), see docs/formats/perflib-bundle.md.
 *
 * All numbers are little-endian.  A file is a header and records; a record is a header,
 * its payload, and zeros up to the next multiple of 8.
 */
#ifndef PERFTAB_PERFLIB_LAYOUT_H
#define PERFTAB_PERFLIB_LAYOUT_H

/* --- the file's header --- */

/* As of PNG: a transfer that converts line ends or drops the eighth bit shows. */
#define PLB_MAGIC "\x89PLB\r\n\x1a\n"
#define PLB_MAGIC_BYTES 8
#define PLB_VERSION 1	    /* u16 at 8; another one cannot be read */
#define PLB_HEADER_BYTES 16 /* u16 at 10: where the first record is; u32 at 12: 0 */

/* --- a record's header --- */

#define PLB_RECORD_MAGIC "plbr"
#define PLB_RECORD_MAGIC_BYTES 4
#define PLB_RECORD_TYPE_AT 4	     /* u16, enum plb_type; u16 at 6: 0 */
#define PLB_RECORD_LENGTH_AT 8	     /* u32: bytes of the payload, without the padding */
#define PLB_RECORD_SEQUENCE_AT 12    /* u32: 0, 1, 2, ... */
#define PLB_RECORD_PAYLOAD_CRC_AT 16 /* u32: CRC-32C of the payload */
#define PLB_RECORD_HEADER_CRC_AT 20  /* u32: CRC-32C of the 20 bytes before */
#define PLB_RECORD_HEADER_BYTES 24

/* Payloads are not longer than PerfLib's own limit for an answer. */
#define PLB_PAYLOAD_BYTES_MAX ((unsigned long)1 << 30)

enum plb_type {
	PLB_FACT = 1,	      /* one thing about the machine or the capture */
	PLB_CLOCK = 2,	      /* how the clocks stand */
	PLB_REGISTRATION = 3, /* an answer of PerfQueryCounterSetRegistrationInfo */
	PLB_ADD = 4,	      /* the identifiers as PerfAddCounters left them */
	PLB_INFO = 5,	      /* an answer of PerfQueryCounterInfo */
	PLB_DATA = 6,	      /* an answer of PerfQueryCounterData */
	PLB_END = 7,	      /* the capture ended by itself; the last record */
	PLB_INSTANCES = 8,    /* an answer of PerfEnumerateCounterSetInstances */
};

/* Bytes of each payload before the verbatim ones. */
#define PLB_FACT_HEAD_BYTES 4 /* u32 bytes of the key; then key and value, UTF-8 */
#define PLB_CLOCK_BYTES 40
#define PLB_REGISTRATION_HEAD_BYTES 32
#define PLB_ADD_HEAD_BYTES 8
#define PLB_INFO_HEAD_BYTES 8
#define PLB_DATA_HEAD_BYTES 32
#define PLB_END_BYTES 8
#define PLB_INSTANCES_HEAD_BYTES 24

/* The codes of PerfQueryCounterSetRegistrationInfo. */
enum plb_request {
	PLB_COUNTERSET_STRUCT = 1,
	PLB_COUNTER_STRUCT = 2,
	PLB_COUNTERSET_NAME = 3,
	PLB_COUNTERSET_HELP = 4,
	PLB_COUNTER_NAMES = 5,
	PLB_COUNTER_HELPS = 6,
	PLB_PROVIDER_NAME = 7,
	PLB_PROVIDER_GUID = 8,
	PLB_COUNTERSET_ENGLISH_NAME = 9,
	PLB_COUNTER_ENGLISH_NAMES = 10,
};

#define PLB_GUID_BYTES 16

#endif
