/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

#include <arpa/inet.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

/*
 * "server": main with SCENE_MAIN commits, topic with SCENE_TOPIC of its own from main~20, and
 * refs/pull/7/merge, which merges topic into main, as GitHub makes it.
 */
static void make_server(struct scene *scene, const char *main_count, const char *topic_count)
{
	setenv("SCENE_MAIN", main_count, 1);
	setenv("SCENE_TOPIC", topic_count, 1);
	sh(scene,
		"git init -q --bare server && cd server &&"
		"commit() { printf 'commit %s\\nmark :%d\\ncommitter c <c@c> %d +0000\\ndata "
		"1\\nx\\n'"
		" \"$1\" \"$2\" \"$2\"; } &&"
		"{ n=1; while [ $n -le $SCENE_MAIN ]; do commit refs/heads/main $n;"
		" n=$((n + 1)); done;"
		" t=1; while [ $t -le $SCENE_TOPIC ]; do commit refs/heads/topic $n;"
		" [ $t -gt 1 ] || echo from :$((SCENE_MAIN - 20)); n=$((n + 1)); t=$((t + 1)); "
		"done;"
		" commit refs/pull/7/merge $n; echo from :$SCENE_MAIN; echo merge :$((n - 1)); } |"
		"git fast-import --quiet");
}

static char *url_of_file(struct scene *scene)
{
	return shell(scene, "echo \"file://$PWD/server\"");
}

/* As actions/checkout does on pull_request. */
static void check_out_merge(struct scene *scene, const char *url, const char *depth)
{
	setenv("SCENE_URL", url, 1);
	setenv("SCENE_DEPTH", depth, 1);
	sh(scene, "git init -q work && cd work && git remote add origin \"$SCENE_URL\" &&"
		  "git fetch -q --no-tags --prune --depth=$SCENE_DEPTH origin"
		  " +$(git -C ../server rev-parse refs/pull/7/merge):refs/remotes/pull/7/merge &&"
		  "git checkout -q --force refs/remotes/pull/7/merge");
	open_repo(scene, "work");
}

static int deepen(
	struct scene *scene, const char *target, const char *head, size_t max, size_t *fetches)
{
	return repo_deepen_to_merge_base(
		scene->repo, "origin", target, head, max, fetches, &scene->err);
}

static void assert_deepens(
	struct scene *scene, const char *head, const char *base, size_t least, size_t most)
{
	char id[OBJECT_ID_SIZE], script[200];
	size_t fetches = 99;

	if (deepen(scene, "main", head, 0, &fetches))
		fail_msg("%s", scene->err.message);
	assert_in_range(fetches, least, most);
	assert_int_equal(
		repo_merge_base(scene->repo, "origin/main", head, id, &scene->err), ERR_OK);
	snprintf(script, sizeof(script), "git -C server rev-parse %s", base);
	assert_shell_prints(scene, script, id);
	/* Nothing more to do then. */
	assert_int_equal(deepen(scene, "main", head, 0, &fetches), ERR_OK);
	assert_int_equal(fetches, 0);
}

static void test_merge_commit_of_depth_one_needs_one_fetch(void **state)
{
	struct scene *scene = *state;
	char *url = url_of_file(scene);

	make_server(scene, "300", "5");
	check_out_merge(scene, url, "1");
	sh(scene, "rm work/.git/FETCH_HEAD");
	assert_deepens(scene, "HEAD", "main", 1, 1);
	assert_true(repo_is_shallow(scene->repo));
	sh(scene, "test $(git -C work rev-list --count origin/main) -lt 100");
	assert_shell_prints(scene, "git -C work for-each-ref --format='%(refname)'",
		"refs/remotes/origin/main\nrefs/remotes/pull/7/merge");
	assert_shell_prints(
		scene, "find work/.git -name FETCH_HEAD; git -C work status --porcelain", "");
	free(url);
}

static void test_far_merge_base_takes_growing_steps(void **state)
{
	struct scene *scene = *state;

	make_server(scene, "1000", "400");
	sh(scene, "git clone -q --depth 1 -b topic \"file://$PWD/server\" work");
	open_repo(scene, "work");
	/* 1 + 50, and the steps 50, 200, 800. */
	assert_deepens(scene, "HEAD", "main~20", 4, 4);
	assert_shell_prints(scene, "git -C work rev-parse --abbrev-ref HEAD", "topic");
}

