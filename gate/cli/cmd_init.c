/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `flamegate init`: a configuration and workflows from what the working tree has. All of them are
 * written or none, and it says what is left to do.
 */
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/text.h"
#include "gate/bench/config/config.h"
#include "gate/bench/detect/detect.h"
#include "gate/cli/commands.h"
#include "gate/cli/init/init_configure.h"
#include "gate/cli/init/init_try.h"
#include "gate/cli/init/init_workflows.h"
#include "gate/vcs/repo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKFLOWS ".github/workflows"
#define FILE_COUNT 3

struct init_settings {
	const char *directory;
	bool force, dry_run, try;
};

static const struct option_spec init_options_table[] = {
	{"force", 'f', OPTION_FLAG, NULL, "overwrite files that are there",
		offsetof(struct init_settings, force)},
	{"dry-run", 'n', OPTION_FLAG, NULL, "print the files instead of writing them",
		offsetof(struct init_settings, dry_run)},
	{"try", 't', OPTION_FLAG, NULL,
		"build what is found, run each benchmark once, and propose what works",
		offsetof(struct init_settings, try)},
	{"directory", 'C', OPTION_STRING, &argument_folder, "the repository (default: here)",
		offsetof(struct init_settings, directory)},
};

struct setup {
	const char *root;
	struct detection found, before; /* before: CMake was asked; else empty */
	const char *branch;
	bool branch_guessed;
	struct init_file {
		const char *path; /* relative to the root */
		struct strbuf text;
	} files[FILE_COUNT];
};

/* ---- what to write ------------------------------------------------------------------------ */

static void choose_branch(struct setup *setup, const char *name)
{
	setup->branch_guessed = !init_branch_is_plain(name);
	setup->branch = setup->branch_guessed ? "main" : name;
}

static void make_texts(struct setup *setup)
{
	setup->files[0] = (struct init_file){CONFIG_FILE_NAME, STRBUF_INIT};
	setup->files[1] = (struct init_file){WORKFLOWS "/flamegate.yml", STRBUF_INIT};
	setup->files[2] = (struct init_file){WORKFLOWS "/flamegate-record.yml", STRBUF_INIT};
	detect_write_config(&setup->found, &setup->files[0].text);
	init_gate_workflow(&setup->files[1].text);
	init_record_workflow(setup->branch, &setup->files[2].text);
}

