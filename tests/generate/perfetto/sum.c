/*
 * sum.c - reads a Perfetto trace without lib/: the time of each thread on all CPUs, sums
 * of counters, and instants.
 *
 *   sum_perfetto TRACE
 *   sum_perfetto --slices TRACE
 *
 * Prints "thread TID NANOSECONDS", "counter NAME SUM" and "instant TRACK TIME TEXT", in
 * the order they were met; with --slices instead "CPU START NANOSECONDS TID" of each
 * stay on a CPU, 0 for idle.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 1024
#define THREADS_MAX 4096
#define TRACKS_MAX 1024
#define TYPE_INSTANT 3

struct piece {
	const uint8_t *at, *end;
};

struct field {
	unsigned int number;
	uint64_t value;
	struct piece text;
};

static struct cpu {
	int64_t since_ns, tid;
	bool begun;
} cpus[CPUS_MAX];
static struct thread {
	int64_t tid, ns;
} threads[THREADS_MAX];
static struct track {
	int64_t uuid, sum;
	char name[256];
} tracks[TRACKS_MAX];
static size_t thread_count, track_count;
static bool prints_slices;

static void die(const char *what)
{
	fprintf(stderr, "sum_perfetto: %s\n", what);
	exit(1);
}

static uint64_t number(struct piece *piece)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64; shift += 7) {
		if (piece->at == piece->end)
			die("a number that is cut");
		value |= (uint64_t)(*piece->at & 127) << shift;
		if (!(*piece->at++ & 128))
			return value;
	}
	die("a number without end");
	return 0;
}

static bool next_field(struct piece *piece, struct field *field)
{
	uint64_t key, length;

	if (piece->at == piece->end)
		return false;
	key = number(piece);
	field->number = (unsigned int)(key >> 3);
	if ((key & 7) == 0) {
		field->value = number(piece);
		return true;
	}
	length = number(piece);
	if ((key & 7) != 2 || length > (uint64_t)(piece->end - piece->at))
		die("a field of no known kind, or cut");
	field->text = (struct piece){ piece->at, piece->at + length };
	piece->at += length;
	return true;
}

static void add_time(int64_t tid, int64_t ns)
{
	size_t i = 0;

	while (i < thread_count && threads[i].tid != tid)
		i++;
	if (i == THREADS_MAX)
		die("more threads than there is room for");
	if (i == thread_count)
		threads[thread_count++].tid = tid;
	threads[i].ns += ns;
}

static void read_switches(struct piece sched, int64_t number_of_cpu)
{
	struct piece times = { NULL, NULL }, next = { NULL, NULL };
	struct cpu *cpu = &cpus[number_of_cpu];
	struct field field;
	int64_t ts_ns = 0;

	while (next_field(&sched, &field)) {
		if (field.number == 1)
			times = field.text;
		else if (field.number == 3)
			next = field.text;
	}
	while (times.at != times.end) {
		ts_ns += (int64_t)number(&times);
		if (cpu->begun && ts_ns < cpu->since_ns)
			die("a CPU whose time goes back");
		if (cpu->begun && cpu->tid)
			add_time(cpu->tid, ts_ns - cpu->since_ns);
		if (cpu->begun && prints_slices)
			printf("%lld %lld %lld %lld\n", (long long)number_of_cpu,
			       (long long)cpu->since_ns,
			       (long long)(ts_ns - cpu->since_ns), (long long)cpu->tid);
		*cpu = (struct cpu){ ts_ns, (int64_t)number(&next), true };
	}
}

static void read_bundle(struct piece bundle)
{
	int64_t cpu = 0;
	struct field field;

	while (next_field(&bundle, &field)) {
		if (field.number == 1 && field.value >= CPUS_MAX)
			die("a CPU beyond what there is room for");
		if (field.number == 1)
			cpu = (int64_t)field.value;
		else if (field.number == 4)
			read_switches(field.text, cpu);
	}
}

static void read_track(struct piece descriptor)
{
	struct track *track = &tracks[track_count];
	struct field field;

	if (track_count++ == TRACKS_MAX)
		die("more tracks than there is room for");
	while (next_field(&descriptor, &field)) {
		if (field.number == 1)
			track->uuid = (int64_t)field.value;
		else if (field.number == 2)
			snprintf(track->name, sizeof(track->name), "%.*s",
				 (int)(field.text.end - field.text.at),
				 (const char *)field.text.at);
	}
}

static void read_event(struct piece event, int64_t ts_ns)
{
	int64_t uuid = 0, value = 0, type = 0;
	struct piece text = { NULL, NULL };
	struct field field;

	while (next_field(&event, &field)) {
		if (field.number == 9)
			type = (int64_t)field.value;
		else if (field.number == 11)
			uuid = (int64_t)field.value;
		else if (field.number == 23)
			text = field.text;
		else if (field.number == 30)
			value = (int64_t)field.value;
	}
	for (size_t i = 0; i < track_count; i++) {
		if (tracks[i].uuid != uuid)
			continue;
		tracks[i].sum += value;
		if (type == TYPE_INSTANT && !prints_slices)
			printf("instant %s %lld %.*s\n", tracks[i].name, (long long)ts_ns,
			       (int)(text.end - text.at), (const char *)text.at);
	}
}

static void read_packet(struct piece packet)
{
	struct field field;
	int64_t ts_ns = 0;

	while (next_field(&packet, &field)) {
		if (field.number == 1)
			read_bundle(field.text);
		else if (field.number == 8)
			ts_ns = (int64_t)field.value;
		else if (field.number == 60)
			read_track(field.text);
		else if (field.number == 11)
			read_event(field.text, ts_ns);
	}
}

int main(int argc, char **argv)
{
	FILE *file = argc >= 2 ? fopen(argv[argc - 1], "rb") : NULL;
	static uint8_t bytes[64 << 20];
	struct piece trace = { bytes, bytes };
	struct field field;

	prints_slices = argc == 3 && strcmp(argv[1], "--slices") == 0;
	if (!file || (argc != 2 && !prints_slices))
		die("needs the name of a trace");
	trace.end += fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	while (next_field(&trace, &field))
		read_packet(field.text);
	for (size_t i = 0; i < thread_count && !prints_slices; i++)
		printf("thread %lld %lld\n", (long long)threads[i].tid,
		       (long long)threads[i].ns);
	for (size_t i = 0; i < track_count && !prints_slices; i++)
		printf("counter %s %lld\n", tracks[i].name, (long long)tracks[i].sum);
	return 0;
}