static void test_what_is_there_is_never_cut_off(void **state)
{
	struct scene *scene = *state;

	make_server(scene, "600", "5");
	sh(scene, "git clone -q --depth 200 -b topic \"file://$PWD/server\" work");
	open_repo(scene, "work");
	assert_deepens(scene, "HEAD", "main~20", 1, 1);
	sh(scene, "test $(git -C work rev-list --count HEAD) -ge 200");
}

static void test_target_that_is_there_is_only_deepened(void **state)
{
	struct scene *scene = *state;

	make_server(scene, "300", "5");
	sh(scene, "git clone -q --depth 1 --no-single-branch -b topic \"file://$PWD/server\" work");
	open_repo(scene, "work");
	assert_deepens(scene, "HEAD", "main~20", 1, 1);
}

static void test_complete_clone_is_left_alone(void **state)
{
	struct scene *scene = *state;
	size_t fetches = 99;

	make_server(scene, "30", "5");
	sh(scene, "git clone -q -b topic \"file://$PWD/server\" work && git -C work config"
		  " remote.origin.url /nowhere");
	open_repo(scene, "work");
	assert_int_equal(deepen(scene, "main", "HEAD", 0, &fetches), ERR_OK);
	assert_int_equal(fetches, 0);
}

static void test_complete_clone_of_one_branch_gets_the_other(void **state)
{
	struct scene *scene = *state;

	make_server(scene, "300", "5");
	sh(scene, "git -C server branch old main~200 &&"
		  "git clone -q --single-branch -b old \"file://$PWD/server\" work");
	open_repo(scene, "work");
	assert_deepens(scene, "HEAD", "main~200", 1, 1);
	assert_false(repo_is_shallow(scene->repo));
	assert_shell_prints(scene, "git -C work rev-parse --is-shallow-repository", "false");
	assert_shell_prints(scene, "git -C work rev-list --count origin/main", "300");
}

static void test_commits_that_were_not_pushed_do_no_harm(void **state)
{
	struct scene *scene = *state;

	make_server(scene, "300", "70");
	sh(scene,
		"git clone -q --depth 1 -b topic \"file://$PWD/server\" work && cd work &&"
		"git commit -q --allow-empty -m mine && git commit -q --allow-empty -m 'mine too'");
	open_repo(scene, "work");
	/* The first try names head, which the server does not have. */
	assert_deepens(scene, "HEAD", "main~20", 2, 3);
	assert_shell_prints(scene, "git -C work log -1 --format=%s", "mine too");
}

static void test_server_that_gives_nothing_by_id_is_asked_for_branches(void **state)
{
	struct scene *scene = *state;
	char *url = url_of_file(scene);

	make_server(scene, "300", "70");
	/* The tip of a branch would be given: it is advertised. */
	sh(scene,
		"git clone -q --depth 1 -b topic \"file://$PWD/server\" work &&"
		"git -C work config protocol.version 0 && git -C server update-ref refs/heads/topic"
		" $(git -C server commit-tree -p topic -m later main^{tree})");
	open_repo(scene, "work");
	assert_deepens(scene, "HEAD", "main~20", 3, 4);
	/* The remote's other branches stay where they were. */
	sh(scene,
		"test $(git -C work rev-parse origin/topic) = $(git -C server rev-parse topic~1)");
	repo_free(scene->repo);
	sh(scene, "mv work branch");
	check_out_merge(scene, url, "1");
	sh(scene, "git -C work config protocol.version 0 &&"
		  "git -C server update-ref refs/heads/main main~3 && "
		  "git -C server update-ref refs/pull/7/merge $(git -C server commit-tree"
		  " -p refs/pull/7/merge -m later main^{tree})");
	assert_deepens(scene, "HEAD", "main", 1, 3);
	free(url);
}

static void test_histories_without_a_common_ancestor_end(void **state)
{
	struct scene *scene = *state;
	size_t fetches = 99;

	make_server(scene, "300", "5");
	sh(scene, "git -C server update-ref refs/heads/other"
		  " $(git -C server commit-tree -m root main^{tree}) &&"
		  "git clone -q --depth 1 -b other \"file://$PWD/server\" work");
	open_repo(scene, "work");
	assert_int_equal(deepen(scene, "main", "HEAD", 0, &fetches), ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "no common ancestor"));
	assert_null(strstr(scene->err.message, "within"));
	assert_false(repo_is_shallow(scene->repo));
	assert_int_equal(fetches, 99);
}

