/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions of one version alone were split from another one or merged into it: by who calls
 * them, by the sizes of the machine code, and by whether the cost moved along.
 */
#include "gate/compare/inlining_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BYTES 32 /* below it a function may be about as large as any other's change */
#define LEAST_LIKENESS 0.5
#define LEAST_MOVED 0.5
#define LEAST_DEVIATIONS 2 /* of what the host's samples differ by chance */
#define ROUNDS 8           /* how far a part may be below its host, by other parts */

/* The machine code of a matched function in one version. */
struct body {
	uint32_t bytes;   /* 0 unknown, or of several bodies */
	const char *hash; /* NULL unknown */
	bool differs;
};

/* One version's functions that the other does not have, and whose parts they may be. */
struct splitter {
	struct inlining_finder *finder;
	int version;
	struct body *bodies[COMPARE_VERSIONS]; /* [matched function] */
	/* [matched function]: samples as a callee in this version, or in the other one */
	double *called, *inlined, *elsewhere;
	/* [matched function]: itself, the host that it may be a part of, or COMPARE_NONE */
	uint32_t *host;
	bool *was_called; /* [matched function]: by that host, in the other version too */
	bool *is_mixed;   /* [matched function]: a host that has such in both versions */
	bool *same_code;  /* [matched function]: its own, or that of all that it is inlined into */
};

/* ---- sizes ----------------------------------------------------------------------------------- */

static struct body *find_bodies(const struct inlining_finder *finder, int version)
{
	const struct code_of_version *code = &finder->code[version];
	struct body *bodies = xcalloc(finder->matches->count, sizeof(*bodies));

	for (size_t i = 0; i < code->profile->function_count; i++) {
		struct body *body = &bodies[finder->matches->of[version][i]];
		const char *hash = code->hash[i];

		if (!hash || !hash[0])
			continue;
		body->differs = body->differs || (body->hash && strcmp(body->hash, hash) != 0);
		body->hash = hash;
		body->bytes = code->bytes ? code->bytes[i] : 0;
	}
	for (size_t f = 0; f < finder->matches->count; f++)
		if (bodies[f].differs)
			bodies[f] = (struct body){.differs = true};
	return bodies;
}

/* ---- whose part ------------------------------------------------------------------------------ */

/* But for stray samples: a copy of what was inlined may be left. */
static bool is_one_sided(const struct splitter *splitter, uint32_t function)
{
	return splitter->elsewhere[function] <= INLINING_STRAY * splitter->called[function];
}

static bool is_in_both(const struct splitter *splitter, uint32_t function)
{
	return !is_one_sided(splitter, function) &&
	       splitter->called[function] > INLINING_STRAY * splitter->elsewhere[function];
}

static void count_calls(struct splitter *splitter)
{
	const struct inlining_finder *finder = splitter->finder;

	for (size_t i = 0; i < finder->call_count; i++) {
		const struct inlining_call *call = &finder->calls[i];

		splitter->called[call->callee] += inlining_call_samples(call, splitter->version);
		splitter->elsewhere[call->callee] +=
			inlining_call_samples(call, 1 - splitter->version);
		splitter->inlined[call->callee] += call->samples[splitter->version][WAY_INLINED];
	}
}

static bool may_share_a_file(const struct splitter *splitter, uint32_t host, uint32_t part)
{
	const struct matched_function *functions = splitter->finder->matches->functions;
	const char *a = functions[host].file[splitter->version];
	const char *b = functions[part].file[splitter->version];

	return !a[0] || !b[0] || strcmp(a, b) == 0;
}

/* More than in the other version; 0: not known, or not more. */
static uint32_t new_bytes(const struct splitter *splitter, uint32_t part)
{
	const struct body *body = &splitter->bodies[splitter->version][part];
	const struct body *other = &splitter->bodies[1 - splitter->version][part];

	if (!other->hash && !other->differs)
		return body->bytes;
	return other->bytes && body->bytes > other->bytes ? body->bytes - other->bytes : 0;
}

