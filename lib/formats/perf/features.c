/*
 * features.c - the header features after the data: who recorded what, where.
 *
 * Each becomes rows of header_fact; event names and tracepoint formats go to the events.
 * A string is u32 length (padded, NUL inside), then its bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/perf/features.h"
#include "formats/perf/records.h"
#include "formats/perf/tracepoints.h"

static struct str text_fact(struct perf_rows *rows, unsigned int feature,
			    struct cursor *c)
{
	struct str value = perf_feature_string(c);

	if (c->overrun || value.len == 0)
		return STR_NONE;
	return perf_add_fact(rows, perf_feature_name(feature), value);
}

/* The words of the command, quoted where a shell would need it. */
static void read_command(struct perf_rows *rows, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	char text[4096];
	size_t at = 0;

	for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		struct str word = perf_feature_string(c);
		bool quote = word.len == 0 || memchr(word.ptr, ' ', word.len);

		if (c->overrun)
			break;
		at += text_print(text + at, sizeof(text) - at, "%s%s%.*s%s", i ? " " : "",
				 quote ? "'" : "", (int)word.len, word.ptr,
				 quote ? "'" : "");
	}
	rows->trace.command = perf_add_fact(rows, "CMDLINE", (struct str){ text, at });
}

static void read_groups(struct perf_rows *rows, struct perf_catalog *catalog,
			struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < PERF_LIST_MAX && !c->overrun; i++) {
		struct str name = perf_feature_string(c);
		uint32_t leader = cursor_u32(c);
		uint32_t members = cursor_u32(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s: leader event %u, %u members",
			   (int)name.len, name.ptr, leader, members);
		perf_add_fact(rows, "GROUP_DESC", str_of(text));
		if (leader < catalog->event_count &&
		    members <= catalog->event_count - leader)
			catalog->events[leader]->declared_members = members;
	}
}

static void read_sample_time(struct perf_rows *rows, struct cursor *c)
{
	uint64_t first = cursor_u64(c);
	uint64_t last = cursor_u64(c);

	if (c->overrun || (first == 0 && last == 0)) /* in a pipe it is not known yet */
		return;
	perf_number_fact(rows, "SAMPLE_TIME first", first, " ns");
	perf_number_fact(rows, "SAMPLE_TIME last", last, " ns");
}

/* u32 version, u32 clockid, u64 wall clock ns, u64 trace clock ns at the same moment. */
static void read_clock_data(struct perf_rows *rows, struct cursor *c)
{
	uint32_t version = cursor_u32(c);
	uint64_t wall, trace;

	cursor_skip(c, 4);
	wall = cursor_u64(c);
	trace = cursor_u64(c);
	if (c->overrun || version != 1)
		return;
	perf_number_fact(rows, "CLOCK_DATA wall clock", wall, " ns");
	perf_number_fact(rows, "CLOCK_DATA trace clock", trace, " ns");
	rows->trace.wall_offset_ns = (int64_t)(wall - trace);
}

/*
 * u32 events, u32 attr size, then for each: attr, u32 ids, name, u64 ids.  The events
 * are in the order of the attributes; when their number differs they are matched by
 * id.  What the attributes' own section lost (ids that lie outside the file) is taken
 * from here.
 */
static void read_event_names(struct perf *perf, struct cursor *c)
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
			event = perf_event_new(&perf->catalog, &attr);
		ids = cursor_u32(c);
		name = perf_feature_string(c);
		if (!event && count == perf->catalog.event_count)
			event = perf->catalog.events[i];
		for (uint32_t k = 0; k < ids && !c->overrun; k++) {
			uint64_t id = cursor_u64(c);
			const struct perf_stream *stream =
				map_get(&perf->catalog.streams, id);

			if (stream && !event)
				event = stream->event;
			else if (!stream && event && !c->overrun)
				(void)perf_event_add_id(&perf->catalog, event, id);
		}
		if (!c->overrun && event)
			perf_event_rename(&perf->catalog, event, name);
	}
}

/* --- simpleperf --- */

/*
 * Names the events that a line is about.  Of events of other PMUs than the core's the
 * config may hold options besides: there the type decides.
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
				perf_event_rename(&perf->catalog, event, name);
			found = true;
		} else if (type > PERF_TYPE_BREAKPOINT && !event->named) {
			of_type = event;
		}
	}
	if (!found && of_type)
		perf_event_rename(&perf->catalog, of_type, name);
}

/* "name,type,config" lines. */
static void read_simpleperf_names(struct perf *perf, struct str lines)
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
static void read_meta_info(struct perf *perf, struct cursor *c)
{
	while (cursor_left(c)) {
		struct str key = cursor_nul_str(c), value = cursor_nul_str(c);
		char fact[64];

		if (c->overrun)
			return;
		text_print(fact, sizeof(fact), "META_INFO %.*s",
			   (int)(key.len < 48 ? key.len : 48), key.ptr);
		if (str_equal(key, STR("event_type_info")))
			read_simpleperf_names(perf, value);
		perf_add_fact(&perf->rows,
			      text_valid_utf8(&perf->catalog.arena, str_of(fact)).ptr,
			      value);
		if (str_equal(key, STR("simpleperf_version")))
			perf->rows.trace.recorder =
				text_valid_utf8(&perf->catalog.arena, value);
	}
}

