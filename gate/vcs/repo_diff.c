/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files and lines differ between two commits: libgit2 says it, or where that fails the git
 * program.
 */
#include "gate/vcs/repo.h"

#include <git2/diff.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/vcs/repo_internal.h"

#define PATCH_LIMIT_BYTES ((size_t)512 * 1024 * 1024)

/* Files and hunks as they come; an arena cannot grow them. */
struct collector {
	struct arena *arena;
	struct repo_file_change *files;
	size_t file_count, file_capacity;
	struct repo_hunk *hunks; /* of the current file */
	size_t hunk_count, hunk_capacity;
};

static void close_file(struct collector *collector, struct repo_file_change *file)
{
	size_t bytes = collector->hunk_count * sizeof(*collector->hunks);
	struct repo_hunk *hunks = arena_alloc(collector->arena, bytes);

	if (bytes)
		memcpy(hunks, collector->hunks, bytes);
	file->hunks = hunks;
	file->hunk_count = collector->hunk_count;
	collector->hunk_count = 0;
}

static void add_file(struct collector *collector, const char *old_path, const char *new_path)
{
	struct repo_file_change *file;

	collector->files = grow_array(collector->files, &collector->file_capacity,
		collector->file_count + 1, sizeof(*collector->files));
	file = &collector->files[collector->file_count++];
	*file = (struct repo_file_change){
		.old_path = arena_strdup(collector->arena, old_path),
		.new_path = arena_strdup(collector->arena, new_path),
	};
	close_file(collector, file);
}

static void add_hunk(struct collector *collector, struct repo_hunk hunk)
{
	collector->hunks = grow_array(collector->hunks, &collector->hunk_capacity,
		collector->hunk_count + 1, sizeof(*collector->hunks));
	collector->hunks[collector->hunk_count++] = hunk;
}

static const char *sort_path(const struct repo_file_change *file)
{
	return *file->new_path ? file->new_path : file->old_path;
}

static int by_path(const void *left, const void *right)
{
	const struct repo_file_change *a = left, *b = right;
	int order = strcmp(sort_path(a), sort_path(b));

	return order ? order : strcmp(a->new_path, b->new_path);
}

static void finish(struct collector *collector, struct repo_diff *out)
{
	size_t bytes = collector->file_count * sizeof(*collector->files);

	if (collector->file_count)
		qsort(collector->files, collector->file_count, sizeof(*collector->files), by_path);
	out->files = arena_alloc(collector->arena, bytes);
	if (bytes)
		memcpy(out->files, collector->files, bytes);
	out->file_count = collector->file_count;
}

static void collector_release(struct collector *collector)
{
	free(collector->files);
	free(collector->hunks);
}

/* ---- by libgit2 --------------------------------------------------------------------------- */

static struct repo_file_change *current(struct collector *collector)
{
	return &collector->files[collector->file_count - 1];
}

static int on_file(const git_diff_delta *delta, float progress, void *data)
{
	struct collector *collector = data;

	(void)progress;
	if (collector->file_count)
		close_file(collector, current(collector));
	add_file(collector, delta->status == GIT_DELTA_ADDED ? "" : delta->old_file.path,
		delta->status == GIT_DELTA_DELETED ? "" : delta->new_file.path);
	return 0;
}

static int on_binary(const git_diff_delta *delta, const git_diff_binary *binary, void *data)
{
	(void)delta;
	(void)binary;
	current(data)->binary = true;
	return 0;
}

static int on_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *data)
{
	(void)delta;
	add_hunk(data, (struct repo_hunk){(uint32_t)hunk->old_start, (uint32_t)hunk->old_lines,
			       (uint32_t)hunk->new_start, (uint32_t)hunk->new_lines});
	return 0;
}

static bool library_trees(struct repo *repo, const char *base, const char *head, git_tree *trees[2])
{
	const char *ids[2] = {base, head};

	for (int i = 0; i < 2; i++) {
		git_oid oid;

		if (git_oid_fromstr(&oid, ids[i]) < 0 ||
			git_tree_lookup(&trees[i], repo->git, &oid) < 0)
			return false;
	}
	return true;
}

static bool library_diff(
	struct repo *repo, const char *base, const char *head, struct collector *collector)
{
	git_diff_options options;
	git_diff_find_options find;
	git_tree *trees[2] = {NULL, NULL};
	git_diff *diff = NULL;
	bool done = false;

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	git_diff_find_options_init(&find, GIT_DIFF_FIND_OPTIONS_VERSION);
	options.context_lines = 0;
	options.flags = GIT_DIFF_INDENT_HEURISTIC;
	find.flags = GIT_DIFF_FIND_RENAMES;
	if (!repo->git || !library_trees(repo, base, head, trees))
		goto out;
	if (git_diff_tree_to_tree(&diff, repo->git, trees[0], trees[1], &options) < 0 ||
		git_diff_find_similar(diff, &find) < 0)
		goto out;
	done = git_diff_foreach(diff, on_file, on_binary, on_hunk, NULL, collector) == 0;
	if (done && collector->file_count)
		close_file(collector, current(collector));
out:
	git_diff_free(diff);
	git_tree_free(trees[0]);
	git_tree_free(trees[1]);
	return done;
}

