/* symbols.c - the sink: looks at rows that pass, and adds modules and functions. */
#include "symbols/symbols.h"

#include "base/memory.h"
#include "base/text.h"
#include "model/finding.h"
#include "symbols/resolve.h"

struct symbols {
	struct sink *inner;
	struct symbol_options options;
	struct frames frames;
	struct spaces spaces;
	struct carried carried;
	struct build_ids build_ids;
	int64_t switch_id, switch_thread_id; /* of the last switch */
	int64_t last_module_id;
	bool has_none; /* no addresses, so mappings are not needed */
};

#define MODE_KERNEL 1
#define MODE_USER 2

static void forget(struct symbols *symbols)
{
	frames_release(&symbols->frames);
	spaces_release(&symbols->spaces);
	carried_release(&symbols->carried);
	build_ids_release(&symbols->build_ids);
	symbols->switch_id = INT_NONE;
	symbols->has_none = false;
}

/* --- rows that pass --- */

static void on_sample(struct symbols *symbols, const struct sample_row *row)
{
	frames_use_chain(&symbols->frames, row->callchain_id, row->thread_id);
	if (row->ip == INT_NONE || row->mode > MODE_USER)
		return;
	if (row->mode == MODE_KERNEL || row->ip < 0)
		frames_add(&symbols->frames, (uint64_t)row->ip, FRAME_OF_KERNEL);
	else if (row->thread_id != INT_NONE)
		frames_add(&symbols->frames, (uint64_t)row->ip,
			   frame_owner(row->thread_id));
}

static void on_switch_chain(struct symbols *symbols,
			    const struct switch_callchain_row *row)
{
	bool is_known =
		row->switch_id != INT_NONE && row->switch_id == symbols->switch_id;

	frames_use_chain(&symbols->frames, row->callchain_id,
			 is_known ? symbols->switch_thread_id : INT_NONE);
}

static int64_t int_of(const struct record *record, const char *name)
{
	int64_t value = INT_NONE;

	for (size_t i = 0; i < record->table->field_count; i++) {
		const struct field *field = &record->table->fields[i];

		if (field->kind == FIELD_INT && strcmp(field->name, name) == 0)
			memcpy(&value, (const char *)record->data + field->offset,
			       sizeof(value));
	}
	return value;
}

static struct str text_of(const struct record *record, const char *name)
{
	struct str text = STR_NONE;

	for (size_t i = 0; i < record->table->field_count; i++) {
		const struct field *field = &record->table->fields[i];

		if (field->kind == FIELD_TEXT && strcmp(field->name, name) == 0)
			memcpy(&text, (const char *)record->data + field->offset,
			       sizeof(text));
	}
	return text;
}

/* A row of etw_image: loaded, or listed at an end of the trace. */
static void on_image(struct symbols *symbols, const struct record *record)
{
	struct str event = text_of(record, "event");
	struct mmap_row row = {
		.ts_ns =
			str_equal(event, STR("I-Start")) || str_equal(event, STR("I-End"))
				? int_of(record, "ts_ns")
				: 0,
		.pid = int_of(record, "pid"),
		.thread_id = INT_NONE,
		.addr = int_of(record, "addr"),
		.bytes = int_of(record, "bytes"),
		.filename = text_of(record, "filename"),
	};

	if (row.addr != INT_NONE && row.bytes != INT_NONE)
		spaces_on_image(&symbols->spaces, &row, str_equal(event, STR("I-End")));
}

