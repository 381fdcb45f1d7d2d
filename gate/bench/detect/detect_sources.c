/* SPDX-License-Identifier: Apache-2.0 */
/* What sources of C and C++ include: which harness a program has, or that its work is fixed. */
#include "gate/bench/detect/detect_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INCLUDES 64
/* Bounds the time that a hostile tree can take: a lookup passes over every source. */
#define MAX_LOOKUPS 5000
#define MAX_WALK 200

#define NO_COUNT_ADVICE                                                                            \
	"it runs for a fixed time: call what it measures a fixed number of times in a program of " \
	"its own"
#define MACRO_ADVICE                                                                               \
	"BENCHMARK() runs for a fixed time in most harnesses: fix the number of iterations"

static const struct native_harness {
	const char *sign, *name, *advice;
} native_harnesses[] = {
	{"benchmark/benchmark.h>", DETECT_GOOGLE, DETECT_GOOGLE_ADVICE},
	{"benchmark/benchmark.h\"", DETECT_GOOGLE, DETECT_GOOGLE_ADVICE},
	{"catch2/benchmark", "Catch2", NO_COUNT_ADVICE},
	{"CATCH_CONFIG_ENABLE_BENCHMARKING", "Catch2", NO_COUNT_ADVICE},
	{"nanobench.h", "nanobench", NO_COUNT_ADVICE},
	{"folly/Benchmark.h", "folly", NO_COUNT_ADVICE},
};

/* Of these none waits, reads a clock or repeats anything for a time. */
static const char *const standard_headers[] = {"algorithm", "array", "assert.h", "bitset",
	"cassert", "cctype", "cerrno", "cfloat", "cinttypes", "climits", "cmath", "complex",
	"complex.h", "cstdarg", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctype.h",
	"deque", "errno.h", "exception", "fcntl.h", "float.h", "fstream", "functional",
	"initializer_list", "inttypes.h", "iomanip", "ios", "iostream", "istream", "iterator",
	"limits", "limits.h", "list", "locale.h", "map", "math.h", "memory", "new", "numeric",
	"optional", "ostream", "queue", "random", "regex", "set", "span", "sstream", "stack",
	"stdalign.h", "stdarg.h", "stdbool.h", "stddef.h", "stdexcept", "stdint.h", "stdio.h",
	"stdlib.h", "streambuf", "string", "string.h", "string_view", "strings.h", "sys/stat.h",
	"sys/types.h", "tuple", "type_traits", "unistd.h", "unordered_map", "unordered_set",
	"utility", "valarray", "variant", "vector", "wchar.h"};

/* Where one stands, the program may decide by time, or start another that does. */
static const char *const time_signs[] = {"clock", "time(", "timeofday", "chrono", "rusage",
	"alarm(", "timer", "tsc", "sleep", "wtime", "timespec", "time.h", "syscall(", "asm",
	"dlopen(", "system(", "exec", "popen(", "fork(", "spawn", "poll(", "select(", "pthread.h",
	"<thread>", "signal"};

/* ---- reading a source --------------------------------------------------------------------- */

static void find_harness(struct detect_source *source, const char *text)
{
	for (size_t i = 0; i < sizeof(native_harnesses) / sizeof(*native_harnesses); i++) {
		const struct native_harness *harness = &native_harnesses[i];

		if (!strstr(text, harness->sign))
			continue;
		source->harness = harness->name;
		source->advice = harness->advice;
		return;
	}
}

/* BENCHMARK(...) and its like; not BENCHMARK_MAIN(), which registers nothing. */
static bool is_registration(const char *line)
{
	static const char *const macros[] = {"BENCHMARK(", "BENCHMARK_F(", "BENCHMARK_CAPTURE(",
		"BENCHMARK_TEMPLATE(", "BENCHMARK_REGISTER_F(", "BENCHMARK_PRIVATE("};

	for (size_t i = 0; i < sizeof(macros) / sizeof(*macros); i++)
		if (strncmp(line, macros[i], strlen(macros[i])) == 0)
			return true;
	return false;
}

static bool has_iterations(const char *statement)
{
	const char *at = strstr(statement, "->Iterations(");

	return at && at < statement + strcspn(statement, ";");
}

