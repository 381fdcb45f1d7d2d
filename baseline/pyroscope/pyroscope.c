/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines on a Pyroscope server: pyroscope[s]://HOST[:PORT][/PREFIX][?service=NAME][&days=N].
 * Everything is under one service_name, because only by an exact one the server finds what was just
 * pushed; days (default 7) is how far back the server lets queries look.
 */
#include "baseline/pyroscope/pyroscope_store.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/instant.h"
#include "gate/base/error.h"

#define DEFAULT_SERVICE "flamegate"
#define MAX_SERVICE_BYTES 200
#define DEFAULT_DAYS 7
#define MAX_DAYS 366
#define DAY_NS (86400 * INSTANT_SECOND_NS)
#define CLOCK_SKEW_NS (600 * INSTANT_SECOND_NS) /* profiles may be so much newer than now */

static const char *const schemes[] = {"pyroscope", "pyroscopes", NULL};

static const char *const losses[] = {
	"Pyroscope merges samples of a round that have the same stack: epochs, regions and other "
	"labels of samples are gone.",
	"Pyroscope keeps functions, files and lines, but neither the mappings' addresses nor "
	"the profile's period and comments.",
	"Pyroscope keeps at most 1,000 frames of a stack: deeper ones were pushed without their "
	"outermost frames.",
	"Bytes of names that are not UTF-8 were replaced before the push.",
	"Warnings, the command of a recording and its heap over time are kept only as far as they "
	"fit into labels.",
	NULL,
};

static int read_days(const struct url *url, int64_t *lookback_ns, struct error *err)
{
	const char *text = url_parameter(url, "days");
	char *end = NULL;
	long days = text ? strtol(text, &end, 10) : DEFAULT_DAYS;

	if (text && (*text < '0' || *text > '9' || *end || days < 1 || days > MAX_DAYS))
		return error_set(err, ERR_USAGE,
			"days=%s: expected a whole number from 1 to %d, how far back the server "
			"lets queries look",
			text, MAX_DAYS);
	*lookback_ns = days * DAY_NS;
	return ERR_OK;
}

static int read_parameters(const struct url *url, struct pyroscope_store *store, struct error *err)
{
	const char *service = url_parameter(url, "service");

	store->service = service && *service ? service : DEFAULT_SERVICE;
	if (strlen(store->service) > MAX_SERVICE_BYTES)
		return error_set(
			err, ERR_USAGE, "service: longer than %d bytes", MAX_SERVICE_BYTES);
	return read_days(url, &store->lookback_ns, err);
}

static int open_store(
	struct store *store, const struct url *url, const char *rest, struct error *err)
{
	struct pyroscope_store *data = arena_alloc(&store->arena, sizeof(*data));
	const char *prefix = store->options.credentials;
	struct http_credentials credentials;
	int rc =
		http_credentials_read(prefix ? prefix : HTTP_CREDENTIALS_PREFIX, &credentials, err);

	(void)rest;
	if (!rc)
		rc = pyroscope_init(&data->server, url, &credentials, &store->arena, err);
	if (!rc)
		rc = read_parameters(url, data, err);
	if (rc)
		return rc;
	data->server.timeout_ns = store->options.timeout_ns;
	store->name = data->server.base;
	store->data = data;
	return ERR_OK;
}

/* ---- gathering ---------------------------------------------------------------------------- */

void pyroscope_store_selector(const struct pyroscope_store *store, struct strbuf *selector)
{
	strbuf_addch(selector, '{');
	labels_add_matcher(selector, "service_name", store->service);
}

static int add_series(const struct json *node, struct piece_list *pieces, struct error *err)
{
	struct label labels[LABELS_MAX];
	const struct json *array, *pair;
	size_t count = 0;
	int rc = json_get_array(node, "labels", &array, err);

	if (rc)
		return rc;
	for (pair = json_first(array); pair && !rc && count < LABELS_MAX; pair = json_next(pair)) {
		rc = json_get_string(pair, "name", &labels[count].name, err);
		if (!rc)
			rc = json_get_string(pair, "value", &labels[count].value, err);
		count++;
	}
	if (!rc)
		piece_list_add(pieces, labels, count);
	return rc;
}

static int add_answer(const struct json *answer, struct piece_list *pieces, struct error *err)
{
	const struct json *array = json_get(answer, "labelsSet"), *node;
	int rc = array ? json_expect(array, JSON_ARRAY, err) : ERR_OK;

	for (node = json_first(array); node && !rc; node = json_next(node))
		rc = add_series(node, pieces, err);
	return rc;
}

int pyroscope_store_gather(const struct pyroscope_store *store, const char *selector,
	bool with_meta, struct piece_list *pieces, struct error *err)
{
	int64_t now = instant_now() + CLOCK_SKEW_NS;
	struct pyroscope_range left = {now - store->lookback_ns, now}, range;
	size_t count = with_meta ? LABELS_MAX : LABELS_MAX - LABELS_META_LABELS;
	int rc = ERR_OK;

	while (!rc && pyroscope_next_range(&left, &range)) {
		struct json *answer;

		/* Without the server's own labels a piece is one series for all value types. */
		rc = pyroscope_series(
			&store->server, selector, labels_names, count, range, &answer, err);
		if (rc)
			break;
		rc = add_answer(answer, pieces, err);
		json_free(answer);
	}
	return rc;
}

/* ---- listing ------------------------------------------------------------------------------ */

static int list_matching(
	struct store *store, const char *matcher, struct baseline_list *out, struct error *err)
{
	const struct pyroscope_store *data = store->data;
	struct piece_list pieces = {.arena = ARENA_INIT};
	struct strbuf selector = STRBUF_INIT;
	int rc;

	pyroscope_store_selector(data, &selector);
	strbuf_addf(&selector, "%s}", matcher);
	rc = pyroscope_store_gather(data, selector.data, false, &pieces, err);
	if (!rc)
		piece_list_entries(&pieces, out, &store->warnings);
	if (!rc && pieces.foreign)
		store_lines_add(&store->warnings,
			"%s: %zu series of the service %s are not flamegate's", store->name,
			pieces.foreign, data->service);
	strbuf_release(&selector);
	piece_list_release(&pieces);
	return rc;
}

static int list(struct store *store, const char *commit, bool full, struct baseline_list *out,
	struct error *err)
{
	struct strbuf matcher = STRBUF_INIT;
	int rc;

	(void)full; /* the labels tell all there is to tell */
	if (commit)
		strbuf_addf(&matcher, ",commit=\"%s\"", commit);
	rc = list_matching(store, matcher.data, out, err);
	strbuf_release(&matcher);
	return rc;
}

static bool has_commit(const struct baseline_list *list, const char *commit)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->entries[i].key.commit, commit) == 0)
			return true;
	return false;
}

static int find(struct store *store, const char *const *commits, size_t count, bool *found,
	struct error *err)
{
	struct baseline_list entries = {.arena = ARENA_INIT};
	struct strbuf matcher = STRBUF_INIT;
	int rc;

	strbuf_addstr(&matcher, ",commit=~\"");
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&matcher, "%s%s", i ? "|" : "", commits[i]);
	strbuf_addch(&matcher, '"');
	rc = list_matching(store, matcher.data, &entries, err);
	for (size_t i = 0; i < count && !rc; i++)
		found[i] = has_commit(&entries, commits[i]);
	strbuf_release(&matcher);
	baseline_list_release(&entries);
	return rc;
}

const struct store_kind store_pyroscope = {
	.schemes = schemes,
	.losses = losses,
	.open = open_store,
	.put = pyroscope_store_put,
	.list = list,
	.find = find,
	.get = pyroscope_store_get,
};