static void test_limit_ends_the_search_and_says_what_to_set(void **state)
{
	struct scene *scene = *state;
	size_t fetches = 99;

	make_server(scene, "600", "400");
	sh(scene, "git clone -q --depth 1 -b topic \"file://$PWD/server\" work");
	open_repo(scene, "work");
	assert_int_equal(deepen(scene, "main", "HEAD", 120, &fetches), ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "within 120 commits"));
	assert_non_null(strstr(scene->err.message, "fetch-depth: 0"));
	assert_int_equal(fetches, 99);
	assert_shell_prints(scene, "git -C work rev-list --count HEAD", "171");
}

/* ---- to an ancestor, as after a push ----------------------------------------------------- */

static void clone_main(struct scene *scene)
{
	make_server(scene, "300", "70");
	sh(scene, "git clone -q --depth 1 -b main \"file://$PWD/server\" work");
	open_repo(scene, "work");
}

static int deepen_to(struct scene *scene, const char *revision, size_t max, size_t *fetches)
{
	char script[200], *ancestor;
	int rc;

	snprintf(script, sizeof(script), "git -C server rev-parse %s", revision);
	ancestor = shell(scene, script);
	rc = repo_deepen_to_ancestor(
		scene->repo, "origin", "main", ancestor, "HEAD", max, fetches, &scene->err);
	free(ancestor);
	return rc;
}

static void test_ancestor_is_fetched_in_growing_steps(void **state)
{
	struct scene *scene = *state;
	size_t fetches = 99;

	clone_main(scene);
	assert_int_equal(deepen_to(scene, "main", 0, &fetches), ERR_OK);
	assert_int_equal(fetches, 0);
	assert_int_equal(deepen_to(scene, "main~3", 0, &fetches), ERR_OK);
	assert_int_equal(fetches, 1);
	assert_int_equal(deepen_to(scene, "main~200", 0, &fetches), ERR_OK);
	assert_in_range(fetches, 1, 3);
	assert_int_equal(deepen_to(scene, "main~100", 0, &fetches), ERR_OK);
	assert_int_equal(fetches, 0);
}

/* A force push: the search ends with the history. */
static void test_commit_that_is_no_ancestor_is_not_found(void **state)
{
	struct scene *scene = *state;
	size_t fetches = 99;

	clone_main(scene);
	assert_int_equal(deepen_to(scene, "topic", 120, &fetches), ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "last 120 commits"));
	assert_int_equal(deepen_to(scene, "topic", 0, &fetches), ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "is no ancestor"));
	assert_int_equal(fetches, 99);
	assert_shell_prints(scene, "git -C work rev-list --count HEAD", "300");
}

static void test_missing_branch_remote_and_server_are_told_apart(void **state)
{
	struct scene *scene = *state;
	size_t fetches = 99;

	make_server(scene, "30", "5");
	sh(scene, "git clone -q --depth 1 -b topic \"file://$PWD/server\" work");
	open_repo(scene, "work");
	assert_int_equal(deepen(scene, "nosuch", "HEAD", 0, &fetches), ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "has no branch nosuch"));
	assert_int_equal(repo_deepen_to_merge_base(
				 scene->repo, "upstream", "main", "HEAD", 0, &fetches, &scene->err),
		ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "no remote upstream"));
	assert_int_equal(deepen(scene, "main", "nohead", 0, &fetches), ERR_NOT_FOUND);
	sh(scene, "mv server away");
	assert_int_equal(deepen(scene, "main", "HEAD", 0, &fetches), ERR_TOOL);
	assert_non_null(strstr(scene->err.message, "fetch-depth: 0"));
	assert_non_null(strstr(scene->err.message, "main from origin"));
	assert_int_equal(fetches, 99);
}

