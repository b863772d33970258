/* os_windows_main.c - calls main() with arguments in UTF-8 and binary streams. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/os_windows.h"

/* Do not expand '*' in arguments to file names. */
int _dowildcard;

/* A NULL-terminated array, never freed. */
static char **utf8_words(int count, wchar_t **wide)
{
	char **words = calloc((size_t)count + 1, sizeof(*words));

	for (int i = 0; words && i < count; i++) {
		words[i] = os_utf8_of(wide[i]);
		if (!words[i])
			return NULL;
	}
	return words;
}

int main(int argc, char **argv);
/* No header declares it. */
int wmain(int argc, wchar_t **wide);

int wmain(int argc, wchar_t **wide)
{
	char **words = utf8_words(argc, wide);
	int result = 1;

	/* Lines end with LF alone, and bytes are not changed. */
	_setmode(_fileno(stdin), _O_BINARY);
	_setmode(_fileno(stdout), _O_BINARY);
	_setmode(_fileno(stderr), _O_BINARY);
	os_begin_console();
	if (words)
		result = main(argc, words);
	else
		fputs("out of memory\n", stderr);
	os_end_console();
	return result;
}
