/* totals_window.c - counts findings of a window from its intervals and losses. */
#include "report/totals_window.h"

#include "base/wrap.h"
#include "model/finding.h"

static int64_t intervals_with(const struct totals *totals, enum charge_status status)
{
	int64_t count = 0;

	for (size_t g = 0; g < totals->group_count; g++) {
		const struct status_summary_row *row =
			&totals->groups[g].statuses[status];

		count = wrap_add(count, wrap_add(row->switches, row->reads));
	}
	return count;
}

/*
 * How many there are in the window; false: they have no times.  first_interval, of
 * CHARGE_BASELINE, and last_interval have the times of stretches without switches, which
 * may reach into any window: they are of the whole trace.
 */
static bool count_of(const struct totals *totals, struct str kind, int64_t *count)
{
	const struct tally *tally = &totals->tally;

	for (int status = CHARGE_BASELINE + 1; status < CHARGE_STATUSES; status++) {
		enum finding_kind of_status = finding_of_status[status];

		if (of_status == FINDING_KINDS ||
		    !str_equal(kind, finding_kind_name(of_status)))
			continue;
		*count = intervals_with(totals, (enum charge_status)status);
		return true;
	}
	*count = str_equal(kind, STR("lost_events")) ? tally->window_lost_events
						     : tally->window_lost_samples;
	return tally->has_loss_times && (str_equal(kind, STR("lost_events")) ||
					 str_equal(kind, STR("lost_samples")));
}

void totals_limit_findings(struct totals *totals)
{
	struct finding_row *findings = totals->findings;
	size_t kept = 0, own = 0;

	for (size_t i = 0; i < totals->finding_count; i++) {
		struct finding_row row = findings[i];
		int64_t count;
		bool is_timed = count_of(totals, row.kind, &count);

		if (is_timed && count == 0)
			continue;
		findings[kept++] = row;
		if (!is_timed)
			continue;
		row.count = count;
		row.first_offset = INT_NONE; /* that is the first of the trace */
		memmove(&findings[own + 1], &findings[own],
			(kept - 1 - own) * sizeof(row));
		findings[own++] = row;
	}
	totals->finding_count = kept;
	totals->window_finding_count = own;
	totals->is_window = true;
}
