/* temporary.c - creates a file in a folder for temporary files, without a name. */
#include "base/temporary.h"

#include <stddef.h>

#include "base/os.h"

int temporary_open(void)
{
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < OS_TEMPORARY_FOLDERS; i++) {
		const char *folder = os_temporary_folder(i);

		if (folder)
			fd = os_create_temporary(folder);
	}
	return fd;
}
