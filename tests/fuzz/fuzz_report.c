/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as report.json: a clear refusal, or a report that every renderer takes, that is written
 * to bytes which give the same bytes again, and of which no format holds more commands for a runner
 * than it means to. Changes are made token by token, so that most stay JSON.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/ci/workflow.h"
#include "report/formats.h"
#include "report/markdown/markdown.h"
#include "report/svg/svg.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/runner_grammar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);
size_t LLVMFuzzerMutate(uint8_t *data, size_t length, size_t max_length);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t length, size_t max_length, unsigned seed);

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* ---- changes -------------------------------------------------------------------------------- */

static const char delimiters[] = ",:[]{} \n";

static const char *const tokens[] = {"null", "true", "0", "-1", "1", "-0.0", "1e-300", "1e308",
	"-1e308", "0.5", "9007199254740992", "4294967295", "4294967294", "2147483648", "255",
	"\"\"", "[]", "{}", "\"fail\"", "\"error\"", "\"profile\"", "\"self\"", "\"called\"",
	"\"renamed\"", "\"record\"", "\"run\"", "\"bytes\"", "\"count\"", "\"cpu\"",
	"\"::error::x\"", "\"\\u001b[31m##[error]\"", "\"`|\\\\|```\"", "\"</script>\"",
	"\"../../x\"", "\"\\ud83d\\ude00\\n\\r\\u2028\"", "\"screened\"", "\"new\"", "\"warn\""};

static bool is_delimiter(uint8_t c)
{
	return c && strchr(delimiters, c);
}

/* Replaces the token around `at` by one of those above; the new length. */
static size_t replace_token(
	uint8_t *data, size_t length, size_t max_length, size_t at, unsigned choice)
{
	const char *token = tokens[choice % (sizeof(tokens) / sizeof(tokens[0]))];
	size_t size = strlen(token), end = at;

	while (at && !is_delimiter(data[at - 1]))
		at--;
	while (end < length && !is_delimiter(data[end]))
		end++;
	if (length - (end - at) + size > max_length)
		return length;
	memmove(data + at + size, data + end, length - end);
	memcpy(data + at, token, size);
	return length - (end - at) + size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t length, size_t max_length, unsigned seed)
{
	unsigned long long random = seed * 6364136223846793005ull + 1442695040888963407ull;

	if (!length || random >> 60 < 4)
		return LLVMFuzzerMutate(data, length, max_length);
	return replace_token(data, length, max_length, (size_t)(random >> 16) % length,
		(unsigned)(random >> 50));
}

/* ---- what must hold ------------------------------------------------------------------------- */

/* Only the commands are commands. */
static void check_text(const struct report_format *format, const struct strbuf *text)
{
	size_t commands = runner_count_commands(text->data, text->length);

	REQUIRE(strlen(text->data) == text->length);
	if (strcmp(format->name, "workflow") == 0)
		REQUIRE(commands <= 2 * WORKFLOW_MAX_COMMANDS);
	else if (strcmp(format->name, "html") != 0) /* a page, never printed */
		REQUIRE(commands == 0);
	if (strcmp(format->name, "markdown") == 0)
		REQUIRE(text->length <= MARKDOWN_BUDGET_BYTES);
	if (strcmp(format->name, "svg") == 0)
		REQUIRE(text->length <= SVG_MAX_BYTES);
}

static void check_formats(const struct report_view *view)
{
	struct strbuf text = STRBUF_INIT;
	struct error err = {0};

	for (const struct report_format *format = report_formats; format->name; format++) {
		strbuf_reset(&text);
		REQUIRE(format->render(view, &text, &err) == ERR_OK);
		check_text(format, &text);
	}
	strbuf_reset(&text);
	report_terminal(view, &(struct terminal_options){.width = 40}, &text);
	report_terminal(view, &(struct terminal_options){.color = true}, &text);
	REQUIRE(!runner_count_commands(text.data, text.length));
	strbuf_release(&text);
}

/* What is written is read, to the same bytes. */
static void check_again(const struct report_view *view)
{
	const struct report_format *json = report_format_find("json");
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct report_view *again = NULL;
	struct error err = {0};

	REQUIRE(json->render(view, &first, &err) == ERR_OK);
	if (report_view_read(first.data, first.length, &again, &err))
		fprintf(stderr, "%s\n", err.message);
	REQUIRE(again);
	REQUIRE(json->render(again, &second, &err) == ERR_OK);
	REQUIRE(strcmp(first.data, second.data) == 0);
	report_view_free(again);
	strbuf_release(&first);
	strbuf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct report_view *view = NULL;
	struct error err = {0};
	int code = report_view_read((const char *)data, length, &view, &err);

	if (code) {
		REQUIRE(!view && code == err.code && (code == ERR_CORRUPT || code == ERR_LIMIT));
		REQUIRE(strncmp(err.message, "report.json: ", 13) == 0);
		REQUIRE(!strpbrk(err.message, "\033\r\n"));
		return 0;
	}
	check_formats(view);
	check_again(view);
	report_view_free(view);
	return 0;
}
