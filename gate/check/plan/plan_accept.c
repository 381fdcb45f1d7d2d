/* SPDX-License-Identifier: Apache-2.0 */
/* Which regressions may pass: entries of the configuration that decides,
 * trailers of the commits. */
#include "gate/base/error.h"
#include "gate/check/accept/accept_text.h"
#include "gate/check/plan/plan.h"

#include <string.h>
#include <strings.h>

#define NO_SUCH_NAME "no benchmark has this name"
#define TRAILER "Flamegate-Accept"
#define MAX_COMMITS 1000
#define SHORT_ID 10

static bool may_accept(const struct config *config, const char *who)
{
	for (const char *const *one = config->accept_by; one && *one; one++)
		if (strcasecmp(*one, who) == 0)
			return true;
	return false;
}

/* An address that may write trailers makes trailers something to look for. */
static bool may_anybody_by_trailer(const struct config *config)
{
	for (const char *const *one = config->accept_by; one && *one; one++)
		if (strcmp(*one, CONFIG_ACCEPT_CONFIG) != 0)
			return true;
	return false;
}

static void add_entry(struct plan *plan, const struct config_acceptance *entry)
{
	struct arena *arena = &plan->measurements->arena;
	const struct measurements_acceptance acceptance = {
		.benchmark = arena_strdup(arena, entry->benchmark),
		.function = arena_strdup(arena, entry->function),
		.metric = arena_strdup(arena, entry->metric),
		.reason = arena_strdup(arena, entry->reason),
		.until = arena_strdup(arena, entry->until),
		.origin = arena_printf(arena, "%s:%u", plan->config.origin, entry->line),
		.problem = !config_may_have(&plan->config, entry->benchmark) ? NO_SUCH_NAME
			   : !may_accept(&plan->config, CONFIG_ACCEPT_CONFIG)
				   ? "policy.accept_by does not allow entries of the configuration"
				   : "",
	};

	measurements_add_acceptance(plan->measurements, &acceptance);
}

static const char *forbidden(struct plan *plan, const struct repo_trailer *trailer)
{
	if (may_accept(&plan->config, CONFIG_ACCEPT_TRAILER) ||
		(strchr(trailer->email, '@') && may_accept(&plan->config, trailer->email)))
		return "";
	return may_anybody_by_trailer(&plan->config)
		       ? arena_printf(&plan->measurements->arena,
				 "policy.accept_by does not name its committer, %s", trailer->email)
		       : "policy.accept_by does not allow trailers";
}

static void add_trailer(struct plan *plan, const struct repo_trailer *trailer)
{
	struct measurements_acceptance acceptance = {
		.until = "",
		.origin = arena_printf(&plan->measurements->arena, TRAILER " of commit %.*s",
			SHORT_ID, trailer->commit),
	};
	const char *problem = forbidden(plan, trailer);

	accept_read(trailer->value, &plan->config, &plan->measurements->arena, &acceptance);
	if (*problem)
		acceptance.problem = problem;
	else
		acceptance.value = trailer->value;
	measurements_add_acceptance(plan->measurements, &acceptance);
}

static int add_trailers(struct plan *plan, struct error *err)
{
	const struct repo_trailer *trailers;
	struct error lost = {0};
	size_t count;

	if (repo_trailers(plan->repo, plan->commits.base, plan->commits.head, TRAILER, MAX_COMMITS,
		    &plan->measurements->arena, &trailers, &count, &lost)) {
		if (lost.code == ERR_INTERRUPTED)
			return error_set(err, lost.code, "%s", lost.message);
		/* Only what may accept is missed: that is no reason to stop. */
		measurements_add_line(plan->measurements, &plan->measurements->notes,
			arena_printf(&plan->measurements->arena,
				"the commits' " TRAILER " lines could not be read: %s",
				lost.message));
		return ERR_OK;
	}
	for (size_t i = 0; i < count && i < MEASUREMENTS_MAX_ACCEPTANCES; i++)
		add_trailer(plan, &trailers[i]);
	return ERR_OK;
}

int plan_acceptances(struct plan *plan, struct error *err)
{
	for (size_t i = 0; i < plan->config.accept.count; i++)
		add_entry(plan, &plan->config.accept.items[i]);
	return add_trailers(plan, err);
}

void plan_accept_again(struct plan *plan)
{
	struct measurements *measurements = plan->measurements;

	for (size_t i = 0; i < measurements->acceptance_count; i++) {
		struct measurements_acceptance *one = &measurements->acceptances[i];

		if (one->value)
			accept_read(one->value, &plan->config, &measurements->arena, one);
		else if (!*one->problem && !config_find(&plan->config, one->benchmark))
			one->problem = NO_SUCH_NAME;
	}
}
