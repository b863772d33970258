/*
 * xperf_columns.c - what a field means, by the column line of its kind of event.
 *
 * Columns go by their names: xperf has added some at the end of CSwitch twice, and may
 * add more anywhere.  Names of processes may hold commas, so a line may have more fields
 * than its column line.  How many belong to a name is found from both ends.
 */
#include "base/array.h"
#include "formats/etw/xperf.h"

/* Names of columns, without blanks and in small letters. */
static const struct {
	const char *name;
	enum xperf_column column;
} column_names[] = {
	{ "processname(pid)", COLUMN_PROCESS },
	{ "newprocessname(pid)", COLUMN_PROCESS },
	{ "threadid", COLUMN_THREAD },
	{ "newtid", COLUMN_THREAD },
	{ "oldprocessname(pid)", COLUMN_PROCESS_2 },
	{ "rdyprocessname(pid)", COLUMN_PROCESS_2 },
	{ "oldtid", COLUMN_THREAD_2 },
	{ "rdytid", COLUMN_THREAD_2 },
	{ "cpu", COLUMN_CPU },
	{ "npri", COLUMN_NEW_PRIORITY },
	{ "opri", COLUMN_OLD_PRIORITY },
	{ "oldstate", COLUMN_STATE },
	{ "waitreason", COLUMN_REASON },
	{ "swapable", COLUMN_MODE },
	{ "idealproc", COLUMN_IDEAL_CPU },
	{ "prevcstate", COLUMN_C_STATE },
	{ "parentpid", COLUMN_PARENT },
	{ "sessionid", COLUMN_SESSION },
	{ "uniquekey", COLUMN_KEY },
	{ "status", COLUMN_STATUS },
	{ "dirtablebase", COLUMN_TABLE_BASE },
	{ "flags", COLUMN_FLAGS },
	{ "sid", COLUMN_SID },
	{ "usersid", COLUMN_SID },
	{ "commandline", COLUMN_COMMAND },
	{ "cmdline", COLUMN_COMMAND },
	{ "prgrmctr", COLUMN_IP },
	{ "image!function", COLUMN_FUNCTION },
	{ "sampledprofiletype", COLUMN_TYPE },
	{ "adjustreason", COLUMN_ADJUST_REASON },
	{ "adjustincrement", COLUMN_INCREMENT },
	{ "indpc", COLUMN_IN_DPC },
	{ "source", COLUMN_SOURCE },
	{ "newinterval", COLUMN_NEW_INTERVAL },
	{ "oldinterval", COLUMN_OLD_INTERVAL },
	{ "processorindex", COLUMN_INDEX },
	{ "numberofprofilesources", COLUMN_SOURCES },
	{ "imagebase", COLUMN_ADDRESS },
	{ "baseaddress", COLUMN_ADDRESS },
	{ "address", COLUMN_ADDRESS },
	{ "endaddress", COLUMN_END },
	{ "imagesize", COLUMN_SIZE },
	{ "size", COLUMN_SIZE },
	{ "checksum", COLUMN_CHECKSUM },
	{ "timedatestamp", COLUMN_LINK_TIME },
	{ "filename", COLUMN_FILE },
	{ "imagefilename", COLUMN_FILE },
};

static const struct {
	const char *name;
	enum xperf_kind kind;
	const char *kept;
} kinds[] = {
	{ "CSwitch", XPERF_SWITCH, "context_switch" },
	{ "Pmc", XPERF_PMC, "context_switch" },
	{ "P-Start", XPERF_PROCESS, "etw_process" },
	{ "P-End", XPERF_PROCESS, "etw_process" },
	{ "P-DCStart", XPERF_PROCESS, "etw_process" },
	{ "P-DCEnd", XPERF_PROCESS, "etw_process" },
	{ "T-Start", XPERF_THREAD, "fork" },
	{ "T-End", XPERF_THREAD, "exit" },
	{ "T-DCStart", XPERF_THREAD, "comm" },
	{ "T-DCEnd", XPERF_THREAD, "comm" },
	{ "SampledProfile", XPERF_SAMPLE, "sample" },
	{ "ReadyThread", XPERF_READY, "etw_ready_thread" },
	{ "ProfileFreq-DCStart", XPERF_INTERVAL, "etw_interval" },
	{ "ProfileFreq-DCEnd", XPERF_INTERVAL, "etw_interval" },
	{ "ProfileFreq-SetInterval", XPERF_INTERVAL, "etw_interval" },
	{ "I-Start", XPERF_IMAGE, "etw_image" },
	{ "I-End", XPERF_IMAGE, "etw_image" },
	{ "I-DCStart", XPERF_IMAGE, "etw_image" },
	{ "I-DCEnd", XPERF_IMAGE, "etw_image" },
	{ "PmcCorruptionStatus", XPERF_CORRUPTION, NULL },
	{ "FirstReliableEventTimeStamp", XPERF_META, "header_fact" },
	{ "FirstReliableCSwitchEventTimeStamp", XPERF_META, "header_fact" },
};

