/* SPDX-License-Identifier: Apache-2.0 */
/* What git gets of our variables, and what outlives it, before and after the project's code has had
 * its chance to change git. An alias of git's shows what it was given. */
#include "gate/vcs/git_internal.h"

#include <signal.h>

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

#define SHOW_ENVIRONMENT "-c", "alias.given=!env", "given"

static bool only_path_is_plain(const char *name, size_t length, const char *value)
{
	(void)value;
	return length == 4 && strncmp(name, "PATH", 4) == 0;
}

static int set_up(void **state)
{
	struct scene *scene = scene_new(false);

	make_repo(scene);
	setenv("A_TOKEN", "secret", 1);
	setenv("GIT_SSH_COMMAND", "sshpass -p secret ssh", 1);
	setenv("GIT_CONFIG_COUNT", "3", 1);
	setenv("GIT_CONFIG_KEY_1", "http.http://server/.extraheader", 1);
	setenv("GIT_CONFIG_VALUE_1", "AUTHORIZATION: secret", 1);
	setenv("GIT_CONFIG_KEY_2", "url.http://user:secret@server/.insteadOf", 1);
	setenv("GIT_CONFIG_VALUE_2", "http://server/", 1);
	*state = scene;
	return 0;
}

static int end(void **state)
{
	git_expect_no_code();
	return tear_down(state);
}

static void run_git(struct scene *scene, const struct git_command *command)
{
	if (git_run(command, &scene->err))
		fail_msg("%s", scene->err.message);
}

/* What git is given in a folder of the scene's, with more variables of the command's own. */
static char *shown(struct scene *scene, const char *folder, bool network, const char *const *own)
{
	char *path = file_join(scene->dir, folder);
	struct strbuf out = STRBUF_INIT;

	run_git(scene, &(struct git_command){.directory = path,
			       .args = GIT_ARGS(SHOW_ENVIRONMENT),
			       .env = own,
			       .network = network,
			       .out = &out});
	free(path);
	return strbuf_detach(&out, NULL);
}

static bool gets_secrets(struct scene *scene, const char *folder, bool network)
{
	char *text = shown(scene, folder, network, NULL);
	bool all = strstr(text, "A_TOKEN=secret") && strstr(text, "AUTHORIZATION: secret");

	if (!all && strstr(text, "secret"))
		fail_msg("%s", text);
	free(text);
	return all;
}

static void test_git_gets_all_until_code_is_expected(void **state)
{
	struct scene *scene = *state;

	assert_true(gets_secrets(scene, "work", false));
	assert_true(gets_secrets(scene, "work", true));
}

static void test_a_server_is_still_reached_while_nothing_has_changed(void **state)
{
	struct scene *scene = *state;

	repo_expect_code(scene->repo, only_path_is_plain);
	sh(scene, "echo built >work/product && cd work && git tag built");
	assert_true(gets_secrets(scene, "work", true));
	assert_true(gets_secrets(scene, "work", true));
}

static void test_what_needs_no_server_gets_no_secret(void **state)
{
	struct scene *scene = *state;
	char *text;

	repo_expect_code(scene->repo, only_path_is_plain);
	assert_false(gets_secrets(scene, "work", false));
	text = shown(scene, "work", false, GIT_ARGS("OWN=1"));
	assert_non_null(strstr(text, "\nOWN=1\n"));
	assert_non_null(strstr(text, "PATH=/"));
	assert_null(strstr(text, "HOME="));
	free(text);
}

static void test_settings_without_a_secret_stay_in_their_places(void **state)
{
	struct scene *scene = *state;
	char *text;

	repo_expect_code(scene->repo, only_path_is_plain);
	text = shown(scene, "work", false, NULL);
	assert_non_null(strstr(text, "GIT_CONFIG_COUNT=3\n"));
	assert_non_null(strstr(text, "GIT_CONFIG_KEY_0=init.defaultBranch\n"));
	assert_non_null(strstr(text, "GIT_CONFIG_VALUE_0=main\n"));
	assert_non_null(strstr(text, "GIT_CONFIG_KEY_1=flamegate.withheld\n"));
	assert_non_null(strstr(text, "GIT_CONFIG_VALUE_1=\n"));
	assert_non_null(strstr(text, "GIT_CONFIG_KEY_2=flamegate.withheld\n"));
	assert_non_null(strstr(text, "GIT_CONFIG_VALUE_2=\n"));
	free(text);
}

static void test_another_repository_gets_no_secret(void **state)
{
	struct scene *scene = *state;
	char *text;

	sh(scene, "git init -q other");
	repo_expect_code(scene->repo, only_path_is_plain);
	assert_false(gets_secrets(scene, "other", true));
	text = shown(scene, "work", true, GIT_ARGS("GIT_DIR=../other/.git"));
	assert_null(strstr(text, "secret"));
	free(text);
}

static void test_a_worktree_is_the_same_repository(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "tree");

	repo_expect_code(scene->repo, only_path_is_plain);
	assert_int_equal(repo_worktree_add(scene->repo, "v1", path, &scene->err), ERR_OK);
	assert_true(gets_secrets(scene, "tree", true));
	sh(scene, "rm tree/.git && git init -q tree");
	assert_false(gets_secrets(scene, "tree", true));
	free(path);
}

