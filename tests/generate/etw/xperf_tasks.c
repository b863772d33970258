/* Lines of the text that tell of processes and threads. */
#include <inttypes.h>
#include <string.h>

#include "etw/charset.h"
#include "etw/xperf_write.h"

enum {
	COMMAND_LETTERS = 512, /* xperf cuts longer command lines */
};

static const char *verb_name(enum verb verb)
{
	switch (verb) {
	case VERB_START:
		return "Start";
	case VERB_END:
		return "End";
	case VERB_DC_START:
		return "DCStart";
	default:
		return "DCEnd";
	}
}

static void start_line(const struct xperf *xperf, struct byte_buf *text, char letter,
		       enum verb verb, uint64_t us)
{
	char name[16];

	snprintf(name, sizeof(name), "%c-%s", letter, verb_name(verb));
	xperf_start(xperf, text, name, us);
}

static void put_sid(struct byte_buf *text, const struct etw_process_facts *facts)
{
	if (facts->authorities < 0) {
		buf_text(text, ", <none>");
		return;
	}
	buf_text(text, ", S-1-5");
	for (int i = 0; i < facts->authorities; i++)
		buf_text(text, "-%" PRIu32,
			 i ? facts->pid * 7919u + (uint32_t)i : (uint32_t)21);
}

static void put_text(struct byte_buf *text, const char *utf8)
{
	buf_text(text, ", ");
	if (*utf8)
		put_utf8_as_ansi(text, utf8);
	else
		buf_text(text, "<none>");
}

static void put_command(struct byte_buf *text, const char *utf8)
{
	size_t start;

	buf_text(text, ", ");
	start = text->size;
	put_utf8_as_ansi(text, utf8);
	if (text->size - start > COMMAND_LETTERS)
		text->size = start + COMMAND_LETTERS;
}

void xperf_put_process(struct xperf *xperf, const struct etw_stamp *stamp, enum verb verb,
		       const struct etw_process_facts *facts)
{
	bool end = verb == VERB_END || verb == VERB_DC_END;
	struct byte_buf text = { 0 };

	if (verb == VERB_DEFUNCT || !xperf->body)
		return;
	start_line(xperf, &text, 'P', verb, stamp->us);
	xperf_process(&text, facts->image, facts->pid);
	buf_text(&text, ", %10" PRIu32 ", %10" PRIu32 ", 0x%016" PRIx64,
		 facts->parent_pid, facts->session,
		 0xffffe00100000080u + (uint64_t)facts->pid * 0x440);
	if (end)
		buf_text(&text, ", 0x%08" PRIx32, (uint32_t)facts->exit_status);
	buf_text(&text, ", 0x%016" PRIx64 ", 0x%08" PRIx32,
		 0x1ab000u + (uint64_t)facts->pid * 0x1000, facts->flags);
	put_sid(&text, facts);
	put_command(&text, facts->command);
	put_text(&text, facts->package);
	put_text(&text, facts->app);
	xperf_end_line(xperf->form, &text);
	xperf_add(xperf, stamp->us, stamp->cpu, false, &text);
}

void xperf_put_thread(struct xperf *xperf, const struct etw_stamp *stamp, enum verb verb,
		      const struct etw_thread_facts *facts)
{
	struct byte_buf text = { 0 };

	if (!xperf->body)
		return;
	start_line(xperf, &text, 'T', verb, stamp->us);
	xperf_process(&text, facts->image, facts->pid);
	buf_text(&text, ", %10" PRIu32, facts->tid);
	for (unsigned i = 0; i < 5; i++)
		buf_text(&text, ", 0x%016" PRIx64,
			 0xfffff80000000000u + facts->tid * 0x10000u + i * 0x6000);
	buf_text(&text, ", %8d, %4u, %4d, %4d, 0x%02x, ntdll.dll!0x%016" PRIx64 ", \"", 0,
		 facts->priority, 5, 2, 0, (uint64_t)0x7ffe12340000u);
	if (*facts->name)
		put_utf8_as_ansi(&text, facts->name);
	else
		buf_text(&text, "Unknown");
	buf_text(&text, "\"");
	xperf_end_line(xperf->form, &text);
	xperf_add(xperf, stamp->us, stamp->cpu, false, &text);
}
