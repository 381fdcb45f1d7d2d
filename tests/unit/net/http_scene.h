/* SPDX-License-Identifier: Apache-2.0 */
/* tests/servers/faults.py, started once for a group of tests, and requests to it. */
#ifndef FG_TESTS_NET_HTTP_SCENE_H
#define FG_TESTS_NET_HTTP_SCENE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/net/http.h"

#define SCENE_SECOND_NS 1000000000ULL
/* What no message may hold. */
#define SCENE_TOKEN "t0ken-Sesame"
#define SCENE_PASSWORD "passw0rd-Sesame"

struct scene {
	pid_t pid;
	int input;                                           /* the server ends when it is closed */
	unsigned http, other, mute, tls, name, closed, full; /* ports; 0: not on this machine */
	char certificate[512], name_certificate[512];
};

static struct scene scene;

struct outcome {
	int rc;
	struct http_response response;
	struct error err;
	uint64_t wall_ns;
	char url[1024];
};

static inline void run_server(int input, int output)
{
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	execlp("python3", "python3", "tests/servers/faults.py", (char *)NULL);
	_exit(127);
}

static inline void take_line(const char *line)
{
	const struct {
		const char *name;
		unsigned *port;
		char *note;
	} listeners[] = {
		{"http", &scene.http, NULL},
		{"other", &scene.other, NULL},
		{"mute", &scene.mute, NULL},
		{"tls", &scene.tls, scene.certificate},
		{"name", &scene.name, scene.name_certificate},
		{"closed", &scene.closed, NULL},
		{"full", &scene.full, NULL},
	};
	char name[16], note[512] = "";
	unsigned port;

	if (sscanf(line, "%15s %u %511s", name, &port, note) < 2)
		return;
	for (size_t i = 0; i < sizeof(listeners) / sizeof(listeners[0]); i++) {
		if (strcmp(listeners[i].name, name) != 0)
			continue;
		*listeners[i].port = port;
		if (listeners[i].note)
			snprintf(listeners[i].note, 512, "%s", note);
	}
}

static inline int read_ports(int fd)
{
	FILE *lines = fdopen(fd, "r");
	char line[600];
	int rc = -1;

	while (rc && lines && fgets(line, sizeof(line), lines)) {
		if (strcmp(line, "ready\n") == 0)
			rc = 0;
		take_line(line);
	}
	if (lines)
		fclose(lines);
	return rc;
}

/* For cmocka's groups; without python3 the group fails. */
static inline int scene_start(void **state)
{
	static const char *const unwanted[] = {"http_proxy", "https_proxy", "HTTPS_PROXY",
		"all_proxy", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"};
	int input[2], output[2];

	(void)state;
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		unsetenv(unwanted[i]);
	signal(SIGPIPE, SIG_IGN);
	if (pipe(input) || pipe(output))
		return -1;
	scene.pid = fork();
	if (scene.pid == 0)
		run_server(input[0], output[1]);
	close(input[0]);
	close(output[1]);
	scene.input = input[1];
	return read_ports(output[0]);
}

static inline int scene_stop(void **state)
{
	(void)state;
	close(scene.input);
	waitpid(scene.pid, NULL, 0);
	return 0;
}

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SCENE_SECOND_NS + (uint64_t)now.tv_nsec;
}

static inline void check_message(const char *message, const char *scheme, unsigned port)
{
	char server[64];

	snprintf(server, sizeof(server), "%s://127.0.0.1:%u: ", scheme, port);
	if (strncmp(message, server, strlen(server)) != 0)
		fail_msg("the message does not begin with the server: %s", message);
	if (strstr(message, SCENE_TOKEN) || strstr(message, SCENE_PASSWORD))
		fail_msg("the message holds a secret: %s", message);
	for (const char *at = message; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			fail_msg("the message holds a control character: %s", message);
}

/*
 * Sends request (method GET if it has none) to "SCHEME://127.0.0.1:PORT" and the path. Asserts of
 * every outcome that a failure has a message which names the server, holds no secret, no control
 * character and no second line.
 */
static inline struct outcome scene_send(
	const char *scheme, unsigned port, const char *path, struct http_request request)
{
	struct outcome outcome = {0};
	uint64_t started = now_ns();

	snprintf(outcome.url, sizeof(outcome.url), "%s://127.0.0.1:%u%s", scheme, port, path);
	request.url = outcome.url;
	if (!request.method)
		request.method = "GET";
	outcome.rc = http_send(&request, &outcome.response, &outcome.err);
	outcome.wall_ns = now_ns() - started;
	if (outcome.rc && outcome.rc != ERR_USAGE)
		check_message(outcome.err.message, scheme, port);
	return outcome;
}

static inline struct outcome scene_get(const char *path)
{
	return scene_send("http", scene.http, path, (struct http_request){0});
}

/* GET of an answer with this status and body. */
static inline struct outcome scene_get_status(unsigned status, const char *body)
{
	char path[900];
	size_t length = (size_t)snprintf(path, sizeof(path), "/status/%u?hex=", status);

	for (; *body && length + 3 < sizeof(path); body++)
		length += (size_t)snprintf(
			path + length, sizeof(path) - length, "%02x", (unsigned char)*body);
	return scene_get(path);
}

static inline void scene_release(struct outcome *outcome)
{
	http_response_release(&outcome->response);
}

/* The outcome has this code, and its message holds all of these texts (the last is NULL). */
static inline void scene_expect(const struct outcome *outcome, int code, ...)
{
	const char *text;
	va_list texts;

	if (outcome->rc != code)
		fail_msg("%s: code %d, expected %d: %s", outcome->url, outcome->rc, code,
			outcome->rc ? outcome->err.message : "");
	if (code)
		assert_int_equal(outcome->err.code, code);
	va_start(texts, code);
	while ((text = va_arg(texts, const char *)))
		if (!strstr(outcome->err.message, text))
			fail_msg("%s: no '%s' in: %s", outcome->url, text, outcome->err.message);
	va_end(texts);
}

/* How often the server met this key; see faults.py. */
static inline unsigned scene_count(const char *key)
{
	struct outcome outcome;
	char path[64];
	unsigned count;

	snprintf(path, sizeof(path), "/count/%s", key);
	outcome = scene_get(path);
	assert_int_equal(outcome.rc, 0);
	count = (unsigned)strtoul(outcome.response.body.data, NULL, 10);
	scene_release(&outcome);
	return count;
}

#endif
