/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/prune.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/result.h"
#include "report/words/words.h"

/* ---- the indices that must hold -------------------------------------------------------------- */

static bool node_is_valid(const struct result_benchmark *benchmark, uint32_t node)
{
	const struct result_node *one = &benchmark->nodes[node];

	if (!node)
		return one->parent == 0;
	return one->parent < node &&
	       (one->function == RESULT_NONE || one->function < benchmark->function_count);
}

static bool culprit_is_valid(
	const struct result_benchmark *benchmark, const struct result_culprit *culprit)
{
	for (size_t i = 0; i < culprit->path_length; i++) {
		if (culprit->path[i] >= benchmark->function_count)
			return false;
	}
	return culprit->node < benchmark->node_count &&
	       culprit->function < benchmark->function_count &&
	       (culprit->caller == RESULT_NONE || culprit->caller < benchmark->function_count) &&
	       (!link_has_function(culprit->link) || culprit->linked < benchmark->function_count) &&
	       (culprit->claim == RESULT_NONE || culprit->claim < benchmark->claim_count) &&
	       (!culprit->source || culprit->source->function < benchmark->function_count);
}

static bool claim_is_valid(
	const struct result_benchmark *benchmark, const struct result_claim *claim)
{
	for (size_t i = 0; i < claim->other_count; i++) {
		if (claim->others[i] >= benchmark->function_count)
			return false;
	}
	return claim->subject < benchmark->function_count &&
	       claim->other_count <= RESULT_MAX_OTHERS;
}

static bool consequence_is_valid(
	const struct result_benchmark *benchmark, const struct result_consequence *consequence)
{
	uint32_t caller = consequence->caller, cause = consequence->cause;

	return consequence->function < benchmark->function_count &&
	       (caller == RESULT_NONE || caller < benchmark->function_count) &&
	       (cause == RESULT_NONE || cause < benchmark->culprit_count);
}

static bool shift_is_valid(
	const struct result_benchmark *benchmark, const struct result_shift *shift)
{
	return shift->to < benchmark->function_count &&
	       (shift->from == RESULT_NONE || shift->from < benchmark->function_count);
}

static int check_indices(const struct result_benchmark *in, struct error *err)
{
	for (uint32_t i = 0; i < in->node_count; i++) {
		if (!node_is_valid(in, i))
			return error_set(
				err, ERR_CORRUPT, "result: call-tree node %u is misplaced", i);
	}
	for (size_t i = 0; i < in->culprit_count; i++) {
		if (!culprit_is_valid(in, &in->culprits[i]))
			return error_set(err, ERR_CORRUPT, "result: culprit %zu is unknown", i);
	}
	for (size_t i = 0; i < in->claim_count; i++) {
		if (!claim_is_valid(in, &in->claims[i]))
			return error_set(err, ERR_CORRUPT, "result: claim %zu is unknown", i);
	}
	for (size_t i = 0; i < in->consequence_count; i++) {
		if (!consequence_is_valid(in, &in->consequences[i]))
			return error_set(err, ERR_CORRUPT, "result: consequence %zu is unknown", i);
	}
	for (size_t i = 0; i < in->shift_count; i++) {
		if (!shift_is_valid(in, &in->shifts[i]))
			return error_set(err, ERR_CORRUPT, "result: shift %zu is unknown", i);
	}
	for (size_t i = 0; i < in->improvement_count; i++) {
		if (in->improvements[i] >= in->function_count)
			return error_set(err, ERR_CORRUPT, "result: improvement %zu is unknown", i);
	}
	return ERR_OK;
}

/* ---- which nodes stay ------------------------------------------------------------------------ */

struct weighed {
	double weight;
	uint32_t node;
};

struct cut {
	const struct result_benchmark *in;
	struct weighed *order; /* heaviest first */
	bool *needed;          /* notable, culprits, and what leads there */
	bool *kept;
	bool *has_other; /* a kept node with dropped children */
};

