/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each question that we ask of a Parca server, how its answer is read, and how a profile is stored
 * there.
 */
#include "baseline/parca/parca_internal.h"

#include <string.h>

#include "baseline/instant.h"
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/profile/pprof.h"

#define READ_ATTEMPTS 3
#define GRPC_RESOURCE_EXHAUSTED 8

int parca_init(struct parca *parca, const struct url *url,
	const struct http_credentials *credentials, struct arena *arena, struct error *err)
{
	size_t length = strlen(url->path);

	if (!*url->host)
		return error_set(err, ERR_USAGE, "the URL names no host: parca://HOST[:PORT]");
	while (length && url->path[length - 1] == '/')
		length--;
	parca->credentials = *credentials;
	parca->timeout_ns = 0;
	parca->origin =
		url_origin(url, strcmp(url->scheme, "parcas") == 0 ? "https" : "http", arena);
	parca->base = arena_printf(arena, "%s%.*s", parca->origin, (int)length, url->path);
	return ERR_OK;
}

static int parse(const struct parca *parca, const struct http_response *response, struct json **out,
	struct error *err)
{
	struct json_limits limits = json_default_limits;

	/* Base64 of the largest profile that may come. */
	limits.max_bytes = pprof_default_limits.max_bytes;
	return json_parse(
		response->body.data, response->body.length, parca->origin, &limits, out, err);
}

static int get(const struct parca *parca, const char *url, unsigned attempts,
	struct http_response *response, struct error *err)
{
	return http_send(&(struct http_request){.method = "GET",
				 .url = url,
				 .credentials = &parca->credentials,
				 .timeout_ns = parca->timeout_ns,
				 .attempts = attempts,
				 .max_bytes = pprof_default_limits.max_bytes,
				 .expect_type = "application/json"},
		response, err);
}

static int get_json(
	const struct parca *parca, const char *url, struct json **out, struct error *err)
{
	struct http_response response = {0};
	int rc = get(parca, url, READ_ATTEMPTS, &response, err);

	if (!rc)
		rc = parse(parca, &response, out, err);
	http_response_release(&response);
	return rc;
}

int parca_types(const struct parca *parca, struct json **out, struct error *err)
{
	struct strbuf url = STRBUF_INIT;
	int rc;

	strbuf_addf(&url, "%s/api/profiles/types", parca->base);
	rc = get_json(parca, url.data, out, err);
	strbuf_release(&url);
	return rc;
}

int parca_label_values(
	const struct parca *parca, const char *name, struct json **out, struct error *err)
{
	struct strbuf url = STRBUF_INIT;
	int rc;

	strbuf_addf(&url, "%s/api/profiles/labels/", parca->base);
	url_add_encoded(&url, name);
	strbuf_addstr(&url, "/values");
	rc = get_json(parca, url.data, out, err);
	strbuf_release(&url);
	return rc;
}

int parca_type_read(const struct json *node, struct parca_type *type, struct error *err)
{
	const struct json *delta = json_get(node, "delta");
	int rc = json_get_string(node, "name", &type->name, err);

	if (!rc)
		rc = json_get_string(node, "sampleType", &type->sample_type, err);
	if (!rc)
		rc = json_get_string(node, "sampleUnit", &type->sample_unit, err);
	if (!rc)
		rc = json_get_string(node, "periodType", &type->period_type, err);
	if (!rc)
		rc = json_get_string(node, "periodUnit", &type->period_unit, err);
	type->delta = false;
	return rc || !delta ? rc : json_bool(delta, &type->delta, err);
}

void parca_type_add(struct strbuf *out, const struct parca_type *type)
{
	strbuf_addf(out, "%s:%s:%s:%s:%s%s", type->name, type->sample_type, type->sample_unit,
		type->period_type, type->period_unit, type->delta ? ":delta" : "");
}

static void add_parameter(struct strbuf *url, const char *name, const char *value)
{
	strbuf_addf(url, "&%s=", name);
	url_add_encoded(url, value);
}

/* Parca counts in milliseconds: a range ends with the whole of its last one. */
static void add_instant(struct strbuf *url, const char *name, int64_t ns, bool is_end)
{
	struct strbuf text = STRBUF_INIT;

	instant_add(&text, is_end ? ns + 999999 : ns);
	add_parameter(url, name, text.data);
	strbuf_release(&text);
}

int parca_series(const struct parca *parca, const struct parca_query *query,
	const char *const *names, size_t name_count, struct json **out, struct error *err)
{
	struct http_response response = {0};
	struct strbuf url = STRBUF_INIT;
	int rc;

	strbuf_addf(&url, "%s/api/profiles/query_range?query=", parca->base);
	url_add_encoded(&url, query->selector);
	add_instant(&url, "start", query->from_ns, false);
	add_instant(&url, "end", query->until_ns, true);
	for (size_t i = 0; i < name_count; i++)
		add_parameter(&url, "sumBy", names[i]);
	rc = get(parca, url.data, READ_ATTEMPTS, &response, err);
	/* Where nothing matches Parca answers 404. */
	if (rc && response.status == 404)
		rc = json_parse("{\"series\":[]}", 13, parca->origin, NULL, out, err);
	else if (!rc)
		rc = parse(parca, &response, out, err);
	http_response_release(&response);
	strbuf_release(&url);
	return rc;
}

/* ---- profiles ------------------------------------------------------------------------------- */

