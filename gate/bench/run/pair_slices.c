/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/pair_slices.h"

#define PERIODS_ALLOWED 2
/* A fresh image is loaded and linked before the sampler is there to stop it. */
#define LOADING_NS UINT64_C(20000000)
/* Now and then a machine stalls at the wrong moment. */
#define LEAKS_ALLOWED 3
#define LEAKS_ONE_IN 20
/* Several steps of the kernel's clock for processes that have ended. */
#define UNACCOUNTED_NS INT64_C(60000000)
/* What that clock may still owe: user and system time, a step of 10 ms each. */
#define OWED_NS INT64_C(20000000)
/* Who is not sampled is found once; a benchmark that keeps starting such processes never stands. */
#define EXCUSED_NS UINT64_C(120000000)

/* ---- whose turn it is --------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void slices_init(struct slices *slices, uint64_t seed)
{
	*slices = (struct slices){.random = seed, .second = SLICES_OVER};
}

static int choose(struct slices *slices)
{
	int version = slices->second;

	if (version != SLICES_OVER) {
		slices->second = SLICES_OVER;
		return version;
	}
	version = (int)(next_random(&slices->random) & 1);
	slices->second = !version;
	return version;
}

int slices_next(struct slices *slices)
{
	int version;

	if (slices->ended[0] && slices->ended[1])
		return SLICES_OVER;
	do
		version = choose(slices);
	while (slices->ended[version]);
	slices->count[version]++;
	return version;
}

void slices_end(struct slices *slices, int version)
{
	slices->ended[version] = true;
}

bool slices_alone(const struct slices *slices, int version)
{
	return slices->ended[!version];
}

/* ---- who stood still ---------------------------------------------------------------------- */

static bool is_held(const pid_t *held, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (held[i] == pid)
			return true;
	return false;
}

static uint64_t growth_of(const struct process_view *now, const struct process_view *then)
{
	uint64_t before_ns = then ? then->cpu_ns : 0;

	return now->cpu_ns > before_ns ? now->cpu_ns - before_ns : 0;
}

/* What ended meanwhile has handed in its whole life: only the end of it counts here. */
static int64_t reaped_growth(const struct process_look *before, const struct process_look *after)
{
	int64_t growth = (int64_t)after->reaped_ns - (int64_t)before->reaped_ns;

	for (size_t i = 0; i < before->count; i++)
		if (!process_look_find(after, before->views[i].pid))
			growth -= (int64_t)before->views[i].cpu_ns;
	return growth;
}

size_t idle_judge(struct idle_account *account, const struct process_look *before,
	const struct process_look *after, const pid_t *held, size_t held_count, pid_t *offenders)
{
	size_t found = 0;
	int64_t reaped = reaped_growth(before, after);

	account->slices++;
	for (size_t i = 0; i < after->count; i++) {
		const struct process_view *now = &after->views[i];
		const struct process_view *then = process_look_find(before, now->pid);
		uint64_t growth = growth_of(now, then), allowed;

		allowed = PERIODS_ALLOWED * account->period_ns * now->threads;
		account->cpu_ns += growth;
		if (growth <= allowed)
			continue;
		if (then && !is_held(held, held_count, now->pid)) {
			offenders[found++] = now->pid;
			account->excused_ns += growth - allowed;
			continue;
		}
		account->leaks += then || growth > allowed + LOADING_NS;
		account->unaccounted_ns += (int64_t)(growth - allowed);
	}
	account->unaccounted_ns += reaped;
	/* Where nobody waits for who has ended its time is lost: that excuses nobody else. */
	if (account->unaccounted_ns < -OWED_NS)
		account->unaccounted_ns = -OWED_NS;
	if (reaped > 0)
		account->cpu_ns += (uint64_t)reaped;
	return found;
}

bool idle_is_hopeless(const struct idle_account *account)
{
	uint64_t usual_ns = PERIODS_ALLOWED * account->period_ns * account->slices;

	return account->leaks > LEAKS_ALLOWED + account->slices / LEAKS_ONE_IN ||
	       account->unaccounted_ns > UNACCOUNTED_NS + (int64_t)usual_ns ||
	       account->excused_ns > EXCUSED_NS + usual_ns / 4;
}
