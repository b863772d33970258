/*
 * features.c - the header features after the data: who recorded what, where.
 *
 * Each becomes rows of header_fact; event names and tracepoint formats go to the events.
 * A string is u32 length (padded, NUL inside), then its bytes.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/perf/features.h"
#include "formats/perf/file_symbols.h"
#include "formats/perf/records.h"
#include "formats/perf/tracepoints.h"

static struct str emit_text_fact(struct perf_rows *rows, unsigned int feature,
				 struct cursor *c)
{
	struct str value = perf_decode_string(c);

	if (c->overrun || value.len == 0)
		return STR_NONE;
	return perf_emit_fact(rows, perf_feature_name(feature), value);
}

/* The words of the command, quoted where a shell needs it. */
static void decode_command(struct perf_rows *rows, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	char text[4096];
	size_t at = 0;

	for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		struct str word = perf_decode_string(c);
		bool quote = word.len == 0 || memchr(word.ptr, ' ', word.len);

		if (c->overrun)
			break;
		at += text_print(text + at, sizeof(text) - at, "%s%s%.*s%s", i ? " " : "",
				 quote ? "'" : "", (int)word.len, word.ptr,
				 quote ? "'" : "");
	}
	rows->trace.command = perf_emit_fact(rows, "CMDLINE", (struct str){ text, at });
}

/* `rows` NULL: no facts. */
static void decode_groups(struct perf_rows *rows, struct perf_catalog *catalog,
			  struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		struct str name = perf_decode_string(c);
		uint32_t leader = cursor_u32(c);
		uint32_t members = cursor_u32(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s: leader event %u, %u members",
			   (int)name.len, name.ptr, leader, members);
		if (rows)
			perf_emit_fact(rows, "GROUP_DESC", str_of(text));
		if (leader < catalog->event_count &&
		    members <= catalog->event_count - leader)
			catalog->events[leader]->declared_members = members;
	}
}

static void decode_sample_time(struct perf_rows *rows, struct cursor *c)
{
	uint64_t first = cursor_u64(c);
	uint64_t last = cursor_u64(c);

	if (c->overrun || (first == 0 && last == 0)) /* in a pipe it is not known yet */
		return;
	perf_emit_number(rows, "SAMPLE_TIME first", first, " ns");
	perf_emit_number(rows, "SAMPLE_TIME last", last, " ns");
}

/* u32 version, u32 clockid, u64 wall clock ns, u64 trace clock ns at the same moment. */
static void decode_clock_data(struct perf_rows *rows, struct cursor *c)
{
	uint32_t version = cursor_u32(c);
	uint64_t wall, trace;

	cursor_skip(c, 4);
	wall = cursor_u64(c);
	trace = cursor_u64(c);
	if (c->overrun || version != 1)
		return;
	perf_emit_number(rows, "CLOCK_DATA wall clock", wall, " ns");
	perf_emit_number(rows, "CLOCK_DATA trace clock", trace, " ns");
	rows->trace.wall_offset_ns = (int64_t)(wall - trace);
}

/*
 * u32 events, u32 attr size, then for each: attr, u32 ids, name, u64 ids.  The events are
 * in the order of the attributes; if their number differs, the ids decide.  Ids that the
 * attributes' own section lost (outside the file) are restored from here.
 */
static void decode_event_names(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	uint32_t attr_size = cursor_u32(c);
	bool rebuild = perf->catalog.event_count == 0 &&
		       !perf->source.is_pipe; /* they were lost */

	for (uint32_t i = 0; i < count && i < PERF_EVENTS_MAX && !c->overrun; i++) {
		struct perf_event *event = NULL;
		struct cursor attr = cursor_sub(c, attr_size);
		uint32_t ids;
		struct str name;

		if (attr_size && perf->catalog.event_count == i && rebuild)
			event = perf_add_event(&perf->catalog, &attr);
		ids = cursor_u32(c);
		name = perf_decode_string(c);
		if (!event && count == perf->catalog.event_count)
			event = perf->catalog.events[i];
		for (uint32_t k = 0; k < ids && !c->overrun; k++) {
			uint64_t id = cursor_u64(c);
			const struct perf_stream *stream =
				map_get(&perf->catalog.streams, id);

			if (stream && !event)
				event = stream->event;
			else if (!stream && event && !c->overrun)
				(void)perf_add_id(&perf->catalog, event, id);
		}
		if (!c->overrun && event)
			perf_rename_event(&perf->catalog, event, name);
	}
}

