/* main.c - the entry of perftab-capture.exe: UTF-8 arguments, binary output. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "capture/windows/capture.h"

/* Do not expand '*' in arguments to file names. */
int _dowildcard;

/* Invalid UTF-16 becomes U+FFFD.  NULL: out of memory. */
static char *utf8_of(const wchar_t *word)
{
	int bytes = WideCharToMultiByte(CP_UTF8, 0, word, -1, NULL, 0, NULL, NULL);
	char *text = bytes > 0 ? malloc((size_t)bytes) : NULL;

	if (text)
		WideCharToMultiByte(CP_UTF8, 0, word, -1, text, bytes, NULL, NULL);
	return text;
}

/* A NULL-terminated array, never freed. */
static char **utf8_words(int count, wchar_t **wide)
{
	char **words = calloc((size_t)count + 1, sizeof(*words));

	for (int i = 0; words && i < count; i++) {
		words[i] = utf8_of(wide[i]);
		if (!words[i])
			return NULL;
	}
	return words;
}

/* No header declares it. */
int wmain(int argc, wchar_t **wide);

int wmain(int argc, wchar_t **wide)
{
	struct windows_api api;
	char **words = utf8_words(argc, wide);
	UINT code_page = GetConsoleOutputCP();
	uint32_t result = 1;

	/* Lines end with LF alone, and binary output is not changed. */
	_setmode(_fileno(stdout), _O_BINARY);
	_setmode(_fileno(stderr), _O_BINARY);
	SetConsoleOutputCP(CP_UTF8);
	if (words) {
		etw_api_windows(&api.etw);
		perflib_api_windows(&api.perflib);
		system_api_windows(&api.system);
		result = capture_windows(&api, argc, words);
	} else {
		fputs("perftab-capture: out of memory\n", stderr);
	}
	if (code_page)
		SetConsoleOutputCP(code_page);
	return (int)result;
}
