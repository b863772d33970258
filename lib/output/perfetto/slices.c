/* slices.c - turns the ends of intervals into the starts of slices; see slices.h. */
#include "output/perfetto/slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/temporary.h"
#include "model/record.h"

struct slice_cpu {
	int64_t cpu;
	int64_t last_ns;   /* of the last end */
	int64_t thread_id; /* whose it was */
	int64_t prev_state;
	bool stays;
	struct slice_cpu *next;
};

enum status slices_open(struct slices *slices, struct error *error)
{
	*slices = (struct slices){ .fd = temporary_open(), .error = error };
	slices->last = &slices->first;
	if (slices->fd < 0)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "cannot create a temporary file: %s", strerror(errno));
	slices->buffer = memory_alloc(SLICES_BUFFERED * sizeof(*slices->buffer));
	return slices->buffer ? ST_OK : error_nomem(error);
}

static enum status flush(struct slices *slices)
{
	if (!os_write_all(slices->fd, slices->buffer,
			  slices->used * sizeof(*slices->buffer)))
		return error_set(slices->error, ST_IO, ERROR_NO_OFFSET,
				 "cannot write a temporary file: %s", strerror(errno));
	slices->written += slices->used;
	slices->used = 0;
	return ST_OK;
}

static enum status put(struct slices *slices, int64_t cpu, int64_t ts_ns,
		       int64_t thread_id, int64_t prev_state)
{
	slices->buffer[slices->used++] = (struct slice_start){
		.ts_ns = ts_ns,
		.thread_id = thread_id,
		.cpu = (int32_t)cpu,
		.prev_state =
			prev_state >= 0 && prev_state < 4096 ? (int32_t)prev_state : 0,
	};
	return slices->used == SLICES_BUFFERED ? flush(slices) : ST_OK;
}

/* From the CPU's last end to `start_ns`, and from there on the thread. */
static enum status put_start(struct slices *slices, const struct slice_cpu *cpu,
			     const struct slice_end *end, int64_t start_ns)
{
	enum status status = ST_OK;

	if (start_ns == cpu->last_ns && cpu->stays && cpu->thread_id == end->thread_id)
		return ST_OK; /* it goes on */
	if (start_ns == cpu->last_ns)
		return put(slices, end->cpu, start_ns, end->thread_id, cpu->prev_state);
	status = put(slices, end->cpu, cpu->last_ns, 0, cpu->prev_state);
	return status == ST_OK ? put(slices, end->cpu, start_ns, end->thread_id, 0)
			       : status;
}

/* Perfetto's importer begins no slice with the first switch of a CPU. */
static enum status put_first(struct slices *slices, const struct slice_end *end,
			     int64_t start_ns)
{
	enum status status = ST_OK;

	if (start_ns < end->ts_ns)
		status = put(slices, end->cpu, start_ns, 0, 0);
	return status == ST_OK ? put(slices, end->cpu, start_ns, end->thread_id, 0)
			       : status;
}

static struct slice_cpu *new_cpu(struct slices *slices, int64_t number)
{
	struct slice_cpu *cpu = arena_alloc(&slices->arena, sizeof(*cpu));

	if (!cpu || !map_put(&slices->cpus, (uint64_t)number, cpu))
		return NULL;
	cpu->cpu = number;
	*slices->last = cpu;
	slices->last = &cpu->next;
	return cpu;
}

enum status slices_add(struct slices *slices, const struct slice_end *end)
{
	struct slice_cpu *cpu = map_get(&slices->cpus, (uint64_t)end->cpu);
	int64_t start_ns = end->ts_ns;
	enum status status;

	if (end->on_cpu_ns > 0 && end->on_cpu_ns <= end->ts_ns)
		start_ns -= end->on_cpu_ns;
	if (cpu && end->ts_ns <= cpu->last_ns)
		return ST_OK;
	if (cpu) {
		start_ns = start_ns < cpu->last_ns ? cpu->last_ns : start_ns;
		status = put_start(slices, cpu, end, start_ns);
	} else {
		cpu = new_cpu(slices, end->cpu);
		if (!cpu)
			return error_nomem(slices->error);
		status = put_first(slices, end, start_ns);
	}
	cpu->last_ns = end->ts_ns;
	cpu->thread_id = end->thread_id;
	cpu->prev_state = end->prev_state;
	cpu->stays = end->stays;
	return status;
}

enum status slices_finish(struct slices *slices)
{
	enum status status = ST_OK;

	for (const struct slice_cpu *cpu = slices->first; cpu && status == ST_OK;
	     cpu = cpu->next)
		status = put(slices, cpu->cpu, cpu->last_ns, 0, cpu->prev_state);
	if (status == ST_OK)
		status = flush(slices);
	if (status == ST_OK && !os_seek(slices->fd, 0))
		status = error_set(slices->error, ST_IO, ERROR_NO_OFFSET,
				   "cannot read a temporary file: %s", strerror(errno));
	return status;
}

enum status slices_next(struct slices *slices, struct slice_start *start)
{
	size_t count = slices->written < SLICES_BUFFERED ? (size_t)slices->written
							 : SLICES_BUFFERED;

	if (slices->used == 0) {
		if (count == 0)
			return ST_END;
		if (!os_read_all(slices->fd, slices->buffer,
				 count * sizeof(*slices->buffer)))
			return error_set(slices->error, ST_IO, ERROR_NO_OFFSET,
					 "cannot read a temporary file: %s",
					 strerror(errno));
		slices->used = count;
		slices->written -= count;
		slices->at = 0;
	}
	*start = slices->buffer[slices->at++];
	if (slices->at == slices->used)
		slices->used = 0;
	return ST_OK;
}

void slices_close(struct slices *slices)
{
	if (slices->fd >= 0)
		(void)os_close(slices->fd);
	free(slices->buffer);
	map_release(&slices->cpus);
	arena_release(&slices->arena);
	*slices = (struct slices){ .fd = -1 };
}
