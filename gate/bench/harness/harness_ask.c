/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/harness/harness_ask.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/base/text.h"
#include "gate/bench/elf/elf_file.h"
#include "gate/bench/harness/harness_command.h"
#include "gate/bench/preload/preload.h"

#define MAX_PROGRAM_BYTES ((size_t)256 << 20)
#define SECOND_NS 1000000000ULL
#define TAIL_LINES 5
#define TAIL_BYTES 600

/* ---- which harness ------------------------------------------------------------------------- */

static bool has_text(const struct strbuf *bytes, const char *text)
{
	return text && memmem(bytes->data, bytes->length, text, strlen(text));
}

static bool is_of(
	const struct harness *harness, const struct elf_file *elf, const struct strbuf *bytes)
{
	if (has_text(bytes, harness->text) ||
		(harness->library && elf_file_has_dynamic_string(elf, harness->library)))
		return true;
	for (size_t i = 0; i < sizeof(harness->traces) / sizeof(harness->traces[0]); i++)
		if (has_text(bytes, harness->traces[i].text))
			return true;
	return false;
}

/* Of those that list their benchmarks: others have nothing that is to be found here. */
static const struct harness *harness_of_bytes(const struct strbuf *bytes)
{
	struct elf_file elf;

	if (elf_file_open(&elf, bytes->data, bytes->length) != ELF_KIND_NATIVE)
		return NULL;
	for (size_t i = 0; i < harness_count; i++)
		if (harness_lists(&harnesses[i]) && is_of(&harnesses[i], &elf, bytes))
			return &harnesses[i];
	return NULL;
}

static const struct harness *harness_of_file(const char *path)
{
	struct strbuf bytes = STRBUF_INIT;
	const struct harness *harness = NULL;
	struct error ignored;

	if (!file_read(path, MAX_PROGRAM_BYTES, &bytes, &ignored))
		harness = harness_of_bytes(&bytes);
	strbuf_release(&bytes);
	return harness;
}

const struct harness *harness_find(const struct harness_program *program)
{
	const struct config_benchmark *benchmark = program->benchmark;
	const struct harness *harness = NULL;
	char *path;

	if (benchmark->harness != CONFIG_HARNESS_AUTO)
		return harness_of(benchmark->harness);
	path = preload_program(benchmark->argv, program->env, program->directory);
	if (path)
		harness = harness_of_file(path);
	free(path);
	return harness;
}

/* ---- running it ---------------------------------------------------------------------------- */

struct answer {
	struct strbuf output, errors;
	struct process_result result;
};

static void answer_release(struct answer *answer)
{
	strbuf_release(&answer->output);
	strbuf_release(&answer->errors);
}

/* In the child: async-signal-safe. */
static void limit_child(void *data)
{
	const struct rlimit memory = {HARNESS_MEMORY_BYTES, HARNESS_MEMORY_BYTES}, none = {0, 0};

	(void)data;
	setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_CORE, &none);
}

/* The environment with one more variable, which wins. */
static const char *const *environment_with(
	struct arena *arena, const char *const *env, const char *variable)
{
	size_t name_length = strcspn(variable, "=") + 1, count = 0, kept = 0;
	const char **list;

	while (env[count])
		count++;
	list = arena_array(arena, count + 2, sizeof(*list));
	for (size_t i = 0; i < count; i++)
		if (strncmp(env[i], variable, name_length) != 0)
			list[kept++] = env[i];
	list[kept] = variable;
	return list;
}

/* variable: see struct harness_question. */
static int ask(const struct harness_program *program, const char *const *arguments,
	const char *variable, struct arena *arena, struct answer *answer, struct error *err)
{
	const char *const *argv = harness_command(arena, program->benchmark, arguments);
	const struct process_options options = {
		.argv = argv,
		.env = variable ? environment_with(arena, program->env, variable) : program->env,
		.directory = program->directory,
		.capture = &answer->output,
		.capture_stderr = &answer->errors,
		.capture_limit = HARNESS_MAX_LIST_BYTES,
		.timeout_ns = HARNESS_ASK_SECONDS * SECOND_NS,
		.stopped_ns = PROCESS_STOPPED_NS,
		.prepare = limit_child,
	};
	int rc;

	*answer = (struct answer){STRBUF_INIT, STRBUF_INIT, {0}};
	if (!argv)
		return error_set(err, ERR_BENCHMARK,
			"its command ends in something that takes no more arguments: write it as a "
			"list of arguments, or end it with the program's own");
	rc = process_run(&options, &answer->result, err);
	/* A program that is not there is the build's fault, not a tool that we miss. */
	return rc == ERR_TOOL || rc == ERR_LIMIT ? err->code = ERR_BENCHMARK : rc;
}

static void add_tail(struct strbuf *out, const struct answer *answer)
{
	const struct strbuf *from = answer->errors.length ? &answer->errors : &answer->output;
	const char *tail;
	size_t length;

	if (!from->length)
		return;
	tail = text_tail(from->data, from->length, TAIL_LINES, TAIL_BYTES, &length);
	strbuf_addstr(out, ": ");
	text_defuse(out, tail, length);
}

