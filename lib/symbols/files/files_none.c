/* files_none.c - refuses to read files, in a build without elfutils. */
#include "symbols/files/files.h"

struct files *files_start(const char *root, struct error *error)
{
	(void)root;
	(void)error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"--symbols: this build cannot read files for names of functions: "
			"it was made without libelf (elfutils)");
	return NULL;
}

void files_stop(struct files *files)
{
	(void)files;
}

enum file_result files_ask(void *files, const struct file_request *request,
			   struct arena *arena, struct file_name *names)
{
	(void)files;
	(void)request;
	(void)arena;
	(void)names;
	return FILE_NONE;
}
