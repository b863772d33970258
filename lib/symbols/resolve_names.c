/* resolve_names.c - asks what the trace names, and then files, for functions. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "symbols/resolve.h"

#define KERNEL STR("[kernel.kallsyms]")

/* --- build ids --- */

struct build_id_of {
	struct str filename, build_id; /* ptr NULL: two that differ */
};

static struct build_id_of *find_id(const struct build_ids *ids, struct str filename,
				   uint64_t *key)
{
	struct build_id_of *found;

	*key = map_hash_text(map_salt(), filename);
	while ((found = map_get(&ids->by_name, *key)) != NULL &&
	       !str_equal(found->filename, filename))
		++*key;
	return found;
}

void build_ids_add(struct build_ids *ids, const struct build_id_row *row)
{
	uint64_t key;
	struct build_id_of *known;

	if (!row->filename.ptr || !row->build_id.ptr)
		return;
	known = find_id(ids, row->filename, &key);
	if (known) {
		if (known->build_id.ptr && !str_equal(known->build_id, row->build_id))
			known->build_id = STR_NONE;
		return;
	}
	known = arena_alloc(&ids->arena, sizeof(*known));
	if (!known || !map_put(&ids->by_name, key, known)) {
		ids->out_of_memory = true;
		return;
	}
	known->filename = arena_str(&ids->arena, row->filename);
	known->build_id = arena_str(&ids->arena, row->build_id);
}

void build_ids_release(struct build_ids *ids)
{
	map_release(&ids->by_name);
	arena_release(&ids->arena);
	*ids = (struct build_ids){ .out_of_memory = false };
}

static struct str listed_id(const struct resolution *resolution, struct str filename)
{
	uint64_t key;
	const struct build_id_of *found = find_id(resolution->build_ids, filename, &key);

	return found ? found->build_id : STR_NONE;
}

/* Hexadecimal to bytes, without the zeros that old recorders fill it up with; 0: none. */
static uint32_t parse_id(struct str text, uint8_t bytes[FILE_BUILD_ID_BYTES_MAX])
{
	uint32_t count = 0;

	for (size_t i = 0; i + 1 < text.len && count < FILE_BUILD_ID_BYTES_MAX; i += 2) {
		int high = text_hex_digit(text.ptr[i]),
		    low = text_hex_digit(text.ptr[i + 1]);

		if (high < 0 || low < 0)
			return 0;
		bytes[count++] = (uint8_t)(high << 4 | low);
	}
	for (uint32_t i = 0; i < count; i++)
		if (bytes[i])
			return count;
	return 0;
}

/* --- what the trace names --- */

static void name_from_trace(const struct resolution *resolution, struct answer *answer)
{
	const struct mapping *mapping = answer->mapping;
	uint64_t in_map = answer->address - mapping->start;
	const uint64_t places[CARRIED_BASES] = { mapping->file_offset + in_map, in_map,
						 answer->address };

	if (mapping->function.ptr) {
		answer->symbol = mapping->function;
		answer->offset = in_map;
	} else {
		answer->symbol = carried_find(resolution->carried, answer->module->path,
					      places, &answer->offset);
	}
	if (answer->symbol.ptr)
		answer->module->symbols = "trace";
}

/* --- files --- */

static const char *const result_words[FILE_RESULT_COUNT] = {
#define RESULT(enumerator, words) words,
	FILE_RESULTS(RESULT)
#undef RESULT
};

/*
 * A part of the list that is asked for at once: of the kernel with all that is loaded
 * into it, or of one build id, whatever the trace calls the file.
 */
struct batch {
	struct answer **list;
	size_t count;
	bool is_kernel;
};

static uint64_t place_of(const struct answer *answer)
{
	return answer->mapping->is_kernel ? answer->address
					  : answer_module_offset(answer);
}

static bool is_together(const struct answer *a, const struct answer *b)
{
	return a->mapping->is_kernel == b->mapping->is_kernel &&
	       (a->mapping->is_kernel ||
		str_equal(a->module->build_id, b->module->build_id));
}

/* Those of the kernel first; the others by build id; by place. */
static int compare_asked(const void *left, const void *right)
{
	const struct answer *a = *(struct answer *const *)left;
	const struct answer *b = *(struct answer *const *)right;
	uint64_t x = place_of(a), y = place_of(b);

	if (a->mapping->is_kernel != b->mapping->is_kernel)
		return a->mapping->is_kernel ? -1 : 1;
	if (!is_together(a, b))
		return str_compare(a->module->build_id, b->module->build_id);
	if (x != y)
		return x < y ? -1 : 1;
	return str_compare(a->module->path, b->module->path);
}

static bool is_file(struct str path)
{
	return path.len > 1 && path.ptr[0] == '/' && path.ptr[1] != '/';
}

static uint64_t kernel_start(const struct resolution *resolution)
{
	const struct spaces *spaces = resolution->spaces;

	for (size_t i = 0; i < spaces->kernel_count; i++)
		if (str_equal(spaces->mappings[i].module->path, KERNEL))
			return spaces->mappings[i].start;
	return 0;
}

static void warn(struct resolution *resolution, const struct module *module,
		 enum file_result result)
{
	const struct symbol_options *options = resolution->options;
	char path[256];

	if (result != FILE_UNREADABLE && result != FILE_CRASHED && result != FILE_GONE)
		return;
	text_shown(path, sizeof(path), module->path, 80);
	if (resolution->unreadable++ == 0)
		resolution->unreadable_path =
			arena_str(&resolution->arena, str_of(path)).ptr;
	if (options->warn)
		options->warn(options->context, path,
			      result == FILE_CRASHED
				      ? "no names of functions: the process that read it "
					"crashed or took too long"
			      : result == FILE_GONE
				      ? "no names of functions: the process that reads "
					"files is gone"
				      : "no names of functions: it cannot be read, or is "
					"not a valid ELF file");
}

