/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/harness/harness_flags.h"

#include <stdbool.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"

#define MAX_PROGRAM_BYTES ((size_t)64 << 20)
#define MAX_PROGRAMS 8 /* different ones of a run that are read */

/* ---- what is loaded ------------------------------------------------------------------------ */

/* Files of one run that were looked into. */
struct looked {
	const char *paths[MAX_PROGRAMS];
	struct strbuf contents[MAX_PROGRAMS];
	size_t count;
};

static void look_into(struct looked *looked, const char *path)
{
	struct error ignored;

	for (size_t i = 0; i < looked->count; i++)
		if (!strcmp(looked->paths[i], path))
			return;
	if (looked->count == MAX_PROGRAMS || path[0] != '/')
		return;
	looked->paths[looked->count] = path;
	looked->contents[looked->count] = (struct strbuf)STRBUF_INIT;
	file_read(path, MAX_PROGRAM_BYTES, &looked->contents[looked->count++], &ignored);
}

static bool is_harness_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && (strstr(slash, "benchmark") || strstr(slash, "Catch2"));
}

static void look_into_all(struct looked *looked, const struct capture_set *captures)
{
	for (size_t i = 0; captures && i < captures->process_count; i++) {
		const struct capture_process *process = &captures->processes[i];

		if (process->excluded)
			continue;
		look_into(looked, process->executable);
		for (size_t k = 0; k < process->module_count; k++)
			if (is_harness_library(process->modules[k].path))
				look_into(looked, process->modules[k].path);
	}
}

static bool stands_in(const struct looked *looked, const char *text)
{
	for (size_t i = 0; i < looked->count; i++)
		if (memmem(looked->contents[i].data, looked->contents[i].length, text,
			    strlen(text)))
			return true;
	return false;
}

static void forget(struct looked *looked)
{
	for (size_t i = 0; i < looked->count; i++)
		strbuf_release(&looked->contents[i]);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Not in the middle of another: no letter before it or behind it. */
static bool has_word(const char *command, const char *word)
{
	const char *at = command;

	while ((at = strstr(at, word))) {
		if ((at == command || !is_letter(at[-1])) && !is_letter(at[strlen(word)]))
			return true;
		at++;
	}
	return false;
}

static bool has_opened(const struct opened_files *opened, const char *part)
{
	for (size_t i = 0; opened && i < opened->count; i++)
		if (strstr(opened->items[i].path, part))
			return true;
	return false;
}

/* Of all rows of the table, in order; NULL: no more. */
static const struct harness_trace *nth_trace(size_t n)
{
	for (size_t i = 0; i < harness_count; i++)
		for (size_t k = 0; k < sizeof(harnesses[i].traces) / sizeof(harnesses[i].traces[0]);
			k++)
			if (harnesses[i].traces[k].flag.name && !n--)
				return &harnesses[i].traces[k];
	return NULL;
}

static bool fits(const struct harness_trace *trace, const struct looked *looked,
	const struct harness_traces *traces)
{
	return (trace->text && stands_in(looked, trace->text)) ||
	       (trace->word && has_word(traces->command, trace->word)) ||
	       (trace->opened && has_opened(traces->opened, trace->opened));
}

const struct harness_flag *harness_flag_in_program(const char *bytes, size_t length)
{
	const struct harness_trace *trace;

	for (size_t i = 0; (trace = nth_trace(i)) != NULL; i++)
		if (trace->text && memmem(bytes, length, trace->text, strlen(trace->text)))
			return &trace->flag;
	return NULL;
}

const struct harness_flag *harness_flag_find(const struct harness_traces *traces)
{
	const struct harness_flag *found = NULL;
	const struct harness_trace *trace;
	struct looked looked = {.count = 0};

	look_into_all(&looked, traces->captures);
	for (size_t i = 0; !found && (trace = nth_trace(i)) != NULL; i++)
		if (fits(trace, &looked, traces))
			found = &trace->flag;
	forget(&looked);
	return found;
}
