/*
 * schedstat.c - SCHEDSTAT_CPU and SCHEDSTAT_DOMAIN: what `perf sched stats record` copies
 * from /proc/schedstat, at its beginning and at its end.
 *
 * Both begin with u64 timestamp (jiffies) | u32 cpu | u16 version, of /proc/schedstat |
 * u16: the domain, or padding.  The counts follow in the order of that file.  Versions 15
 * to 17 are known: tools/lib/perf/include/perf/schedstat-v15.h to -v17.h of the kernel.
 */
#include "base/array.h"
#include "formats/perf/records.h"

/* --- the counts of a domain, u32 each --- */

#define AT(column) offsetof(struct schedstat_domain_row, column)

#define BALANCE(state)                                                        \
	AT(state##_lb_count), AT(state##_lb_balanced), AT(state##_lb_failed), \
		AT(state##_lb_imbalance), AT(state##_lb_gained),              \
		AT(state##_lb_hot_gained), AT(state##_lb_nobusyq),            \
		AT(state##_lb_nobusyg)

#define BALANCE_17(state)                                                       \
	AT(state##_lb_count), AT(state##_lb_balanced), AT(state##_lb_failed),   \
		AT(state##_lb_imbalance_load), AT(state##_lb_imbalance_util),   \
		AT(state##_lb_imbalance_task), AT(state##_lb_imbalance_misfit), \
		AT(state##_lb_gained), AT(state##_lb_hot_gained),               \
		AT(state##_lb_nobusyq), AT(state##_lb_nobusyg)

#define OTHERS                                                                          \
	AT(alb_count), AT(alb_failed), AT(alb_pushed), AT(sbe_count), AT(sbe_balanced), \
		AT(sbe_pushed), AT(sbf_count), AT(sbf_balanced), AT(sbf_pushed),        \
		AT(ttwu_wake_remote), AT(ttwu_move_affine), AT(ttwu_move_balance)

static const size_t domain_15[] = { BALANCE(idle), BALANCE(busy), BALANCE(newidle),
				    OTHERS };
static const size_t domain_16[] = { BALANCE(busy), BALANCE(idle), BALANCE(newidle),
				    OTHERS };
static const size_t domain_17[] = { BALANCE_17(busy), BALANCE_17(idle),
				    BALANCE_17(newidle), OTHERS };

static const struct {
	const size_t *columns;
	size_t count;
} domains[] = {
	{ domain_15, ARRAY_COUNT(domain_15) },
	{ domain_16, ARRAY_COUNT(domain_16) },
	{ domain_17, ARRAY_COUNT(domain_17) },
};
#define VERSION_FIRST 15u

/* --- the records --- */

static void set_column(void *row, size_t offset, int64_t value)
{
	memcpy((char *)row + offset, &value, sizeof(value));
}

static bool decode_domain(struct schedstat_domain_row *row, struct cursor *c)
{
	size_t version = (size_t)row->version - VERSION_FIRST;

	for (size_t v = 0; v < ARRAY_COUNT(domains); v++)
		for (size_t i = 0; i < domains[v].count; i++)
			set_column(row, domains[v].columns[i], INT_NONE);
	for (size_t i = 0; i < domains[version].count; i++)
		set_column(row, domains[version].columns[i], cursor_u32(c));
	return !c->overrun;
}

/* The same in all known versions. */
static bool decode_cpu(struct schedstat_cpu_row *row, struct cursor *c)
{
	row->yld_count = cursor_u32(c);
	row->array_exp = cursor_u32(c);
	row->sched_count = cursor_u32(c);
	row->sched_goidle = cursor_u32(c);
	row->ttwu_count = cursor_u32(c);
	row->ttwu_local = cursor_u32(c);
	row->rq_cpu_time = (int64_t)cursor_u64(c);
	row->run_delay = (int64_t)cursor_u64(c);
	row->pcount = (int64_t)cursor_u64(c);
	return !c->overrun;
}

bool perf_decode_schedstat(struct perf_scratch *scratch, uint32_t type, struct cursor *c,
			   struct record *out, bool *known)
{
	struct cursor local = *c;
	int64_t jiffies = (int64_t)cursor_u64(&local);
	uint32_t cpu = cursor_u32(&local);
	uint16_t version = cursor_u16(&local), domain = cursor_u16(&local);
	int64_t known_cpu = cpu < CPU_MAX ? (int64_t)cpu : INT_NONE;

	*known = local.overrun || (version >= VERSION_FIRST &&
				   version < VERSION_FIRST + ARRAY_COUNT(domains));
	if (!*known || local.overrun)
		return !*known;
	if (type == PERF_RECORD_SCHEDSTAT_CPU) {
		scratch->event.schedstat_cpu = (struct schedstat_cpu_row){
			.jiffies = jiffies, .cpu = known_cpu, .version = version
		};
		out->kind = RECORD_schedstat_cpu;
		return decode_cpu(&scratch->event.schedstat_cpu, &local);
	}
	scratch->event.schedstat_domain = (struct schedstat_domain_row){
		.jiffies = jiffies, .cpu = known_cpu, .domain = domain, .version = version
	};
	out->kind = RECORD_schedstat_domain;
	return decode_domain(&scratch->event.schedstat_domain, &local);
}
