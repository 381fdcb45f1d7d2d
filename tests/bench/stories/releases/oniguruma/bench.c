/* SPDX-License-Identifier: Apache-2.0 */
#include "oniguruma.h"
#include "text.h"

#define LENGTH 60000

static unsigned count_matches(regex_t *regex, const UChar *text, const UChar *end)
{
	OnigRegion *region = onig_region_new();
	const UChar *at = text;
	unsigned count = 0;

	while (at < end && onig_search(regex, text, end, at, end, region, ONIG_OPTION_NONE) >= 0) {
		count++;
		at = text + region->end[0] + (region->end[0] == region->beg[0]);
	}
	onig_region_free(region, 1);
	return count;
}

int main(int argc, char **argv)
{
	static const char *const patterns[] = {"[a-z]+ing\\b|(?<n>\\d{3,5}) \\g<n>",
		"(river|stone|lantern)s? (of|and|in)", "(?i)w[^ ]*s\\b", "\\b(\\w)\\w*\\1\\b",
		"(?:a|ab|abc|over|with)+ "};
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
	unsigned sum = 0;

	onig_initialize(encodings, 1);
	for (int i = 0; i < rounds; i++) {
		char *text = text_make(LENGTH, (uint32_t)i);

		for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++) {
			const UChar *pattern = (const UChar *)patterns[k];
			OnigErrorInfo info;
			regex_t *regex;

			if (onig_new(&regex, pattern, pattern + strlen(patterns[k]),
				    ONIG_OPTION_DEFAULT, ONIG_ENCODING_UTF8, ONIG_SYNTAX_DEFAULT,
				    &info) != ONIG_NORMAL)
				return 1;
			sum = sum * 31 + count_matches(regex, (const UChar *)text,
						 (const UChar *)text + LENGTH);
			onig_free(regex);
		}
		free(text);
	}
	printf("%08x\n", sum);
	return 0;
}
