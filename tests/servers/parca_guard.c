/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parca_guard URL CASE: sends one of the profiles that harm a Parca server through our client, and
 * then looks whether the server still lists its types as before. Exit status 0 if the client did
 * with the profile what it should, and the server is unharmed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/instant.h"
#include "baseline/parca/parca_internal.h"
#include "gate/base/error.h"
#include "gate/profile/pprof.h"

struct guard_case {
	const char *name;
	void (*break_it)(struct profile *profile);
	const char *metric;  /* the label __name__; NULL: none */
	const char *message; /* what the refusal must say; NULL: it is sent */
};

static void set_period(struct profile *profile, const char *type, const char *unit)
{
	profile->period_type.type = profile_intern(profile, type);
	profile->period_type.unit = profile_intern(profile, unit);
}
static void set_type(struct profile *profile, const char *type, const char *unit)
{
	profile->types[0].type = profile_intern(profile, type);
	profile->types[0].unit = profile_intern(profile, unit);
}
static void nothing(struct profile *profile)
{
	(void)profile;
}
static void no_period_type(struct profile *profile)
{
	set_period(profile, "", "");
}
static void empty_period_type(struct profile *profile)
{
	set_period(profile, "", "nanoseconds");
}
static void empty_period_unit(struct profile *profile)
{
	set_period(profile, "cpu", "");
}
static void empty_unit(struct profile *profile)
{
	set_type(profile, "cpu", "");
}
static void empty_type(struct profile *profile)
{
	set_type(profile, "", "nanoseconds");
}
static void dash(struct profile *profile)
{
	set_type(profile, "alloc-samples", "count");
}
static void slash(struct profile *profile)
{
	set_type(profile, "cpu", "ns/op");
}
static void blank(struct profile *profile)
{
	set_type(profile, "cpu time", "nanoseconds");
}
static void colon(struct profile *profile)
{
	set_period(profile, "cpu:x", "nanoseconds");
}
static void no_samples(struct profile *profile)
{
	profile->sample_count = 0;
}
static void not_utf8(struct profile *profile)
{
	profile->functions[0].name = profile_intern(profile, "latin\xe9");
}
static void no_frames(struct profile *profile)
{
	profile->samples[0].depth = 0;
}
static void no_lines(struct profile *profile)
{
	profile->locations[0].line_count = 0;
}
static void no_function_name(struct profile *profile)
{
	profile->functions[0].name = profile_intern(profile, "");
}
static void negative_numbers(struct profile *profile)
{
	((struct profile_line *)profile->locations[0].lines)->line = INT64_MIN;
	profile->functions[0].start_line = -1;
	profile->period = -1;
	profile->duration_ns = -1;
	profile->time_ns = -1;
}
static void extreme_value(struct profile *profile)
{
	((int64_t *)profile->samples[0].values)[0] = INT64_MIN;
}
static void zero_value(struct profile *profile)
{
	((int64_t *)profile->samples[0].values)[0] = 0;
}
static void deep(struct profile *profile)
{
	static const uint32_t locations[4000];

	profile->samples[0].locations = locations;
	profile->samples[0].depth = 4000;
}
static void labels_of_all_kinds(struct profile *profile)
{
	static const struct profile_label labels[] = {{"a-b", "\xff", 0, NULL},
		{"n", NULL, INT64_MIN, "by/te"}, {"n", NULL, 1, ""}, {"a-b", "y", 0, NULL}};

	profile->samples[0].labels = labels;
	profile->samples[0].label_count = 4;
}
static void same_type_twice(struct profile *profile)
{
	static const int64_t values[2] = {1, 2};

	profile->types = xrealloc_array(profile->types, 2, sizeof(*profile->types));
	for (size_t i = 0; i < 2; i++)
		profile->types[i] = (struct profile_value_type){"cpu", "nanoseconds"};
	profile->type_count = 2;
	profile->samples[0].values = values;
}

static const struct guard_case cases[] = {
	{"sound", nothing, "guard", NULL},
	{"no-period-type", no_period_type, "guard", "period type is empty"},
	{"empty-period-type", empty_period_type, "guard", "period type is empty"},
	{"empty-period-unit", empty_period_unit, "guard", "period type's unit is empty"},
	{"empty-unit", empty_unit, "guard", "sample type's unit is empty"},
	{"empty-type", empty_type, "guard", "sample type is empty"},
	{"dash-in-type", dash, "guard", "\"alloc-samples\""},
	{"slash-in-unit", slash, "guard", "\"ns/op\""},
	{"blank-in-type", blank, "guard", "\"cpu time\""},
	{"colon-in-period-type", colon, "guard", "\"cpu:x\""},
	{"no-samples", no_samples, "guard", "no samples"},
	{"no-name", nothing, NULL, "__name__ is missing"},
	{"dash-in-name", nothing, "my-app", "\"my-app\""},
	{"not-utf8", not_utf8, "guard", NULL},
	{"no-frames", no_frames, "guard", NULL},
	{"no-lines", no_lines, "guard", NULL},
	{"no-function-name", no_function_name, "guard", NULL},
	{"negative-numbers", negative_numbers, "guard", NULL},
	{"extreme-value", extreme_value, "guard", NULL},
	{"zero-value", zero_value, "guard", NULL},
	{"deep", deep, "guard", NULL},
	{"labels", labels_of_all_kinds, "guard", NULL},
	{"same-type-twice", same_type_twice, "guard", NULL},
};

