/* made_counters.c - see made_counters.h. */
#include "made_counters.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define NOT_A_FILE 1000000 /* says "it is counted there", and is never used */

static void set_attr(struct perf_event_attr *attr, uint64_t config)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = config,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
			       PERF_FORMAT_GROUP,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = 1,
	};
}

static void set_event(struct made_counters *made, size_t at, const char *name,
		      uint64_t config)
{
	struct counted_event *event = &made->counters.events[at];

	event->name = strdup(name);
	set_attr(&event->attr, config);
	event->fds = malloc(MADE_CPUS * sizeof(*event->fds));
	event->ids = malloc(MADE_CPUS * sizeof(*event->ids));
	for (size_t cpu = 0; cpu < MADE_CPUS; cpu++) {
		event->fds[cpu] = NOT_A_FILE;
		event->ids[cpu] = made_id(at, cpu);
	}
}

void made_counters_init(struct made_counters *made, const char *const *names,
			size_t count)
{
	struct counters *c = &made->counters;

	*made = (struct made_counters){ .cpus = { 0, 1 } };
	c->supports = (struct kernel_support){ .clockid = true };
	c->request.cpus = (struct cpu_list){ made->cpus, MADE_CPUS };
	c->request.events = &made->list;
	c->instances = MADE_CPUS;
	c->event_count = count + 2;
	c->events = calloc(c->event_count, sizeof(*c->events));
	c->group_count = 1;
	c->groups[0] = (struct counted_group){ .first = 0, .count = count + 1 };
	made->list.events = calloc(count ? count : 1, sizeof(*made->list.events));
	made->list.count = count;
	set_event(made, 0, "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES);
	c->events[0].is_leader = true;
	c->events[0].attr.sample_type |= PERF_SAMPLE_READ;
	c->events[0].attr.sample_period = 1;
	for (size_t i = 0; i < count; i++) {
		set_event(made, i + 1, names[i], PERF_COUNT_SW_TASK_CLOCK + i);
		made->list.events[i].scale = 1;
		c->events[i + 1].asked = &made->list.events[i];
	}
	set_event(made, count + 1, "dummy:HG", PERF_COUNT_SW_DUMMY);
	c->events[count + 1].group = SIZE_MAX;
	c->events[count + 1].attr.comm = c->events[count + 1].attr.task = 1;
}

void made_counters_free(struct made_counters *made)
{
	for (size_t i = 0; i < made->counters.event_count; i++) {
		free(made->counters.events[i].name);
		free(made->counters.events[i].fds);
		free(made->counters.events[i].ids);
	}
	free(made->counters.events);
	free(made->list.events);
	*made = (struct made_counters){ .cpus = { 0 } };
}
