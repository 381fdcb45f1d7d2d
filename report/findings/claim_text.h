/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims in words: one template for each kind, for all outputs alike. What is said of culprits, of
 * cost that moved and of improvements is said here and nowhere else.
 */
#ifndef FG_REPORT_CLAIMS_H
#define FG_REPORT_CLAIMS_H

#include "gate/check/result.h"
#include "report/findings/sentence.h"

/* "`add_request` calls `hash_text` 3.0 times as often": no place, and of culprits no amount. */
void sentence_add_claim(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim);
/* ": +48 ms a run (+6.7 % of the benchmark, 95 % interval +6.1 to +7.3 %; +21.0 % with what grew
 * with it)"; without an interval where low is NAN, and without the rest where together is. */
void sentence_add_amount(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim, double low, double high, double together);

/* What is said of a culprit; of one without a claim no more than that it takes more. */
struct result_claim claim_of_culprit(
	const struct result_benchmark *benchmark, const struct result_culprit *culprit);
/* NULL: nothing but its cost is known of it. */
const struct result_claim *claim_of_improvement(
	const struct result_benchmark *benchmark, uint32_t function);

/* The claims of cost that moved, in their order: the first at or behind *place, which becomes the
 * place behind it; NULL: there is none left. */
const struct result_claim *next_moved(const struct result_benchmark *benchmark, size_t *place);
size_t count_moved(const struct result_benchmark *benchmark);

#endif