/* --- kinds of events --- */

bool xperf_is_kind(struct str name)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (str_equal(name, str_of(kinds[i].name)))
			return true;
	return false;
}

static struct xperf_class *new_class(struct xperf_classes *classes, struct str name)
{
	struct xperf_class *class = arena_alloc(&classes->arena, sizeof(*class));

	if (!class)
		return NULL;
	class->name = arena_str(&classes->arena, name);
	if (!class->name.ptr)
		return NULL;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (str_equal(name, str_of(kinds[i].name))) {
			class->kind = kinds[i].kind;
			class->kept = kinds[i].kept;
		}
	if (!classes->first)
		classes->tail = &classes->first;
	*classes->tail = class;
	classes->tail = &class->next;
	classes->count++;
	return class;
}

struct xperf_class *xperf_find_class(const struct xperf_classes *classes, struct str name)
{
	struct xperf_class *class =
		map_get(&classes->by_name, map_hash_text(map_salt(), name));

	while (class && !str_equal(class->name, name))
		class = class->same_hash;
	return class;
}

struct xperf_class *xperf_other_class(struct xperf_classes *classes)
{
	if (!classes->others)
		classes->others = new_class(classes, STR("(others)"));
	return classes->others;
}

struct xperf_class *xperf_class(struct xperf_classes *classes, struct str name)
{
	struct xperf_class *class = xperf_find_class(classes, name), *same_hash;
	uint64_t hash;

	if (class)
		return class;
	/* The limit is not for the kinds that the bill needs. */
	if (classes->count >= XPERF_CLASSES_MAX && !xperf_is_kind(name))
		return xperf_other_class(classes);
	hash = map_hash_text(map_salt(), name);
	same_hash = map_get(&classes->by_name, hash);
	class = new_class(classes, name);
	if (!class || !map_put(&classes->by_name, hash, class))
		return NULL;
	class->same_hash = same_hash;
	return class;
}

void xperf_classes_release(struct xperf_classes *classes)
{
	map_release(&classes->by_name);
	arena_release(&classes->arena);
	*classes = (struct xperf_classes){ .count = 0 };
}

/* --- column lines --- */

/* Without regard to blanks and case. */
static bool same_name(struct str name, const char *plain)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c == ' ')
			continue;
		if (c >= 'A' && c <= 'Z')
			c = (char)(c | 0x20);
		if (c != *plain || c == '\0') /* a name may hold that */
			return false;
		plain++;
	}
	return *plain == '\0';
}

/* The first character that is not a blank, in lower case. */
static char first_of(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] != ' ')
			return name.ptr[i] >= 'A' && name.ptr[i] <= 'Z'
				       ? (char)(name.ptr[i] | 0x20)
				       : name.ptr[i];
	return '\0';
}

static void add_column(struct xperf_class *class, struct str name, size_t at)
{
	char first = first_of(name);

	for (size_t i = 0; i < ARRAY_COUNT(column_names); i++) {
		uint16_t *place;

		if (column_names[i].name[0] != first)
			continue;
		place = &class->at[column_names[i].column];
		if (*place == 0 && same_name(name, column_names[i].name))
			*place = (uint16_t)at;
	}
}

/*
 * Column lines of processes may end before the command line, and are then no measure of
 * what the events have: eight fields, nine where a process ends, then the command line,
 * and two more.
 */
