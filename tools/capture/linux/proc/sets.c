/* sets.c - the countersets of /proc, and what they are registered as. */
#include "base/little_endian.h"
#include "capture/linux/proc/private.h"
#include "capture/perflib/names.h"

/* The types of winperf.h that are used, without their PERF_ or PERF_COUNTER_. */
#define TYPE_RAWCOUNT 0x00010000
#define TYPE_LARGE_RAWCOUNT 0x00010100
#define TYPE_100NS_QUEUELEN_TYPE 0x00550500
#define TYPE_COUNTER_COUNTER 0x10410400
#define TYPE_BULK_COUNT 0x10410500
#define TYPE_RAW_FRACTION 0x20020400
#define TYPE_LARGE_RAW_FRACTION 0x20020500
#define TYPE_100NSEC_TIMER 0x20510500
#define TYPE_PRECISION_100NS_TIMER 0x20570500
#define TYPE_100NSEC_TIMER_INV 0x21510500
#define TYPE_AVERAGE_TIMER 0x30020400
#define TYPE_ELAPSED_TIME 0x30240500
#define TYPE_AVERAGE_BULK 0x40020500
#define TYPE_AVERAGE_BASE 0x40030402
#define TYPE_RAW_BASE 0x40030403
#define TYPE_LARGE_RAW_BASE 0x40030500
#define TYPE_PRECISION_TIMESTAMP 0x40030500

#define TYPE_IS_LARGE 0x100
#define DETAIL_NOVICE 100
#define PROVIDER_NAME "perftab /proc"
#define PROVIDER_GUID "199c79b9-a16a-4501-96e9-5d144d87ec7e"

/* "NONE" as a partner. */
enum {
#define SET(set, ...) PROC_##set##_NONE = -1,
#define COUNTER(...)
#include "capture/linux/proc/counters.def"
#undef SET
#undef COUNTER
};

