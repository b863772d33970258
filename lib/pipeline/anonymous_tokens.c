/*
 * anonymous_tokens.c - tokens by original, and names of users and hosts found in texts.
 */
#include "pipeline/anonymous_tokens.h"

#include <strings.h>

#include "base/array.h"
#include "base/os.h"
#include "base/text.h"

/* Most originals with the same hash; more occur only in crafted input. */
#define SAME_HASH_MAX 32
/* A shorter name of a user or host is contained in too many other names. */
#define WORD_BYTES_MIN 2

struct token {
	struct str original, shown;
	enum token_kind kind;
	struct token *next;	 /* with the same hash */
	struct token *next_kept; /* see struct tokens */
};

static const char *const prefixes[TOKEN_KINDS] = {
	[TOKEN_COMPONENT] = "p",
	[TOKEN_HOST] = "host",
	[TOKEN_USER] = "user",
	[TOKEN_COMMAND] = "command",
	[TOKEN_SID] = "S-1-sid",
	[TOKEN_PROCESS] = "process",
	[TOKEN_LABEL] = "name",
	[TOKEN_PACKAGE] = "package",
	[TOKEN_APPLICATION] = "application",
	[TOKEN_BUILD] = "build",
	[TOKEN_FREE] = "text",
};

void tokens_begin(struct tokens *tokens)
{
	*tokens =
		(struct tokens){ .seed = os_random(), .texts_max = ANONYMOUS_TEXTS_MAX };
	words_begin(&tokens->words);
}

void tokens_end(struct tokens *tokens)
{
	words_end(&tokens->words);
	map_release(&tokens->known);
	arena_release(&tokens->arena);
}

/* --- originals and tokens --- */

static uint64_t hash_of(const struct tokens *tokens, enum token_kind kind,
			struct str text)
{
	return map_hash_text(tokens->seed ^ ((uint64_t)text.len << 8 | (uint64_t)kind),
			     text);
}

struct str tokens_find(const struct tokens *tokens, enum token_kind kind,
		       struct str original)
{
	const struct token *token = NULL;

	if (original.len <= ANONYMOUS_TEXT_BYTES_MAX)
		token = map_get(&tokens->known, hash_of(tokens, kind, original));
	for (; token; token = token->next)
		if (token->kind == kind && str_equal(token->original, original))
			return token->shown;
	return STR_NONE;
}

static bool has_room(const struct tokens *tokens, const struct token *same, size_t bytes)
{
	size_t length = 0;

	for (; same; same = same->next)
		length++;
	return length < SAME_HASH_MAX && tokens->count < tokens->texts_max &&
	       bytes <= ANONYMOUS_BYTES_MAX - tokens->bytes;
}

/* NULL: over a limit, or out of memory. */
static struct token *add(struct tokens *tokens, enum token_kind kind, struct str original,
			 struct str shown)
{
	uint64_t hash = hash_of(tokens, kind, original);
	struct token *same = map_get(&tokens->known, hash), *token;
	size_t bytes = original.len + shown.len + sizeof(*token);

	if (!has_room(tokens, same, bytes))
		return NULL;
	token = arena_alloc(&tokens->arena, sizeof(*token));
	tokens->out_of_memory |= !token;
	if (!token)
		return NULL;
	*token = (struct token){ .original = arena_str(&tokens->arena, original),
				 .shown = arena_str(&tokens->arena, shown),
				 .kind = kind,
				 .next = same };
	if (!token->original.ptr || !token->shown.ptr ||
	    !map_put(&tokens->known, hash, token)) {
		tokens->out_of_memory = true;
		return NULL;
	}
	tokens->count++;
	tokens->bytes += bytes;
	return token;
}

struct str tokens_add(struct tokens *tokens, enum token_kind kind, struct str original,
		      struct str shown)
{
	struct token *token = NULL;

	if (original.len <= ANONYMOUS_TEXT_BYTES_MAX)
		token = add(tokens, kind, original, shown);
	return token ? token->shown : STR(ANONYMOUS_TEXT);
}

static struct str numbered(struct tokens *tokens, enum token_kind kind,
			   struct str original, struct str tail)
{
	struct str shown = tokens_find(tokens, kind, original);
	char text[64];
	size_t at;

	if (shown.ptr || original.len == 0)
		return shown.ptr ? shown : original;
	at = text_print(text, sizeof(text), "%s%llu%.*s", prefixes[kind],
			(unsigned long long)tokens->last[kind] + 1, (int)tail.len,
			tail.ptr);
	shown = tokens_add(tokens, kind, original, (struct str){ text, at });
	tokens->last[kind]++;
	return shown;
}

struct str tokens_of(struct tokens *tokens, enum token_kind kind, struct str original)
{
	return numbered(tokens, kind, original, STR(""));
}

struct str tokens_of_file(struct tokens *tokens, struct str original, size_t extension)
{
	return numbered(tokens, TOKEN_COMPONENT, original,
			(struct str){ original.ptr + original.len - extension,
				      extension });
}

