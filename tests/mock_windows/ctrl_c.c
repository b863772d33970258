/*
 * ctrl_c.c - runs a program and sends it Ctrl-C some time after a file is there.
 *
 *   ctrl_c PATTERN MILLISECONDS PROGRAM ARGUMENT...
 *
 * Exit status 0 if the program ended as Windows ends one at Ctrl-C, 1 if as Wine's own
 * handler ends one, 2 and more otherwise.
 */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#define ENDED_BY_CTRL_C 0xc000013au
#define ENDED_BY_WINE 0

int wmain(int argc, wchar_t **argv);

static BOOL exists(const wchar_t *pattern)
{
	WIN32_FIND_DATAW entry;
	HANDLE find = FindFirstFileW(pattern, &entry);

	if (find == INVALID_HANDLE_VALUE)
		return FALSE;
	FindClose(find);
	return TRUE;
}

int wmain(int argc, wchar_t **argv)
{
	STARTUPINFOW start = { .cb = sizeof(start) };
	PROCESS_INFORMATION process;
	wchar_t line[4096] = L"";
	DWORD code = 0;

	for (int i = 3; i < argc; i++)
		swprintf(line + wcslen(line), 4096 - wcslen(line), L"%ls\"%ls\"",
			 i > 3 ? L" " : L"", argv[i]);
	if (argc < 4)
		return 2;
	if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start,
			    &process))
		return printf("error %lu: %ls\n", GetLastError(), line), 3;
	SetConsoleCtrlHandler(NULL, TRUE); /* for this process, not for the other */
	for (int i = 0; i < 2000 && !exists(argv[1]); i++)
		Sleep(5);
	Sleep((DWORD)wcstoul(argv[2], NULL, 10));
	if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0))
		return printf("error %lu\n", GetLastError()), 4;
	if (WaitForSingleObject(process.hProcess, 20000) != WAIT_OBJECT_0)
		TerminateProcess(process.hProcess, 5);
	GetExitCodeProcess(process.hProcess, &code);
	if (code == ENDED_BY_CTRL_C || code == ENDED_BY_WINE)
		return code == ENDED_BY_WINE;
	printf("exit status 0x%lx\n", code);
	return 5;
}
