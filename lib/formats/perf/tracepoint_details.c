/*
 * tracepoint_details.c - what a switch of a counter group has besides its row.
 *
 * There are millions of switches, so of each payload only the rest is kept, each distinct
 * combination once: the names, priorities and flags of a switch without its thread ids
 * and state, as <system>_<event>_detail.
 */
#include <stdlib.h>

#include "base/compiled_twice.h"
#include "base/os.h"
#include "base/uninitialized.h"
#include "base/unroll.h"
#include "formats/perf/tracepoints.h"

/* Remembered details; beyond them they are forgotten and learned again. */
#define DETAILS_BYTES_MAX ((size_t)8 << 20)
/* Of them found without the strong hash; a power of two. */
#define DETAILS_RECENT 1024
#define DETAIL_PAYLOAD_MAX 256u
/* Of sched_switch. */
#define SWITCH_WORDS 8

/* --- the mask --- */

static void mask_field(uint8_t *mask, const struct tracepoint_field *field, int bits)
{
	for (uint32_t i = 0; i < field->size && field->offset + i < DETAIL_PAYLOAD_MAX;
	     i++)
		mask[field->offset + i] = (uint8_t)bits;
}

/* All bytes of the payload except those of the switch's own row. */
bool perf_begin_details(struct perf_catalog *catalog, struct tracepoint_format *format)
{
	uint8_t *mask = arena_alloc(&catalog->arena, DETAIL_PAYLOAD_MAX);
	size_t bytes = 0;

	format->mask = (uint64_t *)(void *)mask;
	format->factors = arena_alloc(&catalog->arena, DETAIL_PAYLOAD_MAX);
	format->recent = (const struct detail **)arena_alloc(
		&catalog->arena, DETAILS_RECENT * sizeof(struct detail *));
	if (!format->mask || !format->factors || !format->recent)
		return false;
	for (size_t i = 0; i < DETAIL_PAYLOAD_MAX / sizeof(*format->factors); i++)
		format->factors[i] = os_random() | 1;
	for (size_t i = 0; i < format->field_count; i++) {
		const struct tracepoint_field *field = &format->fields[i];
		bool is_known = str_equal(field->name, STR("common_pid"));

		if (field->offset + (uint64_t)field->size > DETAIL_PAYLOAD_MAX)
			return false;
		mask_field(mask, field, is_known ? 0 : 0xff);
		if (bytes < field->offset + field->size)
			bytes = field->offset + field->size;
	}
	mask_field(mask, &format->prev_pid, 0);
	mask_field(mask, &format->prev_state, 0);
	mask_field(mask, &format->next_pid, 0);
	format->detail_bytes = (bytes + 7) / 8 * 8;
	return format->detail_bytes <= DETAIL_PAYLOAD_MAX;
}

/* --- among all details --- */

/* As many bytes as a detail has; the payload may have fewer. */
static const uint8_t *pad_payload(const struct tracepoint_format *format,
				  const uint8_t *raw, size_t size, uint8_t *padded)
{
	if (size >= format->detail_bytes)
		return raw;
	memset(padded, 0, DETAIL_PAYLOAD_MAX);
	memcpy(padded, raw, size);
	return padded;
}

/* A word of the payload under the mask: what differs between details. */
static inline uint64_t masked(const struct tracepoint_format *format, const uint8_t *raw,
			      size_t i)
{
	uint64_t word;

	memcpy(&word, raw + i * sizeof(word), sizeof(word));
	return word & format->mask[i];
}

/*
 * Of a detail that is not among the recent ones.  The factors are random for each run of
 * the program, so that no file can make all details collide.
 */
static uint64_t hash_detail(const struct tracepoint_format *format, const uint8_t *raw)
{
	size_t words = format->detail_bytes / sizeof(uint64_t);
	uint64_t hash = 0;

	UNROLLED
	for (size_t i = 0; i < words; i++)
		hash += masked(format, raw, i) * format->factors[i];
	return hash ^ hash >> 32;
}

static ALWAYS_INLINE bool is_detail(const struct tracepoint_format *format,
				    const struct detail *detail, const uint8_t *raw,
				    size_t words)
{
	uint64_t different = 0;

	UNROLLED
	for (size_t i = 0; i < words; i++)
		different |= masked(format, raw, i) ^ detail->words[i];
	return different == 0;
}

/* A detail that equals the payload, which is padded; NULL: there is none yet. */
static const struct detail *find_detail(struct tracepoint_format *format,
					const uint8_t *raw, uint64_t hash)
{
	const struct detail *detail = map_get(&format->details, hash);
	size_t words = format->detail_bytes / sizeof(uint64_t);

	while (detail && !is_detail(format, detail, raw, words))
		detail = detail->next;
	return detail;
}

static __attribute__((noinline)) const struct detail *find_known(
	struct tracepoint_format *format, const uint8_t *raw, size_t raw_size)
{
	uint8_t padded[DETAIL_PAYLOAD_MAX] UNINITIALIZED;

	raw = pad_payload(format, raw, raw_size, padded);
	return find_detail(format, raw, hash_detail(format, raw));
}

/* --- of a run --- */

/* All payloads have the same size, and are so many bytes apart. */
struct search {
	struct tracepoint_format *format;
	const uint8_t *raw; /* the first one */
	size_t raw_size, step;
	int64_t *ids;
	size_t count, found;
};

/*
 * Where a detail belongs in format->recent, by a sum of its words, in which none has the
 * factor of another one of a switch: idle's names on two CPUs differ in their second
 * words alone.
 */
