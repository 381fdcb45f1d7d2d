/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CMake: which of a project's executables are benchmarks. They come from the text of its files, or
 * from CMake itself where somebody has configured the project.
 */
#include "gate/bench/detect/detect_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/map.h"
#include "gate/bench/cmake/codemodel.h"

/* How sure it is that a program is a benchmark: see detect_candidate.sureness. */
enum { NO_BENCHMARK, BY_NAME, BY_SOURCES, BY_LINKS };

#define NO_TARGET                                                                                  \
	"CMake was configured and has no such target: what it asks for may not be installed here"

/* ---- the files ------------------------------------------------------------------------------ */

void detect_cmake_module(struct detector *detector, const struct detect_file *file)
{
	if (file->length > DETECT_MAX_CMAKE_BYTES - detector->cmake_bytes) {
		detector->cut = true;
		return;
	}
	detector->cmake_bytes += file->length;
	detector->cmake_texts = grow_array(detector->cmake_texts, &detector->cmake_capacity,
		detector->cmake_count + 1, sizeof(*detector->cmake_texts));
	detector->cmake_texts[detector->cmake_count++] = (struct cmake_text){
		.path = arena_strdup(detector->arena, file->path),
		.folder = arena_strdup(detector->arena, file->folder),
		.text = arena_strdup(detector->arena, file->text),
	};
}

void detect_cmake(struct detector *detector, const struct detect_file *file)
{
	detect_add_system(detector, "CMake", file);
	detect_cmake_module(detector, file);
}

/* ---- how sure ------------------------------------------------------------------------------- */

/* What is read of all projects. */
struct reading {
	struct detector *detector;
	struct cmake_sites sites;
	unsigned *sureness;   /* of each site */
	bool *maybe;          /* of each: what is not known of it may make it a benchmark */
	struct map harnesses; /* paths of sources that include one */
};

/* A path of a library, or a target's name. */
static bool is_google_library(const char *link, size_t length)
{
	static const char *const names[] = {"benchmark", "benchmark_main", "-lbenchmark",
		"-lbenchmark_main", "benchmark::benchmark", "benchmark::benchmark_main"};
	static const char library[] = "libbenchmark";
	const char *slash = memrchr(link, '/', length);
	const char *name = slash ? slash + 1 : link;
	size_t own = length - (size_t)(name - link), prefix = strlen(library);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length && strncmp(link, names[i], length) == 0)
			return true;
	return own > prefix && strncmp(name, library, prefix) == 0 && strchr("._", name[prefix]);
}

static bool links_google(const char *links)
{
	for (size_t length; *links; links += length + 1) {
		length = strcspn(links, "\n");
		if (is_google_library(links, length))
			return true;
	}
	return false;
}

/* Its own sources include one; not what these include. */
static bool includes_harness(const struct reading *reading, const char *sources)
{
	for (size_t length; *sources; sources += length + 1) {
		length = strcspn(sources, "\n");
		if (map_get(&reading->harnesses, sources, length) != MAP_NONE)
			return true;
	}
	return false;
}

static unsigned sureness_of(
	const struct reading *reading, const char *name, const char *links, const char *sources)
{
	if (links_google(links))
		return BY_LINKS;
	if (sources && includes_harness(reading, sources))
		return BY_SOURCES;
	return detect_is_bench(name) ? BY_NAME : NO_BENCHMARK;
}

/* Catch2's headers are included by many tests, and by Catch2. */
static bool uses_harness(const struct detect_source *source)
{
	return source->harness && !source->node &&
	       (source->registrations || strcmp(source->harness, "Catch2") != 0);
}

/* Some source beside its file or below has a harness. */
static bool has_harness_below(const struct detector *detector, const char *file)
{
	const char *slash = strrchr(file, '/');
	size_t length = slash ? (size_t)(slash - file) : 0;

	for (size_t i = 0; i < detector->source_count; i++) {
		const struct detect_source *source = &detector->sources[i];

		if (uses_harness(source) &&
			(!length || (strncmp(source->folder, file, length) == 0 &&
					    strchr("/", source->folder[length]))))
			return true;
	}
	return false;
}

static void judge_sites(struct reading *reading)
{
	const struct detector *detector = reading->detector;

	for (size_t i = 0; i < detector->source_count; i++)
		if (uses_harness(&detector->sources[i]))
			map_put_str(&reading->harnesses, detector->sources[i].path, 0);
	for (size_t i = 0; i < reading->sites.count; i++) {
		const struct cmake_site *site = &reading->sites.items[i];

		reading->sureness[i] = sureness_of(reading, site->name, site->links, site->sources);
		reading->maybe[i] =
			reading->sureness[i] || ((site->computed || !site->sources) &&
							has_harness_below(detector, site->file));
	}
}

/* ---- candidates ----------------------------------------------------------------------------- */

