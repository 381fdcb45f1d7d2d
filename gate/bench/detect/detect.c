/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/detect/detect.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/detect/detect_internal.h"
#include "gate/bench/harness/harness.h"
#include "gate/bench/untrusted_file.h"

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#define MAX_NAME_BYTES 60
#define MAX_PATH_BYTES 300
/* A program is looked at whole: whether it can be profiled stands in its headers. */
#define MAX_PROGRAM_BYTES ((size_t)64 * 1024 * 1024)

static const struct reader_entry {
	const char *pattern;
	detect_reader *read;
} readers[] = {
	{"GNUmakefile", detect_make},
	{"[Mm]akefile", detect_make},
	{"CMakeLists.txt", detect_cmake},
	{"*.cmake", detect_cmake_module},
	{"meson.build", detect_meson},
	{"Cargo.toml", detect_cargo},
	{"*.rs", detect_rust},
	{"*.c", detect_native_source},
	{"*.cc", detect_native_source},
	{"*.cpp", detect_native_source},
	{"*.cxx", detect_native_source},
	{"*.h", detect_native_source},
	{"*.hpp", detect_native_source},
	{"*.hh", detect_native_source},
	{"*.hxx", detect_native_source},
	{"go.mod", detect_go},
	{"*_test.go", detect_go_test},
	{"pyproject.toml", detect_python_project},
	{"setup.py", detect_python_project},
	{"*[Bb]ench*.py", detect_python},
	{"test_*.py", detect_python},
	{"*_test.py", detect_python},
	{"package.json", detect_node},
	{"*.[jt]s", detect_node_source},
	{"*.[mc][jt]s", detect_node_source},
	{"*.sh", detect_shell},
	{"pom.xml", detect_jvm},
	{"build.gradle*", detect_jvm},
};

/* Other people's code, and what builds leave. */
static const char *const passed_over[] = {".*", "node_modules", "vendor", "third_party",
	"third-party", "external", "subprojects", "_deps", "target", "build", "build-*",
	"cmake-build-*", "dist", "out", "venv", "__pycache__", "CMakeFiles", "testdata"};

/* ---- what readers use --------------------------------------------------------------------- */

bool detect_is_safe(const char *text, size_t length)
{
	return length && length < MAX_PATH_BYTES && text[0] != '-' && text[0] != '~' &&
	       strspn(text, LETTERS_AND_DIGITS "._+/@%=,:-") >= length;
}

bool detect_is_bench(const char *name)
{
	return strcasestr(name, "bench") != NULL;
}

const char *detect_path(struct detector *detector, const char *folder, const char *name)
{
	return strcmp(folder, ".") == 0 ? arena_strdup(detector->arena, name)
					: arena_printf(detector->arena, "%s/%s", folder, name);
}

void detect_add_system(
	struct detector *detector, const char *builder, const struct detect_file *file)
{
	detector->systems = grow_array(detector->systems, &detector->system_capacity,
		detector->system_count + 1, sizeof(*detector->systems));
	detector->systems[detector->system_count++] =
		arena_printf(detector->arena, "%s (%s)", builder, file->path);
}

static bool has_name(const struct detector *detector, const char *name)
{
	for (size_t i = 0; i < detector->candidate_count; i++) {
		if (strcmp(detector->candidates[i].name, name) == 0)
			return true;
	}
	return false;
}

static bool has_command(const struct detector *detector, const struct detect_candidate *candidate)
{
	for (size_t i = 0; i < detector->candidate_count; i++) {
		const struct detect_candidate *other = &detector->candidates[i];

		if (strcmp(other->command, candidate->command) == 0 &&
			strcmp(other->directory, candidate->directory) == 0)
			return true;
	}
	return false;
}

