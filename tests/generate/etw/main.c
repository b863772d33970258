/*
 * make_etw - writes Windows ETW traces as .etl files and as the text of `xperf -a
 * dumper`, both from one plan, with what a correct reader must say about them.
 *
 *   DIR/PLAN.etl, DIR/PLAN.txt        the trace in both media; some plans have no text
 *   ....etl.thread.csv                charges by thread, (unattributed) apart
 *   ....etl.thread-unproven.csv       the same when every interval goes to the thread
 *                                     that was switched out
 *   ....etl.process.csv               charges by process
 *   ....etl.check.csv                 first and last value, and the sums by status
 *   ....txt.*.csv                     the same truths, of what the text shows
 *
 * The rows are sorted as `LC_ALL=C sort` does.  The rules are those of
 * docs/attribution.md with what is special to ETW; the ledger (ledger.c) has them.
 * The first counted switch of a CPU is a baseline and in no bill.  Times are whole
 * nanoseconds since the first header event, each cut by itself; those of the text are
 * whole microseconds. There is no with_idle.  Trace and truths come from one simulated
 * machine (machine.c) and nothing is read back, nor is any code shared with the
 * reader.
 *
 * What a reader of each medium must make of special plans:
 *
 *   truncated       the file ends within its last buffer, which holds switches only; the
 *                   truth is what is in the whole buffers, EndTime is 0
 *   single_stream   nothing can be charged: no switch is in any bill, not even as
 *                   unattributed, and no CPU is in the check
 *   batched         has no other switches: no counters, no bill
 *   append          the counters go on from one session to the next, other threads are
 *                   on the CPUs then; buffer numbers go on too
 *   two_configs     the first list in time holds, wherever it is in the file
 *
 * A form is another container for the same events.  Where a plan loses what a buffer
 * holds, that depends on the form, and so do the truths.
 */
#include "common/program.h"
#include "etw/machine.h"
#include "etw/xpress.h"

static const char usage[] =
	"usage: make_etw [OPTIONS] PLAN|all DIR\n"
	"       make_etw [--form FORM] --list\n"
	"       make_etw --forms\n"
	"       make_etw --self-test    pack and unpack bytes, and compare\n";

static const char *plan_name(size_t plan)
{
	return etw_plans[plan].name;
}

static const char *form_name(size_t form)
{
	return etw_forms[form].name;
}

static bool can_hold(size_t form, size_t plan)
{
	return etw_form_can_hold(&etw_forms[form], &etw_plans[plan]);
}

static void save_truths(const struct order *order, const struct etw_ledger *ledger,
			enum medium medium)
{
	const char *name = ledger->plan->name;
	bool etl = medium == MEDIUM_ETL;
	struct byte_buf text = { 0 };

	etw_truth_threads(ledger, medium, RULE_SEPARATE, &text);
	order_save(order, name, etl ? ".etl.thread.csv" : ".txt.thread.csv", &text);
	etw_truth_threads(ledger, medium, RULE_SWITCHED_OUT, &text);
	order_save(order, name,
		   etl ? ".etl.thread-unproven.csv" : ".txt.thread-unproven.csv", &text);
	etw_truth_processes(ledger, medium, &text);
	order_save(order, name, etl ? ".etl.process.csv" : ".txt.process.csv", &text);
	etw_truth_check(ledger, medium, &text);
	order_save(order, name, etl ? ".etl.check.csv" : ".txt.check.csv", &text);
}

static void make(size_t index, const struct order *order)
{
	static struct machine machine;
	static struct etw_ledger ledger;
	static struct etl etl;
	const struct etw_plan *plan = &etw_plans[index];
	const struct etw_form *form = &etw_forms[order->form];
	uint64_t seed = rng_seed(order->seed, plan->name);
	bool txt = form->txt && etw_plan_has_text(plan);
	char etl_path[PATH_BYTES];
	char txt_path[PATH_BYTES];
	struct xperf xperf;

	order_path(order, plan->name, ".etl", etl_path);
	order_path(order, plan->name, ".txt", txt_path);
	etw_ledger_init(&ledger, plan);
	etl_open(&etl, plan, form, &ledger, form->etl ? etl_path : NULL, seed);
	xperf_open(&xperf, plan, form, &ledger, &etl.clock, txt, seed);
	machine_run(&machine, plan, &etl, &xperf, &ledger, order->switches, seed);
	etl_close(&etl, machine.last_us + 100);
	xperf_close(&xperf, txt_path, etl.events_lost, etl.buffers_lost);
	if (form->etl)
		save_truths(order, &ledger, MEDIUM_ETL);
	if (txt)
		save_truths(order, &ledger, MEDIUM_TXT);
	etw_ledger_release(&ledger);
}

int main(int argc, char **argv)
{
	const struct generator generator = {
		.usage = usage,
		.noun = "plan",
		.scenario_count = etw_plan_count,
		.form_count = etw_form_count,
		.scenario_name = plan_name,
		.form_name = form_name,
		.can_hold = can_hold,
		.make = make,
		.self_test = xpress_self_test,
	};

	return generate(&generator, argc, argv);
}
