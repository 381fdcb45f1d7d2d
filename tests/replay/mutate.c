/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breaks recordings on purpose, for the replay tests:
 *
 *   mutate halve-profile DIR     half of each sample's weight is gone; recording.json still has it
 *   mutate halve DIR             the same, and recording.json agrees with what is left
 *   mutate empty DIR             no samples at all
 *   mutate collapse DIR          all samples lie in one place without a name
 *   mutate cut DIR               stacks are cut to the innermost frame, and counted as incomplete
 *   mutate rebuild DIR FILE [LAYOUTS]  the last round's runs are of another object FILE; or each
 *                                round's of the one of its layout
 *   mutate shuffle BASE HEAD SEED   each sample goes to either version by chance
 *   mutate rename DIR OLD NEW    a function gets another name
 *   mutate file DIR FUNCTION FILE  a function is said to be of another source file
 *   mutate code DIR [FUNCTION...]  each function's code hash is of its name, a FUNCTION's of another
 *   mutate calls DIR CALLER CALLEE  CALLER's code is of its name, but for the CALLEE's in it
 *   mutate size DIR FUNCTION BYTES  FUNCTION's code is of its name and of that size
 *   mutate names DIR [FUNCTION@FILE...]  the objects have what samples fell in, and these
 *   mutate told DIR CALLER CALLEE CALLS [INSTRUCTIONS]
 *                                callgrind counted so many; CALLER "": of all callers; CALLEE@FILE
 *                                where it has no samples
 *   mutate strip DIR PREFIX      objects below a folder are named relative to it, as in a check
 *   mutate scale DIR FUNCTION FACTOR  a function's self time is multiplied, and so are the totals
 *   mutate count DIR TYPE OUT [FUNCTION FACTOR]
 *                                OUT is a recording of a counted TYPE: three equal rounds, each
 *                                with the nanoseconds of DIR's first one as counts
 *   mutate carry FOLDER         the recordings get what the measurements know, as check writes them
 *   mutate production FOLDER FILE  the measurements have read FILE as the profile of production
 */
#include "tests/replay/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/check/measurements/measurements_context.h"
#include "gate/check/production/production.h"
#include "gate/profile/code/code_callee.h"
#include "gate/profile/profile_read.h"

static bool is_one_of(const char *name, char *const names[])
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static void hash_names(struct recording *recording, char *const changed[])
{
	const struct profile *profile = recording->profile;

	recording->code =
		arena_array(&recording->arena, profile->function_count, sizeof(*recording->code));
	recording->code_count = profile->function_count;
	for (size_t i = 0; i < profile->function_count; i++) {
		const char *name = profile->functions[i].name;
		char hash[65];

		if (is_one_of(name, changed))
			name = "other code";
		sha256_hex(name, strlen(name), hash);
		recording->code[i] = (struct recording_code){.function = (uint32_t)i,
			.bytes = 1,
			.hash = arena_strndup(&recording->arena, hash, RECORDING_CODE_DIGITS)};
	}
}

static void move_function(struct profile *profile, const char *name, const char *file)
{
	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0)
			profile->functions[i].file = profile_intern(profile, file);
}

static void name_callee(struct recording *recording, const char *caller, const char *callee)
{
	char shape[65], hash[65], digits[CODE_CALLEE_DIGITS + 1];
	const char *both = arena_printf(&recording->arena, "%s calls %s", caller, callee);

	sha256_hex(caller, strlen(caller), shape);
	sha256_hex(both, strlen(both), hash);
	code_callee_digits(callee, strlen(callee), digits);
	for (size_t i = 0; i < recording->code_count; i++) {
		struct recording_code *code = &recording->code[i];

		if (strcmp(recording->profile->functions[code->function].name, caller) != 0)
			continue;
		code->hash = arena_strndup(&recording->arena, hash, RECORDING_CODE_DIGITS);
		code->shape = arena_strndup(&recording->arena, shape, RECORDING_CODE_DIGITS);
		code->callees = arena_strdup(&recording->arena, digits);
	}
}

