/* bill.c - finds, runs and waits for perftab-analyze; see bill.h. */
#include "capture/windows/bill.h"

#include <string.h>

#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/command_line.h"
#include "capture/windows/temporary.h"
#include "capture/windows/utf16.h"

#define PATH_UNITS 1024
#define COMMAND_BYTES (2 * TEMPORARY_PATH + 100)
#define WAIT_MS 60000 /* as often as needed */

static enum status failed(const char *what, const char *path, uint32_t number,
			  struct error *error)
{
	char shown[200];

	text_shown(shown, sizeof(shown), str_of(path), 180);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "%s%s%s (error %u)",
			 what, path[0] ? " " : "", shown, number);
}

static enum status find_analyzer(struct bill *bill, struct error *error)
{
	uint16_t path[PATH_UNITS];
	uint32_t number = bill->system->own_path(path, PATH_UNITS);
	char *slash, own[TEMPORARY_PATH];
	int length;

	if (number != WIN_OK)
		return failed("cannot find the folder of this program", "", number,
			      error);
	utf16_to_utf8(own, sizeof(own), path, PATH_UNITS);
	slash = strrchr(own, '\\');
	length = slash ? (int)(slash + 1 - own) : 0;
	text_print(bill->analyzer, sizeof(bill->analyzer), "%.*sperftab-analyze.exe",
		   length, own);
	if (!utf16_of(path, PATH_UNITS, bill->analyzer))
		number = WIN_BAD_PATHNAME;
	else
		number = bill->system->find_file(path);
	return number == WIN_OK ? ST_OK
				: failed("--bill needs perftab-analyze.exe beside this "
					 "program: cannot find",
					 bill->analyzer, number, error);
}

enum status bill_prepare(struct bill *bill, const struct system_api *system,
			 const char *output, struct error *error)
{
	enum status status;

	memset(bill, 0, sizeof(*bill));
	bill->system = system;
	status = find_analyzer(bill, error);
	bill->is_temporary = !output;
	if (status != ST_OK)
		return status;
	if (!output)
		return temporary_choose(bill->trace, system, error);
	if (strlen(output) >= sizeof(bill->trace))
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "the name of the output is too long");
	memcpy(bill->trace, output, strlen(output) + 1);
	return ST_OK;
}

/* Ctrl-C reaches the analyzer too, which then ends. */
static enum status wait_for_analyzer(struct bill *bill, uint64_t process, uint32_t *code,
				     struct error *error)
{
	enum win_wait what;

	do
		what = bill->system->wait(process, false, WAIT_MS);
	while (what == WAIT_TIME_OVER);
	if (what == WAIT_ENDED && bill->system->exit_code(process, code) == WIN_OK)
		return ST_OK;
	(void)bill->system->end_process(process, 1);
	return error_set(
		error, ST_IO, ERROR_NO_OFFSET,
		"cannot wait for the end of perftab-analyze; the trace is %.300s",
		bill->trace);
}

enum status bill_print(struct bill *bill, uint32_t *code, struct error *error)
{
	static uint16_t command[COMMAND_BYTES];
	char text[COMMAND_BYTES];
	char dashes[] = "--"; /* a name may begin with one */
	char *const words[] = { bill->analyzer, dashes, bill->trace, NULL };
	uint64_t process = 0;
	uint32_t number = WIN_BAD_PATHNAME;
	enum status status;

	if (command_line_join(text, sizeof(text), words) &&
	    utf16_of(command, COMMAND_BYTES, text))
		number = bill->system->start_process(command, &process);
	if (number == WIN_OK) {
		status = wait_for_analyzer(bill, process, code, error);
		bill->system->close_handle(process);
	} else {
		status = error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "cannot run perftab-analyze (error %u); the trace is "
				   "%.300s",
				   number, bill->trace);
	}
	/* Without a bill the trace stays. */
	if (status == ST_OK && bill->is_temporary)
		status = temporary_remove(bill->trace, bill->system, error);
	return status;
}
