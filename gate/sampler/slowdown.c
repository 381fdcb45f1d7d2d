/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/slowdown.h"

#include <string.h>
#include <time.h>

#include "gate/sampler/sampler.h"

#define MOST_BURNT_NS 100000000            /* at once: the handler keeps all signals waiting */
#define MOST_OWED_NS UINT64_C(10000000000) /* for one sample; no sum of them overflows */
#define MILLION UINT64_C(1000000)

/* ---- the wish -------------------------------------------------------------------------------- */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes a number's digits from *at; false: there are none, or it is past most. */
static bool take_number(const char **at, uint64_t base, uint64_t most, uint64_t *out)
{
	const char *start = *at;
	uint64_t value = 0;
	int digit;

	for (; (digit = digit_of(**at)) >= 0 && (uint64_t)digit < base; ++*at) {
		if (value > (most - (uint64_t)digit) / base)
			return false;
		value = value * base + (uint64_t)digit;
	}
	*out = value;
	return *at > start;
}

static bool take(const char **at, char wanted)
{
	if (**at != wanted)
		return false;
	++*at;
	return true;
}

static bool take_range(const char **at, struct fg_slowdown_range *range)
{
	return take_number(at, 16, FG_FRAME_ADDRESS_MASK, &range->first) && take(at, '-') &&
	       take_number(at, 16, FG_FRAME_ADDRESS_MASK, &range->last) &&
	       range->first <= range->last;
}

static bool take_ranges(const char **at, struct fg_slowdown *out)
{
	do {
		if (out->range_count == FG_SLOWDOWN_MAX_RANGES ||
			!take_range(at, &out->ranges[out->range_count++]))
			return false;
	} while (take(at, ','));
	return true;
}

static bool take_module(const char *at, struct fg_slowdown *out)
{
	size_t length = strlen(at);

	if (!length || length >= sizeof(out->module))
		return false;
	memcpy(out->module, at, length + 1);
	return true;
}

static bool parse(const char *at, struct fg_slowdown *out)
{
	uint64_t ppm;

	if (!take_number(&at, 10, FG_SLOWDOWN_MAX_PPM, &ppm))
		return false;
	out->ppm = (uint32_t)ppm;
	out->is_anywhere = !*at;
	return out->is_anywhere ||
	       (take(&at, ':') && take_ranges(&at, out) && take(&at, ':') && take_module(at, out));
}

bool fg_slowdown_parse(const char *text, struct fg_slowdown *out)
{
	memset(out, 0, sizeof(*out));
	if (text && parse(text, out))
		return true;
	memset(out, 0, sizeof(*out));
	return false;
}

static bool is_build_id(const char *hex, const unsigned char *id, size_t bytes)
{
	if (!bytes || strlen(hex) != 2 * bytes)
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (digit_of(hex[2 * i]) != id[i] >> 4 || digit_of(hex[2 * i + 1]) != (id[i] & 15))
			return false;
	return true;
}

bool fg_slowdown_is_module(const struct fg_slowdown *slowdown, const unsigned char *build_id,
	size_t build_id_bytes, const char *path, size_t path_bytes)
{
	size_t length = strlen(slowdown->module);

	if (slowdown->module[0] != '/')
		return is_build_id(slowdown->module, build_id, build_id_bytes);
	return path_bytes >= length &&
	       memcmp(path + path_bytes - length, slowdown->module, length) == 0;
}

bool fg_slowdown_has(const struct fg_slowdown *slowdown, uint64_t address)
{
	for (uint32_t i = 0; i < slowdown->range_count; i++)
		if (address - slowdown->ranges[i].first <=
			slowdown->ranges[i].last - slowdown->ranges[i].first)
			return true;
	return false;
}

uint64_t fg_slowdown_owed(const struct fg_slowdown *slowdown, uint64_t weight_ns)
{
	uint64_t owed = slowdown->ppm;

	if (!owed || weight_ns > UINT64_MAX / owed)
		return owed ? MOST_OWED_NS : 0;
	owed = weight_ns * owed / MILLION;
	return owed < MOST_OWED_NS ? owed : MOST_OWED_NS;
}

/* ---- this image ------------------------------------------------------------------------------ */

static struct fg_slowdown wanted;
static uint32_t module_number; /* of the wanted one: its index + 1; 0: not met yet */
static int64_t debt_ns;        /* owed and not burnt yet; below 0: burnt and not owed yet; atomic */

bool fg_slowdown_read(const char *text)
{
	return fg_slowdown_parse(text, &wanted) && wanted.ppm;
}

void fg_slowdown_meet(uint32_t index, const unsigned char *build_id, size_t build_id_bytes,
	const char *path, size_t path_bytes)
{
	if (wanted.range_count &&
		fg_slowdown_is_module(&wanted, build_id, build_id_bytes, path, path_bytes))
		__atomic_store_n(&module_number, index + 1, __ATOMIC_RELEASE);
}

void fg_slowdown_forked(void)
{
	module_number = 0;
	debt_ns = 0;
}

static bool is_wanted(uint64_t pc)
{
	uint64_t frame;
	uint32_t number;

	if (wanted.is_anywhere)
		return true;
	frame = fg_module_frame(pc, true); /* may meet the module */
	number = __atomic_load_n(&module_number, __ATOMIC_ACQUIRE);
	return number && fg_frame_module(frame) == number &&
	       fg_slowdown_has(&wanted, fg_frame_address(frame));
}

/*
 * A machine that is taken away below the kernel counts that as CPU time of the thread: a burn of
 * 4 ms may last 100, and a sample may weigh as much and owe more than can be burnt at once. Both
 * are settled with the next samples, so that in the end the part is what was asked for.
 */
static int64_t due_now(uint64_t owed)
{
	int64_t debt = __atomic_exchange_n(&debt_ns, 0, __ATOMIC_RELAXED) + (int64_t)owed;
	int64_t due = debt < 0 ? 0 : debt < MOST_BURNT_NS ? debt : MOST_BURNT_NS;

	__atomic_add_fetch(&debt_ns, debt - due, __ATOMIC_RELAXED);
	return due;
}

/* By the thread's own CPU clock: what other threads do meanwhile is not burnt here. */
uint64_t fg_slowdown_burn(uint64_t pc, uint64_t weight_ns)
{
	uint64_t owed = fg_slowdown_owed(&wanted, weight_ns), began;
	int64_t due, burnt;

	if (!owed || !is_wanted(pc))
		return 0;
	due = due_now(owed);
	if (!due)
		return 0;
	began = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	do
		burnt = (int64_t)(fg_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began);
	while (burnt < due);
	__atomic_sub_fetch(&debt_ns, burnt - due, __ATOMIC_RELAXED);
	return (uint64_t)burnt;
}
