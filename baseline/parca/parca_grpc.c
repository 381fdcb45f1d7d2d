/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One unary gRPC call over HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md):
 * messages are framed by a flag byte and a 4-byte big-endian length; errors come as headers or
 * trailers of an HTTP answer with status 200.
 */
#include "baseline/parca/parca_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/pprof.h"
#include "parca.pb-c.h"

#define FRAME_BYTES 5
#define SECOND_NS INT64_C(1000000000)
#define METHOD "/parca.query.v1alpha1.QueryService/Query"
/* Of the answer's length: its one field is kept, and fields that we do not know are too. */
#define MEMORY_FACTOR 4
#define MEMORY_SLACK_BYTES 65536

enum { GRPC_OK = 0, GRPC_INVALID = 3, GRPC_NOT_FOUND = 5, GRPC_EXHAUSTED = 8 };

static void pack_frame(const Parca__QueryRequest *request, struct strbuf *out)
{
	size_t size = parca__query_request__get_packed_size(request);

	strbuf_addch(out, 0);
	for (int shift = 24; shift >= 0; shift -= 8)
		strbuf_addch(out, (char)(size >> shift & 0xff));
	strbuf_reserve(out, size);
	parca__query_request__pack(request, (uint8_t *)out->data + out->length);
	out->length += size;
	out->data[out->length] = '\0';
}

static Parca__Timestamp timestamp(int64_t ns)
{
	Parca__Timestamp time = PARCA__TIMESTAMP__INIT;

	time.seconds = ns / SECOND_NS;
	time.nanos = (int32_t)(ns % SECOND_NS);
	return time;
}

static void pack_query(const struct parca_query *query, struct strbuf *out)
{
	Parca__Timestamp from = timestamp(query->from_ns), until = timestamp(query->until_ns);
	Parca__QueryRequest request = PARCA__QUERY_REQUEST__INIT;
	Parca__MergeProfile merge = PARCA__MERGE_PROFILE__INIT;
	Parca__SingleProfile single = PARCA__SINGLE_PROFILE__INIT;

	request.report_type = PARCA__QUERY_REQUEST__REPORT_TYPE__REPORT_TYPE_PPROF;
	if (query->from_ns == query->until_ns) {
		single.query = (char *)query->selector;
		single.time = &from;
		request.mode = PARCA__QUERY_REQUEST__MODE__MODE_SINGLE_UNSPECIFIED;
		request.options_case = PARCA__QUERY_REQUEST__OPTIONS_SINGLE;
		request.single = &single;
	} else {
		merge.query = (char *)query->selector;
		merge.start = &from;
		merge.end = &until;
		request.mode = PARCA__QUERY_REQUEST__MODE__MODE_MERGE;
		request.options_case = PARCA__QUERY_REQUEST__OPTIONS_MERGE;
		request.merge = &merge;
	}
	pack_frame(&request, out);
}

static int send_query(const struct parca *parca, const struct strbuf *body,
	struct http_response *response, struct error *err)
{
	static const char *const headers[] = {
		"Content-Type: application/grpc", "TE: trailers", NULL};
	struct strbuf url = STRBUF_INIT;
	int rc;

	strbuf_addf(&url, "%s" METHOD, parca->origin);
	rc = http_send(&(struct http_request){.method = "POST",
			       .url = url.data,
			       .headers = headers,
			       .credentials = &parca->credentials,
			       .body = body->data,
			       .body_length = body->length,
			       .version = HTTP_VERSION_2,
			       .timeout_ns = parca->timeout_ns,
			       .max_bytes = pprof_default_limits.max_bytes,
			       .expect_type = "application/grpc"},
		response, err);
	strbuf_release(&url);
	return rc;
}

static int refuse_status(const struct parca *parca, const struct http_response *response,
	long status, struct error *err)
{
	const char *message = http_response_header(response, "grpc-message");
	struct strbuf said = STRBUF_INIT;
	int code = status == GRPC_INVALID ? ERR_USAGE : ERR_TOOL;

	if (message)
		http_add_words(&parca->credentials, message, strlen(message), &said);
	if (status == GRPC_EXHAUSTED)
		code = error_set(err, ERR_LIMIT,
			"%s: the profile is larger than the server sends by gRPC: narrow the "
			"selector or the range",
			parca->origin);
	else
		error_set(err, code, "%s answered by gRPC with status %ld%s%s", parca->origin,
			status, said.length ? ": " : "", said.data);
	strbuf_release(&said);
	return code;
}

/* ---- the answer's message, within bounds ---- */

struct budget {
	size_t left;
};

static void *budget_alloc(void *data, size_t size)
{
	struct budget *budget = data;

	if (size > budget->left)
		return NULL;
	budget->left -= size;
	return malloc(size);
}

static void budget_free(void *data, void *pointer)
{
	(void)data;
	free(pointer);
}

static int unpack(const struct parca *parca, const void *message, size_t length,
	struct strbuf *pprof, struct error *err)
{
	struct budget budget = {length * MEMORY_FACTOR + MEMORY_SLACK_BYTES};
	ProtobufCAllocator allocator = {budget_alloc, budget_free, &budget};
	Parca__QueryResponse *answer = parca__query_response__unpack(&allocator, length, message);

	if (!answer)
		return error_set(
			err, ERR_CORRUPT, "%s: its answer by gRPC is broken", parca->origin);
	strbuf_add(pprof, answer->pprof.data, answer->pprof.len);
	parca__query_response__free_unpacked(answer, &allocator);
	return ERR_OK;
}

static int read_frame(const struct parca *parca, const struct strbuf *body, struct strbuf *pprof,
	struct error *err)
{
	const unsigned char *bytes = (const unsigned char *)body->data;
	size_t length = 0;

	for (size_t i = 1; i < FRAME_BYTES && i < body->length; i++)
		length = length << 8 | bytes[i];
	if (body->length < FRAME_BYTES || bytes[0] || length != body->length - FRAME_BYTES)
		return error_set(err, ERR_CORRUPT,
			"%s: its answer by gRPC is not one whole message (%zu bytes)",
			parca->origin, body->length);
	return unpack(parca, bytes + FRAME_BYTES, length, pprof, err);
}

/* gRPC tells its error in headers, also where the transfer itself was cut off. */
static int read_answer(const struct parca *parca, const struct http_response *response, int rc,
	struct strbuf *pprof, struct error *err)
{
	const char *text = http_response_header(response, "grpc-status");
	long status = text ? strtol(text, NULL, 10) : -1;

	if (status == GRPC_NOT_FOUND)
		return ERR_OK;
	if (status > GRPC_OK)
		return refuse_status(parca, response, status, err);
	if (rc)
		return error_prefix(
			err, "the profile is larger than 4 MiB, which Parca sends by gRPC alone");
	if (status < GRPC_OK)
		return error_set(
			err, ERR_CORRUPT, "%s: its answer by gRPC was cut off", parca->origin);
	return read_frame(parca, &response->body, pprof, err);
}

int parca_fetch_grpc(const struct parca *parca, const struct parca_query *query,
	struct strbuf *pprof, struct error *err)
{
	struct http_response response = {0};
	struct strbuf body = STRBUF_INIT;
	int rc;

	pack_query(query, &body);
	rc = send_query(parca, &body, &response, err);
	rc = read_answer(parca, &response, rc, pprof, err);
	http_response_release(&response);
	strbuf_release(&body);
	return rc;
}
