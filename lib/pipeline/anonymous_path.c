/*
 * anonymous_path.c - replaces paths part by part.  docs/anonymize.md lists the parts that
 * stay.
 */
#include "pipeline/anonymous_path.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

/* Parts that do not identify a machine or user, compared without case. */
static const char *const public_parts[] = {
	/* everywhere */
	".",
	"..",
	"~",
	"-",
	"tmp",
	/* Linux */
	"bin",
	"boot",
	"cache",
	"dev",
	"etc",
	"home",
	"lib",
	"lib32",
	"lib64",
	"libexec",
	"local",
	"log",
	"media",
	"mnt",
	"modules",
	"null",
	"opt",
	"proc",
	"root",
	"run",
	"sbin",
	"self",
	"share",
	"shm",
	"srv",
	"sys",
	"usr",
	"var",
	"zero",
	"anon",
	"anon_hugepage",
	"init.scope",
	"system.slice",
	"user.slice",
	"x86_64-linux-gnu",
	"aarch64-linux-gnu",
	/* Android */
	"apex",
	"data",
	"system",
	"vendor",
	/* Windows */
	"?",
	"??",
	"AppData",
	"Common Files",
	"Default",
	"Device",
	"Documents and Settings",
	"drivers",
	"LanmanRedirector",
	"LocalLow",
	"Microsoft",
	"Mup",
	"Program Files",
	"Program Files (x86)",
	"ProgramData",
	"Public",
	"Roaming",
	"System32",
	"SystemRoot",
	"SysWOW64",
	"Temp",
	"UNC",
	"Users",
	"Windows",
	"WinSxS",
};

/* File extensions, which stay; the rest of the name is replaced. */
static const char *const extensions[] = {
	".a",	 ".apk",  ".art",   ".bin",	".conf",  ".cpl",   ".csv",
	".dat",	 ".data", ".db",    ".dex",	".dll",	  ".drv",   ".etl",
	".exe",	 ".jar",  ".js",    ".ko",	".log",	  ".mui",   ".nls",
	".node", ".o",	  ".oat",   ".ocx",	".odex",  ".perf",  ".pl",
	".py",	 ".pyd",  ".scope", ".service", ".sh",	  ".slice", ".so",
	".sys",	 ".tmp",  ".txt",   ".vdex",	".ko.gz", ".ko.xz", ".ko.zst",
};

static bool is_one_of(struct str part, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal_nocase(part, str_of(list[i])))
			return true;
	return false;
}

static struct str without(struct str text, size_t first)
{
	return (struct str){ text.ptr + first, text.len - first };
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* C: and HarddiskVolume3 stay too. */
static bool is_public(struct str part)
{
	static const char volume[] = "HarddiskVolume";
	const size_t len = sizeof(volume) - 1;
	size_t at = len;

	if (part.len == 2 && part.ptr[1] == ':')
		return is_letter(part.ptr[0]);
	if (part.len > len &&
	    str_equal_nocase((struct str){ part.ptr, len }, str_of(volume))) {
		while (at < part.len && is_digit(part.ptr[at]))
			at++;
		return at == part.len;
	}
	return is_one_of(part, public_parts, ARRAY_COUNT(public_parts));
}

/* Parts followed by the name of a user or of a server. */
static bool is_home(struct str part)
{
	static const char *const homes[] = { "home", "Users", "Documents and Settings" };

	return is_one_of(part, homes, ARRAY_COUNT(homes));
}

static bool is_network(struct str part)
{
	static const char *const networks[] = { "Mup", "LanmanRedirector", "UNC" };

	return is_one_of(part, networks, ARRAY_COUNT(networks));
}

static bool ends_in(struct str text, const char *tail)
{
	size_t len = strlen(tail);

	return text.len > len &&
	       str_equal_nocase(without(text, text.len - len), str_of(tail));
}

/* Bytes of the extension: .exe, .so.6, .ko.xz; 0: no known one. */
static size_t extension_of(struct str part)
{
	struct str stem = part;
	size_t longest = 0;

	for (size_t i = 0; i < ARRAY_COUNT(extensions); i++)
		if (ends_in(part, extensions[i]) && strlen(extensions[i]) > longest)
			longest = strlen(extensions[i]);
	while (stem.len &&
	       (is_digit(stem.ptr[stem.len - 1]) || stem.ptr[stem.len - 1] == '.'))
		stem.len--;
	/* A version is short; a longer one is something else. */
	if (!longest && ends_in(stem, ".so") && part.len - stem.len <= 16)
		longest = part.len - stem.len + strlen(".so");
	return longest;
}

/* --- a path --- */

enum expected { EXPECT_ANY, EXPECT_USER, EXPECT_SERVER };

/* One part; *expected is its kind, and then the kind of the next one. */
static struct str part_token(struct tokens *tokens, struct str part,
			     enum expected *expected)
{
	enum expected what = *expected;