static void resize(struct recording *recording, const char *function, uint32_t bytes)
{
	const char *both = arena_printf(&recording->arena, "%s of %u", function, bytes);
	char hash[65];

	sha256_hex(both, strlen(both), hash);
	for (size_t i = 0; i < recording->code_count; i++) {
		struct recording_code *code = &recording->code[i];

		if (strcmp(recording->profile->functions[code->function].name, function) != 0)
			continue;
		code->hash = arena_strndup(&recording->arena, hash, RECORDING_CODE_DIGITS);
		code->bytes = bytes;
	}
}

static void add_name(struct strbuf *digits, const struct profile_function *function)
{
	const char *linked = function->system_name[0] ? function->system_name : function->name;
	char entry[FUNCTION_NAME_DIGITS + 1], place[FUNCTION_NAME_DIGITS + 1];

	function_name_digits(linked, entry);
	function_place_digits(entry, function->file, place);
	strbuf_addf(digits, "%s%s", entry, place);
}

static void know_names(struct recording *recording, char *const *more)
{
	const struct profile *profile = recording->profile;
	struct strbuf digits = STRBUF_INIT;

	for (size_t i = 0; i < profile->function_count; i++)
		add_name(&digits, &profile->functions[i]);
	for (; *more; more++) {
		size_t length = strcspn(*more, "@");
		struct profile_function function = {
			.name = arena_strndup(&recording->arena, *more, length),
			.system_name = "",
			.file = *more + length + ((*more)[length] == '@')};

		add_name(&digits, &function);
	}
	function_names_finish(&recording->names, &digits, true, &recording->arena);
	strbuf_release(&digits);
}

static const char *file_of(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0)
			return profile->functions[i].file;
	return "";
}

static int compare_counts(const void *left, const void *right)
{
	return call_count_compare(left, right);
}

static void tell_calls(struct recording *recording, const char *caller, const char *callee,
	double calls, double instructions)
{
	struct call_counts *counts = &recording->calls;
	struct call_count *items =
		arena_array(&recording->arena, counts->count + 1, sizeof(*items));
	const char *at = strchr(callee, '@');

	if (counts->count)
		memcpy(items, counts->items, counts->count * sizeof(*items));
	items[counts->count++] = (struct call_count){.caller = caller,
		.caller_file = *caller ? file_of(recording->profile, caller) : "",
		.callee = at ? arena_strndup(&recording->arena, callee, (size_t)(at - callee))
			     : callee,
		.callee_file = at ? at + 1 : file_of(recording->profile, callee),
		.calls = calls,
		.instructions = instructions};
	qsort(items, counts->count, sizeof(*items), compare_counts);
	counts->items = items;
	counts->engine = CALL_COUNTS_CALLGRIND;
	counts->exact = true;
	counts->runs = 2;
}

static void halve(struct profile *profile)
{
	for (size_t i = 0; i < profile->sample_count; i++)
		for (size_t k = 0; k < profile->type_count; k++)
			((int64_t *)(uintptr_t)profile->samples[i].values)[k] /= 2;
}

/* A sample with another count, its locations copied into the other profile. */
static void copy_sample(struct profile *to, const struct profile *from,
	const struct profile_sample *sample, int64_t count, const struct columns *column)
{
	uint32_t *locations = calloc(sample->depth + 1, sizeof(*locations));
	int64_t values[8] = {0}, whole = sample->values[column->samples];
	struct profile_sample copy = *sample;

	for (uint32_t i = 0; i < sample->depth; i++) {
		struct profile_location location =
			location_in(to, from, &from->locations[sample->locations[i]]);

		locations[i] = profile_add_location(to, &location);
	}
	for (size_t k = 0; k < from->type_count; k++)
		values[k] = whole ? sample->values[k] * count / whole : 0;
	copy.locations = locations;
	copy.values = values;
	profile_add_sample(to, &copy);
	free(locations);
}