/* ---- by the git program ------------------------------------------------------------------- */

#define DIFF_ARGS                                                                                  \
	"diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index",   \
		"--indent-heuristic", "--diff-algorithm=myers"

static int ask(struct repo *repo, const char *const *args, struct strbuf *out, struct error *err)
{
	return git_run(
		&(struct git_command){
			.directory = repo->root,
			.args = args,
			.limit = PATCH_LIMIT_BYTES,
			.network = true,
			.out = out,
		},
		err);
}

static int malformed(struct error *err)
{
	return error_set(err, ERR_TOOL, "cannot understand the answer of git diff-tree");
}

/* The next NUL-terminated field; "" at the end. */
static const char *next_field(const char **at, const char *end)
{
	const char *field = *at;

	*at += *at < end ? strlen(field) + 1 : 0;
	return field;
}

/* ":<mode> <mode> <id> <id> <status>" and one path, or two for a rename. */
static int read_files(const struct strbuf *raw, struct collector *collector, struct error *err)
{
	const char *at = raw->data, *end = at + raw->length;

	while (at < end) {
		const char *status = strrchr(next_field(&at, end), ' ');
		const char *path = next_field(&at, end);

		if (!status || !*path)
			return malformed(err);
		switch (status[1]) {
		case 'A':
			add_file(collector, "", path);
			break;
		case 'D':
			add_file(collector, path, "");
			break;
		case 'R':
			add_file(collector, path, next_field(&at, end));
			break;
		case 'T': /* a file that became a link: a patch for each */
			add_file(collector, path, "");
			add_file(collector, "", path);
			break;
		default:
			add_file(collector, path, path);
		}
	}
	return ERR_OK;
}

/* "12,3" or "12", which means one line. */
static bool read_range(const char **at, char sign, uint32_t *start, uint32_t *lines)
{
	char *end;

	if (**at != sign)
		return false;
	*start = (uint32_t)strtoul(*at + 1, &end, 10);
	*lines = 1;
	if (*end == ',')
		*lines = (uint32_t)strtoul(end + 1, &end, 10);
	*at = end;
	return *end == ' ';
}

static bool read_hunk(const char *line, struct repo_hunk *hunk)
{
	const char *at = line + 3;

	if (!read_range(&at, '-', &hunk->old_start, &hunk->old_lines))
		return false;
	at++;
	return read_range(&at, '+', &hunk->new_start, &hunk->new_lines);
}

static bool begins(const char *line, size_t length, const char *prefix)
{
	size_t wanted = strlen(prefix);

	return length >= wanted && memcmp(line, prefix, wanted) == 0;
}

/*
 * Lines of files come behind '+', '-' or '\', and paths are quoted here, so a line that starts like
 * a header is one.
 */
static int read_patch(const struct strbuf *patch, struct collector *collector, struct error *err)
{
	const char *at = patch->data, *end = at + patch->length;
	size_t section = 0;
	struct repo_hunk hunk;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		if (begins(at, length, "diff --git ")) {
			if (section)
				close_file(collector, &collector->files[section - 1]);
			if (section++ == collector->file_count)
				return malformed(err);
		} else if (section && begins(at, length, "Binary files ")) {
			collector->files[section - 1].binary = true;
		} else if (begins(at, length, "@@ ")) {
			if (!section || !read_hunk(at, &hunk))
				return malformed(err);
			add_hunk(collector, hunk);
		}
		at += length + 1;
	}
	if (section)
		close_file(collector, &collector->files[section - 1]);
	return section == collector->file_count ? ERR_OK : malformed(err);
}

static int program_diff(struct repo *repo, const char *base, const char *head,
	struct collector *collector, struct error *err)
{
	struct strbuf raw = STRBUF_INIT, patch = STRBUF_INIT;
	int rc = ask(repo, GIT_ARGS(DIFF_ARGS, "--raw", "-z", "--end-of-options", base, head), &raw,
		err);

	if (!rc)
		rc = ask(repo,
			GIT_ARGS(DIFF_ARGS, "--patch", "-U0", "--inter-hunk-context=0",
				"--end-of-options", base, head),
			&patch, err);
	if (!rc)
		rc = read_files(&raw, collector, err);
	if (!rc)
		rc = read_patch(&patch, collector, err);
	strbuf_release(&raw);
	strbuf_release(&patch);
	return rc;
}

int repo_diff(struct repo *repo, const char *base, const char *head, struct arena *arena,
	struct repo_diff *out, struct error *err)
{
	struct collector collector = {.arena = arena};
	char base_tree[OBJECT_ID_SIZE], head_tree[OBJECT_ID_SIZE];
	int rc = repo_tree_id(repo, base, base_tree, err);

	if (!rc)
		rc = repo_tree_id(repo, head, head_tree, err);
	if (!rc && !library_diff(repo, base_tree, head_tree, &collector)) {
		collector.file_count = collector.hunk_count = 0;
		rc = program_diff(repo, base_tree, head_tree, &collector, err);
	}
	if (!rc)
		finish(&collector, out);
	collector_release(&collector);
	return rc;
}
