# lib.sh - shared by the tests of pages; sources tests/cli/lib.sh.  The test runs in $work.
# With PERFTAB_REQUIRE_BROWSER set, as in CI, a missing program is a failure.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
samples=$PERFTAB_SOURCE/sample-traces

missing() {
	[ -z "${PERFTAB_REQUIRE_BROWSER:-}" ] || { fail "$*"; finish; }
	skip "$*"
}

# needs_pages: pages can be made
needs_pages() {
	perftab-analyze --html try.html "$samples/perf/good-perftab.data" 2>&1 | grep -q 'this build has no pages' || { rm -f try.html; return; }
	[ ! -e try.html ] || fail "there is a page all the same"
	missing "perftab-analyze was built without uPlot (scripts/install-packages html)"
}

# needs_browser [WORDS]: and looked at; sets $browser
needs_browser() {
	browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
		missing "chromium is missing (scripts/install-packages browser)${1-}"
	command -v node >/dev/null || missing "node is missing (scripts/install-packages browser)${1-}"
}

# page NAME TRACE [OPTIONS...]: a page, and the CSV of the same
page() {
	local name=$1 trace=$2
	shift 2
	perftab-analyze --html "$name.html" "$@" "$trace" 2>err || [ $? -eq 3 ] || fail "$name: $(head -1 err)"
	perftab-analyze --csv "$@" "$trace" >"$name.csv" 2>/dev/null
}

# diff_page TRACE: diff.html and diff.csv of six runs a side, of which B costs 5 % more
diff_page() {
	local i
	perftab-convert "$1" -o side.db 2>/dev/null
	for i in 1 2 3 4 5 6; do
		cp side.db "a$i.db"
		sql "a$i.db" "UPDATE thread_charge SET charged = charged * $((1000 + i)) / 1000"
		cp "a$i.db" "b$i.db"
		sql "b$i.db" "UPDATE thread_charge SET charged = charged * 1050 / 1000"
	done
	status 0 "diff" perftab-analyze --diff --html diff.html --counter task-clock a?.db --with b?.db
	perftab-analyze --diff --csv --counter task-clock a?.db --with b?.db >diff.csv
}

# browse PART...: functions of tests/browser, in the browser
browse() {
	timeout 300 node "$PERFTAB_SOURCE/tests/browser/pages.mjs" "$browser" "$work" "$@" || fail "the browser: $*"
}
