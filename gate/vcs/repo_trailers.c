/* SPDX-License-Identifier: Apache-2.0 */
/* The trailers in the messages of the commits that head has and base does not. */
#include "gate/vcs/repo.h"

#include <git2/message.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gate/base/error.h"
#include "gate/base/text.h"
#include "gate/vcs/repo_internal.h"

#define MESSAGES_LIMIT_BYTES ((size_t)16 * 1024 * 1024)
#define COMMIT_LINE "commit "

struct trailer_list {
	struct arena *arena;
	struct repo_trailer *items;
	size_t count, capacity;
};

/* One line, white space squeezed: a folded value is one sentence. Inert,
 * as all that others wrote. */
static const char *unfold(struct arena *arena, const char *value)
{
	struct strbuf squeezed = STRBUF_INIT, inert = STRBUF_INIT;
	const char *copy;

	for (; *value; value++) {
		bool space = strchr(" \t\r\n\v\f", *value);

		if (!space)
			strbuf_addch(&squeezed, *value);
		else if (squeezed.length && squeezed.data[squeezed.length - 1] != ' ')
			strbuf_addch(&squeezed, ' ');
	}
	if (squeezed.length && squeezed.data[squeezed.length - 1] == ' ')
		strbuf_truncate(&squeezed, squeezed.length - 1);
	text_defuse(&inert, squeezed.data, squeezed.length);
	copy = arena_strndup(arena, inert.data, inert.length);
	strbuf_release(&squeezed);
	strbuf_release(&inert);
	return copy;
}

/* libgit2 does not know that a tab folds a line as well as a blank does. */
static void fold_by_blanks(char *message)
{
	for (char *at = message; (at = strstr(at, "\n\t")); at++)
		at[1] = ' ';
}

static void add_trailers(struct trailer_list *list, const char *commit, const char *email,
	char *message, const char *key)
{
	git_message_trailer_array found;

	fold_by_blanks(message);
	if (git_message_trailers(&found, message) < 0)
		return;
	for (size_t i = 0; i < found.count; i++) {
		if (strcasecmp(found.trailers[i].key, key) != 0)
			continue;
		list->items = grow_array(
			list->items, &list->capacity, list->count + 1, sizeof(*list->items));
		list->items[list->count++] = (struct repo_trailer){
			.commit = commit,
			.email = email,
			.value = unfold(list->arena, found.trailers[i].value),
		};
	}
	git_message_trailer_array_free(&found);
}

/* "commit <id>\n<committer's address>\n<message>", as `git rev-list --format` writes it. */
static bool read_commit(struct trailer_list *list, char *record, const char *key)
{
	char *id = record + strlen(COMMIT_LINE), *email, *message;
	struct strbuf inert = STRBUF_INIT;

	if (strncmp(record, COMMIT_LINE, strlen(COMMIT_LINE)) != 0)
		return false;
	email = strchr(id, '\n');
	if (!email || !object_id_is_valid(id, (size_t)(email - id)))
		return false;
	*email++ = '\0';
	message = strchr(email, '\n');
	if (!message)
		return false;
	*message++ = '\0';
	text_defuse(&inert, email, strlen(email));
	add_trailers(list, arena_strdup(list->arena, id), arena_strdup(list->arena, inert.data),
		message, key);
	strbuf_release(&inert);
	return true;
}

/* The program alone: libgit2 before 1.7 does not know where a shallow history ends. */
static int read_commits(struct repo *repo, const char *range, size_t max_commits,
	struct strbuf *out, struct error *err)
{
	struct strbuf limit = STRBUF_INIT;
	int rc;

	strbuf_addf(&limit, "--max-count=%zu", max_commits);
	rc = git_run(
		&(struct git_command){
			.directory = repo->root,
			.args = GIT_ARGS("rev-list", "--encoding=UTF-8", limit.data,
				"--format=%ce%n%B%x00", "--end-of-options", range),
			.limit = MESSAGES_LIMIT_BYTES,
			.out = out,
		},
		err);
	strbuf_release(&limit);
	return rc;
}

static int read_all(
	struct trailer_list *list, struct strbuf *commits, const char *key, struct error *err)
{
	char *at = commits->data, *end = at + commits->length;

	while (at < end) {
		size_t length = strlen(at);

		if (!read_commit(list, at, key))
			return error_set(err, ERR_TOOL, "git rev-list did not answer with commits");
		at += length + 1;
		at += at < end && *at == '\n';
	}
	return ERR_OK;
}

int repo_trailers(struct repo *repo, const char *base, const char *head, const char *key,
	size_t max_commits, struct arena *arena, const struct repo_trailer **trailers,
	size_t *count, struct error *err)
{
	struct trailer_list list = {.arena = arena};
	struct strbuf range = STRBUF_INIT, commits = STRBUF_INIT;
	struct repo_trailer *copy;
	int rc;

	strbuf_addf(&range, "%s..%s", base, head);
	rc = read_commits(repo, range.data, max_commits, &commits, err);
	if (!rc)
		rc = read_all(&list, &commits, key, err);
	if (!rc) {
		copy = arena_array(arena, list.count, sizeof(*copy));
		if (list.count)
			memcpy(copy, list.items, list.count * sizeof(*copy));
		*trailers = copy;
		*count = list.count;
	}
	free(list.items);
	strbuf_release(&range);
	strbuf_release(&commits);
	return rc;
}
