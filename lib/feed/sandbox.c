/* sandbox.c - the feed's thread can read its trace, and make temporary files. */
#include "base/sandbox.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/os.h"
#include "feed/private.h"

#define PATH_BYTES 4096

/* A trace may be a directory that is named by the file `data` in it. */
static void allow_trace(struct sandbox *sandbox, const char *path)
{
	const char *name = os_base_name(path);
	char folder[PATH_BYTES] = ".";

	sandbox_allow_read(sandbox, path);
	if (strcmp(name, "data") != 0)
		return;
	if (name > path)
		snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
	sandbox_allow_read(sandbox, folder);
}

/* Regular files are read in place, unless they are packed: input_spool(). */
static bool may_need_copy(const struct feed *feed)
{
	static const uint8_t packed[][2] = { { 0x1f, 0x8b }, { 0x28, 0xb5 } };
	uint8_t head[2] = { 0, 0 };
	struct os_info info;
	FILE *file;
	bool found = false;

	if (feed->source.read || !feed->path)
		return true;
	if (!os_inspect_path(feed->path, &info) || info.kind != OS_FILE)
		return true;
	file = os_open_stream(feed->path);
	if (!file)
		return false;
	if (fread(head, 1, sizeof(head), file) == sizeof(head))
		for (size_t i = 0; i < ARRAY_COUNT(packed); i++)
			found |= memcmp(head, packed[i], sizeof(head)) == 0;
	fclose(file);
	return found;
}

static void allow_temporaries(struct sandbox *sandbox)
{
	for (size_t i = 0; i < OS_TEMPORARY_FOLDERS; i++) {
		const char *folder = os_temporary_folder(i);

		if (folder && os_is_writable_folder(folder)) {
			sandbox_allow_write(sandbox, folder);
			return;
		}
	}
}

void feed_enter_sandbox(const struct feed *feed)
{
	struct sandbox sandbox;
	char missing[256];

	sandbox_begin(&sandbox);
	if (feed->path)
		allow_trace(&sandbox, feed->path);
	if (may_need_copy(feed))
		allow_temporaries(&sandbox);
	/* Parts that the kernel lacks are left out; the others are in force. */
	(void)sandbox_enter(&sandbox, missing, sizeof(missing));
}
