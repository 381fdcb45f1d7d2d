/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/harness/harness.h"

#include <string.h>

#include "gate/bench/harness/harness_command.h"

#define NO_FLAG                                                                                    \
	"it has no option for a number of iterations: call what it measures in a program of your " \
	"own, a fixed number of times"

/* clang-format off */
const struct harness harnesses[] = {
	{
		.id = CONFIG_HARNESS_GOOGLE,
		.traces = {
			/* From 1.8 on its own help says that the time may be a number of iterations. */
			{{"google-benchmark", "run it with --benchmark_min_time=1000x (a number of iterations)"},
				"<integer>x", NULL, NULL},
			{{"google-benchmark",
				 "add ->Iterations(1000) to each BENCHMARK(); from google-benchmark 1.8 on "
				 "--benchmark_min_time=1000x does the same"},
				"benchmark_min_time", NULL, NULL},
		},
		.library = "libbenchmark.so",
		.list = {{
			{"--benchmark_list_tests=true", "--benchmark_filter=."},
			{"--benchmark_list_tests=true", "--benchmark_filter=^$"},
			harness_read_lines,
		}},
		.select = {"--benchmark_filter=^@$"},
		.escape = harness_escape_extended,
		.filters = {"--benchmark_filter", "--benchmark_list_tests"},
		.no_filters = {"--benchmark_filter=.", "--benchmark_filter=all", "--benchmark_filter=.*"},
		.count = {"--benchmark_min_time=@x"},
		.count_in_help = "<integer>x",
		.trial = {"--benchmark_min_time=0.2s", "--benchmark_format=json"},
		.read_count = harness_count_google,
		.brief = {"--benchmark_min_time=0.2"},
	},
	{
		.id = CONFIG_HARNESS_CRITERION,
		.traces = {{{"criterion", NO_FLAG}, "CARGO_CRITERION_PORT", NULL, NULL}},
		.list = {{{"--bench", "--list", "--format", "terse"}, {NULL}, harness_read_rust},
			/* Before 0.5: a filter is a regular expression, and nothing else is to be had; before
			 * 0.4 its times are whole seconds. */
			{{"--bench", "--list"}, {NULL}, harness_read_rust,
				.select = {"--bench", "--noplot", "^@$"}, .escape = harness_escape_regex,
				.brief = {"--warm-up-time=1", "--measurement-time=1", "--sample-size=10",
					"--nresamples=1001"}}},
		/* Results of earlier runs would decide what it does, and be there for the next. */
		.select = {"--bench", "--discard-baseline", "--noplot", "--exact", "--", "@"},
		.escape = harness_escape_nothing,
		.filters = {"--exact", "--list", "--load-baseline", "--profile-time"},
		.bare_words_select = true,
		.switches = {"--bench", "--noplot", "--verbose", "-v", "--quiet", "-n", "--discard-baseline", "--test"},
		.brief = {"--warm-up-time=0.1", "--measurement-time=0.2", "--sample-size=10", "--nresamples=1001"},
		.always_timed = true,
	},
	{
		.id = CONFIG_HARNESS_DIVAN,
		.traces = {{{"divan", "run it with --sample-count 100 --sample-size 1000"},
			"DIVAN_SAMPLE_SIZE", NULL, NULL}},
		/* For nextest it prints all names, with arguments. */
		.list = {{{"--list", "--format", "terse"}, {NULL}, harness_read_rust, .variable = "NEXTEST=1"},
			/* Before that: each once. */
			{{"--bench", "--test", "--color=never"}, {NULL}, harness_read_tree}},
		.select = {"--bench", "--exact", "@"},
		.escape = harness_escape_nothing,
		.filters = {"--exact", "--list", "--skip"},
		.bare_words_select = true,
		.switches = {"--bench", "--test", "--ignored", "--include-ignored"},
		.count = {"--sample-count=100", "--sample-size=@"},
		.trial = {"--min-time=0.2", "--max-time=0.2", "--color=never"},
		.read_count = harness_count_divan,
	},
	{
		.id = CONFIG_HARNESS_NANOBENCH,
		.traces = {{{"nanobench", "call .epochs(10).epochIterations(1000) on each Bench"},
			"NANOBENCH_ENDLESS", NULL, NULL}},
	},
	{
		.id = CONFIG_HARNESS_CATCH2,
		.traces = {{{"Catch2", NO_FLAG}, "--benchmark-warmup-time", NULL, NULL}},
		/* Of version 3, and of 2, which has the number of names as its exit status. By convention
		 * benchmarks have this tag; a program that is named as one may have none that has. */
		.list = {
			{{"--list-tests", "--verbosity=quiet", "[!benchmark]"},
				{"--list-tests", "--verbosity=quiet", "[flamegate-none]"}, harness_read_catch2},
			{{"--list-test-names-only", "[!benchmark]"},
				{"--list-test-names-only", "[flamegate-none]"}, harness_read_catch2, .status_counts = true},
			{{"--list-tests", "--verbosity=quiet"},
				{"--list-tests", "--verbosity=quiet", "[flamegate-none]"}, harness_read_catch2, .when_named = true},
			{{"--list-test-names-only"}, {"--list-test-names-only", "[flamegate-none]"},
				harness_read_catch2, .status_counts = true, .when_named = true},
		},
		.select = {"@"},
		.escape = harness_escape_catch2,
		.filters = {"--list-tests", "-l", "-t", "-f", "--input-file", "--list-test-names-only"},
		.bare_words_select = true,
		.switches = {"-s", "--success", "-b", "--break", "-e", "-i", "--benchmark-no-analysis", "-a"},
		.brief = {"--benchmark-warmup-time=20", "--benchmark-samples=20", "--benchmark-no-analysis"},
	},
	{
		.id = CONFIG_HARNESS_GO,
		.traces = {{{"go test", "run it with -test.benchtime=1000x", true}, NULL, "-test.bench", NULL}},
		.text = "test.benchtime",
		/* What b.Run() names is known once it has run. Without a number of CPUs behind it. */
		.list = {{{"-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-test.cpu=1"}, {NULL},
				 harness_read_go_runs},
			{{"-test.list=^Benchmark"}, {NULL}, harness_read_go_list}},
		.select = {"-test.run=^$", "-test.bench=@"},
		.escape = harness_escape_go,
		.filters = {"-test.bench", "--test.bench", "-test.list", "--test.list"},
		.no_filters = {"-test.bench=.", "--test.bench=.", "-test.bench=.*"},
		.count = {"-test.benchtime=@x"},
		.trial = {"-test.benchtime=0.2s"},
		.read_count = harness_count_go,
	},
	{.traces = {{{"pytest-benchmark",
			    "call benchmark.pedantic(function, rounds=100, iterations=10) in place of "
			    "benchmark(function)"},
		 NULL, "pytest", "pytest_benchmark"}}},
	{.traces = {{{"pyperf", "run it with --loops=1000 --inherit-environ=LD_PRELOAD", true}, NULL, "pyperf",
		 "site-packages/pyperf"}}},
	{.traces = {{{"go test", "run it with -benchtime=1000x", true}, NULL, "go test", NULL}}},
	{.traces = {{{"JMH", "run it with -bm ss -bs 1000 -wi 0 -i 1", true}, NULL, "jmh", NULL}}},
	{.traces = {{{"tinybench", "give it {time: 0, iterations: 1000, warmup: false}, or count the work "
				   "with `work: {iterations: FILE}`", true},
		 NULL, NULL, "node_modules/tinybench/"}}},
	{.traces = {{{"mitata", "count the work with `work: {iterations: FILE}`", true}, NULL, NULL,
		 "node_modules/mitata/"}}},
};
/* clang-format on */
const size_t harness_count = sizeof(harnesses) / sizeof(harnesses[0]);

