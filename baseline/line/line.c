/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/line/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/line/line_head.h"
#include "baseline/line/line_payload.h"
#include "baseline/line/line_summary.h"
#include "baseline/line/line_tree.h"
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/recording/recording.h"
#include "gate/net/json.h"

static bool is_counted(const struct recording *recording)
{
	return strcmp(recording->profile_type, RECORDING_TYPE_CPU) != 0;
}

/* ---- encoding ------------------------------------------------------------------------------- */

static struct line_totals sum_totals(const struct line_tree *tree)
{
	struct line_totals totals = {tree->round_count, tree->quantum, tree->unit, {0, 0}, {0, 0}};
	double *cost = xcalloc(tree->round_count, sizeof(*cost));
	double *cpu = xcalloc(tree->round_count, sizeof(*cpu));

	for (size_t i = 0; i < tree->cell_count; i++)
		cost[tree->cells[i].round] += (double)tree->cells[i].quanta * (double)tree->quantum;
	for (size_t i = 0; i < tree->round_count; i++)
		cpu[i] = tree->rounds[i].cpu_seconds;
	totals.cost = line_spread_of(cost, tree->round_count);
	totals.cpu = line_spread_of(cpu, tree->round_count);
	free(cost);
	free(cpu);
	return totals;
}

static int deflate_payload(
	const struct line_tree *tree, bool counted, struct strbuf *out, struct error *err)
{
	struct strbuf payload = STRBUF_INIT;
	int rc;

	line_payload_encode(tree, counted, &payload);
	rc = gzip_compress(payload.data, payload.length, out, err);
	strbuf_release(&payload);
	return rc;
}

static int write_tree(const struct line_tree *tree, const struct recording *recording,
	struct strbuf *out, struct error *err)
{
	struct line_totals totals = sum_totals(tree);
	struct strbuf deflated = STRBUF_INIT;
	struct json_writer writer;
	char hash[65];
	int rc = deflate_payload(tree, is_counted(recording), &deflated, err);

	if (!rc) {
		sha256_hex(deflated.data, deflated.length, hash);
		json_writer_init(&writer, out, 0);
		line_head_write(&writer, recording, BASELINE_TREE, &totals);
		json_member_string(&writer, "sha256", hash);
		json_object_end(&writer);
		strbuf_addch(out, ' ');
		base64_encode(deflated.data, deflated.length, out);
		strbuf_addch(out, '\n');
	}
	strbuf_release(&deflated);
	return rc;
}

/* The tree as far as `threshold` leaves it, as a line; ERR_LIMIT if that is still too much. */
static int write_cut(const struct line_tree *tree, const struct recording *recording,
	int64_t threshold, struct strbuf *out, struct error *err)
{
	struct recording said = *recording;
	struct line_tree cut;
	size_t left_out, before = out->length;
	struct arena arena = ARENA_INIT;
	int rc;

	line_tree_cut(tree, threshold, &cut, &left_out);
	said.warning_count += left_out > 0;
	said.warnings = arena_array(&arena, said.warning_count, sizeof(*said.warnings));
	if (left_out)
		said.warnings[0] = arena_printf(&arena,
			"%zu call-tree nodes of less than %lld %s each became \"" LINE_OTHER
			"\" in the stored baseline: it was too large",
			left_out, (long long)threshold,
			is_counted(recording) ? tree->unit : "samples");
	if (recording->warning_count)
		memcpy(said.warnings + (left_out > 0), recording->warnings,
			recording->warning_count * sizeof(*said.warnings));
	rc = line_tree_fits(&cut, err);
	if (!rc)
		rc = write_tree(&cut, &said, out, err);
	if (!rc && out->length - before > LINE_MAX_BYTES) {
		strbuf_truncate(out, before);
		rc = error_set(err, ERR_LIMIT, "its line is longer than %zu bytes", LINE_MAX_BYTES);
	}
	line_tree_release(&cut);
	arena_release(&arena);
	return rc;
}

/* A millionth of all: what counts in billions need not be tried from 2 on. */
static int64_t first_threshold(const struct line_tree *tree)
{
	int64_t sum = 0;

	for (size_t i = 0; i < tree->cell_count; i++)
		sum += tree->cells[i].quanta;
	return sum / 1000000 > 2 ? sum / 1000000 : 2;
}

static int write_fitting(const struct line_tree *tree, const struct recording *recording,
	struct strbuf *out, struct error *err)
{
	int64_t threshold = first_threshold(tree);
	int rc = write_cut(tree, recording, 0, out, err);

	for (; rc == ERR_LIMIT && threshold < INT64_MAX / 4; threshold *= 4)
		rc = write_cut(tree, recording, threshold, out, err);
	return rc;
}

static int write_summary(const struct line_tree *tree, const struct recording *recording,
	struct strbuf *out, struct error *err)
{
	struct line_totals totals = sum_totals(tree);
	size_t before = out->length;
	struct json_writer writer;