static int compare_weighed(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->weight < y->weight || x->weight > y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void keep_with_ancestors(const struct cut *cut, bool *set, uint32_t node)
{
	while (!set[node]) {
		set[node] = true;
		node = cut->in->nodes[node].parent;
	}
}

static void find_needed(struct cut *cut)
{
	const struct result_benchmark *in = cut->in;

	keep_with_ancestors(cut, cut->needed, 0);
	for (uint32_t i = 0; i < in->node_count; i++) {
		if (state_is_notable(in->nodes[i].state) ||
			state_is_notable(in->nodes[i].self_state))
			keep_with_ancestors(cut, cut->needed, i);
	}
	for (size_t i = 0; i < in->culprit_count; i++)
		keep_with_ancestors(cut, cut->needed, in->culprits[i].node);
}

static void weigh(struct cut *cut)
{
	for (uint32_t i = 0; i < cut->in->node_count; i++) {
		const struct result_node *node = &cut->in->nodes[i];

		cut->order[i] =
			(struct weighed){fmax(fabs(node->total[0]), fabs(node->total[1])), i};
	}
	qsort(cut->order, cut->in->node_count, sizeof(*cut->order), compare_weighed);
}

/* Keeps the needed and the `heaviest` first nodes; returns how many nodes that makes, "(other)"
 * too. */
static size_t try_cut(struct cut *cut, size_t heaviest)
{
	size_t count = 0, nodes = cut->in->node_count;

	memcpy(cut->kept, cut->needed, nodes * sizeof(*cut->kept));
	memset(cut->has_other, 0, nodes * sizeof(*cut->has_other));
	for (size_t i = 0; i < heaviest; i++)
		keep_with_ancestors(cut, cut->kept, cut->order[i].node);
	for (size_t i = 0; i < nodes; i++) {
		uint32_t parent = cut->in->nodes[i].parent;

		count += cut->kept[i];
		if (!cut->kept[i] && cut->kept[parent] && !cut->has_other[parent]) {
			cut->has_other[parent] = true;
			count++;
		}
	}
	return count;
}

/* More nodes never make fewer: one more may only take the place of its parent's "(other)". */
static size_t find_cut(struct cut *cut, size_t max_nodes)
{
	size_t low = 0, high = cut->in->node_count;

	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (try_cut(cut, middle) <= max_nodes)
			low = middle;
		else
			high = middle - 1;
	}
	return try_cut(cut, low);
}

/* ---- the smaller tree ------------------------------------------------------------------------ */

/* Where a node went: dropped ones to the "(other)" of their nearest kept ancestor. */
struct folding {
	const struct cut *cut;
	struct result_node *nodes;
	uint32_t *place, *other; /* place: for all */
	size_t count;
};

static void add_to_other(struct folding *folding, uint32_t parent, const struct result_node *node)
{
	struct result_node *other;

	if (folding->other[parent] == RESULT_NONE) {
		folding->other[parent] = (uint32_t)folding->count;
		folding->nodes[folding->count++] = (struct result_node){
			.parent = folding->place[parent], .function = RESULT_NONE};
	}
	other = &folding->nodes[folding->other[parent]];
	for (int version = 0; version < 2; version++) {
		other->self[version] += node->total[version];
		other->total[version] += node->total[version];
	}
	other->self_change += node->total_change;
	other->total_change += node->total_change;
}

static void fold_tree(struct folding *folding)
{
	const struct result_benchmark *in = folding->cut->in;

	for (uint32_t i = 0; i < in->node_count; i++) {
		uint32_t parent = in->nodes[i].parent;

		folding->other[i] = RESULT_NONE;
		folding->place[i] = RESULT_NONE;
		if (folding->cut->kept[i]) {
			folding->place[i] = (uint32_t)folding->count;
			folding->nodes[folding->count] = in->nodes[i];
			folding->nodes[folding->count++].parent = i ? folding->place[parent] : 0;
		} else if (folding->cut->kept[parent]) {
			/* Its total holds everything below it. */
			add_to_other(folding, parent, &in->nodes[i]);
			folding->place[i] = folding->other[parent];
		} else {
			folding->place[i] = folding->place[parent];
		}
	}
}

static void move_culprits(struct result_benchmark *out, const uint32_t *place, struct arena *arena)
{
	struct result_culprit *culprits = arena_array(arena, out->culprit_count, sizeof(*culprits));

	for (size_t i = 0; i < out->culprit_count; i++) {
		culprits[i] = out->culprits[i];
		culprits[i].node = place[culprits[i].node];
	}
	out->culprits = culprits;
}

void prune_say(struct result_benchmark *out, struct arena *arena, const char *line)
{
	const char **lines = arena_array(arena, out->excluded_count + 1, sizeof(*lines));

	if (out->excluded_count)
		memcpy(lines, out->excluded, out->excluded_count * sizeof(*lines));
	lines[out->excluded_count++] = line;
	out->excluded = lines;
}