static void complete_process(struct xperf_class *class)
{
	static const enum xperf_column fixed[] = {
		COLUMN_PROCESS, COLUMN_PARENT,	   COLUMN_SESSION, COLUMN_KEY,
		COLUMN_STATUS,	COLUMN_TABLE_BASE, COLUMN_FLAGS,   COLUMN_SID,
	};
	bool has_status = str_equal(class->name, STR("P-End")) ||
			  str_equal(class->name, STR("P-DCEnd"));
	uint16_t at = 2; /* after the time */

	if (!class->at[COLUMN_SID]) {
		class->at[COLUMN_COMMAND] = 0;
		class->at[COLUMN_STATUS] = 0;
		for (size_t i = 0; i < ARRAY_COUNT(fixed); i++)
			if (fixed[i] != COLUMN_STATUS || has_status)
				class->at[fixed[i]] = at++;
		class->columns = (uint16_t)(at + 3);
	}
	if (!class->at[COLUMN_COMMAND])
		class->at[COLUMN_COMMAND] = (uint16_t)(class->at[COLUMN_SID] + 1);
	if (class->columns <= class->at[COLUMN_COMMAND])
		class->columns = (uint16_t)(class->at[COLUMN_COMMAND] + 3);
	class->elastic = class->at[COLUMN_COMMAND];
	if (class->columns > class->elastic + 1)
		class->at[COLUMN_PACKAGE] = (uint16_t)(class->elastic + 1);
	if (class->columns > class->elastic + 2)
		class->at[COLUMN_APPLICATION] = (uint16_t)(class->elastic + 2);
}

void xperf_define_class(struct xperf_class *class, const struct xperf_line *line)
{
	size_t columns = line->count < XPERF_FIELDS_MAX ? line->count : XPERF_FIELDS_MAX;

	memset(class->at, 0, sizeof(class->at));
	class->has_columns = true;
	class->columns = (uint16_t)columns;
	class->elastic = 0;
	for (size_t i = 1; i < columns; i++)
		add_column(class, line->fields[i], i);
	if (class->kind == XPERF_PROCESS)
		complete_process(class);
	else if (class->kind == XPERF_SAMPLE)
		class->elastic = class->at[COLUMN_FUNCTION];
	else if (class->kind == XPERF_IMAGE)
		class->elastic = class->at[COLUMN_FILE];
}

/* --- fields of an event --- */

/* The digits in the last parentheses. */
static bool parse_process(struct str text, struct xperf_process *process)
{
	struct str number;
	size_t open = text.len;
	int64_t pid;

	if (text.len < 3 || text.ptr[text.len - 1] != ')')
		return false;
	while (open && text.ptr[open - 1] != '(')
		open--;
	if (open == 0)
		return false;
	number = xperf_trim((struct str){ text.ptr + open, text.len - open - 1 });
	if (!xperf_number(number, &pid) || pid < -1 || pid > UINT32_MAX)
		return false;
	process->name = xperf_trim((struct str){ text.ptr, open - 1 });
	process->pid = pid == -1 || pid == UINT32_MAX ? INT_NONE : pid;
	if (process->pid == INT_NONE || process->name.len == 0)
		process->name = STR_NONE;
	return true;
}

static bool is_process(const struct xperf_line *line, size_t at)
{
	struct xperf_process process;

	return parse_process(xperf_field(line, at), &process);
}

static bool are_numbers(const struct xperf_line *line, size_t from, size_t to)
{
	int64_t number;

	for (size_t i = from; i < to; i++)
		if (!xperf_number(xperf_field(line, i), &number))
			return false;
	return true;
}

/* The second process `shift` fields further than the first one says; it has `commas`. */
static bool second_fits(const struct xperf_view *view, size_t shift, size_t commas)
{
	size_t at = view->class->at[COLUMN_PROCESS_2] + shift + commas;

	return is_process(view->line, at) && are_numbers(view->line, at + 1, at + 2);
}

/*
 * A line with `more` fields than its class has columns.  A process ends with its number
 * in parentheses, and numbers follow it.
 */
static bool find_shifts(struct xperf_view *view, size_t more)
{
	const struct xperf_class *class = view->class;
	size_t first = class->at[COLUMN_PROCESS], second = class->at[COLUMN_PROCESS_2];
	size_t most = more < XPERF_COMMAS_MAX ? more : XPERF_COMMAS_MAX;

	for (size_t i = 0; i <= most; i++) {
		size_t after = first + i + 1;

		if (!is_process(view->line, first + i) ||
		    !are_numbers(view->line, after, second ? second + i : after + 1))
			continue;
		view->shift[0] = i;
		if (!second)
			return true;
		view->shift[1] = more - i;
		if (second_fits(view, i, more - i))
			return true;
	}
	/* No name has commas: the columns that are too many follow the others. */
	view->shift[0] = view->shift[1] = 0;
	return second && is_process(view->line, first) && second_fits(view, 0, 0);
}

