/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/slowdown.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "gate/base/strbuf.h"
#include "gate/sampler/environment.h"

_Static_assert(SLOWDOWN_MAX_RANGES <= FG_SLOWDOWN_MAX_RANGES, "the sampler has room for them");
_Static_assert(
	SLOWDOWN_MAX_PART *INT64_C(1000000) <= FG_SLOWDOWN_MAX_PPM, "the sampler burns as much");

_Static_assert(SLOWDOWN_FINE_RATE_HZ <= FG_MAX_RATE, "the sampler samples as often");

static bool can_be_told(const struct slowdown_place *place, double part)
{
	if (!(part >= 0 && part <= SLOWDOWN_MAX_PART) || place->range_count > SLOWDOWN_MAX_RANGES)
		return false;
	return !place->range_count ||
	       (place->module[0] && strlen(place->module) < FG_SLOWDOWN_MAX_MODULE);
}

const char *slowdown_text(const struct slowdown_place *place, double part, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;
	const char *copy;

	if (!can_be_told(place, part))
		return NULL;
	strbuf_addf(&text, "%010.0f", floor(part * 1e6 + 0.5));
	for (size_t i = 0; i < place->range_count; i++)
		strbuf_addf(&text, "%c%" PRIx64 "-%" PRIx64, i ? ',' : ':', place->ranges[i].first,
			place->ranges[i].last);
	if (place->range_count)
		strbuf_addf(&text, ":%s", place->module);
	copy = arena_strdup(arena, text.data);
	strbuf_release(&text);
	return copy;
}

bool slowdown_is_everywhere(const char *text)
{
	return !strchr(text, ':');
}