static void deal(struct profile *to[2], const struct profile *from, uint64_t *random)
{
	struct columns column = columns_of(from);

	for (size_t i = 0; i < from->sample_count; i++) {
		const struct profile_sample *sample = &from->samples[i];
		int64_t count = sample->values[column.samples], left = 0;

		for (int64_t k = 0; k < count; k++)
			left += (int64_t)(next_random(random) & 1);
		if (left)
			copy_sample(to[0], from, sample, left, &column);
		if (count - left)
			copy_sample(to[1], from, sample, count - left, &column);
	}
}

/* A program of both versions' builds would be another matter. */
static void forget_builds(struct profile *profile)
{
	for (size_t i = 0; i < profile->mapping_count; i++)
		profile->mappings[i].build_id = "";
}

static void shuffle(const char *base, const char *head, uint64_t seed)
{
	struct recording versions[2];
	struct profile *dealt[2];

	load(base, &versions[0]);
	load(head, &versions[1]);
	for (int i = 0; i < 2; i++)
		forget_builds(versions[i].profile);
	dealt[0] = profile_like(versions[0].profile);
	dealt[1] = profile_like(versions[0].profile);
	deal(dealt, versions[0].profile, &seed);
	deal(dealt, versions[1].profile, &seed);
	for (int i = 0; i < 2; i++) {
		profile_free(versions[i].profile);
		versions[i].profile = dealt[i];
		recount(&versions[i]);
		save(i ? head : base, &versions[i]);
		recording_release(&versions[i]);
	}
}

/* Every sample's stack becomes its first `depth` frames, or one that nobody has a name for. */
static void collapse(struct recording *recording, bool nameless)
{
	struct profile *from = recording->profile, *to = profile_like(from);
	const struct profile_function unknown = {
		.name = "[unknown]", .system_name = "", .file = ""};
	struct profile_line line = {profile_add_function(to, &unknown), 0};
	const struct profile_location place = {
		.lines = &line, .line_count = 1, .mapping = PROFILE_NO_MAPPING};
	uint32_t nowhere = profile_add_location(to, &place);
	struct columns column = columns_of(from);

	for (size_t i = 0; i < from->sample_count; i++) {
		struct profile_sample sample = from->samples[i];

		sample.depth = sample.depth ? 1 : 0;
		if (nameless) {
			sample.locations = &nowhere;
			sample.depth = 1;
			profile_add_sample(to, &sample);
		} else {
			copy_sample(to, from, &sample, sample.values[column.samples], &column);
		}
	}
	recording->profile = to;
	profile_free(from);
	for (size_t i = 0; i < recording->round_count && !nameless; i++)
		recording->rounds[i].complete = 0;
}

/* Such a frame is of the build of this number. */
static uint32_t rebuilt(struct profile *profile, uint32_t place, const char *file, uint32_t number)
{
	struct profile_location location = profile->locations[place];
	struct profile_mapping mapping;
	char id[41];

	if (location.mapping == PROFILE_NO_MAPPING ||
		strcmp(profile->mappings[location.mapping].file, file) != 0)
		return place;
	mapping = profile->mappings[location.mapping];
	snprintf(id, sizeof(id), "%08x%.32s", number, "0123456789abcdef0123456789abcdef");
	mapping.build_id = id;
	location.mapping = profile_add_mapping(profile, &mapping);
	return profile_add_location(profile, &location);
}

/* Without layouts: the last round is of another build. */
static void rebuild(struct recording *recording, const char *file, uint32_t layouts)
{
	struct profile *profile = recording->profile;
	size_t found = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		struct profile_sample *sample = &profile->samples[i];
		int64_t round = profile_sample_number(sample, PROFILE_LABEL_ROUND, 0);
		uint32_t *places = arena_array(&profile->arena, sample->depth, sizeof(*places));

		if (!layouts && round + 1 != (int64_t)recording->round_count)
			continue;
		for (uint32_t k = 0; k < sample->depth; k++) {
			places[k] = rebuilt(profile, sample->locations[k], file,
				layouts ? (uint32_t)round % layouts : UINT32_MAX);
			found += places[k] != sample->locations[k];
		}
		sample->locations = places;
	}
	if (!found) {
		fprintf(stderr, "mutate: no sample is in an object called %s\n", file);
		exit(1);
	}
	if (layouts)
		recording->layouts = layouts;
}

