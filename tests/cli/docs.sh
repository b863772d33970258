#!/bin/bash
# docs.sh: every example in the documents runs, and prints what the document shows.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

# examples FILE: "$ command" lines and what follows them, up to the next command or the end
# of the block, as N.sh and N.out in the current folder.
examples() {
	awk '
		function close_one() { if (n) { close(n ".sh"); close(n ".out") } open = 0 }
		/^```/ || /^\.Ed/ { close_one(); next }
		/^ *\$ / { close_one(); n++; open = 1; sub(/^ *\$ /, "")
			   print > (n ".sh"); printf "" > (n ".out"); more = /\\$/; next }
		open && more { sub(/^ *> /, ""); print > (n ".sh"); more = /\\$/; next }
		open { sub(/ *$/, ""); print > (n ".out") }' "$1"
}

for doc in README.md schema/README.md docs/counters.md docs/damaged-traces.md docs/flame-graphs.md docs/proc-countersets.md $(cd "$PERFTAB_SOURCE" && echo docs/man/*.[1-9]); do
	dir=$work/${doc//\//-}
	mkdir "$dir" && cd "$dir" || exit 1
	ln -s "$PERFTAB_SOURCE/sample-traces" sample-traces
	ln -s "$shared/perftab.so" perftab.so
	examples "$PERFTAB_SOURCE/$doc"
	case $doc in docs/man/*) [ -e 1.sh ] || continue ;; esac # examples.sh has its examples
	[ -e 1.sh ] || fail "$doc: no examples"
	scripts=(./*.sh)
	for ((i = 1; i <= ${#scripts[@]}; i++)); do
		# Manuals write a backslash as \e.
		case $doc in *.1) sed -i 's/\\e/\\/g; s/\\&//g; s/\\(aq/'"'"'/g; s/\\-/-/g' $i.sh $i.out ;; esac
		bash $i.sh >got 2>got.err
		code=$?
		[ $code -eq 0 ] || [ $code -eq 3 ] || fail "$doc: '$(cat $i.sh)': exit status $code: $(head -1 got.err)"
		[ -s $i.out ] || continue
		sed -i 's/ *$//' got
		read -r line <$i.sh
		same "$doc: '$line' prints something else" $i.out got
	done
done
finish
