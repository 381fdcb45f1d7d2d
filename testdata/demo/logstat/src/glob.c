/* SPDX-License-Identifier: Apache-2.0 */
#include "glob.h"

int glob_match(const char *pattern, struct span text)
{
	const char *star = NULL;
	size_t at = 0, retry = 0;

	while (at < text.length) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = at;
			if (*pattern == '\0')
				return 1;
		} else if (*pattern == '?' || *pattern == text.text[at]) {
			pattern++;
			at++;
		} else if (star != NULL) {
			pattern = star;
			at = ++retry;
		} else {
			return 0;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
