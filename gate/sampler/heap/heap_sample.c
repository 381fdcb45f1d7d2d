/* SPDX-License-Identifier: Apache-2.0 */
/* Own functions: the mathematical library is not one that every program has loaded. */
#include "gate/sampler/heap/heap_sample.h"

#include <string.h>

#include "gate/sampler/capture/capture.h"

#define LN2 0.693147180559945309417
#define SQRT2 1.41421356237309504880
#define CERTAIN 40 /* exp(-40) is below half a unit in the last place of 1 */
#define MOST_WEIGHT 0x1p62

/* ln(m * 2^e) = ln m + e ln 2, and ln m = 2 artanh((m - 1) / (m + 1)), m around 1. */
double fg_heap_log(double x)
{
	uint64_t bits;
	int exponent;
	double s, square, sum = 0;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
	memcpy(&x, &bits, sizeof(x));
	if (x > SQRT2) {
		x /= 2;
		exponent++;
	}
	s = (x - 1) / (x + 1);
	square = s * s;
	for (int i = 21; i >= 1; i -= 2)
		sum = sum * square + 1.0 / i;
	return 2 * s * sum + exponent * LN2;
}

/* x = k ln 2 + r, and 1 - exp(-r) by its series, which is exact for small r. */
double fg_heap_hit(double x)
{
	double rest, sum = 0, scale = 1;
	int k;

	if (x > CERTAIN)
		return 1;
	k = (int)(x / LN2);
	rest = x - k * LN2;
	for (int i = 18; i >= 1; i--)
		sum = rest / i * (1 - sum);
	for (int i = 0; i < k; i++)
		scale /= 2;
	return k ? 1 - scale * (1 - sum) : sum;
}

static uint64_t rounded(double weight)
{
	return weight < MOST_WEIGHT ? (uint64_t)(weight + 0.5) : (uint64_t)MOST_WEIGHT;
}

struct fg_heap_weight fg_heap_weigh(uint64_t bytes, uint64_t period)
{
	double hit = fg_heap_hit(((double)bytes + 1) / (double)period);

	return (struct fg_heap_weight){.count = rounded(FG_HEAP_SCALE / hit),
		.bytes = rounded((double)bytes * FG_HEAP_SCALE / hit)};
}

double fg_heap_gap(uint64_t random, uint64_t period)
{
	return -fg_heap_log((double)random * 0x1p-53) * (double)period;
}
