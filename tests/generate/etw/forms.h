/* Containers: the same events, kept in another way. */
#ifndef ETW_FORMS_H
#define ETW_FORMS_H

#include "etw/plan.h"

enum form_packing {
	PACK_NONE,
	PACK_ALL,
	PACK_SOME,
	PACK_HUFFMAN, /* all, by the other method */
};

enum form_order {
	ORDER_WRITTEN,
	ORDER_WRAPPED,	/* a circular file: the later buffers stand first */
	ORDER_SHUFFLED, /* between CPUs, never within one */
};

struct etw_form {
	const char *name;
	bool etl;
	bool txt;
	/* of the .etl */
	uint32_t buffer_bytes;
	enum form_packing packing;
	enum form_order order;
	bool windows7;
	bool header32;
	bool events32;
	bool padded;
	bool strange;
	/* of the text */
	unsigned columns;
	bool line_feeds; /* alone, without carriage returns */
	bool noise;
	bool unordered;
};

extern const struct etw_form etw_forms[];
extern const size_t etw_form_count;

bool etw_form_can_hold(const struct etw_form *form, const struct etw_plan *plan);

#endif
