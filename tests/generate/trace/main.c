/*
 * make_trace - writes perf.data files whose totals are known beforehand: the trace of a
 * simulated machine, and beside it the truths that a correct reader must report.
 */
#include "common/program.h"
#include "trace/machine.h"

static const char usage[] =
	"usage: make_trace [--form FORM] --list\n"
	"       make_trace --forms\n"
	"       make_trace [--form FORM] [--seed N] [--switches N] SCENARIO|all DIR\n"
	"\n"
	"Writes DIR/SCENARIO.data and the truths about it: SCENARIO.thread.csv,\n"
	"SCENARIO.thread-unproven.csv and SCENARIO.check.csv; where tasks are in control\n"
	"groups, SCENARIO.cgroup.csv and SCENARIO.cgroup-unproven.csv.\n"
	"\n"
	"The records, and so the truths, are the same in every form.\n";

static const char *scenario_name(size_t scenario)
{
	return scenarios[scenario].name;
}

static const char *form_name(size_t form)
{
	return forms[form].name;
}

static bool can_hold(size_t form, size_t scenario)
{
	return form_can_hold(&forms[form], &scenarios[scenario]);
}

static void make(size_t index, const struct order *order)
{
	const struct scenario *scenario = &scenarios[index];
	char path[PATH_BYTES];
	struct byte_buf text = { 0 };
	struct machine machine;
	struct ledger ledger;
	struct trace trace;

	order_path(order, scenario->name, ".data", path);
	ledger_init(&ledger, scenario);
	trace_open(&trace, scenario, &forms[order->form], path);
	machine_init(&machine, scenario, &trace, &ledger,
		     rng_seed(order->seed, scenario->name));
	machine_run(&machine, order->switches);
	trace_close(&trace);
	ledger_thread_csv(&ledger, RULE_SEPARATE, &text);
	order_save(order, scenario->name, ".thread.csv", &text);
	ledger_thread_csv(&ledger, RULE_SWITCHED_OUT, &text);
	order_save(order, scenario->name, ".thread-unproven.csv", &text);
	if (scenario_has(scenario, TRAIT_CGROUPS)) {
		ledger_cgroup_csv(&ledger, RULE_SEPARATE, &text);
		order_save(order, scenario->name, ".cgroup.csv", &text);
		ledger_cgroup_csv(&ledger, RULE_SWITCHED_OUT, &text);
		order_save(order, scenario->name, ".cgroup-unproven.csv", &text);
	}
	ledger_check_csv(&ledger, &text);
	order_save(order, scenario->name, ".check.csv", &text);
	ledger_release(&ledger);
}

int main(int argc, char **argv)
{
	const struct generator generator = {
		.usage = usage,
		.noun = "scenario",
		.scenario_count = scenario_count,
		.form_count = form_count,
		.scenario_name = scenario_name,
		.form_name = form_name,
		.can_hold = can_hold,
		.make = make,
	};

	return generate(&generator, argc, argv);
}
