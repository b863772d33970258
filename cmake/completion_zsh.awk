# completion_zsh.awk - writes a completion for zsh; see completion.awk.

function begin_program()
{
	print "#compdef " name
	print "# Made from --help by cmake/completion.sh."
	function_name = "_" name
}

# In single quotes.
function quoted(text)
{
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}

function message(text)
{
	gsub(/\\/, "\\\\", text)
	gsub(/\[/, "\\[", text)
	gsub(/\]/, "\\]", text)
	gsub(/:/, "\\:", text)
	return text
}

function action(kind)
{
	if (kind == "file" || kind == "file dashes")
		return "_files"
	if (kind == "command")
		return "_command_names -e"
	if (kind == "")
		return " "
	gsub(/\|/, " ", kind)
	return "(" kind ")"
}

function add_command(command, help)
{
	commands = commands "\t\t" quoted(command ":" message(help)) "\n"
}

function begin_options(command, usage, operand)
{
	own = command
	operand = operand_of(usage)
	lists = ""
	if (operand == "command")
		lists = "\t\t'(-)1:command:_command_names -e' '*::argument:_normal'\n"
	else if (operand)
		lists = "\t\t" quoted("*:operand:" action(operand)) "\n"
}

function add_option(short, long, argument, maybe, help, again, text)
{
	help = "[" message(help) "]"
	again = argument ? "*" : "(" short (short ? " " : "") long ")"
	text = argument ? ":" (argument ~ /[|]/ ? "choice" : message(argument)) ":" action(kind_of(argument)) : ""
	if (maybe)
		text = ":" text
	if (short)
		lists = lists "\t\t" quoted(again short (argument ? "+" : "") help text) "\n"
	lists = lists "\t\t" quoted(again long (maybe ? "=-" : argument ? "=" : "") help text) "\n"
}

function end_options()
{
	cases = cases (own ? "\t" quoted(own) ")\n" : "") "\t_arguments -s -S \\\n" continued(lists) "\n" (own ? "\t;;\n" : "")
}

function continued(text)
{
	sub(/\n$/, "", text)
	gsub(/\n/, " \\\n", text)
	return text
}

function end_program()
{
	print "\n" function_name "()\n{"
	if (!commands) {
		printf "%s}\n", cases
	} else {
		print "\tlocal curcontext=$curcontext state line"
		print "\tlocal -a commands=("
		printf "%s\t)\n", commands
		print "\t_arguments -C '(-)--help[show the help and exit]' '(-)--version[show the version and exit]' \\"
		print "\t\t'1:command:->command' '*::argument:->argument'"
		print "\tif [[ $state == command ]]; then"
		print "\t\t_describe -t commands command commands"
		print "\t\treturn"
		print "\tfi"
		print "\tcase $words[1] in"
		printf "%s\tesac\n", cases
		print "}"
	}
	print "\n" function_name " \"$@\""
}
