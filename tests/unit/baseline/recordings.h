/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synthetic recordings, each from a seed: names and files as C programs have them, a call tree
 * grown along a call graph, Zipf-distributed costs, samples of about 1/997 s. Equal options give
 * equal recordings.
 */
#ifndef FG_TESTS_BASELINE_RECORDINGS_H
#define FG_TESTS_BASELINE_RECORDINGS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/bench/recording/recording.h"

struct recordings_options {
	uint64_t seed;
	const char *benchmark, *commit, *branch; /* NULL: "parse", digits of the seed, "main" */
	const char *type;                        /* NULL: "cpu" */
	const char *kernel;    /* part of the environment's id; NULL: "Linux 6.1.0" */
	int64_t time_ns;       /* 0: in 2025, by the seed */
	size_t nodes;          /* of the call tree, 0: 60 */
	size_t functions;      /* 0: a fifth of the nodes */
	size_t rounds;         /* 0: 4 */
	double round_seconds;  /* of CPU time a round, 0: 1 */
	double slowdown;       /* all costs, e.g. 1.1; 0: 1 */
	int64_t counted_scale; /* of a counted type: one sample's value, 0: 1000 */
};

#define RECORDINGS_PERIOD_NS 1003009.0
#define RECORDINGS_MAX_DEPTH 48
#define RECORDINGS_CALLEES 6

static inline uint64_t recordings_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline double recordings_uniform(uint64_t *state)
{
	return (double)(recordings_random(state) >> 11) * 0x1p-53;
}

static inline size_t recordings_below(uint64_t *state, size_t limit)
{
	return (size_t)(recordings_random(state) % limit);
}

/* ---- names ---------------------------------------------------------------------------------- */

static const char *const recordings_modules[] = {"strbuf", "packfile", "refs", "index", "http",
	"attr", "diff", "merge_ort", "object", "revwalk", "config", "odb", "tls", "json", "utf8",
	"regex", "arena", "lexer", "parser", "ast", "codegen", "vm", "gc", "hashmap", "btree",
	"pager", "wal", "vdbe", "expr", "select", "shape", "raster", "glyph", "color", "zip",
	"huffman", "lz", "crc", "sched", "event", "sock", "dns", "timer", "log", "cache", "pool"};
static const char *const recordings_verbs[] = {"init", "read", "write", "parse", "lookup", "insert",
	"remove", "update", "emit", "scan", "next", "find", "alloc", "release", "grow", "compare",
	"copy", "encode", "decode", "flush", "open", "close", "visit", "resolve", "match", "push"};
static const char *const recordings_nouns[] = {"", "_entry", "_node", "_header", "_line", "_token",
	"_buffer", "_string", "_value", "_round", "_tree", "_list", "_key", "_range", "_path",
	"_state", "_slot", "_page", "_record", "_object_id", "_name", "_name_internal", "_1",
	"_unlocked", "_slow_path", "_with_limit", "_recursive", "_utf8"};

#define RECORDINGS_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline struct profile_function recordings_function(
	uint64_t *state, size_t index, char *name, char *file, size_t size)
{
	const char *module =
		recordings_modules[recordings_below(state, RECORDINGS_COUNT(recordings_modules))];
	const char *verb =
		recordings_verbs[recordings_below(state, RECORDINGS_COUNT(recordings_verbs))];
	const char *noun =
		recordings_nouns[recordings_below(state, RECORDINGS_COUNT(recordings_nouns))];

	if (!index)
		snprintf(name, size, "main");
	else if (index % 20 == 7)
		snprintf(name, size, "__%s_%s_avx_unaligned%s", verb, module, noun);
	else
		snprintf(name, size, "%s_%s%s", module, verb, noun);
	snprintf(file, size, "src/%s.c", module);
	if (index % 20 == 7) /* of a library without debug information */
		file[0] = '\0';
	return (struct profile_function){
		name, "", file, file[0] ? (int64_t)(10 + recordings_below(state, 3000)) : 0};
}

/* ---- the tree ------------------------------------------------------------------------------- */

struct recordings_node {
	size_t parent, depth;
	uint32_t function, location;
	bool has_child;
};

struct recordings_tree {
	struct recordings_node *nodes;
	double *cumulative; /* of the nodes' own cost */
	size_t count, functions;
	uint32_t *callees; /* [function * RECORDINGS_CALLEES] */
};

/* A function calls a handful of others, some of which everybody calls. */
static inline void recordings_call_graph(struct recordings_tree *tree, uint64_t *state)
{
	tree->callees = calloc(tree->functions * RECORDINGS_CALLEES, sizeof(*tree->callees));
	for (size_t i = 0; i < tree->functions * RECORDINGS_CALLEES; i++) {
		double u = recordings_uniform(state);

		tree->callees[i] = (uint32_t)((double)tree->functions *
					      (i % RECORDINGS_CALLEES < 2 ? u * u * u : u));
	}
}

static inline bool recordings_has_child(
	const struct recordings_tree *tree, size_t parent, uint32_t function)
{
	for (size_t i = parent + 1; i < tree->count; i++)
		if (tree->nodes[i].parent == parent && tree->nodes[i].function == function)
			return true;
	return false;
}

