/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of production from Parca: everything that a selector matches in a range, merged. */
#include "baseline/source_internal.h"

#include <string.h>

#include "baseline/instant.h"
#include "baseline/parca/parca_internal.h"
#include "gate/base/error.h"
#include "gate/base/text.h"

#define DEFAULT_TYPE "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define DELTA ":delta"
#define SAMPLES_COUNT ":samples:count:"
#define MAX_TYPES_TOLD 12
#define MAX_TYPE_TOLD_BYTES 200

struct asked {
	const char *type;     /* "process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta" */
	const char *matchers; /* "{...}" */
};

static int read_asked(
	const struct url *url, struct arena *arena, struct asked *asked, struct error *err)
{
	const char *query = url_parameter(url, "query"), *type = url_parameter(url, "type");
	const char *brace = query ? strchr(query, '{') : NULL;

	if (!query)
		return error_set(err, ERR_USAGE,
			"parca:// needs ?query=TYPE{label=\"value\"}, for example "
			"?query=" DEFAULT_TYPE DELTA "{job=\"api\"}");
	if (type && brace != query)
		return error_set(err, ERR_USAGE,
			"the type is given twice: \"query\" begins with one, and there is \"type\"");
	asked->matchers = brace ? brace : "{}";
	asked->type = arena_strndup(arena, query, brace ? (size_t)(brace - query) : strlen(query));
	if (brace == query)
		asked->type = type ? type : DEFAULT_TYPE;
	/* A merge multiplies these by the period and calls the product CPU time. */
	if (strstr(asked->type, SAMPLES_COUNT))
		return error_set(err, ERR_USAGE,
			"Parca merges \"samples:count\" wrongly (it multiplies by the period): ask "
			"for the time itself, such as " DEFAULT_TYPE DELTA);
	return ERR_OK;
}

static int fetch(const struct parca *parca, const struct source_request *request, const char *type,
	const char *matchers, struct profile **out, struct error *err)
{
	struct strbuf selector = STRBUF_INIT;
	struct parca_query query = {.from_ns = request->from_ns, .until_ns = request->until_ns};
	int rc;

	strbuf_addf(&selector, "%s%s", type, matchers);
	query.selector = selector.data;
	rc = parca_fetch(parca, &query, out, err);
	strbuf_release(&selector);
	return rc;
}

/* Parca keeps profiles with a duration under a type of its own, and says nothing of it. */
static const char *other_type(const char *type, struct arena *arena)
{
	size_t length = strlen(type), suffix = strlen(DELTA);

	if (length > suffix && strcmp(type + length - suffix, DELTA) == 0)
		return arena_strndup(arena, type, length - suffix);
	return arena_printf(arena, "%s" DELTA, type);
}

static void tell_type(const struct parca_type *type, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	parca_type_add(&text, type);
	text_defuse(out, text.data, strnlen(text.data, MAX_TYPE_TOLD_BYTES));
	strbuf_release(&text);
}

static void tell_types(const struct parca *parca, struct strbuf *out)
{
	const struct json *types = NULL;
	struct json *root = NULL;
	size_t count = 0;

	if (parca_types(parca, &root, NULL) || json_get_array(root, "types", &types, NULL))
		goto out;
	for (const struct json *node = json_first(types); node && count < MAX_TYPES_TOLD;
		node = json_next(node)) {
		struct parca_type type;

		if (parca_type_read(node, &type, NULL))
			continue;
		strbuf_addstr(out, count++ ? ", " : "");
		tell_type(&type, out);
	}
	if (json_length(types) > count)
		strbuf_addstr(out, ", ...");
out:
	json_free(root);
}

static int explain_empty(const struct parca *parca, const struct source_request *request,
	const struct asked *asked, struct error *err)
{
	struct strbuf from = STRBUF_INIT, until = STRBUF_INIT, types = STRBUF_INIT;

	instant_add(&from, request->from_ns);
	instant_add(&until, request->until_ns);
	tell_types(parca, &types);
	error_set(err, ERR_NOT_FOUND,
		"%s has nothing of %s%s between %s and %s. Look at the labels, at the range "
		"(from=, until=) and at the type; the server has %s",
		parca->origin, asked->type, asked->matchers, from.data, until.data,
		types.length ? types.data : "no types at all");
	strbuf_release(&from);
	strbuf_release(&until);
	strbuf_release(&types);
	return ERR_NOT_FOUND;
}

static void add_notes(const struct source_request *request, const struct parca *parca,
	const struct asked *asked, struct store_lines *notes)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s: %s%s, merged from ", parca->origin, asked->type, asked->matchers);
	instant_add(&text, request->from_ns);
	strbuf_addstr(&text, " to ");
	instant_add(&text, request->until_ns);
	store_lines_add(notes, "%s", text.data);
	store_lines_add(notes, "Parca gives back neither labels of samples nor the period and the "
			       "duration of profiles, and mangled names without their parameters");
	strbuf_release(&text);
}

static int read_merged(const struct parca *parca, const struct source_request *request,
	struct arena *arena, struct profile **out, struct store_lines *notes, struct error *err)
{
	struct asked asked = {"", ""};
	int rc = read_asked(request->url, arena, &asked, err);

	if (rc)
		return rc;
	rc = fetch(parca, request, asked.type, asked.matchers, out, err);
	if (rc == ERR_NOT_FOUND) {
		const char *other = other_type(asked.type, arena);

		rc = fetch(parca, request, other, asked.matchers, out, err);
		if (!rc)
			asked.type = other;
	}
	if (rc == ERR_NOT_FOUND)
		return explain_empty(parca, request, &asked, err);
	if (!rc)
		add_notes(request, parca, &asked, notes);
	return rc;
}

int source_parca(const struct source_request *request, struct profile **out,
	struct store_lines *notes, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct parca parca;
	int rc = parca_init(&parca, request->url, &request->credentials, &arena, err);

	if (!rc)
		rc = read_merged(&parca, request, &arena, out, notes, err);
	arena_release(&arena);
	return rc;
}