bool xperf_view(struct xperf_view *view, const struct xperf_class *class,
		const struct xperf_line *line)
{
	*view = (struct xperf_view){ .class = class, .line = line };
	if (!class->has_columns || line->count > XPERF_FIELDS_MAX)
		return false;
	if (class->kind == XPERF_SWITCH && line->count < class->columns)
		return false;
	if (line->count <= class->columns || !class->at[COLUMN_PROCESS])
		return true;
	return find_shifts(view, line->count - class->columns);
}

/* The field of a column; 0: none. */
static size_t place_of(const struct xperf_view *view, enum xperf_column column)
{
	const struct xperf_class *class = view->class;
	size_t at = class->at[column], count = view->line->count;

	if (at == 0)
		return 0;
	if (class->elastic && at > class->elastic) { /* counted from the end */
		size_t from_end = class->columns - at;

		return count >= class->columns ? count - from_end : 0;
	}
	if (class->at[COLUMN_PROCESS] && at > class->at[COLUMN_PROCESS])
		at += view->shift[0];
	if (class->at[COLUMN_PROCESS_2] &&
	    class->at[column] > class->at[COLUMN_PROCESS_2])
		at += view->shift[1];
	return at < count ? at : 0;
}

struct str xperf_get(const struct xperf_view *view, enum xperf_column column)
{
	const struct xperf_class *class = view->class;
	size_t first = place_of(view, column), last = first;
	size_t count = view->line->count;

	if (first == 0)
		return STR_NONE;
	if (column == COLUMN_PROCESS)
		last += view->shift[0];
	else if (column == COLUMN_PROCESS_2)
		last += view->shift[1];
	else if (class->at[column] == class->elastic && count >= class->columns)
		last = count - 1 - (size_t)(class->columns - 1 - class->elastic);
	if (last <= first)
		return xperf_field(view->line, first);
	return xperf_line_span(view->line, first, last);
}

int64_t xperf_get_number(const struct xperf_view *view, enum xperf_column column)
{
	int64_t number;

	return xperf_number(xperf_get(view, column), &number) ? number : INT_NONE;
}

bool xperf_get_process(const struct xperf_view *view, enum xperf_column column,
		       struct xperf_process *process)
{
	return parse_process(xperf_get(view, column), process);
}

bool xperf_get_thread(const struct xperf_view *view, enum xperf_column column,
		      int64_t *tid)
{
	int64_t number;

	if (!xperf_number(xperf_get(view, column), &number) || number < -1 ||
	    number > UINT32_MAX)
		return false;
	*tid = number == -1 || number == UINT32_MAX ? INT_NONE : number;
	return true;
}

void xperf_get_numbers(const struct xperf_view *view, const struct xperf_number *numbers,
		       size_t count, void *row)
{
	for (size_t i = 0; i < count; i++) {
		int64_t number = xperf_get_number(view, numbers[i].column);

		memcpy((char *)row + numbers[i].offset, &number, sizeof(number));
	}
}

bool xperf_event(struct xperf_event *event, const struct xperf_class *class,
		 const struct xperf_line *line, unsigned int needs)
{
	struct xperf_view *view = &event->view;

	event->cpu = INT_NONE;
	if (!xperf_view(view, class, line) ||
	    ((needs & XPERF_NEEDS_PROCESS) &&
	     !xperf_get_process(view, COLUMN_PROCESS, &event->process)) ||
	    ((needs & XPERF_NEEDS_PROCESS_2) &&
	     !xperf_get_process(view, COLUMN_PROCESS_2, &event->process_2)) ||
	    ((needs & XPERF_NEEDS_THREAD) &&
	     !xperf_get_thread(view, COLUMN_THREAD, &event->tid)) ||
	    ((needs & XPERF_NEEDS_THREAD_2) &&
	     !xperf_get_thread(view, COLUMN_THREAD_2, &event->tid_2)))
		return false;
	if (needs & XPERF_NEEDS_CPU)
		event->cpu = xperf_get_number(view, COLUMN_CPU);
	return true;
}