	if (part.len == 0)
		return part;
	*expected = is_home(part)      ? EXPECT_USER
		    : is_network(part) ? EXPECT_SERVER
				       : EXPECT_ANY;
	if (is_public(part))
		return part;
	if (what == EXPECT_USER) {
		tokens_learn(tokens, part);
		return tokens_of(tokens, TOKEN_USER, part);
	}
	if (what == EXPECT_SERVER && part.ptr[0] == ';') /* ;X:000000000001a2b3 */
		*expected = EXPECT_SERVER;
	else if (what == EXPECT_SERVER) {
		tokens_learn_host(tokens, part);
		return tokens_of(tokens, TOKEN_HOST, part);
	}
	return tokens_of_file(tokens, part, extension_of(part));
}

/* \\server\share, which is neither \\?\ nor \\.\. */
static bool begins_with_server(struct str path)
{
	return path.len > 2 && path.ptr[0] == '\\' && path.ptr[1] == '\\';
}

static struct str write_parts(struct tokens *tokens, struct str path, char *to)
{
	enum expected expected = begins_with_server(path) ? EXPECT_SERVER : EXPECT_ANY;
	size_t at = 0, used = 0;

	while (at <= path.len) {
		size_t end = at;
		struct str token;

		while (end < path.len && !is_separator(path.ptr[end]))
			end++;
		token = part_token(tokens, (struct str){ path.ptr + at, end - at },
				   &expected);
		if (token.len)
			memcpy(to + used, token.ptr, token.len);
		used += token.len;
		if (end < path.len)
			to[used++] = path.ptr[end];
		at = end + 1;
	}
	return (struct str){ to, used };
}

/* [vdso], [kernel.kallsyms]_text, [a_module]: kernel names; not [anon:a name]. */
static bool is_bracketed(struct str path)
{
	static const char *const symbols[] = { "", "_text", "_stext" };
	size_t at = 1;

	if (path.len < 3 || path.ptr[0] != '[')
		return false;
	while (at < path.len &&
	       (is_digit(path.ptr[at]) || is_letter(path.ptr[at]) ||
		path.ptr[at] == '_' || path.ptr[at] == '.' || path.ptr[at] == '-'))
		at++;
	return at < path.len && path.ptr[at] == ']' &&
	       is_one_of(without(path, at + 1), symbols, ARRAY_COUNT(symbols));
}

/* The greatest length of a replaced part: a token with its extension, or a kept part. */
#define PART_BYTES_MAX 64

static struct str make_path(struct tokens *tokens, struct str path)
{
	static const char gone[] = " (deleted)"; /* added by Linux */
	struct str rest = path, made;
	size_t parts = 1;
	char *to;

	if (ends_in(path, gone))
		rest.len -= sizeof(gone) - 1;
	for (size_t i = 0; i < rest.len; i++)
		parts += is_separator(rest.ptr[i]);
	to = memory_alloc(parts * PART_BYTES_MAX + path.len + sizeof(gone));
	if (!to) {
		tokens->out_of_memory = true;
		return STR_NONE;
	}
	made = write_parts(tokens, rest, to);
	memcpy(to + made.len, rest.ptr + rest.len, path.len - rest.len);
	made.len += path.len - rest.len;
	made = tokens_add(tokens, TOKEN_PATH, path, made);
	free(to);
	return made;
}

struct str anonymous_path(struct tokens *tokens, struct str path)
{
	struct str known = tokens_find(tokens, TOKEN_PATH, path);

	if (known.ptr || path.len == 0)
		return known.ptr ? known : path;
	if (path.len > ANONYMOUS_TEXT_BYTES_MAX)
		return STR(ANONYMOUS_TEXT);
	if (is_bracketed(path))
		return tokens_name(tokens, TOKEN_LABEL, path, false);
	return make_path(tokens, path);
}

/* --- texts that hold paths --- */

void anonymous_learn_users(struct tokens *tokens, struct str text)
{
	bool of_home = false;
	size_t at = 0;

	while (at < text.len) {
		size_t end = at, space;
		struct str part;

		while (end < text.len && !is_separator(text.ptr[end]) &&
		       !strchr("\"'", text.ptr[end]))
			end++;
		part = (struct str){ text.ptr + at, end - at };
		/* A user's name may contain spaces: it ends at a separator. */
		for (space = 0; space < part.len && part.ptr[space] != ' ';)
			space++;
		if (of_home && (end == text.len || !is_separator(text.ptr[end])))
			part.len = space;
		if (of_home && part.len && !is_public(part))
			tokens_learn(tokens, part);
		of_home = part.len ? is_home(part) : of_home;
		at = end + 1;
	}
}

/* --- security identifiers --- */

struct str anonymous_sid(struct tokens *tokens, struct str sid)
{
	/* Null SID, Everyone, Local System, Local Service, Network Service. */
	static const char *const well_known[] = { "S-1-0-0", "S-1-1-0", "S-1-5-18",
						  "S-1-5-19", "S-1-5-20" };

	return is_one_of(sid, well_known, ARRAY_COUNT(well_known))
		       ? sid
		       : tokens_of(tokens, TOKEN_SID, sid);
}
