/* confine.c - system calls and files that perftab-convert and perftab-analyze may use. */
#include "common/confine.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/sandbox.h"
#include "common/cli.h"

#define PATH_BYTES 4096

static bool is_usable(const char *folder)
{
	return folder && os_is_writable_folder(folder);
}

/* Where SQLite would put temporary files; or the folder of the output. */
static const char *temporary_folder(const char *output_folder)
{
	const char *folders[] = { getenv("SQLITE_TMPDIR"), getenv("TMPDIR"),
				  output_folder, "/var/tmp", "/tmp" };

	for (size_t i = 0; i < ARRAY_COUNT(folders); i++)
		if (is_usable(folders[i]))
			return folders[i];
	return NULL;
}

/* "." for a name alone. */
static const char *folder_of(const char *path, char to[PATH_BYTES])
{
	size_t length = strlen(path);

	while (length > 1 && os_is_separator(path[length - 1]))
		length--;
	while (length > 0 && !os_is_separator(path[length - 1]))
		length--;
	while (length > 1 && os_is_separator(path[length - 1]))
		length--;
	if (length == 0 || length >= PATH_BYTES)
		return ".";
	memcpy(to, path, length);
	to[length] = '\0';
	return to;
}

/*
 * SQLite may need some, and so do copies of pipes and of packed files.  A pipe must not
 * be read here.
 */
static bool needs_temporaries(const char *path)
{
	static const struct {
		const char *magic;
		size_t bytes;
	} kinds[] = { { "SQLite format 3", 16 },
		      { "\x1f\x8b", 2 },
		      { "\x28\xb5\x2f\xfd", 4 } };
	char head[16] = "";
	struct os_info info;
	bool found = false;
	int file;

	if (strcmp(path, "-") == 0 || !os_inspect_path(path, &info))
		return true;
	if (info.kind != OS_FILE)
		return info.kind != OS_FOLDER;
	file = os_open(path, OS_READ);
	if (file < 0)
		return false;
	if (os_read(file, head, sizeof(head)) > 0)
		for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
			found |= memcmp(head, kinds[i].magic, kinds[i].bytes) == 0;
	(void)os_close(file);
	return found;
}

static void allow_temporaries(struct sandbox *sandbox, const char *output_folder)
{
	const char *folder = temporary_folder(output_folder);

	if (!folder)
		return;
	sandbox_allow_write(sandbox, folder);
	if (!os_set_environment("SQLITE_TMPDIR", folder))
		memory_note_failure();
}

/* The input, and its folder if it may be the file `data` of a trace in a directory. */
static void allow_input(struct sandbox *sandbox, const char *input)
{
	char buffer[PATH_BYTES];

	sandbox_allow_read(sandbox, input);
	if (strcmp(os_base_name(input), "data") == 0)
		sandbox_allow_read(sandbox, folder_of(input, buffer));
}

void confine(const char *tool, const struct confinement *to, bool verbose)
{
	char buffer[PATH_BYTES], missing[256];
	const char *folder = to->output ? folder_of(to->output, buffer) : NULL;
	bool temporaries = to->output || to->temporaries;
	struct sandbox sandbox;

	sandbox_begin(&sandbox);
	for (size_t i = 0; i < to->input_count; i++) {
		allow_input(&sandbox, to->inputs[i]);
		temporaries |= needs_temporaries(to->inputs[i]);
	}
	if (to->tracefs)
		sandbox_allow_read(&sandbox, to->tracefs);
	if (folder)
		sandbox_allow_write(&sandbox, folder);
	if (temporaries)
		allow_temporaries(&sandbox, folder);
	if (!sandbox_enter(&sandbox, missing, sizeof(missing)) && verbose)
		cli_warn(tool, missing);
}
