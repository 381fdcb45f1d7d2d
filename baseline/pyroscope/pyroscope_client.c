/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each question that we ask of a Pyroscope server, and how a long range is cut into pieces that it
 * answers.
 */
#include "baseline/pyroscope/pyroscope_internal.h"

#include <string.h>

#include "baseline/instant.h"
#include "gate/base/error.h"
#include "gate/profile/pprof.h"
#include "pyroscope.pb-c.h"

#define ASK_ATTEMPTS 4
#define MILLISECOND_NS 1000000

int pyroscope_init(struct pyroscope *server, const struct url *url,
	const struct http_credentials *credentials, struct arena *arena, struct error *err)
{
	size_t length = strlen(url->path);

	if (!*url->host)
		return error_set(err, ERR_USAGE, "the URL names no host: pyroscope://HOST[:PORT]");
	while (length && url->path[length - 1] == '/')
		length--;
	server->credentials = *credentials;
	server->timeout_ns = 0;
	server->patience_ns = PYROSCOPE_PATIENCE_NS;
	server->origin =
		url_origin(url, strcmp(url->scheme, "pyroscopes") == 0 ? "https" : "http", arena);
	server->base = arena_printf(arena, "%s%.*s", server->origin, (int)length, url->path);
	return ERR_OK;
}

bool pyroscope_next_range(struct pyroscope_range *left, struct pyroscope_range *piece)
{
	if (left->from_ns >= left->until_ns)
		return false;
	*piece = *left;
	if (piece->until_ns - piece->from_ns > PYROSCOPE_MAX_RANGE_NS)
		piece->from_ns = piece->until_ns - PYROSCOPE_MAX_RANGE_NS;
	left->until_ns = piece->from_ns;
	return true;
}

static int64_t start_ms(struct pyroscope_range range)
{
	int64_t ms = range.from_ns / MILLISECOND_NS;

	return ms > 0 ? ms : 1; /* 0 would be refused */
}

/*
 * Both ends belong to a query's range, to the nanosecond: a profile exactly on the border of two
 * pieces, a whole millisecond, counts twice. To end a millisecond earlier would lose many more.
 */
static int64_t end_ms(struct pyroscope_range range)
{
	int64_t ms = range.until_ns / MILLISECOND_NS;

	return ms > start_ms(range) ? ms : start_ms(range);
}

static int ask(const struct pyroscope *server, const char *method, const char *media_type,
	const struct strbuf *body, struct http_response *response, struct error *err)
{
	struct strbuf url = STRBUF_INIT, header = STRBUF_INIT;
	int rc;

	strbuf_addf(&url, "%s/querier.v1.QuerierService/%s", server->base, method);
	strbuf_addf(&header, "Content-Type: %s", media_type);
	rc = http_send(&(struct http_request){.method = "POST",
			       .url = url.data,
			       .headers = (const char *const[]){header.data, NULL},
			       .credentials = &server->credentials,
			       .body = body->data,
			       .body_length = body->length,
			       .timeout_ns = server->timeout_ns,
			       .attempts = ASK_ATTEMPTS,
			       .max_bytes = pprof_default_limits.max_bytes,
			       .expect_type = media_type},
		response, err);
	strbuf_release(&url);
	strbuf_release(&header);
	return rc;
}

static int ask_json(const struct pyroscope *server, const char *method, const struct strbuf *body,
	struct json **out, struct error *err)
{
	struct http_response response = {0};
	int rc = ask(server, method, "application/json", body, &response, err);

	if (!rc)
		rc = json_parse(
			response.body.data, response.body.length, server->origin, NULL, out, err);
	http_response_release(&response);
	return rc;
}

/* ---- questions in JSON -------------------------------------------------------------------- */

