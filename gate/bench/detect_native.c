/* SPDX-License-Identifier: Apache-2.0 */
/* Make, CMake, Meson, and programs that lie there. */
#include "gate/bench/detect_internal.h"

#include "gate/bench/preload.h"

#include <ctype.h>
#include <string.h>

#define GOOGLE_ADVICE                                                                              \
	"google-benchmark runs for a fixed time; fix the count: --benchmark_min_time=1000x (1.8 "  \
	"and "                                                                                     \
	"newer), or ->Iterations(1000) in the source"
#define NO_COUNT_ADVICE                                                                            \
	"it runs for a fixed time: call what it measures a fixed number of times in a program of " \
	"its own"
#define MAKE_ADVICE "make itself is measured too: name the program that the target runs instead"

static bool uses_google_benchmark(const char *text)
{
	return strstr(text, "-lbenchmark") || strstr(text, "benchmark::benchmark") ||
	       strcasestr(text, "find_package(benchmark") || strstr(text, "dependency('benchmark'");
}

static const struct native_harness {
	const char *sign, *name, *advice;
} native_harnesses[] = {
	{"benchmark/benchmark.h>", "google-benchmark", GOOGLE_ADVICE},
	{"benchmark/benchmark.h\"", "google-benchmark", GOOGLE_ADVICE},
	{"catch2/benchmark", "Catch2", NO_COUNT_ADVICE},
	{"CATCH_CONFIG_ENABLE_BENCHMARKING", "Catch2", NO_COUNT_ADVICE},
	{"nanobench.h", "nanobench", NO_COUNT_ADVICE},
};

void detect_add_source(
	struct detector *detector, const char *folder, const char *harness, const char *advice)
{
	detector->sources = grow_array(detector->sources, &detector->source_capacity,
		detector->source_count + 1, sizeof(*detector->sources));
	detector->sources[detector->source_count++] =
		(struct detect_source){arena_strdup(detector->arena, folder), harness, advice};
}

void detect_native_source(struct detector *detector, const struct detect_file *file)
{
	for (size_t i = 0; i < sizeof(native_harnesses) / sizeof(*native_harnesses); i++) {
		const struct native_harness *harness = &native_harnesses[i];

		if (!strstr(file->text, harness->sign))
			continue;
		detect_add_source(detector, file->folder, harness->name, harness->advice);
		return;
	}
}

/* The build file that a program was found in: others have their harness from their own reader. */
static bool is_build_file(const char *path)
{
	static const char *const names[] = {"package.json", "CMakeLists.txt", "meson.build",
		"Makefile", "makefile", "GNUmakefile"};
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(slash ? slash + 1 : path, names[i]) == 0)
			return true;
	return false;
}

/* The folder of the file is the other one, or above it. */
static bool is_above(const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	return !length ||
	       (strncmp(path, folder, length) == 0 && (folder[length] == '/' || !folder[length]));
}

void detect_apply_sources(struct detector *detector)
{
	for (size_t i = 0; i < detector->candidate_count; i++) {
		struct detect_candidate *candidate = &detector->candidates[i];

		for (size_t k = 0; k < detector->source_count; k++) {
			const struct detect_source *source = &detector->sources[k];

			if (candidate->readiness != DETECT_RUNS ||
				!is_build_file(candidate->found_in) ||
				!is_above(candidate->found_in, source->folder))
				continue;
			candidate->readiness = DETECT_NEEDS_COUNT;
			candidate->harness = source->harness;
			candidate->advice = source->advice;
		}
	}
}

static struct detect_candidate program(const struct detect_file *file)
{
	bool google = uses_google_benchmark(file->text);

	return (struct detect_candidate){
		.directory = ".",
		.found_in = file->path,
		.harness = google ? "google-benchmark" : "",
		.advice = google ? GOOGLE_ADVICE : "",
		.readiness = google ? DETECT_NEEDS_COUNT : DETECT_RUNS,
	};
}

/* ---- Make --------------------------------------------------------------------------------- */

static const char *line_end(const char *line)
{
	return line + strcspn(line, "\n");
}

/* Behind the recipe of the rule whose first line this is. */
static const char *recipe_end(const char *line)
{
	const char *end = line_end(line);

	while (end[0] == '\n' && end[1] == '\t')
		end = line_end(end + 1);
	return end;
}

/* "target target: ..." but no assignment (= := ::= ?=) and no pattern; NULL if it is no rule. */
static const char *rule_colon(const char *line)
{
	const char *colon = line + strcspn(line, ":=#%$\n\t");

	if (*colon != ':' || colon == line || strncmp(colon, "::=", 3) == 0 || colon[1] == '=')
		return NULL;
	return colon;
}

static bool is_bench_target(const char *name)
{
	static const char *const others[] = {"clean", "install", "check", "report", "help", "."};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strstr(name, others[i]))
			return false;
	}
	return detect_is_bench(name);
}

/* The rule makes the file that it is named after; else it runs something. */
static bool makes_program(struct detector *detector, const char *name, const char *rule)
{
	const char *own = arena_printf(detector->arena, "-o %s", name);

	if (strstr(rule, "-o $@") || strstr(rule, "-o \"$@\"") || strstr(rule, own))
		return true;
	return !strchr(rule, '\n') && (strstr(rule, ".o") || strstr(rule, ".c"));
}

static const char *make_command(
	struct detector *detector, const struct detect_file *file, const char *target)
{
	if (strcmp(file->folder, ".") == 0)
		return arena_printf(detector->arena, "make -s %s", target);
	return arena_printf(detector->arena, "make -s -C %s %s", file->folder, target);
}

