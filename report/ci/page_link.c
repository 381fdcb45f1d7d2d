/* SPDX-License-Identifier: Apache-2.0 */
#include "report/ci/page_link.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/net/url.h"
#include "report/findings/shown.h"

#define PAGE_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?&=+,%"

/* ---- the page -------------------------------------------------------------------------------- */

static const char *behind_scheme(const char *url)
{
	static const char *const schemes[] = {"https://", "http://"};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
			return url + strlen(schemes[i]);
	return NULL;
}

static bool escapes_are_whole(const char *url)
{
	for (const char *at = strchr(url, '%'); at; at = strchr(at + 1, '%'))
		if (!isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]))
			return false;
	return true;
}

int link_check_page(const char *url, struct error *err)
{
	const char *host = behind_scheme(url);
	const char *why = NULL;

	if (!host || !isalnum((unsigned char)*host))
		why = "it is http://HOST/... or https://HOST/...";
	else if (strlen(url) > LINK_PAGE_BYTES)
		why = "it is longer than 1000 bytes";
	else if (strchr(host, '#'))
		why = "what follows '#' is what the links are for";
	else if (url[strspn(url, PAGE_CHARACTERS)])
		why = "it has characters other than A-Z a-z 0-9 - . _ ~ : / ? & = + , (write the "
		      "others as %XX)";
	else if (!escapes_are_whole(url))
		why = "a '%' is written %25";
	return why ? error_set(err, ERR_USAGE, "the address of the report's page: %s", why)
		   : ERR_OK;
}

/* ---- places in it ---------------------------------------------------------------------------- */

static bool add_page(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark)
{
	if (!view->page_url)
		return false;
	strbuf_addf(out, "%s#b=%zu", view->page_url, (size_t)(benchmark - view->result.benchmarks));
	return true;
}

void link_to_benchmark(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark)
{
	add_page(out, view, benchmark);
}

/* What a field's value is made of is encoded once more; its '@' need not be, but is a mention. */
static void add_field(
	struct strbuf *out, const char *field, const struct strbuf *place, uint32_t number)
{
	struct strbuf encoded = STRBUF_INIT;

	url_add_encoded(&encoded, place ? place->data : "");
	strbuf_addf(out, "&%s=", field);
	if (place && encoded.length <= LINK_PLACE_BYTES)
		strbuf_add(out, encoded.data, encoded.length);
	else
		strbuf_addf(out, "%%40%u", number);
	strbuf_release(&encoded);
}

/* The page takes the first function of a name. A long one is linked by its number anyway. */
static bool is_first_of_name(const struct result_function *functions, uint32_t function)
{
	if (strlen(functions[function].name) > LINK_PLACE_BYTES)
		return false;
	for (uint32_t i = 0; i < function; i++)
		if (strcmp(functions[i].name, functions[function].name) == 0)
			return false;
	return true;
}

static void add_function(
	struct strbuf *out, const struct result_function *functions, uint32_t function)
{
	struct strbuf place = STRBUF_INIT;

	url_add_encoded(&place, functions[function].name);
	strbuf_addstr(out, "&v=sandwich");
	add_field(out, "f", is_first_of_name(functions, function) ? &place : NULL, function);
	strbuf_release(&place);
}

/* Where the page opens with another tree than the benchmark's own, a place in that says so. */
static void add_own_type(struct strbuf *out, const struct result_benchmark *benchmark)
{
	struct strbuf type = STRBUF_INIT;

	url_add_encoded(&type, benchmark->profile_type);
	if (shown_profile(benchmark) && type.length <= LINK_PLACE_BYTES)
		strbuf_addf(out, "&t=%s", type.data);
	strbuf_release(&type);
}

void link_to_function(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark, uint32_t function)
{
	if (!add_page(out, view, benchmark))
		return;
	add_own_type(out, benchmark);
	add_function(out, benchmark->functions, function);
}

void link_to_shown_function(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark, uint32_t function)
{
	if (add_page(out, view, benchmark))
		add_function(out, shown_benchmark(benchmark).functions, function);
}

static const char *name_of(const struct result_benchmark *benchmark, uint32_t node)
{
	uint32_t function = benchmark->nodes[node].function;

	return function == RESULT_NONE ? "" : benchmark->functions[function].name;
}

/* next[n]: the node below n on the way; 0: n is not on it. The root is below none. */
static void mark_way(const struct result_benchmark *benchmark, uint32_t node, uint32_t *next)
{
	for (; node; node = benchmark->nodes[node].parent)
		next[benchmark->nodes[node].parent] = node;
}

/* The page takes the first child of a name. */
static bool is_first_everywhere(const struct result_benchmark *benchmark, const uint32_t *next)
{
	for (uint32_t i = 1; i < benchmark->node_count; i++) {
		uint32_t taken = next[benchmark->nodes[i].parent];

		if (i < taken && strcmp(name_of(benchmark, i), name_of(benchmark, taken)) == 0)
			return false;
	}
	return true;
}

/* False: it is too long. */
static bool add_way(
	struct strbuf *out, const struct result_benchmark *benchmark, const uint32_t *next)
{
	for (uint32_t at = next[0]; at && out->length <= LINK_PLACE_BYTES; at = next[at]) {
		if (benchmark->nodes[at].parent)
			strbuf_addch(out, ';');
		url_add_encoded(out, name_of(benchmark, at));
	}
	return out->length <= LINK_PLACE_BYTES;
}

void link_to_node(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark, uint32_t node)
{
	struct strbuf way = STRBUF_INIT;
	uint32_t *next;
	bool good;

	if (!add_page(out, view, benchmark) || !node)
		return;
	next = xcalloc(benchmark->node_count, sizeof(*next));
	mark_way(benchmark, node, next);
	add_own_type(out, benchmark);
	good = add_way(&way, benchmark, next) && is_first_everywhere(benchmark, next);
	add_field(out, "n", good ? &way : NULL, node);
	free(next);
	strbuf_release(&way);
}