/* --- before the attributes --- */

/*
 * perf 4.14 to 4.16 wrote the features into a pipe before the attributes, whose names and
 * groups they have.  The first content is kept until then.
 */
static void keep_early(struct perf *perf, struct str *kept, const struct cursor *c)
{
	struct str content = { (const char *)c->pos, cursor_left(c) };

	if (perf->source.is_pipe && perf->catalog.event_count == 0 && !kept->ptr &&
	    content.len <= PERF_RECORD_BYTES_MAX)
		*kept = arena_str(&perf->catalog.arena, content);
}

void perf_use_early_features(struct perf *perf)
{
	struct str *names = &perf->catalog.early_names,
		   *groups = &perf->catalog.early_groups;
	struct cursor c;

	if (perf->catalog.event_count == 0)
		return;
	if (names->ptr) {
		c = cursor_over(names->ptr, names->len, 0, perf->catalog.big_endian);
		decode_event_names(perf, &c);
	}
	if (groups->ptr) {
		c = cursor_over(groups->ptr, groups->len, 0, perf->catalog.big_endian);
		decode_groups(NULL, &perf->catalog, &c);
	}
	*names = *groups = STR_NONE;
}

/* --- simpleperf --- */

/*
 * Names the events of one line.  Events of PMUs other than the core's may have options in
 * their config: there the type decides.
 */
static void name_simpleperf(struct perf *perf, uint32_t type, uint64_t config,
			    struct str name)
{
	struct perf_event *of_type = NULL;
	bool found = false;

	for (size_t i = 0; i < perf->catalog.event_count; i++) {
		struct perf_event *event = perf->catalog.events[i];

		if (event->type != type)
			continue;
		if (event->config == config) {
			if (!event->named)
				perf_rename_event(&perf->catalog, event, name);
			found = true;
		} else if (type > PERF_TYPE_BREAKPOINT && !event->named) {
			of_type = event;
		}
	}
	if (!found && of_type)
		perf_rename_event(&perf->catalog, of_type, name);
}

/* "name,type,config" lines. */
static void decode_simpleperf_names(struct perf *perf, struct str lines)
{
	for (uint32_t n = 0; lines.len && n < PERF_EVENTS_MAX; n++) {
		const char *end = memchr(lines.ptr, '\n', lines.len);
		size_t len = end ? (size_t)(end - lines.ptr) : lines.len;
		char line[PERF_NAME_BYTES_MAX + 64];
		unsigned int type;
		unsigned long long config;
		const char *comma;

		text_print(line, sizeof(line), "%.*s", (int)(len < 300 ? len : 300),
			   lines.ptr);
		comma = strchr(line, ',');
		if (comma && sscanf(comma, ",%u,%llu", &type, &config) == 2)
			name_simpleperf(perf, type, config,
					(struct str){ line, (size_t)(comma - line) });
		lines.ptr += len + (end != NULL);
		lines.len -= len + (end != NULL);
	}
}