static void on_row(struct symbols *symbols, const struct record *record)
{
	switch (record->kind) {
	case RECORD_context_switch:
		symbols->switch_id = RECORD_DATA(record, context_switch)->switch_id;
		symbols->switch_thread_id =
			RECORD_DATA(record, context_switch)->prev_thread_id;
		break;
	case RECORD_sample:
		on_sample(symbols, record->data);
		break;
	case RECORD_callchain:
		frames_add_chain(&symbols->frames,
				 RECORD_DATA(record, callchain)->callchain_id,
				 RECORD_DATA(record, callchain)->frames);
		break;
	case RECORD_switch_callchain:
		on_switch_chain(symbols, record->data);
		break;
	case RECORD_callchain_deferred:
		frames_use_chain(&symbols->frames,
				 RECORD_DATA(record, callchain_deferred)->callchain_id,
				 RECORD_DATA(record, callchain_deferred)->thread_id);
		break;
	case RECORD_mmap:
		spaces_on_mmap(&symbols->spaces, record->data);
		break;
	case RECORD_ksymbol:
		spaces_on_ksymbol(&symbols->spaces, record->data);
		break;
	case RECORD_fork:
		spaces_on_fork(&symbols->spaces, record->data);
		break;
	case RECORD_comm:
		spaces_on_comm(&symbols->spaces, record->data);
		break;
	case RECORD_process:
		spaces_on_process(&symbols->spaces, record->data);
		break;
	case RECORD_thread:
		spaces_on_thread(&symbols->spaces, record->data);
		break;
	case RECORD_build_id:
		build_ids_add(&symbols->build_ids, record->data);
		break;
	case RECORD_file_symbol:
		carried_add(&symbols->carried, record->data);
		break;
	case RECORD_OWN_TABLE:
		if (strcmp(record->table->name, "etw_image") == 0)
			on_image(symbols, record);
		break;
	default:
		break;
	}
}

/* --- rows that are added --- */

static enum status put(struct sink *sink, enum record_kind kind, const void *row)
{
	const struct symbols *symbols = sink->state;
	enum status status =
		sink_put(symbols->inner, &(struct record){ .kind = kind, .data = row });

	if (status != ST_OK)
		sink->error = symbols->inner->error;
	return status;
}

/* What follows the last separator of either system. */
static struct str last_part(struct str path)
{
	size_t at = path.len;

	while (at && path.ptr[at - 1] != '/' && path.ptr[at - 1] != '\\')
		at--;
	return at < path.len ? (struct str){ path.ptr + at, path.len - at } : path;
}

static enum status put_module(struct sink *sink, struct module *module, int64_t trace_id)
{
	struct symbols *symbols = sink->state;

	module->module_id = ++symbols->last_module_id;
	return put(sink, RECORD_module,
		   &(struct module_row){
			   .module_id = module->module_id,
			   .trace_id = trace_id,
			   .name = last_part(module->path),
			   .path = module->path,
			   .build_id = module->build_id,
			   .symbols = str_of(module->symbols),
		   });
}

static enum status put_answer(struct sink *sink, const struct answer *answer,
			      int64_t trace_id)
{
	return put(sink, RECORD_frame_symbol,
		   &(struct frame_symbol_row){
			   .trace_id = trace_id,
			   .process_id = answer->process_id,
			   .address = (int64_t)answer->address,
			   .from_ns = answer->from_ns == INT64_MIN ? INT_NONE
								   : answer->from_ns,
			   .to_ns = answer->to_ns == INT64_MAX ? INT_NONE : answer->to_ns,
			   .module_id = answer->module->module_id,
			   .module = answer->module->path,
			   .module_offset = (int64_t)answer_module_offset(answer),
			   .symbol = answer->symbol,
			   .offset = answer->symbol.ptr ? (int64_t)answer->offset
							: INT_NONE,
		   });
}

static enum status put_findings(struct sink *sink, const struct resolution *resolution,
				int64_t trace_id)
{
	const struct symbols *symbols = sink->state;
	struct findings findings = { .gap_count = 0 };
	enum status status = ST_OK;

	if (symbols->frames.dropped || symbols->spaces.limit_reached ||
	    symbols->carried.limit_reached || resolution->limit_reached)
		finding_add(&findings, FINDING_SYMBOL_LIMIT, ERROR_NO_OFFSET, 1);
	if (resolution->unreadable) {
		finding_report(&findings, FINDING_SYMBOL_FILE, ERROR_NO_OFFSET,
			       "files that could not be read for names of functions, "
			       "the first is %.100s",
			       resolution->unreadable_path ? resolution->unreadable_path
							   : "?");
		finding_add(&findings, FINDING_SYMBOL_FILE, ERROR_NO_OFFSET,
			    resolution->unreadable - 1);
	}
	for (size_t i = 0; i < findings_rows(&findings) && status == ST_OK; i++) {
		struct finding_row row;

		if (!finding_row(&findings, i, &row))
			continue;
		row.trace_id = trace_id;
		status = put(sink, RECORD_finding, &row);
	}
	findings_release(&findings);
	return status;
}

