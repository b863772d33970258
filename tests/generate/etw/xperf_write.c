/* Lines of the text: their order, context switches and samples. */
#include "etw/xperf_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOSE_WINDOW = 10,
	COPY_BYTES = 1 << 16,
	COLUMNS_2009 = 18,
	COLUMNS_2016 = 21,
	STATE_COUNT = 9,
	REASON_COUNT = 38,
};

static const char *const states[STATE_COUNT] = {
	"Initialized", "Ready",	     "Running",	      "Standby",  "Terminated",
	"Waiting",     "Transition", "DeferredReady", "GateWait",
};

static const char *const reasons[REASON_COUNT] = {
	"Executive",	    "FreePage",		 "PageIn",	     "PoolAllocation",
	"DelayExecution",   "Suspended",	 "UserRequest",	     "WrExecutive",
	"WrFreePage",	    "WrPageIn",		 "WrPoolAllocation", "WrDelayExecution",
	"WrSuspended",	    "WrUserRequest",	 "WrEventPair",	     "WrQueue",
	"WrLpcReceive",	    "WrLpcReply",	 "WrVirtualMemory",  "WrPageOut",
	"WrRendezvous",	    "WrKeyedEvent",	 "WrTerminated",     "WrProcessInSwap",
	"WrCpuRateControl", "WrCalloutStack",	 "WrKernel",	     "WrResource",
	"WrPushLock",	    "WrMutex",		 "WrQuantumEnd",     "WrDispatchInt",
	"WrPreempted",	    "WrYieldExecution",	 "WrFastMutex",	     "WrGuardedMutex",
	"WrRundown",	    "WrAlertByThreadId",
};

void xperf_open(struct xperf *xperf, const struct etw_plan *plan,
		const struct etw_form *form, struct etw_ledger *ledger,
		const struct etw_clock *clock, bool keep, uint64_t seed)
{
	*xperf = (struct xperf){
		.plan = plan,
		.form = form,
		.ledger = ledger,
		.clock = clock,
		.rng = { rng_seed(seed, "text") },
	};
	if (!keep)
		return;
	xperf->body = tmpfile();
	if (!xperf->body)
		die("a temporary file: %s", strerror(errno));
}

/* xperf cuts stamps to whole microseconds. */
static uint64_t line_time(const struct xperf *xperf, uint64_t us)
{
	return clock_ns(xperf->clock, clock_ticks(xperf->clock, us)) / 1000;
}

void xperf_start(const struct xperf *xperf, struct byte_buf *text, const char *name,
		 uint64_t us)
{
	buf_text(text, "%23s, %10" PRIu64, name, line_time(xperf, us));
}

void xperf_process(struct byte_buf *text, const char *image, uint32_t pid)
{
	buf_text(text, ", %16s (%4" PRIu32 ")", image, pid);
}

void xperf_end_line(const struct etw_form *form, struct byte_buf *text)
{
	buf_text(text, form->line_feeds ? "\n" : "\r\n");
}

static void write_lines(struct xperf *xperf, struct xperf_lines *lines)
{
	if (fwrite(lines->text.data, lines->text.size, 1, xperf->body) != 1)
		die("a temporary file: %s", strerror(errno));
	buf_release(&lines->text);
}

/* Never before an earlier line of the same CPU. */
static void write_loose(struct xperf *xperf)
{
	size_t index = (size_t)rng_range(&xperf->rng, 0, xperf->loose_count - 1);

	for (size_t i = 0; i < index; i++)
		if (xperf->loose[i].cpu == xperf->loose[index].cpu)
			index = i;
	write_lines(xperf, &xperf->loose[index]);
	xperf->loose_count--;
	memmove(xperf->loose + index, xperf->loose + index + 1,
		(xperf->loose_count - index) * sizeof(*xperf->loose));
}

/* Lines about tasks stay where they are, and so do all others around them. */
static void pass_on(struct xperf *xperf, struct xperf_lines *lines)
{
	bool loose = xperf->form->unordered && lines->loose;

	while (xperf->loose_count >= (loose ? LOOSE_WINDOW : 1))
		write_loose(xperf);
	if (!loose) {
		write_lines(xperf, lines);
		return;
	}
	xperf->loose = grow_array(xperf->loose, xperf->loose_count, &xperf->loose_room,
				  sizeof(*xperf->loose));
	xperf->loose[xperf->loose_count++] = *lines;
}

