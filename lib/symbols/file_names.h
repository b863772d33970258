/*
 * file_names.h - a question for names of functions in a file, and its answer.
 *
 * What answers is given to the sink by the program: reading files needs a library that
 * not every program has.
 */
#ifndef PERFTAB_SYMBOLS_FILE_NAMES_H
#define PERFTAB_SYMBOLS_FILE_NAMES_H

#include "base/arena.h"

/* Maxima of a file. */
#define FILE_PLACES_MAX ((uint32_t)1 << 20)
#define FILE_PATH_BYTES_MAX 4096u
#define FILE_BUILD_ID_BYTES_MAX 64u
/* Maxima of a trace: files, bytes of requests and answers, seconds. */
#define FILES_MAX 4096
#define FILES_BYTES_MAX ((uint64_t)256 << 20)
#define FILES_SECONDS_MAX 120
/* Maximum of build ids of a path in a trace, where containers share the path. */
#define FILES_OF_PATH_MAX 64

enum file_kind {
	FILE_ELF,    /* places are file offsets */
	FILE_KERNEL, /* places are addresses; the path is not used */
	FILE_KINDS
};

/* The result for a file, in the words of module.symbols. */
#define FILE_RESULTS(RESULT)                     \
	RESULT(NAMED, "file")                    \
	RESULT(KERNEL_NAMED, "kallsyms")         \
	RESULT(NONE, "no file")                  \
	RESULT(OTHER_BUILD_ID, "other build id") \
	RESULT(OTHER_BOOT, "other boot")         \
	RESULT(NO_SYMBOLS, "no symbols")         \
	RESULT(UNREADABLE, "unreadable")         \
	RESULT(CRASHED, "unreadable")            \
	RESULT(GONE, "unreadable")
enum file_result {
#define RESULT(enumerator, words) FILE_##enumerator,
	FILE_RESULTS(RESULT)
#undef RESULT
		FILE_RESULT_COUNT
};

struct file_request {
	enum file_kind kind;
	struct str path;	 /* as the trace has it */
	const uint8_t *build_id; /* that the file must have */
	uint32_t build_id_bytes;
	uint32_t count;
	uint64_t start;		/* kernel: address of its first symbol */
	const uint64_t *places; /* in ascending order */
};

/* The function at a place. */
struct file_name {
	struct str name; /* ptr NULL: none */
	uint64_t offset; /* of the place, from the start of the function */
};

/*
 * Names are valid as long as the arena; `names` has request->count elements, all zero.
 */
typedef enum file_result file_asker_fn(void *files, const struct file_request *request,
				       struct arena *arena, struct file_name *names);

#endif
