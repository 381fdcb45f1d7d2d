/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings on a Parca server: what there is. A series stands for each piece of a round
 * (labels.h). */
#include "baseline/parca/parca_internal.h"

#include <string.h>

#include "baseline/instant.h"
#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/bench/recording/recording.h"

#define MOST_TYPES 64 /* of recordings: each costs questions of its own */
#define CLOCK_SLACK_NS (24 * 3600 * INSTANT_SECOND_NS) /* a server's clock may be ahead */

static const char *const schemes[] = {"parca", "parcas", NULL};
static const char *const losses[] = {
	"Parca keeps stacks, functions, files, lines and values of each round, but neither "
	"comments nor labels of samples.",
	"Parca drops the addresses of frames whose function is known, and gives mangled names back "
	"demangled and without their parameters.",
	"Stacks deeper than 1,024 frames were pushed without their outermost ones, and bytes of "
	"names that are not UTF-8 were replaced.",
	"Warnings, the command of a recording and its heap over time are kept only as far as they "
	"fit into labels.",
	"Parca keeps its data in memory unless it is told otherwise, and drops it by its own "
	"retention: a baseline that is missing may have been there.",
	NULL,
};

static int parca_open(
	struct store *store, const struct url *url, const char *rest, struct error *err)
{
	const char *prefix = store->options.credentials;
	struct parca *parca = arena_alloc(&store->arena, sizeof(*parca));
	struct http_credentials credentials;
	int rc;

	(void)rest;
	if (url->parameter_count)
		return error_set(err, ERR_USAGE,
			"a Parca store takes no parameters, and \"%s\" is one: parca://HOST[:PORT]",
			url->parameters[0].name);
	rc = http_credentials_read(prefix ? prefix : HTTP_CREDENTIALS_PREFIX, &credentials, err);
	if (!rc)
		rc = parca_init(parca, url, &credentials, &store->arena, err);
	if (rc)
		return rc;
	parca->timeout_ns = store->options.timeout_ns;
	store->name = parca->base;
	store->data = parca;
	return ERR_OK;
}

/* A recording's own value type: the others of its profile are columns of the same series. */
static bool is_ours(const struct parca_type *type, const char *profile_type)
{
	const struct recording recording = {.profile_type = type->sample_type};

	return type->delta && parca_is_word(type->sample_type) &&
	       parca_is_word(type->sample_unit) && parca_is_word(type->period_type) &&
	       parca_is_word(type->period_unit) &&
	       strcmp(type->name, split_profile_name(&recording)) == 0 &&
	       (!profile_type || strcmp(type->sample_type, profile_type) == 0);
}

static int read_labels(
	const struct json *series, struct label *labels, size_t *count, struct error *err)
{
	const struct json *list = json_get(json_get(series, "labelset"), "labels");
	int rc = ERR_OK;

	*count = 0;
	for (const struct json *node = json_first(list); node && !rc; node = json_next(node)) {
		if (*count == LABELS_MAX)
			return json_error(list, err, "more labels than were asked for");
		rc = json_get_string(node, "name", &labels[*count].name, err);
		if (!rc)
			rc = json_get_string(node, "value", &labels[(*count)++].value, err);
	}
	return rc;
}

static int add_series(const struct json *root, struct piece_list *pieces, struct error *err)
{
	const struct json *list;
	struct label labels[LABELS_MAX];
	size_t count;
	int rc = json_get_array(root, "series", &list, err);

	for (const struct json *node = rc ? NULL : json_first(list); node && !rc;
		node = json_next(node)) {
		rc = read_labels(node, labels, &count, err);
		if (!rc)
			piece_list_add(pieces, labels, count);
	}
	return rc;
}

static void add_wanted(struct strbuf *selector, const char *name, const char *value)
{
	if (value)
		labels_add_matcher(selector, name, value);
}

static void add_selector(
	struct strbuf *selector, const struct parca_type *type, const struct parca_wanted *wanted)
{
	parca_type_add(selector, type);
	strbuf_addch(selector, '{');
	add_wanted(selector, "commit", wanted->key.commit);
	add_wanted(selector, "benchmark", wanted->key.benchmark);
	add_wanted(selector, "environment", wanted->key.environment);
	add_wanted(selector, "recording", wanted->recording);
	if (selector->data[selector->length - 1] == '{')
		strbuf_addstr(selector, "recording!=\"\"");
	strbuf_addch(selector, '}');
}

/* Series told apart by the first so many of our labels. */
static int ask_series(const struct parca *parca, const struct parca_type *type,
	const struct parca_wanted *wanted, size_t names, struct json **out, struct error *err)
{
	struct strbuf selector = STRBUF_INIT;
	struct parca_query query = {.until_ns = instant_now() + CLOCK_SLACK_NS};
	int rc;

	add_selector(&selector, type, wanted);
	query.selector = selector.data;
	rc = parca_series(parca, &query, labels_names, names, out, err);
	strbuf_release(&selector);
	return rc;
}