static void move_labels(struct result_benchmark *out, const uint32_t *place, struct arena *arena)
{
	struct result_label *labels = arena_array(arena, out->label_count, sizeof(*labels));

	for (size_t i = 0; i < out->label_count; i++) {
		size_t count = out->labels[i].cost_count;
		struct result_label_cost *costs = arena_array(arena, count, sizeof(*costs));

		labels[i] = out->labels[i];
		for (size_t k = 0; k < count; k++) {
			costs[k] = labels[i].costs[k];
			costs[k].node = place[costs[k].node];
		}
		labels[i].costs = costs;
		labels[i].cost_count = label_costs_merge(costs, count);
	}
	out->labels = labels;
}

static void prune_nodes(struct result_benchmark *out, size_t max_nodes, struct arena *arena)
{
	const struct result_benchmark in = *out;
	struct cut cut = {.in = &in};
	struct folding folding = {.cut = &cut};
	size_t count;

	cut.order = xcalloc(in.node_count, sizeof(*cut.order));
	cut.needed = xcalloc(in.node_count, sizeof(*cut.needed));
	cut.kept = xcalloc(in.node_count, sizeof(*cut.kept));
	cut.has_other = xcalloc(in.node_count, sizeof(*cut.has_other));
	folding.place = xcalloc(in.node_count, sizeof(*folding.place));
	folding.other = xcalloc(in.node_count, sizeof(*folding.other));
	find_needed(&cut);
	weigh(&cut);
	count = find_cut(&cut, max_nodes);
	/* No gain if all but what is folded already must stay: leave it,
	 * so that writing is stable. */
	if (count < in.node_count) {
		folding.nodes = arena_array(arena, count, sizeof(*folding.nodes));
		fold_tree(&folding);
		out->nodes = folding.nodes;
		out->node_count = folding.count;
		move_culprits(out, folding.place, arena);
		move_labels(out, folding.place, arena);
		prune_say(out, arena,
			arena_printf(arena,
				"%zu of %zu call-tree nodes are shown; "
				"the smallest are folded into \"(other)\"",
				out->node_count, in.node_count));
	}
	free(cut.order);
	free(cut.needed);
	free(cut.kept);
	free(cut.has_other);
	free(folding.place);
	free(folding.other);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Calls visit with every function index that the benchmark holds; each can be changed in place. */
static void visit_indices(struct result_benchmark *out, struct result_node *nodes,
	struct result_culprit *culprits, struct result_consequence *consequences,
	struct result_claim *claims, struct result_shift *shifts, uint32_t *improvements,
	void (*visit)(uint32_t *index, uint32_t *table), uint32_t *table)
{
	for (size_t i = 0; i < out->node_count; i++)
		visit(&nodes[i].function, table);
	for (size_t i = 0; i < out->culprit_count; i++) {
		visit(&culprits[i].function, table);
		visit(&culprits[i].caller, table);
		if (link_has_function(culprits[i].link))
			visit(&culprits[i].linked, table);
		for (size_t j = 0; j < culprits[i].path_length; j++)
			visit((uint32_t *)&culprits[i].path[j], table);
		if (culprits[i].source)
			visit((uint32_t *)&culprits[i].source->function, table);
	}
	for (size_t i = 0; i < out->claim_count; i++) {
		visit(&claims[i].subject, table);
		for (size_t j = 0; j < claims[i].other_count; j++)
			visit((uint32_t *)&claims[i].others[j], table);
	}
	for (size_t i = 0; i < out->consequence_count; i++) {
		visit(&consequences[i].function, table);
		visit(&consequences[i].caller, table);
	}
	for (size_t i = 0; i < out->shift_count; i++) {
		visit(&shifts[i].to, table);
		visit(&shifts[i].from, table);
	}
	for (size_t i = 0; i < out->improvement_count; i++)
		visit(&improvements[i], table);
}

static void mark_used(uint32_t *index, uint32_t *table)
{
	if (*index != RESULT_NONE)
		table[*index] = 1;
}

static void renumber(uint32_t *index, uint32_t *table)
{
	if (*index != RESULT_NONE)
		*index = table[*index];
}

static void *copy_array(struct arena *arena, const void *items, size_t count, size_t size)
{
	void *copy = arena_array(arena, count, size);

	if (count)
		memcpy(copy, items, count * size);
	return copy;
}

static struct result_culprit *copy_culprits(struct arena *arena, const struct result_benchmark *out)
{
	struct result_culprit *culprits =
		copy_array(arena, out->culprits, out->culprit_count, sizeof(*culprits));

	for (size_t i = 0; i < out->culprit_count; i++) {
		culprits[i].path = copy_array(
			arena, culprits[i].path, culprits[i].path_length, sizeof(uint32_t));
		if (culprits[i].source)
			culprits[i].source = copy_array(
				arena, culprits[i].source, 1, sizeof(*culprits[i].source));
	}
	return culprits;
}

static struct result_claim *copy_claims(struct arena *arena, const struct result_benchmark *out)
{
	struct result_claim *claims =
		copy_array(arena, out->claims, out->claim_count, sizeof(*claims));

	for (size_t i = 0; i < out->claim_count; i++)
		claims[i].others = copy_array(
			arena, claims[i].others, claims[i].other_count, sizeof(uint32_t));
	return claims;
}

/* Turns the marks in table into new numbers and returns the functions that stay. */
static struct result_function *select_functions(
	struct arena *arena, const struct result_benchmark *out, uint32_t *table, size_t *count)
{
	struct result_function *functions =
		arena_array(arena, out->function_count, sizeof(*functions));

	*count = 0;
	for (size_t i = 0; i < out->function_count; i++) {
		if (!table[i] && !state_is_notable(out->functions[i].self.state))
			continue;
		table[i] = (uint32_t)*count;
		functions[(*count)++] = out->functions[i];
	}
	return functions;
}

static void prune_functions(struct result_benchmark *out, struct arena *arena)
{
	size_t before = out->function_count, count;
	struct result_function *functions;
	uint32_t *table = xcalloc(before, sizeof(*table));
	struct result_node *nodes = copy_array(arena, out->nodes, out->node_count, sizeof(*nodes));
	struct result_culprit *culprits = copy_culprits(arena, out);
	struct result_claim *claims = copy_claims(arena, out);
	struct result_consequence *consequences =
		copy_array(arena, out->consequences, out->consequence_count, sizeof(*consequences));
	struct result_shift *shifts =
		copy_array(arena, out->shifts, out->shift_count, sizeof(*shifts));
	uint32_t *improvements =
		copy_array(arena, out->improvements, out->improvement_count, sizeof(*improvements));

	visit_indices(
		out, nodes, culprits, consequences, claims, shifts, improvements, mark_used, table);
	functions = select_functions(arena, out, table, &count);
	if (count < before) {
		visit_indices(out, nodes, culprits, consequences, claims, shifts, improvements,
			renumber, table);
		out->functions = functions;
		out->function_count = count;
		out->nodes = nodes;
		out->culprits = culprits;
		out->claims = claims;
		out->consequences = consequences;
		out->shifts = shifts;
		out->improvements = improvements;
		prune_say(out, arena,
			arena_printf(arena,
				"%zu of %zu functions are listed; the others are in "
				"no call path that is shown",
				count, before));
	}
	free(table);
}

/* ---- findings of stored baselines ------------------------------------------------------------ */

static void prune_findings(struct result_benchmark *out, struct arena *arena)
{
	struct result_reference *references =
		copy_array(arena, out->references, out->reference_count, sizeof(*references));

	for (size_t i = 0; i < out->reference_count; i++) {
		if (references[i].finding_count <= PRUNE_MAX_FINDINGS)
			continue;
		prune_say(out, arena,
			arena_printf(arena,
				"%u of %zu functions that grew against a stored baseline are listed",
				PRUNE_MAX_FINDINGS, references[i].finding_count));
		references[i].finding_count = PRUNE_MAX_FINDINGS;
	}
	out->references = references;
}

int prune_benchmark(const struct result_benchmark *in, size_t max_nodes, size_t max_functions,
	struct arena *arena, struct result_benchmark *out, struct error *err)
{
	int code = check_indices(in, err);

	if (code)
		return code;
	*out = *in;
	if (in->node_count > max_nodes)
		prune_nodes(out, max_nodes, arena);
	if (in->function_count > max_functions)
		prune_functions(out, arena);
	prune_findings(out, arena);
	return ERR_OK;
}
