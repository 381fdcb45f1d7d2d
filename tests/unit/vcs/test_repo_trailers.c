/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

#define KEY "Accept-It"

/* A repository "work" whose HEAD, above the tag v0, has this message (printf's format). */
static void commit_message(struct scene *scene, const char *message)
{
	struct strbuf script = STRBUF_INIT;

	strbuf_addf(&script,
		"rm -rf work && git init -q work && cd work &&"
		"git commit -q --allow-empty -m 'base\n\n" KEY ": before' && git tag v0 &&"
		"printf '%s' | git commit -q --allow-empty --allow-empty-message "
		"--cleanup=verbatim -F -",
		message);
	sh(scene, script.data);
	strbuf_release(&script);
	repo_free(scene->repo);
	scene->repo = NULL;
	open_repo(scene, "work");
}

/* "value|value|": of head's commits above v0. */
static char *values(struct scene *scene, size_t max)
{
	struct arena arena = ARENA_INIT;
	char base[OBJECT_ID_SIZE], head[OBJECT_ID_SIZE];
	const struct repo_trailer *trailers;
	struct strbuf out = STRBUF_INIT;
	size_t count;

	assert_int_equal(repo_resolve_commit(scene->repo, "v0", base, &scene->err), ERR_OK);
	assert_int_equal(repo_resolve_commit(scene->repo, "HEAD", head, &scene->err), ERR_OK);
	if (repo_trailers(
		    scene->repo, base, head, KEY, max, &arena, &trailers, &count, &scene->err))
		fail_msg("%s", scene->err.message);
	for (size_t i = 0; i < count; i++) {
		assert_true(object_id_is_valid(trailers[i].commit, strlen(trailers[i].commit)));
		assert_string_equal(trailers[i].email, "c@example.com");
		strbuf_addf(&out, "%s|", trailers[i].value);
	}
	arena_release(&arena);
	return strbuf_detach(&out, NULL);
}

static void assert_values(struct scene *scene, const char *message, const char *expected)
{
	char *found;

	commit_message(scene, message);
	found = values(scene, 100);
	assert_string_equal(found, expected);
	free(found);
}

static void test_trailers_stand_in_the_last_paragraph(void **state)
{
	struct scene *scene = *state;

	assert_values(scene, "subject\\n\\n" KEY ": a b\\n", "a b|");
	assert_values(scene,
		"subject\\n\\nbody\\n\\nACCEPT-it:  x  \\nSigned-off-by: A\\n" KEY ": y\\n",
		"x|y|");
	assert_values(scene, "subject\\n\\n" KEY ": a\\n\\nno trailer\\n", "");
	assert_values(scene, KEY ": in the subject\\n", "");
	assert_values(scene, "subject\\n\\nprose\\nprose\\nprose\\nprose\\n" KEY ": a\\n", "");
	assert_values(scene, "", "");
}

static void test_what_is_folded_is_one_line(void **state)
{
	assert_values(*state, "subject\\n\\n" KEY ": a\\n  b\\n\\tc\\nOther: d\\n", "a b c|");
}

static void test_hostile_text_is_inert(void **state)
{
	assert_values(*state, "subject\\n\\n" KEY ": ::error::x\\n" KEY ": \\033[31mred\\377\\r\\n",
		":\xe2\x80\x8b:error::x|red\xc3\xbf|");
}

static void test_the_newest_come_first_and_are_bounded(void **state)
{
	struct scene *scene = *state;
	char *found;

	commit_message(scene, "one\\n\\n" KEY ": 1\\n");
	sh(scene, "cd work && git commit -q --allow-empty -m 'two\n\n" KEY ": 2' &&"
		  "git config log.showSignature true && git config i18n.logOutputEncoding latin1");
	found = values(scene, 100);
	assert_string_equal(found, "2|1|");
	free(found);
	found = values(scene, 1);
	assert_string_equal(found, "2|");
	free(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_trailers_stand_in_the_last_paragraph),
		BOTH_WAYS(test_what_is_folded_is_one_line),
		BOTH_WAYS(test_hostile_text_is_inert),
		BOTH_WAYS(test_the_newest_come_first_and_are_bounded),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
