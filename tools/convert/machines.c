/* machines.c - what --host, --wall and --shift say of a trace; see machines.h. */
#include "machines.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/wrap.h"
#include "common/when.h"

#define MESSAGE_BYTES 400

/* What follows "KEY="; NULL: the text is of another key. */
static const char *value_of(const char *text, struct str key)
{
	return strncmp(text, key.ptr, key.len) == 0 && text[key.len] == '='
		       ? text + key.len + 1
		       : NULL;
}

static const char *find(const struct option_texts *texts, struct str key)
{
	const char *value = NULL;

	for (size_t i = 0; i < texts->count && !value; i++)
		value = value_of(texts->texts[i], key);
	return value;
}

/* --- on the command line --- */

/* The value of "FILE=VALUE", where FILE is one of the inputs and may itself have a =. */
static const char *value_of_input(const char *text, char **inputs)
{
	for (; *inputs; inputs++) {
		const char *value = value_of(text, str_of(*inputs));

		if (value)
			return value;
	}
	return NULL;
}

static int no_input(const struct cli *cli, const char *option, const char *text,
		    char **inputs)
{
	size_t length = strcspn(text, "=");
	char what[MESSAGE_BYTES];

	if (text[length] == '\0')
		return cli_wrong_usage(cli, "invalid %s '%s': expected FILE=%s", option,
				       text,
				       strcmp(option, "--host") == 0 ? "NAME" : "UTC");
	text_print(what, sizeof(what), "%s '%s' names no input, such as '%s='", option,
		   text, *inputs ? *inputs : "FILE");
	return cli_wrong_usage(cli, "%s", what);
}

/* `text`, of this value, is of the same key as one before it. */
static int check_once(const struct cli *cli, const char *option,
		      const struct option_texts *texts, size_t i, const char *value)
{
	const char *text = texts->texts[i];
	struct str key = { text, (size_t)(value - text) - 1 };

	for (size_t j = 0; j < i; j++)
		if (value_of(texts->texts[j], key))
			return cli_wrong_usage(cli, "%s is given twice for '%.*s'",
					       option, (int)key.len, key.ptr);
	return EXIT_DONE;
}

static int check_hosts(const struct cli *cli, const struct option_texts *hosts,
		       char **inputs)
{
	for (size_t i = 0; i < hosts->count; i++) {
		const char *value = value_of_input(hosts->texts[i], inputs);

		if (!value)
			return no_input(cli, "--host", hosts->texts[i], inputs);
		if (!*value)
			return cli_wrong_usage(cli, "invalid --host '%s': no name",
					       hosts->texts[i]);
		if (check_once(cli, "--host", hosts, i, value) != EXIT_DONE)
			return EXIT_USAGE;
	}
	return EXIT_DONE;
}

static bool parse_utc(const char *text, int64_t *ns)
{
	struct when when = { .kind = WHEN_NONE };

	if (!when_parse(text, &when) || when.kind != WHEN_WALL)
		return false;
	*ns = when.ns;
	return true;
}

static int check_walls(const struct cli *cli, const struct option_texts *walls,
		       char **inputs)
{
	for (size_t i = 0; i < walls->count; i++) {
		const char *value = value_of_input(walls->texts[i], inputs);
		int64_t ns;

		if (!value)
			return no_input(cli, "--wall", walls->texts[i], inputs);
		if (!parse_utc(value, &ns))
			return cli_wrong_usage(
				cli,
				"invalid time '%s': expected e.g. 2026-11-22T10:00:00.5Z",
				value);
		if (check_once(cli, "--wall", walls, i, value) != EXIT_DONE)
			return EXIT_USAGE;
	}
	return EXIT_DONE;
}

static int check_shifts(const struct cli *cli, const struct option_texts *shifts)
{
	for (size_t i = 0; i < shifts->count; i++) {
		const char *value = strrchr(shifts->texts[i], '=');
		int64_t ns;

		if (!value || value == shifts->texts[i] ||
		    !when_parse_shift(value + 1, &ns))
			return cli_wrong_usage(
				cli,
				"invalid --shift '%s': expected HOST=DURATION, e.g. web-1=-250ms",
				shifts->texts[i]);
		if (check_once(cli, "--shift", shifts, i, value + 1) != EXIT_DONE)
			return EXIT_USAGE;
	}
	return EXIT_DONE;
}

int machines_check(const struct cli *cli, const struct machines *machines, char **inputs)
{
	int result = check_hosts(cli, &machines->hosts, inputs);

	if (result == EXIT_DONE)
		result = check_walls(cli, &machines->walls, inputs);
	return result == EXIT_DONE ? check_shifts(cli, &machines->shifts) : result;
}

/* --- of a trace --- */

static void shift(struct machines *machines, struct trace_row *row)
{
	for (size_t i = 0; row->host.ptr && i < machines->shifts.count; i++) {
		const char *value = value_of(machines->shifts.texts[i], row->host);
		int64_t ns;

		if (!value || !when_parse_shift(value, &ns))
			continue;
		machines->shifted[i] = true;
		if (row->wall_offset_ns != INT_NONE)
			row->wall_offset_ns = wrap_add(row->wall_offset_ns, ns);
		if (row->wall_offset_end_ns != INT_NONE)
			row->wall_offset_end_ns = wrap_add(row->wall_offset_end_ns, ns);
	}
}

void machines_apply(struct machines *machines, const char *input, struct trace_row *row)
{
	const char *host = find(&machines->hosts, str_of(input));
	const char *wall = find(&machines->walls, str_of(input));
	int64_t ns;

	if (host)
		row->host = str_of(host);
	if (wall && row->first_ns != INT_NONE && parse_utc(wall, &ns)) {
		row->wall_offset_ns = wrap_sub(ns, row->first_ns);
		row->wall_offset_end_ns = INT_NONE;
	}
	shift(machines, row);
}

void machines_warn(const struct cli *cli, const struct machines *machines)
{
	for (size_t i = 0; i < machines->shifts.count; i++) {
		char text[MESSAGE_BYTES];

		if (machines->shifted[i])
			continue;
		text_print(text, sizeof(text), "--shift '%s' names the host of no trace",
			   machines->shifts.texts[i]);
		cli_warn(cli->name, text);
	}
}
