/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

#define SUB_BITS 4
#define UNIT 1000.0 /* the smallest step is a thousandth */

/* The highest SUB_BITS + 1 bits of the value, in order. */
int histogram_bucket(double value)
{
	uint64_t scaled = value <= 0 ? 0 : (uint64_t)(value * UNIT);
	int shift = 0, bucket;

	while (scaled >> shift >= (uint64_t)2 << SUB_BITS)
		shift++;
	bucket = (shift << SUB_BITS) + (int)(scaled >> shift);
	return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

static double bucket_value(int bucket)
{
	int shift = bucket < 2 << SUB_BITS ? 0 : (bucket >> SUB_BITS) - 1;

	return (double)((uint64_t)(bucket - (shift << SUB_BITS)) << shift) / UNIT;
}

void histogram_add(struct histogram *histogram, double value)
{
	histogram->buckets[histogram_bucket(value)]++;
	histogram->count++;
	histogram->sum += value;
	if (value > histogram->max)
		histogram->max = value;
}

double histogram_quantile(const struct histogram *histogram, double quantile)
{
	uint64_t wanted = (uint64_t)(quantile * (double)histogram->count), seen = 0;

	for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (seen > wanted)
			return bucket_value(i);
	}
	return histogram->max;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count == 0 ? 0 : histogram->sum / (double)histogram->count;
}