static inline void recordings_grow(struct recordings_tree *tree, size_t wanted, uint64_t *state)
{
	tree->nodes = calloc(wanted, sizeof(*tree->nodes));
	tree->count = 1;
	for (size_t tries = 0; tree->count < wanted && tries < 50 * wanted; tries++) {
		size_t parent = recordings_below(state, tree->count);
		const struct recordings_node *from = &tree->nodes[parent];
		uint32_t function = tree->callees[from->function * RECORDINGS_CALLEES +
						  recordings_below(state, RECORDINGS_CALLEES)];

		if (from->depth >= RECORDINGS_MAX_DEPTH ||
			recordings_has_child(tree, parent, function))
			continue;
		tree->nodes[tree->count++] =
			(struct recordings_node){parent, from->depth + 1, function, 0, false};
		tree->nodes[parent].has_child = true;
	}
}

/* Zipf: the r-th costliest node has 1/r of the first one's cost; which is which is random. */
static inline void recordings_costs(struct recordings_tree *tree, uint64_t *state)
{
	size_t *rank = calloc(tree->count, sizeof(*rank));
	double sum = 0;

	for (size_t i = 0; i < tree->count; i++) {
		size_t j = recordings_below(state, i + 1);

		rank[i] = rank[j];
		rank[j] = i;
	}
	tree->cumulative = calloc(tree->count, sizeof(*tree->cumulative));
	for (size_t i = 0; i < tree->count; i++)
		tree->cumulative[i] = sum += 1 / (double)(rank[i] + 1);
	for (size_t i = 0; i < tree->count; i++)
		tree->cumulative[i] /= sum;
	free(rank);
}