static const char *build_folder_of(struct detector *detector, const char *project)
{
	char *name;

	if (strcmp(project, ".") == 0)
		return "build";
	name = arena_printf(detector->arena, "build-%s", project);
	for (char *at = name; *at; at++)
		*at = *at == '/' ? '-' : *at;
	return name;
}

static const char *configure_of(struct detector *detector, const char *project)
{
	return arena_printf(detector->arena, "cmake -S %s -B %s -DCMAKE_BUILD_TYPE=RelWithDebInfo",
		project, build_folder_of(detector, project));
}

static const struct cmake_text *text_at(const struct detector *detector, const char *path)
{
	for (size_t i = 0; i < detector->cmake_count; i++)
		if (strcmp(detector->cmake_texts[i].path, path) == 0)
			return &detector->cmake_texts[i];
	return NULL;
}

/* What is known of a program, whoever says it. */
struct program {
	const char *name, *project, *file, *output, *sources, *options;
	unsigned sureness;
};

static bool is_safe(const char *text)
{
	return detect_is_safe(text, strlen(text));
}

static struct detect_candidate candidate_of(
	struct detector *detector, const struct program *program)
{
	const struct cmake_text *text = text_at(detector, program->file);
	bool is_google = program->sureness == BY_LINKS || (text && detect_uses_google(text->text));
	const char *build_folder = build_folder_of(detector, program->project);

	/* Without a number make would start all at once. */
	return (struct detect_candidate){
		.command = arena_printf(detector->arena, "./%s/%s", build_folder, program->output),
		.directory = ".",
		.build = {configure_of(detector, program->project),
			arena_printf(detector->arena,
				"cmake --build %s --parallel $(nproc) --target %s", build_folder,
				program->name)},
		.found_in = program->file,
		.harness = is_google ? DETECT_GOOGLE : "",
		.advice = is_google ? DETECT_GOOGLE_ADVICE : "",
		.options = program->options,
		.project = program->project,
		.readiness = is_google ? DETECT_NEEDS_COUNT : DETECT_UNRECOGNISED,
		.sureness = program->sureness,
	};
}

static void add_program(struct detector *detector, const struct program *program)
{
	const char *sources = program->sources && *program->sources ? program->sources : NULL;

	if (!is_safe(program->name) || !is_safe(program->output) || !is_safe(program->file)) {
		detector->odd_names++;
		return;
	}
	detect_add_target(detector, program->name, candidate_of(detector, program), sources);
}

/* ---- from the text -------------------------------------------------------------------------- */

static void add_missing(
	struct detector *detector, const struct program *program, const char *reason)
{
	size_t before = detector->candidate_count;

	add_program(detector, program);
	if (detector->candidate_count == before)
		return;
	detector->target_sources[before] = NULL;
	detector->candidates[before].readiness = DETECT_UNSUPPORTED;
	detector->candidates[before].advice = reason;
}

static bool has_target(const struct codemodel *model, const char *name)
{
	for (size_t i = 0; model && i < model->count; i++)
		if (strcmp(model->targets[i].name, name) == 0)
			return true;
	return false;
}

static const struct detect_configured *configured_of(
	const struct detect_configured *configured, size_t count, const char *project)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(configured[i].folder, project) == 0)
			return &configured[i];
	return NULL;
}

static void add_site(struct reading *reading, size_t at, const struct detect_configured *configured)
{
	const struct cmake_site *site = &reading->sites.items[at];
	struct program program = {
		.name = site->name,
		.project = site->project,
		.file = site->file,
		.output = site->output,
		.sources = site->sources,
		.options = site->options,
		.sureness = reading->sureness[at],
	};

	if (site->computed || !site->output || !program.sureness)
		return;
	if (!configured)
		add_program(reading->detector, &program);
	else if (!has_target(configured->model, site->name))
		add_missing(reading->detector, &program,
			*configured->reason ? configured->reason : NO_TARGET);
}

/* ---- from CMake itself ---------------------------------------------------------------------- */

/* Where it is added tells which options it needs: by file and line, of several there by its name.
 */
static const char *options_for(const struct cmake_sites *sites, const char *project,
	const struct codemodel_target *target, const char *file, const char *otherwise)
{
	const struct cmake_site *found = NULL;

	for (size_t i = 0; i < sites->count; i++) {
		const struct cmake_site *site = &sites->items[i];

		if (strcmp(site->project, project) != 0 || site->line != target->line || !file ||
			strcmp(site->file, file) != 0)
			continue;
		if (!found || strcmp(site->name, target->name) == 0)
			found = site;
	}
	return found ? found->options : otherwise;
}

/* From the tree's root; NULL: not inside. */
static const char *in_tree(struct detector *detector, const char *project, const char *path)
{
	return *path ? cmake_path(detector->arena, project, path) : NULL;
}