/* Records as BUILD_ID ones are, one after the other. */
static void read_build_ids(struct perf *perf, struct cursor *c)
{
	while (cursor_left(c) >= PERF_RECORD_HEADER_BYTES && !c->overrun) {
		struct perf_header header = perf_header_read(c->pos, c->big_endian);
		struct cursor body = cursor_sub(c, header.size);
		struct build_id_row *row = &perf->scratch.event.build_id;
		struct record unused;

		cursor_skip(&body, PERF_RECORD_HEADER_BYTES);
		if (body.overrun)
			return;
		if (!perf_build_id_read(&perf->scratch, &body, header.misc, &unused))
			continue;
		row->build_id = emit_text(&perf->rows.emit, row->build_id);
		row->filename = text_valid_utf8(&perf->catalog.arena, row->filename);
		emit_push_row(&perf->rows.emit, RECORD_build_id, 0, row);
	}
}

/* --- all of them --- */

/* perftab-capture says so itself, until the file is finished. */
static void note_unfinished(struct perf *perf, struct str recorder, uint64_t offset)
{
	static const char ending[] = PERF_UNFINISHED;
	size_t length = sizeof(ending) - 1;

	if (recorder.len < length ||
	    memcmp(recorder.ptr + recorder.len - length, ending, length) != 0)
		return;
	perf->source.unfinished = true;
	finding_report(
		perf->findings, FINDING_UNFINISHED, offset,
		"the end is missing: the recorder was killed, and the rest of its ring buffers "
		"is lost, or the file was cut off");
}

static void read_one_text(struct perf *perf, unsigned int feature, struct cursor *c)
{
	struct str value = text_fact(&perf->rows, feature, c);

	switch (feature) {
	case FEATURE_HOSTNAME:
		perf->rows.trace.host = value;
		break;
	case FEATURE_OSRELEASE:
		perf->rows.trace.os_release = value;
		break;
	case FEATURE_VERSION:
		perf->rows.trace.recorder = value;
		note_unfinished(perf, value, c->offset);
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
static bool read_known(struct reader *reader, unsigned int feature, struct cursor *c)
{
	struct perf *perf = reader->state;

	switch (feature) {
	case FEATURE_TRACING_DATA:
		perf_tracing_data_read(reader, c);
		c->overrun = false; /* says itself what was wrong */
		return true;
	case FEATURE_BUILD_ID:
		if (reader->options.want_rows)
			read_build_ids(perf, c);
		return true;
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_VERSION:
	case FEATURE_ARCH:
	case FEATURE_CPUDESC:
	case FEATURE_CPUID:
		read_one_text(perf, feature, c);
		return true;
	case FEATURE_CMDLINE:
		read_command(&perf->rows, c);
		return true;
	case FEATURE_EVENT_DESC:
		read_event_names(perf, c);
		return true;
	case FEATURE_BRANCH_STACK:
	case FEATURE_STAT: /* flags: that they are there is all they say */
		perf_add_fact(&perf->rows, perf_feature_name(feature), STR("yes"));
		return true;
	case FEATURE_GROUP_DESC:
		read_groups(&perf->rows, &perf->catalog, c);
		return true;
	case FEATURE_SAMPLE_TIME:
		read_sample_time(&perf->rows, c);
		return true;
	case FEATURE_CLOCKID:
		perf_number_fact(&perf->rows, "CLOCKID resolution", cursor_u64(c), " ns");
		return true;
	case FEATURE_DIR_FORMAT:
		perf->source.is_directory = true;
		perf_number_fact(&perf->rows, "DIR_FORMAT version", cursor_u64(c), "");
		return true;
	case FEATURE_CLOCK_DATA:
		read_clock_data(&perf->rows, c);
		return true;
	case FEATURE_META_INFO:
		read_meta_info(perf, c);
		return true;
	default:
		return perf_machine_read(&perf->rows, &perf->catalog, feature, c);
	}
}

/* Each is listed once; false: it was before. */
static bool is_first(struct perf_rows *rows, unsigned int feature)
{
	uint64_t *word = &rows->features_met[feature / 64], bit = UINT64_C(1)
								  << (feature % 64);

	if (feature >= PERF_FEATURES_MAX || *word & bit)
		return false;
	*word |= bit;
	return true;
}

static struct header_feature_row describe(unsigned int feature, uint64_t offset,
					  uint64_t bytes, struct str status)
{
	return (struct header_feature_row){
		.feature = feature,
		.name = str_of(perf_feature_name(feature)),
		.section_offset = (int64_t)offset,
		.bytes = (int64_t)bytes,
		.status = status,
	};
}

void perf_feature_drop(struct reader *reader, unsigned int feature, uint64_t offset,
		       uint64_t bytes)
{
	struct perf *perf = reader->state;
	const struct header_feature_row row =
		describe(feature, offset, bytes, STR("dropped"));

	if (is_first(&perf->rows, feature))
		emit_push_row(&perf->rows.emit, RECORD_header_feature, 0, &row);
}

/* What became of it; its facts, names and formats are used. */
static struct str read_content(struct reader *reader, unsigned int feature,
			       struct cursor *c)
{
	size_t bytes = cursor_left(c);
	uint64_t offset = c->offset;

	if (bytes == 0 && feature != FEATURE_BRANCH_STACK && feature != FEATURE_STAT)
		return STR("empty");
	if (!read_known(reader, feature, c)) {
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

void perf_feature_read(struct reader *reader, unsigned int feature, struct cursor *c)
{
	struct perf *perf = reader->state;
	struct str content = { (const char *)c->pos, cursor_left(c) };
	bool first = is_first(&perf->rows, feature);
	struct header_feature_row row =
		describe(feature, c->offset, content.len, STR_NONE);

	row.status = read_content(reader, feature, c);
	if (str_equal(row.status, STR("kept")) && reader->options.want_rows &&
	    content.len <= PERF_CONTENT_BYTES_MAX)
		row.content = emit_text(&perf->rows.emit, content);
	if (first)
		emit_push_row(&perf->rows.emit, RECORD_header_feature, 0, &row);
}
