/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which commit's configuration decides, which benchmarks it has, and which of them are new: in CI
 * the target branch's, at a desk the working tree's.
 */
#include "gate/check/plan/plan.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

/* The configuration as it stands in a commit. *found is false where there is none. */
static int config_at(struct plan *plan, const char *commit, const char *label,
	struct config *config, bool *found, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	char *origin = NULL;
	int rc = repo_read_blob(plan->repo, commit, CONFIG_FILE_NAME, CONFIG_MAX_BYTES, &text, err);

	*found = rc == ERR_OK;
	if (rc == ERR_NOT_FOUND) {
		rc = ERR_OK;
	} else if (!rc) {
		origin = arena_printf(&plan->measurements->arena, "%s:%s", label, CONFIG_FILE_NAME);
		rc = config_parse(config, text.data, text.length, origin, err);
		*found = rc == ERR_OK;
	}
	strbuf_release(&text);
	return rc;
}

/* At a desk the working tree's file counts, so that one can try a setting before committing it. */
static int config_of_working_tree(
	struct plan *plan, struct config *config, bool *found, struct error *err)
{
	char *path = file_join(repo_root(plan->repo), CONFIG_FILE_NAME);
	int rc = ERR_OK;

	*found = file_exists(path);
	if (*found)
		rc = config_read_file(config, path, err);
	free(path);
	return rc;
}