static const struct proc_counter counters[PROC_COUNTERS] = {
#define SET(...)
#define COUNTER(set, counter, name, type, display, partner, help) \
	{ name, help, TYPE_##type, display, (uint32_t)PROC_##set##_##partner },
#include "capture/linux/proc/counters.def"
#undef SET
#undef COUNTER
};

static const struct {
	const char *name, *guid, *help;
	uint32_t instance_type, first;
} sets[PROC_SETS] = {
#define SET(set, name, guid, instances, help) \
	{ name, guid, help, instances, PROC_##set##_FIRST },
#define COUNTER(...)
#include "capture/linux/proc/counters.def"
#undef SET
#undef COUNTER
};

const struct proc_counter *proc_counter(uint32_t number)
{
	return &counters[number];
}

uint32_t proc_value_bytes(uint32_t type)
{
	return type & TYPE_IS_LARGE ? 8 : 4;
}

/* Its first three parts are numbers, little-endian. */
static void write_guid(uint8_t *to, const char *text)
{
	static const uint8_t places[] = { 3, 2, 1,  0,	5,  4,	7,  6,
					  8, 9, 10, 11, 12, 13, 14, 15 };
	size_t digits = 0;

	for (; *text; text++) {
		uint8_t *byte = &to[places[digits / 2]];

		if (*text == '-')
			continue;
		*byte = (uint8_t)(*byte << 4 |
				  (*text <= '9' ? *text - '0' : *text - 'a' + 10));
		digits++;
	}
}

const struct proc_set *proc_set(enum proc_set_number number)
{
	static struct proc_set made[PROC_SETS];
	struct proc_set *set = &made[number];

	if (!set->name) {
		uint32_t end =
			number + 1 < PROC_SETS ? sets[number + 1].first : PROC_COUNTERS;

		*set = (struct proc_set){ .name = sets[number].name,
					  .help = sets[number].help,
					  .instance_type = sets[number].instance_type,
					  .first = sets[number].first,
					  .count = end - sets[number].first };
		write_guid(set->guid, sets[number].guid);
	}
	return set;
}

enum proc_set_number proc_set_of(const uint8_t *guid)
{
	unsigned int number = 0;

	while (number < PROC_SETS && memcmp(proc_set((enum proc_set_number)number)->guid,
					    guid, PLB_GUID_BYTES) != 0)
		number++;
	return (enum proc_set_number)number;
}

/* --- registration --- */

static void write_u32(struct bytes *to, uint32_t value)
{
	uint8_t *at = bytes_extend(to, 4);

	if (at)
		le_write_u32(at, value);
}

static void write_text(struct bytes *to, const char *text)
{
	size_t size = names_utf16(NULL, 0, str_of(text));
	uint8_t *at = bytes_extend(to, size + 2);

	if (!at)
		return;
	(void)names_utf16(at, size, str_of(text));
	le_write_u16(at + size, 0);
}

static uint32_t id_of(const struct proc_set *set, uint32_t counter)
{
	return counter == SOURCE_ANY ? SOURCE_ANY : counter - set->first + 1;
}

/* PERF_COUNTER_REG_INFO */
static void write_counter(struct bytes *to, const struct proc_set *set, uint32_t number)
{
	const struct proc_counter *counter = &counters[number];
	bool is_elapsed = counter->type == TYPE_ELAPSED_TIME;
	uint32_t partner = id_of(set, counter->partner);

	write_u32(to, id_of(set, number));
	write_u32(to, counter->type);
	write_u32(to, counter->attributes);
	write_u32(to, 0);
	write_u32(to, DETAIL_NOVICE);
	write_u32(to, 0);				  /* default scale: 10^0 */
	write_u32(to, is_elapsed ? SOURCE_ANY : partner); /* base */
	write_u32(to, is_elapsed ? partner : SOURCE_ANY); /* time, and its frequency */
	write_u32(to, is_elapsed ? partner + 1 : SOURCE_ANY);
	write_u32(to, SOURCE_ANY); /* multi */
	write_u32(to, 0);	   /* aggregate: undefined */
	write_u32(to, 0);
}

static void write_structure(struct bytes *to, const struct proc_set *set)
{
	bytes_put(to, set->guid, PLB_GUID_BYTES);
	write_u32(to, 0);
	write_u32(to, DETAIL_NOVICE);
	write_u32(to, set->count);
	write_u32(to, set->instance_type);
	for (uint32_t i = 0; i < set->count; i++)
		write_counter(to, set, set->first + i);
}

/* A text of each counter; offsets count from the start. */
static void write_strings(struct bytes *to, const struct proc_set *set, bool helps)
{
	size_t table = SOURCE_STRINGS_BYTES;

	bytes_zero(to, SOURCE_STRINGS_BYTES + SOURCE_STRING_BYTES * set->count);
	for (uint32_t i = 0; i < set->count && !to->failed; i++, table += 8) {
		const struct proc_counter *counter = &counters[set->first + i];
		const char *text = helps ? counter->help : counter->name;

		le_write_u32(to->data + table, i + 1);
		le_write_u32(to->data + table + 4,
			     *text ? (uint32_t)to->size : SOURCE_ANY);
		if (*text)
			write_text(to, text);
	}
	bytes_pad(to, 0, 8);
	if (to->failed)
		return;
	le_write_u32(to->data, (uint32_t)to->size);
	le_write_u32(to->data + 4, set->count);
}

static void write_provider(struct bytes *to)
{
	uint8_t guid[PLB_GUID_BYTES] = { 0 };

	write_guid(guid, PROVIDER_GUID);
	bytes_put(to, guid, sizeof(guid));
}

uint32_t proc_registration(struct bytes *scratch, const uint8_t *guid, uint32_t request,
			   uint32_t argument, struct source_buffer *buffer)
{
	enum proc_set_number number = proc_set_of(guid);
	const struct proc_set *set;

	if (number == PROC_SETS)
		return CODE_SET_NOT_FOUND;
	set = proc_set(number);
	scratch->size = 0;
	switch (request) {
	case PLB_COUNTERSET_STRUCT:
		write_structure(scratch, set);
		break;
	case PLB_COUNTER_STRUCT:
		if (argument < 1 || argument > set->count)
			return CODE_COUNTER_NOT_FOUND;
		write_counter(scratch, set, set->first + argument - 1);
		break;
	case PLB_COUNTERSET_NAME:
	case PLB_COUNTERSET_ENGLISH_NAME:
		write_text(scratch, set->name);
		break;
	case PLB_COUNTERSET_HELP:
		write_text(scratch, set->help);
		break;
	case PLB_COUNTER_NAMES:
	case PLB_COUNTER_ENGLISH_NAMES:
	case PLB_COUNTER_HELPS:
		write_strings(scratch, set, request == PLB_COUNTER_HELPS);
		break;
	case PLB_PROVIDER_NAME:
		write_text(scratch, PROVIDER_NAME);
		break;
	case PLB_PROVIDER_GUID:
		write_provider(scratch);
		break;
	default:
		return CODE_INVALID_PARAMETER;
	}
	if (scratch->failed)
		return CODE_OUT_OF_MEMORY;
	return source_fill(buffer, scratch->data, scratch->size);
}
