# symbol_graph.awk - judges the graph of files: awk -f THIS RULES CIRCLES SYMBOLS
#
# SYMBOLS has lines "FILE D SYMBOL" (defined), "FILE U SYMBOL" (used) and "FILE I HEADER"
# (included), sorted.

function problem(text)
{
	print "symbol_graph: " text
	problems++
}

# The libraries of others that are worth a rule, by the names of their functions.
function library_of(symbol)
{
	if (symbol ~ /^sqlite3_/)
		return "sqlite"
	if (symbol ~ /^csv_(init|free|parse|fini|write|fwrite|get_|set_|error|strerror|opts)/)
		return "libcsv"
	if (symbol ~ /^ZSTD_/)
		return "zstd"
	if (symbol ~ /^(inflate|deflate|zError)/)
		return "zlib"
	if (symbol ~ /^pfm_/)
		return "libpfm"
	if (symbol ~ /^(bpf_|libbpf_|btf__|ring_buffer__)/)
		return "libbpf"
	if (symbol ~ /^(elf|gelf|elf32|elf64)_/ && symbol !~ /^elf_names/)
		return "libelf"
	return ""
}

# How many folders two paths have in common.
function common(a, b,    parts, others, i, n)
{
	n = split(a, parts, "/")
	split(b, others, "/")
	for (i = 1; i < n && parts[i] == others[i]; i++)
		;
	return i - 1
}

# The rule of a file: the longest folder of the rules that it is in.
function rule_of(file,    path)
{
	path = file
	while (sub(/\/[^\/]*$/, "", path))
		if (path in allowed)
			return path
	return ""
}

# Whether NAME of a rule is a file, without its ending or with * at the end, or a folder of it.
function covers(name, target)
{
	if (sub(/\*$/, "", name))
		return index(target, name) == 1
	return name == target || index(target, name "/") == 1 || index(target, name ".") == 1
}

# Whether a rule covers a file, itself or through the rules of the folders it names.
function allows(rule, target, seen,    names, i, n)
{
	if (rule in seen)
		return 0
	seen[rule] = 1
	n = split(allowed[rule], names, " ")
	for (i = 1; i <= n; i++)
		if (covers(names[i], target))
			return 1
	for (i = 1; i <= n; i++)
		if ((names[i] in allowed) && allows(names[i], target, seen))
			return 1
	return 0
}

# HOW says what the file does: "uses SYMBOL of", "includes".
function check_use(from, target, how,    rule, pair, seen)
{
	rule = rule_of(from)
	if (rule == "")
		return
	pair = rule SUBSEP target
	if (!(pair in verdict)) {
		split("", seen)
		verdict[pair] = rule_of(target) == rule || allows(rule, target, seen)
	}
	if (!verdict[pair])
		problem(from ": " how " " target ", which " rule " must not use")
}

function add_edge(from, target, symbol)
{
	if (from == target)
		return
	if (!((from, target) in edge)) {
		edge[from, target] = symbol
		successors[from] = successors[from] " " target
		predecessors[target] = predecessors[target] " " from
	} else {
		edge[from, target] = edge[from, target] ", " symbol
	}
	check_use(from, target, "uses " symbol " of")
}

# Several programs may define the same name: the nearest one is meant.
function link_use(file, symbol,    candidates, i, n, near, best)
{
	n = split(definers[symbol], candidates, " ")
	best = -1
	for (i = 1; i <= n; i++) {
		near = common(file, candidates[i])
		if (near > best)
			best = near
	}
	for (i = 1; i <= n; i++)
		if (common(file, candidates[i]) == best)
			add_edge(file, candidates[i], symbol)
}

# What is left when files without successors or predecessors are taken away again and again.
function peel(    changed, file)
{
	do {
		changed = 0
		for (file in left)
			if (!any_left(successors[file]) || !any_left(predecessors[file])) {
				delete left[file]
				changed = 1
			}
	} while (changed)
}