void xperf_add(struct xperf *xperf, uint64_t us, unsigned cpu, bool loose,
	       struct byte_buf *text)
{
	size_t at = xperf->waiting_count;

	if (!xperf->body) {
		buf_release(text);
		return;
	}
	xperf->waiting = grow_array(xperf->waiting, at, &xperf->waiting_room,
				    sizeof(*xperf->waiting));
	for (; at && xperf->waiting[at - 1].us > us; at--)
		xperf->waiting[at] = xperf->waiting[at - 1];
	xperf->waiting[at] = (struct xperf_lines){ us, cpu, loose, *text };
	xperf->waiting_count++;
	if (us > xperf->last_us)
		xperf->last_us = us;
}

void xperf_advance(struct xperf *xperf, uint64_t us)
{
	size_t count = 0;

	while (count < xperf->waiting_count && xperf->waiting[count].us < us)
		pass_on(xperf, &xperf->waiting[count++]);
	if (!count)
		return;
	xperf->waiting_count -= count;
	memmove(xperf->waiting, xperf->waiting + count,
		xperf->waiting_count * sizeof(*xperf->waiting));
}

static void copy_body(struct xperf *xperf, FILE *file, const char *path)
{
	static char bytes[COPY_BYTES];
	size_t count;

	rewind(xperf->body);
	while ((count = fread(bytes, 1, sizeof(bytes), xperf->body)) > 0)
		if (fwrite(bytes, count, 1, file) != 1)
			die("%s: %s", path, strerror(errno));
	if (ferror(xperf->body))
		die("a temporary file: %s", strerror(errno));
}

void xperf_close(struct xperf *xperf, const char *path, uint32_t events_lost,
		 uint32_t buffers_lost)
{
	struct byte_buf head = { 0 };
	FILE *file;

	if (!xperf->body)
		return;
	xperf_advance(xperf, UINT64_MAX);
	while (xperf->loose_count)
		write_loose(xperf);
	file = fopen(path, "wb");
	if (!file)
		die("%s: %s", path, strerror(errno));
	xperf_put_head(xperf->plan, xperf->form, xperf->last_us, events_lost,
		       buffers_lost, &head);
	if (fwrite(head.data, head.size, 1, file) != 1)
		die("%s: %s", path, strerror(errno));
	copy_body(xperf, file, path);
	if (fclose(file))
		die("%s: %s", path, strerror(errno));
	fclose(xperf->body);
	buf_release(&head);
	free(xperf->waiting);
	free(xperf->loose);
}

static void put_account(const struct xperf *xperf, struct byte_buf *text, size_t account)
{
	const struct etw_account *of = &xperf->ledger->accounts[account];
	const struct etw_process *process = &xperf->ledger->processes[of->process];

	if (of->silent)
		buf_text(text, ", %16s (%4d)", "Unknown", -1);
	else
		xperf_process(text, process->image, process->pid);
	buf_text(text, ", %10" PRIu32, of->tid);
}

static bool has_noise(const struct xperf *xperf)
{
	return xperf->form->noise || xperf->plan->dress & DRESS_NOISE;
}

static void put_counters(struct xperf *xperf, struct byte_buf *text,
			 const struct etw_switch *sw)
{
	xperf_start(xperf, text, "Pmc", sw->us);
	buf_text(text, ", %10" PRIu32, sw->new_tid);
	for (unsigned i = 0; i < sw->counter_count; i++)
		buf_text(text, ", %" PRIu64, sw->values[i]);
	xperf_end_line(xperf->form, text);
}

static void put_columns(struct xperf *xperf, struct byte_buf *text,
			const struct etw_switch *sw, bool out_of_range)
{
	unsigned columns = xperf->form->columns;

	xperf_start(xperf, text, "CSwitch", sw->us);
	put_account(xperf, text, sw->new_account);
	buf_text(text, ", %4u, %4d, %11u, %8u", sw->new_priority, -1, sw->ran_us * 3,
		 sw->wait_time);
	put_account(xperf, text, sw->old_account);
	buf_text(text, ", %4u, %4d, %15s, %16s, %8s, %6u, %3u, %3u", sw->old_priority, -1,
		 out_of_range ? "<out of range>" : states[sw->state % STATE_COUNT],
		 reasons[sw->reason % REASON_COUNT], "Swapable", sw->ran_us, sw->cpu,
		 sw->ideal_cpu);
	if (columns > COLUMNS_2009)
		buf_text(text, ", %10" PRIu32 ", %4d, %4u", sw->quantum, 0, sw->c_state);
	if (columns > COLUMNS_2016)
		buf_text(text, ", %11s, %11s", "Important", "Important");
	xperf_end_line(xperf->form, text);
}