/* What we write must be what we read; if not it is better not to be there. */
static int check_config(const struct setup *setup, struct error *err)
{
	const struct strbuf *text = &setup->files[0].text;
	struct config config;
	int rc = config_parse(&config, text->data, text->length, CONFIG_FILE_NAME, err);

	if (rc)
		return error_prefix(err, "the configuration for this repository came out wrong");
	config_release(&config);
	return ERR_OK;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A link would lead out of the repository. */
static int check_folder(const struct setup *setup, const char *name, struct error *err)
{
	char *path = file_join(setup->root, name);
	int rc = ERR_OK;

	if (file_is_link(path))
		rc = error_set(
			err, ERR_USAGE, "%s is a symbolic link: nothing is written there", path);
	free(path);
	return rc;
}

static int check_target(
	const struct setup *setup, const struct init_file *file, bool force, struct error *err)
{
	char *path = file_join(setup->root, file->path);
	int rc = ERR_OK;

	if (file_is_link(path))
		rc = error_set(
			err, ERR_USAGE, "%s is a symbolic link: it is not overwritten", path);
	else if (!force && file_exists(path))
		rc = error_set(err, ERR_USAGE,
			"%s is there already: --force overwrites it, "
			"--dry-run shows what would be written",
			file->path);
	free(path);
	return rc;
}

/* All or nothing, as far as it can be told beforehand. */
static int check_targets(const struct setup *setup, bool force, struct error *err)
{
	int rc = check_folder(setup, ".github", err);

	if (!rc)
		rc = check_folder(setup, WORKFLOWS, err);
	for (size_t i = 0; i < FILE_COUNT && !rc; i++)
		rc = check_target(setup, &setup->files[i], force, err);
	return rc;
}

static int write_files(const struct setup *setup, struct error *err)
{
	char *folder = file_join(setup->root, WORKFLOWS);
	int rc = file_mkdirs(folder, err);

	for (size_t i = 0; i < FILE_COUNT && !rc; i++) {
		const struct init_file *file = &setup->files[i];
		char *path = file_join(setup->root, file->path);

		rc = file_write(path, file->text.data, file->text.length, err);
		free(path);
	}
	free(folder);
	return rc;
}

/* ---- saying it ---------------------------------------------------------------------------- */

static void say_candidates(
	const struct detection *found, enum detect_readiness readiness, const char *title)
{
	bool first = true;

	for (size_t i = 0; i < found->candidate_count; i++) {
		const struct detect_candidate *one = &found->candidates[i];

		if (one->readiness != readiness)
			continue;
		if (first)
			printf("%s\n", title);
		first = false;
		printf("  %-20s %s   [%s%s%s]\n", one->name, one->command, one->found_in,
			*one->harness ? ", " : "", one->harness);
		if (*one->advice)
			printf("  %-20s   %s\n", "", one->advice);
	}
}

static void say_found(const struct setup *setup)
{
	const struct detection *found = &setup->found;
	struct strbuf root = STRBUF_INIT;

	text_defuse(&root, setup->root, strlen(setup->root));
	printf("Found in %s\n", root.data);
	strbuf_release(&root);
	for (size_t i = 0; i < found->system_count; i++)
		printf("  %s\n", found->systems[i]);
	if (!found->system_count)
		puts("  no build system that init knows");
	say_candidates(found, DETECT_RUNS, "Runs now");
	say_candidates(found, DETECT_TIMED, "Runs for a fixed time: its clock is replayed");
	say_candidates(found, DETECT_UNRECOGNISED,
		"Found, not recognised: check that each does the same work on every run");
	say_candidates(found, DETECT_NEEDS_COUNT, "Needs a fixed iteration count");
	say_candidates(found, DETECT_UNSUPPORTED, "Not yet supported");
}

static bool proposes_any(const struct detection *found)
{
	return found->candidate_count && detect_is_proposed(found, &found->candidates[0]);
}

static void say_undecided(const struct setup *setup)
{
	const struct detection *found = &setup->found;

	puts("Could not be decided");
	if (!proposes_any(found))
		puts("  what to measure: put a command into " CONFIG_FILE_NAME
		     " in place of the example");
	puts("  where the actions will be: " INIT_ACTIONS "@v1 is a placeholder for now");
	puts("  which packages the build needs on the runner: see the comment in the workflows");
	if (setup->branch_guessed)
		puts("  which branch is the default one: main is written");
	for (size_t i = 0; i < found->too_large_count; i++)
		printf("  what is in %s: too large to be read\n", found->too_large[i]);
	if (found->odd_names)
		printf("  what to do with %zu files or targets with unusual names: left out\n",
			found->odd_names);
	if (found->cut)
		puts("  what else there is: the tree is too large or too deep to be seen whole");
}

static void print_files(const struct setup *setup)
{
	for (size_t i = 0; i < FILE_COUNT; i++)
		printf("---- %s ----\n%s\n", setup->files[i].path, setup->files[i].text.data);
}

static void say_written(const struct setup *setup)
{
	puts("Written");
	for (size_t i = 0; i < FILE_COUNT; i++)
		printf("  %s\n", setup->files[i].path);
}

/* ---- the command -------------------------------------------------------------------------- */

static int write_and_say(
	const struct setup *setup, const struct init_settings *settings, struct error *err)
{
	int rc = check_config(setup, err);

	if (!rc && !settings->dry_run)
		rc = check_targets(setup, settings->force, err);
	if (!rc && !settings->dry_run)
		rc = write_files(setup, err);
	if (rc)
		return rc;
	say_found(setup);
	if (settings->dry_run)
		print_files(setup);
	else
		say_written(setup);
	say_undecided(setup);
	if (proposes_any(&setup->found))
		puts("Next: commit these files; flamegate record then shows times and spreads");
	else
		puts("Next: edit " CONFIG_FILE_NAME
		     " and commit these files; then flamegate record");
	return ERR_OK;
}

/* What CMake itself says of its projects counts; then all is built and run. */
static int try_found(struct repo *repo, struct setup *setup, struct error *err)
{
	struct init_configured configured;
	struct detection found;
	int rc = init_configure(repo, &setup->found, &configured, err);

	if (!rc)
		rc = detect_scan(setup->root, configured.items, configured.count, &found, err);
	init_configured_release(&configured);
	if (rc)
		return rc;
	/* Reasons are in the old one's memory. */
	setup->before = setup->found;
	setup->found = found;
	return init_try(repo, &setup->found, err);
}

static int set_up(struct repo *repo, const struct init_settings *settings, struct error *err)
{
	struct setup setup = {.root = repo_root(repo)};
	struct arena arena = ARENA_INIT;
	const char *branch;
	int rc = repo_default_branch(repo, &arena, &branch, err);

	if (!rc)
		rc = detect_scan(setup.root, NULL, 0, &setup.found, err);
	if (!rc) {
		choose_branch(&setup, branch);
		if (settings->try)
			rc = try_found(repo, &setup, err);
		make_texts(&setup);
		if (!rc)
			rc = write_and_say(&setup, settings, err);
		for (size_t i = 0; i < FILE_COUNT; i++)
			strbuf_release(&setup.files[i].text);
		detection_release(&setup.found);
		detection_release(&setup.before);
	}
	arena_release(&arena);
	return rc;
}

static int run(void *data, const char *const *operands, struct error *err)
{
	const struct init_settings *settings = data;
	struct repo *repo;
	int rc;

	if (operands[0]) {
		error_set(err, ERR_USAGE, "init takes no operands ('%s'); did you mean -C %s?",
			operands[0], operands[0]);
		return -1;
	}
	if (repo_open(settings->directory ? settings->directory : ".", &repo, err))
		return -1;
	rc = set_up(repo, settings, err);
	repo_free(repo);
	return rc ? -1 : 0;
}

const struct command command_init = {
	.name = "init",
	.summary = "write a configuration and workflows from what is found here",
	.operands = "",
	.text = "Looks at the repository's files for benchmarks, runs nothing (but by --try), and "
		"writes " CONFIG_FILE_NAME ",\n" WORKFLOWS
		"/flamegate.yml for pull requests and\n" WORKFLOWS
		"/flamegate-record.yml for the default branch.",
	.options = init_options_table,
	.option_count = sizeof(init_options_table) / sizeof(init_options_table[0]),
	.settings_size = sizeof(struct init_settings),
	.run = run,
};
