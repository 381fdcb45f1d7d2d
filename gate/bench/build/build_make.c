/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the configuration's setup, build and relink commands are run: their output goes to a log,
 * whose last lines explain a failure.
 */
#include "gate/bench/build/build_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/keeper.h"
#include "gate/base/process/process.h"
#include "gate/base/strbuf.h"
#include "gate/base/text.h"
#include "gate/bench/leavings.h"

#define COPY_BYTES ((size_t)64 * 1024)
#define SHOWN_COMMAND_BYTES 200

/* A log that is cut short by a full disk is no reason to fail. */
static void append_file(int log, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char piece[COPY_BYTES];
	ssize_t got;

	while (fd >= 0 &&
		((got = read(fd, piece, sizeof(piece))) > 0 || (got < 0 && errno == EINTR)))
		if (got > 0 && file_write_fd(log, piece, (size_t)got) < 0)
			break;
	if (fd >= 0)
		close(fd);
}

static int describe_failure(const char *command, const struct process_result *result,
	const char *output, const char *log_path, struct error *err)
{
	struct strbuf message = STRBUF_INIT, shown = STRBUF_INIT;
	size_t length = strlen(command);

	text_defuse(&shown, command, length < SHOWN_COMMAND_BYTES ? length : SHOWN_COMMAND_BYTES);
	strbuf_addf(&message, "`%s%s` %s after %.1f s (whole log: %s)", shown.data,
		length > SHOWN_COMMAND_BYTES ? "..." : "",
		result->timed_out ? "ran into build_timeout" : process_result_text(result),
		(double)result->wall_ns / 1e9, log_path);
	output_tail(&message, output);
	error_set(err, ERR_BENCHMARK, "%s", message.data);
	strbuf_release(&message);
	strbuf_release(&shown);
	return ERR_BENCHMARK;
}

struct builder {
	const struct build_cache *cache;
	const struct config *config;
	const char *const *env;
	const char *log_path, *part_path; /* all output; one command's */
	int log;
};

static int run_command(const struct builder *builder, const char *command, struct error *err)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	const struct process_options options = {.argv = argv,
		.env = builder->env,
		.directory = builder->cache->build_path,
		.output_path = builder->part_path,
		.timeout_ns = builder->config->build_timeout_ns,
		.stopped_ns = PROCESS_STOPPED_NS};
	struct process_result result = {0};
	struct strbuf title = STRBUF_INIT;
	int rc;

	strbuf_addf(&title, "$ %s\n", command);
	file_write_fd(builder->log, title.data, title.length);
	strbuf_release(&title);
	rc = keeper_run(&options, &result, err);
	append_file(builder->log, builder->part_path);
	if (!rc && (result.timed_out || result.signal || result.exit_status))
		rc = describe_failure(command, &result, builder->part_path, builder->log_path, err);
	return rc;
}

static int run_commands(
	const struct builder *builder, const char *const *commands, struct error *err)
{
	int rc = ERR_OK;

	for (; !rc && commands && *commands; commands++)
		rc = run_command(builder, *commands, err);
	return rc;
}

static int open_log(struct builder *builder, struct strbuf *part, struct error *err)
{
	const char *path = builder->log_path;

	unlink(path);
	builder->log = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (builder->log < 0)
		return error_errno(err, ERR_IO, errno, "cannot write %s", path);
	strbuf_addf(part, "%s.part", path);
	builder->part_path = part->data;
	return ERR_OK;
}

static void close_log(const struct builder *builder, struct strbuf *part)
{
	unlink(part->data);
	close(builder->log);
	strbuf_release(part);
}

int build_make(const struct build_cache *cache, const struct config *config, const char *const *env,
	const char *log_path, struct error *err)
{
	struct builder builder = {cache, config, env, log_path, NULL, -1};
	struct strbuf part = STRBUF_INIT;
	int rc = open_log(&builder, &part, err);

	if (rc)
		return rc;
	rc = run_commands(&builder, config->setup, err);
	if (!rc)
		rc = run_commands(&builder, config->build, err);
	close_log(&builder, &part);
	return rc;
}

static void add_with_seed(struct strbuf *out, const char *command, uint32_t seed)
{
	static const char mark[] = "{seed}";

	for (const char *found; (found = strstr(command, mark)); command = found + strlen(mark)) {
		strbuf_add(out, command, (size_t)(found - command));
		strbuf_addf(out, "%u", seed);
	}
	strbuf_addstr(out, command);
}

static int run_seeded(const struct builder *builder, uint32_t seed, struct error *err)
{
	const char *const *commands = builder->config->relink;
	int rc = ERR_OK;

	for (; !rc && *commands; commands++) {
		struct strbuf command = STRBUF_INIT;

		add_with_seed(&command, *commands, seed);
		rc = run_command(builder, command.data, err);
		strbuf_release(&command);
	}
	return rc;
}

int build_relink(const struct build_cache *cache, const struct config *config,
	const struct build *build, uint32_t seed, struct error *err)
{
	char variable[48];
	const char *const extra[] = {variable, NULL};
	struct strbuf part = STRBUF_INIT, log_path = STRBUF_INIT;
	struct builder builder = {.cache = cache, .config = config, .log = -1};
	char **env;
	int rc;

	snprintf(variable, sizeof(variable), "FLAMEGATE_SEED=%u", seed);
	env = environment_build(config, extra);
	strbuf_addf(&log_path, "%s.relink", build->log_path);
	builder.env = (const char *const *)env;
	builder.log_path = log_path.data;
	rc = open_log(&builder, &part, err);
	if (!rc) {
		rc = run_seeded(&builder, seed, err);
		close_log(&builder, &part);
	}
	strbuf_release(&log_path);
	environment_free(env);
	return rc;
}
