# edits.awk - reads lists of faults (scripts/mutate --help), and checks or applies their edits.
#
#   awk -v mode=check -v root=TREE -f edits.awk LIST...
#   awk -v mode=list -f edits.awk LIST...                  ID AREA FILE FUNCTION WHAT HARMLESS, with tabs
#   awk -v mode=area -v of=AREA -v key=first -f edits.awk LIST...
#   awk -v mode=apply -v id=ID -v root=TREE -f edits.awk LIST...
#
# Old text is found without regard to blanks and line ends, so that a formatted line still fits.

function problem(text)
{
	print text
	problems++
}

function without_blanks(text)
{
	gsub(/[ \t\n]+/, "", text)
	return text
}

function area_of(name)
{
	sub(/^.*\//, "", name)
	sub(/\.list$/, "", name)
	return name
}

# --- the lists

FNR == 1 {
	current = ""
}

/^#/ || /^[ \t]*$/ {
	next
}

$1 == "fault" {
	current = $2
	if (NF != 4)
		problem(FILENAME ":" FNR ": expected: fault ID FILE FUNCTION")
	if (current in file_of)
		problem(FILENAME ":" FNR ": " current " is in the lists twice")
	order[++count] = current
	place[current] = FILENAME ":" FNR
	file_of[current] = $3
	function_of[current] = $4
	area[current] = area_of(FILENAME)
	next
}

{
	word = $1
	text = $0
	sub(/^[a-z]+[ \t]*/, "", text)
}

current == "" && (word == "build" || word == "first" || word == "wider") {
	header[area_of(FILENAME), word] = text
	next
}

current != "" && (word == "what" || word == "harmless" || word == "old" || word == "new") {
	if ((current, word) in said)
		text = said[current, word] " " text
	said[current, word] = text
	next
}

{
	problem(FILENAME ":" FNR ": " word ": expected build, first, wider, fault, what, harmless, old or new")
}

# --- the files

function read_source(path,    line, n)
{
	if (path in lines_of)
		return lines_of[path]
	while ((getline line <(root "/" path)) > 0)
		source[path, ++n] = line
	close(root "/" path)
	lines_of[path] = n + 0
	return lines_of[path]
}

# The lines of a function, in `from` and `to`; "-" is the whole file.
function find_function(path, name,    n, i, k, begins)
{
	n = read_source(path)
	from = 1
	to = n
	if (name == "-")
		return n > 0
	begins = "(^|[^A-Za-z0-9_])" name "[(,]"
	for (i = 1; i <= n; i++) {
		if (source[path, i] !~ begins || source[path, i] ~ /^[ \t\/*#}]/)
			continue
		for (k = i; k <= n && source[path, k] !~ /^\{/ && source[path, k] !~ /;$/; k++)
			;
		if (source[path, k] !~ /^\{/)
			continue
		from = i
		for (to = k; to <= n && source[path, to] !~ /^\}/; to++)
			;
		return 1
	}
	return 0
}

function text_of(path,    i, text)
{
	for (i = from; i <= to; i++)
		text = text source[path, i] "\n"
	return text
}

function occurrences(text, part,    n, at)
{
	while ((at = index(text, part)) > 0) {
		n++
		text = substr(text, at + 1)
	}
	return n + 0
}

# Why the edit does not apply, or "".
function refusal(id,    path, old, n)
{
	path = file_of[id]
	old = without_blanks(said[id, "old"])
	if (old == "" || !((id, "new") in said) || said[id, "what"] == "")
		return "needs what, old and new"
	if (old == without_blanks(said[id, "new"]))
		return "the new text is the old one"
	if (!find_function(path, function_of[id]))
		return "no function " function_of[id] " in " path
	n = occurrences(without_blanks(text_of(path)), old)
	return n == 1 ? "" : "its old text is in " function_of[id] " of " path " " n " times, expected once"
}

# Writes the file with the edit.
function apply(id,    path, text, old, norm, n, i, c, at, place_of, out)
{
	path = file_of[id]
	find_function(path, function_of[id])
	text = text_of(path)
	old = without_blanks(said[id, "old"])
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == " " || c == "\t" || c == "\n")
			continue
		norm = norm c
		place_of[++n] = i
	}
	at = index(norm, old)
	out = root "/" path
	for (i = 1; i < from; i++)
		print source[path, i] >out
	printf "%s%s%s", substr(text, 1, place_of[at] - 1), said[id, "new"],
		substr(text, place_of[at + length(old) - 1] + 1) >out
	for (i = to + 1; i <= lines_of[path]; i++)
		print source[path, i] >out
	close(out)
}

END {
	if (mode == "area") {
		print header[of, key]
		exit
	}
	for (i = 1; i <= count; i++) {
		fault = order[i]
		if (mode == "list")
			print fault "\t" area[fault] "\t" file_of[fault] "\t" function_of[fault] \
				"\t" said[fault, "what"] "\t" said[fault, "harmless"]
		if (mode == "check" || (mode == "apply" && fault == id)) {
			why = refusal(fault)
			if (why != "")
				problem(place[fault] ": " fault ": " why)
			else if (mode == "apply")
				apply(fault)
		}
		known += fault == id
	}
	if (mode == "apply" && !known)
		problem("no fault " id)
	if (mode == "check" && count == 0)
		problem("no faults in the lists")
	exit problems > 0
}
