/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port of the two command grammars that GitHub's runner looks for in a step's output, on the
 * strict side: whatever looks like the beginning of a command counts as one.
 */
#ifndef FG_TEST_REPORT_RUNNER_GRAMMAR_H
#define FG_TEST_REPORT_RUNNER_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes of the Unicode white space (or invisible character) that
 * .NET's TrimStart takes; 0: none. */
static size_t runner_space(const char *at, const char *end)
{
	static const char *const wide[] = {"\xc2\xa0", "\xc2\x85", "\xe1\x9a\x80", "\xe2\x80\x80",
		"\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85",
		"\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a",
		"\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
		"\xef\xbb\xbf", NULL};

	if (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
		return 1;
	for (size_t i = 0; wide[i]; i++) {
		size_t length = strlen(wide[i]);

		if ((size_t)(end - at) >= length && memcmp(at, wide[i], length) == 0)
			return length;
	}
	return 0;
}

static bool runner_line_is_command(const char *line, const char *end)
{
	const char *at = line;
	size_t space;

	while ((space = runner_space(at, end)))
		at += space;
	if (end - at >= 2 && at[0] == ':' && at[1] == ':')
		return true;
	return memmem(line, (size_t)(end - line), "##[", 3) != NULL;
}

/* Lines end at LF, CR and both. */
static size_t runner_count_commands(const char *text, size_t length)
{
	const char *end = text + length, *line = text;
	size_t count = 0;

	while (line < end) {
		const char *stop = line;

		while (stop < end && *stop != '\n' && *stop != '\r')
			stop++;
		count += runner_line_is_command(line, stop);
		line = stop + 1;
	}
	return count;
}

#endif