static void rename_function(struct profile *profile, const char *old, const char *name)
{
	size_t found = 0;

	for (size_t i = 0; i < profile->function_count; i++) {
		if (strcmp(profile->functions[i].name, old) != 0)
			continue;
		profile->functions[i].name = profile_intern(profile, name);
		profile->functions[i].system_name = profile_intern(profile, "");
		found++;
	}
	if (!found) {
		fprintf(stderr, "mutate: no function is called %s\n", old);
		exit(1);
	}
}

static void strip(struct profile *profile, const char *prefix)
{
	for (size_t i = 0; i < profile->mapping_count; i++) {
		struct profile_mapping *mapping = &profile->mappings[i];

		if (strncmp(mapping->file, prefix, strlen(prefix)) == 0)
			mapping->file = profile_intern(profile, mapping->file + strlen(prefix));
	}
}

static bool leaf_is(
	const struct profile *profile, const struct profile_sample *sample, const char *name)
{
	const struct profile_location *leaf;

	if (!sample->depth)
		return false;
	leaf = &profile->locations[sample->locations[0]];
	return leaf->line_count &&
	       strcmp(profile->functions[leaf->lines[0].function].name, name) == 0;
}

static void scale(struct recording *recording, const char *name, double factor)
{
	struct profile *profile = recording->profile;
	struct columns column = columns_of(profile);

	for (size_t i = 0; i < profile->sample_count; i++) {
		struct profile_sample *sample = &profile->samples[i];
		int64_t *values = (int64_t *)(uintptr_t)sample->values;
		int64_t before = values[column.cpu];

		if (!leaf_is(profile, sample, name))
			continue;
		for (size_t k = 0; k < profile->type_count; k++)
			values[k] = (int64_t)((double)values[k] * factor + 0.5);
		recording->rounds[profile_sample_number(sample, PROFILE_LABEL_ROUND, 0)]
			.cpu_seconds += (double)(values[column.cpu] - before) * 1e-9;
	}
}

#define COUNTED_ROUNDS 3

/* One sample of the first round, in every round of the counted recording. */
static void count_sample(const struct profile *from, const struct profile_sample *sample,
	int64_t value, struct profile *to)
{
	uint32_t *locations = arena_array(&to->arena, sample->depth, sizeof(*locations));

	for (uint32_t i = 0; i < sample->depth; i++) {
		struct profile_location location = from->locations[sample->locations[i]];
		struct profile_line *lines =
			arena_array(&to->arena, location.line_count, sizeof(*lines));

		for (uint32_t k = 0; k < location.line_count; k++)
			lines[k] = (struct profile_line){
				profile_add_function(
					to, &from->functions[location.lines[k].function]),
				location.lines[k].line};
		location.mapping = PROFILE_NO_MAPPING;
		location.lines = lines;
		locations[i] = profile_add_location(to, &location);
	}
	for (int64_t round = 0; round < COUNTED_ROUNDS; round++) {
		struct profile_label label = {
			.key = PROFILE_LABEL_ROUND, .number = round, .unit = ""};
		struct profile_sample copy = {.locations = locations,
			.depth = sample->depth,
			.values = &value,
			.labels = &label,
			.label_count = 1};

		profile_add_sample(to, &copy);
	}
}

static void count(
	struct recording *recording, const char *type, const char *function, double factor)
{
	struct profile *from = recording->profile, *to = profile_new();
	struct columns column = columns_of(from);

	profile_add_type(to, type, "count");
	for (size_t i = 0; i < from->sample_count; i++) {
		const struct profile_sample *sample = &from->samples[i];
		double value = (double)sample->values[column.cpu];

		if (profile_sample_number(sample, PROFILE_LABEL_ROUND, 0) != 0)
			continue;
		if (function && leaf_is(from, sample, function))
			value *= factor;
		count_sample(from, sample, (int64_t)(value + 0.5), to);
	}
	recording->profile = to;
	profile_free(from);
	recording->profile_type = type;
	recording->round_count = COUNTED_ROUNDS;
	recording->fingerprint.compiler = "gcc 12.2.0";
	recording->fingerprint.build_hash = "fixture";
}

