/* mutant_plain.c - LLVMFuzzerMutate() for programs without libFuzzer. */
#include <string.h>

#include "mutant.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	static uint64_t calls;
	struct mutant m = mutant_over(data, size, max_size, 0);
	size_t at, count;

	m.state = ++calls;
	at = mutant_choose(&m, size);
	count = mutant_choose(&m, 16) + 1;
	count = count < size - at ? count : size - at;
	switch (mutant_choose(&m, 5)) {
	case 0:
		if (size)
			data[at] ^= (uint8_t)(1 << mutant_choose(&m, 8));
		break;
	case 1:
		mutant_change_number(&m, at, size);
		break;
	case 2:
		if (count < size)
			(void)mutant_replace(&m, at, count, NULL, 0);
		break;
	case 3:
		(void)mutant_copy(&m, at, mutant_choose(&m, size - count + 1), count);
		break;
	default:
		for (size_t i = 0; i < count; i++)
			data[at + i] = (uint8_t)mutant_random(&m);
	}
	return m.size;
}
