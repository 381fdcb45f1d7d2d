/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a profile is sent to a Pyroscope server, and sent again only where the server has surely not
 * stored it.
 */
#include "baseline/pyroscope/pyroscope_internal.h"

#include <time.h>

#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/base/process/process.h"

#define PUSH_ATTEMPTS 6
#define STEP_NS UINT64_C(100000000) /* how soon an interruption is seen */
#define SECOND_NS UINT64_C(1000000000)
#define TOO_MANY_REQUESTS 429

static int wait_ns(uint64_t left, struct error *err)
{
	while (left && !process_interrupted()) {
		uint64_t step = left < STEP_NS ? left : STEP_NS;
		const struct timespec time = {.tv_nsec = (long)step};

		(void)nanosleep(&time, NULL);
		left -= step;
	}
	return process_interrupted() ? error_set(err, ERR_INTERRUPTED, "interrupted") : ERR_OK;
}

static void push_body(
	struct strbuf *body, const struct label *labels, size_t count, const struct strbuf *pprof)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer writer;

	json_writer_init(&writer, body, 0);
	json_object_begin(&writer);
	json_member_array(&writer, "series");
	json_object_begin(&writer);
	json_member_array(&writer, "labels");
	for (size_t i = 0; i < count; i++) {
		json_object_begin(&writer);
		json_member_string(&writer, "name", labels[i].name);
		json_member_string(&writer, "value", labels[i].value);
		json_object_end(&writer);
	}
	json_array_end(&writer);
	json_member_array(&writer, "samples");
	json_object_begin(&writer);
	base64_encode(pprof->data, pprof->length, &text);
	json_member_string(&writer, "rawProfile", text.data);
	json_object_end(&writer);
	json_array_end(&writer);
	json_object_end(&writer);
	json_array_end(&writer);
	json_object_end(&writer);
	strbuf_release(&text);
}

/* One attempt: whatever else than 429 comes back, the server may have stored it. */
static int send_once(
	const struct pyroscope *server, const struct strbuf *body, long *status, struct error *err)
{
	struct strbuf url = STRBUF_INIT;
	int rc;

	strbuf_addf(&url, "%s/push.v1.PusherService/Push", server->base);
	rc = http_post_json(url.data, &server->credentials, server->timeout_ns, body, status, err);
	strbuf_release(&url);
	return rc;
}

static int send_patiently(const struct pyroscope *server, const struct strbuf *body,
	unsigned *attempts, struct error *err)
{
	uint64_t wait = server->patience_ns;
	long status;
	int rc = send_once(server, body, &status, err);

	for (*attempts = 1; rc && status == TOO_MANY_REQUESTS; (*attempts)++) {
		if (*attempts == PUSH_ATTEMPTS)
			return error_prefix(err, "after %u attempts", *attempts);
		rc = wait_ns(wait, err);
		if (rc)
			return rc;
		wait *= 2;
		rc = send_once(server, body, &status, err);
	}
	return rc;
}

int pyroscope_push(const struct pyroscope *server, const struct label *labels, size_t count,
	const struct strbuf *pprof, size_t bytes, unsigned *attempts, struct error *err)
{
	struct strbuf body = STRBUF_INIT;
	unsigned made;
	int rc;

	push_body(&body, labels, count, pprof);
	rc = send_patiently(server, &body, &made, err);
	if (made > *attempts)
		*attempts = made;
	strbuf_release(&body);
	return rc ? rc : wait_ns(bytes * SECOND_NS / PYROSCOPE_BYTES_PER_SECOND, err);
}
