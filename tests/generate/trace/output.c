/* The files of a trace: how rings become part of them, form by form. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/program.h"
#include "trace/parts.h"

enum {
	/*
	 * perf pushes at most up to the end of a ring in memory, which falls within some
	 * record.  No real ring is that small, nor is its size no power of two: so small
	 * traces have many such places, and none at a record of 2^n bytes.
	 */
	RING_BYTES = 2000,
};

static bool is_packed(const struct trace *trace)
{
	return form_has(trace->form, FORM_COMPRESSED | FORM_COMPRESSED2);
}

static void write_out(const struct trace *trace, FILE *file, struct byte_buf *bytes)
{
	file_write(file, trace->path, bytes->data, bytes->size);
	bytes->size = 0;
}

void output_put(struct trace *trace, struct byte_buf *records)
{
	trace->data_bytes += records->size;
	write_out(trace, trace->file, records);
}

static FILE *open_inside(const struct trace *trace, const char *name)
{
	char path[PATH_BYTES];
	int length = snprintf(path, sizeof(path), "%s/%s", trace->path, name);

	if (length < 0 || (size_t)length >= sizeof(path))
		die("%s: path is too long", trace->path);
	return file_create(path);
}

static void open_directory(struct trace *trace)
{
	char name[16];

	if (mkdir(trace->path, 0777) && errno != EEXIST)
		die("%s: %s", trace->path, strerror(errno));
	trace->file = open_inside(trace, "data");
	for (unsigned cpu = 0; cpu < trace->scenario->cpu_count; cpu++) {
		snprintf(name, sizeof(name), "data.%u", cpu);
		trace->streams[cpu] = open_inside(trace, name);
	}
}

void trace_open(struct trace *trace, const struct scenario *scenario,
		const struct form *form, const char *path)
{
	bool big_endian = form_has(form, FORM_BIG_ENDIAN);

	*trace = (struct trace){ .scenario = scenario, .form = form, .path = path };
	trace->scratch.big_endian = big_endian;
	for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
		trace->rings[cpu].big_endian = big_endian;
	trace_add_events(trace);
	if (is_packed(trace))
		packer_init(&trace->packer, form);
	if (form_has(form, FORM_DIRECTORY))
		open_directory(trace);
	else
		trace->file = file_create(path);
	if (form_has(form, FORM_PIPE))
		pipe_put_head(trace, &trace->scratch);
	else
		file_put_head(trace, &trace->scratch);
	write_out(trace, trace->file, &trace->scratch);
}

static void pack_ring(struct trace *trace, unsigned cpu)
{
	struct byte_buf *ring = &trace->rings[cpu];
	size_t done = 0;

	while (done < ring->size) {
		size_t room = RING_BYTES - trace->ring_at[cpu];
		size_t left = ring->size - done;
		size_t count = left < room ? left : room;

		packer_put(&trace->packer, ring->data + done, count, &trace->scratch);
		output_put(trace, &trace->scratch);
		done += count;
		trace->ring_at[cpu] = (trace->ring_at[cpu] + count) % RING_BYTES;
	}
	ring->size = 0;
}

void trace_flush_ring(struct trace *trace, unsigned cpu)
{
	/* A ring that overwrites itself is read once, when recording ends. */
	if (form_has(trace->form, FORM_BACKWARD))
		return;
	if (trace->late[cpu] && !trace->held[cpu]) {
		trace->held[cpu] = true;
		return;
	}
	trace->late[cpu] = trace->held[cpu] = false;
	if (form_has(trace->form, FORM_DIRECTORY))
		write_out(trace, trace->streams[cpu], &trace->rings[cpu]);
	else if (is_packed(trace))
		pack_ring(trace, cpu);
	else
		output_put(trace, &trace->rings[cpu]);
}

void trace_end_round(struct trace *trace)
{
	struct byte_buf *out = &trace->scratch;

	if (form_has(trace->form, FORM_BACKWARD | FORM_DIRECTORY))
		return;
	record_end(out, record_begin(out, RECORD_FINISHED_ROUND, 0));
	output_put(trace, out);
}

/* The kernel writes such a ring from high addresses to low ones. */
static void put_backward(struct trace *trace, unsigned cpu)
{
	struct byte_buf *ring = &trace->rings[cpu];
	size_t *starts = NULL;
	size_t room = 0;
	size_t count = 0;

	for (size_t at = 0; at < ring->size; at += buf_get_u16(ring, at + 6)) {
		starts = grow_array(starts, count, &room, sizeof(*starts));
		starts[count++] = at;
	}
	while (count-- > 0)
		buf_bytes(&trace->scratch, ring->data + starts[count],
			  buf_get_u16(ring, starts[count] + 6));
	free(starts);
	output_put(trace, &trace->scratch);
}

static void finish_file(struct trace *trace)
{
	file_put_tail(trace, &trace->scratch);
	write_out(trace, trace->file, &trace->scratch);
	file_put_head(trace, &trace->scratch);
	if (fseek(trace->file, 0, SEEK_SET))
		die("%s: %s", trace->path, strerror(errno));
	write_out(trace, trace->file, &trace->scratch);
}

void trace_close(struct trace *trace)
{
	if (form_has(trace->form, FORM_BACKWARD))
		for (unsigned cpu = 0; cpu < trace->scenario->cpu_count; cpu++)
			put_backward(trace, cpu);
	for (unsigned cpu = 0; cpu < trace->scenario->cpu_count; cpu++)
		if (trace->held[cpu])
			trace_flush_ring(trace, cpu);
	if (!form_has(trace->form, FORM_PIPE | FORM_UNFINISHED))
		finish_file(trace);
	file_close(trace->file, trace->path);
	packer_release(&trace->packer);
	buf_release(&trace->scratch);
	for (unsigned cpu = 0; cpu < CPU_MAX; cpu++) {
		if (trace->streams[cpu])
			file_close(trace->streams[cpu], trace->path);
		buf_release(&trace->rings[cpu]);
	}
}
