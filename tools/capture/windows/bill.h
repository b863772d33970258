/*
 * bill.h - perftab-capture etw --bill: the bill of a recording when it ends, by the
 * perftab-analyze that is beside this program.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_BILL_H
#define PERFTAB_CAPTURE_WINDOWS_BILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/windows/api/api.h"
#include "capture/windows/temporary.h"

struct bill {
	const struct system_api *system;
	char analyzer[TEMPORARY_PATH];
	char trace[TEMPORARY_PATH];
	bool is_temporary; /* the trace is removed after the bill */
};

/*
 * Finds the analyzer and chooses where the trace is recorded to: `output`, or, if that is
 * NULL, a file in the folder for temporary files.
 */
enum status bill_prepare(struct bill *bill, const struct system_api *system,
			 const char *output, struct error *error) MUST_CHECK;
/* Runs the analyzer on the recorded trace; *code is its exit status. */
enum status bill_print(struct bill *bill, uint32_t *code, struct error *error) MUST_CHECK;

#endif