static ALWAYS_INLINE const struct detail **place_by(
	const struct tracepoint_format *format, uint64_t sum)
{
	return &format->recent[(size_t)(sum * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
			       DETAILS_RECENT];
}

/* True: the detail at *place is that of the payload. */
static ALWAYS_INLINE bool find_any(const struct tracepoint_format *format,
				   const uint8_t *raw, size_t words,
				   const struct detail ***place)
{
	uint64_t sum = 0;

	UNROLLED
	for (size_t i = 1; i < words; i++)
		sum = 3 * sum + masked(format, raw, i);
	*place = place_by(format, sum);
	return **place && is_detail(format, **place, raw, words);
}

#ifdef HAVE_AVX2

typedef uint64_t bits __attribute__((vector_size(32)));

/* Half of SWITCH_WORDS. */
AVX2 static inline bits load(const void *at)
{
	bits half;

	memcpy(&half, at, sizeof(half));
	return half;
}

/* The same of SWITCH_WORDS. */
AVX2 static inline bool find_by_avx2(const struct tracepoint_format *format,
				     const uint8_t *raw, const struct detail ***place)
{
	const uint64_t *mask = format->mask, *words;
	bits first = load(raw) & load(mask);
	bits second = load(raw + sizeof(bits)) & load(mask + SWITCH_WORDS / 2);
	bits sums = first + first + second, other;

	*place = place_by(format, 3 * sums[1] + 5 * sums[2] + sums[3]);
	if (!**place)
		return false;
	words = (**place)->words;
	other = (first ^ load(words)) | (second ^ load(words + SWITCH_WORDS / 2));
	return _mm256_testz_si256((__m256i)other, (__m256i)other);
}
#endif

static ALWAYS_INLINE bool find_recent(const struct tracepoint_format *format,
				      const uint8_t *raw, size_t words, bool has_avx2,
				      const struct detail ***place)
{
#ifdef HAVE_AVX2
	if (has_avx2)
		return find_by_avx2(format, raw, place);
#endif
	(void)has_avx2;
	return find_any(format, raw, words, place);
}

static ALWAYS_INLINE void find_details(struct search *search, size_t words, bool has_avx2)
{
	struct tracepoint_format *format = search->format;
	const uint8_t *raw = search->raw;
	size_t at;

	for (at = 0; at < search->count; at++, raw += search->step) {
		const struct detail **place, *known;

		if (!find_recent(format, raw, words, has_avx2, &place)) {
			known = find_known(format, raw, search->raw_size);
			if (!known)
				break;
			*place = known;
		}
		search->ids[at] = (*place)->id;
	}
	search->found = at;
}

static ALWAYS_INLINE void find_of_switches_any(struct search *search, bool has_avx2)
{
	find_details(search, SWITCH_WORDS, has_avx2);
}

COMPILED_TWICE(find_of_switches, struct search *)

/* They lack bytes that others have. */
static void find_short(struct search *search)
{
	const uint8_t *raw = search->raw;
	const struct detail *known = NULL;
	size_t at;

	for (at = 0; at < search->count; at++, raw += search->step) {
		known = find_known(search->format, raw, search->raw_size);
		if (!known)
			break;
		search->ids[at] = known->id;
	}
	search->found = at;
}

size_t perf_find_details(struct tracepoint_format *format, const uint8_t *raw,
			 size_t raw_size, size_t step, int64_t *ids, size_t count)
{
	size_t words = format->detail_bytes / sizeof(uint64_t);
	struct search search = { format, raw, raw_size, step, ids, count, 0 };

	if (format->has_no_details) {
		for (size_t i = 0; i < count; i++)
			ids[i] = INT_NONE;
		return count;
	}
	if (!format->mask)
		return 0;
	if (raw_size < format->detail_bytes)
		find_short(&search);
	else if (words == SWITCH_WORDS)
		find_of_switches(&search);
	else
		find_details(&search, words, false);
	return search.found;
}

/* --- a new one --- */

/* All are forgotten: those of other formats are in the same arena. */
static void forget_details(struct perf_catalog *catalog)
{
	for (struct tracepoint_format *f = catalog->formats; f; f = f->next) {
		map_release(&f->details);
		if (f->recent)
			memset(f->recent, 0, DETAILS_RECENT * sizeof(struct detail *));
	}
	arena_release(&catalog->details.arena);
	catalog->details.bytes = 0;
}

const struct detail *perf_new_detail(struct perf_catalog *catalog,
				     struct tracepoint_format *format, const uint8_t *raw,
				     size_t raw_size)
{
	uint8_t padded[DETAIL_PAYLOAD_MAX] UNINITIALIZED;
	size_t size = sizeof(struct detail) + format->detail_bytes;
	struct detail *detail;
	uint64_t hash;

	if (catalog->details.bytes + size > DETAILS_BYTES_MAX)
		forget_details(catalog);
	detail = arena_alloc(&catalog->details.arena, size);
	if (!detail)
		return NULL;
	raw = pad_payload(format, raw, raw_size, padded);
	hash = hash_detail(format, raw);
	detail->next = map_get(&format->details, hash);
	for (size_t i = 0; i < format->detail_bytes / sizeof(detail->words[0]); i++)
		detail->words[i] = masked(format, raw, i);
	if (!map_put(&format->details, hash, detail))
		return NULL;
	detail->id = ++format->last_detail_id;
	catalog->details.bytes += size + 2 * sizeof(struct map_slot);
	return detail;
}