/* Pairs of texts, each with its NUL. */
static void decode_meta_info(struct perf *perf, struct cursor *c)
{
	while (cursor_left(c)) {
		struct str key = cursor_nul_str(c), value = cursor_nul_str(c);
		char fact[64];

		if (c->overrun)
			return;
		text_print(fact, sizeof(fact), "META_INFO %.*s",
			   (int)(key.len < 48 ? key.len : 48), key.ptr);
		if (str_equal(key, STR("event_type_info")))
			decode_simpleperf_names(perf, value);
		perf_emit_fact(&perf->rows,
			       text_valid_utf8(&perf->catalog.arena, str_of(fact)).ptr,
			       value);
		if (str_equal(key, STR("simpleperf_version")))
			perf->rows.trace.recorder =
				text_valid_utf8(&perf->catalog.arena, value);
	}
}

/* A sequence of records like BUILD_ID; overrun where it is not one. */
static void decode_build_ids(struct perf *perf, struct cursor *c, bool want_rows)
{
	while (cursor_left(c) >= PERF_RECORD_HEADER_BYTES && !c->overrun) {
		struct perf_header header = perf_decode_header(c->pos, c->big_endian);
		struct cursor body = cursor_sub(c, header.size);
		struct build_id_row *row = &perf->scratch.event.build_id;
		struct record unused;

		cursor_skip(&body, PERF_RECORD_HEADER_BYTES);
		if (body.overrun ||
		    !perf_decode_build_id(&perf->scratch, &body, header.misc, &unused)) {
			c->overrun = true;
			return;
		}
		if (!want_rows)
			continue;
		row->build_id = emit_text(&perf->rows.emit, row->build_id);
		row->filename = text_valid_utf8(&perf->catalog.arena, row->filename);
		emit_push_row(&perf->rows.emit, RECORD_build_id, 0, row);
	}
}

/* --- choosing a decoder --- */

/* perftab-capture marks a file as unfinished until it completes it. */
static void report_unfinished(struct perf *perf, struct str recorder, uint64_t offset)
{
	static const char ending[] = PERF_UNFINISHED;
	size_t length = sizeof(ending) - 1;

	if (recorder.len < length ||
	    memcmp(recorder.ptr + recorder.len - length, ending, length) != 0)
		return;
	perf->source.unfinished = true;
	finding_report(
		perf->findings, FINDING_UNFINISHED, offset,
		"the end is missing: the recorder was killed, and the rest of its ring "
		"buffers is lost, or the file was cut off");
}

static void decode_one_text(struct perf *perf, unsigned int feature, struct cursor *c)
{
	struct str value = emit_text_fact(&perf->rows, feature, c);

	switch (feature) {
	case FEATURE_HOSTNAME:
		perf->rows.trace.host = value;
		break;
	case FEATURE_OSRELEASE:
		perf->rows.trace.os_release = value;
		break;
	case FEATURE_VERSION:
		perf->rows.trace.recorder = value;
		report_unfinished(perf, value, c->offset);
		break;
	case FEATURE_ARCH:
		perf->rows.trace.arch = value;
		break;
	case FEATURE_CPUDESC:
		perf->rows.trace.cpu_model = value;
		break;
	default:
		break;
	}
}

/* False: a feature that is only kept. */
static bool decode_known(struct reader *reader, unsigned int feature, struct cursor *c)
{
	struct perf *perf = reader->state;

	switch (feature) {
	case FEATURE_TRACING_DATA:
		perf_decode_tracing_data(reader, c);
		c->overrun = false; /* says itself what was wrong */
		return true;
	case FEATURE_BUILD_ID:
		decode_build_ids(perf, c, reader->options.want_rows);
		return true;
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_VERSION:
	case FEATURE_ARCH:
	case FEATURE_CPUDESC:
	case FEATURE_CPUID:
		decode_one_text(perf, feature, c);
		return true;
	case FEATURE_CMDLINE:
		decode_command(&perf->rows, c);
		return true;
	case FEATURE_EVENT_DESC:
		keep_early(perf, &perf->catalog.early_names, c);
		decode_event_names(perf, c);
		return true;
	case FEATURE_BRANCH_STACK:
	case FEATURE_STAT: /* flags: their presence is all */
		perf_emit_fact(&perf->rows, perf_feature_name(feature), STR("yes"));
		return true;
	case FEATURE_GROUP_DESC:
		keep_early(perf, &perf->catalog.early_groups, c);
		decode_groups(&perf->rows, &perf->catalog, c);
		return true;
	case FEATURE_SAMPLE_TIME:
		decode_sample_time(&perf->rows, c);
		return true;
	case FEATURE_CLOCKID:
		perf_emit_number(&perf->rows, "CLOCKID resolution", cursor_u64(c), " ns");
		return true;
	case FEATURE_DIR_FORMAT:
		perf->source.is_directory = true;
		perf_emit_number(&perf->rows, "DIR_FORMAT version", cursor_u64(c), "");
		return true;
	case FEATURE_CLOCK_DATA:
		decode_clock_data(&perf->rows, c);
		return true;
	case FEATURE_FILE:
	case FEATURE_FILE2:
		return perf_decode_files(&perf->rows, feature, *c);
	case FEATURE_META_INFO:
		decode_meta_info(perf, c);
		return true;
	default:
		return perf_decode_machine(&perf->rows, &perf->catalog, feature, c);
	}
}

