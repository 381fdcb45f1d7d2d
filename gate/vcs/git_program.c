/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the git program is started, with which options and time limits, and how its own words become
 * an error.
 */
#include "gate/vcs/git_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "gate/base/text.h"

#define MINUTE_NS (60 * 1000000000ULL)
#define LOCAL_TIMEOUT_NS (10 * MINUTE_NS)
#define NETWORK_TIMEOUT_NS (60 * MINUTE_NS)
#define NETWORK_SILENCE_NS (MINUTE_NS / 2)
#define PROBLEM_BYTES 700

/*
 * Hooks and fsmonitor would run commands that the repository's files may bring along; housekeeping
 * would disturb a measurement.
 */
static const char *const fixed_args[] = {
	"-c",
	"core.hooksPath=/dev/null",
	"-c",
	"core.fsmonitor=false",
	"-c",
	"protocol.ext.allow=never",
	"-c",
	"submodule.recurse=false",
	"-c",
	"core.splitIndex=false", /* else a copy of the index writes beside the user's */
	"-c",
	"gc.auto=0",
	"-c",
	"maintenance.auto=false",
	"-c",
	"advice.detachedHead=false",
	/* Where the kernel does not tell what a connection has carried (process_silence.h); behind
	 * NETWORK_SILENCE_NS, which must have been seen first. */
	"-c",
	"http.lowSpeedLimit=1",
	"-c",
	"http.lowSpeedTime=60",
};

static uint64_t network_silence_ns = NETWORK_SILENCE_NS;

void git_set_silence(uint64_t ns)
{
	network_silence_ns = ns ? ns : NETWORK_SILENCE_NS;
}

static const char *const *make_arguments(const char *const *args, struct arena *arena)
{
	const size_t fixed = sizeof(fixed_args) / sizeof(*fixed_args);
	size_t count = 0;
	const char **argv;

	while (args[count])
		count++;
	argv = arena_array(arena, 1 + fixed + count + 1, sizeof(*argv));

	argv[0] = "git";
	memcpy(argv + 1, fixed_args, sizeof(fixed_args));
	memcpy(argv + 1 + fixed, args, count * sizeof(*argv));
	return argv;
}

/* One line of plain text, from the end if it is too long: the reason comes last. */
static void add_problem(struct strbuf *line, const struct strbuf *problem)
{
	struct strbuf text = STRBUF_INIT;
	size_t length;
	const char *tail;
	bool gap = false;

	text_defuse(&text, problem->data, problem->length);
	tail = text_tail(text.data, text.length, 12, PROBLEM_BYTES, &length);
	for (size_t i = 0; i < length; i++) {
		if (strchr("\n\t ", tail[i])) {
			gap = line->length > 0;
			continue;
		}
		if (gap)
			strbuf_addch(line, ' ');
		gap = false;
		strbuf_addch(line, tail[i]);
	}
	strbuf_release(&text);
}

static int explain(const struct git_command *command, const struct process_result *result,
	const struct strbuf *problem, struct error *err)
{
	struct strbuf line = STRBUF_INIT;
	const char *name = command->args[0];

	add_problem(&line, problem);
	if (result->silent)
		error_set(err, ERR_TOOL,
			"git %s was ended: not a byte came from the server for %.3g s; is it, or a "
			"proxy before it, still at work?",
			name, (double)network_silence_ns / 1e9);
	else if (result->timed_out)
		error_set(err, ERR_TOOL, "git %s took too long: %s", name, line.data);
	else if (line.length)
		error_set(err, ERR_TOOL, "git %s: %s", name, line.data);
	else
		error_set(err, ERR_TOOL, "git %s %s", name, process_result_text(result));
	strbuf_release(&line);
	return ERR_TOOL;
}

static uint64_t time_limit(const struct git_command *command)
{
	if (command->timeout_ns)
		return command->timeout_ns;
	return command->network ? NETWORK_TIMEOUT_NS : LOCAL_TIMEOUT_NS;
}

/* Why a server may have sent it away. */
static void tell_withheld(struct strbuf *problem, const char *changed)
{
	strbuf_addf(problem, "\n(git was given no credentials: the project's code has changed %s)",
		changed);
}

/* result is filled in any case. */
static int run(const struct git_command *command, struct process_result *result,
	struct strbuf *problem, struct error *err)
{
	struct arena arena = ARENA_INIT;
	const char *changed;
	bool may_tell = git_may_tell(command, &changed);
	struct process_options options = {
		.argv = make_arguments(command->args, &arena),
		.env = git_environment(
			command->env, may_tell ? NULL : git_plain_variables(), &arena),
		.directory = command->directory,
		.input = command->input,
		.input_length = command->input_length,
		.capture = command->out,
		.capture_limit = command->limit,
		.capture_stderr = problem,
		.timeout_ns = time_limit(command),
		.silence_ns = command->network ? network_silence_ns : 0,
		/* A credential cache is the user's; it lives on. But not what the project's code
		 * may have made git start. */
		.keep_descendants = may_tell,
		.ignore_interrupt = command->cleaning_up,
	};
	int rc;

	*result = (struct process_result){0};
	rc = process_run(&options, result, err);
	if (command->silent && result->silent)
		*command->silent = true;
	if (may_tell)
		git_has_run();
	if (!rc && changed && result->exit_status)
		tell_withheld(problem, changed);
	arena_release(&arena);
	return rc;
}

int git_try(const struct git_command *command, int *exit_status, struct error *err)
{
	struct process_result result;
	struct strbuf problem = STRBUF_INIT;
	int rc = run(command, &result, &problem, err);

	if (!rc && (result.signal || result.timed_out || result.silent))
		rc = explain(command, &result, &problem, err);
	if (!rc)
		*exit_status = result.exit_status;
	if (command->problem)
		add_problem(command->problem, &problem);
	strbuf_release(&problem);
	return rc;
}

int git_run(const struct git_command *command, struct error *err)
{
	struct process_result result;
	struct strbuf problem = STRBUF_INIT;
	int rc = run(command, &result, &problem, err);

	if (!rc && (result.signal || result.timed_out || result.silent || result.exit_status))
		rc = explain(command, &result, &problem, err);
	strbuf_release(&problem);
	return rc;
}

int git_ask(const struct repo *repo, const char *const *args, struct strbuf *out, struct error *err)
{
	size_t before = out->length;
	int rc = git_run(
		&(struct git_command){.directory = repo->root, .args = args, .out = out}, err);

	if (rc)
		strbuf_truncate(out, before);
	else if (out->length > before && out->data[out->length - 1] == '\n')
		strbuf_truncate(out, out->length - 1);
	return rc;
}
