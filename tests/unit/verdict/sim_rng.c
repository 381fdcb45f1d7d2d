/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/verdict/sim.h"

#include <math.h>

/* splitmix64 seeds, xoshiro256+ draws (Blackman and Vigna, doi 10.1145/3460772). */
static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void sim_rng_seed(struct sim_rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		rng->state[i] = splitmix(&seed);
}

uint64_t sim_next(struct sim_rng *rng)
{
	uint64_t *s = rng->state, result = s[0] + s[3], shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = s[3] << 45 | s[3] >> 19;
	return result;
}

double sim_uniform(struct sim_rng *rng, double low, double high)
{
	return low + (high - low) * ((double)(sim_next(rng) >> 11) + 0.5) * 0x1p-53;
}

size_t sim_below(struct sim_rng *rng, size_t end)
{
	return (size_t)sim_uniform(rng, 0, (double)end);
}

double sim_normal(struct sim_rng *rng)
{
	double radius = sqrt(-2 * log(sim_uniform(rng, 0, 1)));

	return radius * cos(2 * M_PI * sim_uniform(rng, 0, 1));
}

/* Small means by multiplication; large ones from the normal with the skewness put right. */
double sim_poisson(struct sim_rng *rng, double mean)
{
	double root = sqrt(mean), z;

	if (mean < 30) {
		double limit = exp(-mean), product = 1;
		int count = -1;

		do {
			product *= sim_uniform(rng, 0, 1);
			count++;
		} while (product > limit);
		return count;
	}
	z = sim_normal(rng);
	return fmax(0, floor(mean + root * z + (z * z - 1) / 6 + 0.5));
}
