/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/ifunc_variant.h"

#include <string.h>

/* Of a processor, or how its instructions are used; "chk" belongs to the function. */
static bool is_of_processor(const char *word, size_t length)
{
	static const char *const words[] = {"sse2", "sse3", "ssse3", "sse4", "sse42", "1", "2",
		"avx", "avx2", "avx512", "evex", "evex256", "evex512", "vl", "movbe", "erms", "rtm",
		"unaligned", "no", "vzeroupper", "fma", "fma4", "pminub", "back", "bsf", "slow",
		"generic", "asimd", "sve", "mte", "nomte", "a64fx", "thunderx", "thunderx2",
		"falkor", "emag", "mops", "zva64", "kunpeng", "oryon1"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
			return true;
	return false;
}

/* Up to the "_" before the words that are all of a processor; NULL if the last is not. */
static const char *end_of_function(const char *name)
{
	const char *end = name + strlen(name), *cut = NULL;

	for (const char *at = end; at > name; at--) {
		if (at[-1] != '_')
			continue;
		if (!is_of_processor(at, (size_t)(end - at)))
			break;
		cut = end = at - 1;
	}
	return cut != name ? cut : NULL;
}

bool ifunc_variant_common(struct strbuf *what, const char *name)
{
	static const char copy[] = "memcpy", move[] = "memmove";
	const char *end;

	strbuf_reset(what);
	if (strncmp(name, "__", 2) != 0 || !(end = end_of_function(name + 2)))
		return false;
	name += 2;
	if (strncmp(name, copy, sizeof(copy) - 1) == 0) {
		strbuf_addstr(what, move);
		name += sizeof(copy) - 1;
	}
	strbuf_add(what, name, (size_t)(end - name));
	return true;
}
