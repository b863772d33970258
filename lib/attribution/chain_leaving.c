/*
 * chain_leaving.c - threads that were switched in and never seen switched out.
 *
 * Some kernels do not record that certain threads leave a CPU (measured on Linux 6.18:
 * those of pid 1 of a guest).  Each time the interval that follows is unattributed; the
 * finding names such threads, so that the gap has a cause.
 */
#include "attribution/chain.h"
#include "base/error.h"
#include "base/text.h"

/* A single one may be lost by chance. */
#define INTERVALS_MIN 2
#define NAMED_MAX 3
#define NAME_BYTES 16
/* With the words around them they fit a finding's text. */
#define NAMES_BYTES 128

/* How often it was not seen to leave, if it never was. */
static int64_t unseen_leaves(const struct thread *thread)
{
	int64_t leaves = thread_more(thread)->unseen_leaves;

	return !thread->has_left && leaves >= INTERVALS_MIN ? leaves : 0;
}

/* The one with most intervals below `limit`, by id where they are equal. */
static const struct thread *next_thread(const struct identity *identity,
					const struct thread *before)
{
	const struct thread *best = NULL;

	for (size_t i = 0; i < identity->listed; i++) {
		const struct thread *t = identity_at(identity, i);
		int64_t leaves = unseen_leaves(t);

		if (!leaves || (before && (leaves > unseen_leaves(before) ||
					   (leaves == unseen_leaves(before) &&
					    t->thread_id <= before->thread_id))))
			continue;
		if (!best || leaves > unseen_leaves(best))
			best = t;
	}
	return best;
}

/* The bytes of whole characters that fit. */
static size_t whole_characters(struct str text, size_t bytes)
{
	size_t at = 0, length;

	while (at < text.len) {
		length = text_utf8_length(text.ptr + at, text.len - at);
		if (length == 0 || at + length > bytes)
			break;
		at += length;
	}
	return at;
}

/* Appends "name, tid 7: 3" and returns the new length. */
static size_t print_thread(char *text, size_t size, size_t at,
			   const struct thread *thread)
{
	struct str name = thread_name(thread);

	if (!name.ptr)
		name = STR("");
	name.len = whole_characters(name, NAME_BYTES);
	return at + text_print(text + at, size - at, "%s%.*s%stid %lld: %lld",
			       at ? ", " : "", (int)name.len, name.ptr,
			       name.len ? ", " : "", (long long)thread_tid(thread),
			       (long long)unseen_leaves(thread));
}

void chain_report_unseen(const struct chains *chains, const struct identity *identity,
			 struct findings *findings)
{
	const struct thread *thread = NULL;
	char names[NAMES_BYTES] = "";
	size_t at = 0, threads = 0;
	int64_t intervals = 0;

	if (chains->unseen_leaves < INTERVALS_MIN)
		return;
	for (size_t i = 0; i < identity->listed; i++) {
		int64_t leaves = unseen_leaves(identity_at(identity, i));

		threads += leaves > 0;
		intervals += leaves;
	}
	for (size_t i = 0; i < NAMED_MAX && i < threads; i++) {
		thread = next_thread(identity, thread);
		at = print_thread(names, sizeof(names), at, thread);
	}
	if (threads == 0)
		return;
	at = whole_characters((struct str){ names, at }, at);
	finding_report(findings, FINDING_NEVER_LEFT, ERROR_NO_OFFSET,
		       "unattributed intervals after threads never seen switched out: "
		       "%.*s%s",
		       (int)at, names, threads > NAMED_MAX ? ", ..." : "");
	finding_add(findings, FINDING_NEVER_LEFT, ERROR_NO_OFFSET, intervals - 1);
}