/* By the caller in the other version, as a function of its own. */
static double called_before(const struct splitter *splitter, const struct inlining_call *call)
{
	const double *samples = call->samples[1 - splitter->version];

	return samples[WAY_OWN] + samples[WAY_UNTOLD];
}

/* What was a function for its caller was no part of that one's code: but for stray samples, if
 * there was no code of it, or less. */
static bool was_a_function(const struct splitter *splitter, const struct inlining_call *call)
{
	double before = called_before(splitter, call);

	return before > INLINING_STRAY * inlining_call_samples(call, splitter->version) ||
	       (before > 0 && new_bytes(splitter, call->callee) < LEAST_BYTES);
}

/* Samples of each callee by the host that its callers stand for. */
struct by_host {
	uint32_t part, host;
	double samples, before;
};

static int compare_by_host(const void *left, const void *right)
{
	const struct by_host *a = left, *b = right;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return a->host < b->host ? -1 : a->host > b->host;
}

static size_t group_calls(const struct splitter *splitter, struct by_host *out)
{
	const struct inlining_finder *finder = splitter->finder;
	size_t count = 0;

	for (size_t i = 0; i < finder->call_count; i++) {
		const struct inlining_call *call = &finder->calls[i];
		double samples = inlining_call_samples(call, splitter->version);

		if (samples > 0 && is_one_sided(splitter, call->callee) &&
			!was_a_function(splitter, call) &&
			inlining_has_name(finder, call->caller) &&
			splitter->host[call->caller] != COMPARE_NONE)
			out[count++] = (struct by_host){call->callee, splitter->host[call->caller],
				samples, called_before(splitter, call)};
	}
	if (count)
		qsort(out, count, sizeof(*out), compare_by_host);
	return count;
}

static bool may_be_part(
	const struct splitter *splitter, uint32_t host, uint32_t part, double samples)
{
	double called = splitter->called[part];

	return called >= splitter->finder->least[splitter->version] &&
	       samples >= (1 - INLINING_STRAY) * called &&
	       inlining_has_name(splitter->finder, part) && may_share_a_file(splitter, host, part);
}

/* True: a part was found, which may be what leads to others. */
static bool attach_round(struct splitter *splitter, struct by_host *calls)
{
	size_t count = group_calls(splitter, calls);
	bool found = false;

	for (size_t i = 0, end; i < count; i = end) {
		double samples = 0, before = 0;

		for (end = i; end < count && compare_by_host(&calls[i], &calls[end]) == 0; end++) {
			samples += calls[end].samples;
			before += calls[end].before;
		}
		if (splitter->host[calls[i].part] != COMPARE_NONE ||
			!may_be_part(splitter, calls[i].host, calls[i].part, samples))
			continue;
		splitter->host[calls[i].part] = calls[i].host;
		splitter->was_called[calls[i].part] = before > 0;
		found = true;
	}
	return found;
}

static void attach_all(struct splitter *splitter)
{
	size_t count = splitter->finder->matches->count;
	struct by_host *calls = xcalloc(splitter->finder->call_count, sizeof(*calls));

	for (uint32_t f = 0; f < count; f++)
		splitter->host[f] = is_in_both(splitter, f) ? f : COMPARE_NONE;
	for (int round = 0; round < ROUNDS && attach_round(splitter, calls); round++)
		;
	free(calls);
}

/* ---- does the machine code say so? ----------------------------------------------------------- */

/* All that one host may have for parts. */
struct group {
	uint32_t host;
	double bytes; /* of those that have code of their own */
	double self;  /* own samples of all */
	size_t own, inlined;
	bool is_unknown;      /* one has some, and it is not known how much */
	struct inlining like; /* without similarity: they are none */
};

static bool is_inlined(const struct splitter *splitter, uint32_t part)
{
	return splitter->inlined[part] >= (1 - INLINING_STRAY) * splitter->called[part];
}