const struct harness *harness_of(enum config_harness id)
{
	for (size_t i = 0; i < harness_count; i++)
		if (harnesses[i].id == id && id > CONFIG_HARNESS_NONE)
			return &harnesses[i];
	return NULL;
}

const struct harness *harness_named(const char *name)
{
	for (size_t i = 0; i < harness_count; i++)
		if (harnesses[i].id > CONFIG_HARNESS_NONE &&
			(strcmp(harnesses[i].traces[0].flag.name, name) == 0 ||
				strcmp(config_harness_names[harnesses[i].id], name) == 0))
			return &harnesses[i];
	return NULL;
}

const char *const *harness_selector(
	const struct harness *harness, unsigned question, const char *name, struct strbuf *filter)
{
	const struct harness_question *asked = &harness->list[question];

	strbuf_reset(filter);
	strbuf_addstr(filter, "");
	(asked->escape ? asked->escape : harness->escape)(name, filter);
	return asked->select[0] ? asked->select : harness->select;
}

const struct harness_flag *harness_flag_named(const char *name)
{
	for (size_t i = 0; i < harness_count; i++)
		for (size_t k = 0; k < 2; k++) {
			const struct harness_flag *flag = &harnesses[i].traces[k].flag;

			if (flag->name && strcmp(flag->name, name) == 0)
				return flag;
		}
	return NULL;
}

const char *const *harness_brief(const struct harness *harness, unsigned question)
{
	const struct harness_question *asked = &harness->list[question];

	return asked->brief[0] ? asked->brief : harness->brief;
}

bool harness_is_replayed(const char *name)
{
	for (size_t i = 0; i < harness_count; i++) {
		const struct harness_flag *flag = &harnesses[i].traces[0].flag;

		if (strcmp(flag->name, name) == 0)
			return !flag->never_replayed;
	}
	return false;
}

bool harness_lists(const struct harness *harness)
{
	return harness->list[0].read;
}
