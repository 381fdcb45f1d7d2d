/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One baseline as one line of text: what a git note holds. Self-contained and printable, so that a
 * line-wise union of two notes (cat_sort_uniq) loses nothing and splits nothing.
 *
 *   {"flamegate":1,"detail":"tree","environment":...,"benchmark":...,"time_ns":...,...} BASE64\n
 *
 * The head is one JSON object without line breaks: the members that recording.json has too (but no
 * policy: what is read gets the default one), the environment's id, number and totals of the
 * rounds, SHA-256 of the payload's bytes. BASE64 is the payload: the call tree, functions and
 * rounds, deflated (line_payload.h says how). A summary has "functions" in its head and no payload,
 * so that git can delta-compress summaries of neighbouring commits (line_summary.h says what it
 * becomes when it is read).
 *
 * A tree's head has the heap over time ("memory"), where it was counted, in LINE_MEMORY_MOMENTS; a
 * summary has not.
 *
 * A 5,000-node tree of C names with 16 rounds is at most 32 KiB. Equal recordings give equal lines.
 * Rounded: a node's cost per round to whole sampling quanta (the mean weight of a sample, in the
 * head), each round's sampled_seconds with it; its squares are spread in proportion (line_tree.h
 * says how). Exact for types that are counted (instructions, allocations). Lost: per-line costs,
 * mappings but their base names, epochs and regions, other value types. What would not fit into a
 * line is cut: small nodes become "(other)", and a warning in the recording says so.
 */
#ifndef FG_BASELINE_LINE_H
#define FG_BASELINE_LINE_H

#include "baseline/store.h"
#include "gate/base/strbuf.h"

#define LINE_FORMAT 1
#define LINE_MAX_BYTES ((size_t)4 << 20)  /* longer ones are skipped, and refused when writing */
#define NOTE_MAX_BYTES ((size_t)64 << 20) /* of all lines of one commit */
#define LINE_SUMMARY_FUNCTIONS 24
#define LINE_MEMORY_MOMENTS 80 /* about 4 KiB, before git compresses them */

/* Appends the line with its "\n". detail: BASELINE_TREE or BASELINE_SUMMARY. ERR_LIMIT if it would
 * be too long, ERR_MEASURE for a recording that is not sound (recording_check). */
int line_encode(const struct recording *recording, enum baseline_detail detail, struct strbuf *out,
	struct error *err);

/* What the head says, without decoding the payload. Strings are arena-owned. */
struct line_head {
	struct baseline_entry entry;
};
/*
 * text: one line without "\n". commit: whose note it stands in; a line that names another commit is
 * ERR_CORRUPT ("copied from another commit"). A line of a newer format or of another tool is
 * ERR_NOT_FOUND: it is not ours to judge, and writers keep it.
 */
int line_read_head(const char *text, size_t length, const char *commit, struct arena *arena,
	struct line_head *head, struct error *err);

/* The whole line as a recording: profile of the tree (labels "round"), rounds, fingerprint.
 * Everything is checked: counts, sums against the head's totals, names, the payload's hash. */
int line_decode(const char *text, size_t length, const char *commit, struct recording *out,
	enum baseline_detail *detail, struct error *err);

/*
 * A note is lines. note_merge() appends to out the union of two notes (b may be empty), sorted by
 * bytes: of several lines with one key the one with the newest time (then the larger by bytes) is
 * kept; lines that are not ours, or of a newer format, are kept as they are; corrupt, oversized and
 * hostile ones are left out, each with a warning that names commit and reason. Past NOTE_MAX_BYTES
 * ERR_LIMIT.
 */
int note_merge(const char *a, size_t a_length, const char *b, size_t b_length, const char *commit,
	struct strbuf *out, struct store_lines *warnings, struct error *err);

/* Replaces full lines by summaries. */
int note_summarise(const char *note, size_t length, const char *commit, struct strbuf *out,
	size_t *summarised, struct store_lines *warnings, struct error *err);

#endif