static int describe_failure(
	const struct answer *answer, const char *const *arguments, struct error *err)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "with %s it %s", arguments[0],
		answer->result.timed_out ? "did not end in time"
					 : process_result_text(&answer->result));
	add_tail(&text, answer);
	error_set(err, ERR_BENCHMARK, "%s", text.data);
	strbuf_release(&text);
	return ERR_BENCHMARK;
}

static bool has_failed(const struct process_result *result)
{
	return result->timed_out || result->signal || result->exit_status;
}

/* ---- names --------------------------------------------------------------------------------- */

static int ask_question(const struct harness_program *program,
	const struct harness_question *question, const char *const *arguments,
	struct harness_names *names, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct answer answer;
	int rc = ask(program, arguments, question->variable, &arena, &answer, err);

	if (!rc && has_failed(&answer.result) &&
		!(question->status_counts && answer.result.exit_status > 0))
		rc = describe_failure(&answer, arguments, err);
	if (!rc)
		rc = question->read(answer.output.data ? answer.output.data : "",
			answer.output.length, names, err);
	answer_release(&answer);
	arena_release(&arena);
	return rc;
}

/* What it prints for no benchmark, too, is no name: a banner, or the output of a program that does
 * not obey. */
static int take_away_nothing(const struct harness_program *program,
	const struct harness_question *question, struct harness_names *names, struct error *err)
{
	struct harness_names nothing;
	size_t kept = 0;
	int rc;

	if (!question->nothing[0])
		return ERR_OK;
	harness_names_init(&nothing);
	rc = ask_question(program, question, question->nothing, &nothing, err);
	for (size_t i = 0; !rc && i < names->count; i++)
		if (map_get_str(&nothing.known, names->items[i]) == MAP_NONE)
			names->items[kept++] = names->items[i];
	if (!rc)
		names->count = kept;
	harness_names_release(&nothing);
	return rc;
}

static int try_question(const struct harness_program *program,
	const struct harness_question *question, struct harness_names *names, struct error *err)
{
	int rc;

	harness_names_release(names);
	harness_names_init(names);
	rc = ask_question(program, question, question->arguments, names, err);
	if (!rc && names->count)
		rc = take_away_nothing(program, question, names, err);
	if (!rc && !names->count)
		rc = error_set(err, ERR_BENCHMARK, "it lists no benchmark");
	return rc;
}

int harness_ask_names(const struct harness_program *program, const struct harness *harness,
	struct harness_names *names, struct error *err)
{
	bool is_named = program->benchmark->harness != CONFIG_HARNESS_AUTO;
	struct error why;
	int rc = error_set(&why, ERR_BENCHMARK, "it lists no benchmark");

	for (unsigned i = 0; rc == ERR_BENCHMARK && i < HARNESS_MAX_QUESTIONS; i++)
		if (harness->list[i].read && (is_named || !harness->list[i].when_named)) {
			rc = try_question(program, &harness->list[i], names, &why);
			names->question = i;
		}
	if (rc)
		error_set(err, rc, "%s", why.message);
	return rc;
}

/* ---- counts -------------------------------------------------------------------------------- */

bool harness_has_count(const struct harness_program *program, const struct harness *harness)
{
	static const char *const help[] = {"--help", NULL};
	struct arena arena = ARENA_INIT;
	struct answer answer;
	struct error ignored;
	bool has;

	if (!harness->count[0] || !harness->count_in_help)
		return harness->count[0];
	has = !ask(program, help, NULL, &arena, &answer, &ignored) &&
	      (has_text(&answer.output, harness->count_in_help) ||
		      has_text(&answer.errors, harness->count_in_help));
	answer_release(&answer);
	arena_release(&arena);
	return has;
}

static uint64_t rounded(uint64_t count)
{
	uint64_t power = 1;

	while (count / power >= 10)
		power *= 10;
	return count / power >= 5 ? 5 * power : count / power >= 2 ? 2 * power : power;
}

int harness_ask_count(const struct harness_program *program, const struct harness *harness,
	unsigned question, const char *name, uint64_t *count, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct harness_arguments arguments = {.arena = &arena};
	struct strbuf filter = STRBUF_INIT;
	const char *const *select;
	struct answer answer;
	uint64_t found = 0;
	int rc;

	select = harness_selector(harness, question, name, &filter);
	harness_arguments_add(&arguments, harness->trial, "");
	harness_arguments_add(&arguments, select, filter.data);
	rc = ask(program, arguments.items, NULL, &arena, &answer, err);
	if (!rc && has_failed(&answer.result))
		rc = describe_failure(&answer, arguments.items, err);
	if (!rc && answer.output.length)
		found = harness->read_count(answer.output.data, answer.output.length);
	if (!rc && !found)
		rc = error_set(err, ERR_BENCHMARK, "it does not tell how many iterations it did");
	if (!rc)
		*count = rounded(found);
	answer_release(&answer);
	strbuf_release(&filter);
	arena_release(&arena);
	return rc;
}
