/* SPDX-License-Identifier: Apache-2.0 */
/* Each compiler's and runtime's version: it is asked for, and found in the answer. */
#include "gate/bench/build/toolchain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/bench/build/key_text.h"

#define ANSWER_NS 10000000000ULL
#define ANSWER_BYTES 65536
#define DIGITS "0123456789"

/* The version that a word begins with, behind letters such as those of "v1.2" and "go1.2". */
static size_t version_in(const char *word, size_t length, const char **start)
{
	size_t skipped = 0, span;

	while (skipped < length && !strchr(DIGITS, word[skipped]))
		skipped++;
	*start = word + skipped;
	span = strspn(*start, DIGITS ".");
	span = span < length - skipped ? span : length - skipped;
	while (span && (*start)[span - 1] == '.')
		span--;
	return memchr(*start, '.', span) ? span : 0;
}

static bool find_version(const char *line, size_t length, bool inside, struct strbuf *out)
{
	bool in_parentheses = false;
	size_t at = 0;

	while (at < length) {
		size_t word = strcspn(line + at, " \t,()\"\r\n");
		const char *start;

		word = word < length - at ? word : length - at;
		if (word && in_parentheses == inside) {
			size_t version = version_in(line + at, word, &start);

			strbuf_add(out, start, version);
			if (version)
				return true;
		}
		at += word;
		if (at < length && strchr("()", line[at]))
			in_parentheses = line[at] == '(';
		at++;
	}
	return false;
}

void toolchain_parse_version(const char *answer, struct strbuf *out)
{
	const char *line = answer + strspn(answer, " \t\r\n");
	size_t length = strcspn(line, "\n");

	if (!find_version(line, length, false, out))
		find_version(line, length, true, out);
}

/* False if it does not run. */
static bool ask(
	const struct toolchain_program *program, const char *const *env, struct strbuf *version)
{
	const char *const argv[] = {program->path, program->option, NULL};
	struct strbuf answer = STRBUF_INIT;
	const struct process_options options = {.argv = argv,
		.env = env,
		.directory = "/",
		.capture = &answer,
		.capture_limit = ANSWER_BYTES,
		.timeout_ns = ANSWER_NS};
	struct process_result result = {0};
	int rc = process_run(&options, &result, NULL);
	bool runs = rc == ERR_LIMIT || (rc == ERR_OK && (result.timed_out || !result.exit_status));

	if (rc == ERR_OK && !result.exit_status)
		toolchain_parse_version(answer.data, version);
	if (!version->length)
		strbuf_addch(version, '?');
	strbuf_release(&answer);
	return runs;
}

/* One that has been asked already, by its file and what it said: cc is gcc by another name. */
struct known {
	char *file, *version;
};

static bool is_known(const struct known *known, size_t count, const char *file, const char *version)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(known[i].file, file) && !strcmp(known[i].version, version))
			return true;
	return false;
}

static void add_versions(
	const struct toolchain *toolchain, const char *const *env, struct strbuf *out)
{
	struct known *known = xcalloc(toolchain->count + 1, sizeof(*known));
	size_t count = 0;

	for (size_t i = 0; i < toolchain->count; i++) {
		const struct toolchain_program *program = &toolchain->programs[i];
		struct strbuf version = STRBUF_INIT;
		char *file;

		if (!program->option || !ask(program, env, &version)) {
			strbuf_release(&version);
			continue;
		}
		file = realpath(program->path, NULL);
		if (!file)
			file = xstrdup(program->path);
		if (!is_known(known, count, file, version.data))
			strbuf_addf(out, "%s%s %s", count ? ", " : "", program->name, version.data);
		known[count++] = (struct known){file, strbuf_detach(&version, NULL)};
	}
	if (count == 0)
		strbuf_addstr(out, "none");
	for (size_t i = 0; i < count; i++) {
		free(known[i].file);
		free(known[i].version);
	}
	free(known);
}

void toolchain_versions(const char *const *env, struct strbuf *out)
{
	static char last_key[65];
	static char *last;
	struct strbuf text = STRBUF_INIT;
	struct toolchain toolchain;
	char key[65];

	key_add_list(&text, "environment", env);
	sha256_hex(text.data, text.length, key);
	strbuf_reset(&text);
	if (!last || strcmp(key, last_key) != 0) {
		toolchain_find(&toolchain, env);
		add_versions(&toolchain, env, &text);
		toolchain_release(&toolchain);
		free(last);
		last = strbuf_detach(&text, NULL);
		memcpy(last_key, key, sizeof(key));
	}
	strbuf_addstr(out, last);
	strbuf_release(&text);
}
