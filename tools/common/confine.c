/* confine.c - system calls and files that perftab-convert and perftab-analyze may use. */
#include "common/confine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "common/cli.h"

#define PATH_BYTES 4096

static bool is_usable(const char *folder)
{
	return folder && access(folder, W_OK | X_OK) == 0;
}

/* Where SQLite would put temporary files; or the folder of the output. */
static const char *temporary_folder(const char *output_folder)
{
	const char *folders[] = { getenv("SQLITE_TMPDIR"), getenv("TMPDIR"),
				  output_folder, "/var/tmp", "/tmp" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (is_usable(folders[i]))
			return folders[i];
	return NULL;
}

/* "." for a name alone. */
static const char *folder_of(const char *path, char to[PATH_BYTES])
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	while (length > 0 && path[length - 1] != '/')
		length--;
	while (length > 1 && path[length - 1] == '/')
		length--;
	if (length == 0 || length >= PATH_BYTES)
		return ".";
	memcpy(to, path, length);
	to[length] = '\0';
	return to;
}

static void allow_temporaries(struct sandbox *sandbox, const char *output_folder)
{
	const char *folder = temporary_folder(output_folder);

	if (!folder)
		return;
	sandbox_allow_write(sandbox, folder);
	(void)setenv("SQLITE_TMPDIR", folder, 1);
}

/* The input, and its folder if it may be the file `data` of a trace in a directory. */
static void allow_input(struct sandbox *sandbox, const char *input)
{
	char buffer[PATH_BYTES];
	const char *name = strrchr(input, '/');

	sandbox_allow_read(sandbox, input);
	if (strcmp(name ? name + 1 : input, "data") == 0)
		sandbox_allow_read(sandbox, folder_of(input, buffer));
}

void confine(const char *tool, const struct confinement *to, bool verbose)
{
	char buffer[PATH_BYTES], missing[256];
	const char *folder = to->output ? folder_of(to->output, buffer) : NULL;
	struct sandbox sandbox;

	sandbox_begin(&sandbox);
	for (size_t i = 0; i < to->input_count; i++)
		allow_input(&sandbox, to->inputs[i]);
	if (to->tracefs)
		sandbox_allow_read(&sandbox, to->tracefs);
	if (folder)
		sandbox_allow_write(&sandbox, folder);
	if (to->temporaries)
		allow_temporaries(&sandbox, folder);
	if (!sandbox_enter(&sandbox, missing, sizeof(missing)) && verbose)
		cli_warn(tool, missing);
}