static const char *sources_in_tree(
	struct detector *detector, const char *project, const char *sources)
{
	struct strbuf paths = STRBUF_INIT;
	const char *text;

	for (size_t length; *sources; sources += length + 1) {
		const char *path;

		length = strcspn(sources, "\n");
		path = in_tree(detector, project, arena_strndup(detector->arena, sources, length));
		if (path)
			strbuf_addf(&paths, "%s\n", path);
	}
	text = arena_strdup(detector->arena, paths.data);
	strbuf_release(&paths);
	return text;
}

/* A copy: the model does not live as long. */
static void add_target(struct reading *reading, const struct detect_configured *configured,
	const struct codemodel_target *target)
{
	struct detector *detector = reading->detector;
	const char *project = configured->folder;
	const char *folder = in_tree(detector, project, target->folder);
	const char *file = in_tree(detector, project, target->file);
	struct program program = {
		.name = arena_strdup(detector->arena, target->name),
		.project = arena_strdup(detector->arena, project),
		.file = file ? file : "CMakeLists.txt",
		.output = arena_strdup(detector->arena, target->output),
		.sources = sources_in_tree(detector, project, target->sources),
	};

	if (!folder || detect_is_foreign(folder))
		return;
	program.options = arena_strdup(detector->arena,
		options_for(&reading->sites, project, target, file, configured->options));
	program.sureness = sureness_of(reading, program.name, target->links, program.sources);
	if (program.sureness)
		add_program(detector, &program);
}

/* ---- what is to be configured --------------------------------------------------------------- */

static struct detect_project *project_of(struct detector *detector, const char *folder)
{
	struct detect_project *project;

	for (size_t i = 0; i < detector->project_count; i++)
		if (strcmp(detector->projects[i].folder, folder) == 0)
			return &detector->projects[i];
	if (detector->project_count == DETECT_MAX_PROJECTS || !is_safe(folder))
		return NULL;
	project = &detector->projects[detector->project_count++];
	*project = (struct detect_project){
		.folder = folder,
		.build_folder = build_folder_of(detector, folder),
		.configure = configure_of(detector, folder),
	};
	return project;
}

static void add_attempt(struct detect_project *project, const char *options, size_t limit)
{
	for (size_t i = 0; i < project->attempt_count; i++)
		if (strcmp(project->attempts[i], options) == 0)
			return;
	if (project->attempt_count < limit)
		project->attempts[project->attempt_count++] = options;
}

/* The options of all, then those of the surest, then none. */
static void add_attempts(struct reading *reading, struct detect_project *project)
{
	const struct cmake_sites *sites = &reading->sites;
	struct strbuf all = STRBUF_INIT;

	for (unsigned sureness = BY_LINKS + 1; sureness-- > NO_BENCHMARK;)
		for (size_t i = 0; i < sites->count; i++)
			if (strcmp(sites->items[i].project, project->folder) == 0 &&
				reading->sureness[i] == sureness && reading->maybe[i])
				detect_add_options(&all, sites->items[i].options);
	add_attempt(project, arena_strdup(reading->detector->arena, all.data), DETECT_MAX_ATTEMPTS);
	for (unsigned sureness = BY_LINKS + 1; sureness-- > BY_NAME;)
		for (size_t i = 0; i < sites->count; i++)
			if (strcmp(sites->items[i].project, project->folder) == 0 &&
				reading->sureness[i] == sureness)
				add_attempt(
					project, sites->items[i].options, DETECT_MAX_ATTEMPTS - 1);
	add_attempt(project, "", DETECT_MAX_ATTEMPTS);
	strbuf_release(&all);
}

static void find_projects(struct reading *reading)
{
	struct detector *detector = reading->detector;

	for (size_t i = 0; i < reading->sites.count; i++)
		if (reading->maybe[i])
			project_of(detector, reading->sites.items[i].project);
	for (size_t i = 0; i < detector->project_count; i++)
		add_attempts(reading, &detector->projects[i]);
}

void detect_cmake_targets(
	struct detector *detector, const struct detect_configured *configured, size_t count)
{
	struct reading reading = {.detector = detector};

	cmake_read(detector->arena, detector->cmake_texts, detector->cmake_count, &reading.sites);
	detector->cut |= reading.sites.cut;
	reading.sureness = xcalloc(reading.sites.count + 1, sizeof(*reading.sureness));
	reading.maybe = xcalloc(reading.sites.count + 1, sizeof(*reading.maybe));
	map_init(&reading.harnesses);
	judge_sites(&reading);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; configured[i].model && k < configured[i].model->count; k++)
			add_target(&reading, &configured[i], &configured[i].model->targets[k]);
	for (size_t i = 0; i < reading.sites.count; i++)
		add_site(&reading, i,
			configured_of(configured, count, reading.sites.items[i].project));
	find_projects(&reading);
	map_release(&reading.harnesses);
	free(reading.maybe);
	free(reading.sureness);
}
