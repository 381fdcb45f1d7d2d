/* SPDX-License-Identifier: Apache-2.0 */
/* Make, Meson, and programs that lie there. */
#include "gate/bench/detect/detect_internal.h"

#include <ctype.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/harness/harness_flags.h"
#include "gate/bench/preload/preload.h"

#define MAKE_ADVICE "make itself is measured too: name the program that the target runs instead"

bool detect_uses_google(const char *text)
{
	return strstr(text, "-lbenchmark") || strstr(text, "benchmark::benchmark") ||
	       strcasestr(text, "find_package(benchmark") || strstr(text, "dependency('benchmark'");
}

static struct detect_candidate program(const struct detect_file *file)
{
	bool google = detect_uses_google(file->text);

	return (struct detect_candidate){
		.directory = ".",
		.found_in = file->path,
		.harness = google ? DETECT_GOOGLE : "",
		.advice = google ? DETECT_GOOGLE_ADVICE : "",
		.readiness = google ? DETECT_NEEDS_COUNT : DETECT_UNRECOGNISED,
	};
}

/* A target's sources as detect_add_target() takes them; empty once one is not known. */
struct source_list {
	struct strbuf paths;
	bool unclear;
};

static bool has_suffix_of_source(const char *word, size_t length)
{
	static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".o"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t own = strlen(suffixes[i]);

		if (length > own && memcmp(word + length - own, suffixes[i], own) == 0)
			return true;
	}
	return false;
}

static void list_source(
	struct source_list *list, const char *folder, const char *word, size_t length)
{
	if (length > 2 && strncmp(word, "./", 2) == 0) {
		word += 2;
		length -= 2;
	}
	if (!detect_is_safe(word, length) || *word == '/' || memmem(word, length, "..", 2))
		list->unclear = true;
	else if (strcmp(folder, ".") == 0)
		strbuf_addf(&list->paths, "%.*s\n", (int)length, word);
	else
		strbuf_addf(&list->paths, "%s/%.*s\n", folder, (int)length, word);
}

/* NULL if they are not known. */
static const char *take_sources(struct detector *detector, struct source_list *list)
{
	const char *paths = list->unclear || !list->paths.length
				    ? NULL
				    : arena_strdup(detector->arena, list->paths.data);

	strbuf_release(&list->paths);
	return paths;
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

/* Of variables only those count that hold no source by custom. */
static bool is_known_variable(const char *word, size_t length)
{
	static const char *const known[] = {"$(CC)", "$(CXX)", "$(CFLAGS)", "$(CXXFLAGS)",
		"$(CPPFLAGS)", "$(LDFLAGS)", "$(LDLIBS)", "$(LIBS)", "$@", "$<", "$^", "\"$@\""};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == length && strncmp(word, known[i], length) == 0)
			return true;
	return false;
}

static const char *sources_of_rule(
	struct detector *detector, const struct detect_file *file, const char *rule)
{
	struct source_list list = {.paths = STRBUF_INIT};

	for (const char *at = rule; *at;) {
		size_t length;

		at += strspn(at, " \t\n:\\");
		length = strcspn(at, " \t\n");
		if (has_suffix_of_source(at, length))
			list_source(&list, file->folder, at, length);
		else if (memchr(at, '$', length) && !is_known_variable(at, length))
			list.unclear = true;
		at += length;
	}
	return take_sources(detector, &list);
}

static void add_target(struct detector *detector, const struct detect_file *file, const char *name,
	const char *rule)
{
	struct detect_candidate candidate = program(file);
	const char *sources = NULL;

	if (makes_program(detector, name, rule)) {
		sources = sources_of_rule(detector, file, rule);
		candidate.build[0] = make_command(detector, file, name);
		candidate.command = arena_printf(
			detector->arena, "./%s", detect_path(detector, file->folder, name));
	} else {
		candidate.build[0] = make_command(detector, file, "all");
		if (!strstr(file->text, "\nall:") && strncmp(file->text, "all:", 4) != 0)
			candidate.build[0] = NULL;
		candidate.command = make_command(detector, file, name);
		if (candidate.readiness == DETECT_UNRECOGNISED)
			candidate.advice = MAKE_ADVICE;
	}
	detect_add_target(detector, name, candidate, sources);
}

#define LINKS_GOOGLE " -lbenchmark"

static void read_rule(struct detector *detector, const struct detect_file *file, const char *line,
	const char *colon)
{
	const char *end = recipe_end(line);
	const char *rule = arena_strndup(detector->arena, colon, (size_t)(end - colon));

	bool links = strstr(rule, LINKS_GOOGLE);

	for (const char *at = line; at < colon;) {
		size_t length = strcspn(at, " :");
		const char *name = arena_strndup(detector->arena, at, length);
		bool wanted = is_bench_target(name) || links;

		if (wanted && detect_is_safe(name, length))
			add_target(detector, file, name, rule);
		else if (wanted)
			detector->odd_names++;
		at += length + strspn(at + length, " ");
	}
}

/* By its name, or by what it links. */
static bool is_bench_rule(struct detector *detector, const char *line, const char *colon)
{
	const char *end = recipe_end(line);

	return detect_is_bench(arena_strndup(detector->arena, line, (size_t)(colon - line))) ||
	       memmem(colon, (size_t)(end - colon), LINKS_GOOGLE, sizeof(LINKS_GOOGLE) - 1);
}

void detect_make(struct detector *detector, const struct detect_file *file)
{
	const char *next;

	detect_add_system(detector, "Make", file);
	for (const char *line = file->text; *line; line = next) {
		const char *end = line_end(line), *colon = rule_colon(line);

		if (colon && is_bench_rule(detector, line, colon))
			read_rule(detector, file, line, colon);
		next = *end ? end + 1 : end;
	}
}

/* ---- Meson -------------------------------------------------------------------------------- */

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

static void add_meson(struct detector *detector, const struct detect_file *file, const char *name);

static void each_executable(
	struct detector *detector, const struct detect_file *file, const char *function)
{
	const char *at = file->text;

	while ((at = strcasestr(at, function))) {
		const char *name = first_argument(detector, at + strlen(function));

		if (name && !is_comment(file->text, at) && detect_is_bench(name))
			add_meson(detector, file, name);
		at += strlen(function);
	}
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
	each_executable(detector, file, "executable(");
}

/* ---- programs and scripts ----------------------------------------------------------------- */

static void apply_marks(struct detector *detector, struct detect_candidate *candidate,
	const struct detect_file *file)
{
	const struct harness_flag *flag = harness_flag_in_program(file->text, file->length);

	if (!flag)
		return;
	candidate->readiness = DETECT_NEEDS_COUNT;
	candidate->harness = flag->name;
	candidate->advice =
		arena_printf(detector->arena, "it runs for a fixed time: %s", flag->advice);
}

void detect_executable(struct detector *detector, const struct detect_file *file)
{
	struct detect_candidate candidate = {
		.command = arena_printf(detector->arena, "./%s", file->path),
		.directory = ".",
		.found_in = file->path,
		.harness = "",
		.advice = "",
		.readiness = DETECT_UNRECOGNISED,
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
	} else if (is_elf) {
		apply_marks(detector, &candidate, file);
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