/* A benchmark's name is stricter than a path: see config_benchmarks.c. */
static const char *make_name(struct detector *detector, const char *wanted)
{
	char *name = arena_strndup(detector->arena, wanted, strnlen(wanted, MAX_NAME_BYTES));
	const char *unique = name;

	for (char *at = name; *at; at++) {
		if (!strchr(LETTERS_AND_DIGITS "._+/-", *at))
			*at = '-';
	}
	if (!strchr(LETTERS_AND_DIGITS, *name))
		unique = name = arena_printf(detector->arena, "x%s", name);
	for (unsigned number = 2; has_name(detector, unique); number++)
		unique = arena_printf(detector->arena, "%s-%u", name, number);
	return unique;
}

void detect_add_target(struct detector *detector, const char *name,
	struct detect_candidate candidate, const char *sources)
{
	if (has_command(detector, &candidate))
		return;
	if (detector->candidate_count == DETECT_MAX_CANDIDATES) {
		detector->cut = true;
		return;
	}
	candidate.name = make_name(detector, name);
	candidate.options = candidate.options ? candidate.options : "";
	candidate.exclude = candidate.exclude ? candidate.exclude : "";
	detector->candidates = grow_array(detector->candidates, &detector->candidate_capacity,
		detector->candidate_count + 1, sizeof(*detector->candidates));
	detector->target_sources[detector->candidate_count] = sources;
	detector->candidates[detector->candidate_count++] = candidate;
}

void detect_add(struct detector *detector, const char *name, struct detect_candidate candidate)
{
	detect_add_target(detector, name, candidate, NULL);
}

/* ---- the walk ----------------------------------------------------------------------------- */

static detect_reader *find_reader(const char *name, bool executable)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		if (fnmatch(readers[i].pattern, name, 0) == 0)
			return readers[i].read;
	}
	return executable && detect_is_bench(name) ? detect_executable : NULL;
}

static bool is_passed_over(const char *name)
{
	for (size_t i = 0; i < sizeof(passed_over) / sizeof(*passed_over); i++) {
		if (fnmatch(passed_over[i], name, 0) == 0)
			return true;
	}
	return false;
}

bool detect_is_foreign(const char *path)
{
	char part[MAX_PATH_BYTES];

	for (size_t length; *path; path += length + (path[length] == '/')) {
		length = strcspn(path, "/");
		if (length >= sizeof(part))
			return true;
		memcpy(part, path, length);
		part[length] = '\0';
		if (strcmp(part, ".") != 0 && is_passed_over(part))
			return true;
	}
	return false;
}

static void add_too_large(struct detector *detector, const char *path)
{
	detector->too_large = grow_array(detector->too_large, &detector->too_large_capacity,
		detector->too_large_count + 1, sizeof(*detector->too_large));
	detector->too_large[detector->too_large_count++] = path;
}

static size_t limit_of(const struct detector *detector, detect_reader *read)
{
	size_t limit = read == detect_executable ? MAX_PROGRAM_BYTES : DETECT_MAX_FILE_BYTES;

	return limit < detector->bytes_left ? limit : detector->bytes_left;
}

/* One of many: none is missed if it cannot be read. */
static bool is_source(detect_reader *read)
{
	return read == detect_native_source || read == detect_node_source ||
	       read == detect_cmake_module;
}

static void look_at_file(struct detector *detector, const char *root, const char *folder,
	const char *name, const struct stat *info)
{
	bool executable = (info->st_mode & 0111) != 0;
	detect_reader *read = find_reader(name, executable);
	struct strbuf text = STRBUF_INIT;
	struct detect_file file = {.folder = folder, .executable = executable};
	char *full;
	int rc;

	if (!read || *name == '.')
		return;
	file.path = detect_path(detector, folder, name);
	if (!detect_is_safe(file.path, strlen(file.path))) {
		detector->odd_names += !is_source(read);
		return;
	}
	file.name = file.path + strlen(file.path) - strlen(name);
	full = file_join(root, file.path);
	rc = untrusted_file_read(full, limit_of(detector, read), &text, NULL);
	file.text = text.data;
	file.length = text.length;
	detector->bytes_left -= text.length;
	if (rc == ERR_LIMIT && !is_source(read))
		add_too_large(detector, file.path);
	else if (!rc)
		read(detector, &file);
	strbuf_release(&text);
	free(full);
}