static void test_hostile_names_are_refused(void **state)
{
	static const char *const names[][2] = {{"origin", "-x"},
		{"origin", "--upload-pack=touch x"}, {"origin", "main~1"},
		{"origin", "main:refs/heads/topic"}, {"origin", ""}, {"", "main"},
		{"origin", "^main"}, {"--upload-pack=touch owned;", "main"},
		{"ext::sh -c 'touch owned'", "main"}, {"-x", "main"}, {"../server", "main"},
		{"origin", "*"}, {"origin", "@{u}"}};
	struct scene *scene = *state;
	size_t fetches = 99;

	make_server(scene, "30", "5");
	sh(scene, "git clone -q --depth 1 --no-single-branch -b topic \"file://$PWD/server\" work");
	open_repo(scene, "work");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int rc = repo_deepen_to_merge_base(
			scene->repo, names[i][0], names[i][1], "HEAD", 0, &fetches, &scene->err);

		if (rc != ERR_USAGE && rc != ERR_NOT_FOUND)
			fail_msg("%s %s: %d %s", names[i][0], names[i][1], rc, scene->err.message);
	}
	assert_shell_prints(scene,
		"find . -name 'owned*' -o -name x; git -C work for-each-ref"
		" --format='%(refname)'",
		"refs/heads/topic\nrefs/remotes/origin/HEAD\nrefs/remotes/origin/main\n"
		"refs/remotes/origin/topic");
}

static void test_users_settings_do_not_widen_the_fetch(void **state)
{
	struct scene *scene = *state;

	make_server(scene, "300", "70");
	sh(scene, "git -C server tag v1 main && git -C server branch more main &&"
		  "git clone -q --depth 1 -b topic --no-tags \"file://$PWD/server\" work && cd "
		  "work &&"
		  "git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' &&"
		  "git config remote.origin.tagOpt --tags && git config fetch.prune true &&"
		  "git config fetch.pruneTags true && git tag own && git config fetch.depth 3");
	open_repo(scene, "work");
	assert_deepens(scene, "HEAD", "main~20", 2, 2);
	assert_shell_prints(scene, "git -C work for-each-ref --format='%(refname)'",
		"refs/heads/topic\nrefs/remotes/origin/main\nrefs/remotes/origin/topic\n"
		"refs/tags/own");
}

static void test_sha256_clone_is_deepened(void **state)
{
	struct scene *scene = *state;
	char *url = url_of_file(scene);

	setenv("GIT_DEFAULT_HASH", "sha256", 1);
	make_server(scene, "300", "5");
	check_out_merge(scene, url, "1");
	unsetenv("GIT_DEFAULT_HASH");
	assert_deepens(scene, "HEAD", "main", 1, 1);
	free(url);
}

static void test_partial_clone_is_deepened(void **state)
{
	struct scene *scene = *state;

	make_server(scene, "300", "70");
	sh(scene, "git -C server config uploadpack.allowFilter true &&"
		  "git clone -q --depth 1 -b topic --filter=blob:none --sparse"
		  " \"file://$PWD/server\" work");
	open_repo(scene, "work");
	assert_deepens(scene, "HEAD", "main~20", 2, 2);
}

/* ---- git daemon --------------------------------------------------------------------------- */

static void serve(int listener, const char *folder)
{
	char base_path[PATH_MAX + 20];

	snprintf(base_path, sizeof(base_path), "--base-path=%s", folder);
	signal(SIGCHLD, SIG_IGN);
	/* A test that fails must not leave it, holding the harness's pipe. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int connection = accept(listener, NULL, NULL);

		if (connection < 0)
			_exit(1);
		if (fork() == 0) {
			dup2(connection, 0);
			dup2(connection, 1);
			signal(SIGCHLD, SIG_DFL);
			execlp("git", "git", "daemon", "--inetd", "--export-all", base_path,
				(char *)NULL);
			_exit(127);
		}
		close(connection);
	}
}

static pid_t start_daemon(struct scene *scene, unsigned *port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(listener, 16), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	*port = ntohs(address.sin_port);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		serve(listener, scene->dir);
	close(listener);
	return pid;
}

static bool has_daemon(const struct scene *scene)
{
	char *found =
		shell(scene, "test -x \"$(git --exec-path)/git-daemon\" && echo yes || echo no");
	bool yes = strcmp(found, "yes") == 0;

	free(found);
	return yes;
}

static void test_git_daemon_is_asked_in_both_protocols(void **state)
{
	struct scene *scene = *state;
	char url[64];
	unsigned port;
	pid_t pid;

	if (!has_daemon(scene))
		skip();
	make_server(scene, "300", "70");
	pid = start_daemon(scene, &port);
	snprintf(url, sizeof(url), "git://127.0.0.1:%u/server", port);
	check_out_merge(scene, url, "1");
	assert_deepens(scene, "HEAD", "main", 1, 1);
	repo_free(scene->repo);
	sh(scene, "rm -rf work && git clone -q --depth 1 -b topic \"$SCENE_URL\" work &&"
		  "git -C work config protocol.version 0");
	open_repo(scene, "work");
	assert_deepens(scene, "HEAD", "main~20", 2, 2);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	repo_free(scene->repo);
	sh(scene, "rm -rf work && git clone -q --depth 1 -b topic \"file://$PWD/server\" work &&"
		  "git -C work remote set-url origin \"$SCENE_URL\"");
	open_repo(scene, "work");
	assert_int_equal(deepen(scene, "main", "HEAD", 0, NULL), ERR_TOOL);
}

/* ---- git http-backend --------------------------------------------------------------------- */

#define HTTP_SERVER "tests/baseline/git_server.py"

/* Prints its port, and then serves the scene's folder with basic authentication. */
static pid_t start_http(struct scene *scene, unsigned *port)
{
	char line[32];
	int ends[2];
	FILE *answer;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], 1);
		close(ends[0]);
		execlp("python3", "python3", HTTP_SERVER, "http", scene->dir, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	answer = fdopen(ends[0], "r");
	assert_non_null(answer);
	assert_non_null(fgets(line, sizeof(line), answer));
	fclose(answer);
	*port = (unsigned)strtoul(line, NULL, 10);
	return pid;
}

