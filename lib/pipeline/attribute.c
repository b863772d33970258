/*
 * attribute.c - passes each event to the chains, the identity and the estimates, and
 * emits the resulting rows.
 */
#include "pipeline/attribute.h"

#include "attribution/outside.h"
#include "base/text.h"
#include "base/uninitialized.h"
#include "pipeline/charge.h"
#include "pipeline/ids.h"

/* --- call chains --- */

/* The id of a chain, whose row is emitted if it is new. */
static enum status emit_chain(struct pipeline *p, const uint64_t *ips, size_t count,
			      int64_t *id)
{
	struct callchain_row row = { .trace_id = p->trace_id };
	bool is_new;

	*id = callchain_id(&p->callchains, ips, count, &row, &is_new);
	return is_new ? emit_row(p, RECORD_callchain, &row) : ST_OK;
}

enum status on_deferred_chain(struct pipeline *p, const struct record *record)
{
	const struct deferred_chain_event *event = record->data;
	struct callchain_deferred_row row = {
		.trace_id = p->trace_id,
		.ts_ns = event->ts_ns,
		.cpu = event->cpu,
		.thread_id = INT_NONE,
		.cookie = event->cookie,
	};
	const struct thread *thread = NULL;
	enum status status;

	/* A bill does not get such events, so they are not evidence of a thread. */
	if (event->tid > 0)
		thread = identity_known_thread(&p->identity, event->tid, event->ts_ns);
	if (thread)
		row.thread_id = thread->thread_id;
	status = emit_chain(p, event->chain, event->chain_count, &row.callchain_id);
	return status == ST_OK ? emit_row(p, RECORD_callchain_deferred, &row) : status;
}

/* --- switches --- */

/* Where the thread switched out was; it has a row if it was not known to be there. */
static enum status find_cgroup(struct pipeline *p, const struct switch_event *event,
			       const struct context_switch_row *row, int64_t *cgroup_id)
{
	int64_t thread_id = row->prev_thread_id;

	if (thread_id == INT_NONE || p->chains.idle)
		return ST_OK;
	if (event->cgroup_id && cgroups_set(&p->cgroups, thread_id, event->cgroup_id) &&
	    p->switches_wanted) {
		const struct thread_cgroup_row change = {
			.thread_id = thread_id,
			.from_switch_id = row->switch_id,
			.ts_ns = row->ts_ns,
			.cgroup_id = event->cgroup_id,
		};
		enum status status = emit_row(p, RECORD_thread_cgroup, &change);

		if (status != ST_OK)
			return status;
	}
	*cgroup_id = cgroups_get(&p->cgroups, thread_id);
	return ST_OK;
}

/* The call chain and the branches of a switch; it may have no row: the first of a CPU. */
static enum status emit_switch_fields(struct pipeline *p,
				      const struct switch_event *event, int64_t switch_id)
{
	struct switch_callchain_row chain = {
		.trace_id = p->trace_id,
		.switch_id = switch_id,
		.ts_ns = event->ts_ns,
		.cpu = event->cpu,
	};
	enum status status = emit_chain(p, event->fields->chain,
					event->fields->chain_count, &chain.callchain_id);

	if (status == ST_OK && chain.callchain_id != INT_NONE)
		status = emit_row(p, RECORD_switch_callchain, &chain);
	for (size_t i = 0; status == ST_OK && i < event->fields->branch_count; i++) {
		const struct sample_branch_row *branch = &event->fields->branches[i];

		status = emit_row(p, RECORD_switch_branch,
				  &(struct switch_branch_row){ .trace_id = p->trace_id,
							       .switch_id = switch_id,
							       .ts_ns = event->ts_ns,
							       .cpu = event->cpu,
							       .position =
								       branch->position,
							       .from_ip = branch->from_ip,
							       .to_ip = branch->to_ip,
							       .flags = branch->flags });
	}
	return status;
}

/* --- events in --- */

enum status on_switch(struct pipeline *p, const struct record *record)
{
	const struct switch_event *event = record->data;
	struct context_switch_row row UNINITIALIZED;
	struct record out UNINITIALIZED;
	enum status status = ST_OK;

