/*
 * read.h - what the process for a file does: opens it, drops its permissions, reads it.
 */
#ifndef PERFTAB_SYMBOLS_FILES_READ_H
#define PERFTAB_SYMBOLS_FILES_READ_H

#include "base/bytes.h"
#include "symbols/file_names.h"

/* Of the names of a file, and of one. */
#define ANSWER_BYTES_MAX ((size_t)128 << 20)
#define NAME_BYTES_MAX 4096u
/* Functions of a file. */
#define FUNCTIONS_MAX ((size_t)4 << 20)
/* A process that takes longer for a file is ended. */
#define READ_SECONDS_MAX 20

struct function {
	uint64_t start, bytes; /* 0 bytes: up to the next one */
	uint32_t rank;	       /* the highest one of those at a place names it */
	const char *name;
};

struct functions {
	struct function *list;
	size_t count, room;
	bool failed; /* over the maximum, or out of memory */
};

void functions_add(struct functions *functions, const struct function *function);
/*
 * Adds to the answer what each of the places is in: u32 number of the place, u32 bytes of
 * the name, u64 offset, name.  `places` are in the functions' numbers; UINT64_MAX: none.
 */
bool functions_answer(struct functions *functions, const uint64_t *places, uint32_t count,
		      struct bytes *answer);

/*
 * An ELF file, and one with its debug information or -1; both stay open.  The second one
 * is used only if it has the same build id.
 */
enum file_result elf_names(int fd, int debug_fd, const struct file_request *request,
			   struct bytes *answer);
/* The running kernel: files like /proc/kallsyms and /sys/kernel/notes. */
enum file_result kernel_names(int kallsyms_fd, int notes_fd,
			      const struct file_request *request, struct bytes *answer);

/* Opens a regular file below the folder, symbolic links included; -1: errno says why. */
int open_below(int root_fd, const char *path);
/*
 * All of it.  `root` is the path of the folder: a file of the trace that was there is
 * looked for there.  After it nothing can be opened.
 */
enum file_result read_names(int root_fd, const char *root,
			    const struct file_request *request, struct bytes *answer);

#endif