static void add_query(struct strbuf *url, const struct parca_query *query)
{
	strbuf_addstr(url, "?report_type=REPORT_TYPE_PPROF");
	if (query->from_ns == query->until_ns) {
		add_parameter(url, "mode", "MODE_SINGLE_UNSPECIFIED");
		add_parameter(url, "single.query", query->selector);
		add_instant(url, "single.time", query->from_ns, false);
	} else {
		add_parameter(url, "mode", "MODE_MERGE");
		add_parameter(url, "merge.query", query->selector);
		add_instant(url, "merge.start", query->from_ns, false);
		add_instant(url, "merge.end", query->until_ns, true);
	}
}

/* Its gateway's limit of 4 MiB, which comes as 429 and is no rate limit. */
static bool is_too_large_for_json(const struct parca *parca, const struct http_response *response)
{
	struct json *root = NULL;
	int64_t code = 0;

	if (response->status != 429 || parse(parca, response, &root, NULL))
		return false;
	json_get_int64(root, "code", &code, NULL);
	json_free(root);
	return code == GRPC_RESOURCE_EXHAUSTED;
}

static int read_pprof(const struct parca *parca, const struct http_response *response,
	struct strbuf *pprof, struct error *err)
{
	struct json *root;
	const char *text;
	int rc = parse(parca, response, &root, err);

	if (rc)
		return rc;
	rc = json_get_string(root, "pprof", &text, err);
	if (!rc)
		rc = base64_decode(text, strlen(text), pprof, err)
			     ? error_prefix(err, "%s: its profile is broken", parca->origin)
			     : ERR_OK;
	json_free(root);
	return rc;
}

static int fetch_bytes(const struct parca *parca, const struct parca_query *query,
	struct strbuf *pprof, struct error *err)
{
	struct http_response response = {0};
	struct strbuf url = STRBUF_INIT;
	int rc;

	strbuf_addf(&url, "%s/api/profiles/query", parca->base);
	add_query(&url, query);
	rc = get(parca, url.data, 1, &response, err);
	if (!rc)
		rc = read_pprof(parca, &response, pprof, err);
	else if (response.status == 404)
		rc = ERR_OK;
	else if (is_too_large_for_json(parca, &response))
		rc = parca_fetch_grpc(parca, query, pprof, err);
	http_response_release(&response);
	strbuf_release(&url);
	return rc;
}

int parca_fetch(const struct parca *parca, const struct parca_query *query, struct profile **out,
	struct error *err)
{
	struct strbuf pprof = STRBUF_INIT;
	struct profile *profile = NULL;
	int rc = fetch_bytes(parca, query, &pprof, err);

	if (!rc && pprof.length && pprof_decode(pprof.data, pprof.length, NULL, &profile, err))
		rc = error_prefix(err, "%s: its profile is broken", parca->origin);
	strbuf_release(&pprof);
	if (rc)
		return rc;
	if (!profile || !profile->sample_count) {
		profile_free(profile);
		return error_set(err, ERR_NOT_FOUND, "%s has no profile that matches %s",
			parca->origin, query->selector);
	}
	*out = profile;
	return ERR_OK;
}

/* ---- sending -------------------------------------------------------------------------------- */

static void write_body(
	const struct label *labels, size_t count, const char *profile, struct strbuf *body)
{
	struct json_writer writer;

	json_writer_init(&writer, body, 0);
	json_object_begin(&writer);
	json_member_array(&writer, "series");
	json_object_begin(&writer);
	json_member_object(&writer, "labels");
	json_member_array(&writer, "labels");
	for (size_t i = 0; i < count; i++) {
		json_object_begin(&writer);
		json_member_string(&writer, "name", labels[i].name);
		json_member_string(&writer, "value", labels[i].value);
		json_object_end(&writer);
	}
	json_array_end(&writer);
	json_object_end(&writer);
	json_member_array(&writer, "samples");
	json_object_begin(&writer);
	json_member_string(&writer, "rawProfile", profile);
	json_object_end(&writer);
	json_array_end(&writer);
	json_object_end(&writer);
	json_array_end(&writer);
	json_member_bool(&writer, "normalized", true);
	json_object_end(&writer);
}

static int post(const struct parca *parca, const struct strbuf *body, struct error *err)
{
	struct strbuf url = STRBUF_INIT;
	int rc;

	strbuf_addf(&url, "%s/api/profiles/writeraw", parca->base);
	rc = http_post_json(url.data, &parca->credentials, parca->timeout_ns, body, NULL, err);
	strbuf_release(&url);
	return rc;
}

static int encode(const struct label *labels, size_t count, const void *pprof, size_t length,
	struct strbuf *out, struct error *err)
{
	struct profile *profile;
	int rc = pprof_decode(pprof, length, NULL, &profile, err);

	if (rc)
		return error_prefix(err, "not sent to Parca");
	rc = parca_check(labels, count, profile, err);
	if (!rc)
		rc = pprof_encode(profile, out, err);
	profile_free(profile);
	return rc;
}

int parca_write(const struct parca *parca, const struct label *labels, size_t count,
	const void *pprof, size_t length, struct error *err)
{
	struct strbuf checked = STRBUF_INIT, text = STRBUF_INIT, body = STRBUF_INIT;
	int rc = encode(labels, count, pprof, length, &checked, err);

	if (!rc) {
		base64_encode(checked.data, checked.length, &text);
		write_body(labels, count, text.data, &body);
		rc = post(parca, &body, err);
	}
	strbuf_release(&checked);
	strbuf_release(&text);
	strbuf_release(&body);
	return rc;
}
