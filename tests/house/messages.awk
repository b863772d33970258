# messages.awk - error messages of C sources that no test names; see messages.
#
# A message is a text given to one of the functions that report an error.  Of its format only
# the words between conversions count.  A test names it by three of them in a row that no other
# message has, or if there are none, by all words between two conversions.

BEGIN {
	reports = "(error_set|cli_wrong_usage|cli_error|event_fail|recorder_warn|fprintf|fputs|misuse|" \
		"set_error|report_missing|warn[a-z_]*|fail[a-z_]*|refuse[a-z_]*|wrong[a-z_]*|bad[a-z_]*)\\("
	conversion = "%[-+ #0-9.*]*(l|ll|z|h|hh|j)?[a-zA-Z]"
	while ((getline line <untested) > 0) {
		if (line ~ /^#/ || line == "")
			continue
		if (!match(line, /[ \t]+# /)) {
			problem(untested ": a message without a reason: " line)
			continue
		}
		excused[substr(line, 1, RSTART - 1)] = 1
	}
}

function problem(text)
{
	print text
	problems++
}

# --- messages

function add_gram(gram)
{
	if (length(gram) >= 8 && !((gram, messages) in known)) {
		known[gram, messages] = 1
		owners[gram]++
		grams[messages] = grams[messages] "\t" gram
	}
}

function plain_words(text)
{
	gsub(/[^A-Za-z0-9_.-]+/, " ", text)
	sub(/^ /, "", text)
	sub(/ $/, "", text)
	return text
}

function add_message(place, format,    pieces, words, count, n, i, k, all)
{
	gsub(/\\n/, "", format)
	gsub(/\\"/, "\"", format)
	sub(/^perftab-capture: /, "", format)
	if (format in number || format !~ /[a-z]+ [a-z%]/)
		return
	number[format] = ++messages
	message[messages] = format
	places[messages] = place
	count = split(format, pieces, conversion)
	for (i = 1; i <= count; i++) {
		all = plain_words(pieces[i])
		n = split(all, words, " ")
		if (length(all) > length(longest[messages]))
			longest[messages] = all
		for (k = 1; k + 2 <= n; k++)
			add_gram(words[k] " " words[k + 1] " " words[k + 2])
	}
}

# The texts of C between quotes that follow one another; sets `rest`.
function join_texts(text,    all, piece)
{
	all = ""
	while (match(text, /^[ \t\n]*"([^"\\]|\\.)*"/)) {
		piece = substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
		sub(/^[ \t\n]*"/, "", piece)
		all = all substr(piece, 1, length(piece) - 1)
	}
	rest = text
	return all
}

# The length of a call from its "(" to its ")".
function length_of_call(text,    depth, i, c, quoted)
{
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (quoted && c == "\\")
			i++
		else if (c == "\"")
			quoted = !quoted
		else if (!quoted && c == "(")
			depth++
		else if (!quoted && c == ")" && --depth == 0)
			return i
	}
	return length(text)
}

function add_messages(path, text,    line, name, call, head, one)
{
	line = 1
	while (match(text, reports)) {
		name = substr(text, RSTART, RLENGTH - 1)
		head = substr(text, 1, RSTART - 1)
		line += gsub(/\n/, "\n", head)
		text = substr(text, RSTART + length(name))
		call = substr(text, 1, length_of_call(text))
		if (name ~ /^f(printf|puts)$/ && call !~ /stderr/)
			continue
		for (rest = call; match(rest, /"/);) {
			rest = substr(rest, RSTART)
			one = join_texts(rest)
			add_message(path ":" line, one)
		}
	}
}

# --- files

{ text[FILENAME] = text[FILENAME] $0 "\n" }

# Keeps which grams of messages the tests have, and their words, file by file.
function collect_tests(    path, one, words, n, k, gram)
{
	for (path in text) {
		if (path !~ /^tests\//)
			continue
		one = text[path]
		gsub(/"[ \t\n]+"/, "", one)
		gsub(/\\/, "", one)
		test[path] = plain_words(one)
		n = split(test[path], words, " ")
		for (k = 1; k + 2 <= n; k++) {
			gram = words[k] " " words[k + 1] " " words[k + 2]
			if (gram in owners)
				tested[gram]
		}
	}
}

function is_in_tests(words,    path)
{
	for (path in test)
		if (index(test[path], words))
			return 1
	return 0
}

# Most are found as whole words; only the others are looked for in all texts.
function is_named(m,    n, k, each, own)
{
	n = split(substr(grams[m], 2), each, "\t")
	for (k = 1; k <= n; k++)
		if (owners[each[k]] == 1 && each[k] in tested)
			return 1
	for (k = 1; k <= n; k++)
		if (owners[each[k]] == 1) {
			if (is_in_tests(each[k]))
				return 1
			own++
		}
	return !own && is_in_tests(longest[m])
}

END {
	for (path in text)
		if (path ~ /^(lib|tools)\//)
			add_messages(path, text[path])
	if (!messages)
		problem("no error message found: see messages.awk")
	collect_tests()
	for (m = 1; m <= messages; m++) {
		named = is_named(m)
		if (!named && !(message[m] in excused))
			problem(places[m] ": " message[m] ": no test names it")
		if (named && message[m] in excused)
			problem(untested ": " message[m] ": a test names it")
	}
	for (format in excused)
		if (!(format in number))
			problem(untested ": " format ": no such message")
	exit problems > 0
}