static inline size_t recordings_draw(const struct recordings_tree *tree, uint64_t *state)
{
	double u = recordings_uniform(state);
	size_t low = 0, high = tree->count - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (tree->cumulative[middle] < u)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline void recordings_locations(
	struct recordings_tree *tree, struct profile *profile, uint64_t *state)
{
	struct profile_mapping modules[2] = {{"/build/bin/bench", "0123456789abcdef", 0x400000,
						     0x600000, 0, true, true, true, true},
		{"/usr/lib/libc.so.6", "fedcba98", 0x7f0000, 0x9f0000, 0, true, false, false,
			false}};
	uint32_t *functions = calloc(tree->functions, sizeof(*functions));
	char name[128], file[128];

	for (size_t i = 0; i < tree->functions; i++) {
		struct profile_function function =
			recordings_function(state, i, name, file, sizeof(name));

		functions[i] = profile_add_function(profile, &function);
	}
	for (size_t i = 0; i < tree->count; i++) {
		uint32_t function = functions[tree->nodes[i].function];
		bool in_libc = !profile->functions[function].file[0];
		int64_t start = profile->functions[function].start_line;
		struct profile_line line = {function, start ? start + (int64_t)(i % 9) : 0};
		struct profile_location location = {profile_add_mapping(profile, &modules[in_libc]),
			0x1000 + 16 * (uint64_t)function + i % 9, &line, 1, false};

		tree->nodes[i].location = profile_add_location(profile, &location);
	}
	free(functions);
}

/* ---- samples -------------------------------------------------------------------------------- */

static inline void recordings_add(const struct recordings_tree *tree, struct profile *profile,
	size_t node, size_t round, const int64_t *values)
{
	uint32_t locations[RECORDINGS_MAX_DEPTH + 1], depth = 0;
	struct profile_label label = {PROFILE_LABEL_ROUND, NULL, (int64_t)round, ""};
	struct profile_sample sample = {locations, 0, values, &label, 1};

	for (size_t at = node;; at = tree->nodes[at].parent) {
		locations[depth++] = tree->nodes[at].location;
		if (!at)
			break;
	}
	sample.depth = depth;
	profile_add_sample(profile, &sample);
}

/* Every leaf has a sample in some round, or it would not be in the tree. */
static inline void recordings_count(const struct recordings_tree *tree, size_t round, size_t rounds,
	size_t samples, int64_t *counts, uint64_t *state)
{
	memset(counts, 0, tree->count * sizeof(*counts));
	for (size_t i = 0; i < tree->count; i++)
		if (!tree->nodes[i].has_child && i % rounds == round) {
			counts[i]++;
			samples -= samples > 0;
		}
	for (; samples; samples--)
		counts[recordings_draw(tree, state)]++;
}

static inline void recordings_round(const struct recordings_options *options,
	const struct recordings_tree *tree, struct recording *recording, size_t index,
	uint64_t *state)
{
	bool is_cpu = strcmp(recording->profile_type, RECORDING_TYPE_CPU) == 0;
	double seconds = options->round_seconds > 0 ? options->round_seconds : 1;
	double slowdown = options->slowdown > 0 ? options->slowdown : 1;
	struct recording_round *round = &recording->rounds[index];
	int64_t *counts = calloc(tree->count, sizeof(*counts));
	int64_t scale = options->counted_scale ? options->counted_scale : 1000;
	double sampled = 0;

	recordings_count(tree, index, recording->round_count,
		(size_t)(seconds * slowdown * 1e9 / RECORDINGS_PERIOD_NS), counts, state);
	*round = (struct recording_round){.iterations = 1, .order = index % 2, .processes = 1};
	for (size_t i = 0; i < tree->count; i++) {
		double weight = RECORDINGS_PERIOD_NS * (0.99 + 0.02 * recordings_uniform(state));
		int64_t cpu = (int64_t)(weight * (double)counts[i]);
		int64_t values[3] = {
			counts[i], cpu, (int64_t)(weight * weight * (double)counts[i] / 1e6)};

		if (!counts[i])
			continue;
		if (!is_cpu)
			values[0] = counts[i] * scale + (int64_t)i;
		recordings_add(tree, recording->profile, i, index, values);
		sampled += (double)cpu / 1e9;
		round->samples += is_cpu ? (uint64_t)counts[i] : 0;
	}
	round->complete = round->samples;
	round->sampled_seconds = is_cpu ? sampled : 0;
	round->cpu_seconds = sampled * 1.004;
	round->wall_seconds = sampled * 1.02;
	free(counts);
}

static inline void recordings_types(struct profile *profile, const char *type)
{
	if (strcmp(type, RECORDING_TYPE_CPU) == 0) {
		profile_add_type(profile, PROFILE_TYPE_SAMPLES, "count");
		profile_add_type(profile, PROFILE_TYPE_CPU, "nanoseconds");
		profile_add_type(profile, PROFILE_TYPE_CPU_SQUARES, "microseconds_squared");
		profile->default_type = 1;
	} else {
		profile_add_type(profile, type, strstr(type, "bytes") ? "bytes" : "count");
	}
}

static inline struct fingerprint recordings_fingerprint(const char *kernel)
{
	return (struct fingerprint){.cpu_model = "Example CPU 3000 (family 6 model 85 stepping 7)",
		.cpu_flags_hash = "00112233445566aa",
		.cpus_online = 2,
		.cpus_allowed = 2,
		.kernel = kernel,
		.machine = "x86_64",
		.libc = "glibc 2.36",
		.os = "Example Linux 12",
		.governor = "",
		.turbo = "",
		.virtualization = "virtual machine, Example, Cloud",
		.perf_event_paranoid = "1",
		.memory_bytes = 8ULL << 30,
		.compiler = "gcc 12.2.0",
		.build_hash = "99aabbccddeeff00"};
}

/* 40 hex digits from a number: a commit that nobody has. */
static inline const char *recordings_commit(struct arena *arena, uint64_t number)
{
	uint64_t state = number;
	uint64_t a = recordings_random(&state), b = recordings_random(&state);

	return arena_printf(arena, "%016llx%016llx%08llx", (unsigned long long)a,
		(unsigned long long)b, (unsigned long long)(number & 0xffffffff));
}

static inline void recordings_head(
	struct recording *recording, const struct recordings_options *options)
{
	*recording = (struct recording){.arena = ARENA_INIT,
		.tool_version = "0.1",
		.command = "./bench parse data/large.json",
		.role = "record",
		.tree = "89abcdef0123456789abcdef0123456789abcdef",
		.branch = options->branch ? options->branch : "main",
		.mechanism = "perf",
		.rate_hz = 997,
		.seed = options->seed,
		.policy = config_policy_default(),
		.round_count = options->rounds ? options->rounds : 4};
	recording->benchmark = options->benchmark ? options->benchmark : "parse";
	recording->profile_type = options->type ? options->type : RECORDING_TYPE_CPU;
	recording->commit = options->commit ? options->commit
					    : recordings_commit(&recording->arena, options->seed);
	recording->time_ns = options->time_ns ? options->time_ns
					      : INT64_C(1735689600000000000) +
							(int64_t)(options->seed % 31536000) *
								INT64_C(1000000000) +
							123456789;
	recording->fingerprint =
		recordings_fingerprint(options->kernel ? options->kernel : "Linux 6.1.0");
	for (size_t i = 0; i < CALIBRATION_COUNT; i++) {
		recording->calibration.ns[i] = 1.25 + (double)i;
		recording->calibration.spread[i] = 0.01;
	}
}

/* recording_release() it. */
static inline struct recording recordings_make(const struct recordings_options *options)
{
	struct recordings_tree tree = {0};
	struct recording recording;
	uint64_t state = options->seed;
	size_t nodes = options->nodes ? options->nodes : 60;

	recordings_head(&recording, options);
	tree.functions = options->functions ? options->functions : nodes / 5 + 2;
	recordings_call_graph(&tree, &state);
	recordings_grow(&tree, nodes, &state);
	recordings_costs(&tree, &state);
	recording.profile = profile_new();
	recordings_types(recording.profile, recording.profile_type);
	recordings_locations(&tree, recording.profile, &state);
	recording.rounds =
		arena_array(&recording.arena, recording.round_count, sizeof(*recording.rounds));
	for (size_t i = 0; i < recording.round_count; i++)
		recordings_round(options, &tree, &recording, i, &state);
	free(tree.nodes);
	free(tree.cumulative);
	free(tree.callees);
	return recording;
}

#endif
