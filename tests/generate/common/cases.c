/* Cases in which one thing is wrong. */
#include "cases.h"

#include <string.h>

bool is_case(const struct faulty *faulty, const char *name)
{
	return strcmp(faulty->name, name) == 0;
}

bool is_now(const struct faulty *faulty, const char *name)
{
	return faulty->is_now && is_case(faulty, name);
}

bool is_case_of(const struct faulty *faulty, const char *prefix)
{
	return strncmp(faulty->name, prefix, strlen(prefix)) == 0;
}

void find(struct faulty *faulty, const char *kind, size_t at)
{
	if (faulty->finding_count == COUNT(faulty->findings))
		die("too many findings");
	faulty->findings[faulty->finding_count].kind = kind;
	faulty->findings[faulty->finding_count++].at = at;
}

void spoil(struct faulty *faulty, unsigned place, struct byte_buf *bytes, size_t base)
{
	for (size_t i = 0; i < faulty->count; i++) {
		const struct fault *fault = &faulty->faults[i];

		if (fault->place != place || !is_now(faulty, fault->name))
			continue;
		buf_set(bytes, base + fault->at, fault->value, fault->bytes);
		if (fault->kind)
			find(faulty, fault->kind, base + fault->finding_at);
		faulty->lost |= fault->loses;
	}
}

void case_save(const char *directory, const char *name, const char *extension,
	       struct byte_buf *bytes)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.%s", directory, name, extension);
	file_save(path, bytes);
	buf_release(bytes);
}

int make_cases(const struct fault *faults, size_t count, const char *usage,
	       void (*make)(const char *directory, const char *name), int argc,
	       char **argv)
{
	bool list = argc == 2 && strcmp(argv[1], "--list") == 0, made = list;

	if (argc != 2 && argc != 3) {
		fputs(usage, stderr);
		return 2;
	}
	for (size_t i = 0; i < count; i++) {
		const char *name = faults[i].name;

		if (i > 0 && strcmp(name, faults[i - 1].name) == 0)
			continue;
		if (list) {
			puts(name);
		} else if (argc == 2 || strcmp(argv[2], name) == 0) {
			make(argv[1], name);
			made = true;
		}
	}
	if (!made)
		die("there is no case %s", argv[2]);
	return 0;
}
