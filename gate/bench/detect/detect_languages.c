/* SPDX-License-Identifier: Apache-2.0 */
/* Rust, Go, Python, Node and the JVM. */
#include "gate/bench/detect/detect_internal.h"

#include "gate/net/json.h"

#include <string.h>

#define RUST_ADVICE                                                                                \
	"it runs for a fixed time: call what it measures a fixed number of times in a program of " \
	"its own "                                                                                 \
	"(src/bin or examples)"
#define VALGRIND_ADVICE                                                                            \
	"it runs under valgrind: call what it measures a fixed number of times in a program of "   \
	"its own"
#define GO_PROGRAM "flamegate.test"
/* Go's own linker makes static programs, which nothing can be preloaded into. */
#define GO_BUILD "CGO_ENABLED=1 go test -c -ldflags=-linkmode=external -o " GO_PROGRAM " ."
#define PYTHON_ADVICE "Python functions show as functions of the interpreter"
#define NODE_ADVICE "JavaScript functions show as functions of the interpreter and its compiler"

/* A harness that repeats for a time: recognised by a text in the file. */
struct harness {
	const char *sign, *name, *advice;
};

static const struct harness rust_harnesses[] = {
	{"criterion", "criterion", RUST_ADVICE},
	{"divan", "divan", ""},
	{"iai::", "iai", VALGRIND_ADVICE},
	{"iai_callgrind", "iai-callgrind", VALGRIND_ADVICE},
	{"gungraun", "gungraun", VALGRIND_ADVICE},
	{"#[bench]", "cargo bench", RUST_ADVICE},
};

static const struct harness python_harnesses[] = {
	{"pytest_benchmark", "pytest-benchmark",
		"it runs for a fixed time: use benchmark.pedantic(function, "
		"iterations=1000, rounds=10)"},
	{"pyperf", "pyperf", "it runs for a fixed time: set --loops, --values and --processes"},
	{"autorange", "timeit", "it runs for a fixed time: call timeit with number=N"},
};

static const struct harness node_harnesses[] = {
	{"benchmark", "benchmark.js",
		"it runs for a fixed time: set minSamples and maxTime, or loop N times"},
	{"tinybench", "tinybench", "it runs for a fixed time: set time: 0 and iterations: N"},
	{"mitata", "mitata", "it runs for a fixed time: loop N times in a script of its own"},
	{"vitest", "vitest bench", "it runs for a fixed time: set time: 0 and iterations: N"},
	{"autocannon", "autocannon",
		"it runs for a fixed time: set --amount N instead of --duration"},
};

static void apply(struct detect_candidate *candidate, const struct harness *harness)
{
	candidate->harness = harness->name;
	candidate->advice = harness->advice;
	candidate->readiness = DETECT_NEEDS_COUNT;
}

