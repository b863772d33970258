#!/bin/bash
# completion.sh: the completions for bash and zsh, loaded by these shells, know every option.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
made=$PERFTAB_BIN/completions
[ -d "$made" ] || skip "no completions are built"
cd "$work" || exit 1
: >trace.data

# options COMMAND...: the long options of its --help
options() { "$@" --help | sed -n '/^Options:/,/^Exit/s/^  \(-.,\|   \) \(--[a-z0-9-]*\).*/\2/p'; }

# in_bash WORD...: what the last word can become, sorted
in_bash() {
	# shellcheck disable=SC2016
	bash --norc -c '. "$0/bash/$1"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); "_${1//-/_}"
		printf "%s\n" "${COMPREPLY[@]}" | sort -u' "$made" "$@"
}

for command in perftab-analyze perftab-convert 'perftab-capture perf' 'perftab-capture perflib' \
	'perftab-capture audit' 'perftab-capture list'; do
	# shellcheck disable=SC2086
	options $command | sort >wanted
	# shellcheck disable=SC2086
	in_bash $command -- | sed 's/=$//' >got
	[ -s wanted ] || fail "$command --help: no options"
	# -- alone is also where the options begin.
	same "bash: $command --" wanted got
done
in_bash perftab-capture '' | reads 'commands' --help --version audit list perf perflib
in_bash perftab-analyze --by cg | reads 'choices' cgroup
in_bash perftab-convert --to par | reads 'formats' parquet
in_bash perftab-analyze --by = mod | reads 'choices after =' module
in_bash perftab-analyze -u '' | reads 'choices of a letter' separate switched-out
in_bash perftab-capture perf --via '' | reads 'ways' auto bpf perf
in_bash perftab-capture perf --interrupts = '' | reads 'a choice that may be missing' count exact
in_bash perftab-capture list ev | reads 'operands' events
in_bash perftab-analyze tra | reads 'files' trace.data
in_bash perftab-analyze --live -- mktem | reads 'commands after --' mktemp
in_bash perftab-analyze --live -- cat tra | reads 'files of a command' trace.data
in_bash perftab-convert -o tra | reads 'files after -o' trace.data
in_bash perftab-analyze --pid '' | reads 'an argument that only the user knows' ''

for program in perftab-analyze perftab-convert perftab-capture; do
	for shell in bash zsh; do
		file=$made/$shell/$program
		[ $shell = bash ] || file=$made/zsh/_$program
		bash "$PERFTAB_SOURCE/cmake/completion.sh" "$PERFTAB_BIN/tools/$program" $shell | cmp - "$file" ||
			fail "$file is not of this --help"
	done
done

command -v zsh >/dev/null || skip "no zsh"
# zsh in a pseudo terminal: LINE, then Tab, then a key that writes the line.
cat >lines.zsh <<-'END'
	zmodload zsh/zpty
	zpty shell "TERM=dumb zsh -f -i"
	send() { zpty -w -n shell "$1"; }
	# answer: waits until the file is there
	answer() {
		local i
		for ((i = 0; i < 500 && ! $(( $+functions[none] )); i++)); do
			[[ -e line ]] && break
			zpty -r -t shell output
			zselect -t 1
		done
		[[ -e line ]] && print -r -- "$(<line)" || print "no answer: $output"
		rm -f line
	}
	zmodload zsh/zselect
	send $'unsetopt beep list_beep; setopt no_always_last_prompt; LISTMAX=10000\n'
	send $'fpath=("$MADE/zsh" $fpath); autoload -Uz compinit && compinit -u -D\n'
	send $'write_line() { print -r -- $BUFFER >line.new; mv line.new line; BUFFER= }; zle -N write_line; bindkey "^G" write_line\n'
	send $'print ready >line\n'
	answer
	while read -r line; do
		send "$line"$'\t\x07'
		answer
	done
END
# in_zsh: for each line of standard input, what Tab makes of it
in_zsh() { MADE=$made timeout 100 zsh -f lines.zsh | tr -d '\r' | sed 1d; }

for command in perftab-analyze perftab-convert 'perftab-capture perf' 'perftab-capture audit'; do
	# shellcheck disable=SC2086
	options $command >all
	# All but the last letter: Tab adds that at least.
	sed "s/^/$command /; s/.\$//" all | in_zsh >got
	[ "$(wc -l <got)" -eq "$(wc -l <all)" ] || fail "zsh: $command: $(wc -l <got) lines, expected $(wc -l <all)"
	# Where others begin with the same letters there is nothing to add.
	paste all got | awk -F'\t' -v command="$command" '
		NR == FNR { names[$1]; next }
		{ for (name in names) if (index(name, substr($1, 1, length($1) - 1)) == 1 && index(name, $1) != 1) next }
		index($2, command " " $1) != 1 { print command ": Tab after all but the last letter of " $1 ": " $2 }' all - >wrong
	[ ! -s wrong ] || fail "zsh: $(head -3 wrong)"
done
in_zsh <<-'END' | sed 's/ *$//' | reads 'zsh' 'perftab-analyze --by=module' 'perftab-analyze -u switched-out' \
	'perftab-capture perflib' 'perftab-capture list events' 'perftab-convert trace.data' \
	'perftab-capture perf --interrupts=exact' 'perftab-capture perf --via bpf'
	perftab-analyze --by=mod
	perftab-analyze -u sw
	perftab-capture perfl
	perftab-capture list ev
	perftab-convert tra
	perftab-capture perf --interrupts=ex
	perftab-capture perf --via b
END
finish