static void begin_question(struct json_writer *writer, struct strbuf *body,
	struct pyroscope_range range, const char *selector)
{
	json_writer_init(writer, body, 0);
	json_object_begin(writer);
	json_member_int64(writer, "start", start_ms(range));
	json_member_int64(writer, "end", end_ms(range));
	if (!selector)
		return;
	json_member_array(writer, "matchers");
	json_write_string(writer, selector);
	json_array_end(writer);
}

int pyroscope_series(const struct pyroscope *server, const char *selector, const char *const *names,
	size_t name_count, struct pyroscope_range range, struct json **out, struct error *err)
{
	struct strbuf body = STRBUF_INIT;
	struct json_writer writer;
	int rc;

	begin_question(&writer, &body, range, selector);
	json_member_array(&writer, "labelNames");
	for (size_t i = 0; i < name_count; i++)
		json_write_string(&writer, names[i]);
	json_array_end(&writer);
	json_object_end(&writer);
	rc = ask_json(server, "Series", &body, out, err);
	strbuf_release(&body);
	return rc;
}

int pyroscope_label_values(const struct pyroscope *server, const char *name, const char *selector,
	struct pyroscope_range range, struct json **out, struct error *err)
{
	struct strbuf body = STRBUF_INIT;
	struct json_writer writer;
	int rc;

	begin_question(&writer, &body, range, selector);
	json_member_string(&writer, "name", name);
	json_object_end(&writer);
	rc = ask_json(server, "LabelValues", &body, out, err);
	strbuf_release(&body);
	return rc;
}

int pyroscope_type_parse(
	const char *id, struct arena *arena, struct profile_value_type *type, struct error *err)
{
	const char *name = strchr(id, ':');
	const char *unit = name ? strchr(name + 1, ':') : NULL;
	const char *period = unit ? strchr(unit + 1, ':') : NULL;

	if (!period || !strchr(period + 1, ':'))
		return error_set(err, ERR_CORRUPT,
			"\"%.200s\" is no profile type: expected "
			"name:type:unit:period_type:period_unit, such as "
			"process_cpu:cpu:nanoseconds:cpu:nanoseconds",
			id);
	type->type = arena_strndup(arena, name + 1, (size_t)(unit - name - 1));
	type->unit = arena_strndup(arena, unit + 1, (size_t)(period - unit - 1));
	return ERR_OK;
}

/* ---- profiles ----------------------------------------------------------------------------- */

static void merge_request(
	struct strbuf *body, const char *type, const char *selector, struct pyroscope_range range)
{
	Pyroscope__MergeRequest request = PYROSCOPE__MERGE_REQUEST__INIT;

	/* The generated struct has no const; packing does not write. */
	request.type = (char *)(uintptr_t)type;
	request.selector = (char *)(uintptr_t)selector;
	request.start_ms = start_ms(range);
	request.end_ms = end_ms(range);
	strbuf_reserve(body, pyroscope__merge_request__get_packed_size(&request));
	body->length = pyroscope__merge_request__pack(&request, (uint8_t *)body->data);
	body->data[body->length] = '\0';
}

static int read_profile(const struct pyroscope *server, const struct strbuf *body,
	struct profile **out, struct error *err)
{
	struct profile *profile = NULL;
	int rc =
		body->length ? pprof_decode(body->data, body->length, NULL, &profile, err) : ERR_OK;

	if (rc)
		return error_prefix(err, "%s", server->origin);
	if (profile && !profile->sample_count) {
		profile_free(profile);
		profile = NULL;
	}
	*out = profile;
	return ERR_OK;
}

int pyroscope_profile(const struct pyroscope *server, const char *type, const char *selector,
	struct pyroscope_range range, struct profile **out, struct error *err)
{
	struct http_response response = {0};
	struct strbuf body = STRBUF_INIT;
	int rc;

	merge_request(&body, type, selector, range);
	rc = ask(server, "SelectMergeProfile", "application/proto", &body, &response, err);
	if (!rc)
		rc = read_profile(server, &response.body, out, err);
	http_response_release(&response);
	strbuf_release(&body);
	return rc;
}
