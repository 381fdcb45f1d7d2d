/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/source.h"

#include <string.h>

#include "baseline/instant.h"
#include "baseline/source_internal.h"
#include "gate/base/error.h"

#define DEFAULT_RANGE_NS (3600 * INSTANT_SECOND_NS)

struct source_kind {
	const char *scheme;
	source_reader *read;
	bool has_range; /* knows the past: from and until */
};

static const struct source_kind kinds[] = {
	{"pyroscope", source_pyroscope, true},
	{"pyroscopes", source_pyroscope, true},
	{"parca", source_parca, true},
	{"parcas", source_parca, true},
	{"http", source_http_pprof, false},
	{"https", source_http_pprof, false},
};

bool source_is_url(const char *text)
{
	return url_is(text);
}

static int find_kind(const char *scheme, const struct source_kind **kind, struct error *err)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].scheme, scheme) == 0) {
			*kind = &kinds[i];
			return ERR_OK;
		}
	}
	return error_set(err, ERR_USAGE,
		"\"%s://\" is no source of profiles: there are pyroscope://HOST?query=..., "
		"parca://HOST?query=... (with an s at the end by TLS) and "
		"http[s]://HOST/debug/pprof/heap",
		scheme);
}

static int read_instant(
	const struct source_request *request, const char *name, int64_t *ns, struct error *err)
{
	const char *text = url_parameter(request->url, name);
	int rc = text ? instant_parse(text, request->options->now_ns, ns, err) : ERR_OK;

	return rc ? error_prefix(err, "%s", name) : ERR_OK;
}

static int read_range(struct source_request *request, struct error *err)
{
	int rc;

	request->until_ns = request->options->now_ns;
	rc = read_instant(request, "until", &request->until_ns, err);
	if (rc)
		return rc;
	request->from_ns =
		request->until_ns > DEFAULT_RANGE_NS ? request->until_ns - DEFAULT_RANGE_NS : 0;
	rc = read_instant(request, "from", &request->from_ns, err);
	if (!rc && request->from_ns >= request->until_ns)
		rc = error_set(
			err, ERR_USAGE, "the range is empty: \"from\" must lie before \"until\"");
	return rc;
}

static int refuse_range(const struct url *url, struct error *err)
{
	if (!url_parameter(url, "from") && !url_parameter(url, "until"))
		return ERR_OK;
	return error_set(err, ERR_USAGE,
		"a running program knows no past: \"from\" and \"until\" are for pyroscope:// and "
		"parca://; seconds=N profiles the next N seconds");
}

static int read_kind(struct source_request *request, struct profile **out,
	struct store_lines *notes, struct error *err)
{
	const char *prefix = request->options->credentials;
	const struct source_kind *kind = NULL;
	int rc = find_kind(request->url->scheme, &kind, err);

	if (rc)
		return rc;
	rc = kind->has_range ? read_range(request, err) : refuse_range(request->url, err);
	if (!rc)
		rc = http_credentials_read(
			prefix ? prefix : HTTP_CREDENTIALS_PREFIX, &request->credentials, err);
	return rc ? rc : kind->read(request, out, notes, err);
}

int source_read(const char *url, const struct source_options *options, struct profile **out,
	struct store_lines *notes, struct error *err)
{
	struct source_options filled = options ? *options : (struct source_options){0};
	struct source_request request = {.options = &filled};
	struct arena arena = ARENA_INIT;
	struct store_lines unread = {0};
	struct url parsed;
	int rc = url_parse(url, &arena, &parsed, err);

	if (!filled.now_ns)
		filled.now_ns = instant_now();
	request.url = &parsed;
	if (!rc)
		rc = read_kind(&request, out, notes ? notes : &unread, err);
	store_lines_release(&unread);
	arena_release(&arena);
	return rc;
}