/* False: this feature was listed before. */
static bool is_first(struct perf_rows *rows, unsigned int feature)
{
	uint64_t *word = &rows->features_met[feature / 64], bit = UINT64_C(1)
								  << (feature % 64);

	if (feature >= PERF_FEATURES_MAX || *word & bit)
		return false;
	*word |= bit;
	return true;
}

/* A file may claim any size; 2^63 and above do not fit a column. */
static int64_t at_most_int64(uint64_t number)
{
	return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static struct header_feature_row describe(unsigned int feature, uint64_t offset,
					  uint64_t bytes, struct str status)
{
	return (struct header_feature_row){
		.feature = feature,
		.name = str_of(perf_feature_name(feature)),
		.section_offset = at_most_int64(offset),
		.bytes = at_most_int64(bytes),
		.status = status,
	};
}

void perf_drop_feature(struct reader *reader, unsigned int feature, uint64_t offset,
		       uint64_t bytes)
{
	struct perf *perf = reader->state;
	const struct header_feature_row row =
		describe(feature, offset, bytes, STR("dropped"));

	if (is_first(&perf->rows, feature))
		emit_push_row(&perf->rows.emit, RECORD_header_feature, 0, &row);
}

/* Decodes the content; returns the status for the row. */
static struct str decode_content(struct reader *reader, unsigned int feature,
				 struct cursor *c)
{
	size_t bytes = cursor_left(c);
	uint64_t offset = c->offset;

	if (bytes == 0 && feature != FEATURE_BRANCH_STACK && feature != FEATURE_STAT)
		return STR("empty");
	if (!decode_known(reader, feature, c)) {
		finding_add(&reader->findings, FINDING_OTHER_FEATURE, offset, 1);
		return STR("kept");
	}
	if (!c->overrun)
		return STR("decoded");
	finding_gap(&reader->findings, FINDING_BAD_SECTION, offset, offset + bytes,
		    "header feature %s at 0x%llx: its %zu bytes cannot be decoded",
		    perf_feature_name(feature) ? perf_feature_name(feature) : "?",
		    (unsigned long long)offset, bytes);
	return STR("dropped");
}

void perf_decode_feature(struct reader *reader, unsigned int feature, struct cursor *c)
{
	struct perf *perf = reader->state;
	struct str content = { (const char *)c->pos, cursor_left(c) };
	bool first = is_first(&perf->rows, feature);
	struct header_feature_row row =
		describe(feature, c->offset, content.len, STR_NONE);

	row.status = decode_content(reader, feature, c);
	if (str_equal(row.status, STR("kept")) && reader->options.want_rows &&
	    content.len <= PERF_CONTENT_BYTES_MAX)
		row.content = emit_text(&perf->rows.emit, content);
	if (first)
		emit_push_row(&perf->rows.emit, RECORD_header_feature, 0, &row);
}
