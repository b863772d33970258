/* file_name.c - recognises the names of devices of Windows. */
#include "base/file_name.h"

#include <stddef.h>
#include <string.h>

#include "base/array.h"

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool begins(struct str name, const char *device)
{
	size_t len = strlen(device);

	for (size_t i = 0; i < len; i++)
		if (i >= name.len || upper(name.ptr[i]) != device[i])
			return false;
	return true;
}

/* A digit from 1, or a superscript 1, 2 or 3 in UTF-8. */
static bool is_port_number(struct str name)
{
	static const char *const superscripts[] = { "\xc2\xb9", "\xc2\xb2", "\xc2\xb3" };

	if (name.len == 1)
		return name.ptr[0] >= '0' && name.ptr[0] <= '9';
	for (size_t i = 0; i < ARRAY_COUNT(superscripts); i++)
		if (name.len == 2 && memcmp(name.ptr, superscripts[i], 2) == 0)
			return true;
	return false;
}

bool file_name_is_reserved(struct str name)
{
	static const char *const devices[] = { "AUX", "CON",	"PRN",
					       "NUL", "CONIN$", "CONOUT$" };
	const char *point = name.len ? memchr(name.ptr, '.', name.len) : NULL;

	if (point)
		name.len = (size_t)(point - name.ptr);
	while (name.len && name.ptr[name.len - 1] == ' ')
		name.len--;
	for (size_t i = 0; i < ARRAY_COUNT(devices); i++)
		if (begins(name, devices[i]) && name.len == strlen(devices[i]))
			return true;
	return (begins(name, "COM") || begins(name, "LPT")) &&
	       is_port_number((struct str){ name.ptr + 3, name.len - 3 });
}

const char *file_name_suffix(const char *table)
{
	return file_name_is_reserved(str_of(table)) ? FILE_NAME_SUFFIX : "";
}
