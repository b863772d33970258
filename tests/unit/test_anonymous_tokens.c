/*
 * test_anonymous_tokens.c - lib/pipeline/anonymous_path.h and anonymous_tokens.h: the
 * same text the same token, public parts stay, and nothing else is let through.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "pipeline/anonymous_path.h"
#include "pipeline/anonymous_tokens.h"
#include "unit.h"

/* --- paths --- */

static const struct {
	int line;
	const char *path, *expected; /* the first of a run */
} paths[] = {
	{ ROW, "", "" },
	{ ROW, "/", "/" },
	{ ROW, "-", "-" },
	{ ROW, "/usr/lib/libsecret.so", "/usr/lib/p1.so" },
	{ ROW, "/usr/lib/libsecret.so.6.1.2", "/usr/lib/p1.so.6.1.2" },
	{ ROW, "/usr/lib/libsecret-2.31.so", "/usr/lib/p1.so" },
	{ ROW, "/usr/lib/a.so.20240131123456789012", "/usr/lib/p1" },
	{ ROW, "/lib/modules/6.1/x.ko.zst", "/lib/modules/p1/p2.ko.zst" },
	{ ROW, "/home/anna/anna/x", "/home/user1/p1/p2" },
	{ ROW, "/home//anna", "/home//user1" },
	{ ROW, "/home/", "/home/" },
	{ ROW, "/Users/anna/x.txt", "/Users/user1/p1.txt" },
	{ ROW, "/srv/x/x", "/srv/p1/p1" },
	{ ROW, "relative/x.py", "p1/p2.py" },
	{ ROW, "./x", "./p1" },
	{ ROW, "/tmp/x (deleted)", "/tmp/p1 (deleted)" },
	{ ROW, "/dev/zero (deleted)", "/dev/zero (deleted)" },
	{ ROW, "/memfd:secret (deleted)", "/p1 (deleted)" },
	{ ROW, "//anon", "//anon" },
	{ ROW, "[vdso]", "[vdso]" },
	{ ROW, "[kernel.kallsyms]_text", "[kernel.kallsyms]_text" },
	{ ROW, "[a_module]", "[a_module]" },
	{ ROW, "[guest.kernel.kallsyms.7]_stext", "[guest.kernel.kallsyms.7]_stext" },
	{ ROW, "[x]secret", "p1" },
	{ ROW, "[a\\xb]", "p1\\p2" },
	{ ROW, "[anon:secret]", "p1" },
	{ ROW, "[secret", "p1" },
	{ ROW, "[x]/home/anna/y", "p1/home/user1/p2" },
	{ ROW, "/tmp/.exe", "/tmp/p1" },
	{ ROW, "/tmp/caf\\xe9", "/tmp/p1\\p2" },
	{ ROW, "/tmp/\xff\xfe.so", "/tmp/p1.so" },
	{ ROW, "/tmp/caf\xc3\xa9.so", "/tmp/p1.so" },
	{ ROW, "C:\\Windows\\System32\\ntdll.dll", "C:\\Windows\\System32\\p1.dll" },
	{ ROW, "c:\\WINDOWS\\SYSTEM32\\NTDLL.DLL", "c:\\WINDOWS\\SYSTEM32\\p1.DLL" },
	{ ROW, "C:\\Users\\Anna B\\x.exe", "C:\\Users\\user1\\p1.exe" },
	{ ROW, "C:/Users/Anna B/x.exe", "C:/Users/user1/p1.exe" },
	{ ROW, "C:\\Users\\Public\\x", "C:\\Users\\Public\\p1" },
	{ ROW, "\\Device\\HarddiskVolume12\\Users\\anna\\AppData\\Local\\x.dll",
	  "\\Device\\HarddiskVolume12\\Users\\user1\\AppData\\Local\\p1.dll" },
	{ ROW, "\\Device\\HarddiskVolumeAnna\\x", "\\Device\\p1\\p2" },
	{ ROW, "\\\\filer\\docs\\x.exe", "\\\\host1\\p1\\p2.exe" },
	{ ROW, "\\\\?\\C:\\x.exe", "\\\\?\\C:\\p1.exe" },
	{ ROW, "\\??\\UNC\\filer\\x", "\\??\\UNC\\host1\\p1" },
	{ ROW, "\\Device\\Mup\\filer\\x", "\\Device\\Mup\\host1\\p1" },
	{ ROW, "\\Device\\LanmanRedirector\\;X:1a\\filer\\x",
	  "\\Device\\LanmanRedirector\\p1\\host1\\p2" },
	{ ROW, "\\SystemRoot\\system32\\ntoskrnl.exe", "\\SystemRoot\\system32\\p1.exe" },
};

