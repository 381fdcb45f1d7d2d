/* SPDX-License-Identifier: Apache-2.0 */
/* A Parca that is a canned server, and what one answers. */
#ifndef FG_TESTS_BASELINE_PARCA_SCENE_H
#define FG_TESTS_BASELINE_PARCA_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/parca/parca_internal.h"
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/profile/pprof.h"
#include "tests/unit/baseline/canned_server.h"

static struct {
	struct arena arena;
	struct parca parca;
	struct error err;
} scene;

/* What this many answers do to scene.parca. */
static inline void scene_start(const struct canned_answer *answers, size_t count)
{
	const struct http_credentials nobody = {.prefix = HTTP_CREDENTIALS_PREFIX};
	struct url url;

	canned_start(answers, count);
	memset(&scene, 0, sizeof(scene));
	assert_int_equal(url_parse(arena_printf(&scene.arena, "parca://127.0.0.1:%u", canned.port),
				 &scene.arena, &url, NULL),
		ERR_OK);
	assert_int_equal(parca_init(&scene.parca, &url, &nobody, &scene.arena, NULL), ERR_OK);
}

static inline void scene_stop(void)
{
	canned_release();
	arena_release(&scene.arena);
}

static inline void scene_expect(int rc, int wanted, const char *text)
{
	if (rc != wanted || (rc && !strstr(scene.err.message, text)))
		fail_msg("code %d, expected %d; message: %s", rc, wanted,
			rc ? scene.err.message : "");
}

/* A request of the canned server holds this. */
static inline void scene_asked(size_t request, const char *text)
{
	if (!strstr(canned.requests[request].data, text))
		fail_msg("no %s in the request %s", text, canned.requests[request].data);
}

/* work() with this CPU time: what Parca takes. */
static inline struct profile *sound_profile(int64_t value)
{
	struct profile *profile = profile_new();
	uint32_t function =
		profile_add_function(profile, &(struct profile_function){"work", "", "work.c", 1});
	struct profile_line line = {function, 2};
	uint32_t location = profile_add_location(
		profile, &(struct profile_location){PROFILE_NO_MAPPING, 0x10, &line, 1, false});

	profile_add_type(profile, "cpu", "nanoseconds");
	if (value)
		profile_add_sample(
			profile, &(struct profile_sample){&location, 1, &value, NULL, 0});
	profile->period_type.type = profile_intern(profile, "cpu");
	profile->period_type.unit = profile_intern(profile, "nanoseconds");
	return profile;
}

static inline struct strbuf sound_pprof(int64_t value)
{
	struct profile *profile = sound_profile(value);
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(pprof_encode(profile, &out, NULL), ERR_OK);
	profile_free(profile);
	return out;
}

/* The answer to a query; free() it. */
static inline char *pprof_json(int64_t value)
{
	struct strbuf pprof = sound_pprof(value), out = STRBUF_INIT;

	strbuf_addstr(&out, "{\"pprof\":\"");
	base64_encode(pprof.data, pprof.length, &out);
	strbuf_addstr(&out, "\",\"total\":\"0\",\"filtered\":\"0\"}");
	strbuf_release(&pprof);
	return strbuf_detach(&out, NULL);
}

#endif
