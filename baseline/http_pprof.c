/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of a running program: net/http/pprof of Go, and what answers like it. */
#include "baseline/source_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/pprof.h"

#define SECOND_NS UINT64_C(1000000000)
#define DEFAULT_CPU_SECONDS 30 /* of Go's /profile without "seconds" */
#define MAX_SECONDS 3600
#define GRACE_SECONDS 30 /* what the program may take around the profiling itself */
#define INDEX_MAX_BYTES ((size_t)256 << 10)
#define INDEX_MAX_NAMES 32

struct question {
	const struct source_request *request;
	const char *origin, *folder, *name; /* http://host:port, /debug/pprof/, heap */
	uint64_t seconds;                   /* 0: a snapshot */
};

/* What an empty answer means, by the profile's name. */
static const struct {
	const char *name, *hint;
} empty_hints[] = {
	{"profile", "the program used no CPU time meanwhile: ask under load, or for longer"},
	{"mutex", "it fills only after runtime.SetMutexProfileFraction(1) in the program"},
	{"block", "it fills only after runtime.SetBlockProfileRate(1) in the program"},
	{"heap", "nothing was sampled yet: runtime.MemProfileRate tells how much is"},
	{"allocs", "nothing was sampled yet: runtime.MemProfileRate tells how much is"},
};

/* Known to answer with something that is no profile. */
static const char *const no_profiles[] = {"", "trace", "cmdline", "symbol"};

static int read_seconds(struct question *question, struct error *err)
{
	const char *text = url_parameter(question->request->url, "seconds");
	char *end;

	question->seconds = strcmp(question->name, "profile") == 0 ? DEFAULT_CPU_SECONDS : 0;
	if (!text)
		return ERR_OK;
	errno = 0;
	question->seconds = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
	if (!question->seconds || *end || errno || question->seconds > MAX_SECONDS)
		return error_set(err, ERR_USAGE, "seconds=%s: expected a whole number from 1 to %d",
			text, MAX_SECONDS);
	return ERR_OK;
}

static int refuse_text(const struct question *question, struct error *err)
{
	const char *debug = url_parameter(question->request->url, "debug");

	if (!debug || strcmp(debug, "0") == 0)
		return ERR_OK;
	return error_set(err, ERR_USAGE,
		"debug=%s asks for text, which is no profile: leave \"debug\" out", debug);
}

static int read_question(struct question *question, struct arena *arena, struct error *err)
{
	const struct url *url = question->request->url;
	const char *slash = strrchr(url->path, '/');
	size_t folder = slash ? (size_t)(slash - url->path) + 1 : 0;
	int rc;

	if (!*url->host)
		return error_set(err, ERR_USAGE, "the URL names no host");
	question->origin = url_origin(url, url->scheme, arena);
	question->folder = folder ? arena_strndup(arena, url->path, folder) : "/";
	question->name = url->path + folder;
	for (size_t i = 0; i < sizeof(no_profiles) / sizeof(no_profiles[0]); i++)
		if (strcmp(question->name, no_profiles[i]) == 0)
			return error_set(err, ERR_USAGE,
				"%s%s%s is no profile: name one, such as /debug/pprof/profile or "
				"/debug/pprof/heap",
				question->origin, question->folder, question->name);
	rc = refuse_text(question, err);
	return rc ? rc : read_seconds(question, err);
}

static const char *question_url(const struct question *question, struct arena *arena)
{
	const struct url *url = question->request->url;
	struct strbuf text = STRBUF_INIT;
	const char *copy;

	strbuf_addf(&text, "%s%s%s", question->origin, question->folder, question->name);
	for (size_t i = 0; i < url->parameter_count; i++) {
		strbuf_addch(&text, i ? '&' : '?');
		url_add_encoded(&text, url->parameters[i].name);
		strbuf_addch(&text, '=');
		url_add_encoded(&text, url->parameters[i].value);
	}
	copy = arena_strdup(arena, text.data);
	strbuf_release(&text);
	return copy;
}

/* ---- the names that the program's index page offers, for a message ---- */

static bool is_name(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._-/", text[i]))
			return false;
	return length > 0 && length < 64;
}

/* The page has <a href='heap?debug=1'>heap</a> for each. */
static void add_names(struct strbuf *names, const char *page)
{
	static const char mark[] = "?debug=1'>";
	size_t count = 0;

	for (const char *at = strstr(page, mark); at && count < INDEX_MAX_NAMES;
		at = strstr(at, mark)) {
		at += sizeof(mark) - 1;
		size_t length = strcspn(at, "<");

		if (!is_name(at, length))
			continue;
		strbuf_addf(names, "%s%.*s", count++ ? ", " : "", (int)length, at);
	}
}

static void ask_for_names(const struct question *question, struct strbuf *names)
{
	struct http_response response = {0};
	struct strbuf url = STRBUF_INIT;

	strbuf_addf(&url, "%s%s", question->origin, question->folder);
	if (!http_send(&(struct http_request){.method = "GET",
			       .url = url.data,
			       .credentials = &question->request->credentials,
			       .timeout_ns = 5 * SECOND_NS,
			       .max_bytes = INDEX_MAX_BYTES},
		    &response, NULL))
		add_names(names, response.body.data);
	http_response_release(&response);
	strbuf_release(&url);
}