static void enter_switch(struct xperf *xperf, const struct etw_switch *sw)
{
	struct etw_entry entry = {
		.cpu = sw->cpu,
		.time_ns = line_time(xperf, sw->us) * 1000,
		.account = sw->old_account,
		.new_tid = sw->new_tid,
		.counter_count = sw->counter_count,
	};

	for (unsigned i = 0; i < sw->counter_count && i < COUNTER_MAX; i++)
		entry.values[i] = sw->values[i];
	etw_ledger_enter(xperf->ledger, MEDIUM_TXT, &entry);
}

void xperf_put_switch(struct xperf *xperf, const struct etw_switch *sw)
{
	bool noise = has_noise(xperf) && rng_chance(&xperf->rng, 6);
	struct byte_buf text = { 0 };

	if (!xperf->body)
		return;
	if (sw->counter_count)
		put_counters(xperf, &text, sw);
	if (noise) {
		buf_text(&text, "Error: Description for thread state (9) could not be "
				"found. Thread state array out of date!!");
		xperf_end_line(xperf->form, &text);
	}
	put_columns(xperf, &text, sw, noise);
	enter_switch(xperf, sw);
	xperf_add(xperf, sw->us, sw->cpu, true, &text);
}

void xperf_put_sample(struct xperf *xperf, const struct etw_stamp *stamp, size_t account)
{
	struct byte_buf text = { 0 };

	xperf_start(xperf, &text, "SampledProfile", stamp->us);
	put_account(xperf, &text, account);
	buf_text(&text, ", 0x%016" PRIx64 ", %3u, ntdll.dll!0x%016" PRIx64,
		 0xfffff80212340000u + stamp->us % 4096, stamp->cpu,
		 (uint64_t)0x7ffe12340000u);
	buf_text(&text, ", ntoskrnl.exe!0x%016" PRIx64 ", 1, Unbatched",
		 0xfffff80212340000u + stamp->us % 4096);
	xperf_end_line(xperf->form, &text);
	xperf_add(xperf, stamp->us, stamp->cpu, false, &text);
}

void xperf_put_ready(struct xperf *xperf, const struct etw_stamp *stamp, size_t account,
		     size_t ready_account)
{
	struct byte_buf text = { 0 };

	xperf_start(xperf, &text, "ReadyThread", stamp->us);
	put_account(xperf, &text, account);
	put_account(xperf, &text, ready_account);
	buf_text(&text, ", %12s, %8d, %8d", "Unwait", 2, 1);
	xperf_end_line(xperf->form, &text);
	xperf_add(xperf, stamp->us, stamp->cpu, false, &text);
}

void xperf_put_interval(struct xperf *xperf, const struct etw_stamp *stamp,
			const struct etw_interval_facts *facts)
{
	static const char *const names[] = { "ProfileFreq-SetInterval",
					     "ProfileFreq-DCStart", "ProfileFreq-DCEnd" };
	struct byte_buf text = { 0 };

	xperf_start(xperf, &text, names[(facts->type - 0x48) % 3], stamp->us);
	xperf_process(&text, "System", 4);
	buf_text(&text, ", %10" PRIu32 ", %" PRIu32 " (%s), %" PRIu32 ", %" PRIu32,
		 stamp->tid, facts->source, facts->name, facts->now, facts->before);
	xperf_end_line(xperf->form, &text);
	xperf_add(xperf, stamp->us, stamp->cpu, false, &text);
}

void xperf_put_strange(struct xperf *xperf, const struct etw_stamp *stamp)
{
	struct byte_buf text = { 0 };

	if (!has_noise(xperf) || !xperf->body)
		return;
	xperf_start(xperf, &text, "UnknownEvent/Classic", stamp->us);
	xperf_process(&text, "System", 4);
	buf_text(&text,
		 ", %10" PRIu32 ", %3u, {b3e675d7-2554-4f18-830b-2762732560de}, 64, 0, 2"
		 ", 52",
		 stamp->tid, stamp->cpu);
	xperf_end_line(xperf->form, &text);
	if (rng_chance(&xperf->rng, 2)) {
		buf_text(&text, "Une erreur s'est produite, sans nombre ici");
		xperf_end_line(xperf->form, &text);
	}
	xperf_add(xperf, stamp->us, stamp->cpu, false, &text);
}
