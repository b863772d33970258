/* The table of forms. */
#include "etw/forms.h"

enum {
	USUAL_BYTES = 0x1000,
	SMALL_BYTES = 0x400,
};

#define ETL .etl = true, .buffer_bytes = USUAL_BYTES, .columns = 23
#define TXT .txt = true, .buffer_bytes = USUAL_BYTES

/* clang-format off */
const struct etw_form etw_forms[] = {
	{ "raw", ETL, .txt = true },
	{ "compressed", ETL, .packing = PACK_ALL },
	{ "huffman", ETL, .packing = PACK_HUFFMAN },
	{ "mixed", ETL, .packing = PACK_SOME },
	{ "win7", ETL, .windows7 = true },
	{ "header32", ETL, .header32 = true },
	{ "events32", ETL, .header32 = true, .events32 = true },
	{ "smallbuffers", .etl = true, .buffer_bytes = SMALL_BYTES },
	{ "wrapped", ETL, .order = ORDER_WRAPPED },
	{ "shuffled", ETL, .order = ORDER_SHUFFLED },
	{ "padded", ETL, .padded = true },
	{ "unknown", ETL, .strange = true },
	{ "text18", TXT, .columns = 18 },
	{ "text21", TXT, .columns = 21 },
	{ "text23", TXT, .columns = 23 },
	{ "textlf", TXT, .columns = 23, .line_feeds = true },
	{ "textnoise", TXT, .columns = 23, .noise = true },
	{ "textunordered", TXT, .columns = 23, .unordered = true },
};
/* clang-format on */

const size_t etw_form_count = COUNT(etw_forms);

bool etw_form_can_hold(const struct etw_form *form, const struct etw_plan *plan)
{
	if (!form->etl)
		return etw_plan_has_text(plan);
	if (form->packing == PACK_HUFFMAN && plan->dress & DRESS_HUGE)
		return false;
	/* A file that goes round is never appended to, nor cut at its end. */
	if (form->order == ORDER_WRAPPED && plan->dress & DRESS_APPEND)
		return false;
	return form->order == ORDER_WRITTEN || !(plan->faults & FAULT_TRUNCATED);
}
