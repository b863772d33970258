# completion_bash.awk - writes a completion for bash 4 or later; see completion.awk.

function begin_program()
{
	function_name = "_" name
	gsub(/-/, "_", function_name)
	print "# bash completion of " name ", made from its --help by cmake/completion.sh."
}

function add_command(command, help)
{
	commands = commands (commands ? " " : "") command
}

function begin_options(command, usage)
{
	own = command
	operands = operands "\t" quoted(command) ") echo " quoted(operand_of(usage)) " ;;\n"
	options = ""
}

function quoted(text)
{
	return "'" text "'"
}

function add_option(short, long, argument, maybe, help, pattern)
{
	options = options (options ? " " : "") (short ? short " " : "") long (maybe ? "=" : "")
	if (!argument)
		return
	# With an argument that may be missing: only after '='.
	pattern = maybe ? quoted(own " " long "=") : (short ? quoted(own " " short) " | " : "") quoted(own " " long)
	arguments = arguments "\t" pattern ") echo " quoted(kind_of(argument) ? kind_of(argument) : "none") " ;;\n"
}

function end_options()
{
	lists = lists "\t" quoted(own) ") echo " quoted(options) " ;;\n"
}

function end_program()
{
	printf "\n# COMMAND: its options\n%s_options()\n{\n\tcase $1 in\n%s\tesac\n}\n", function_name, lists
	printf "\n# COMMAND OPTION: what its argument is\n%s_argument()\n{\n\tcase $1 in\n%s\tesac\n}\n", function_name, arguments
	printf "\n# COMMAND: what its operands are\n%s_operand()\n{\n\tcase $1 in\n%s\tesac\n}\n", function_name, operands
	print "\n" function_name "()\n{"
	print "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= kind= ended= first=1 i"
	print "\tCOMPREPLY=()"
	if (commands) {
		print "\tif ((COMP_CWORD == 1)); then"
		print "\t\tmapfile -t COMPREPLY < <(compgen -W '" commands " --help --version' -- \"$word\")"
		print "\t\treturn"
		print "\tfi"
		print "\tcommand=${COMP_WORDS[1]} first=2"
	}
	print "\t# bash cuts --by=thread into three words."
	print "\tif [[ $before == = ]]; then"
	print "\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}="
	print "\telif [[ $word == = ]]; then"
	print "\t\tword= before+=="
	print "\tfi"
	print "\tkind=$(" function_name "_operand \"$command\")"
	print "\tfor ((i = first; i < COMP_CWORD; i++)); do"
	print "\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue"
	print "\t\tif [[ $kind == command || $kind == *dashes ]]; then"
	print "\t\t\tkind=command"
	print "\t\t\t((i == COMP_CWORD - 1)) || kind=file"
	print "\t\tfi"
	print "\t\tended=1"
	print "\t\tbreak"
	print "\tdone"
	print "\tif [[ $ended ]]; then"
	print "\t\t:"
	print "\telif [[ $before == -* ]]; then"
	print "\t\ti=$(" function_name "_argument \"$command $before\")"
	print "\t\t[[ $i || $before != *= ]] || i=$(" function_name "_argument \"$command ${before%=}\")"
	print "\t\t[[ ! $i ]] || kind=$i"
	print "\t\t[[ $i || $word != -* ]] || kind=options"
	print "\telif [[ $word == -* ]]; then"
	print "\t\tkind=options"
	print "\tfi"
	print "\tcase $kind in"
	print "\toptions)"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W \"$(" function_name "_options \"$command\")\" -- \"$word\")"
	print "\t\t[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null"
	print "\t\t;;"
	print "\tfile*) mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); compopt -o filenames 2>/dev/null ;;"
	print "\tcommand) mapfile -t COMPREPLY < <(compgen -c -- \"$word\") ;;"
	print "\tnone | '') ;;"
	print "\t*) mapfile -t COMPREPLY < <(compgen -W \"${kind//|/ }\" -- \"$word\") ;;"
	print "\tesac"
	print "}"
	print "complete -F " function_name " " name
}
