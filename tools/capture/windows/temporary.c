/* temporary.c - chooses and removes temporary files; see temporary.h. */
#include "capture/windows/temporary.h"

#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/utf16.h"

#define PATH_UNITS 1024

/* Windows gives each user a folder of their own; the time makes the name unique there. */
enum status temporary_choose(char path[TEMPORARY_PATH], const struct system_api *system,
			     struct error *error)
{
	uint16_t units[PATH_UNITS];
	uint32_t number = system->temporary_folder(units, PATH_UNITS);
	char folder[TEMPORARY_PATH - 40];

	if (number != WIN_OK)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "cannot find the folder for temporary files (error %u)",
				 number);
	utf16_to_utf8(folder, sizeof(folder), units, PATH_UNITS);
	text_print(path, TEMPORARY_PATH, "%sperftab-%llx.etl", folder,
		   (unsigned long long)system->wall_100ns());
	return ST_OK;
}

enum status temporary_remove(const char *path, const struct system_api *system,
			     struct error *error)
{
	uint16_t units[PATH_UNITS];
	uint32_t number = utf16_of(units, PATH_UNITS, path) ? system->remove(units)
							    : WIN_BAD_PATHNAME;

	if (number == WIN_OK)
		return ST_OK;
	return error_set(error, ST_IO, ERROR_NO_OFFSET,
			 "cannot remove the temporary trace %.300s (error %u)", path,
			 number);
}