static void add_part(const struct splitter *splitter, struct group *group, uint32_t part)
{
	uint32_t bytes = splitter->was_called[part]
				 ? new_bytes(splitter, part)
				 : splitter->bodies[splitter->version][part].bytes;

	group->self += splitter->finder->self[splitter->version][part];
	if (is_inlined(splitter, part)) {
		group->inlined++;
		return;
	}
	group->own++;
	group->bytes += bytes;
	group->is_unknown = group->is_unknown || bytes < LEAST_BYTES;
}

/* Of what the host has more without its parts and what they have together; 0: no match. */
static double likeness_of_sizes(const struct splitter *splitter, const struct group *group)
{
	double with = splitter->bodies[splitter->version][group->host].bytes;
	double without = splitter->bodies[1 - splitter->version][group->host].bytes;
	double growth = without - with, likeness;

	if (group->is_unknown || !(with > 0))
		return 0;
	likeness = fmin(growth, group->bytes) / fmax(growth, group->bytes);
	return likeness >= LEAST_LIKENESS ? likeness : 0;
}

/* Standard deviation of the difference of two counts; rows are not counted by chance. */
static double chance_of(const struct splitter *splitter, uint32_t host)
{
	const struct inlining_finder *finder = splitter->finder;

	if (!finder->is_counted)
		return 0;
	return sqrt(finder->self[COMPARE_BASE][host] + finder->self[COMPARE_HEAD][host]);
}

/* What the parts cost the host has less of: else they are new work, or work that was little. */
static bool has_moved(const struct splitter *splitter, const struct group *group)
{
	double *const *self = splitter->finder->self;
	double less =
		self[1 - splitter->version][group->host] - self[splitter->version][group->host];

	return less >= LEAST_MOVED * group->self &&
	       less >= LEAST_DEVIATIONS * chance_of(splitter, group->host);
}

/* What all inlinings of the group have in common. */
static struct inlining judge_group(const struct splitter *splitter, const struct group *group)
{
	static const char *const reasons[COMPARE_VERSIONS] = {
		"gone; nothing else called it, and that code grew by as much",
		"new; nothing else calls it, and that code shrank by as much",
	};
	struct inlining like = {.host = group->host,
		.kind = splitter->version == COMPARE_HEAD ? INLINING_SPLIT : INLINING_MERGED};

	if (group->own) {
		like.reason = reasons[splitter->version];
		like.similarity =
			has_moved(splitter, group) ? likeness_of_sizes(splitter, group) : 0;
	} else if (splitter->same_code[group->host]) {
		like.reason = "inlined there, and the machine code is the same";
		like.similarity = 1;
		like.is_chance = true;
	}
	return like;
}

static bool is_group(const struct splitter *splitter, const struct group *group)
{
	return (group->own || group->inlined) && !splitter->is_mixed[group->host];
}

static void judge_groups(const struct splitter *splitter)
{
	size_t count = splitter->finder->matches->count;
	struct group *groups = xcalloc(count, sizeof(*groups));

	for (uint32_t f = 0; f < count; f++) {
		uint32_t host = splitter->host[f];

		if (host == COMPARE_NONE || host == f)
			continue;
		groups[host].host = host;
		add_part(splitter, &groups[host], f);
	}
	for (uint32_t f = 0; f < count; f++)
		if (is_group(splitter, &groups[f]))
			groups[f].like = judge_group(splitter, &groups[f]);
	for (uint32_t f = 0; f < count; f++) {
		uint32_t host = splitter->host[f];
		struct inlining inlining;

		if (host == COMPARE_NONE || host == f || !(groups[host].like.similarity > 0))
			continue;
		inlining = groups[host].like;
		inlining.part = f;
		inlining.samples = splitter->called[f];
		inlining_add(splitter->finder, &inlining);
	}
	free(groups);
}

/* ---- whose code is the same ------------------------------------------------------------------ */

static bool is_known_in(struct body *const bodies[COMPARE_VERSIONS], uint32_t function)
{
	return bodies[COMPARE_BASE][function].hash || bodies[COMPARE_HEAD][function].hash;
}