static void test_http_server_is_asked_with_the_checkouts_credentials(void **state)
{
	struct scene *scene = *state;
	size_t fetches = 99;
	unsigned port;
	pid_t pid;
	char url[64];

	if (access(HTTP_SERVER, R_OK) != 0)
		skip();
	make_server(scene, "300", "70");
	pid = start_http(scene, &port);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/server", port);
	setenv("SCENE_URL", url, 1);
	/* As actions/checkout leaves it: the header in the repository's configuration. */
	sh(scene, "git clone -q --depth 1 -b topic \"file://$PWD/server\" work && cd work &&"
		  "git remote set-url origin \"$SCENE_URL\" && git config"
		  " \"http.$(dirname $SCENE_URL)/.extraheader\""
		  " \"AUTHORIZATION: basic $(printf ci:s3cret | base64)\"");
	open_repo(scene, "work");
	assert_deepens(scene, "HEAD", "main~20", 2, 2);
	repo_free(scene->repo);
	sh(scene, "rm -rf work && git clone -q --depth 1 -b topic \"file://$PWD/server\" work &&"
		  "git -C work remote set-url origin \"$SCENE_URL\"");
	open_repo(scene, "work");
	assert_int_equal(deepen(scene, "main", "HEAD", 0, &fetches), ERR_TOOL);
	assert_non_null(strstr(scene->err.message, "fetch-depth: 0"));
	assert_int_equal(fetches, 99);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_merge_commit_of_depth_one_needs_one_fetch),
		BOTH_WAYS(test_far_merge_base_takes_growing_steps),
		BOTH_WAYS(test_what_is_there_is_never_cut_off),
		BOTH_WAYS(test_target_that_is_there_is_only_deepened),
		BOTH_WAYS(test_complete_clone_is_left_alone),
		BOTH_WAYS(test_complete_clone_of_one_branch_gets_the_other),
		BOTH_WAYS(test_commits_that_were_not_pushed_do_no_harm),
		BOTH_WAYS(test_server_that_gives_nothing_by_id_is_asked_for_branches),
		BOTH_WAYS(test_histories_without_a_common_ancestor_end),
		BOTH_WAYS(test_limit_ends_the_search_and_says_what_to_set),
		BOTH_WAYS(test_ancestor_is_fetched_in_growing_steps),
		BOTH_WAYS(test_commit_that_is_no_ancestor_is_not_found),
		BOTH_WAYS(test_missing_branch_remote_and_server_are_told_apart),
		BOTH_WAYS(test_hostile_names_are_refused),
		BOTH_WAYS(test_users_settings_do_not_widen_the_fetch),
		BOTH_WAYS(test_sha256_clone_is_deepened),
		BOTH_WAYS(test_partial_clone_is_deepened),
		BOTH_WAYS(test_git_daemon_is_asked_in_both_protocols),
		BOTH_WAYS(test_http_server_is_asked_with_the_checkouts_credentials),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
