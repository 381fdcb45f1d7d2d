/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A .flamegate.yml from what was found: some of it is proposed as benchmarks, the rest stands in
 * comments.
 */
#include "gate/bench/detect/detect.h"

#include "gate/base/map.h"

#include <string.h>

#define HEAD                                                                                       \
	"# flamegate compares each change with its target branch, by the benchmarks below.\n"      \
	"# Written by \"flamegate init\" from what it found here: read it, change it, keep it.\n"  \
	"# Try it: flamegate check\n"                                                              \
	"version: 1\n"
#define NO_BUILD                                                                                   \
	"# Commands that build the benchmarks, run in a fresh checkout of each commit:\n"          \
	"# build: make -s bench\n"
#define NOT_RECOGNISED "Not recognised: check that it does the same work on every run."
#define PLACEHOLDER                                                                                \
	"  # No command was found that can be measured: put yours here.\n"                         \
	"  - name: example\n"                                                                      \
	"    command: 'echo \"put a benchmark into .flamegate.yml\" >&2; exit 1'\n"
#define TAIL                                                                                       \
	"# Defaults that one may want to change:\n"                                                \
	"# policy:\n"                                                                              \
	"#   on_base_failure: warn   # or fail, when the base does not build or run\n"             \
	"#   margin:\n"                                                                            \
	"#     total: 1%             # a benchmark may get this much slower\n"

static void add_quoted(struct strbuf *out, const char *text)
{
	strbuf_addch(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_addch(out, '\'');
		strbuf_addch(out, *text);
	}
	strbuf_addch(out, '\'');
}

/* What was not recognised is proposed only where there is nothing better. */
bool detect_is_proposed(const struct detection *detection, const struct detect_candidate *candidate)
{
	return candidate->readiness == DETECT_RUNS || candidate->readiness == DETECT_TIMED ||
	       (candidate->readiness == DETECT_UNRECOGNISED &&
		       detection->candidates[0].readiness == DETECT_UNRECOGNISED);
}

static bool has_option(const struct strbuf *options, const char *option, size_t length)
{
	size_t name = strcspn(option, "=");

	for (const char *at = options->data; *at; at += strspn(at, " ")) {
		if (name < length && strncmp(at, option, name + 1) == 0)
			return true;
		at += strcspn(at, " ");
	}
	return false;
}

void detect_add_options(struct strbuf *out, const char *options)
{
	for (size_t length; *options; options += length + strspn(options + length, " ")) {
		length = strcspn(options, " ");
		if (!has_option(out, options, length))
			strbuf_addf(out, "%s%.*s", out->length ? " " : "", (int)length, options);
	}
}

void detect_add_configure(struct strbuf *out, const char *configure, const char *options)
{
	strbuf_addf(out, "%s%s%s", configure, *options ? " " : "", options);
}

/* A project is configured once, for all of its benchmarks that are proposed. */
static void add_step(const struct detection *detection, const struct detect_candidate *candidate,
	size_t step, struct strbuf *out)
{
	struct strbuf options = STRBUF_INIT;

	if (step > 0 || !candidate->project) {
		strbuf_addstr(out, candidate->build[step]);
		return;
	}
	for (size_t i = 0; i < detection->candidate_count; i++) {
		const struct detect_candidate *other = &detection->candidates[i];

		if (other->project && strcmp(other->project, candidate->project) == 0 &&
			detect_is_proposed(detection, other))
			detect_add_options(&options, other->options);
	}
	detect_add_configure(out, candidate->build[0], options.data);
	strbuf_release(&options);
}

static void add_command(struct map *seen, const char *command, struct strbuf *out)
{
	bool added;

	map_intern(seen, command, strlen(command), 0, &added);
	if (!added)
		return;
	if (seen->count == 1)
		strbuf_addstr(out, "build:\n");
	strbuf_addstr(out, "  - ");
	add_quoted(out, command);
	strbuf_addch(out, '\n');
}

