/*
 * anonymous_tokens.h - originals and their tokens, and the names of users and hosts.
 *
 * A text that is returned lives as long as the tokens.  Beyond the limits texts become
 * ANONYMOUS_TEXT, which is safe but not told apart.
 */
#ifndef PERFTAB_ANONYMOUS_TOKENS_H
#define PERFTAB_ANONYMOUS_TOKENS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

#define ANONYMOUS_TEXT "anonymous"
/* Distinct originals of a run, and the bytes of them and of their tokens. */
#define ANONYMOUS_TEXTS_MAX ((size_t)1 << 20)
#define ANONYMOUS_BYTES_MAX ((size_t)256 << 20)
/* Longer originals are not remembered; PATH_MAX is 4096, Windows has 32767 characters. */
#define ANONYMOUS_TEXT_BYTES_MAX ((size_t)64 << 10)
/*
 * Names of users and hosts, and bytes of the distinct names in which they are looked for:
 * each is compared with each.
 */
#define ANONYMOUS_WORDS_MAX 1024
#define ANONYMOUS_JUDGED_BYTES_MAX ((size_t)4 << 20)

enum token_kind {
	TOKEN_COMPONENT, /* of a path: p1.so */
	TOKEN_PATH,	 /* a path as a whole, made of those */
	TOKEN_HOST,
	TOKEN_USER,
	TOKEN_COMMAND,
	TOKEN_SID,
	TOKEN_PROCESS,
	TOKEN_LABEL,
	TOKEN_PACKAGE,
	TOKEN_APPLICATION,
	TOKEN_BUILD,
	TOKEN_FREE,
	TOKEN_KINDS
};

struct token;

struct tokens {
	struct arena arena;
	struct map known; /* by hash */
	uint64_t seed;	  /* of the hash */
	size_t count, bytes;
	size_t texts_max; /* ANONYMOUS_TEXTS_MAX; tests make it smaller */
	uint64_t last[TOKEN_KINDS];
	struct str words[ANONYMOUS_WORDS_MAX]; /* of users and hosts, in lower case */
	size_t word_count;
	bool words_full;
	struct token *kept; /* names that stay, the latest first */
	size_t judged_bytes;
	bool learning;	 /* names are not judged yet */
	bool found_late; /* a word came that a kept name holds */
	bool out_of_memory;
};

void tokens_begin(struct tokens *tokens);
void tokens_end(struct tokens *tokens);

/* What stands for the original, ptr NULL: nothing does yet. */
struct str tokens_find(const struct tokens *tokens, enum token_kind kind,
		       struct str original);
/* Lets a text of one's own stand for it, from now on; returns a copy. */
struct str tokens_add(struct tokens *tokens, enum token_kind kind, struct str original,
		      struct str shown);
/* The token of the original, numbered; a text that is empty stays so. */
struct str tokens_of(struct tokens *tokens, enum token_kind kind, struct str original);
/* The same with its last bytes, an extension, behind it. */
struct str tokens_of_file(struct tokens *tokens, struct str original, size_t extension);

/* That this is the name of a user or host. */
void tokens_learn(struct tokens *tokens, struct str name);
void tokens_learn_host(struct tokens *tokens, struct str name);
/* The name itself, or its token where it gives something away, or where `all` go. */
struct str tokens_name(struct tokens *tokens, enum token_kind kind, struct str name,
		       bool all);

#endif
