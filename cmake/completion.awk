# completion.awk - decodes the helps that completion.sh collects, and calls what writes them for a
# shell: begin_program(), add_command(NAME, HELP), begin_options(COMMAND, USAGE),
# add_option(SHORT, LONG, ARGUMENT, MAYBE, HELP), end_options(), end_program().

# What an argument is: words by |, "file", "command", or "" for what only the user knows.
function kind_of(argument)
{
	if (argument ~ /^[a-z_-]+(\|[a-z_-]+)+$/)
		return argument
	if (argument ~ /^(FILE|PATH|DIR|ROOT|BUNDLE)$/)
		return "file"
	return argument == "COMMAND" ? "command" : ""
}

# What operands are, of usage lines: the same; "dashes": a command after --.
function operand_of(usage, words, i, count)
{
	if (usage ~ /\[COMMAND/)
		return "command"
	if (usage ~ /TRACE|INPUT/)
		return usage ~ /\[-- COMMAND/ ? "file dashes" : "file"
	count = split(usage, words, " ")
	for (i = 1; i <= count; i++)
		if (words[i] ~ /^[a-z]+\|[a-z|]+$/)
			return words[i]
	return ""
}

function flush_option()
{
	if (long)
		add_option(short, long, argument, maybe, help)
	long = ""
}

BEGIN { begin_program() }

/^[+]/ {
	text = $0
	sub(/^[^ ]+ /, "", text)
	add_command(substr($1, 2), text)
	next
}

/^=/ {
	if (part)
		end_options()
	command = substr($0, 2)
	part = "usage"
	usage = ""
	next
}

part == "usage" && $0 == "" {
	begin_options(command, usage)
	part = "summary"
}
part == "usage" { usage = usage " " $0 }

/^Options:$/ { part = "options"; next }

part == "options" && $0 == "" {
	flush_option()
	part = "rest"
}

part == "options" && /^  (-.,|   ) --/ {
	flush_option()
	short = substr($0, 3, 2)
	short = short == "  " ? "" : short
	text = substr($0, 7)
	match(text, /^--[a-z0-9-]+/)
	long = substr(text, 1, RLENGTH)
	text = substr(text, RLENGTH + 1)
	maybe = text ~ /^\[=/
	sub(/^(\[=| )/, "", text)
	argument = text
	sub(/^ .*/, "", argument)
	sub(/ .*/, "", argument)
	help = substr(text, length(argument) + 1)
	sub(/\]$/, "", argument)
	sub(/^ +/, "", help)
	next
}
part == "options" {
	text = $0
	sub(/^ +/, "", text)
	help = help (help ? " " : "") text
}

END {
	flush_option()
	end_options()
	end_program()
}
