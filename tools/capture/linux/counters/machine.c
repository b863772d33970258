/* machine.c - reads the CPU model and clocks of this machine. */
#include "capture/linux/counters/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "capture/linux/counters/clock.h"

/* --- /proc/cpuinfo --- */

/* The value of the first line "KEY : VALUE"; "" when there is none. */
static void cpuinfo_value(const char *key, char *to, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[1024];
	size_t length = strlen(key);

	to[0] = '\0';
	while (file && !to[0] && fgets(line, sizeof(line), file)) {
		const char *value = line + length;

		if (strncmp(line, key, length) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value != ':')
			continue;
		value += 1 + strspn(value + 1, " \t");
		text_print(to, size, "%.*s", (int)strcspn(value, "\n"), value);
	}
	if (file)
		fclose(file);
}

/* x86: vendor,family,model,stepping; what tools/perf writes there. */
static void x86_id(struct machine *machine)
{
	char vendor[64], family[16], model[16], stepping[16];

	cpuinfo_value("vendor_id", vendor, sizeof(vendor));
	cpuinfo_value("cpu family", family, sizeof(family));
	cpuinfo_value("model", model, sizeof(model));
	cpuinfo_value("stepping", stepping, sizeof(stepping));
	if (vendor[0] && family[0]) /* s390x has a vendor_id, and nothing else of it */
		text_print(machine->cpu_id, sizeof(machine->cpu_id), "%s,%s,%s,%s",
			   vendor, family, model, stepping);
}

/* arm64: MIDR without variant and revision. */
static void arm64_id(struct machine *machine)
{
	FILE *file =
		fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re");
	unsigned long long midr;

	if (file && fscanf(file, "%llx", &midr) == 1)
		text_print(machine->cpu_id, sizeof(machine->cpu_id), "0x%016llx",
			   midr & ~0xf0000full);
	if (file)
		fclose(file);
}

static void read_cpu(struct machine *machine)
{
	static const char *const keys[] = { "model name", "Processor", "cpu", "vendor_id",
					    "Hardware" };

	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		if (machine->cpu_model[0])
			break;
		cpuinfo_value(keys[i], machine->cpu_model, sizeof(machine->cpu_model));
	}
	if (strcmp(machine->arch, "aarch64") == 0)
		arm64_id(machine);
	else
		x86_id(machine);
}

/* --- clocks --- */

/* The wall clock between two looks at the other; the closest pair of several. */
void machine_read_clocks(uint64_t *wall_ns, uint64_t *clock_ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		uint64_t before = now_ns(CLOCK_MONOTONIC);
		uint64_t wall = now_ns(CLOCK_REALTIME);
		uint64_t after = now_ns(CLOCK_MONOTONIC);

		if (after - before >= best)
			continue;
		best = after - before;
		*wall_ns = wall;
		*clock_ns = before + (after - before) / 2;
	}
}

static void read_clocks(struct machine *machine)
{
	struct timespec resolution;

	clock_getres(CLOCK_MONOTONIC, &resolution);
	machine->clock_resolution_ns = (uint64_t)resolution.tv_nsec;
	machine_read_clocks(&machine->wall_ns, &machine->clock_ns);
}

void machine_read(struct machine *machine)
{
	struct utsname names;
	struct sysinfo info;

	*machine = (struct machine){ .cpus_available =
					     (uint32_t)sysconf(_SC_NPROCESSORS_CONF) };
	machine->cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (uname(&names) == 0) {
		text_print(machine->host, MACHINE_TEXT, "%s", names.nodename);
		text_print(machine->os_release, MACHINE_TEXT, "%s", names.release);
		text_print(machine->arch, MACHINE_TEXT, "%s", names.machine);
	}
	if (sysinfo(&info) == 0)
		machine->memory_kb = (uint64_t)info.totalram * info.mem_unit / 1024;
	read_cpu(machine);
	read_clocks(machine);
}
