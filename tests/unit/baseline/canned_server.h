/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP server on loopback that gives the answers it was told, one a connection, and keeps what
 * it was asked. After the last answer nobody listens any more.
 */
#ifndef FG_TESTS_BASELINE_CANNED_SERVER_H
#define FG_TESTS_BASELINE_CANNED_SERVER_H

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gate/base/strbuf.h"

struct canned_answer {
	int status;         /* 0: HTTP/2, from here on as gRPC */
	const char *type;   /* HTTP/2: the value of grpc-message; NULL: none */
	const char *header; /* "Name: value"; NULL: none. HTTP/2: the value of grpc-status */
	const void *body;
	size_t length; /* 0: of the string */
};

#define CANNED_MAX 80
static struct {
	int listener;
	unsigned port;
	pthread_t thread;
	struct canned_answer answers[CANNED_MAX];
	size_t answer_count;
	struct strbuf requests[CANNED_MAX];
	size_t request_count;
} canned;

static inline void canned_read(int fd, struct strbuf *out, size_t wanted)
{
	char buffer[65536];

	while (out->length < wanted) {
		ssize_t got = read(fd, buffer, sizeof(buffer));

		if (got <= 0)
			return;
		strbuf_add(out, buffer, (size_t)got);
	}
}

/* ---- HTTP/1.1 ---- */

static inline void canned_read_request(int fd, struct strbuf *out)
{
	const char *end = NULL, *length;

	for (size_t before = 1; !end && before != out->length;) {
		before = out->length;
		canned_read(fd, out, before + 1);
		end = strstr(out->data, "\r\n\r\n");
	}
	length = strstr(out->data, "Content-Length: ");
	if (strstr(out->data, "Expect: 100-continue"))
		(void)!write(fd, "HTTP/1.1 100 Continue\r\n\r\n", 25);
	if (end && length)
		canned_read(
			fd, out, (size_t)(end + 4 - out->data) + strtoul(length + 16, NULL, 10));
}

static inline void canned_answer(int fd, const struct canned_answer *answer)
{
	struct strbuf out = STRBUF_INIT;
	size_t length = answer->length || !answer->body ? answer->length : strlen(answer->body);

	strbuf_addf(&out,
		"HTTP/1.1 %d Canned\r\nConnection: close\r\nContent-Type: %s\r\n"
		"Content-Length: %zu\r\n%s%s\r\n",
		answer->status, answer->type ? answer->type : "application/json", length,
		answer->header ? answer->header : "", answer->header ? "\r\n" : "");
	strbuf_add(&out, answer->body, length);
	(void)!write(fd, out.data, out.length);
	strbuf_release(&out);
}

/* ---- HTTP/2 (RFC 9113): just enough for one stream ---- */

static inline void canned_frame(struct strbuf *out, unsigned type, unsigned flags, unsigned stream,
	const void *data, size_t length)
{
	const unsigned char head[9] = {(unsigned char)(length >> 16), (unsigned char)(length >> 8),
		(unsigned char)length, (unsigned char)type, (unsigned char)flags, 0, 0, 0,
		(unsigned char)stream};

	strbuf_add(out, head, sizeof(head));
	strbuf_add(out, data, length);
}

/* A header field that is not indexed, with a new name (RFC 7541, 6.2.2). */
static inline void canned_field(struct strbuf *out, const char *name, const char *value)
{
	strbuf_addch(out, 0);
	strbuf_addch(out, (char)strlen(name));
	strbuf_addstr(out, name);
	strbuf_addch(out, (char)strlen(value));
	strbuf_addstr(out, value);
}

/* Until a frame of the stream ends it; the frames' bytes are kept. */
static inline void canned_read_stream(int fd, struct strbuf *out)
{
	size_t at = 24; /* the preface */

	for (bool ended = false; !ended;) {
		const unsigned char *head;
		size_t length;

		canned_read(fd, out, at + 9);
		if (out->length < at + 9)
			return;
		head = (const unsigned char *)out->data + at;
		length = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
		ended = head[8] && head[3] <= 1 && (head[4] & 1);
		at += 9 + length;
		canned_read(fd, out, at);
	}
}

static inline void canned_answer_stream(int fd, const struct canned_answer *answer)
{
	struct strbuf out = STRBUF_INIT, fields = STRBUF_INIT;
	const char *body = answer->body;

	canned_frame(&out, 4, 0, 0, "", 0);
	canned_frame(&out, 4, 1, 0, "", 0);
	strbuf_addch(&fields, (char)0x88); /* :status 200 */
	canned_field(&fields, "content-type", "application/grpc");
	canned_frame(&out, 1, 4, 1, fields.data, fields.length);
	for (size_t at = 0; at < answer->length; at += 16384)
		canned_frame(&out, 0, 0, 1, body + at,
			answer->length - at < 16384 ? answer->length - at : 16384);
	strbuf_reset(&fields);
	canned_field(&fields, "x-trailer", "yes");
	if (answer->header)
		canned_field(&fields, "grpc-status", answer->header);
	if (answer->type)
		canned_field(&fields, "grpc-message", answer->type);
	canned_frame(&out, 1, 5, 1, fields.data, fields.length);
	(void)!write(fd, out.data, out.length);
	strbuf_release(&out);
	strbuf_release(&fields);
}

/* ---- the server ---- */

static inline void *canned_run(void *unused)
{
	char rest[4096];

	(void)unused;
	for (size_t i = 0; i < canned.answer_count; i++) {
		int fd = accept(canned.listener, NULL, NULL);

		if (fd < 0)
			return NULL;
		/* The last one: who comes now is refused. */
		if (i + 1 == canned.answer_count)
			shutdown(canned.listener, SHUT_RDWR);
		if (canned.answers[i].status) {
			canned_read_request(fd, &canned.requests[i]);
			canned.request_count++;
			canned_answer(fd, &canned.answers[i]);
		} else {
			canned_read_stream(fd, &canned.requests[i]);
			canned.request_count++;
			canned_answer_stream(fd, &canned.answers[i]);
		}
		while (read(fd, rest, sizeof(rest)) > 0)
			continue;
		close(fd);
	}
	return NULL;
}

/* canned.port is where it listens. */
static inline void canned_start(const struct canned_answer *answers, size_t count)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(address);

	signal(SIGPIPE, SIG_IGN);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	memset(&canned, 0, sizeof(canned));
	for (size_t i = 0; i < CANNED_MAX; i++)
		strbuf_init(&canned.requests[i]);
	memcpy(canned.answers, answers, count * sizeof(*answers));
	canned.answer_count = count;
	canned.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(canned.listener, (struct sockaddr *)&address, length) ||
		listen(canned.listener, 16) ||
		getsockname(canned.listener, (struct sockaddr *)&address, &length) ||
		pthread_create(&canned.thread, NULL, canned_run, NULL))
		abort();
	canned.port = ntohs(address.sin_port);
}

/* How many requests it got; they stay readable until canned_release(). */
static inline size_t canned_stop(void)
{
	shutdown(canned.listener, SHUT_RDWR);
	pthread_join(canned.thread, NULL);
	close(canned.listener);
	return canned.request_count;
}

static inline void canned_release(void)
{
	for (size_t i = 0; i < CANNED_MAX; i++)
		strbuf_release(&canned.requests[i]);
}

#endif
