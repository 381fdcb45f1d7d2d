/* SPDX-License-Identifier: Apache-2.0 */
/* tests/servers/faults.py, started once for a group of tests, and requests to it. */
#ifndef FG_TESTS_NET_HTTP_SCENE_H
#define FG_TESTS_NET_HTTP_SCENE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
extern struct scene scene;

/* For cmocka's groups. Skips nothing: without python3 the group fails. */
int scene_start(void **state);
int scene_stop(void **state);

struct outcome {
	int rc;
	struct http_response response;
	struct error err;
	uint64_t wall_ns;
	char url[512];
};

/*
 * Sends request (method GET if it has none) to "SCHEME://127.0.0.1:PORT" and the path. Asserts of
 * every outcome that a failure has a message which names the server, holds no secret, no control
 * character and no second line.
 */
struct outcome scene_send(
	const char *scheme, unsigned port, const char *path, struct http_request request);
struct outcome scene_get(const char *path);
void scene_release(struct outcome *outcome);
/* The outcome has this code, and its message holds all of these texts (the last is NULL). */
void scene_expect(const struct outcome *outcome, int code, ...);
/* How often the server met this key; see faults.py. */
unsigned scene_count(const char *key);

#endif
