/*
 * own_facts.h - the words of audit_check.what, for recorder, reader and judge.  The
 * recorder is built without the rest of lib/model.
 */
#ifndef PERFTAB_MODEL_OWN_FACTS_H
#define PERFTAB_MODEL_OWN_FACTS_H

#include "base/str.h"

enum own_fact {
#define OWN_FACT(enumerator, word) FACT_##enumerator,
#include "model/own_facts.def"
#undef OWN_FACT
	OWN_FACTS
};

static inline const char *own_fact_word(enum own_fact fact)
{
	static const char *const words[OWN_FACTS] = {
#define OWN_FACT(enumerator, word) word,
#include "model/own_facts.def"
#undef OWN_FACT
	};

	return words[fact];
}

/* OWN_FACTS: it is none of them. */
static inline enum own_fact own_fact_find(struct str word)
{
	int fact = 0;

	while (fact < OWN_FACTS &&
	       !str_equal(word, str_of(own_fact_word((enum own_fact)fact))))
		fact++;
	return (enum own_fact)fact;
}

#endif
