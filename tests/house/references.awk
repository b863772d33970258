# references.awk - judges the names of files in texts: awk -v allowed=FILE -f THIS, with the paths
# of all files and folders on standard input.

function problem(text)
{
	print text
	problems++
}

function read_allowed(    line, name)
{
	while ((getline line <allowed) > 0) {
		if (line ~ /^#/ || line == "")
			continue
		name = line
		sub(/[ \t].*$/, "", name)
		if (line !~ /# *[^ ]/)
			problem(allowed ": " name ": no reason given")
		is_allowed[name] = 1
	}
	close(allowed)
}

# Includes of the compiler's own are for the compiler to find; so are those in quotes.
function check(file, line, text,    name)
{
	if (text ~ /^#include/)
		return
	gsub(/<[^>]*>/, "", text)
	check_folders(file, line, text)
	while (match(text, /[A-Za-z0-9_.\/*-]+\.(c|h|def|md|sql|sh|awk|cmake)/)) {
		name = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (text !~ /^[A-Za-z0-9_\/.-]*[A-Za-z0-9_\/]/)
			check_name(file, line, name)
	}
}

# Folders of lib and tools: paths of small letters with nothing after them.
function check_folders(file, line, text,    name)
{
	while (match(text, /(^|[^A-Za-z0-9_.\/$}-])(lib|tools)\/[a-z_]+(\/[a-z_]+)*/)) {
		name = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		sub(/^[^a-z]*/, "", name)
		if (text !~ /^[A-Za-z0-9\/*-]|^\.[a-z]/ && !(name in exists) && !(name in is_allowed))
			problem(file ":" line ": " name ": no such folder")
	}
}

function check_name(file, line, name,    base, folder)
{
	if (name ~ /[*]|NAME|FAMILY|^[a-z]\.[a-z]+$/)
		return # a pattern or a placeholder
	base = name
	sub(/^.*\//, "", base)
	if ((name in is_allowed) || (base in is_allowed) || (name in exists))
		return
	folder = name
	if (sub(/\/.*/, "", folder) && (folder in exists)) {
		problem(file ":" line ": " name ": no such file")
		return
	}
	# The name alone, or a path from some folder: known by its last part.
	if (name ~ /\.(c|def|md)$/ || file ~ /^docs\/architecture/)
		if (!(base in is_base))
			problem(file ":" line ": " name ": no such file")
}

{
	path[++paths] = $0
	exists[$0] = 1
	base = $0
	sub(/^.*\//, "", base)
	is_base[base] = 1
}

END {
	read_allowed()
	for (i = 1; i <= paths; i++) {
		file = path[i]
		if (file !~ /^(lib|tools|tests|docs|schema|scripts|bench|cmake|sample-traces|include|[^\/]*$)/)
			continue
		if (file !~ /\.(c|h|def|md|[13]|cmake)$/ && file !~ /CMakeLists.txt$/)
			continue
		if (file == "CHANGELOG.md")
			continue # names of the past
		for (line = 1; (getline text <file) > 0; line++)
			check(file, line, text)
		close(file)
	}
	exit problems > 0
}
