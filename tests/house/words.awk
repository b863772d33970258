# words.awk - the lint of `words`: awk -v lists=FOLDER -f THIS FILE...

function problem(text)
{
	print text
	problems++
}

function read_words(name,    line, parts, n)
{
	while ((getline line <name) > 0) {
		n = split(line, parts, "\t")
		if (line ~ /^#/ || line == "")
			continue
		if (n != 3)
			problem(name ": expected WORDS, EXCEPT and ADVICE with tabs: " line)
		rules++
		word[rules] = bounded(parts[1])
		except[rules] = parts[2] == "-" ? "" : bounded(parts[2])
		advice[rules] = parts[3]
		any = any (any == "" ? "" : "|") parts[1]
	}
	close(name)
	any = bounded(any)
	if (rules == 0)
		problem(name ": no words")
}

function bounded(words)
{
	return "(^|[^a-z])(" words ")($|[^a-z])"
}

function read_allowed(name,    line, parts)
{
	while ((getline line <name) > 0) {
		if (line ~ /^#/ || line == "")
			continue
		if (split(line, parts, "\t") != 3 || parts[3] == "")
			problem(name ": expected FILE, TEXT and REASON with tabs: " line)
		allowances++
		allowed_file[allowances] = parts[1]
		allowed_text[allowances] = parts[2]
	}
	close(name)
}

function is_allowed(file, text,    i, name, result)
{
	result = 0
	for (i = 1; i <= allowances; i++) {
		name = allowed_file[i]
		if (name == file || (sub(/\*$/, "", name) && index(file, name) == 1))
			if (allowed_text[i] == "-" || index(text, allowed_text[i])) {
				is_used[i] = 1
				result = 1
			}
	}
	return result
}

# The same length of x, so that places stay where they are.
function blank(text, pattern,    start, filler, length_)
{
	while (match(text, pattern)) {
		start = RSTART
		length_ = RLENGTH
		filler = substr("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 1, length_ - 2)
		while (length(filler) < length_ - 2)
			filler = filler "x"
		text = substr(text, 1, start) filler substr(text, start + length_ - 1)
	}
	return text
}

# What begins in the first `own` letters of the text, which is of the line and the next one.
function check(file, line, text, own,    i, rest, found)
{
	if (text !~ any)
		return
	for (i = 1; i <= rules; i++) {
		rest = except[i] == "" ? text : blank(text, except[i])
		if (!match(rest, word[i]) || RSTART > own)
			continue
		if (is_allowed(file, text))
			continue
		found = substr(rest, RSTART, RLENGTH)
		gsub(/^[^a-z]+|[^a-z]+$/, "", found)
		problem(file ":" line ": " found ": " advice[i])
	}
}

# The text of a line without what surrounds it: signs of comments, of string literals.
function text_of(line)
{
	line = tolower(line)
	gsub(/^[ \t]*("|\/\*+|\*|#+|--|\.\\"|\|)?[ \t]*|[ \t]*"?[ \t\\]*$/, "", line)
	return line
}

# Sentences go on in the next line, but not past the end of a comment or a paragraph.
function flush_line(next_text)
{
	if (held_line)
		check(held_file, held_line,
		      held_text (held_text ~ /\*\/$/ || next_text == "" ? "" : " " next_text),
		      length(held_text))
	held_line = 0
}

BEGIN {
	read_words(lists "/words.txt")
	read_allowed(lists "/words_allowed.txt")
}

FNR == 1 {
	flush_line("")
}
{
	text = text_of($0)
	flush_line(text)
	held_file = FILENAME
	held_line = FNR
	held_text = text
}

END {
	flush_line("")
	for (i = 1; i <= allowances; i++)
		if (!(i in is_used))
			problem("words_allowed.txt: unused: " allowed_file[i] ": " allowed_text[i])
	exit problems > 0
}