	if (event->is_read)
		return on_read(p, record);
	p->switched_thread_id = INT_NONE;
	if (!chain_switch(&p->chains, &p->identity, p->findings, event, record->offset,
			  event->group_id + p->group_base, &row))
		return event->fields && p->switches_wanted
			       ? emit_switch_fields(p, event, INT_NONE)
			       : ST_OK;
	row.switch_id = ++p->last_switch_id;
	row.detail_id = event->detail_id;
	p->switched_thread_id = row.prev_thread_id;
	out = (struct record){ .kind = RECORD_context_switch,
			       .offset = record->offset,
			       .data = &row,
			       .deltas = p->chains.deltas,
			       .values = p->chains.values,
			       .slots = event->count };
	if (p->cgroups.any || event->cgroup_id)
		status = find_cgroup(p, event, &row, &out.cgroup_id);
	if (status == ST_OK)
		status = charge_interval(p, &out, p->chains.idle);
	verdicts_interval(&p->verdicts, &row, p->chains.deltas, event->count,
			  p->chains.idle);
	if (p->estimates.cpu_count)
		estimates_settle(&p->estimates, &p->ledger, &row, p->chains.deltas,
				 event->count);
	if (status != ST_OK || !p->switches_wanted)
		return status;
	status = emit_record(p, &out);
	return status == ST_OK && event->fields
		       ? emit_switch_fields(p, event, row.switch_id)
		       : status;
}

/*
 * Where switches are sampled with counters, those samples show when a thread existed;
 * SWITCH records, which are elsewhere in the file, do not extend that time.
 */
static int64_t thread_of_switch(struct pipeline *p, const struct switch_in_event *event)
{
	const struct thread *known;

	if (event->tid <= 0 || p->last_group_id == p->group_base)
		return output_thread_at(p, event->tid, INT_NONE, event->ts_ns,
					event->cpu);
	known = identity_known_thread(&p->identity, event->tid, event->ts_ns);
	return known ? known->thread_id : INT_NONE;
}

enum status on_switch_in(struct pipeline *p, const struct record *record)
{
	const struct switch_in_event *event = record->data;
	struct switch_record_row row = {
		.trace_id = p->trace_id,
		.ts_ns = event->ts_ns,
		.cpu = event->cpu,
		.is_out = !event->in,
		.is_preempted = event->preempted,
		.other_tid = event->next_tid,
	};
	enum status status;

	chain_switch_in(&p->chains, event);
	row.thread_id = thread_of_switch(p, event);
	status = charge_on_cpu(p, &row, false);
	return status == ST_OK && p->switches_wanted
		       ? emit_row(p, RECORD_switch_record, &row)
		       : status;
}

/* --- tasks --- */

/* A record of a task outside the recorder's PID namespace. */
static struct thread *on_outside(struct pipeline *p, const struct record *record)
{
	finding_add(p->findings, FINDING_OUTSIDE, record->offset, 1);
	return outside_thread(&p->identity);
}

enum status on_process(struct pipeline *p, const struct record *record)
{
	identity_process(&p->identity, record->data);
	return ST_OK;
}

enum status on_comm(struct pipeline *p, const struct record *record)
{
	const struct task_comm_event *event = record->data;
	const struct thread *thread = outside_has_comm(&p->identity, event)
					      ? on_outside(p, record)
					      : identity_comm(&p->identity, event);
	struct str name = event->name, kept;

	if (!thread || !name.ptr) /* no name: it existed already */
		return ST_OK;
	/*
	 * identity_comm() kept the same text made valid, unless a later one replaced it.
	 */
	kept = thread_name(thread);
	name = str_equal(kept, name) ? kept : text_valid_utf8(&p->identity.arena, name);
	return emit_row(p, RECORD_comm,
			&(struct comm_row){ .trace_id = p->trace_id,
					    .ts_ns = event->ts_ns,
					    .thread_id = thread->thread_id,
					    .name = name,
					    .is_exec = event->is_exec });
}

enum status on_command(struct pipeline *p, const struct record *record)
{
	identity_command(&p->identity, record->data);
	return ST_OK;
}

enum status on_fork(struct pipeline *p, const struct record *record)
{
	const struct task_fork_event *event = record->data;
	struct thread *parent = NULL;
	const struct thread *thread;

	if (outside_has_fork(&p->identity, event))
		thread = parent = on_outside(p, record);
	else
		thread = identity_fork(&p->identity, event, &parent);
	if (!thread)
		return ST_OK;
	return emit_row(p, RECORD_fork,
			&(struct fork_row){ .trace_id = p->trace_id,
					    .ts_ns = event->ts_ns,
					    .thread_id = thread->thread_id,
					    .parent_thread_id = parent ? parent->thread_id
								       : INT_NONE });
}