	json_writer_init(&writer, out, 0);
	line_head_write(&writer, recording, BASELINE_SUMMARY, &totals);
	line_summary_write(&writer, tree);
	json_object_end(&writer);
	strbuf_addch(out, '\n');
	if (out->length - before <= LINE_MAX_BYTES)
		return ERR_OK;
	strbuf_truncate(out, before);
	return error_set(err, ERR_LIMIT, "its line is longer than %zu bytes", LINE_MAX_BYTES);
}

int line_encode(const struct recording *recording, enum baseline_detail detail, struct strbuf *out,
	struct error *err)
{
	struct line_tree tree;
	int rc = recording_check(recording, err);

	if (!rc)
		rc = line_tree_build(&tree, recording, err);
	if (rc)
		return error_prefix(err, "benchmark %s", recording->benchmark);
	rc = detail == BASELINE_SUMMARY ? write_summary(&tree, recording, out, err)
					: write_fitting(&tree, recording, out, err);
	if (rc)
		error_prefix(err, "benchmark %s", recording->benchmark);
	line_tree_release(&tree);
	return rc;
}

/* ---- decoding ------------------------------------------------------------------------------- */

static struct baseline_entry entry_of(const struct line_parts *parts, size_t length)
{
	return (struct baseline_entry){.key = {parts->recording.commit, parts->recording.benchmark,
					       parts->recording.profile_type, parts->environment},
		.time_ns = parts->recording.time_ns,
		.detail = parts->detail,
		.rounds = parts->totals.rounds,
		.cpu_seconds = parts->totals.cpu.mean,
		.bytes = length + 1};
}

int line_read_head(const char *text, size_t length, const char *commit, struct arena *arena,
	struct line_head *head, struct error *err)
{
	struct line_parts parts;
	struct baseline_key *key = &head->entry.key;
	int rc = line_parts_read(text, length, commit, &parts, err);

	if (rc)
		return rc;
	head->entry = entry_of(&parts, length);
	key->commit = arena_strdup(arena, key->commit);
	key->benchmark = arena_strdup(arena, key->benchmark);
	key->profile_type = arena_strdup(arena, key->profile_type);
	key->environment = arena_strdup(arena, key->environment);
	line_parts_release(&parts);
	return ERR_OK;
}

static bool is_near(const struct line_spread *a, const struct line_spread *b)
{
	double tolerance = 1e-5 * (a->mean + b->mean);

	return fabs(a->mean - b->mean) <= tolerance && fabs(a->sd - b->sd) <= tolerance;
}

static int read_tree(const struct line_parts *parts, struct line_tree *tree, struct error *err)
{
	struct strbuf deflated = STRBUF_INIT, payload = STRBUF_INIT;
	struct line_totals totals;
	int rc = line_parts_payload(parts, &deflated, err);

	if (!rc)
		rc = gzip_decompress(
			deflated.data, deflated.length, LINE_PAYLOAD_MAX_BYTES, &payload, err);
	if (!rc)
		rc = line_payload_decode(
			payload.data, payload.length, is_counted(&parts->recording), tree, err);
	strbuf_release(&deflated);
	strbuf_release(&payload);
	if (rc)
		return rc;
	tree->quantum = tree->weight = parts->totals.quantum;
	tree->unit = parts->totals.unit;
	totals = sum_totals(tree);
	if (totals.rounds == parts->totals.rounds && is_near(&totals.cpu, &parts->totals.cpu) &&
		is_near(&totals.cost, &parts->totals.cost))
		return ERR_OK;
	line_tree_release(tree);
	return error_set(err, ERR_CORRUPT, "its head and its payload differ in their totals");
}

/* A recording that does not add up was not written by us. */
static int restore(struct line_parts *parts, const struct line_tree *tree, struct error *err)
{
	int rc = line_tree_restore(tree, &parts->recording, err);

	if (!rc && recording_check(&parts->recording, err))
		rc = err ? err->code = ERR_CORRUPT : ERR_CORRUPT;
	return rc;
}

int line_decode(const char *text, size_t length, const char *commit, struct recording *out,
	enum baseline_detail *detail, struct error *err)
{
	struct line_parts parts;
	struct line_tree tree;
	int rc = line_parts_read(text, length, commit, &parts, err);

	if (rc)
		return rc;
	rc = parts.detail == BASELINE_TREE ? read_tree(&parts, &tree, err)
					   : line_summary_read(&parts, &tree, err);
	if (!rc) {
		rc = restore(&parts, &tree, err);
		line_tree_release(&tree);
	}
	if (!rc) {
		*detail = parts.detail;
		*out = parts.recording;
		parts.recording = (struct recording){.arena = ARENA_INIT};
	}
	line_parts_release(&parts);
	return rc;
}
