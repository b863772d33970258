/* The sched_switch tracepoint: format file, RAW payload and TRACING_DATA. */
#include "trace/sched_format.h"

#include <string.h>

enum source {
	SOURCE_TYPE,
	SOURCE_ZERO,
	SOURCE_COMMON_PID,
	SOURCE_PREV_COMM,
	SOURCE_PREV_PID,
	SOURCE_PREV_PRIO,
	SOURCE_PREV_STATE,
	SOURCE_NEXT_COMM,
	SOURCE_NEXT_PID,
	SOURCE_NEXT_PRIO,
	SOURCE_DECOY, /* looks like a pid: traps readers with fixed offsets */
};

struct field {
	const char *declaration;
	uint16_t offset;
	uint16_t size;
	bool is_signed;
	enum source source;
};

enum { FIELD_MAX = 16, COMMON_FIELDS = 4 };

struct layout {
	uint16_t size;
	struct field fields[FIELD_MAX];
};

/* clang-format off */
#define COMMON_HEADER \
	{ "unsigned short common_type", 0, 2, false, SOURCE_TYPE }, \
	{ "unsigned char common_flags", 2, 1, false, SOURCE_ZERO }, \
	{ "unsigned char common_preempt_count", 3, 1, false, SOURCE_ZERO }, \
	{ "int common_pid", 4, 4, true, SOURCE_COMMON_PID }

static const struct layout layouts[LAYOUT_COUNT] = {
	[LAYOUT_USUAL] = { 64, {
		COMMON_HEADER,
		{ "char prev_comm[16]", 8, 16, false, SOURCE_PREV_COMM },
		{ "pid_t prev_pid", 24, 4, true, SOURCE_PREV_PID },
		{ "int prev_prio", 28, 4, true, SOURCE_PREV_PRIO },
		{ "long prev_state", 32, 8, true, SOURCE_PREV_STATE },
		{ "char next_comm[16]", 40, 16, false, SOURCE_NEXT_COMM },
		{ "pid_t next_pid", 56, 4, true, SOURCE_NEXT_PID },
		{ "int next_prio", 60, 4, true, SOURCE_NEXT_PRIO },
	} },
	[LAYOUT_STATE4] = { 60, {
		COMMON_HEADER,
		{ "char prev_comm[16]", 8, 16, false, SOURCE_PREV_COMM },
		{ "pid_t prev_pid", 24, 4, true, SOURCE_PREV_PID },
		{ "int prev_prio", 28, 4, true, SOURCE_PREV_PRIO },
		{ "int prev_state", 32, 4, true, SOURCE_PREV_STATE },
		{ "char next_comm[16]", 36, 16, false, SOURCE_NEXT_COMM },
		{ "pid_t next_pid", 52, 4, true, SOURCE_NEXT_PID },
		{ "int next_prio", 56, 4, true, SOURCE_NEXT_PRIO },
	} },
	[LAYOUT_EXTRA] = { 92, {
		COMMON_HEADER,
		{ "unsigned int cpu_hint", 8, 4, false, SOURCE_DECOY },
		{ "char prev_comm[16]", 12, 16, false, SOURCE_PREV_COMM },
		{ "pid_t prev_tgid", 28, 4, true, SOURCE_DECOY },
		{ "u64 prev_cookie", 32, 8, false, SOURCE_DECOY },
		{ "pid_t prev_pid", 40, 4, true, SOURCE_PREV_PID },
		{ "int prev_prio", 44, 4, true, SOURCE_PREV_PRIO },
		{ "long prev_state", 48, 8, true, SOURCE_PREV_STATE },
		{ "char next_comm[16]", 56, 16, false, SOURCE_NEXT_COMM },
		{ "u64 next_cookie", 72, 8, false, SOURCE_DECOY },
		{ "pid_t next_pid", 80, 4, true, SOURCE_NEXT_PID },
		{ "int next_prio", 84, 4, true, SOURCE_NEXT_PRIO },
		{ "unsigned int tail", 88, 4, false, SOURCE_DECOY },
	} },
	[LAYOUT_NEXT_FIRST] = { 60, {
		COMMON_HEADER,
		{ "int next_prio", 8, 4, true, SOURCE_NEXT_PRIO },
		{ "pid_t next_pid", 12, 4, true, SOURCE_NEXT_PID },
		{ "char next_comm[16]", 16, 16, false, SOURCE_NEXT_COMM },
		{ "int prev_state", 32, 4, true, SOURCE_PREV_STATE },
		{ "char prev_comm[16]", 36, 16, false, SOURCE_PREV_COMM },
		{ "int prev_prio", 52, 4, true, SOURCE_PREV_PRIO },
		{ "pid_t prev_pid", 56, 4, true, SOURCE_PREV_PID },
	} },
};
/* clang-format on */

static void put_comm(struct byte_buf *out, const struct scenario *scenario,
		     const char *comm)
{
	char field[COMM_BYTES] = { 0 };
	size_t length = strlen(comm);

	if (scenario_has(scenario, TRAIT_STALE_COMM))
		memset(field, '~', sizeof(field));
	memcpy(field, comm, length + 1);
	buf_bytes(out, field, sizeof(field));
}