enum status on_exit_event(struct pipeline *p, const struct record *record)
{
	const struct task_exit_event *event = record->data;
	const struct thread *thread = outside_has_exit(&p->identity, event)
					      ? on_outside(p, record)
					      : identity_exit(&p->identity, event);

	if (!thread)
		return ST_OK;
	return emit_row(p, RECORD_exit,
			&(struct exit_row){ .trace_id = p->trace_id,
					    .ts_ns = event->ts_ns,
					    .thread_id = thread->thread_id });
}

enum status on_exiting(struct pipeline *p, const struct record *record)
{
	chain_exit(&p->chains, record->data);
	return ST_OK;
}

enum status on_handed(struct pipeline *p, const struct record *record)
{
	identity_hand_over(&p->identity, record->data);
	return ST_OK;
}

/* --- losses --- */

enum status on_loss(struct pipeline *p, const struct record *record)
{
	const struct loss_event *event = record->data;

	chain_loss(&p->chains, event);
	sampling_lost(&p->sampling, event->cpu);
	finding_add(p->findings,
		    str_equal(event->record, STR("LOST_SAMPLES")) ? FINDING_LOST_SAMPLES
								  : FINDING_LOST_EVENTS,
		    record->offset, event->events);
	return emit_row(
		p, RECORD_lost,
		&(struct lost_row){ .trace_id = p->trace_id,
				    .ts_ns = event->ts_ns,
				    .cpu = event->cpu,
				    .record = event->record,
				    .counter_id = output_counter_id(p, event->counter_id),
				    .events = event->events });
}

enum status on_throttled(struct pipeline *p, const struct record *record)
{
	const struct throttled_event *event = record->data;

	chain_throttled(&p->chains, event);
	return emit_row(p, RECORD_throttle,
			&(struct throttle_row){
				.trace_id = p->trace_id,
				.ts_ns = event->ts_ns,
				.cpu = event->cpu,
				.counter_id = output_counter_id(p, event->counter_id),
				.throttled = event->throttled });
}

/* --- samples --- */

/* The values and other data recorded with a sample. */
static enum status emit_sample_parts(struct pipeline *p,
				     const struct sampled_event *event, int64_t sample_id)
{
	enum status status = ST_OK;

	for (size_t i = 0; status == ST_OK && i < event->count; i++)
		status = emit_row(p, RECORD_sample_value,
				  &(struct sample_value_row){
					  .sample_id = sample_id,
					  .counter_id = output_counter_id(
						  p, event->value_counter_ids[i]),
					  .value = (int64_t)event->values[i],
				  });
	for (size_t i = 0; status == ST_OK && i < event->branch_count; i++) {
		struct sample_branch_row row = event->branches[i];

		row.sample_id = sample_id;
		status = emit_row(p, RECORD_sample_branch, &row);
	}
	for (size_t i = 0; status == ST_OK && i < event->register_count; i++) {
		struct sample_register_row row = event->registers[i];

		row.sample_id = sample_id;
		status = emit_row(p, RECORD_sample_register, &row);
	}
	return status;
}

/* Idle is never in user space. */
static int64_t thread_of_sample(struct pipeline *p, const struct record *record)
{
	const struct sampled_event *event = record->data;
	const struct thread *thread;

	if (!event->is_user || event->pid != 0 || event->tid != 0)
		return output_thread_at(p, event->tid, event->pid, event->row.ts_ns,
					event->row.cpu);
	thread = on_outside(p, record);
	return thread ? thread->thread_id : INT_NONE;
}

enum status on_sampled(struct pipeline *p, const struct record *record)
{
	const struct sampled_event *event = record->data;
	struct sample_row row = event->row;
	enum status status;

	row.sample_id = ++p->last_sample_id;
	row.thread_id = thread_of_sample(p, record);
	row.counter_id = output_counter_id(p, row.counter_id);
	status = charge_sample(p, &row);
	if (status != ST_OK || !p->switches_wanted)
		return status;
	status = emit_chain(p, event->chain, event->chain_count, &row.callchain_id);
	if (status == ST_OK)
		status = emit_row(p, RECORD_sample, &row);
	return status == ST_OK ? emit_sample_parts(p, event, row.sample_id) : status;
}
