/*
 * fuzz_xperf.c - any bytes as the lines of a text of xperf.
 *
 * Those that do not begin with a header of their own get one, with the columns of their
 * events, so that every line counts.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "harness.h"
#include "mutate_text.h"

/* Column lines, each written where the input has such an event. */
static const char *const columns[] = {
	"Pmc, TimeStamp, ThreadID, A, B\n",
	"CSwitch, TimeStamp, New Process Name ( PID), New TID, NPri, Old Process Name ( "
	"PID), Old TID, OPri, OldState, Wait Reason, Swapable, CPU, IdealProc, "
	"PrevCState\n",
	"P-Start, TimeStamp, Process Name ( PID), ParentPID\n",
	"P-End, TimeStamp, Process Name ( PID), ParentPID, SessionID, UniqueKey, Status, "
	"DirTableBase, Flags, SID, Command Line, Package, Application\n",
	"T-Start, TimeStamp, Process Name ( PID), ThreadID, Image!Function\n",
	"T-End, TimeStamp, Process Name ( PID), ThreadID, Image!Function\n",
	"T-DCEnd, TimeStamp, Process Name ( PID), ThreadID, Image!Function\n",
	"SampledProfile, TimeStamp, Process Name ( PID), ThreadID, PrgrmCtr, CPU, "
	"Image!Function, Count, SampledProfile type\n",
	"ReadyThread, TimeStamp, Process Name ( PID), ThreadID, Rdy Process Name ( PID), "
	"Rdy TID, AdjustReason\n",
	"ProfileFreq-SetInterval, TimeStamp, Source, New Interval, Old Interval\n",
	"I-Start, TimeStamp, Process Name ( PID), Image Base, End Address, FileName\n",
	"PmcCorruptionStatus, TimeStamp, ProcessorIndex, NumberOfProfileSources\n",
};

#define HEAD_BYTES_MAX 2048

static size_t write_head(uint8_t *to, const uint8_t *data, size_t size)
{
	size_t at = 0;

	memcpy(to, "BeginHeader\n", 12);
	at += 12;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		size_t name = strcspn(columns[i], ","), bytes = strlen(columns[i]);

		if (!memmem(data, size, columns[i], name))
			continue;
		memcpy(to + at, columns[i], bytes);
		at += bytes;
	}
	memcpy(to + at, "EndHeader\n", 10);
	return at + 10;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &xperf_reader, NULL };
	size_t before = size && data[0] == 'B' ? 0 : HEAD_BYTES_MAX;
	uint8_t *bytes = malloc(before + size + 1);

	if (!bytes)
		return 0;
	if (before)
		before = write_head(bytes, data, size);
	if (size)
		memcpy(bytes + before, data, size);
	(void)harness_run_as(bytes, before + size, formats);
	free(bytes);
	return 0;
}

FUZZ_MUTATOR(mutate_text_lines);