static bool is_always_inlined(const struct inlining_call *call)
{
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		if (call->samples[version][WAY_OWN] + call->samples[version][WAY_UNTOLD] > 0)
			return false;
	return true;
}

/* What has no code of its own, as all callers that have samples of
 * it have it inlined: one step up. */
static void follow_hosts(const struct inlining_finder *finder,
	struct body *const bodies[COMPARE_VERSIONS], bool *same)
{
	size_t count = finder->matches->count;
	bool *met = xcalloc(count, sizeof(*met)), *other = xcalloc(count, sizeof(*other));

	for (size_t i = 0; i < finder->call_count; i++) {
		const struct inlining_call *call = &finder->calls[i];

		met[call->callee] = true;
		other[call->callee] |= call->caller == COMPARE_NONE || !is_always_inlined(call) ||
				       !same[call->caller];
	}
	for (uint32_t f = 0; f < count; f++)
		same[f] |= met[f] && !other[f] && !is_known_in(bodies, f);
	free(met);
	free(other);
}

static bool *find_unchanged(
	const struct inlining_finder *finder, struct body *const bodies[COMPARE_VERSIONS])
{
	size_t count = finder->matches->count;
	bool *same = xcalloc(count, sizeof(*same));

	for (uint32_t f = 0; f < count; f++) {
		const char *base = bodies[COMPARE_BASE][f].hash;
		const char *head = bodies[COMPARE_HEAD][f].hash;

		same[f] = base && head && strcmp(base, head) == 0;
	}
	for (int round = 0; round < ROUNDS; round++)
		follow_hosts(finder, bodies, same);
	return same;
}

/* ---- both versions --------------------------------------------------------------------------- */

static void splitter_init(struct splitter *splitter, struct inlining_finder *finder, int version,
	struct body *const bodies[COMPARE_VERSIONS])
{
	size_t count = finder->matches->count;

	*splitter = (struct splitter){.finder = finder,
		.version = version,
		.bodies = {bodies[COMPARE_BASE], bodies[COMPARE_HEAD]},
		.called = xcalloc(count, sizeof(double)),
		.inlined = xcalloc(count, sizeof(double)),
		.elsewhere = xcalloc(count, sizeof(double)),
		.host = xcalloc(count, sizeof(uint32_t)),
		.was_called = xcalloc(count, sizeof(bool))};
	count_calls(splitter);
	attach_all(splitter);
}

static void splitter_release(struct splitter *splitter)
{
	free(splitter->called);
	free(splitter->inlined);
	free(splitter->elsewhere);
	free(splitter->host);
	free(splitter->was_called);
}

static bool *find_mixed(const struct splitter splitters[COMPARE_VERSIONS], size_t count)
{
	bool *mixed = xcalloc(count, sizeof(*mixed)), *has[COMPARE_VERSIONS];

	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		has[version] = xcalloc(count, sizeof(bool));
		for (uint32_t f = 0; f < count; f++)
			if (splitters[version].host[f] != COMPARE_NONE &&
				splitters[version].host[f] != f)
				has[version][splitters[version].host[f]] = true;
	}
	for (size_t f = 0; f < count; f++)
		mixed[f] = has[COMPARE_BASE][f] && has[COMPARE_HEAD][f];
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		free(has[version]);
	return mixed;
}

void inlining_find_split(struct inlining_finder *finder)
{
	struct splitter splitters[COMPARE_VERSIONS];
	struct body *bodies[COMPARE_VERSIONS];
	bool *mixed, *same;

	for (int version = 0; version < COMPARE_VERSIONS; version++)
		bodies[version] = find_bodies(finder, version);
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		splitter_init(&splitters[version], finder, version, bodies);
	mixed = find_mixed(splitters, finder->matches->count);
	same = find_unchanged(finder, bodies);
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		splitters[version].is_mixed = mixed;
		splitters[version].same_code = same;
		judge_groups(&splitters[version]);
	}
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		splitter_release(&splitters[version]);
		free(bodies[version]);
	}
	free(mixed);
	free(same);
}