static uint64_t field_value(const struct field *field, const struct scenario *scenario,
			    const struct sched_switch *event)
{
	switch (field->source) {
	case SOURCE_TYPE:
		return scenario_tracepoint_id(scenario);
	case SOURCE_COMMON_PID:
	case SOURCE_PREV_PID:
		return event->prev.pid;
	case SOURCE_PREV_PRIO:
		return event->prev.prio;
	case SOURCE_PREV_STATE:
		return event->prev_state;
	case SOURCE_NEXT_PID:
		return event->next.pid;
	case SOURCE_NEXT_PRIO:
		return event->next.prio;
	case SOURCE_DECOY:
		return event->next.pid + 1u;
	default:
		return 0;
	}
}

void sched_put_raw(struct byte_buf *out, const struct scenario *scenario,
		   const struct sched_switch *event)
{
	const struct layout *layout = &layouts[scenario->layout];
	size_t padded = (layout->size + sizeof(uint32_t) + 7) / 8 * 8;
	size_t start = out->size + sizeof(uint32_t);

	buf_u32(out, (uint32_t)(padded - sizeof(uint32_t)));
	for (size_t i = 0; i < FIELD_MAX && layout->fields[i].declaration; i++) {
		const struct field *field = &layout->fields[i];

		buf_zero(out, start + field->offset - out->size);
		if (field->source == SOURCE_PREV_COMM)
			put_comm(out, scenario, event->prev.comm);
		else if (field->source == SOURCE_NEXT_COMM)
			put_comm(out, scenario, event->next.comm);
		else
			buf_number(out, field_value(field, scenario, event), field->size);
	}
	buf_zero(out, start + padded - sizeof(uint32_t) - out->size);
}

/* The print format of 6.x kernels, with the state mask already computed. */
static const char print_format[] =
	"print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> "
	"next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, "
	"REC->prev_prio, (REC->prev_state & 0xff) ? "
	"__print_flags(REC->prev_state & 0xff, \"|\", { 0x01, \"S\" }, { 0x02, \"D\" }, "
	"{ 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, \"X\" }, { 0x20, \"Z\" }, "
	"{ 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", "
	"REC->prev_state & 0x100 ? \"+\" : \"\", "
	"REC->next_comm, REC->next_pid, REC->next_prio\n";

static void put_sched_format(struct byte_buf *out, const struct scenario *scenario)
{
	const struct layout *layout = &layouts[scenario->layout];

	buf_text(out, "name: sched_switch\nID: %u\nformat:\n",
		 (unsigned)scenario_tracepoint_id(scenario));
	for (size_t i = 0; i < FIELD_MAX && layout->fields[i].declaration; i++) {
		const struct field *field = &layout->fields[i];

		buf_text(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			 field->declaration, (unsigned)field->offset,
			 (unsigned)field->size, field->is_signed);
		if (i == COMMON_FIELDS - 1)
			buf_u8(out, '\n');
	}
	buf_text(out, "\n%s", print_format);
}

/* Comes before sched_switch in its system, with fields of the same kind elsewhere. */
static const char wakeup_format[] =
	"name: sched_wakeup\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, "
	"REC->prio, REC->target_cpu\n";

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

static void put_string(struct byte_buf *out, const char *text)
{
	buf_bytes(out, text, strlen(text) + 1);
}

static void put_sized_text(struct byte_buf *out, const char *text)
{
	buf_u64(out, strlen(text));
	buf_bytes(out, text, strlen(text));
}

static void put_systems(struct byte_buf *out, const struct scenario *scenario)
{
	bool crowded = scenario->layout != LAYOUT_USUAL;
	size_t size_at;

	buf_u32(out, 1);
	put_string(out, "sched");
	buf_u32(out, crowded ? 2 : 1);
	if (crowded)
		put_sized_text(out, wakeup_format);
	size_at = out->size;
	buf_u64(out, 0);
	put_sched_format(out, scenario);
	buf_set_u64(out, size_at, out->size - size_at - sizeof(uint64_t));
}

void sched_put_tracing_data(struct byte_buf *out, const struct scenario *scenario)
{
	static const char printk_formats[] = "0xffffffff82a3c1d0 : \"tick %d\"\n";
	bool plain = scenario_has(scenario, TRAIT_PLAIN_TRACING);

	buf_bytes(out, "\x17\x08\x44tracing", 10);
	put_string(out, plain ? "0.5" : "0.6");
	buf_u8(out, out->big_endian);
	buf_u8(out, 8);	    /* bytes of a long */
	buf_u32(out, 4096); /* page size */
	put_string(out, "header_page");
	put_sized_text(out, header_page);
	put_string(out, "header_event");
	put_sized_text(out, header_event);
	buf_u32(out, 0); /* ftrace's own formats */
	put_systems(out, scenario);
	buf_u32(out, 0); /* kallsyms */
	buf_u32(out, (uint32_t)strlen(printk_formats));
	buf_bytes(out, printk_formats, strlen(printk_formats));
	if (!plain)
		buf_u64(out, 0); /* saved cmdlines */
}