static enum status put_all(struct sink *sink, const struct resolution *resolution,
			   int64_t trace_id)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < resolution->count && status == ST_OK; i++)
		if (resolution->answers[i].module->module_id == INT_NONE)
			status =
				put_module(sink, resolution->answers[i].module, trace_id);
	for (size_t i = 0; i < resolution->count && status == ST_OK; i++)
		status = put_answer(sink, &resolution->answers[i], trace_id);
	return status == ST_OK ? put_findings(sink, resolution, trace_id) : status;
}

static enum status end_trace(struct sink *sink, int64_t trace_id)
{
	struct symbols *symbols = sink->state;
	struct resolution resolution = {
		.spaces = &symbols->spaces,
		.carried = &symbols->carried,
		.build_ids = &symbols->build_ids,
		.options = &symbols->options,
		.left = FILE_BUDGET,
	};
	enum status status;

	spaces_settle(&symbols->spaces);
	carried_settle(&symbols->carried);
	resolve(&resolution, &symbols->frames);
	if (resolution.out_of_memory || symbols->frames.out_of_memory ||
	    symbols->spaces.out_of_memory || symbols->carried.out_of_memory ||
	    symbols->build_ids.out_of_memory)
		status = error_nomem(&sink->error);
	else
		status = put_all(sink, &resolution, trace_id);
	resolution_release(&resolution);
	forget(symbols);
	return status;
}

/* --- the sink --- */

static enum status symbols_put(struct sink *sink, const struct record *record)
{
	struct symbols *symbols = sink->state;
	enum status status = ST_OK;

	if (record->kind == RECORD_trace)
		status = end_trace(sink, RECORD_DATA(record, trace)->trace_id);
	else if (!symbols->has_none)
		on_row(symbols, record);
	if (status == ST_OK) {
		status = sink_put(symbols->inner, record);
		if (status != ST_OK)
			sink->error = symbols->inner->error;
	}
	return status;
}

static enum status symbols_put_run(struct sink *sink, const struct run_rows *rows)
{
	struct symbols *symbols = sink->state;
	enum status status = sink_put_run(symbols->inner, rows);

	symbols->switch_id = rows->first_id + (int64_t)(rows->to - 1 - rows->from);
	symbols->switch_thread_id = rows->run->prev_thread_id[rows->to - 1];
	if (status != ST_OK)
		sink->error = symbols->inner->error;
	return status;
}

static enum status symbols_end_addresses(struct sink *sink)
{
	struct symbols *symbols = sink->state;

	symbols->has_none = !symbols->frames.count;
	if (symbols->has_none)
		spaces_forget(&symbols->spaces);
	return ST_OK;
}

static enum status symbols_end_switches(struct sink *sink)
{
	const struct symbols *symbols = sink->state;
	enum status status = sink_end_switches(symbols->inner);

	if (status != ST_OK)
		sink->error = symbols->inner->error;
	return status;
}

static enum status symbols_finish(struct sink *sink)
{
	const struct symbols *symbols = sink->state;
	enum status status = sink_finish(symbols->inner);

	sink->error = symbols->inner->error;
	return status;
}

static void symbols_close(struct sink *sink)
{
	forget(sink->state);
}

static const struct sink_ops symbols_sink = {
	.name = "symbols",
	.state_size = sizeof(struct symbols),
	.put = symbols_put,
	.put_run = symbols_put_run,
	.end_addresses = symbols_end_addresses,
	.end_switches = symbols_end_switches,
	.finish = symbols_finish,
	.close = symbols_close,
};

enum status symbols_open(struct sink *sink, struct sink *inner,
			 const struct symbol_options *options)
{
	enum status status = sink_open(sink, &symbols_sink, NULL);
	struct symbols *symbols;

	if (status != ST_OK)
		return status;
	symbols = sink->state;
	symbols->inner = inner;
	symbols->options = *options;
	symbols->switch_id = INT_NONE;
	spaces_begin(&symbols->spaces);
	return ST_OK;
}
