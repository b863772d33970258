# sources.awk - the checks of `sources`: awk -v mode=MODE -f THIS FILE...

function problem(text)
{
	print text
	problems++
}

FNR == 1 {
	if (mode == "size")
		check_size(last, lines)
	last = FILENAME
	lines = 0
	function_line = 0
	said = ""
	in_comment = 1
	previous = ""
}
{ lines = FNR }

# --- purpose: the first comment, at least four words besides the name of the file

mode == "purpose" && in_comment {
	if (FNR == 1 && $0 !~ /^\/\*/) {
		problem(FILENAME ": begins without a comment that says its purpose")
		in_comment = 0
		next
	}
	said = said " " $0
	if ($0 ~ /\*\//) {
		in_comment = 0
		gsub(/\/\*|\*\/|[ \t]\*[ \t]/, " ", said)
		gsub(/[ \t]+/, " ", said)
		if (match(said, /^ *[a-z0-9_\/]+\.(c|h|def) *[-:]/)) {
			name = substr(said, 1, RLENGTH)
			said = substr(said, RLENGTH + 1)
			gsub(/[ :-]/, "", name)
			base = FILENAME
			sub(/.*\//, "", base)
			if (name != base)
				problem(FILENAME ": its first comment names " name)
		}
		if (split(said, words, " ") < 4)
			problem(FILENAME ": its first comment does not say its purpose")
	}
}

# --- guards: PERFTAB_ and the name of the file, with folders before it or without

function ends_with(text, tail)
{
	return length(text) >= length(tail) && substr(text, length(text) - length(tail) + 1) == tail
}

FNR == 1 { guard = "" }
mode == "guards" && /^#/ && guard == "" {
	guard = $2
	path = toupper(FILENAME)
	name = path
	sub(/^.*\//, "", name)
	gsub(/[.\/]/, "_", path)
	gsub(/\./, "_", name)
	end = guard
	if ($1 != "#ifndef" || !sub(/^PERFTAB/, "", end) || !ends_with("_" path, end) || !ends_with(end, "_" name))
		problem(FILENAME ":" FNR ": the guard is not PERFTAB_ and the end of its path, such as PERFTAB_" name)
}

# --- size

function check_size(file, count)
{
	if (file != "" && count > 600)
		problem(file ": " count " lines, at most 600")
}

mode == "size" && /^\{/ { function_line = FNR }
mode == "size" && /^\}/ && function_line {
	if (FNR - function_line - 1 > 60)
		problem(FILENAME ":" function_line ": a function of " FNR - function_line - 1 " lines, at most 60")
	function_line = 0
}

# --- comments, which clang-format does not break

function columns(line,    i, n, parts, at)
{
	n = split(line, parts, "\t")
	at = length(parts[1])
	for (i = 2; i <= n; i++)
		at += 8 - at % 8 + length(parts[i])
	return at
}

mode == "size" && /^[ \t]*(\/\*|\*([ \/]|$))/ && columns($0) > 90 {
	problem(FILENAME ":" FNR ": a comment of " columns($0) " columns, at most 90")
}
mode == "size" {
	if (/^[ \t]*\*\/$/ && before ~ /^[ \t]*\/\*+ ./)
		problem(FILENAME ":" FNR ": the end of a comment of one line")
	before = $0
}

# --- lists of CMake

mode == "lists" {
	line = $0
	sub(/#.*$/, "", line)
	count = gsub(/[A-Za-z0-9_\/}-]\.c([ \t)]|$)/, "&", line)
	if (count > 1)
		problem(FILENAME ":" FNR ": " count " source files in one line")
	if (line !~ /^[ \t]*[A-Za-z0-9_\/${}.-]+\.c[ \t]*\)?[ \t]*$/) {
		previous = ""
		next
	}
	gsub(/[ \t)]/, "", line)
	if (previous != "" && line < previous)
		problem(FILENAME ":" FNR ": " line " after " previous ": sources are sorted")
	previous = line
}

# --- includes

function included(line)
{
	sub(/^#[ \t]*include[ \t]*["<]/, "", line)
	sub(/[">].*$/, "", line)
	return line
}

function is_file(path,    line, result)
{
	result = (getline line <path) >= 0
	close(path)
	return result
}

mode == "includes" && /^#[ \t]*include/ {
	name = included($0)
	if (name ~ /(^|\/)tests\//)
		problem(FILENAME ":" FNR ": includes " name ": lib and tools know nothing of tests")
	if (tolower(name) == "windows.h" && FILENAME !~ /^lib\/base\/os_windows[_a-z]*\.|^tools\/capture\/windows\/api\//)
		problem(FILENAME ":" FNR ": includes " name ": only lib/base/os_windows*.c and tools/capture/windows/api do")
}

# What C and the libraries have, threads, and what else every compiler of ours brings.
BEGIN {
	count = split("assert ctype errno float inttypes limits locale math setjmp signal stdalign stdarg stdatomic " \
		"stdbool stddef stdint stdio stdlib string time wchar csv sqlite3 sqlite3ext zlib zstd zstd_errors wimlib " \
		"getopt pthread strings immintrin sanitizer/asan_interface", list, " ")
	for (i = 1; i <= count; i++)
		is_portable[list[i] ".h"] = 1
}
mode == "includes" && /^#[ \t]*include[ \t]*</ && !(included($0) in is_portable) &&
tolower(included($0)) != "windows.h" &&
FILENAME !~ /^lib\/base\/(os_(posix|windows)|sandbox)|^lib\/symbols\/files\/|^lib\/formats\/perf\/write|^tools\/capture\/(linux|windows\/api)\// {
	problem(FILENAME ":" FNR ": includes " included($0) ": lib/base/os.h is the way to the system")
}

# A header private.h or NAME_private.h is for its folder, and for tests.
mode == "private" && /^#[ \t]*include[ \t]*"(.*[\/_])?private\.h"/ {
	name = included($0)
	folder = name
	sub(/[^\/]*$/, "", folder)
	user = FILENAME
	sub(/^[^\/]*\//, "", user)
	sub(/[^\/]*$/, "", user)
	if (folder != user)
		problem(FILENAME ":" FNR ": includes " name ": only its own folder and tests do")
}

mode == "generator" && /^#[ \t]*include[ \t]*"/ {
	name = included($0)
	folder = FILENAME
	sub(/[^\/]*$/, "", folder)
	if (!is_file(folder name) && (is_file("lib/" name) || is_file("tools/" name)))
		problem(FILENAME ":" FNR ": includes " name ": generators know nothing of lib")
}

END {
	if (mode == "size")
		check_size(last, lines)
	exit problems > 0
}

# --- memory: what runs out of it must be noted (lib/base/memory.h)

mode == "memory" && /(^|[^_[:alnum:].>])(malloc|calloc|realloc|aligned_alloc)\(/ {
	problem(FILENAME ":" FNR ": allocates without lib/base/memory.h")
}
