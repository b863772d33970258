/*
 * resolve.h - what each address was: the module by the mappings, the function by what the
 * trace names, or by files.
 */
#ifndef PERFTAB_SYMBOLS_RESOLVE_H
#define PERFTAB_SYMBOLS_RESOLVE_H

#include "symbols/carried.h"
#include "symbols/frames.h"
#include "symbols/spaces.h"
#include "symbols/symbols.h"

/* The module and function of an address for a range of times. */
struct answer {
	int64_t process_id; /* INT_NONE: the kernel's */
	uint64_t address;
	int64_t from_ns, to_ns;
	const struct mapping *mapping;
	struct module *module;
	struct str symbol; /* ptr NULL: not known */
	uint64_t offset;   /* of the address in it */
};

/* Build ids that the trace lists by file name. */
struct build_ids {
	struct arena arena;
	struct map by_name; /* hash -> struct build_id_of */
	bool out_of_memory;
};
void build_ids_add(struct build_ids *ids, const struct build_id_row *row);
void build_ids_release(struct build_ids *ids);

/* The rest of the limits for files (file_names.h). */
struct file_budget {
	uint64_t files, bytes;
	double seconds;
};
#define FILE_BUDGET                                           \
	(struct file_budget)                                  \
	{                                                     \
		FILES_MAX, FILES_BYTES_MAX, FILES_SECONDS_MAX \
	}

struct resolution {
	struct spaces *spaces;
	struct carried *carried;
	struct build_ids *build_ids;
	const struct symbol_options *options;
	struct arena arena;	/* of names from files */
	struct answer *answers; /* by process and address, of those in a module */
	size_t count, room;
	struct file_budget left;
	struct map asked_by_path;    /* hash of a path -> how often it was asked for */
	int64_t unreadable;	     /* files */
	const char *unreadable_path; /* the first one, NUL at its end */
	bool limit_reached, out_of_memory;
};

/* Spaces and what was carried are settled. */
void resolve(struct resolution *resolution, const struct frames *frames);
void resolution_release(struct resolution *resolution);

/* resolve_names.c: gives the answers their functions. */
void resolve_names(struct resolution *resolution);

static inline uint64_t answer_module_offset(const struct answer *answer)
{
	const struct mapping *mapping = answer->mapping;
	uint64_t offset = answer->address - mapping->start;

	return mapping->is_kernel ? offset : offset + mapping->file_offset;
}

#endif
