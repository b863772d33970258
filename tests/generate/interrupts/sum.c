/*
 * sum.c - sum_interrupts FILE COUNTER ID=NAME...: what interrupts cost by kind and
 * vector, read from a perf.data by other code than that of lib/.
 *
 * ID is the number of a tracepoint (/sys/kernel/tracing/events/.../id), NAME as perf has
 * it; COUNTER the place of a counter in its group.  Prints kind, vector, number, counts;
 * then the counts of threads, of what is not proven, and the rise of the counter.
 * There is one sum for the softirqs of threads and those that interrupt them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, VECTORS = 4096, STREAMS = 256, MEMBERS = 64, DEPTH = 16, IDS = 65536 };

static const char *const kind_names[KINDS] = { "irq", "softirq", "vector" };
static uint64_t counts[KINDS][VECTORS], values[KINDS][VECTORS], threads, unproven, rise;
static const char *names[IDS];	/* of tracepoints, by config */
static uint64_t config_of[IDS]; /* by event id of the kernel */

static struct stream {
	uint64_t leader, last[MEMBERS];
	int stack[DEPTH], depth, is_known, has_lost, has_values;
} streams[STREAMS];

static uint64_t u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t u32(const uint8_t *at)
{
	return (uint32_t)u64(at);
}

static struct stream *stream_of(uint64_t leader)
{
	struct stream *s = streams;

	while (s->leader && s->leader != leader)
		s++;
	s->leader = leader;
	return s;
}

/* kind * VECTORS + vector, -1: none; *is_entry. */
static int edge_of(const char *name, int vector, int *is_entry)
{
	const char *end = name ? strrchr(name, '_') : NULL;
	int kind = 2;

	if (!end || (strcmp(end, "_entry") != 0 && strcmp(end, "_exit") != 0))
		return -1;
	if (strncmp(name, "irq:", 4) == 0)
		kind = strncmp(name, "irq:softirq", 11) == 0;
	*is_entry = strcmp(end, "_entry") == 0;
	return kind * VECTORS + (vector & (VECTORS - 1));
}

static void charge(int owner, uint64_t value)
{
	values[owner / VECTORS][owner % VECTORS] += value;
}

/* The values of a group, after a tracepoint (-1: a switch, -2: a read) or at its end. */
static void segment(struct stream *s, const uint8_t *group, size_t counter, size_t each,
		    int edge, int is_entry, uint64_t own_id)
{
	uint64_t members = u64(group), more;
	int unseen = s->has_lost;
	const uint8_t *member = group + 8 + (each >> 8);

	each &= 255;
	more = u64(member + counter * each) - s->last[counter];
	for (uint64_t i = 0; i < members && i < MEMBERS; i++, member += each) {
		uint64_t id = u64(member + 8);
		int dummy, is_edge = edge_of(names[config_of[id % IDS] % IDS], 0,
					     &dummy) >= 0;

		unseen |= is_edge && u64(member) - s->last[i] != (id == own_id ? 1u : 0u);
		s->last[i] = u64(member);
	}
	if (s->has_values)
		rise += more;
	if (!s->has_values || unseen)
		s->depth = s->is_known = 0;
	if (!s->has_values)
		;
	else if (unseen)
		unproven += more;
	else if (s->depth && (edge == -2 || is_entry || s->stack[s->depth - 1] == edge))
		charge(s->stack[s->depth - 1], more);
	else if (s->depth || (edge >= 0 && !is_entry && s->is_known))
		unproven += more;
	else if (edge >= 0 && !is_entry)
		charge(edge, more);
	else if (s->is_known || edge == -1 || edge / VECTORS == 1)
		threads += more;
	else
		unproven += more;
	if (edge >= 0 && !is_entry && !unseen &&
	    (s->depth ? s->stack[s->depth - 1] == edge : !s->is_known))
		counts[edge / VECTORS][edge % VECTORS]++;
	if (edge >= 0 && is_entry && s->depth < DEPTH)
		s->stack[s->depth++] = edge;
	else if (edge >= 0 && s->depth && s->stack[s->depth - 1] == edge)
		s->depth--;
	if (edge == -1)
		s->depth = 0;
	s->is_known |= edge == -1 || edge / VECTORS == 1;
	s->has_values = 1;
	s->has_lost = 0;
}

