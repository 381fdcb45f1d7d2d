/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Pyroscope server for a group of tests: our own (tests/servers/pyroscope.py), or the real one at
 * FLAMEGATE_TEST_PYROSCOPE_URL. Each store that is opened has a service of its own, so that a
 * server may be used again. Profiles are compared as text, by what a server keeps.
 */
#ifndef FG_TESTS_BASELINE_PYROSCOPE_SCENE_H
#define FG_TESTS_BASELINE_PYROSCOPE_SCENE_H

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baseline/instant.h"
#include "baseline/pyroscope/pyroscope_store.h"
#include "baseline/server/split.h"
#include "gate/base/error.h"
#include "tests/unit/baseline/recordings.h"

static struct scene {
	char url[256]; /* http://127.0.0.1:PORT */
	pid_t pid;     /* 0: a real server */
	int input;
	unsigned services;
} scene;

static inline int scene_read_url(int fd)
{
	FILE *lines = fdopen(fd, "r");
	int rc = lines && fgets(scene.url, sizeof(scene.url), lines) ? 0 : -1;

	scene.url[strcspn(scene.url, "\n")] = '\0';
	if (lines)
		fclose(lines);
	return rc;
}

static inline void scene_run_server(int input, int output)
{
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	execlp("python3", "python3", "-B", "tests/servers/pyroscope.py", (char *)NULL);
	_exit(127);
}

static inline int scene_start(void **state)
{
	const char *real = getenv("FLAMEGATE_TEST_PYROSCOPE_URL");
	int input[2], output[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	unsetenv("http_proxy");
	unsetenv("ALL_PROXY");
	if (real && *real) {
		snprintf(scene.url, sizeof(scene.url), "%s", real);
		return 0;
	}
	if (pipe(input) || pipe(output))
		return -1;
	scene.pid = fork();
	if (scene.pid == 0)
		scene_run_server(input[0], output[1]);
	close(input[0]);
	close(output[1]);
	scene.input = input[1];
	return scene_read_url(output[0]);
}

static inline int scene_stop(void **state)
{
	(void)state;
	if (scene.pid) {
		close(scene.input);
		waitpid(scene.pid, NULL, 0);
	}
	return 0;
}

/* ---- stores --------------------------------------------------------------------------------- */

/* store_close() it. `extra` of the URL: "&days=3". */
static inline struct store *scene_open(const char *extra)
{
	struct store_options options = {0};
	struct store *store;
	struct error err;
	char url[512];

	snprintf(url, sizeof(url), "pyroscope%s?service=test-%" PRId64 "-%d-%u%s", scene.url + 4,
		instant_now(), getpid(), scene.services++, extra);
	if (store_open(url, &options, &store, &err))
		fail_msg("%s: %s", url, err.message);
	return store;
}

static inline const struct pyroscope_store *scene_data(const struct store *store)
{
	return store->data;
}

static inline struct pyroscope_range scene_range(void)
{
	int64_t now = instant_now();

	return (struct pyroscope_range){now - 600 * INSTANT_SECOND_NS, now + INSTANT_SECOND_NS};
}

static inline int scene_put(struct store *store, const struct recording *recording,
	unsigned *attempts, struct error *err)
{
	err->message[0] = '\0';
	return store_put(store, &recording, 1, attempts, err);
}

static inline void scene_must_put(struct store *store, const struct recording *recording)
{
	struct error err;
	unsigned attempts = 0;

	if (scene_put(store, recording, &attempts, &err))
		fail_msg("put: %s", err.message);
	assert_int_equal(attempts, 1);
}

static inline int scene_get(struct store *store, const struct recording *recording,
	struct recording *out, struct error *err)
{
	struct arena arena = ARENA_INIT;
	const struct baseline_key key = {recording->commit, recording->benchmark,
		recording->profile_type, recording_environment(recording, &arena)};
	enum baseline_detail detail = BASELINE_EXACT;
	int rc = store_get(store, &key, out, &detail, err);

	if (!rc)
		assert_int_equal(detail, BASELINE_SERVER);
	arena_release(&arena);
	return rc;
}

/* The server is told to misbehave, as pyroscope.py says. */
static inline void scene_fault(const char *fault, unsigned count)
{
	struct http_response response = {0};
	struct error err;
	char url[300], body[100];

	snprintf(url, sizeof(url), "%s/test/faults", scene.url);
	snprintf(body, sizeof(body), "{\"fault\":\"%s\",\"count\":%u}", fault, count);
	if (http_send(&(struct http_request){.method = "POST",
			      .url = url,
			      .headers =
				      (const char *const[]){"Content-Type: application/json", NULL},
			      .body = body,
			      .body_length = strlen(body)},
		    &response, &err))
		fail_msg("%s", err.message);
	http_response_release(&response);
}

/* What the server tells of itself; json_free() it. */
static inline struct json *scene_stats(void)
{
	struct http_response response = {0};
	struct json *stats = NULL;
	struct error err;
	char url[300];

	snprintf(url, sizeof(url), "%s/test/stats", scene.url);
	if (http_send(&(struct http_request){.method = "GET", .url = url}, &response, &err) ||
		json_parse(response.body.data, response.body.length, "stats", NULL, &stats, &err))
		fail_msg("%s", err.message);
	http_response_release(&response);
	return stats;
}

/* One of its counts: "pushes", "refused", "requests". */
static inline int64_t scene_count(const char *name)
{
	struct json *stats = scene_stats();
	int64_t count = -1;
	struct error err;

	if (json_get_int64(stats, name, &count, &err))
		fail_msg("%s", err.message);
	json_free(stats);
	return count;
}

/* Pushes it into a store of its own and pulls it again. store_close() what it returns. */
static inline struct store *scene_push_and_pull(
	const struct recording *recording, struct recording *pulled)
{
	struct store *store = scene_open("");
	struct error err;

	scene_must_put(store, recording);
	if (scene_get(store, recording, pulled, &err))
		fail_msg("get: %s", err.message);
	return store;
}

/* A small one, to be made odd. */
static inline struct recording scene_recording(uint64_t seed)
{
	return recordings_make(&(struct recordings_options){
		.seed = seed, .nodes = 3, .functions = 3, .rounds = 1});
}

/* How many values the label has in the store. */
static inline size_t scene_values(struct store *store, const char *name)
{
	struct strbuf selector = STRBUF_INIT;
	struct json *answer;
	struct error err;
	size_t count;

	pyroscope_store_selector(scene_data(store), &selector);
	strbuf_addch(&selector, '}');
	if (pyroscope_label_values(
		    &scene_data(store)->server, name, selector.data, scene_range(), &answer, &err))
		fail_msg("%s", err.message);
	count = json_length(json_get(answer, "names"));
	json_free(answer);
	strbuf_release(&selector);
	return count;
}

/* ---- profiles as text ------------------------------------------------------------------------ */

struct scene_line {
	char *text;
	int64_t values[3];
};

static inline int scene_compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct scene_line *)a)->text, ((const struct scene_line *)b)->text);
}