static void carry(const char *folder)
{
	struct measurements *measurements;
	struct error err = {0};

	if (measurements_read(folder, &measurements, &err) ||
		measurements_write_contexts(measurements, folder, &err))
		die(folder, &err);
	measurements_free(measurements);
}

static void produce(const char *folder, const char *path)
{
	struct profile *profile = NULL;
	struct measurements *measurements;
	struct error err = {0};

	if (measurements_read(folder, &measurements, &err) ||
		profile_read_file(path, &profile, &err) ||
		production_take(measurements, profile, &err) ||
		measurements_write(measurements, folder, &err))
		die(folder, &err);
	profile_free(profile);
	measurements_free(measurements);
}

static int usage(void)
{
	fputs("usage: see the head of mutate.c\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct recording recording;
	const char *mode = argc > 2 ? argv[1] : "";

	if (strcmp(mode, "shuffle") == 0 && argc == 5) {
		shuffle(argv[2], argv[3], strtoull(argv[4], NULL, 10));
		return 0;
	}
	if (strcmp(mode, "carry") == 0 && argc == 3) {
		carry(argv[2]);
		return 0;
	}
	if (strcmp(mode, "production") == 0 && argc == 4) {
		produce(argv[2], argv[3]);
		return 0;
	}
	if (argc < 3)
		return usage();
	load(argv[2], &recording);
	if (strcmp(mode, "halve-profile") == 0) {
		halve(recording.profile);
	} else if (strcmp(mode, "halve") == 0) {
		halve(recording.profile);
		recount(&recording);
	} else if (strcmp(mode, "empty") == 0) {
		recording.profile->sample_count = 0;
		recount(&recording);
	} else if (strcmp(mode, "collapse") == 0 || strcmp(mode, "cut") == 0) {
		collapse(&recording, mode[1] == 'o');
		recount(&recording);
	} else if (strcmp(mode, "rebuild") == 0 && (argc == 4 || argc == 5)) {
		rebuild(&recording, argv[3], argc == 5 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0);
	} else if (strcmp(mode, "rename") == 0 && argc == 5) {
		rename_function(recording.profile, argv[3], argv[4]);
	} else if (strcmp(mode, "file") == 0 && argc == 5) {
		move_function(recording.profile, argv[3], argv[4]);
	} else if (strcmp(mode, "code") == 0) {
		hash_names(&recording, argv + 3);
	} else if (strcmp(mode, "calls") == 0 && argc == 5) {
		name_callee(&recording, argv[3], argv[4]);
	} else if (strcmp(mode, "size") == 0 && argc == 5) {
		resize(&recording, argv[3], (uint32_t)strtoul(argv[4], NULL, 10));
	} else if (strcmp(mode, "names") == 0) {
		know_names(&recording, argv + 3);
	} else if (strcmp(mode, "told") == 0 && (argc == 6 || argc == 7)) {
		tell_calls(&recording, argv[3], argv[4], strtod(argv[5], NULL),
			argc == 7 ? strtod(argv[6], NULL) : 0);
	} else if (strcmp(mode, "strip") == 0 && argc == 4) {
		strip(recording.profile, argv[3]);
	} else if (strcmp(mode, "scale") == 0 && argc == 5) {
		scale(&recording, argv[3], strtod(argv[4], NULL));
		recount(&recording);
	} else if (strcmp(mode, "count") == 0 && (argc == 5 || argc == 7)) {
		count(&recording, argv[3], argc == 7 ? argv[5] : NULL,
			argc == 7 ? strtod(argv[6], NULL) : 1);
		save(argv[4], &recording);
		recording_release(&recording);
		return 0;
	} else {
		return usage();
	}
	save(argv[2], &recording);
	recording_release(&recording);
	return 0;
}