/* 9 SAMPLE: IDENTIFIER, TID, TIME, CPU, READ, RAW; 8 READ: TID, READ; 2 LOST: id. */
static void record(const uint8_t *at, uint32_t type, size_t size, size_t counter,
		   size_t each)
{
	const uint8_t *group = at + (type == 9 ? 40 : 16), *raw;
	int is_entry = 0, edge = -1;
	const char *name;

	if (type == 2)
		for (struct stream *s = streams; s->leader; s++)
			s->has_lost |= s->leader == u64(at + 8);
	if ((type != 8 && type != 9) || size < 64 || u64(group) > MEMBERS)
		return;
	raw = group + 8 + (each >> 8) + u64(group) * (each & 255);
	if (type == 9) {
		name = names[config_of[u64(at + 8) % IDS] % IDS];
		if (!name)
			return;
		edge = edge_of(name, (int)u32(raw + 12), &is_entry);
	}
	segment(stream_of(u64(group + 8 + (each >> 8) + 8)), group, counter, each,
		type == 8 ? -2 : edge, is_entry, type == 8 ? 0 : u64(at + 8));
}

static void read_attrs(const uint8_t *file, size_t *each)
{
	uint64_t size = u64(file + 16), from = u64(file + 24), bytes = u64(file + 32);

	for (uint64_t at = from; at < from + bytes; at += size) {
		const uint8_t *ids = file + u64(file + at + size - 16);
		uint64_t format = u64(file + at + 32);

		if (format & 8) /* times, and the lost samples of each member */
			*each = (size_t)(16 + (format & 16) / 2) |
				(size_t)((format & 1) * 8 + (format & 2) * 4) << 8;
		for (uint64_t i = 0; i < u64(file + at + size - 8) / 8; i++)
			config_of[u64(ids + i * 8) % IDS] =
				u32(file + at) == 2 ? u64(file + at + 8) : IDS - 1;
	}
}

int main(int argc, char **argv)
{
	FILE *from = argc > 3 ? fopen(argv[1], "rb") : NULL;
	size_t size, each = 16;
	uint8_t *file;

	if (!from || fseek(from, 0, SEEK_END) != 0)
		return 2;
	size = (size_t)ftell(from);
	rewind(from);
	file = calloc(1, size + 65536); /* of our own making: no more is checked */
	if (!file || fread(file, 1, size, from) != size)
		return 1;
	(void)fclose(from);
	for (int i = 3; i < argc; i++)
		if (strchr(argv[i], '='))
			names[strtoul(argv[i], NULL, 10) % IDS] =
				strchr(argv[i], '=') + 1;
	read_attrs(file, &each);
	for (uint64_t at = u64(file + 40), end = at + u64(file + 48), bytes;
	     at + 8 <= end; at += bytes) {
		bytes = u64(file + at) >> 48;
		if (bytes < 8)
			return 1;
		record(file + at, u32(file + at), bytes, strtoul(argv[2], NULL, 10),
		       each);
	}
	for (int k = 0; k < KINDS; k++)
		for (int v = 0; v < VECTORS; v++)
			if (counts[k][v] || values[k][v])
				printf("%s,%d,%llu,%llu\n", kind_names[k], v,
				       (unsigned long long)counts[k][v],
				       (unsigned long long)values[k][v]);
	printf("threads,,,%llu\nunproven,,,%llu\nrise,,,%llu\n",
	       (unsigned long long)threads, (unsigned long long)unproven,
	       (unsigned long long)rise);
	free(file);
	return 0;
}