UNIT_TEST(paths)
{
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct tokens tokens;
		struct str path = str_of(paths[i].path);

		tokens_begin(&tokens);
		ROW_STR(&paths[i], anonymous_path(&tokens, path), paths[i].expected);
		ROW_STR(&paths[i], anonymous_path(&tokens, path), paths[i].expected);
		tokens_end(&tokens);
	}
}

/* Parts are the same wherever they stand, and as many bytes as there are. */
UNIT_TEST(same_parts)
{
	struct tokens tokens;
	static const char nul[] = "/opt/a\0b/x.so";

	tokens_begin(&tokens);
	ASSERT_STR(anonymous_path(&tokens, STR("/opt/a/x.so")), "/opt/p1/p2.so");
	ASSERT_STR(anonymous_path(&tokens, STR("/srv/x.so/a")), "/srv/p2.so/p1");
	ASSERT_STR(anonymous_path(&tokens, STR("\\A\\a")), "\\p3\\p1");
	ASSERT_STR(anonymous_path(&tokens, (struct str){ nul, sizeof(nul) - 1 }),
		   "/opt/p4/p2.so");
	ASSERT_STR(anonymous_path(&tokens, STR("/home/b/x")), "/home/user1/p5");
	ASSERT_STR(anonymous_path(&tokens, STR("C:\\Users\\b")), "C:\\Users\\user1");
	tokens_end(&tokens);
}

/* --- security identifiers --- */

UNIT_TEST(sids)
{
	static const char *const stay[] = { "S-1-0-0",	"S-1-1-0",  "S-1-5-18",
					    "S-1-5-19", "S-1-5-20", "" };
	struct tokens tokens;

	tokens_begin(&tokens);
	for (size_t i = 0; i < COUNT(stay); i++)
		ASSERT_STR(anonymous_sid(&tokens, str_of(stay[i])), stay[i]);
	ASSERT_STR(anonymous_sid(&tokens, STR("S-1-5-21-1-2-3-1001")), "S-1-sid1");
	ASSERT_STR(anonymous_sid(&tokens, STR("S-1-5-180")), "S-1-sid2");
	ASSERT_STR(anonymous_sid(&tokens, STR("S-1-5-21-1-2-3-1001")), "S-1-sid1");
	ASSERT_STR(anonymous_sid(&tokens, STR("DOMAIN\\anna")), "S-1-sid3");
	tokens_end(&tokens);
}

/* --- names --- */

/* In a trace of the user anna on the host box.example.org. */
static const struct {
	int line;
	const char *name;
	bool stays, is_label;
} names[] = {
	{ ROW, "", true },
	{ ROW, "bash", true },
	{ ROW, "kworker/u8:0-wr", true },
	{ ROW, "irq/24-ACPI:Ged", true },
	{ ROW, "swapper/1", true },
	{ ROW, "msr/tsc/", true, true },
	{ ROW, "cs_etm/@tmc_etr0/", true, true },
	{ ROW, "intel_pt//", true, true },
	{ ROW, "annabelle", true },
	{ ROW, "joanna", true },
	{ ROW, "caf\\xe9", true },
	{ ROW, "\xc3\xa4nna", true },
	{ ROW, "boxer", true },
	{ ROW, "anna", false },
	{ ROW, "ANNA", false },
	{ ROW, "sshd: anna [priv", false },
	{ ROW, "anna_backup", false },
	{ ROW, "(anna)", false },
	{ ROW, "box", false },
	{ ROW, "ssh box", false },
	{ ROW, "box.example.org", false },
	{ ROW, "/opt/secret", false },
	{ ROW, "./secret", false },
	{ ROW, "~/secret", false },
	{ ROW, "sh /opt/secret", false },
	{ ROW, "x=/opt/secret", false },
	{ ROW, "C:\\secret", false },
	{ ROW, "C:/secret", false },
	{ ROW, "share\\secret", false },
	{ ROW, "\\xsecret", false },
	/* Titles are parts of command lines; images of Windows may have blanks. */
	{ ROW, "kworker/0:1H", true },
	{ ROW, "jbd2/secret-8", false },
	{ ROW, "npm i @scope/na", false },
	{ ROW, "postgres: shop", false },
	{ ROW, "user@secret", false },
	{ ROW, "key=secret", false },
	{ ROW, "npm/", false },
	{ ROW, "msr/tsc/", false },
	{ ROW, "My Program.EXE", true },
	{ ROW, "System Idle Process", true },
	{ ROW, "a label = 5", true, true },
};

