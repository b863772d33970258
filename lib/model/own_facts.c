/* own_facts.c - the words of own_facts.def. */
#include "model/own_facts.h"

const char *const own_fact_words[OWN_FACTS] = {
#define OWN_FACT(enumerator, word) word,
#include "model/own_facts.def"
#undef OWN_FACT
};

enum own_fact own_fact_find(struct str word)
{
	int fact = 0;

	while (fact < OWN_FACTS && !str_equal(word, str_of(own_fact_words[fact])))
		fact++;
	return (enum own_fact)fact;
}
