#!/bin/bash
# five_minutes.sh DOCUMENTS: the five minutes of the README on a system that was just installed:
# its commands that record, then its examples, whose output must be what the README shows.
set -eu
documents=$1
work=$(mktemp -d)
cd "$work"
ln -s "$documents/sample-traces" sample-traces

fail()
{
	echo "five_minutes: $*" >&2
	exit 1
}

# --- what records ---
# The README builds with make; a shell that sorts does for a system without compilers.
command="sh -c 'ls -lR /usr/share | sort >sorted'"
sed -n '/^## Five minutes/,/^```/p' /root/README.md | sed -n 's/^    \(perftab-.*\)/\1/p' |
	sed "s:make -j2:$command:" >commands
[ "$(wc -l <commands)" -ge 3 ] || fail "README has $(wc -l <commands) commands"
while read -r line; do
	bash -c "$line" >out 2>err </dev/null || fail "'$line': exit status $?: $(tail -2 err)"
	if [[ $line == perftab-analyze* ]]; then
		grep -q '^sort ' out || fail "'$line' has no line of sort: $(head -5 out)"
	fi
done <commands
perftab-analyze --check perf.data | tail -1 | grep -q '^\([0-9]*\) of \1 books balance' ||
	fail "the books of perf.data: $(perftab-analyze --check perf.data | tail -1)"
perftab-capture list events | grep -q task-clock || fail "list events"
perftab-analyze --html bill.html perf.data
grep -q '<script' bill.html || fail "no page"

# --- the examples ---
# Without those of sqlite3, which is another package.
awk '/^```/ { open = 0 }
	/^\$ / { n++; sub(/^\$ /, ""); print >(n ".sh"); printf "" >(n ".out"); open = 1; next }
	open { print >(n ".out") }' "$documents/README.md"
tried=0
for ((i = 1; ; i++)); do
	[ -e $i.sh ] || break
	! grep -q '^sqlite3' $i.sh || continue
	bash $i.sh >got 2>err || [ $? -eq 3 ] || fail "'$(cat $i.sh)': $(tail -2 err)"
	sed 's/ *$//' $i.out >wanted
	sed 's/ *$//' got >got.trimmed
	cmp -s wanted got.trimmed || { diff wanted got.trimmed | head -5; fail "'$(cat $i.sh)' prints something else"; }
	tried=$((tried + 1))
done
[ $tried -ge 5 ] || fail "$tried examples"
rm -rf "$work"