static int explain_not_found(const struct question *question, struct error *err)
{
	struct strbuf names = STRBUF_INIT;

	ask_for_names(question, &names);
	if (names.length)
		error_set(err, ERR_NOT_FOUND, "%s has no profile \"%s\": there are %s",
			question->origin, question->name, names.data);
	else
		error_set(err, ERR_NOT_FOUND,
			"%s: nothing at %s%s (404), and no list of profiles at %s: does the "
			"program serve net/http/pprof on this port?",
			question->origin, question->folder, question->name, question->folder);
	strbuf_release(&names);
	return ERR_NOT_FOUND;
}

/* Go says in its own words why it gave no profile; http_send() has said the rest. */
static int explain(const struct question *question, const struct http_response *response, int rc,
	struct error *err)
{
	const char *from_go = http_response_header(response, "x-go-pprof");

	if (response->status == 404)
		return explain_not_found(question, err);
	if (response->status == 500 && from_go && strcmp(question->name, "profile") == 0)
		return error_set(err, ERR_TOOL,
			"%s: another CPU profile of this program is being taken, and there can be "
			"only one: wait until it has ended and try again",
			question->origin);
	return rc;
}

/* ---- the answer ---- */

static int refuse_words(
	const struct question *question, const struct http_response *response, struct error *err)
{
	const char *type = http_response_header(response, "content-type");
	struct strbuf said = STRBUF_INIT;

	/* Some servers call everything text. */
	if (!type || strncmp(type, "text/", 5) != 0 ||
		gzip_is_compressed(response->body.data, response->body.length))
		return ERR_OK;
	http_add_words(
		&question->request->credentials, response->body.data, response->body.length, &said);
	error_set(err, ERR_CORRUPT,
		"%s%s%s answered with text, not with a profile%s%s%s: is \"debug\" set on its "
		"side, or a login or a proxy in between?",
		question->origin, question->folder, question->name, said.length ? " (\"" : "",
		said.data, said.length ? "\")" : "");
	strbuf_release(&said);
	return ERR_CORRUPT;
}

static const char *empty_hint(const struct question *question)
{
	if (question->seconds && strcmp(question->name, "profile") != 0)
		return "nothing of it changed meanwhile: ask under load, or for longer";
	for (size_t i = 0; i < sizeof(empty_hints) / sizeof(empty_hints[0]); i++)
		if (strcmp(empty_hints[i].name, question->name) == 0)
			return empty_hints[i].hint;
	return "there is nothing of this kind";
}

static int check_not_empty(
	const struct question *question, const struct profile *profile, struct error *err)
{
	if (profile->sample_count)
		return ERR_OK;
	return error_set(err, ERR_NOT_FOUND, "%s: the profile \"%s\" has no samples: %s",
		question->origin, question->name, empty_hint(question));
}

/* Go names alloc_space the default of a snapshot of allocs, and forgets it in a delta. */
static void set_default_type(const struct question *question, struct profile *profile)
{
	int allocs = profile_find_type(profile, "alloc_space");

	if (strcmp(question->name, "allocs") == 0 && allocs >= 0)
		profile->default_type = (size_t)allocs;
}

static void add_notes(const struct question *question, struct store_lines *notes)
{
	if (!question->seconds)
		store_lines_add(notes,
			"\"%s\" of %s is a snapshot: sums since the program's start, "
			"or what is in use now",
			question->name, question->origin);
	else if (strcmp(question->name, "profile") == 0)
		store_lines_add(notes, "CPU profile of %s over %llu s", question->origin,
			(unsigned long long)question->seconds);
	else
		store_lines_add(notes,
			"\"%s\" of %s is a delta over %llu s: "
			"what was freed or ended counts negative",
			question->name, question->origin, (unsigned long long)question->seconds);
}

static int read_answer(const struct question *question, const struct http_response *response,
	struct profile **out, struct store_lines *notes, struct error *err)
{
	struct profile *profile;
	int rc = refuse_words(question, response, err);

	if (rc)
		return rc;
	rc = pprof_decode(response->body.data, response->body.length, NULL, &profile, err);
	if (rc)
		return error_prefix(
			err, "%s%s%s", question->origin, question->folder, question->name);
	rc = check_not_empty(question, profile, err);
	if (rc) {
		profile_free(profile);
		return rc;
	}
	set_default_type(question, profile);
	add_notes(question, notes);
	*out = profile;
	return ERR_OK;
}

static void tell_progress(const struct question *question)
{
	const struct source_options *options = question->request->options;
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "profiling %s for %llu s", question->origin,
		(unsigned long long)question->seconds);
	if (options->progress && question->seconds)
		options->progress(options->progress_data, line.data);
	strbuf_release(&line);
}

int source_http_pprof(const struct source_request *request, struct profile **out,
	struct store_lines *notes, struct error *err)
{
	struct question question = {.request = request};
	struct http_response response = {0};
	struct arena arena = ARENA_INIT;
	int rc = read_question(&question, &arena, err);

	if (rc)
		goto out;
	tell_progress(&question);
	rc = http_send(&(struct http_request){.method = "GET",
			       .url = question_url(&question, &arena),
			       .credentials = &request->credentials,
			       .max_bytes = pprof_default_limits.max_bytes,
			       .timeout_ns = (question.seconds + 2 * GRACE_SECONDS) * SECOND_NS,
			       .idle_timeout_ns = (question.seconds + GRACE_SECONDS) * SECOND_NS},
		&response, err);
	rc = rc ? explain(&question, &response, rc, err)
		: read_answer(&question, &response, out, notes, err);
out:
	http_response_release(&response);
	arena_release(&arena);
	return rc;
}
