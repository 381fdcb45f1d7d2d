/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/init/init_reason.h"

#include <stdbool.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"

#define REASON_BYTES 300
#define REASON_BEGIN_BYTES 120

/* Where this machine keeps a log is nothing for a file of the repository. */
static void add_without_log(struct strbuf *out, const char *text)
{
	static const char begin[] = " (whole log: ", end[] = ")";
	const char *at = strstr(text, begin), *behind = at ? strstr(at, end) : NULL;

	if (behind) {
		strbuf_add(out, text, (size_t)(at - text));
		text = behind + sizeof(end) - 1;
	}
	strbuf_addstr(out, text);
}

static void add_without_checkout(struct strbuf *out, const char *checkout, const char *text)
{
	size_t length = strlen(checkout);

	for (const char *at; (at = strstr(text, checkout)); text = at + length) {
		strbuf_add(out, text, (size_t)(at - text));
		at += at[length] == '/';
	}
	strbuf_addstr(out, text);
}

/* What failed stands at the beginning, and of what it printed the last words say why. */
static char *shortened(struct arena *arena, const struct strbuf *text)
{
	if (text->length <= REASON_BYTES)
		return arena_strndup(arena, text->data, text->length);
	return arena_printf(arena, "%.*s ... %s", REASON_BEGIN_BYTES, text->data,
		text->data + text->length - (REASON_BYTES - REASON_BEGIN_BYTES));
}

const char *init_reason(struct arena *arena, const char *checkout, const char *text)
{
	struct strbuf logless = STRBUF_INIT, whole = STRBUF_INIT;
	char *reason;
	size_t length = 0;

	add_without_log(&logless, text);
	add_without_checkout(&whole, checkout, logless.data);
	reason = shortened(arena, &whole);
	for (const char *at = reason; *at; at++) {
		bool is_plain = *at > ' ' && *at <= '~' && !strchr("'\"#", *at);

		if (is_plain || (length && reason[length - 1] != ' '))
			reason[length++] = is_plain ? *at : ' ';
	}
	reason[length] = '\0';
	strbuf_release(&whole);
	strbuf_release(&logless);
	return reason;
}

/* What FetchContent and ExternalProject print where a download fails. */
static bool is_download(const char *log)
{
	static const char *const signs[] = {"Could not resolve host", "Failed to clone repository",
		"error: downloading", "unable to access", "Failed to download",
		"Failed to checkout tag", "FetchContent"};

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (strstr(log, signs[i]))
			return true;
	return false;
}

/* "Build step for NAME failed", and the folder of its own build. */
static const char *downloaded(struct arena *arena, const char *log)
{
	static const char *const before[] = {"Build step for ", "CMake step for ", "_deps/"};

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		const char *at = strstr(log, before[i]);
		size_t length = at ? strcspn(at + strlen(before[i]), " /-:\n") : 0;

		if (length)
			return arena_strndup(arena, at + strlen(before[i]), length);
	}
	return "something";
}

const char *init_reason_of_cmake(struct arena *arena, const char *checkout, const char *log)
{
	const char *error = strstr(log, "CMake Error");

	if (is_download(log))
		return init_reason(arena, checkout,
			arena_printf(arena,
				"configuring downloads %s (FetchContent or the like), and that "
				"failed: install it for CMake to find, or let the build reach the "
				"network",
				downloaded(arena, log)));
	if (error)
		return init_reason(arena, checkout, error);
	return init_reason(arena, checkout, *log ? log : "CMake said nothing");
}
