/* trace_facts.c - collects the attributes, names and facts that describe a trace. */
#include "capture/linux/recorder/trace_facts.h"

#include <dirent.h>
#include <stdio.h>

#include "version.h"

#define PMUS "/sys/bus/event_source/devices"
#define PMUS_MAX 1024

/* --- events --- */

static bool set_ids(struct arena *arena, const struct counters *c,
		    const struct counted_event *event, struct perf_write_event *to)
{
	struct perf_write_id *ids = arena_alloc(arena, c->instances * sizeof(*ids));

	if (!ids)
		return false;
	for (size_t i = 0; i < c->instances; i++)
		if (event->fds[i] >= 0)
			ids[to->id_count++] =
				(struct perf_write_id){ event->ids[i], counters_cpu(c, i),
							counters_tid(c, i) };
	to->ids = ids;
	return true;
}

static bool set_events(struct trace_facts *facts, const struct counters *c)
{
	struct perf_write_event *events =
		arena_alloc(&facts->arena, c->event_count * sizeof(*events));
	struct perf_write_group *groups =
		arena_alloc(&facts->arena, c->group_count * sizeof(*groups));

	if (!events || !groups)
		return false;
	for (size_t i = 0; i < c->event_count; i++) {
		const struct counted_event *event = &c->events[i];
		const struct capture_event *asked = event->asked;

		events[i] = (struct perf_write_event){
			.attr = &event->attr,
			.attr_bytes = sizeof(event->attr),
			.name = event->name,
			.unit = asked ? asked->unit : NULL,
			.scale = asked ? asked->scale : 1,
		};
		if (!set_ids(&facts->arena, c, event, &events[i]))
			return false;
	}
	for (size_t g = 0; g < c->group_count; g++)
		groups[g] = (struct perf_write_group){ c->groups[g].first,
						       c->groups[g].count };
	facts->written.events = events;
	facts->written.event_count = c->event_count;
	facts->written.groups = groups;
	facts->written.group_count = c->group_count;
	return true;
}

/* --- the machine --- */

static bool read_type(const char *pmu, uint32_t *type)
{
	char path[512];
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), PMUS "/%s/type", pmu);
	file = fopen(path, "re");
	got = file && fscanf(file, "%u", type) == 1;
	if (file)
		fclose(file);
	return got;
}

static bool set_pmus(struct trace_facts *facts)
{
	struct perf_write_pmu *pmus =
		arena_alloc(&facts->arena, PMUS_MAX * sizeof(*pmus));
	DIR *folder = pmus ? opendir(PMUS) : NULL;
	const struct dirent *entry;
	size_t count = 0;

	while (folder && count < PMUS_MAX && (entry = readdir(folder))) {
		struct perf_write_pmu *pmu = &pmus[count];

		if (entry->d_name[0] == '.' || !read_type(entry->d_name, &pmu->type))
			continue;
		pmu->name = arena_str(&facts->arena, str_of(entry->d_name)).ptr;
		count += pmu->name != NULL;
	}
	if (folder)
		closedir(folder);
	facts->written.pmus = pmus;
	facts->written.pmu_count = count;
	return pmus != NULL;
}

static void set_machine(struct trace_facts *facts, const struct counters *c)
{
	const struct machine *machine = &facts->machine;
	struct perf_write_facts *to = &facts->written;

	to->host = machine->host;
	to->os_release = machine->os_release;
	to->arch = machine->arch;
	to->cpu_model = machine->cpu_model;
	to->cpu_id = machine->cpu_id;
	to->cpus_available = machine->cpus_available;
	to->cpus_online = machine->cpus_online;
	to->memory_kb = machine->memory_kb;
	to->has_clock = c->supports.clockid;
	to->clock_resolution_ns = machine->clock_resolution_ns;
	to->wall_ns = machine->wall_ns;
	to->clock_ns = machine->clock_ns;
}

enum status trace_facts_read(struct trace_facts *facts, const struct counters *c,
			     char *const *command, struct error *error)
{
	machine_read(&facts->machine);
	facts->written = (struct perf_write_facts){
		.recorder = "perftab " PERFTAB_VERSION,
		.command = command,
		.tracing_data = { (const char *)facts->formats.data,
				  facts->formats.size },
		.unpacked_mib = 1,
	};
	set_machine(facts, c);
	return set_events(facts, c) && set_pmus(facts) ? ST_OK : error_nomem(error);
}

void trace_facts_release(struct trace_facts *facts)
{
	bytes_release(&facts->formats);
	arena_release(&facts->arena);
}