static void count_registrations(struct detect_source *source, const char *text)
{
	for (const char *line = text; *line;) {
		const char *word = line + strspn(line, " \t");

		if (is_registration(word)) {
			source->registrations++;
			source->fixed_registrations += has_iterations(word);
			if (!source->harness) {
				bool text_first = strncmp(word, "BENCHMARK(\"", 11) == 0;

				source->harness = text_first ? "Catch2" : "BENCHMARK()";
				source->advice = text_first ? NO_COUNT_ADVICE : MACRO_ADVICE;
			}
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	source->registrations += strstr(text, "RegisterBenchmark(") != NULL;
}

static bool is_standard(const char *name)
{
	for (size_t i = 0; i < sizeof(standard_headers) / sizeof(*standard_headers); i++)
		if (strcmp(name, standard_headers[i]) == 0)
			return true;
	return false;
}

/* "#include <name>", in any spacing; NULL if the line is none. */
static const char *included(const char *line)
{
	line += strspn(line, " \t");
	if (*line != '#')
		return NULL;
	line += 1 + strspn(line + 1, " \t");
	if (strncmp(line, "include", 7) != 0)
		return NULL;
	line += 7;
	if (strncmp(line, "_next", 5) == 0)
		line += 5;
	return line + strspn(line, " \t");
}

static void add_include(struct detector *detector, struct detect_source *source, const char *at)
{
	size_t length = strcspn(at + 1, ">\"\n");
	char *name;

	if ((*at != '<' && *at != '"') || source->include_count == MAX_INCLUDES) {
		source->unclear = true;
		return;
	}
	name = arena_strndup(detector->arena, at + 1, length);
	if (*at == '<' && is_standard(name))
		return;
	if (!source->includes)
		source->includes =
			arena_array(detector->arena, MAX_INCLUDES, sizeof(*source->includes));
	while (strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0)
		name = strchr(name, '/') + 1;
	source->includes[source->include_count++] = name;
}

static void read_includes(struct detector *detector, struct detect_source *source, const char *text)
{
	for (const char *line = text; *line;) {
		const char *at = included(line);

		if (at)
			add_include(detector, source, at);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
}

static bool may_use_time(const char *text)
{
	for (size_t i = 0; i < sizeof(time_signs) / sizeof(*time_signs); i++)
		if (strcasestr(text, time_signs[i]))
			return true;
	return false;
}

struct detect_source *detect_add_source(struct detector *detector, const struct detect_file *file)
{
	struct detect_source *source;

	detector->sources = grow_array(detector->sources, &detector->source_capacity,
		detector->source_count + 1, sizeof(*detector->sources));
	source = &detector->sources[detector->source_count++];
	*source = (struct detect_source){
		.path = arena_strdup(detector->arena, file->path),
		.folder = arena_strdup(detector->arena, file->folder),
	};
	return source;
}

void detect_native_source(struct detector *detector, const struct detect_file *file)
{
	struct detect_source *source = detect_add_source(detector, file);

	source->unclear = strlen(file->text) != file->length;
	source->timed = may_use_time(file->text);
	find_harness(source, file->text);
	count_registrations(source, file->text);
	read_includes(detector, source, file->text);
}

/* ---- following a program's sources -------------------------------------------------------- */

/* What is known of a program by its own sources and by what they include. */
struct walk {
	struct detector *detector;
	const struct detect_source *harness;
	size_t count, registrations, fixed_registrations;
	bool timed, unclear;
	unsigned number; /* of the walk: what it has been at bears it */
};

static bool has_ending(const char *path, const char *ending)
{
	size_t length = strlen(path), wanted = strlen(ending);

	return length >= wanted && strcmp(path + length - wanted, ending) == 0 &&
	       (length == wanted || path[length - wanted - 1] == '/');
}

/* Without what stands behind the last dot. */
static size_t stem_length(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? (size_t)(dot - path) : strlen(path);
}

static bool has_stem(const char *path, const char *other)
{
	size_t length = stem_length(other);

	return stem_length(path) == length && strncmp(path, other, length) == 0;
}

static void follow(struct walk *walk, struct detect_source *source);

/* Every file of that name: which of them a compiler takes is not known. */
static bool follow_include(struct walk *walk, const char *name)
{
	struct detector *detector = walk->detector;
	bool found = false;

	if (detector->lookups++ >= MAX_LOOKUPS)
		return false;
	for (size_t i = 0; i < detector->source_count; i++) {
		if (detector->sources[i].node || !has_ending(detector->sources[i].path, name))
			continue;
		found = true;
		follow(walk, &detector->sources[i]);
	}
	return found;
}

/* An object or a header: the sources of the same name. */
static bool follow_stem(struct walk *walk, const char *path)
{
	struct detector *detector = walk->detector;
	bool found = false;

	if (detector->lookups++ >= MAX_LOOKUPS)
		return false;
	for (size_t i = 0; i < detector->source_count; i++) {
		if (detector->sources[i].node || !has_stem(detector->sources[i].path, path))
			continue;
		found = true;
		follow(walk, &detector->sources[i]);
	}
	return found;
}

static void follow(struct walk *walk, struct detect_source *source)
{
	if (source->walk == walk->number)
		return;
	source->walk = walk->number;
	if (++walk->count >= MAX_WALK) {
		walk->unclear = true;
		return;
	}
	if (source->harness &&
		(!walk->harness || strcmp(walk->harness->harness, DETECT_GOOGLE) == 0))
		walk->harness = source;
	walk->registrations += source->registrations;
	walk->fixed_registrations += source->fixed_registrations;
	walk->timed |= source->timed;
	walk->unclear |= source->unclear;
	for (size_t i = 0; i < source->include_count; i++)
		walk->unclear |= !follow_include(walk, source->includes[i]);
	walk->unclear |= !follow_stem(walk, source->path);
}

/* The paths of a target: see detect_add_target(). */
static void follow_all(struct walk *walk, const char *paths)
{
	walk->unclear = !*paths;
	for (size_t length; *paths; paths += length + 1) {
		const char *path;

		length = strcspn(paths, "\n");
		path = arena_strndup(walk->detector->arena, paths, length);
		walk->unclear |= !follow_stem(walk, path);
	}
}

/* ---- deciding ----------------------------------------------------------------------------- */

/* The folder of the file is the other one, or above it. */
static bool is_above(const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	return !length ||
	       (strncmp(path, folder, length) == 0 && (folder[length] == '/' || !folder[length]));
}

static bool is_cmake_module(const char *path)
{
	size_t length = strlen(path);

	return length > 6 && strcmp(path + length - 6, ".cmake") == 0;
}

/* The build file that a program was found in: others have their harness from their own reader. */
static bool is_native_build_file(const char *path)
{
	static const char *const names[] = {
		"CMakeLists.txt", "meson.build", "Makefile", "makefile", "GNUmakefile"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (has_ending(path, names[i]))
			return true;
	return is_cmake_module(path);
}

static void mark(struct detect_candidate *candidate, enum detect_readiness readiness,
	const char *harness, const char *advice)
{
	candidate->readiness = readiness;
	candidate->harness = harness;
	candidate->advice = advice;
}

/* A harness anywhere below its build file may be the program's: that is all that is known. */
static void mark_by_folder(struct detector *detector, struct detect_candidate *candidate)
{
	bool node = has_ending(candidate->found_in, "package.json");
	bool cmake = has_ending(candidate->found_in, "CMakeLists.txt") ||
		     is_cmake_module(candidate->found_in) ||
		     has_ending(candidate->found_in, "meson.build");

	for (size_t i = 0; i < detector->source_count; i++) {
		const struct detect_source *source = &detector->sources[i];

		if (source->harness && (!node || source->node) && (!cmake || !source->node) &&
			is_above(candidate->found_in, source->folder)) {
			mark(candidate, DETECT_NEEDS_COUNT, source->harness, source->advice);
			return;
		}
	}
}

static bool is_fixed_google(const struct walk *walk)
{
	return strcmp(walk->harness->harness, DETECT_GOOGLE) == 0 && walk->registrations &&
	       walk->registrations == walk->fixed_registrations;
}

/* False if the program's sources do not tell. */
static bool mark_by_sources(
	struct detector *detector, struct detect_candidate *candidate, const char *paths)
{
	struct walk walk = {.detector = detector, .number = ++detector->walks};

	follow_all(&walk, paths);
	if (walk.harness && is_fixed_google(&walk))
		mark(candidate, DETECT_RUNS, DETECT_GOOGLE,
			"its iterations are fixed in the source");
	else if (walk.harness)
		mark(candidate, DETECT_NEEDS_COUNT, walk.harness->harness, walk.harness->advice);
	else if (walk.unclear)
		return false;
	else
		mark(candidate, walk.timed ? DETECT_UNRECOGNISED : DETECT_RUNS, "", "");
	return true;
}

void detect_apply_sources(struct detector *detector)
{
	for (size_t i = 0; i < detector->candidate_count; i++) {
		struct detect_candidate *candidate = &detector->candidates[i];
		const char *paths = detector->target_sources[i];

		if (paths && mark_by_sources(detector, candidate, paths))
			continue;
		if (candidate->readiness == DETECT_UNRECOGNISED &&
			(is_native_build_file(candidate->found_in) ||
				has_ending(candidate->found_in, "package.json")))
			mark_by_folder(detector, candidate);
	}
}