static inline void scene_frame(
	struct strbuf *out, const struct profile *profile, const struct profile_location *location)
{
	static const struct profile_mapping none = {.file = "", .build_id = ""};
	const struct profile_mapping *mapping = location->mapping == PROFILE_NO_MAPPING
							? &none
							: &profile->mappings[location->mapping];

	strbuf_addf(out, " [%s %s", mapping->file, mapping->build_id);
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct profile_function *function =
			&profile->functions[location->lines[i].function];

		strbuf_addf(out, " %s(%s)@%s:%" PRId64 ":%" PRId64, function->name,
			*function->system_name ? function->system_name : function->name,
			function->file, function->start_line, location->lines[i].line);
	}
	strbuf_addch(out, ']');
}

static inline struct scene_line scene_sample(
	const struct profile *profile, const struct profile_sample *sample)
{
	struct strbuf text = STRBUF_INIT;
	struct scene_line line = {0};

	strbuf_addf(&text, "round %04" PRId64 ":",
		profile_sample_number(sample, PROFILE_LABEL_ROUND, -1));
	for (uint32_t i = 0; i < sample->depth; i++)
		scene_frame(&text, profile, &profile->locations[sample->locations[i]]);
	for (size_t i = 0; i < profile->type_count; i++)
		line.values[i] = sample->values[i];
	line.text = strbuf_detach(&text, NULL);
	return line;
}

/* Equal stacks of a round are one line: what a server must give back. free() it. */
static inline char *scene_text(const struct profile *profile)
{
	struct scene_line *lines = calloc(profile->sample_count + 1, sizeof(*lines));
	struct strbuf out = STRBUF_INIT;
	size_t count = profile->sample_count;

	for (size_t i = 0; i < count; i++)
		lines[i] = scene_sample(profile, &profile->samples[i]);
	qsort(lines, count, sizeof(*lines), scene_compare_lines);
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && strcmp(lines[i].text, lines[i + 1].text) == 0) {
			for (size_t j = 0; j < 3; j++)
				lines[i + 1].values[j] += lines[i].values[j];
		} else if (lines[i].values[0] || lines[i].values[1] || lines[i].values[2]) {
			strbuf_addf(&out, "%" PRId64 " %" PRId64 " %" PRId64 " %s\n",
				lines[i].values[0], lines[i].values[1], lines[i].values[2],
				lines[i].text);
		}
		free(lines[i].text);
	}
	free(lines);
	return strbuf_detach(&out, NULL);
}

/* What is not the same shows where the texts part. */
static inline void scene_assert_same(const struct profile *pushed, const struct profile *pulled)
{
	char *a = scene_text(pushed), *b = scene_text(pulled);
	size_t at = 0;

	while (a[at] && a[at] == b[at])
		at++;
	if (a[at] || b[at])
		fail_msg("at %zu: pushed \"%.300s\", pulled \"%.300s\"", at,
			a + (at > 40 ? at - 40 : 0), b + (at > 40 ? at - 40 : 0));
	free(a);
	free(b);
}

#endif
