/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/sources.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/vcs/repo.h"

struct source_file {
	char *path; /* NULL: nothing was asked for yet */
	struct strbuf text;
	size_t *start; /* of each line, and of what would be the next */
	size_t lines;
	bool lacking; /* there is none in the tree */
};

struct sources {
	struct repo *repo;
	char commits[VERSION_COUNT][OBJECT_ID_SIZE];
	/* The last one: culprits often share a file. */
	struct source_file files[VERSION_COUNT];
	char *trouble; /* or NULL */
};

/* Nothing but a whole id names a commit: measurements that came from elsewhere cannot guess one. */
static bool find_commit(struct sources *sources, int version, const char *id)
{
	if (!repo_has_commit(sources->repo, id))
		return false;
	memcpy(sources->commits[version], id, strlen(id) + 1);
	return true;
}

struct sources *sources_open(const char *directory, const struct measurements *measurements)
{
	const char *head =
		measurements->snapshot[0] ? measurements->snapshot : measurements->head.id;
	struct sources *sources = xcalloc(1, sizeof(*sources));
	struct error ignored;

	for (int version = 0; version < VERSION_COUNT; version++)
		strbuf_init(&sources->files[version].text);
	/* Without a snapshot's id nothing is known of what lay on the desk. */
	if ((measurements->head.dirty && !measurements->snapshot[0]) ||
		repo_open(directory ? directory : ".", &sources->repo, &ignored) ||
		!find_commit(sources, VERSION_BASE, measurements->base.id) ||
		!find_commit(sources, VERSION_HEAD, head)) {
		sources_free(sources);
		return NULL;
	}
	return sources;
}

static void release_file(struct source_file *file)
{
	free(file->path);
	free(file->start);
	strbuf_release(&file->text);
	file->path = NULL;
	file->start = NULL;
	file->lines = 0;
	file->lacking = false;
}

void sources_free(struct sources *sources)
{
	if (!sources)
		return;
	for (int version = 0; version < VERSION_COUNT; version++)
		release_file(&sources->files[version]);
	repo_free(sources->repo);
	free(sources->trouble);
	free(sources);
}

static size_t count_breaks(const struct strbuf *text)
{
	const char *at = text->data, *end = at + text->length;
	size_t count = 0;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		count++;
		at++;
	}
	return count;
}

static void find_lines(struct source_file *file)
{
	const struct strbuf *text = &file->text;
	bool open_end = text->length && text->data[text->length - 1] != '\n';

	file->start = xcalloc(count_breaks(text) + open_end + 1, sizeof(*file->start));
	for (size_t i = 0; i < text->length; i++)
		if (text->data[i] == '\n')
			file->start[++file->lines] = i + 1;
	if (open_end)
		file->start[++file->lines] = text->length + 1;
}

/* The first: what one file lacks the others mostly lack too. */
static void remember_trouble(struct sources *sources, const char *path, const char *reason)
{
	struct strbuf text = STRBUF_INIT;

	if (sources->trouble)
		return;
	strbuf_addf(&text, "no source of %.200s is shown: %s", path, reason);
	sources->trouble = strbuf_detach(&text, NULL);
}

static void load(struct sources *sources, int version, const char *path)
{
	struct source_file *file = &sources->files[version];
	struct error err = {0};
	int rc;

	release_file(file);
	file->path = xstrdup(path);
	if (!path[0])
		return;
	rc = repo_read_blob_here(sources->repo, sources->commits[version], path,
		SOURCES_MAX_FILE_BYTES, &file->text, &err);
	file->lacking = rc == ERR_NOT_FOUND;
	if (rc && rc != ERR_NOT_FOUND && rc != ERR_LIMIT)
		remember_trouble(sources, path, err.message);
	if (rc)
		return;
	if (!memchr(file->text.data, '\0', file->text.length))
		find_lines(file);
}

/* Too large for no room at all is there. */
bool sources_has(struct sources *sources, int version, const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct error ignored;
	int rc = path[0] ? repo_read_blob_here(sources->repo, sources->commits[version], path, 0,
				   &text, &ignored)
			 : ERR_NOT_FOUND;

	strbuf_release(&text);
	return rc != ERR_NOT_FOUND ||
	       repo_is_in_submodule(sources->repo, sources->commits[version], path);
}

const struct source_file *sources_file(struct sources *sources, int version, const char *path)
{
	struct source_file *file = &sources->files[version];

	if (!file->path || strcmp(file->path, path) != 0)
		load(sources, version, path);
	return file->lines ? file : NULL;
}

bool sources_lack(struct sources *sources, int version, const char *path)
{
	sources_file(sources, version, path);
	return sources->files[version].lacking &&
	       !repo_is_in_submodule(sources->repo, sources->commits[version], path);
}

const char *sources_trouble(const struct sources *sources)
{
	return sources->trouble;
}

int64_t source_file_lines(const struct source_file *file)
{
	return (int64_t)file->lines;
}

const char *source_file_line(const struct source_file *file, int64_t line, size_t *length)
{
	size_t start = file->start[line - 1];

	*length = file->start[line] - 1 - start;
	return file->text.data + start;
}
