/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For bench_notes.sh:
 *
 *   bench_notes stream COMMITS KEPT UNPRUNED BENCHMARKS NODES
 *       A notes ref for git fast-import: summaries of the oldest commits and the full trees of the
 *       KEPT newest ones as one root commit (as prune leaves it), then UNPRUNED pushes of one
 *       commit each. Each commit has two profile types of each benchmark. A benchmark's functions
 *       and tree stay the same, its costs vary by up to 5 %.
 *   bench_notes look FOLDER REMOTE COMMIT
 *       Milliseconds of fetching, of knowing which commits have a note, of reading one's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "baseline/line/line.h"
#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "gate/vcs/notes/notes_ref.h"
#include "tests/unit/baseline/recordings.h"

#define ROUNDS 16
#define SUMMARY_NODES 150 /* enough for the hottest functions, and quickly made */
#define START_NS INT64_C(1735689600000000000)
#define STEP_NS (INT64_C(86400) * 1000000000 / 20)

/* A recording that is varied again and again: making one takes longer than encoding it. */
struct model {
	struct recording recording;
	int64_t *values; /* as they were made, type_count for each sample */
};

struct plan {
	uint64_t commits, kept, unpruned, benchmarks, nodes;
	uint64_t random;
	struct model *models; /* four of each benchmark: full or not, type */
};

static const char *const types[] = {"cpu", "instructions"};

static void make_model(const struct plan *plan, uint64_t index, struct model *model)
{
	/* The recording borrows its name for good. */
	char *name = xmalloc(64);
	struct recordings_options options = {
		.seed = index / 4 + 1,
		.benchmark = name,
		.commit = "",
		.type = types[index % 2],
		.nodes = index % 4 < 2 ? plan->nodes : SUMMARY_NODES,
		.rounds = ROUNDS,
	};
	const struct profile *profile;
	size_t count;

	snprintf(name, 64, "suite/benchmark-%llu", (unsigned long long)index / 4 + 1);
	model->recording = recordings_make(&options);
	profile = model->recording.profile;
	count = profile->type_count;
	model->values = xcalloc(profile->sample_count, count * sizeof(*model->values));
	for (size_t i = 0; i < profile->sample_count; i++)
		memcpy(model->values + i * count, profile->samples[i].values,
			count * sizeof(*model->values));
}

static void make_models(struct plan *plan)
{
	plan->models = xcalloc(plan->benchmarks * 4, sizeof(*plan->models));
	for (uint64_t i = 0; i < plan->benchmarks * 4; i++)
		make_model(plan, i, &plan->models[i]);
}

/* The benchmark by up to 5 %, each stack by up to 2 %. */
static void vary(struct plan *plan, struct model *model)
{
	struct profile *profile = model->recording.profile;
	struct recording_round *rounds = model->recording.rounds;
	double all = 1 + 0.05 * recordings_uniform(&plan->random);
	size_t count = profile->type_count;
	bool sampled = count == 3;

	for (size_t i = 0; i < model->recording.round_count; i++)
		rounds[i].sampled_seconds = 0;
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		int64_t *values = (int64_t *)(uintptr_t)sample->values;
		int64_t round = profile_sample_number(sample, PROFILE_LABEL_ROUND, 0);
		double factor = all * (1 + 0.02 * recordings_uniform(&plan->random));

		for (size_t k = sampled; k < count; k++)
			values[k] = (int64_t)((double)model->values[i * count + k] * factor);
		rounds[round].sampled_seconds += sampled ? (double)values[1] / 1e9 : 0;
	}
	for (size_t i = 0; sampled && i < model->recording.round_count; i++)
		rounds[i].cpu_seconds = rounds[i].sampled_seconds * 1.004;
}

static void add_line(struct plan *plan, uint64_t commit, const char *id, uint64_t benchmark,
	uint64_t type, struct strbuf *out)
{
	bool full = commit + plan->kept + plan->unpruned >= plan->commits;
	struct model *model = &plan->models[4 * benchmark + (full ? 0 : 2) + type];
	struct error err;

	vary(plan, model);
	model->recording.commit = id;
	model->recording.time_ns =
		START_NS + (int64_t)commit * STEP_NS + (int64_t)benchmark * 60000000000;
	if (line_encode(&model->recording, full ? BASELINE_TREE : BASELINE_SUMMARY, out, &err)) {
		fprintf(stderr, "bench_notes: %s\n", err.message);
		exit(3);
	}
}

static void print_commit_head(uint64_t number)
{
	printf("commit refs/notes/flamegate\ncommitter flamegate <flamegate@localhost> %llu "
	       "+0000\ndata 24\n\n\nflamegate-pushes: %3llu\n",
		1767225600ULL + (unsigned long long)number, (unsigned long long)number % 1000);
}

static void stream(struct plan *plan)
{
	struct arena arena = ARENA_INIT;

	make_models(plan);
	print_commit_head(0);
	for (uint64_t commit = 0; commit < plan->commits; commit++) {
		const char *id = recordings_commit(&arena, commit);
		struct strbuf note = STRBUF_INIT;

		if (commit + plan->unpruned >= plan->commits)
			print_commit_head(commit + plan->unpruned - plan->commits + 1);
		for (uint64_t i = 0; i < 2 * plan->benchmarks; i++)
			add_line(plan, commit, id, i / 2, i % 2, &note);
		printf("M 100644 inline %.2s/%s\ndata %zu\n", id, id + 2, note.length);
		fwrite(note.data, 1, note.length, stdout);
		putchar('\n');
		strbuf_release(&note);
	}
	arena_release(&arena);
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int look(struct repo *repo, const char *remote, const char *commit, struct error *err)
{
	struct strbuf note = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	const char *const *commits;
	struct notes_ref *notes;
	double at[5] = {now_ms()};
	size_t count;
	int rc = notes_ref_open(repo, remote, &notes, err);

	if (rc)
		return rc;
	rc = notes_ref_fetch(notes, err);
	at[1] = now_ms();
	if (!rc)
		rc = notes_ref_commits(notes, &arena, &commits, &count, err);
	at[2] = now_ms();
	for (int i = 3; !rc && i < 5; i++) {
		strbuf_reset(&note);
		rc = notes_ref_read(notes, commit, NOTE_MAX_BYTES, &note, err);
		at[i] = now_ms();
	}
	if (!rc)
		printf("   fetch %.1f ms, index of %zu %.1f ms, read a note of %zu bytes %.1f ms, "
		       "again %.1f ms\n",
			at[1] - at[0], count, at[2] - at[1], note.length, at[3] - at[2],
			at[4] - at[3]);
	notes_ref_close(notes);
	strbuf_release(&note);
	arena_release(&arena);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err;
	struct repo *repo;
	int rc;

	process_init();
	if (argc == 7 && strcmp(argv[1], "stream") == 0) {
		struct plan plan = {strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10),
			strtoull(argv[4], NULL, 10), strtoull(argv[5], NULL, 10),
			strtoull(argv[6], NULL, 10), 1, NULL};

		stream(&plan);
		return 0;
	}
	if (argc != 5 || strcmp(argv[1], "look") != 0)
		return 2;
	rc = repo_open(argv[2], &repo, &err);
	if (!rc) {
		rc = look(repo, argv[3], argv[4], &err);
		repo_free(repo);
	}
	if (rc)
		fprintf(stderr, "bench_notes: %s\n", err.message);
	return rc ? error_exit_status(rc) : 0;
}
