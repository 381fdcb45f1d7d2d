/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_HISTOGRAM_H
#define LOGSTAT_HISTOGRAM_H

#include <stdint.h>

/* Log-linear buckets, 16 to each power of two: quantiles to about 3 %. */
#define HISTOGRAM_BUCKETS 512

struct histogram {
	uint32_t buckets[HISTOGRAM_BUCKETS];
	uint64_t count;
	double sum, max;
};

void histogram_add(struct histogram *histogram, double value);
double histogram_quantile(const struct histogram *histogram, double quantile);
double histogram_mean(const struct histogram *histogram);

#endif
