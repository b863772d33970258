/* totals_cgroups.h - rows of control groups, for the sink of totals.c. */
#ifndef PERFTAB_REPORT_TOTALS_CGROUPS_H
#define PERFTAB_REPORT_TOTALS_CGROUPS_H

#include "report/totals.h"

/* False: the row does not fit those before it, or out of memory. */
bool totals_on_cgroup(struct totals *totals, const struct cgroup_row *row);
bool totals_on_cgroup_summary(struct totals *totals,
			      const struct cgroup_summary_row *row);
bool totals_on_cgroup_charge(struct totals *totals, const struct cgroup_charge_row *row);

#endif
