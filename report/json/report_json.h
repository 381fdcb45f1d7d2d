/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.json: the one source that all other outputs are rendered from. Its published JSON schema
 * is report.schema.json, made from the same tables (schema_json.h).
 *
 * {
 *  "format": 1,            a reader refuses any other
 *  "kind", "tool_version", "date", "status" (pass, warn, fail, error), "exit_status",
 *  "policy_origin", "environment",
 *  "base": {"id", "subject", "name", "dirty"}, "head": {...},
 *  "config_changes": [string], "warnings": [string],
 *  "benchmarks": [{
 *    "name", "command", "status", "outcome", "detail", "unit" (default: "seconds"),
 *    "profile_type" (default: "cpu"),
 *    "bound", "mde_total", "mde_function",
 *    "stage1_pairs", "stage2_pairs", "dropped_pairs", "seed" (decimal string), "wall_seconds",
 *    "layouts" ("8 layouts"; default: "", not varied),
 *    "slices" ("20 ms", or "whole runs, because ..."; default: ""),
 *    "total": {"base", "head", "change", "low", "high", "se", "state"},
 *    "sampling": {"mechanism", "rate_hz", "samples", "complete", "lost",
 *                 "coverage_base", "coverage_head", "own_cost_base", "own_cost_head"},
 *    "work": {"kind" (replayed, stepped), "calls", "processes", "speed", "step_seconds",
 *             "run_seconds", "real_seconds", "start_seconds"},   absent: by the real clock
 *    "culprits": [{"node", "function", "blame", "caller", "file", "line", "change", "low", "high",
 *                  "relative" (null: infinite), "together", "explained", "path": [function],
 *                  "source": {"function", "file", "base_file", "lines": columns}}],
 *       "source" is absent where its text was not looked for, not to be had, or too much
 *    "consequences": [{"cause" (-1: everything), "function", "blame" (self, called, carried),
 *                      "caller", "change", "low", "high"}],   what hangs on culprits
 *    "shifts": [{"to", "from", "how", "moved", "net"}],
 *    "matches": [{"name", "file", "base_name", "base_file", "kind", "reason", "similarity"}],
 *       what is taken for one function though names or files differ; absent if nothing is
 *    "inlinings": [{"host", "host_file", "part", "part_file", "kind", "reason", "similarity"}],
 *       what counts as its caller since the versions are cut otherwise; absent if nothing is
 *    "references" (default: none): [{
 *      "kind" (screen, exact), "state" (clear, flagged, cannot), "decides", "profile_type",
 *      "store", "commit", "distance", "environment", "detail", "base", "head", "change",
 *      "size_factor", "threshold",
 *      "findings": [{"name", "file", "line", "change", "low", "high", "shifted"}],
 *      "losses": [string]}],
 *    "improvements": [function], "warnings": [string], "excluded": [string],
 *    "pairs", "functions", "nodes": columns (below),
 *    "labels" (absent: none): [{"key" (region, thread, round, ...), "values": [string],
 *      "costs": columns}],   of the nodes' own costs: what of them is of samples with this value
 *    "profiles" (absent: none): [{   costs of other types; nothing was decided by them
 *      "profile_type", "unit", "base", "head" (totals; base 0: nothing to compare with),
 *      "functions", "nodes": columns with the costs alone, and their own numbers,
 *      "labels": as above}],
 *    "strings": [string]   of the columns, each at most 65,536 bytes
 *  }]
 * }
 *
 * Units and meanings are those of gate/check/result.h: "unit" per run, fractions of 1; pairs are
 * in seconds. null stands for an unknown interval, bound or effect. What has a default is absent in
 * reports of older flamegates. Functions are named by their place in "functions", nodes by their
 * place in "nodes"; -1 is none: the root's function, or that of a node into which small ones were
 * folded.
 *
 * Columns: {"count": n, "<field>": [n values], ...}, one array for each field of schema.c. Names,
 * modules, files and lines' texts are places in "strings"; states and matches are numbers in the
 * order of result.h; times have six digits. A parent stands before its children.
 *
 * Equal results give equal bytes, and a report of this flamegate that was read gives the bytes that
 * it was read from. The text is ASCII-safe to embed: no <, > or &, and nothing that a workflow
 * runner obeys.
 *
 * Source text is carried for the first 20 culprits of a benchmark, 120 lines of at most 400 bytes
 * for each and 64 KiB in all (result.h); of more than ten benchmarks all share what ten may have.
 */
#ifndef FG_REPORT_REPORT_JSON_H
#define FG_REPORT_REPORT_JSON_H

#include "gate/base/strbuf.h"

struct error;
struct result;

#define REPORT_FORMAT 1

/*
 * Appends report.json, its trees cut down to 20,000 nodes each (see prune.h), 200,000 in all. Trees
 * of other profile types have at most 10,000 each, and share what is left of the 200,000; where
 * that is less than 100 for each, they are left out. A benchmark's labels have at most 100,000
 * costs, 1,000,000 in all; those that do not fit are left out whole.
 * ERR_MEASURE for a number that is not finite where it must be, ERR_CORRUPT for an index out of
 * range; out is as before then.
 */
int report_json_write(const struct result *result, struct strbuf *out, struct error *err);

#endif
