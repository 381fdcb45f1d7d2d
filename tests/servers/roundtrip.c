/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roundtrip STORE_URL BENCHMARK TYPE [SAMPLES]: pushes a recording with everything that a profile
 * can hold, pulls it again, and prints what came back and what did not; which of it is as it should
 * be depends on the server, so the shell test decides.
 *
 *   commit ID                          find yes | no          entries N
 *   description | rounds | types       kept | changed
 *   values | names | files | ...       of the stacks, by round: kept | changed
 *   name "BEFORE" -> "AFTER"           of each function whose name changed
 *   comments N -> N                    labels N -> N          but for "round"
 *   sum N                              of the recording's own values
 *   loss SENTENCE                      what the store says of itself
 *
 * SAMPLES adds so many stacks that do not compress, for what is too large for some ways of
 * transport.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/store.h"
#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/base/process/process.h"
#include "tests/servers/roundtrip.h"
#include "tests/unit/baseline/recordings.h"

/* ---- what is pushed ------------------------------------------------------------------------- */

static const int64_t extra_values[3] = {1, 1000000, 1000000};

static void add_extra(struct recording *recording, uint32_t location)
{
	bool is_cpu = strcmp(recording->profile_type, RECORDING_TYPE_CPU) == 0;
	const struct profile_label labels[] = {
		{PROFILE_LABEL_ROUND, NULL, 0, ""}, {"thread", "worker", 0, NULL}};
	const struct profile_sample sample = {&location, 1, extra_values, labels, 2};

	profile_add_sample(recording->profile, &sample);
	if (!is_cpu)
		return;
	recording->rounds[0].samples++;
	recording->rounds[0].complete++;
	recording->rounds[0].sampled_seconds += 0.001;
	recording->rounds[0].cpu_seconds += 0.001;
}

/* Frames inlined into others, names demangled and not, and one that is not UTF-8. */
static void add_oddities(struct recording *recording)
{
	struct profile *profile = recording->profile;
	const struct profile_function functions[] = {
		{"ns::parse(std::string const&)", "_ZN2ns5parseERKSs", "src/parse.cc", 40},
		{"skip_blanks", "", "src/parse.h", 12},
		{"latin\xe9", "latin_symbol", "src/odd.c", 7},
		{"_ZN2ns4scanEi", "_ZN2ns4scanEi", "src/parse.cc", 60}};
	const struct profile_mapping mapping = {"/build/bin/bench", "0123456789abcdef", 0x400000,
		0x600000, 0, true, true, true, true};
	struct profile_line lines[2] = {{profile_add_function(profile, &functions[1]), 14},
		{profile_add_function(profile, &functions[0]), 44}};
	struct profile_line odd[2] = {{profile_add_function(profile, &functions[2]), 8},
		{profile_add_function(profile, &functions[3]), 61}};
	uint32_t mapped = profile_add_mapping(profile, &mapping);

	add_extra(recording, profile_add_location(profile,
				     &(struct profile_location){mapped, 0x2000, lines, 2, false}));
	add_extra(recording, profile_add_location(profile,
				     &(struct profile_location){mapped, 0x3000, odd, 2, false}));
	profile_add_comment(profile, "a comment");
}

static void add_bulk(struct recording *recording, size_t samples)
{
	uint64_t state = 1;
	char name[1025];

	for (size_t i = 0; i < samples; i++) {
		struct profile_function function = {name, "", "src/bulk.c", 1};
		struct profile_line line = {0, 2};

		for (size_t j = 0; j < 1024; j += 16)
			snprintf(name + j, 17, "%016" PRIx64, recordings_random(&state));
		line.function = profile_add_function(recording->profile, &function);
		add_extra(recording, profile_add_location(recording->profile,
					     &(struct profile_location){PROFILE_NO_MAPPING,
						     0x10000 + i, &line, 1, false}));
	}
}

static struct recording make(const char *benchmark, const char *type, size_t samples)
{
	const struct recordings_options options = {
		.seed = hash_bytes(benchmark, strlen(benchmark), 7),
		.benchmark = benchmark,
		.type = type,
		.counted_scale = INT64_C(1) << 50}; /* past what a double holds */
	struct recording recording = recordings_make(&options);

	add_oddities(&recording);
	add_bulk(&recording, samples);
	return recording;
}

/* ---- the store ------------------------------------------------------------------------------ */

static int push(struct store *store, const struct recording *recording, struct error *err)
{
	unsigned attempts = 0;
	int rc = store_put(store, &recording, 1, &attempts, err);

	/* A second time changes nothing: neither a copy nor a doubled value. */
	return rc ? rc : store_put(store, &recording, 1, &attempts, err);
}

static int look(struct store *store, const struct recording *recording, struct error *err)
{
	const char *const commits[] = {
		"00000000000000000000000000000000000000ff", recording->commit};
	struct baseline_list list;
	bool found[2] = {true, false};
	size_t entries = 0;
	int rc = store_find(store, commits, 2, found, err);

	if (!rc)
		rc = store_list(store, recording->commit, true, &list, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < list.count; i++)
		entries += strcmp(list.entries[i].key.benchmark, recording->benchmark) == 0 &&
			   list.entries[i].rounds == recording->round_count &&
			   list.entries[i].time_ns == recording->time_ns;
	printf("commit %s\nfind %s\nentries %zu\n", recording->commit,
		found[1] && !found[0] ? "yes" : "no", entries);
	baseline_list_release(&list);
	return ERR_OK;
}

static int pull(struct store *store, const struct recording *recording, struct error *err)
{
	struct arena arena = ARENA_INIT;
	const struct baseline_key key = {recording->commit, recording->benchmark,
		recording->profile_type, recording_environment(recording, &arena)};
	const struct baseline_key elsewhere = {
		key.commit, key.benchmark, key.profile_type, "0000000000000000"};
	enum baseline_detail detail;
	struct recording back;
	int rc = store_get(store, &key, &back, &detail, err);

	if (!rc) {
		roundtrip_compare(recording, &back);
		recording_release(&back);
		rc = store_get(store, &elsewhere, &back, &detail, NULL);
		printf("elsewhere %s\n", rc == ERR_NOT_FOUND ? "nothing" : "something");
		rc = ERR_OK;
	}
	arena_release(&arena);
	return rc;
}

static void print_lines(struct store *store)
{
	for (const char *const *loss = store_losses(store); *loss; loss++)
		printf("loss %s\n", *loss);
	for (size_t i = 0; i < store_warnings(store)->count; i++)
		printf("warning %s\n", store_warnings(store)->items[i]);
}

int main(int argc, char **argv)
{
	struct store *store = NULL;
	struct recording recording;
	struct error err = {0};
	int rc;

	process_init();
	if (argc < 4)
		return 2;
	recording = make(argv[2], argv[3], argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
	rc = store_open(argv[1], &(struct store_options){0}, &store, &err);
	if (!rc)
		rc = push(store, &recording, &err);
	if (!rc)
		rc = look(store, &recording, &err);
	if (!rc)
		rc = pull(store, &recording, &err);
	if (!rc)
		print_lines(store);
	else
		fprintf(stderr, "%s\n", err.message);
	store_close(store);
	recording_release(&recording);
	return rc ? error_exit_status(rc) : 0;
}