static void add_target(struct detector *detector, const struct detect_file *file, const char *name,
	const char *rule)
{
	struct detect_candidate candidate = program(file);

	if (makes_program(detector, name, rule)) {
		candidate.build[0] = make_command(detector, file, name);
		candidate.command = arena_printf(
			detector->arena, "./%s", detect_path(detector, file->folder, name));
	} else {
		candidate.build[0] = make_command(detector, file, "all");
		if (!strstr(file->text, "\nall:") && strncmp(file->text, "all:", 4) != 0)
			candidate.build[0] = NULL;
		candidate.command = make_command(detector, file, name);
		if (candidate.readiness == DETECT_RUNS)
			candidate.advice = MAKE_ADVICE;
	}
	detect_add(detector, name, candidate);
}

static void read_rule(struct detector *detector, const struct detect_file *file, const char *line,
	const char *colon)
{
	const char *end = recipe_end(line);
	const char *rule = arena_strndup(detector->arena, colon, (size_t)(end - colon));

	for (const char *at = line; at < colon;) {
		size_t length = strcspn(at, " :");
		const char *name = arena_strndup(detector->arena, at, length);

		if (is_bench_target(name) && detect_is_safe(name, length))
			add_target(detector, file, name, rule);
		else if (is_bench_target(name))
			detector->odd_names++;
		at += length + strspn(at + length, " ");
	}
}

void detect_make(struct detector *detector, const struct detect_file *file)
{
	const char *next;

	detect_add_system(detector, "Make", file);
	for (const char *line = file->text; *line; line = next) {
		const char *end = line_end(line), *colon = rule_colon(line);

		if (colon && detect_is_bench(
				     arena_strndup(detector->arena, line, (size_t)(colon - line))))
			read_rule(detector, file, line, colon);
		next = *end ? end + 1 : end;
	}
}

/* ---- CMake and Meson ---------------------------------------------------------------------- */

/* The word behind the opening parenthesis, without quotes; NULL if it is computed or odd. */
static const char *first_argument(struct detector *detector, const char *at)
{
	size_t length;

	at += strspn(at, " \t\r\n'\"");
	length = strcspn(at, " \t\r\n'\",)");
	return detect_is_safe(at, length) ? arena_strndup(detector->arena, at, length) : NULL;
}

static bool is_comment(const char *text, const char *at)
{
	while (at > text && at[-1] != '\n') {
		if (*--at == '#')
			return true;
	}
	return false;
}

typedef void add_program(
	struct detector *detector, const struct detect_file *file, const char *name);

static void each_executable(struct detector *detector, const struct detect_file *file,
	const char *function, add_program *add)
{
	const char *at = file->text;

	while ((at = strcasestr(at, function))) {
		const char *name = first_argument(detector, at + strlen(function));

		if (name && detect_is_bench(name) && !is_comment(file->text, at))
			add(detector, file, name);
		at += strlen(function);
	}
}

static void add_cmake(struct detector *detector, const struct detect_file *file, const char *name)
{
	struct detect_candidate candidate = program(file);

	candidate.build[0] = "cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo";
	candidate.build[1] =
		arena_printf(detector->arena, "cmake --build build --parallel --target %s", name);
	candidate.command = arena_printf(
		detector->arena, "./build/%s", detect_path(detector, file->folder, name));
	detect_add(detector, name, candidate);
}

void detect_cmake(struct detector *detector, const struct detect_file *file)
{
	detect_add_system(detector, "CMake", file);
	each_executable(detector, file, "add_executable(", add_cmake);
}

static void add_meson(struct detector *detector, const struct detect_file *file, const char *name)
{
	struct detect_candidate candidate = program(file);

	candidate.build[0] = "meson setup build --buildtype=debugoptimized";
	candidate.build[1] = "meson compile -C build";
	candidate.command = arena_printf(
		detector->arena, "./build/%s", detect_path(detector, file->folder, name));
	detect_add(detector, name, candidate);
}

void detect_meson(struct detector *detector, const struct detect_file *file)
{
	detect_add_system(detector, "Meson", file);
	each_executable(detector, file, "executable(", add_meson);
}

/* ---- programs and scripts ----------------------------------------------------------------- */

void detect_executable(struct detector *detector, const struct detect_file *file)
{
	struct detect_candidate candidate = {
		.command = arena_printf(detector->arena, "./%s", file->path),
		.directory = ".",
		.found_in = file->path,
		.harness = "",
		.advice = "",
		.readiness = DETECT_RUNS,
	};
	struct error problem = {0};
	bool is_elf = file->length >= 4 && memcmp(file->text, "\177ELF", 4) == 0;

	/* Another system's program or library, and what only prepares a benchmark. */
	if ((!is_elf && strncmp(file->text, "#!", 2) != 0) || strcasestr(file->name, "prereq") ||
		strcasestr(file->name, "setup") || strcasestr(file->name, "install"))
		return;
	if (is_elf && preload_check_elf(file->path, file->text, file->length, &problem)) {
		candidate.readiness = DETECT_UNSUPPORTED;
		candidate.advice = "the program is not dynamically linked for this machine";
	}
	detect_add(detector, file->name, candidate);
}

void detect_shell(struct detector *detector, const struct detect_file *file)
{
	struct detect_candidate candidate = {
		.command = arena_printf(detector->arena, "sh %s", file->path),
		.directory = ".",
		.found_in = file->path,
		.harness = "hyperfine",
		.advice = "hyperfine measures by itself: name the command that it runs, alone",
		.readiness = DETECT_NEEDS_COUNT,
	};

	if (strstr(file->text, "hyperfine"))
		detect_add(detector, file->name, candidate);
	else if (file->executable && detect_is_bench(file->name))
		detect_executable(detector, file);
}