/* --- names of users and hosts --- */

static bool is_number(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

void tokens_learn(struct tokens *tokens, struct str name)
{
	char text[WORD_BYTES_MAX];
	struct str word;

	if (name.len < WORD_BYTES_MIN || name.len > WORD_BYTES_MAX || is_number(name))
		return;
	word = words_add(&tokens->words, name, text);
	tokens->out_of_memory |= tokens->words.out_of_memory;
	/* A name without room is not searched: earlier rows may contain it. */
	if (!word.ptr && tokens->kept)
		tokens->found_late |=
			tokens->words.is_full &&
			!words_has(&tokens->words, (struct str){ text, name.len });
	if (!word.ptr)
		return;
	for (struct token *kept = tokens->kept; kept; kept = kept->next_kept)
		tokens->found_late |= words_one_in(&tokens->words, word, kept->original);
}

void tokens_learn_host(struct tokens *tokens, struct str name)
{
	const char *dot = name.len ? memchr(name.ptr, '.', name.len) : NULL;

	tokens_learn(tokens, name);
	if (dot) /* the first half identifies the domain too */
		tokens_learn(tokens, (struct str){ name.ptr, (size_t)(dot - name.ptr) });
}

/* --- names --- */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/*
 * Whether a slash begins a word, or there is a backslash.  Slashes within words are
 * common in names of kernel threads (kworker/0:1) and of events (msr/tsc/); \xNN is a
 * byte that was not UTF-8.
 */
static bool looks_like_path(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		const char *rest = name.ptr + i;
		size_t left = name.len - i;

		if (*rest == '/' && (i == 0 || strchr(" \"'=:(~.,;[{<>|&", rest[-1])))
			return true;
		if (*rest == '\\' &&
		    !(left >= 4 && rest[1] == 'x' && is_hex(rest[2]) && is_hex(rest[3])))
			return true;
	}
	return false;
}

/* Names of kernel threads have their CPU after a slash: kworker/0:1, kworker/u4:2. */
static bool is_cpu(const char *rest, size_t left)
{
	if (left && *rest == 'u') {
		rest++;
		left--;
	}
	return left && *rest >= '0' && *rest <= '9';
}

/*
 * Whether a process may have put it in place of its name: a title, which is part of a
 * command line, such as "npm i @scope/name" or "postgres: anna shop".
 */
static bool looks_like_title(struct str name)
{
	/* Processes of Windows are called like their file. */
	if (name.len > 4 && strncasecmp(name.ptr + name.len - 4, ".exe", 4) == 0)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		const char *rest = name.ptr + i;

		if (*rest == ' ' || *rest == '@' || *rest == '=' ||
		    (*rest == '/' && !is_cpu(rest + 1, name.len - i - 1)))
			return true;
	}
	return false;
}

static bool is_revealing(struct tokens *tokens, enum token_kind kind, struct str name)
{
	return (kind == TOKEN_PROCESS && looks_like_title(name)) ||
	       tokens->words.is_full || looks_like_path(name) ||
	       words_in(&tokens->words, name);
}

/* Idle and the kernel, whose names are the same everywhere. */
static bool is_of_kernel(struct str name)
{
	static const char *const public_names[] = {
		"swapper",
		"Idle",
		"(idle)",
		"(outside the namespace)",
		"idle",
		"System",
		"Registry",
		"System Idle Process",
		"Memory Compression",
		"Secure System",
	};

	for (size_t i = 0; i < ARRAY_COUNT(public_names); i++)
		if (str_equal(name, str_of(public_names[i])))
			return true;
	return name.len > 8 &&
	       (memcmp(name.ptr, "swapper/", 8) == 0 ||
		memcmp(name.ptr, "outside/", 8) == 0) &&
	       is_number((struct str){ name.ptr + 8, name.len - 8 });
}

struct str tokens_name(struct tokens *tokens, enum token_kind kind, struct str name,
		       bool all)
{
	struct str shown = tokens_find(tokens, kind, name);
	struct token *token;

	if (shown.ptr || name.len == 0)
		return shown.ptr ? shown : name;
	if (tokens->learning || is_of_kernel(name))
		return name;
	if (all || name.len > ANONYMOUS_JUDGED_BYTES_MAX - tokens->judged_bytes)
		return tokens_of(tokens, kind, name);
	tokens->judged_bytes += name.len;
	if (is_revealing(tokens, kind, name))
		return tokens_of(tokens, kind, name);
	token = name.len <= ANONYMOUS_TEXT_BYTES_MAX ? add(tokens, kind, name, name)
						     : NULL;
	if (!token)
		return STR(ANONYMOUS_TEXT);
	token->next_kept = tokens->kept;
	tokens->kept = token;
	return token->shown;
}

void tokens_each_kept(const struct tokens *tokens,
		      void (*call)(void *context, struct str name, bool is_process),
		      void *context)
{
	for (const struct token *kept = tokens->kept; kept; kept = kept->next_kept)
		call(context, kept->shown, kept->kind == TOKEN_PROCESS);
}
