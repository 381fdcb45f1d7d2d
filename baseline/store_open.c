/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that names the kinds of stores. */
#include "baseline/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

static const struct {
	const struct store_kind *kind;
	bool is_server; /* named by scheme://host, not by scheme:rest */
} kinds[] = {
	{&store_notes, false},
	{&store_directory, false},
	{&store_pyroscope, true},
	{&store_parca, true},
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

static const struct store_kind *find_kind(const char *scheme, size_t length, bool is_server)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		for (const char *const *name = kinds[i].kind->schemes; *name; name++)
			if (kinds[i].is_server == is_server && strlen(*name) == length &&
				strncmp(*name, scheme, length) == 0)
				return kinds[i].kind;
	return NULL;
}

static int open_kind(struct store *store, const char *text, struct error *err)
{
	size_t length = strcspn(text, ":");
	const char *rest = text[length] ? text + length + 1 : "";
	bool is_server = strncmp(rest, "//", 2) == 0;
	struct url url;
	int rc;

	store->kind = find_kind(text, length, is_server);
	if (!store->kind)
		return error_set(err, ERR_USAGE,
			"the store is none that flamegate knows: expected notes[:REMOTE], "
			"dir:PATH, pyroscope[s]://HOST[:PORT] or parca[s]://HOST[:PORT]");
	rc = is_server ? url_parse(text, &store->arena, &url, err) : ERR_OK;
	return rc ? rc : store->kind->open(store, is_server ? &url : NULL, rest, err);
}

int store_open(
	const char *url, const struct store_options *options, struct store **out, struct error *err)
{
	struct store *store = xcalloc(1, sizeof(*store));
	int rc;

	store->options = *options;
	store->name = "";
	rc = open_kind(store, url, err);
	if (rc) {
		store_lines_release(&store->warnings);
		arena_release(&store->arena);
		free(store);
	} else {
		*out = store;
	}
	return rc;
}
