/* callchains.c - finds a call chain by its hash, or adds it as a row. */
#include "attribution/callchains.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"

struct callchain {
	int64_t id;
	size_t count;
	struct callchain *next; /* with the same hash */
	uint64_t ips[];
};

/* Where the frames after a mark ran: PERF_CONTEXT_* of <linux/perf_event.h>. */
static const struct {
	uint64_t mark;
	const char *name;
} contexts[] = {
	{ (uint64_t)-32, "hypervisor" },   { (uint64_t)-128, "kernel" },
	{ (uint64_t)-512, "user" },	   { (uint64_t)-640, "user deferred" },
	{ (uint64_t)-2048, "guest" },	   { (uint64_t)-2176, "guest kernel" },
	{ (uint64_t)-2560, "guest user" },
};

#define FRAME_TEXT_MAX 24

static const char *context_name(uint64_t ip)
{
	for (size_t i = 0; i < ARRAY_COUNT(contexts); i++)
		if (contexts[i].mark == ip)
			return contexts[i].name;
	return NULL;
}

static struct str frames_text(struct callchains *chains, const uint64_t *ips,
			      size_t count)
{
	size_t wanted = count * FRAME_TEXT_MAX + 3, at = 0;

	if (!ARRAY_GROW(chains->text, chains->text_room, wanted))
		return STR_NONE;
	chains->text[at++] = '[';
	for (size_t i = 0; i < count; i++) {
		const char *context = context_name(ips[i]);
		char *to = chains->text + at;

		if (context)
			at += text_print(to, FRAME_TEXT_MAX, "%s\"%s\"", i ? "," : "",
					 context);
		else
			at += text_print(to, FRAME_TEXT_MAX, "%s\"0x%llx\"", i ? "," : "",
					 (unsigned long long)ips[i]);
	}
	chains->text[at++] = ']';
	return (struct str){ chains->text, at };
}

static uint64_t hash_of(const uint64_t *ips, size_t count)
{
	uint64_t hash = map_salt();

	for (size_t i = 0; i < count; i++)
		hash = map_mix(hash, ips[i], count);
	return hash;
}

static struct callchain *remember(struct callchains *chains, uint64_t hash,
				  const uint64_t *ips, size_t count)
{
	size_t bytes = sizeof(struct callchain) + count * sizeof(*ips);
	struct callchain *chain;

	if (chains->bytes + bytes > CALLCHAINS_BYTES_MAX)
		callchains_forget(chains);
	chain = arena_alloc(&chains->arena, bytes);
	if (!chain)
		return NULL;
	chain->count = count;
	chain->next = map_get(&chains->known, hash);
	memcpy(chain->ips, ips, count * sizeof(*ips));
	if (!map_put(&chains->known, hash, chain))
		return NULL;
	chain->id = ++chains->last_id;
	chains->bytes += bytes + 2 * sizeof(struct map_slot);
	return chain;
}

int64_t callchain_id(struct callchains *chains, const uint64_t *ips, size_t count,
		     struct callchain_row *row, bool *is_new)
{
	uint64_t hash;
	struct callchain *chain;

	*is_new = false;
	if (count == 0)
		return INT_NONE;
	hash = hash_of(ips, count);
	chain = map_get(&chains->known, hash);
	while (chain && (chain->count != count ||
			 memcmp(chain->ips, ips, count * sizeof(*ips)) != 0))
		chain = chain->next;
	if (chain)
		return chain->id;
	row->frames = frames_text(chains, ips, count);
	chain = remember(chains, hash, ips, count);
	if (!chain || !row->frames.ptr) {
		chains->out_of_memory = true;
		return INT_NONE;
	}
	row->callchain_id = chain->id;
	row->depth = (int64_t)count;
	*is_new = true;
	return chain->id;
}

void callchains_forget(struct callchains *chains)
{
	map_release(&chains->known);
	arena_release(&chains->arena);
	chains->bytes = 0;
}

void callchains_release(struct callchains *chains)
{
	callchains_forget(chains);
	free(chains->text);
	chains->text = NULL;
	chains->text_room = 0;
}