UNIT_TEST(names)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		struct tokens tokens;
		struct str name = str_of(names[i].name);

		tokens_begin(&tokens);
		tokens_learn(&tokens, STR("Anna"));
		tokens_learn_host(&tokens, STR("box.example.org"));
		tokens_learn(&tokens, STR("s"));  /* too short to mean anything */
		tokens_learn(&tokens, STR("24")); /* likewise */
		ROW_STR(&names[i],
			tokens_name(&tokens,
				    names[i].is_label ? TOKEN_LABEL : TOKEN_PROCESS, name,
				    false),
			names[i].stays ? names[i].name : "process1");
		ROW_TRUE(&names[i], !tokens.found_late);
		tokens_end(&tokens);
	}
}

UNIT_TEST(all_names)
{
	static const char *const stay[] = { "swapper", "swapper/0", "swapper/123",
					    "Idle",    "(idle)",    "System" };
	static const char *const go[] = { "swapper/", "swapper/x", "bash", "idle2" };
	struct tokens tokens;

	tokens_begin(&tokens);
	for (size_t i = 0; i < COUNT(stay); i++)
		ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(stay[i]), true),
			   stay[i]);
	for (size_t i = 0; i < COUNT(go); i++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "process%zu", i + 1);
		ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(go[i]), true),
			   expected);
	}
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), true), "process3");
	tokens_end(&tokens);
}

/* Users are found in command lines as well. */
static const struct {
	int line;
	const char *text;
	const char *word; /* NULL: none */
} commands[] = {
	{ ROW, "vi /home/anna/x", "anna" },
	{ ROW, "vi /home/anna", "anna" },
	{ ROW, "vi /home/anna x", "anna" },
	{ ROW, "\"C:\\Users\\Anna B\\x.exe\" -y", "anna b" },
	{ ROW, "x --dir='/home/anna'", "anna" },
	{ ROW, "x --dir='/home/anna' y", "anna" },
	{ ROW, "/home//anna/", "anna" },
	{ ROW, "home anna", NULL },
	{ ROW, "/home/", NULL },
	{ ROW, "/home", NULL },
	{ ROW, "C:\\Users\\Public\\x", NULL },
	{ ROW, "", NULL },
};

UNIT_TEST(commands)
{
	for (size_t i = 0; i < COUNT(commands); i++) {
		struct tokens tokens;

		tokens_begin(&tokens);
		anonymous_learn_users(&tokens, str_of(commands[i].text));
		ROW_INT(&commands[i], tokens.words.count, commands[i].word ? 1 : 0);
		if (commands[i].word)
			ROW_TRUE(&commands[i],
				 words_has(&tokens.words, str_of(commands[i].word)));
		tokens_end(&tokens);
	}
}

/* --- limits --- */

/* Beyond them texts are hidden all the same, and those that are known stay known. */
UNIT_TEST(texts_max)
{
	struct tokens tokens;

	tokens_begin(&tokens);
	assert_int_equal(tokens.texts_max, ANONYMOUS_TEXTS_MAX);
	tokens.texts_max = 3;
	ASSERT_STR(tokens_of(&tokens, TOKEN_HOST, STR("a")), "host1");
	ASSERT_STR(tokens_of(&tokens, TOKEN_COMMAND, STR("a")), "command1");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "bash");
	ASSERT_STR(tokens_of(&tokens, TOKEN_HOST, STR("b")), ANONYMOUS_TEXT);
	ASSERT_STR(tokens_of(&tokens, TOKEN_HOST, STR("b")), ANONYMOUS_TEXT);
	ASSERT_STR(tokens_of(&tokens, TOKEN_HOST, STR("a")), "host1");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("dash"), false),
		   ANONYMOUS_TEXT);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "bash");
	ASSERT_STR(anonymous_path(&tokens, STR("/usr/secret")), ANONYMOUS_TEXT);
	assert_int_equal(tokens.count, 3);
	assert_false(tokens.out_of_memory);
	tokens_end(&tokens);
}