static void find_harness(struct detect_candidate *candidate, const struct harness *harnesses,
	size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++) {
		if (strstr(text, harnesses[i].sign)) {
			apply(candidate, &harnesses[i]);
			return;
		}
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *without_suffix(struct detector *detector, const char *name)
{
	const char *dot = strrchr(name, '.');

	return arena_strndup(detector->arena, name, dot ? (size_t)(dot - name) : strlen(name));
}

/* ---- Rust --------------------------------------------------------------------------------- */

void detect_cargo(struct detector *detector, const struct detect_file *file)
{
	detect_add_system(detector, "Cargo", file);
}

/* Where it runs cargo itself is measured, too. */
static struct detect_candidate by_cargo(
	struct detector *detector, const struct detect_file *file, const char *name)
{
	return (struct detect_candidate){
		.command = arena_printf(detector->arena, "cargo bench --bench %s", name),
		.directory = ".",
		.build = {"cargo bench --no-run"},
		.found_in = file->path,
		.harness = "",
		.advice = "cargo itself is measured too",
		.readiness = DETECT_UNRECOGNISED,
	};
}

/* The folder above, "." at the root. */
static const char *above(struct detector *detector, const char *folder)
{
	const char *slash = strrchr(folder, '/');

	return slash ? arena_strndup(detector->arena, folder, (size_t)(slash - folder)) : ".";
}

/* As a file's name. */
static const char *flat(struct detector *detector, const char *path)
{
	char *name = arena_strdup(detector->arena, path);

	for (char *at = name; *at; at++)
		if (*at == '/')
			*at = '-';
	return name;
}

static const char *way_up(struct detector *detector, const char *folder)
{
	const char *way = "";

	if (strcmp(folder, ".") == 0)
		return "./";
	for (; *folder; folder++)
		if (*folder == '/')
			way = arena_printf(detector->arena, "../%s", way);
	return arena_printf(detector->arena, "../%s", way);
}

/*
 * The program that cargo makes has a hash in its name, which changes with versions: cargo tells it,
 * and a copy has a name that stays. It runs where cargo would run it.
 */
static void use_its_program(struct detector *detector, const char *folder, const char *name,
	struct detect_candidate *out)
{
	struct arena *arena = detector->arena;
	const char *crate = above(detector, folder);
	bool is_root = strcmp(crate, ".") == 0;
	const char *program = is_root ? arena_printf(arena, "target/flamegate-%s", name)
				      : arena_printf(arena, "target/flamegate-%s-%s",
						flat(detector, crate), name);
	const char *list =
		is_root ? "target/flamegate.json"
			: arena_printf(arena, "target/flamegate-%s.json", flat(detector, crate));

	out->directory = crate;
	out->command = arena_printf(arena, "%s%s", way_up(detector, crate), program);
	out->build[0] = arena_printf(arena,
		"mkdir -p target && CARGO_PROFILE_BENCH_DEBUG=1 cargo bench --no-run "
		"--message-format=json%s%s%s >%s",
		is_root ? "" : " --manifest-path ", is_root ? "" : crate,
		is_root ? "" : "/Cargo.toml", list);
	out->build[1] = arena_printf(arena,
		"cp \"$(sed -n 's/.*\"kind\":\\[\"bench\"\\].*\"name\":\"%s\".*\"executable\":\"\\([^\"]*\\)\".*"
		"/\\1/p' %s | tail -n 1)\" %s",
		name, list, program);
}

static bool has_list(const char *harness)
{
	return strcmp(harness, "criterion") == 0 || strcmp(harness, "divan") == 0;
}

static void add_rust_bench(
	struct detector *detector, const struct detect_file *file, const char *name)
{
	struct detect_candidate candidate = by_cargo(detector, file, name);

	find_harness(&candidate, rust_harnesses, sizeof(rust_harnesses) / sizeof(*rust_harnesses),
		file->text);
	if (has_list(candidate.harness))
		use_its_program(detector, file->folder, name, &candidate);
	/* It has a flag for its iterations, which a check sets. */
	if (strcmp(candidate.harness, "divan") == 0)
		candidate.readiness = DETECT_RUNS;
	detect_add(detector, name, candidate);
}

static void add_rust_program(
	struct detector *detector, const struct detect_file *file, const char *name, bool example)
{
	struct detect_candidate candidate = {
		.command = arena_printf(
			detector->arena, "./target/release/%s%s", example ? "examples/" : "", name),
		.directory = ".",
		.build = {example ? "CARGO_PROFILE_RELEASE_DEBUG=1 cargo build --release --examples"
				  : "CARGO_PROFILE_RELEASE_DEBUG=1 cargo build --release --bins"},
		.found_in = file->path,
		.harness = "",
		.advice = "",
		.readiness = DETECT_UNRECOGNISED,
	};

	detect_add(detector, name, candidate);
}

void detect_rust(struct detector *detector, const struct detect_file *file)
{
	const char *folder = last_part(file->folder), *name = without_suffix(detector, file->name);

	if (!strstr(file->text, "fn main") && !strstr(file->text, "criterion_main!") &&
		!strstr(file->text, "#[bench]"))
		return;
	if (strcmp(folder, "benches") == 0)
		add_rust_bench(detector, file, name);
	else if (detect_is_bench(name) &&
		 (strcmp(folder, "bin") == 0 || strcmp(folder, "examples") == 0))
		add_rust_program(detector, file, name, strcmp(folder, "examples") == 0);
}

/* ---- Go and the JVM ----------------------------------------------------------------------- */

void detect_go(struct detector *detector, const struct detect_file *file)
{
	detect_add_system(detector, "Go", file);
}

/* func BenchmarkX(b *testing.B), whatever testing is imported as. */
static bool has_go_benchmark(const char *text)
{
	static const char sign[] = "func Benchmark";

	for (const char *at = text; (at = strstr(at, sign)); at += strlen(sign)) {
		const char *end = at + strcspn(at, ")\n");

		if (*end == ')' && end - at > 2 && strncmp(end - 2, ".B", 2) == 0)
			return true;
	}
	return false;
}

/*
 * One for each package, however many files it has: the command is the same. It runs in its folder,
 * as by `go test`, and needs no count: a check sets -test.benchtime.
 */
void detect_go_test(struct detector *detector, const struct detect_file *file)
{
	bool is_root = strcmp(file->folder, ".") == 0;
	struct detect_candidate candidate = {
		.command = "./" GO_PROGRAM,
		.directory = arena_strdup(detector->arena, file->folder),
		.build = {is_root ? GO_BUILD
				  : arena_printf(
					    detector->arena, "cd %s && " GO_BUILD, file->folder)},
		.found_in = file->path,
		.harness = "go",
		.advice = "",
		.readiness = DETECT_RUNS,
	};

	if (has_go_benchmark(file->text))
		detect_add(detector, is_root ? "go" : last_part(file->folder), candidate);
}

void detect_jvm(struct detector *detector, const struct detect_file *file)
{
	struct detect_candidate candidate = {
		.command = arena_printf(detector->arena, "java (%s)", file->path),
		.directory = ".",
		.found_in = file->path,
		.harness = "JMH",
		.advice = "code that a virtual machine compiles cannot be named yet",
		.readiness = DETECT_UNSUPPORTED,
	};

	detect_add_system(detector, strcmp(file->name, "pom.xml") == 0 ? "Maven" : "Gradle", file);
	if (strstr(file->text, "org.openjdk.jmh") || strstr(file->text, "me.champeau.jmh") ||
		strstr(file->text, "jmh-core"))
		detect_add(detector, "jmh", candidate);
}

/* ---- Python ------------------------------------------------------------------------------- */

void detect_python_project(struct detector *detector, const struct detect_file *file)
{
	detect_add_system(detector, "Python", file);
}

static bool is_pytest_file(const char *name)
{
	return strncmp(name, "test_", 5) == 0 || strstr(name, "_test.py");
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* A test has the fixture as a parameter, whatever it does with it. */
static bool takes_fixture(const char *text)
{
	static const char fixture[] = "benchmark";

	for (const char *test = text; (test = strstr(test, "def test")); test++) {
		const char *open = test + strcspn(test, "("), *end = open + strcspn(open, ")");

		for (const char *at = open; (at = strstr(at, fixture)) && at < end; at++)
			if (!is_name_char(at[-1]) && !is_name_char(at[strlen(fixture)]))
				return true;
	}
	return false;
}

/* benchmark.pedantic() has a count of its own; with any other use the harness chooses one. */
static void apply_fixture(struct detect_candidate *candidate, const char *text)
{
	static const char call[] = "benchmark.pedantic(";
	bool pedantic = false;

	for (const char *at = text; (at = strstr(at, "benchmark")); at++) {
		size_t parameter = strcspn(at, ":\n");
		const char *line = at;

		while (line > text && line[-1] != '\n')
			line--;
		line += strspn(line, " \t");
		if (strncmp(line, "def ", 4) == 0 && at[parameter] == ':')
			continue;
		if (strncmp(at, call, strlen(call)) != 0) {
			apply(candidate, &python_harnesses[0]);
			return;
		}
		pedantic = true;
	}
	if (!pedantic)
		return;
	candidate->harness = python_harnesses[0].name;
	candidate->readiness = DETECT_RUNS;
}

void detect_python(struct detector *detector, const struct detect_file *file)
{
	bool pytest = is_pytest_file(file->name);
	struct detect_candidate candidate = {
		.command = arena_printf(detector->arena,
			pytest ? "python3 -m pytest -q %s" : "python3 %s", file->path),
		.directory = ".",
		.found_in = file->path,
		.harness = "",
		.advice = PYTHON_ADVICE,
		.readiness = DETECT_UNRECOGNISED,
	};

	if (pytest ? !takes_fixture(file->text) : !detect_is_bench(file->name))
		return;
	if (pytest)
		apply_fixture(&candidate, file->text);
	else if (strstr(file->text, "import"))
		find_harness(&candidate, python_harnesses,
			sizeof(python_harnesses) / sizeof(*python_harnesses), file->text);
	detect_add(detector, without_suffix(detector, file->name), candidate);
}

/* ---- Node --------------------------------------------------------------------------------- */

static void find_node_harness(struct detect_candidate *candidate, const struct json *package)
{
	static const char *const lists[] = {"dependencies", "devDependencies"};

	for (size_t i = 0; i < sizeof(node_harnesses) / sizeof(*node_harnesses); i++) {
		for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
			if (json_get(json_get(package, lists[k]), node_harnesses[i].sign)) {
				apply(candidate, &node_harnesses[i]);
				return;
			}
		}
	}
}

static void add_node_source(
	struct detector *detector, const struct detect_file *file, const struct harness *harness)
{
	struct detect_source *source = detect_add_source(detector, file);

	source->node = true;
	source->harness = harness->name;
	source->advice = harness->advice;
}

/* The package may be another folder's, or a workspace's: what is imported tells. */
void detect_node_source(struct detector *detector, const struct detect_file *file)
{
	static const char *const quotes[] = {"\"%s\"", "'%s'"};

	for (size_t i = 0; i < sizeof(node_harnesses) / sizeof(*node_harnesses); i++) {
		const struct harness *harness = &node_harnesses[i];
		bool imported = false;

		for (size_t k = 0; k < 2; k++)
			imported |= strstr(file->text, arena_printf(detector->arena, quotes[k],
							       harness->sign)) != NULL;
		if (!imported || (!strstr(file->text, "import") && !strstr(file->text, "require(")))
			continue;
		if (strcmp(harness->sign, "vitest") != 0 || strstr(file->text, "bench("))
			add_node_source(detector, file, harness);
	}
}

static void add_script(struct detector *detector, const struct detect_file *file,
	const struct json *package, const char *key)
{
	bool has_packages =
		json_get(package, "dependencies") || json_get(package, "devDependencies");
	struct detect_candidate candidate = {
		.command = arena_printf(detector->arena, "npm run --silent %s", key),
		.directory = file->folder,
		.found_in = file->path,
		.harness = "",
		.advice = NODE_ADVICE,
		.readiness = DETECT_UNRECOGNISED,
	};

	if (has_packages)
		candidate.build[0] =
			strcmp(file->folder, ".") == 0
				? "npm install --no-audit --no-fund"
				: arena_printf(detector->arena,
					  "npm install --no-audit --no-fund --prefix %s",
					  file->folder);
	find_node_harness(&candidate, package);
	detect_add(detector, key, candidate);
}

void detect_node(struct detector *detector, const struct detect_file *file)
{
	struct json *package = NULL;
	const struct json *scripts;

	if (json_parse(file->text, file->length, file->path, NULL, &package, NULL))
		return;
	detect_add_system(detector, "Node", file);
	scripts = json_get(package, "scripts");
	for (const struct json *script = json_first(scripts); script; script = json_next(script)) {
		const char *key = json_key(script);

		if (!key || !detect_is_bench(key))
			continue;
		if (detect_is_safe(key, strlen(key)))
			add_script(detector, file, package, arena_strdup(detector->arena, key));
		else
			detector->odd_names++;
	}
	json_free(package);
}