static struct profile *sound_profile(void)
{
	struct profile *profile = profile_new();
	uint32_t function =
		profile_add_function(profile, &(struct profile_function){"work", "", "work.c", 1});
	struct profile_line line = {function, 2};
	uint32_t location = profile_add_location(
		profile, &(struct profile_location){PROFILE_NO_MAPPING, 0x10, &line, 1, false});
	int64_t value = 1000;

	profile_add_type(profile, "cpu", "nanoseconds");
	profile_add_sample(profile, &(struct profile_sample){&location, 1, &value, NULL, 0});
	set_period(profile, "cpu", "nanoseconds");
	profile->period = 1000;
	profile->duration_ns = 1000000;
	profile->time_ns = instant_now();
	return profile;
}

/* The types' names, in the server's order. */
static int list_types(const struct parca *parca, struct strbuf *out, struct error *err)
{
	struct json *root;
	int rc = parca_types(parca, &root, err);

	if (rc)
		return rc;
	for (const struct json *node = json_first(json_get(root, "types")); node && !rc;
		node = json_next(node)) {
		struct parca_type type;

		rc = parca_type_read(node, &type, err);
		if (!rc)
			parca_type_add(out, &type);
		strbuf_addch(out, '\n');
	}
	json_free(root);
	return rc;
}

/* One profile whose locations have the ids 2 and 1 in this order: valid pprof,
 * and 400 at Parca's. */
static void shuffled(struct strbuf *out)
{
	static const unsigned char bytes[] = {0x0a, 4, 0x08, 1, 0x10, 2, /* sample_type */
		0x12, 6, 0x0a, 2, 2, 1, 0x12, 0,                         /* replaced below */
		0x22, 8, 0x08, 2, 0x22, 4, 0x08, 9, 0x10, 1, 0x22, 8, 0x08, 1, 0x22, 4, 0x08, 9,
		0x10, 2, 0x2a, 4, 0x08, 9, 0x10, 1, /* function 9 */
		0x32, 0, 0x32, 3, 'c', 'p', 'u', 0x32, 11, 'n', 'a', 'n', 'o', 's', 'e', 'c', 'o',
		'n', 'd', 's', 0x5a, 4, 0x08, 1, 0x10, 2, 0x60, 1, 0x50, 100};

	strbuf_add(out, bytes, 6);
	strbuf_add(out, "\x12\x07\x0a\x02\x02\x01\x12\x01\x05", 9); /* [2, 1], value 5 */
	strbuf_add(out, bytes + 14, sizeof(bytes) - 14);
}

static int encode_case(const struct guard_case *guard, struct strbuf *out, struct error *err)
{
	struct profile *profile = sound_profile();
	int rc;

	guard->break_it(profile);
	rc = pprof_encode(profile, out, err);
	profile_free(profile);
	return rc;
}

static int find_case(
	const char *name, struct guard_case *guard, struct strbuf *pprof, struct error *err)
{
	*guard = (struct guard_case){name, nothing, "guard", NULL};
	if (strcmp(name, "shuffled-ids") == 0) {
		shuffled(pprof);
		return ERR_OK;
	}
	if (strcmp(name, "no-bytes") == 0) {
		guard->message = "empty";
		return ERR_OK;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, name) == 0) {
			*guard = cases[i];
			return encode_case(guard, pprof, err);
		}
	return error_set(err, ERR_USAGE, "no case %s", name);
}

static int send_case(const struct parca *parca, const char *name, struct error *err)
{
	struct label labels[] = {{"__name__", "guard"}, {"case", name}};
	struct strbuf pprof = STRBUF_INIT;
	struct guard_case guard;
	size_t skip = 0;
	int rc = find_case(name, &guard, &pprof, err);

	if (rc)
		return rc;
	if (guard.metric)
		labels[0].value = guard.metric;
	else
		skip = 1;
	rc = parca_write(parca, labels + skip, 2 - skip, pprof.data, pprof.length, err);
	strbuf_release(&pprof);
	printf("%s: %s\n", name, rc ? err->message : "sent");
	if (!guard.message)
		return rc;
	return rc == ERR_CORRUPT && strstr(err->message, guard.message)
		       ? ERR_OK
		       : error_set(err, ERR_TOOL, "not refused as it should be");
}

/* Every line of the one list is in the other: the server lists them in any order. */
static bool has_all(const char *list, const char *lines)
{
	while (*lines) {
		size_t length = strcspn(lines, "\n");
		char *line = strndup(lines, length + 1);
		bool found = strstr(list, line) != NULL;

		free(line);
		if (!found)
			return false;
		lines += length + 1;
	}
	return *list;
}

int main(int argc, char **argv)
{
	const struct http_credentials nobody = {.prefix = HTTP_CREDENTIALS_PREFIX};
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	struct error err = {0};
	struct parca parca;
	struct url url;
	int rc;

	if (argc != 3)
		return 2;
	rc = url_parse(argv[1], &arena, &url, &err);
	if (!rc)
		rc = parca_init(&parca, &url, &nobody, &arena, &err);
	if (!rc)
		rc = list_types(&parca, &before, &err);
	if (!rc)
		rc = send_case(&parca, argv[2], &err);
	if (!rc)
		rc = list_types(&parca, &after, &err);
	if (!rc && !has_all(after.data, before.data))
		rc = error_set(&err, ERR_TOOL, "the server's types changed:\n%s\n%s", before.data,
			after.data);
	if (rc)
		printf("%s\n", err.message);
	strbuf_release(&before);
	strbuf_release(&after);
	arena_release(&arena);
	return rc != ERR_OK;
}