int parca_ask_type(const struct parca *parca, const struct parca_type *type,
	const struct parca_wanted *wanted, struct piece_list *pieces, struct error *err)
{
	size_t names = LABELS_MAX - (wanted->with_meta ? 0 : LABELS_META_LABELS);
	struct json *root;
	int rc = ask_series(parca, type, wanted, names, &root, err);

	if (rc)
		return rc;
	rc = add_series(root, pieces, err);
	json_free(root);
	return rc;
}

/* The values of one series, or of several: with a step there would be more than one sample. */
static int add_values(const struct json *root, int64_t *sum, struct error *err)
{
	const struct json *list, *samples;
	int64_t value;
	int rc = json_get_array(root, "series", &list, err);

	for (const struct json *node = rc ? NULL : json_first(list); node && !rc;
		node = json_next(node)) {
		rc = json_get_array(node, "samples", &samples, err);
		for (const struct json *sample = rc ? NULL : json_first(samples); sample && !rc;
			sample = json_next(sample)) {
			rc = json_get_int64(sample, "value", &value, err);
			if (!rc && __builtin_add_overflow(*sum, value, sum))
				rc = json_error(sample, err, "is too large");
		}
	}
	return rc;
}

int parca_sum_type(const struct parca *parca, const struct parca_type *type,
	const struct parca_wanted *wanted, int64_t *sum, struct error *err)
{
	struct json *root;
	int rc = ask_series(parca, type, wanted, 0, &root, err);

	if (rc)
		return rc;
	rc = add_values(root, sum, err);
	json_free(root);
	return rc;
}

int parca_each_type(const struct parca *parca, const char *profile_type,
	int (*each)(void *data, const struct parca_type *type, struct error *err), void *data,
	struct error *err)
{
	const struct json *types;
	struct json *root;
	size_t ours = 0;
	int rc = parca_types(parca, &root, err);

	if (rc)
		return rc;
	rc = json_get_array(root, "types", &types, err);
	for (const struct json *node = rc ? NULL : json_first(types); node && !rc;
		node = json_next(node)) {
		struct parca_type type;

		rc = parca_type_read(node, &type, err);
		if (rc || !is_ours(&type, profile_type))
			continue;
		rc = ours++ < MOST_TYPES
			     ? each(data, &type, err)
			     : json_error(types, err, "more than %d of recordings", MOST_TYPES);
	}
	json_free(root);
	return rc;
}

struct asking {
	const struct parca *parca;
	const struct parca_wanted *wanted;
	struct piece_list *pieces;
};

static int ask_type(void *data, const struct parca_type *type, struct error *err)
{
	const struct asking *asking = data;

	return parca_ask_type(asking->parca, type, asking->wanted, asking->pieces, err);
}

int parca_ask(const struct parca *parca, const struct parca_wanted *wanted,
	struct piece_list *pieces, struct error *err)
{
	struct asking asking = {parca, wanted, pieces};

	return parca_each_type(parca, wanted->key.profile_type, ask_type, &asking, err);
}

static int parca_list(struct store *store, const char *commit, bool full, struct baseline_list *out,
	struct error *err)
{
	const struct parca_wanted wanted = {.key = {.commit = commit}};
	struct piece_list pieces = {.arena = ARENA_INIT};
	int rc = parca_ask(store->data, &wanted, &pieces, err);

	(void)full; /* the labels tell everything */
	if (!rc)
		piece_list_entries(&pieces, out, &store->warnings);
	if (pieces.foreign)
		store_lines_add(&store->warnings,
			"%s: passed over %zu series that are not recordings of ours", store->name,
			pieces.foreign);
	piece_list_release(&pieces);
	return rc;
}

static int read_values(const struct json *root, struct map *values, struct error *err)
{
	const struct json *list;
	int rc = json_get_array(root, "labelValues", &list, err);

	for (const struct json *node = rc ? NULL : json_first(list); node && !rc;
		node = json_next(node)) {
		const char *value;

		rc = json_string(node, &value, err);
		if (!rc)
			map_put_str(values, value, 0);
	}
	return rc;
}

/* The values of one label: one look-up for any number of commits. A commit whose only push broke
 * off is among them; store_get() tells. */
static int parca_find(struct store *store, const char *const *commits, size_t count, bool *found,
	struct error *err)
{
	struct json *root;
	struct map known;
	int rc = parca_label_values(store->data, "commit", &root, err);

	if (rc)
		return rc;
	map_init(&known);
	rc = read_values(root, &known, err);
	for (size_t i = 0; i < count && !rc; i++)
		found[i] = map_get_str(&known, commits[i]) != MAP_NONE;
	map_release(&known);
	json_free(root);
	return rc;
}

const struct store_kind store_parca = {
	.schemes = schemes,
	.losses = losses,
	.open = parca_open,
	.put = parca_put,
	.list = parca_list,
	.find = parca_find,
	.get = parca_get,
};