static int no_configuration(struct error *err)
{
	return error_set(err, ERR_CONFIG,
		"there is no %s in this repository: write one that names a build command and a "
		"benchmark (see the README)",
		CONFIG_FILE_NAME);
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* A name may hold what a glob is made of. */
static bool fits(const char *wanted, const char *name)
{
	return strcmp(wanted, name) == 0 || fnmatch(wanted, name, 0) == 0;
}

bool plan_wants(const struct plan *plan, const char *name, const char *entry)
{
	const char *const *only = plan->options->only;

	if (!only || !only[0])
		return true;
	for (; *only; only++)
		if (fits(*only, name) || (entry && fits(*only, entry)))
			return true;
	return false;
}

/* Could a name that begins with the entry's and a slash fit? What stands before a glob's first odd
 * character must be the beginning of it, or the other way round. */
static bool may_fit_part(const char *wanted, const char *entry)
{
	size_t length = strlen(entry), plain = strcspn(wanted, "*?[");

	if (is_glob(wanted) && plain <= length)
		return strncmp(wanted, entry, plain) == 0;
	return strncmp(wanted, entry, length) == 0 && wanted[length] == '/';
}

/* One of those that it may stand for is named: they are not known before it is built. */
static bool wants_part(const struct plan *plan, const struct config_benchmark *config)
{
	const char *const *only = plan->options->only;

	if (config->harness == CONFIG_HARNESS_NONE)
		return false;
	for (; only && *only; only++)
		if (may_fit_part(*only, config->name))
			return true;
	return false;
}

static bool wanted(const struct plan *plan, const struct config_benchmark *config)
{
	return plan_wants(plan, config->name, NULL) || wants_part(plan, config);
}

static int no_such_name(const struct plan *plan, const char *name, struct error *err)
{
	return error_set(err, ERR_USAGE, "no benchmark %s '%s' in %s",
		is_glob(name) ? "fits" : "is called", name, plan->config.origin);
}

/* Before the lists of programs are known. */
static bool may_have(const struct config *config, const char *wanted)
{
	if (config_may_have(config, wanted))
		return true;
	for (size_t i = 0; i < config->benchmark_count && is_glob(wanted); i++) {
		const struct config_benchmark *entry = &config->benchmarks[i];

		if (fits(wanted, entry->name) || (entry->harness != CONFIG_HARNESS_NONE &&
							 may_fit_part(wanted, entry->name)))
			return true;
	}
	return false;
}

static int check_names(const struct plan *plan, const struct config *also, struct error *err)
{
	const char *const *only = plan->options->only;

	for (; only && *only; only++)
		if (!may_have(&plan->config, *only) && !(also && may_have(also, *only)))
			return no_such_name(plan, *only, err);
	return ERR_OK;
}

static bool has_result(const struct plan *plan, const char *name)
{
	const struct measurements *measurements = plan->measurements;
	size_t length = strlen(name);

	for (size_t i = 0; i < measurements->benchmark_count; i++) {
		const char *own = measurements->benchmarks[i].name;

		if (fits(name, own) || (strncmp(own, name, length) == 0 && own[length] == '/'))
			return true;
	}
	return false;
}

int plan_check_names(const struct plan *plan, struct error *err)
{
	const char *const *only = plan->options->only;

	for (; only && *only; only++)
		if (!has_result(plan, *only) && !config_find(&plan->config, *only))
			return no_such_name(plan, *only, err);
	return ERR_OK;
}

static bool is_taken(const struct measurements *measurements, const char *slug)
{
	for (size_t i = 0; i < measurements->benchmark_count; i++)
		if (strcmp(measurements->benchmarks[i].slug, slug) == 0)
			return true;
	return false;
}

/* Two configurations' benchmarks may want the same folder for their recordings. */
const char *plan_free_slug(struct measurements *measurements, const char *wanted_slug)
{
	const char *slug = wanted_slug;

	for (unsigned number = 2; is_taken(measurements, slug); number++)
		slug = arena_printf(&measurements->arena, "%s-%u", wanted_slug, number);
	return slug;
}

/* why: it is not run; "" it is. */
static void add_new(struct plan *plan, const struct config_benchmark *config, const char *why)
{
	struct measured_benchmark *benchmark =
		measurements_add_benchmark(plan->measurements, config->name,
			plan_free_slug(plan->measurements, config->slug), config->command_text);

	benchmark->outcome = OUTCOME_NEW;
	benchmark->detail = why;
}

/* Benchmarks that only head has decide nothing before the merge, but they must work. */
static bool add_heads_own(struct plan *plan, const struct config *head)
{
	bool any = false;

	for (size_t i = 0; i < head->benchmark_count; i++) {
		if (config_find(&plan->config, head->benchmarks[i].name) ||
			!wanted(plan, &head->benchmarks[i]))
			continue;
		add_new(plan, &head->benchmarks[i], "");
		any = true;
	}
	return any;
}

static void add_broken(struct plan *plan, const struct config_benchmark *config, const char *why)
{
	struct measured_benchmark *benchmark = measurements_add_benchmark(
		plan->measurements, config->name, config->slug, config->command_text);

	benchmark->outcome = OUTCOME_BASE_FAILED;
	benchmark->fails = plan->config.policy.on_base_failure == CONFIG_FAIL;
	benchmark->detail = why;
}

/* The other configurations that say whether a benchmark is new. */
struct others {
	struct config head, base;
	bool has_head, has_base;
	/* Head's commit has no configuration, or has_head: what is not in it head does not have. */
	bool knows_head;
	const char *broken; /* why base's cannot be read, or NULL */
};

/* A branch that is older than the benchmark has neither its sources nor a line of it. */
static const char *why_not_run(struct plan *plan, const struct others *others, const char *name)
{
	if (!others->knows_head || (others->has_head && config_find(&others->head, name)))
		return "";
	return arena_printf(&plan->measurements->arena,
		"head does not have it yet, nor has base, so it was not run; %s has it",
		plan->commits.target_name);
}

static void add_benchmarks(struct plan *plan, const struct others *others)
{
	for (size_t i = 0; i < plan->config.benchmark_count; i++) {
		const struct config_benchmark *config = &plan->config.benchmarks[i];

		if (!wanted(plan, config))
			continue;
		if (others->broken)
			add_broken(plan, config, others->broken);
		else if (!others->has_base || !config_find(&others->base, config->name))
			add_new(plan, config, why_not_run(plan, others, config->name));
		else
			measurements_add_benchmark(plan->measurements, config->name, config->slug,
				config->command_text);
	}
}

static void show_changes(struct plan *plan, const struct config *head)
{
	struct strbuf lines = STRBUF_INIT;
	char *line, *rest;

	config_describe_changes(&plan->config, head, &lines);
	rest = lines.data;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			measurements_add_line(
				plan->measurements, &plan->measurements->config_changes, line);
	strbuf_release(&lines);
}

/*
 * Head may choose how it is measured, but not which server our credentials go to, which of our
 * variables it gets to see, nor what passes.
 */
static void restrict_head(struct config *config)
{
	static const char *const none[] = {NULL};

	config->pass = none;
	config->accept.count = 0;
	config->accept_by = NULL;
	config->store = config->credentials = config->production = NULL;
	config->has_store = false;
}

/* Its commands and benchmarks are head's, to be tried; all that decides is the target branch's. */
static void keep_heads_own(struct plan *plan, struct others *others)
{
	plan->own.config = others->head;
	plan->own.exists = true;
	others->has_head = false;
	restrict_head(&plan->own.config);
	plan->own.config.pass = plan->config.pass;
	plan->own.config.policy = plan->config.policy;
	plan->own.config.rate_hz = plan->config.rate_hz;
}

/* A build that misses a variable should not have to guess why. */
static void tell_pass(struct plan *plan)
{
	if (plan->config.pass && plan->config.pass[0])
		measurements_add_line(plan->measurements, &plan->measurements->notes,
			"`pass` takes effect after the merge: head's builds and runs do not get "
			"the variables that it names");
}

/*
 * In CI the target branch's tip decides. A configuration of head's that cannot be read then is
 * something to say, not a reason to stop: it takes effect only after the merge.
 */
static int configure_ci(struct plan *plan, struct others *others, struct error *err)
{
	struct error head_error = {0};
	int rc = config_at(plan, plan->commits.target, plan->commits.target_name, &plan->config,
		&plan->has_config, err);

	if (rc)
		return rc;
	rc = config_at(
		plan, plan->commits.head, "head", &others->head, &others->has_head, &head_error);
	if (plan->has_config) {
		others->knows_head = !rc;
		if (rc)
			measurements_add_line(plan->measurements,
				&plan->measurements->config_changes,
				arena_printf(&plan->measurements->arena,
					"head's configuration cannot be read: %s",
					head_error.message));
		else if (!others->has_head)
			measurements_add_line(plan->measurements,
				&plan->measurements->config_changes, CONFIG_FILE_NAME ": removed");
		return ERR_OK;
	}
	if (rc) {
		*err = head_error;
		return rc;
	}
	if (!others->has_head)
		return no_configuration(err);
	plan->config = others->head;
	plan->has_config = true;
	others->has_head = false;
	tell_pass(plan);
	restrict_head(&plan->config);
	return ERR_OK;
}

static int configure_desk(struct plan *plan, struct error *err)
{
	int rc = plan->options->head
			 ? config_at(plan, plan->commits.head, plan->options->head, &plan->config,
				   &plan->has_config, err)
			 : config_of_working_tree(plan, &plan->config, &plan->has_config, err);

	if (!rc && !plan->has_config)
		rc = no_configuration(err);
	return rc;
}

/* A base whose configuration cannot be read does not work: policy.on_base_failure decides. */
static void read_base_config(struct plan *plan, struct others *others)
{
	struct error err = {0};

	if (config_at(plan, plan->commits.base, "base", &others->base, &others->has_base, &err))
		others->broken = arena_printf(&plan->measurements->arena,
			"the base's configuration cannot be read: %s", err.message);
}

static int record_config(struct plan *plan, struct error *err)
{
	const char *text = plan->options->configuration;
	int rc;

	if (!text)
		return config_at(plan, plan->commits.head, plan->measurements->head.name,
			&plan->config, &plan->has_config, err);
	rc = config_parse(&plan->config, text, strlen(text), CONFIG_FILE_NAME, err);
	plan->has_config = !rc;
	return rc;
}

int plan_record_configuration(struct plan *plan, struct error *err)
{
	int rc = record_config(plan, err);

	if (!rc && !plan->has_config)
		rc = no_configuration(err);
	if (!rc)
		rc = check_names(plan, NULL, err);
	if (rc)
		return rc;
	plan->measurements->policy_origin =
		arena_strdup(&plan->measurements->arena, plan->config.origin);
	for (size_t i = 0; i < plan->config.benchmark_count; i++) {
		const struct config_benchmark *config = &plan->config.benchmarks[i];

		if (wanted(plan, config))
			measurements_add_benchmark(plan->measurements, config->name, config->slug,
				config->command_text);
	}
	return ERR_OK;
}

/*
 * A self-test asks whether a slowdown is found, not what the project wants done about one: only the
 * CPU time, in which it was planted, decides. Its recordings say so too.
 */
static void plant_policy(const struct check_plant *plant, struct config_policy *policy)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		policy->gate[i] = METRIC_SHOWN;
	policy->gate[METRIC_CPU] = METRIC_FAILS;
	if (!plant->pairs)
		return;
	policy->stage1_pairs = plant->pairs;
	policy->stage2_pairs = 0;
}

int plan_configuration(struct plan *plan, struct error *err)
{
	struct others others = {.has_head = false};
	int rc = plan->options->ci ? configure_ci(plan, &others, err) : configure_desk(plan, err);

	if (!rc)
		rc = check_names(plan, others.has_head ? &others.head : NULL, err);
	if (rc)
		goto out;
	if (plan->options->plant)
		plant_policy(plan->options->plant, &plan->config.policy);
	plan->measurements->policy_origin =
		arena_strdup(&plan->measurements->arena, plan->config.origin);
	read_base_config(plan, &others);
	add_benchmarks(plan, &others);
	if (others.has_head) {
		show_changes(plan, &others.head);
		if (add_heads_own(plan, &others.head))
			keep_heads_own(plan, &others);
	}
out:
	if (others.has_head)
		config_release(&others.head);
	if (others.has_base)
		config_release(&others.base);
	return rc;
}