function any_left(list,    files, i, n)
{
	n = split(list, files, " ")
	for (i = 1; i <= n; i++)
		if (files[i] in left)
			return 1
	return 0
}

function reach(start,    stack, depth, file, files, i, n)
{
	depth = 1
	stack[1] = start
	while (depth > 0) {
		file = stack[depth--]
		n = split(successors[file], files, " ")
		for (i = 1; i <= n; i++)
			if ((files[i] in left) && !((start, files[i]) in reached)) {
				reached[start, files[i]] = 1
				stack[++depth] = files[i]
			}
	}
}

# The files of the circle through START, sorted, with a blank before each.
function circle_of(start,    file, list)
{
	list = ""
	for (file in left)
		if (((start, file) in reached) && ((file, start) in reached))
			list = insert(list, file)
	return list
}

function insert(list, file,    files, i, n, result, done)
{
	n = split(list, files, " ")
	result = ""
	done = 0
	for (i = 1; i <= n; i++) {
		if (!done && file < files[i]) {
			result = result " " file
			done = 1
		}
		result = result " " files[i]
	}
	return done ? result : result " " file
}

function report_circle(circle,    files, i, j, n)
{
	n = split(circle, files, " ")
	problem("circle of " n " files:" circle)
	for (i = 1; i <= n; i++)
		for (j = 1; j <= n; j++)
			if ((files[i], files[j]) in edge)
				print "  " files[i] " -> " files[j] ": " edge[files[i], files[j]]
}

function find_circles(    i, circle)
{
	peel()
	for (i = 1; i <= files; i++)
		if (file_at[i] in left)
			reach(file_at[i])
	for (i = 1; i <= files; i++) {
		circle = (file_at[i] in left) ? circle_of(file_at[i]) : ""
		if (circle == "" || (circle in found))
			continue
		found[circle] = 1
		if (!(circle in allowed_circle))
			report_circle(circle)
	}
	for (circle in allowed_circle)
		if (!(circle in found))
			problem("no such circle any more, remove it from " circles_name ":" circle)
}

function check_rules(    i)
{
	for (i = 1; i <= files; i++)
		if (rule_of(file_at[i]) == "")
			problem(file_at[i] ": its folder has no rule in " rules_name)
}

FILENAME == ARGV[1] || FILENAME == ARGV[2] {
	if ($0 ~ /^#/ || NF == 0)
		next
}

# RULES: "FOLDER: WHAT IT MAY USE..."
FILENAME == ARGV[1] {
	rules_name = FILENAME
	folder = $1
	if (!sub(/:$/, "", folder))
		problem(FILENAME ":" FNR ": expected FOLDER: followed by what it may use")
	if (folder in allowed)
		problem(FILENAME ":" FNR ": a second rule of " folder)
	$1 = ""
	allowed[folder] = $0
	next
}

# CIRCLES: "FILE FILE... # REASON"
FILENAME == ARGV[2] {
	circles_name = FILENAME
	if (!match($0, /# *[^ ].*$/))
		problem(FILENAME ":" FNR ": a circle without a reason")
	sub(/#.*$/, "")
	circle = ""
	for (i = 1; i <= NF; i++)
		circle = insert(circle, $i)
	allowed_circle[circle] = 1
	next
}

$2 == "I" {
	check_use($1, $3, "includes")
	next
}

!($1 in left) {
	left[$1] = 1
	file_at[++files] = $1
}
$2 == "D" { definers[$3] = definers[$3] " " $1 }
$2 == "U" {
	user[++uses] = $1
	used[uses] = $3
}

END {
	for (i = 1; i <= uses; i++) {
		if (used[i] in definers)
			link_use(user[i], used[i])
		else if ((library = library_of(used[i])) != "")
			check_use(user[i], library, "uses " used[i] " of")
	}
	check_rules()
	find_circles()
	printf "symbol_graph: %d files, %d uses, %d problems\n", files, uses, problems
	exit problems > 0
}