UNIT_TEST(long_texts)
{
	size_t size = ANONYMOUS_TEXT_BYTES_MAX + 1;
	char *text = malloc(size);
	struct tokens tokens;
	struct str longest = { text, size - 1 }, longer = { text, size };
	struct str made;

	tokens_begin(&tokens);
	memset(text, 'x', size);
	ASSERT_STR(tokens_of(&tokens, TOKEN_COMMAND, longest), "command1");
	ASSERT_STR(tokens_of(&tokens, TOKEN_COMMAND, longer), ANONYMOUS_TEXT);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, longer, false), ANONYMOUS_TEXT);
	ASSERT_STR(anonymous_path(&tokens, longest), "p1");
	ASSERT_STR(anonymous_path(&tokens, longer), ANONYMOUS_TEXT);
	tokens_learn(&tokens, longer);
	assert_int_equal(tokens.words.count, 0);
	/* One byte a part: what comes out is longer than what went in. */
	for (size_t i = 1; i < size; i += 2)
		text[i] = '/';
	for (size_t i = 0; i < size; i += 2)
		text[i] = (char)('a' + i / 2 % 26);
	made = anonymous_path(&tokens, longest);
	assert_true(made.len > longest.len);
	assert_memory_equal(made.ptr, "p2/p3/p4/", 9);
	tokens_end(&tokens);
	free(text);
}

/* Too many users: no name can be trusted any more. */
UNIT_TEST(words_max)
{
	struct tokens tokens;
	char name[32];

	tokens_begin(&tokens);
	for (int i = 0; i < ANONYMOUS_WORDS_MAX; i++) {
		snprintf(name, sizeof(name), "user-%d", i);
		tokens_learn(&tokens, str_of(name));
		tokens_learn(&tokens, str_of(name));
	}
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "bash");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("user-7"), false), "process1");
	tokens_learn(&tokens, STR("one-more"));
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("dash"), false), "process2");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "bash");
	tokens_end(&tokens);
}

/* Names of one beginning are compared once, and from the beginning of a word on. */
UNIT_TEST(steps_of_words)
{
	struct tokens tokens;
	char name[64];
	uint64_t before;

	tokens_begin(&tokens);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%050d-x%05d", 0, i);
		tokens_learn(&tokens, str_of(name));
	}
	before = tokens.words.steps_left;
	snprintf(name, sizeof(name), "%050d-x", 0);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(name), false), name);
	assert_int_equal(before - tokens.words.steps_left, 52 + 1);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash-0"), false), "bash-0");
	assert_int_equal(before - tokens.words.steps_left, 53 + 1 + 1);
	tokens_end(&tokens);
}

/* After too many steps a name may be that of a user: it does not stay. */
UNIT_TEST(steps_max)
{
	struct tokens tokens;

	tokens_begin(&tokens);
	assert_int_equal(tokens.words.steps_left, ANONYMOUS_STEPS_MAX);
	tokens_learn(&tokens, STR("anna"));
	tokens.words.steps_left = 5;
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("anne"), false), "anne");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("a-b"), false), "process1");
	assert_int_equal(tokens.words.steps_left, 0);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "process2");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("anne"), false), "anne");
	tokens_end(&tokens);
}

/* And an output with names that stay may have that of a user who comes later. */
UNIT_TEST(late_steps_max)
{
	struct tokens tokens;

	tokens_begin(&tokens);
	assert_int_equal(tokens.words.late_steps_left, ANONYMOUS_LATE_STEPS_MAX);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("-----"), false), "-----");
	tokens_learn(&tokens, STR("--x"));
	assert_int_equal(ANONYMOUS_LATE_STEPS_MAX - tokens.words.late_steps_left, 9);
	assert_false(tokens.found_late);
	tokens.words.late_steps_left = 8;
	tokens_learn(&tokens, STR("--y"));
	assert_true(tokens.found_late);
	tokens_end(&tokens);
}

/* A user beyond the maximum is not looked for in names that stay, so may be in them. */
UNIT_TEST(late_and_too_many)
{
	struct tokens tokens;
	char name[16];

	tokens_begin(&tokens);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("zoe-w"), false), "zoe-w");
	for (int i = 0; i < ANONYMOUS_WORDS_MAX; i++) {
		text_print(name, sizeof(name), "user%d", i);
		tokens_learn(&tokens, str_of(name));
	}
	assert_false(tokens.found_late);
	tokens_learn(&tokens, STR("user7")); /* it is known */
	assert_false(tokens.found_late);
	tokens_learn(&tokens, STR("zoe"));
	assert_true(tokens.found_late);
	tokens_learn(&tokens, STR("user7"));
	assert_true(tokens.found_late);
	tokens_end(&tokens);
}

/* Nor can those that are too many to look for users in. */
UNIT_TEST(judged_max)
{
	struct tokens tokens;
	char name[1025];
	size_t count = ANONYMOUS_JUDGED_BYTES_MAX / (sizeof(name) - 1);

	tokens_begin(&tokens);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%01024zu", i);
		ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(name), false),
			   name);
	}
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("one more"), false),
		   "process1");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(name), false), name);
	tokens_end(&tokens);
}
