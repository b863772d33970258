/*
 * anonymous_tokens.h - originals and their tokens, and the names of users and hosts.
 *
 * A returned text is valid as long as the tokens.  Beyond the limits every text becomes
 * ANONYMOUS_TEXT, the same for all.
 */
#ifndef PERFTAB_ANONYMOUS_TOKENS_H
#define PERFTAB_ANONYMOUS_TOKENS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "pipeline/anonymous_words.h"

#define ANONYMOUS_TEXT "anonymous"
/* Maximum of distinct originals of a run; of bytes of them and their tokens. */
#define ANONYMOUS_TEXTS_MAX ((size_t)1 << 20)
#define ANONYMOUS_BYTES_MAX ((size_t)256 << 20)
/* Longer originals get no token; PATH_MAX is 4096, Windows has 32767 characters. */
#define ANONYMOUS_TEXT_BYTES_MAX ((size_t)64 << 10)
/* Maximum of bytes of distinct names that are searched for users and hosts. */
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
	struct words words; /* of users and hosts */
	struct token *kept; /* names that stay, the latest first */
	size_t judged_bytes;
	bool learning;	 /* first pass: names are not checked yet */
	bool found_late; /* a name kept earlier contains a new word */
	bool out_of_memory;
};

void tokens_begin(struct tokens *tokens);
void tokens_end(struct tokens *tokens);

/* Returns the replacement of the original, ptr NULL: none yet. */
struct str tokens_find(const struct tokens *tokens, enum token_kind kind,
		       struct str original);
/* Sets the replacement of the original; returns a copy. */
struct str tokens_add(struct tokens *tokens, enum token_kind kind, struct str original,
		      struct str shown);
/* Returns the numbered token of the original; an empty text stays empty. */
struct str tokens_of(struct tokens *tokens, enum token_kind kind, struct str original);
/* As tokens_of(), followed by the last `extension` bytes of the original. */
struct str tokens_of_file(struct tokens *tokens, struct str original, size_t extension);

/* Calls `call` for each name that stays, the latest first. */
void tokens_each_kept(const struct tokens *tokens,
		      void (*call)(void *context, struct str name, bool is_process),
		      void *context);

/* Adds the name of a user or host. */
void tokens_learn(struct tokens *tokens, struct str name);
void tokens_learn_host(struct tokens *tokens, struct str name);
/* Returns the name; its token if it contains a learned name, or if `all`. */
struct str tokens_name(struct tokens *tokens, enum token_kind kind, struct str name,
		       bool all);

#endif