static void walk(struct detector *detector, const char *root, const char *folder, unsigned depth);

static void look_at(struct detector *detector, const char *root, const char *folder,
	const char *name, unsigned depth)
{
	const char *path = detect_path(detector, folder, name);
	char *full = file_join(root, path);
	struct stat info;

	if (lstat(full, &info) < 0)
		info.st_mode = 0; /* gone meanwhile */
	if (S_ISREG(info.st_mode))
		look_at_file(detector, root, folder, name, &info);
	else if (S_ISDIR(info.st_mode) && !is_passed_over(name))
		walk(detector, root, path, depth + 1);
	free(full);
}

static int not_itself(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* In the order of names: what a limit cuts off is the same everywhere. */
static void walk(struct detector *detector, const char *root, const char *folder, unsigned depth)
{
	char *full = file_join(root, folder);
	struct dirent **entries = NULL;
	int count = 0;

	if (depth > DETECT_MAX_DEPTH)
		detector->cut = true;
	else
		count = scandir(full, &entries, not_itself, by_name);
	for (int i = 0; i < count; i++) {
		if (detector->file_count < DETECT_MAX_FILES) {
			detector->file_count++;
			look_at(detector, root, folder, entries[i]->d_name, depth);
		} else {
			detector->cut = true;
		}
		free(entries[i]);
	}
	free(entries);
	free(full);
}

/* ---- the result --------------------------------------------------------------------------- */

static int by_readiness(const void *left, const void *right)
{
	const struct detect_candidate *a = left, *b = right;

	if (a->readiness != b->readiness)
		return a->readiness < b->readiness ? -1 : 1;
	if (a->sureness != b->sureness)
		return a->sureness > b->sureness ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void *keep(struct arena *arena, void *items, size_t count, size_t size,
	int (*order)(const void *, const void *))
{
	void *copy = arena_array(arena, count, size);

	if (count) {
		memcpy(copy, items, count * size);
		qsort(copy, count, size, order);
	}
	free(items);
	return copy;
}

/* What is known of these is how to fix their count; but there is no need to. */
static void find_timed(struct detector *detector)
{
	for (size_t i = 0; i < detector->candidate_count; i++) {
		struct detect_candidate *candidate = &detector->candidates[i];

		if (candidate->readiness == DETECT_NEEDS_COUNT &&
			harness_is_replayed(candidate->harness))
			candidate->readiness = DETECT_TIMED;
	}
}

int detect_scan(const char *root, const struct detect_configured *configured,
	size_t configured_count, struct detection *out, struct error *err)
{
	struct detector detector = {.arena = &out->arena, .bytes_left = DETECT_MAX_BYTES};
	struct stat info;

	if (stat(root, &info) < 0 || !S_ISDIR(info.st_mode))
		return error_set(err, ERR_IO, "%s is not a folder that can be read", root);
	*out = (struct detection){.arena = ARENA_INIT};
	walk(&detector, root, ".", 1);
	detect_cmake_targets(&detector, configured, configured_count);
	detect_apply_sources(&detector);
	find_timed(&detector);
	free(detector.sources);
	free(detector.cmake_texts);
	memcpy(out->projects, detector.projects, sizeof(out->projects));
	out->project_count = detector.project_count;
	out->systems = keep(&out->arena, detector.systems, detector.system_count,
		sizeof(*out->systems), by_text);
	out->system_count = detector.system_count;
	out->candidates = keep(&out->arena, detector.candidates, detector.candidate_count,
		sizeof(*out->candidates), by_readiness);
	out->candidate_count = detector.candidate_count;
	out->too_large = keep(&out->arena, detector.too_large, detector.too_large_count,
		sizeof(*out->too_large), by_text);
	out->too_large_count = detector.too_large_count;
	out->odd_names = detector.odd_names;
	out->cut = detector.cut;
	return ERR_OK;
}

void detect_sort(struct detection *detection)
{
	qsort(detection->candidates, detection->candidate_count, sizeof(*detection->candidates),
		by_readiness);
}

void detection_release(struct detection *detection)
{
	arena_release(&detection->arena);
}
