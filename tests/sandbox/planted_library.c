/*
 * planted_library.c - a library to preload, whose inflate() does what PLANTED says, "what
 * [path]", prints what came of it, and then decodes as zlib does.
 *
 * So a program that is ours meets a library that a trace has taken over: reading a trace
 * in gzip calls it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "acts.h"

int inflate(z_streamp stream, int flush)
{
	static int (*real)(z_streamp, int);
	const char *text = getenv("PLANTED");
	char result[ACT_BYTES];

	if (!real) {
		real = (int (*)(z_streamp, int))(uintptr_t)dlsym(RTLD_NEXT, "inflate");
		act(text ? text : "", result);
		fprintf(stderr, "planted: %s\n", result);
	}
	return real(stream, flush);
}