static void test_what_git_itself_sets_for_us_changes_nothing(void **state)
{
	struct scene *scene = *state;

	repo_expect_code(scene->repo, only_path_is_plain);
	run_git(scene, &(struct git_command){.directory = repo_root(scene->repo),
			       .args = GIT_ARGS("config", "submodule.lib.url", "x"),
			       .network = true});
	assert_true(gets_secrets(scene, "work", true));
}

/* After that change nothing gets a secret. */
static void assert_mistrusts(struct scene *scene, const char *change)
{
	repo_expect_code(scene->repo, only_path_is_plain);
	assert_true(gets_secrets(scene, "work", true));
	sh(scene, change);
	if (gets_secrets(scene, "work", true))
		fail_msg("git is trusted after: %s", change);
	git_expect_no_code();
}

static void test_changed_settings_are_found_wherever_they_stand(void **state)
{
	struct scene *scene = *state;

	setenv("XDG_CONFIG_HOME", "/nowhere", 1);
	assert_mistrusts(scene, "git -C work config filter.x.smudge evil");
	assert_mistrusts(scene, "echo >work/.git/config.worktree");
	assert_mistrusts(scene, "git config -f .gitconfig filter.x.smudge evil");
	assert_mistrusts(scene, "mkdir -p .config/git && echo >.config/git/config");
	/* As git does: beside the file that includes it, and below HOME. */
	sh(scene, "git -C work config include.path more && git -C work config "
		  "includeIf.gitdir:/x/.path '~/theirs'");
	assert_mistrusts(scene, "echo >work/.git/more");
	assert_mistrusts(scene, "git config -f work/.git/more filter.x.smudge evil");
	assert_mistrusts(scene, "echo >theirs");
	unsetenv("XDG_CONFIG_HOME");
}

static void test_a_file_put_in_another_ones_place_is_another(void **state)
{
	struct scene *scene = *state;

	sh(scene, "mkdir -p .config/git evil && echo >.config/git/config &&"
		  "cp -p .config/git/config evil/config");
	assert_mistrusts(scene, "mv .config/git .config/old && mv evil .config/git");
	sh(scene, "cp -p work/.git/config same");
	assert_mistrusts(scene, "ln -sf ../../same work/.git/config");
	assert_mistrusts(scene, "cp -p same other && mv -f other same");
	sh(scene, "echo '# a' >>same && touch -r same keep");
	assert_mistrusts(scene, "printf b | dd of=same bs=1 seek=$(($(wc -c <same) - 2))"
				" conv=notrunc status=none && touch -r keep same");
}

static void test_a_failure_names_what_has_changed(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "work");

	repo_expect_code(scene->repo, only_path_is_plain);
	sh(scene, "git -C work config a.b c");
	assert_int_equal(git_run(&(struct git_command){.directory = path,
					 .args = GIT_ARGS("no-such-command"),
					 .network = true},
				 &scene->err),
		ERR_TOOL);
	assert_non_null(strstr(scene->err.message,
		"git was given no credentials: the project's code has changed "));
	assert_non_null(strstr(scene->err.message, "work/.git/config)"));
	free(path);
}

/* The process id of what git leaves running. */
static pid_t leave_behind(struct scene *scene)
{
	struct strbuf out = STRBUF_INIT;
	pid_t pid;

	run_git(scene,
		&(struct git_command){.directory = repo_root(scene->repo),
			.args = GIT_ARGS("-c",
				"alias.leave=!sleep 100 >/dev/null 2>&1 </dev/null & echo $!",
				"leave"),
			.network = true,
			.out = &out});
	pid = (pid_t)strtol(out.data, NULL, 10);
	assert_true(pid > 1);
	strbuf_release(&out);
	return pid;
}

static void test_what_git_starts_outlives_it_only_while_it_is_trusted(void **state)
{
	struct scene *scene = *state;
	pid_t pid = leave_behind(scene);

	assert_int_equal(kill(pid, SIGKILL), 0);
	repo_expect_code(scene->repo, only_path_is_plain);
	pid = leave_behind(scene);
	assert_int_equal(kill(pid, SIGKILL), 0);
	sh(scene, "git -C work config a.b c");
	pid = leave_behind(scene);
	assert_int_equal(kill(pid, 0), -1);
}

#define mistrust_test(name) cmocka_unit_test_setup_teardown(name, set_up, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		mistrust_test(test_git_gets_all_until_code_is_expected),
		mistrust_test(test_a_server_is_still_reached_while_nothing_has_changed),
		mistrust_test(test_what_needs_no_server_gets_no_secret),
		mistrust_test(test_settings_without_a_secret_stay_in_their_places),
		mistrust_test(test_another_repository_gets_no_secret),
		mistrust_test(test_a_worktree_is_the_same_repository),
		mistrust_test(test_what_git_itself_sets_for_us_changes_nothing),
		mistrust_test(test_changed_settings_are_found_wherever_they_stand),
		mistrust_test(test_a_file_put_in_another_ones_place_is_another),
		mistrust_test(test_a_failure_names_what_has_changed),
		mistrust_test(test_what_git_starts_outlives_it_only_while_it_is_trusted),
	};

	isolate();
	return cmocka_run_group_tests_name("git_mistrust", tests, NULL, NULL);
}