/* Distinct places of a batch, in order. */
static uint32_t list_places(const struct batch *batch, uint64_t *places)
{
	uint32_t count = 0;

	for (size_t i = 0; i < batch->count; i++) {
		uint64_t place = place_of(batch->list[i]);

		if (!count || places[count - 1] != place)
			places[count++] = place;
	}
	return count;
}

/* Names of the batch; the bytes and the time that they need are charged. */
static enum file_result ask(struct resolution *resolution, const struct batch *batch,
			    struct file_request *request)
{
	struct file_name *names =
		memory_alloc_zeroed(batch->count, sizeof(struct file_name));
	uint64_t *places = memory_alloc(batch->count * sizeof(*places));
	uint64_t bytes = batch->count * sizeof(*places);
	enum file_result result = FILE_UNREADABLE;
	double start = os_seconds();
	size_t at = 0;

	if (names && places) {
		request->places = places;
		request->count = list_places(batch, places);
		result = resolution->options->ask(resolution->options->files, request,
						  &resolution->arena, names);
		for (size_t i = 0; i < batch->count; i++) {
			struct answer *answer = batch->list[i];

			while (places[at] != place_of(answer))
				at++;
			answer->symbol = names[at].name;
			answer->offset = names[at].offset;
		}
		for (size_t i = 0; i < request->count; i++)
			bytes += names[i].name.len;
	} else {
		resolution->out_of_memory = true;
	}
	resolution->left.seconds -= os_seconds() - start;
	resolution->left.bytes -=
		bytes < resolution->left.bytes ? bytes : resolution->left.bytes;
	free(names);
	free(places);
	return result;
}

/* Whether one more file may be asked for; if so it is counted. */
static bool may_ask(struct resolution *resolution, struct str path)
{
	uint64_t key = map_hash_text(map_salt(), path);
	uintptr_t asked = (uintptr_t)map_get(&resolution->asked_by_path, key);
	struct file_budget *left = &resolution->left;

	if (!left->files || !left->bytes || left->seconds <= 0 ||
	    asked == FILES_OF_PATH_MAX) {
		resolution->limit_reached = true;
		return false;
	}
	left->files--;
	if (!map_put(&resolution->asked_by_path, key, (void *)(asked + 1)))
		resolution->out_of_memory = true;
	return true;
}

/* The file of one module.  True: the others of the batch need none. */
static bool ask_module(struct resolution *resolution, const struct batch *batch,
		       struct file_request *request, struct module *module)
{
	enum file_result result;

	if (!batch->is_kernel && !is_file(module->path))
		return false;
	module->asked = "no build id";
	if (!request->build_id_bytes)
		return false;
	module->asked = NULL;
	request->path = module->path;
	if (batch->count > FILE_PLACES_MAX || !may_ask(resolution, module->path)) {
		resolution->limit_reached = true;
		return false;
	}
	result = ask(resolution, batch, request);
	warn(resolution, module, result);
	module->asked = result_words[result];
	/* The kernel is one file.  What crashed a reader would crash the next one. */
	return batch->is_kernel || result == FILE_NAMED || result == FILE_CRASHED;
}

/*
 * A file may have several names in a trace, of links, of containers and in crafted ones.
 * The first one that has the build id here answers for all of them.
 */
static void name_batch(struct resolution *resolution, const struct batch *batch)
{
	uint8_t id[FILE_BUILD_ID_BYTES_MAX];
	struct module *first = batch->list[0]->module;
	struct file_request request = {
		.kind = batch->is_kernel ? FILE_KERNEL : FILE_ELF,
		.build_id = id,
		.start = batch->is_kernel ? kernel_start(resolution) : 0,
	};
	const char *of_all = NULL;

	request.build_id_bytes = parse_id(
		batch->is_kernel ? listed_id(resolution, KERNEL) : first->build_id, id);
	for (size_t i = 0; i < batch->count; i++)
		batch->list[i]->module->asked = NULL;
	for (size_t i = 0; i < batch->count && !of_all; i++) {
		struct module *module = batch->list[i]->module;

		if (!module->asked && ask_module(resolution, batch, &request, module))
			of_all = module->asked;
	}
	for (size_t i = 0; i < batch->count; i++) {
		struct module *module = batch->list[i]->module;

		if (!module->symbols)
			module->symbols = of_all ? of_all : module->asked;
	}
}

static void name_from_files(struct resolution *resolution)
{
	struct answer **list = memory_alloc((resolution->count + 1) * sizeof(*list));
	size_t count = 0;

	if (!list) {
		resolution->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < resolution->count; i++)
		if (!resolution->answers[i].symbol.ptr)
			list[count++] = &resolution->answers[i];
	if (count)
		qsort(list, count, sizeof(*list), compare_asked);
	for (size_t at = 0, end; at < count; at = end) {
		struct batch batch = { .list = list + at,
				       .is_kernel = list[at]->mapping->is_kernel };

		for (end = at + 1; end < count && is_together(list[end], list[at]);)
			end++;
		batch.count = end - at;
		name_batch(resolution, &batch);
	}
	free(list);
}

void resolve_names(struct resolution *resolution)
{
	for (struct module *m = resolution->spaces->first_module; m; m = m->next)
		if (!m->build_id.ptr)
			m->build_id = listed_id(resolution, m->path);
	for (size_t i = 0; i < resolution->count; i++)
		name_from_trace(resolution, &resolution->answers[i]);
	if (resolution->options->ask)
		name_from_files(resolution);
}
