/* own_facts.h - the words of audit_check.what, for recorder, reader and judge. */
#ifndef PERFTAB_MODEL_OWN_FACTS_H
#define PERFTAB_MODEL_OWN_FACTS_H

#include "base/str.h"

enum own_fact {
#define OWN_FACT(enumerator, word) FACT_##enumerator,
#include "model/own_facts.def"
#undef OWN_FACT
	OWN_FACTS
};

extern const char *const own_fact_words[OWN_FACTS];

/* OWN_FACTS: it is none of them. */
enum own_fact own_fact_find(struct str word);

#endif
