#!/bin/bash
# completion.sh PROGRAM bash|zsh: the completion of a program for that shell, on standard output.
#
# Made from the program's --help, and from that of its commands if it has some: --help is made from
# the option tables, so the completion has what the program has.
set -eu
program=$1 shell=$2
here=$(dirname "$0")
name=$(basename "$program")

# The helps in a row, each after a line "=COMMAND".
helps()
{
	local general command
	general=$("$program" --help)
	if grep -q '^Options:' <<<"$general"; then
		printf '=\n%s\n' "$general"
		return
	fi
	sed -n 's/^  \([a-z][a-z-]*\)  *\([^ ].*\)$/+\1 \2/p' <<<"$general"
	for command in $(sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*$/\1/p' <<<"$general"); do
		printf '=%s\n' "$command"
		"$program" "$command" --help
	done
}

helps | awk -v name="$name" -f "$here/completion_$shell.awk" -f "$here/completion.awk"
