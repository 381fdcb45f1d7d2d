/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html/html.h"

#include <stdio.h>
#include <string.h>

#include "gate/base/file.h"
#include "report/findings/sentence.h"
#include "report/html/html_benchmark.h"
#include "report/html/html_reference.h"
#include "report/html/html_text.h"
#include "report/html/viewer.h"
#include "report/json/report_json.h"
#include "report/words/groups.h"
#include "report/words/words.h"

#define HASH_BYTES 32

/* ---- the script's hash for the content security policy --------------------------------------- */

static unsigned hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void add_base64(struct strbuf *out, const unsigned char *data, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		unsigned group = (unsigned)data[i] << 16;

		group |= i + 1 < length ? (unsigned)data[i + 1] << 8 : 0;
		group |= i + 2 < length ? data[i + 2] : 0;
		strbuf_addch(out, digits[group >> 18]);
		strbuf_addch(out, digits[group >> 12 & 63]);
		strbuf_addch(out, i + 1 < length ? digits[group >> 6 & 63] : '=');
		strbuf_addch(out, i + 2 < length ? digits[group & 63] : '=');
	}
}

static void add_hash(struct strbuf *out, const struct strbuf *script)
{
	unsigned char hash[HASH_BYTES];
	char hex[2 * HASH_BYTES + 1];

	sha256_hex(script->data, script->length, hex);
	for (size_t i = 0; i < HASH_BYTES; i++)
		hash[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	add_base64(out, hash, HASH_BYTES);
}

/* ---- the page's body ------------------------------------------------------------------------- */

static void add_headline(struct strbuf *out, const struct result *result)
{
	struct sentence sentence;

	strbuf_addstr(out, "<header>");
	html_badge(out, result->status, word_of_result(result));
	strbuf_addstr(out, "<h1>");
	sentence_init(&sentence);
	sentence_of_result(&sentence, result);
	html_sentence(out, &sentence);
	sentence_release(&sentence);
	strbuf_addstr(out, "</h1></header>\n");
}

static void add_commit(struct strbuf *out, const char *label, const struct result_commit *commit)
{
	struct strbuf name = STRBUF_INIT;

	commit_add(&name, commit);
	if (name.length) {
		strbuf_addf(out, "%s ", label);
		html_code(out, name.data, 100);
		strbuf_addch(out, ' ');
		html_text(out, commit->dirty ? "" : commit->subject, 100);
		strbuf_addstr(out, " · ");
	}
	strbuf_release(&name);
}

static void add_meta(struct strbuf *out, const struct result *result)
{
	strbuf_addstr(out, "<p class=\"meta\">");
	add_commit(out, "base", &result->base);
	add_commit(out, "head", &result->head);
	if (*result->policy_origin) {
		strbuf_addstr(out, "policy from ");
		html_code(out, result->policy_origin, 200);
		strbuf_addstr(out, " · ");
	}
	html_text(out, result->date, 40);
	strbuf_addstr(out, " · flamegate ");
	html_text(out, result->tool_version, 40);
	strbuf_addstr(out, "</p>\n");
}

static void add_body(struct strbuf *out, const struct result *result)
{
	add_headline(out, result);
	add_meta(out, result);
	html_list(out, "<section class=\"panel notes\"><h3>Warnings</h3>\n", result->warnings,
		result->warning_count, "</section>\n");
	html_list(out, "<section class=\"panel notes\"><h3>Notes</h3>\n", result->notes,
		result->note_count, "</section>\n");
	html_list(out,
		"<section class=\"panel notes\"><h3>Changed configuration (takes "
		"effect after the merge)</h3>\n",
		result->config_changes, result->config_change_count, "</section>\n");
	if (is_recording(result))
		html_recorded(out, result);
	else if (groups_are_worth_it(result))
		html_groups(out, result);
	strbuf_addf(out, "<nav data-worst=\"%zu\" hidden></nav>\n", worst_benchmark(result, 0));
	for (size_t i = 0; i < result->benchmark_count; i++)
		html_benchmark(
			out, result, i, result->benchmark_count == 1 && !is_recording(result));
}

static bool any_profile(const struct result *result)
{
	for (size_t i = 0; i < result->benchmark_count; i++)
		if (result->benchmarks[i].function_count)
			return true;
	return false;
}

/* ---- the template: {{name}} is replaced once; what it is replaced by is not looked at -------- */

struct part {
	const char *name;
	struct strbuf text;
};

static const struct part *find_part(const struct part *parts, const char *name, size_t length)
{
	for (; parts->name; parts++) {
		if (strlen(parts->name) == length && memcmp(parts->name, name, length) == 0)
			return parts;
	}
	return NULL;
}

static void expand(struct strbuf *out, const char *at, const struct part *parts)
{
	const char *open;

	while ((open = strstr(at, "{{"))) {
		const char *close = strstr(open, "}}");
		const struct part *part =
			close ? find_part(parts, open + 2, (size_t)(close - open - 2)) : NULL;

		strbuf_add(out, at, (size_t)(open - at));
		if (part)
			strbuf_add(out, part->text.data, part->text.length);
		at = close ? close + 2 : open + 2;
	}
	strbuf_addstr(out, at);
}

enum { PART_STATUS, PART_STYLE, PART_BODY, PART_HOW, PART_HASH, PART_SCRIPT, PART_DATA, PART_END };

int report_html(const struct report_view *view, struct strbuf *out, struct error *err)
{
	struct part parts[] = {
		[PART_STATUS] = {"status", STRBUF_INIT},
		[PART_STYLE] = {"style", STRBUF_INIT},
		[PART_BODY] = {"body", STRBUF_INIT},
		[PART_HOW] = {"how", STRBUF_INIT},
		[PART_HASH] = {"script_hash", STRBUF_INIT},
		[PART_SCRIPT] = {"script", STRBUF_INIT},
		[PART_DATA] = {"data", STRBUF_INIT},
		[PART_END] = {NULL, STRBUF_INIT},
	};
	int code = report_json_write(&view->result, &parts[PART_DATA].text, err);

	if (code)
		goto out;
	strbuf_addstr(&parts[PART_STATUS].text, word_of_result(&view->result));
	strbuf_add(&parts[PART_STYLE].text, viewer_viewer_css, viewer_viewer_css_len);
	strbuf_add(&parts[PART_STYLE].text, viewer_source_css, viewer_source_css_len);
	add_body(&parts[PART_BODY].text, &view->result);
	if (!any_profile(&view->result)) /* nothing to be read */
		strbuf_addstr(&parts[PART_HOW].text, " hidden");
	viewer_script(&parts[PART_SCRIPT].text);
	add_hash(&parts[PART_HASH].text, &parts[PART_SCRIPT].text);
	expand(out, (const char *)viewer_viewer_html, parts);
out:
	for (size_t i = 0; i < PART_END; i++)
		strbuf_release(&parts[i].text);
	return code;
}