/* What the proposed benchmarks need, each command once, in their order. */
static void add_build(const struct detection *detection, struct strbuf *out)
{
	struct strbuf command = STRBUF_INIT;
	struct map seen;

	map_init(&seen);
	for (size_t i = 0; i < detection->candidate_count; i++) {
		const struct detect_candidate *candidate = &detection->candidates[i];

		for (size_t k = 0; k < DETECT_MAX_STEPS && candidate->build[k] &&
				   detect_is_proposed(detection, candidate);
			k++) {
			strbuf_reset(&command);
			add_step(detection, candidate, k, &command);
			add_command(&seen, command.data, out);
		}
	}
	if (!seen.count)
		strbuf_addstr(out, NO_BUILD);
	strbuf_release(&command);
	map_release(&seen);
}

static void add_exclude(
	struct strbuf *out, const struct detect_candidate *candidate, const char *indent)
{
	if (!*candidate->exclude)
		return;
	strbuf_addf(out, "\n%s  # Not measured: %s", indent, candidate->advice);
	strbuf_addf(out, "\n%s  exclude:", indent);
	for (const char *at = candidate->exclude; *at;) {
		size_t length = strcspn(at, "\n");

		strbuf_addf(out, "\n%s    - '%.*s'", indent, (int)length, at);
		at += length + (at[length] == '\n');
	}
}

static void add_entry(
	struct strbuf *out, const struct detect_candidate *candidate, const char *indent)
{
	strbuf_addf(out, "%s- name: ", indent);
	add_quoted(out, candidate->name);
	strbuf_addf(out, "\n%s  command: ", indent);
	add_quoted(out, candidate->command);
	if (strcmp(candidate->directory, ".") != 0) {
		strbuf_addf(out, "\n%s  directory: ", indent);
		add_quoted(out, candidate->directory);
	}
	add_exclude(out, candidate, indent);
	strbuf_addch(out, '\n');
}

static size_t add_running(const struct detection *detection, struct strbuf *out)
{
	size_t count = 0;

	for (size_t i = 0; i < detection->candidate_count; i++) {
		const struct detect_candidate *candidate = &detection->candidates[i];

		if (!detect_is_proposed(detection, candidate))
			continue;
		count++;
		if (candidate->readiness == DETECT_UNRECOGNISED)
			strbuf_addstr(out, "  # " NOT_RECOGNISED "\n");
		strbuf_addf(out, "  # from %s%s%s\n", candidate->found_in,
			*candidate->advice && !*candidate->exclude ? ": " : "",
			*candidate->exclude ? "" : candidate->advice);
		add_entry(out, candidate, "  ");
	}
	return count;
}

static void add_others(const struct detection *detection, struct strbuf *out)
{
	for (size_t i = 0; i < detection->candidate_count; i++) {
		const struct detect_candidate *candidate = &detection->candidates[i];

		if (detect_is_proposed(detection, candidate))
			continue;
		if (candidate->readiness == DETECT_UNRECOGNISED)
			strbuf_addf(out, "\n  # " NOT_RECOGNISED "\n  # from %s\n",
				candidate->found_in);
		else
			strbuf_addf(out, "\n  # Not yet (%s, %s): %s.\n", candidate->found_in,
				*candidate->harness ? candidate->harness : "program",
				candidate->advice);
		if (candidate->readiness != DETECT_UNSUPPORTED) {
			for (size_t k = 0; k < DETECT_MAX_STEPS && candidate->build[k]; k++)
				strbuf_addf(out, "  # build: %s%s%s\n", candidate->build[k],
					k || !*candidate->options ? "" : " ",
					k ? "" : candidate->options);
			add_entry(out, candidate, "  # ");
		}
	}
}

void detect_write_config(const struct detection *detection, struct strbuf *out)
{
	strbuf_addstr(out, HEAD);
	add_build(detection, out);
	strbuf_addstr(out,
		"\n# Each command does the same work on every run, about 0.1 to 10 seconds of it, or\n"
		"# runs for a fixed time by a clock that can be replayed: check finds out which.\n"
		"benchmarks:\n");
	if (!add_running(detection, out))
		strbuf_addstr(out, PLACEHOLDER);
	add_others(detection, out);
	strbuf_addch(out, '\n');
	strbuf_addstr(out, TAIL);
}
