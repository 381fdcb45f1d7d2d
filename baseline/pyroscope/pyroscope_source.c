/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any profile of a Pyroscope server: pyroscope[s]://HOST[:PORT]?query={...}&type=ID&from=&until=.
 * A range longer than the server's 24 hours is asked for in pieces and summed.
 */
#include "baseline/source_internal.h"

#include <string.h>

#include "baseline/instant.h"
#include "baseline/pyroscope/pyroscope_internal.h"
#include "baseline/server/merge.h"
#include "gate/base/error.h"
#include "gate/base/text.h"

#define DEFAULT_TYPE "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define MAX_RANGE_NS (366 * PYROSCOPE_MAX_RANGE_NS)
#define MAX_NAMES 20 /* shown when nothing was found */

struct asking {
	struct pyroscope server;
	const char *type_id, *selector;
	struct profile_value_type type;
	struct pyroscope_range range;
	struct merge *merge;
	size_t pieces, filled; /* queries made, and those with an answer */
};

static int as_usage(struct error *err)
{
	if (err)
		err->code = ERR_USAGE;
	return ERR_USAGE;
}

static int read_question(const struct source_request *request, struct asking *asking,
	struct arena *arena, struct error *err)
{
	const char *type = url_parameter(request->url, "type");

	asking->selector = url_parameter(request->url, "query");
	if (!asking->selector || !*asking->selector)
		return error_set(
			err, ERR_USAGE, "the URL has no query: add ?query={service_name=\"...\"}");
	asking->type_id = type && *type ? type : DEFAULT_TYPE;
	asking->range = (struct pyroscope_range){request->from_ns, request->until_ns};
	if (asking->range.until_ns - asking->range.from_ns > MAX_RANGE_NS)
		return error_set(err, ERR_USAGE, "the range is longer than a year");
	if (pyroscope_type_parse(asking->type_id, arena, &asking->type, err))
		return as_usage(err);
	return pyroscope_init(&asking->server, request->url, &request->credentials, arena, err);
}

/* ---- asking ------------------------------------------------------------------------------- */

/* The server names a type of its own spelling: by position there can be no mistake. */
static int add_piece(struct asking *asking, const struct profile *profile, struct error *err)
{
	static const int first[] = {0};
	const struct merge_rule rule = {.columns = first};

	if (profile->type_count != 1)
		return error_set(err, ERR_CORRUPT, "%s: expected one value type, and %zu came",
			asking->server.origin, profile->type_count);
	asking->filled++;
	return merge_add(asking->merge, profile, &rule, err);
}

static int ask_all(struct asking *asking, struct error *err)
{
	struct pyroscope_range left = asking->range, range;
	int rc = ERR_OK;

	while (!rc && pyroscope_next_range(&left, &range)) {
		struct profile *profile = NULL;

		rc = pyroscope_profile(
			&asking->server, asking->type_id, asking->selector, range, &profile, err);
		if (!rc && profile)
			rc = add_piece(asking, profile, err);
		profile_free(profile);
		asking->pieces++;
	}
	return rc;
}

/* ---- nothing was found: what there is ------------------------------------------------------ */

static void add_names(const struct json *answer, struct strbuf *out)
{
	const struct json *names = json_get(answer, "names"), *node;
	size_t count = 0;

	for (node = json_first(names); node; node = json_next(node)) {
		const char *name;

		if (json_string(node, &name, NULL))
			continue;
		if (count == MAX_NAMES) {
			strbuf_addstr(out, ", ...");
			break;
		}
		strbuf_addstr(out, count++ ? ", " : "");
		text_defuse(out, name, strnlen(name, 200));
	}
}

/* What the server knows of a label, in the newest day of the range; "" if it will not say. */
static void list_values(
	const struct asking *asking, const char *name, const char *selector, struct strbuf *out)
{
	struct pyroscope_range left = asking->range, newest;
	struct json *answer;

	if (!pyroscope_next_range(&left, &newest) ||
		pyroscope_label_values(&asking->server, name, selector, newest, &answer, NULL))
		return;
	add_names(answer, out);
	json_free(answer);
}

static int nothing_found(const struct asking *asking, struct error *err)
{
	struct strbuf from = STRBUF_INIT, until = STRBUF_INIT, types = STRBUF_INIT,
		      services = STRBUF_INIT;
	int rc;

	instant_add(&from, asking->range.from_ns);
	instant_add(&until, asking->range.until_ns);
	list_values(asking, "__profile_type__", asking->selector, &types);
	if (!types.length)
		list_values(asking, "service_name", NULL, &services);
	rc = error_set(err, ERR_NOT_FOUND,
		"%s has nothing for %.500s of type %.200s from %s until %s; %s%s. It looks back 7 "
		"days, and finds what is new only by an exact service_name=\"...\"",
		asking->server.origin, asking->selector, asking->type_id, from.data, until.data,
		types.length      ? "types that it has for this query: "
		: services.length ? "no profile matches the query; services that it has: "
				  : "it knows no service in the last day of this range",
		types.length ? types.data : services.data);
	strbuf_release(&from);
	strbuf_release(&until);
	strbuf_release(&types);
	strbuf_release(&services);
	return rc;
}

/* ---- the answer --------------------------------------------------------------------------- */

static void add_notes(const struct asking *asking, struct store_lines *notes)
{
	struct strbuf from = STRBUF_INIT, until = STRBUF_INIT;

	instant_add(&from, asking->range.from_ns);
	instant_add(&until, asking->range.until_ns);
	store_lines_add(notes, "%s: the sum of %.500s, %.200s, from %s until %s",
		asking->server.origin, asking->selector, asking->type_id, from.data, until.data);
	if (asking->pieces > 1)
		store_lines_add(notes,
			"the range was asked for in %zu pieces of at most 24 hours, of which %zu "
			"had profiles; the server looks back 7 days by default",
			asking->pieces, asking->filled);
	store_lines_add(notes,
		"Pyroscope keeps no comments, labels of samples, period or addresses of mappings, "
		"and at most 1,000 frames of a stack");
	strbuf_release(&from);
	strbuf_release(&until);
}

static struct profile *take(struct asking *asking)
{
	struct profile *profile = merge_take(asking->merge);

	profile->time_ns = asking->range.from_ns;
	profile->duration_ns = asking->range.until_ns - asking->range.from_ns;
	return profile;
}

int source_pyroscope(const struct source_request *request, struct profile **out,
	struct store_lines *notes, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct asking asking = {0};
	int rc = read_question(request, &asking, &arena, err);

	if (rc)
		goto out;
	asking.merge = merge_new(&asking.type, 1, 0);
	rc = ask_all(&asking, err);
	if (!rc && !asking.filled)
		rc = nothing_found(&asking, err);
	if (rc)
		goto out;
	*out = take(&asking);
	add_notes(&asking, notes);
out:
	merge_free(asking.merge);
	arena_release(&arena);
	return rc;
}
