/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/config.h"

#include "gate/base/error.h"
#include "gate/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND_NS 1000000000ULL
#define HEAD "version: 1\nbenchmarks:\n"
#define ONE HEAD "- {name: a, command: ./a, work: fixed}\n"

static struct config parse(const char *text)
{
	struct config config;
	struct error err;

	if (config_parse(&config, text, strlen(text), "f.yml", &err))
		fail_msg("%s", err.message);
	return config;
}

static void assert_error_bytes(const char *text, size_t length, const char *expected)
{
	struct config config;
	struct error err = {0};

	assert_int_equal(config_parse(&config, text, length, "f.yml", &err), ERR_CONFIG);
	/* The whole position, and the start of the message. */
	if (strncmp(err.message, expected, strlen(expected)) != 0)
		fail_msg("got \"%s\", not \"%s\"", err.message, expected);
}

static void assert_error(const char *text, const char *expected)
{
	assert_error_bytes(text, strlen(text), expected);
}

static void test_full_file_is_understood(void **state)
{
	struct config config =
		parse("# comment\n"
		      "version: 1\n"
		      "setup: apt-get update\n"
		      "build:\n"
		      "  - ./configure\n"
		      "  - make -j2\n"
		      "environment: {ZZ: 1, LANG: C, EMPTY: ''}\n"
		      "pass: [CXX, CC]\n"
		      "build_timeout: 1.5h\n"
		      "benchmarks:\n"
		      "  - name: parse/large\n"
		      "    command: ./parse --all | tail\n"
		      "    directory: bench/data\n"
		      "    environment: {N: 5}\n"
		      "    work: fixed\n"
		      "    timeout: 90s\n"
		      "    cpus: 2\n"
		      "  - name: render\n"
		      "    command: [./render, -n, 'it''s', '']\n"
		      "    work: {iterations: out/count}\n"
		      "policy:\n"
		      "  on_base_failure: fail\n"
		      "  pairs: {min: 8, max: 20}\n"
		      "  margin: {points: 0.5%, self: 3 %, inclusive: 0%, total: 100%}\n");
	const struct config_benchmark *first = &config.benchmarks[0];
	const struct config_benchmark *second = &config.benchmarks[1];

	(void)state;
	assert_string_equal(config.origin, "f.yml");
	assert_string_equal(config.setup[0], "apt-get update");
	assert_null(config.setup[1]);
	assert_string_equal(config.build[1], "make -j2");
	assert_null(config.build[2]);
	assert_string_equal(config.env[0], "EMPTY=");
	assert_string_equal(config.env[1], "LANG=C");
	assert_string_equal(config.env[2], "ZZ=1");
	assert_null(config.env[3]);
	assert_string_equal(config.pass[0], "CC");
	assert_true(config.build_timeout_ns == 5400 * SECOND_NS);
	assert_int_equal(config.benchmark_count, 2);
	assert_string_equal(first->name, "parse/large");
	assert_string_equal(first->slug, "parse_large");
	assert_true(first->shell);
	assert_string_equal(first->argv[0], "sh");
	assert_string_equal(first->argv[1], "-c");
	assert_string_equal(first->argv[2], "./parse --all | tail");
	assert_null(first->argv[3]);
	assert_string_equal(first->command_text, "./parse --all | tail");
	assert_string_equal(first->directory, "bench/data");
	assert_string_equal(first->env[0], "N=5");
	assert_int_equal(first->work, CONFIG_WORK_FIXED);
	assert_true(first->timeout_ns == 90 * SECOND_NS);
	assert_int_equal(first->cpus, 2);
	assert_int_equal(first->line, 11);
	assert_false(second->shell);
	assert_string_equal(second->command_text, "./render -n 'it'\\''s' ''");
	assert_string_equal(second->argv[3], "");
	assert_null(second->argv[4]);
	assert_int_equal(second->work, CONFIG_WORK_ITERATIONS);
	assert_string_equal(second->iterations_file, "out/count");
	assert_int_equal(config.policy.on_base_failure, CONFIG_FAIL);
	assert_int_equal(config.policy.stage1_pairs, 8);
	assert_int_equal(config.policy.stage2_pairs, 12);
	assert_true(config.policy.margin_points == 0.005);
	assert_true(config.policy.margin_self == 0.03);
	assert_true(config.policy.margin_inclusive == 0.0);
	assert_true(config.policy.margin_total == 1.0);
	assert_ptr_equal(config_find(&config, "render"), second);
	assert_null(config_find(&config, "rende"));
	config_release(&config);
}

static void test_defaults(void **state)
{
	struct config config = parse(ONE);
	struct config_policy policy = config_policy_default();
	const struct config_benchmark *only = config.benchmarks;

	(void)state;
	assert_null(config.setup[0]);
	assert_null(config.build[0]);
	assert_null(config.env[0]);
	assert_null(config.pass[0]);
	assert_true(config.build_timeout_ns == 1800 * SECOND_NS);
	assert_string_equal(only->directory, ".");
	assert_null(only->env[0]);
	assert_true(only->timeout_ns == 600 * SECOND_NS);
	assert_int_equal(only->cpus, 0);
	assert_null(only->iterations_file);
	assert_int_equal(policy.on_base_failure, CONFIG_WARN);
	assert_int_equal(policy.stage1_pairs, 16);
	assert_int_equal(policy.stage2_pairs, 24);
	assert_true(policy.margin_points == 0.002);
	assert_true(policy.margin_self == 0.02);
	assert_true(policy.margin_inclusive == 0.01);
	assert_true(policy.margin_total == 0.01);
	assert_memory_equal(&policy, &config.policy, sizeof(policy));
	config_release(&config);
}

static void test_unknown_keys_say_what_was_meant(void **state)
{
	(void)state;
	assert_error("version: 1\nbenchmark: []\n",
		"f.yml:2:1: unknown key 'benchmark' (did you mean 'benchmarks'?)");
	assert_error(HEAD "- name: a\n  comand: b\n",
		"f.yml:4:3: unknown key 'comand' (did you mean 'command'?)");
	assert_error(ONE "policy:\n  margin:\n    slef: 1%\n",
		"f.yml:6:5: unknown key 'slef' (did you mean 'self'?)");
	assert_error(ONE "enviroment: {}\n",
		"f.yml:4:1: unknown key 'enviroment' (did you mean 'environment'?)");
	/* Only keys of the same place are offered. */
	assert_error(ONE "comand: b\n", "f.yml:4:1: unknown key 'comand' (there are: version,");
	assert_error(HEAD "- {name: a, command: b, work: {iteration: f}}\n",
		"f.yml:3:32: unknown key 'iteration' (did you mean 'iterations'?)");
	/* Two pairs of letters swapped: four edits, or two swaps. */
	assert_error(ONE "bnechmraks: 1\n",
		"f.yml:4:1: unknown key 'bnechmraks' (did you mean 'benchmarks'?)");
	assert_error(
		ONE "zzzzzz: 1\n", "f.yml:4:1: unknown key 'zzzzzz' (there are: version, setup");
	assert_error(ONE "<<: {}\n", "f.yml:4:1: unknown key '<<' (there are:");
}

static void test_missing_keys_are_named(void **state)
{
	(void)state;
	assert_error("", "f.yml:1:1: the file is empty");
	assert_error("# nothing\n", "f.yml:2:1: the file is empty");
	assert_error("version: 1\n", "f.yml:1:1: the key 'benchmarks' is missing");
	assert_error("benchmarks: []\n", "f.yml:1:13: 'benchmarks' must be a list of 1 to 1000");
	assert_error("setup: x\n", "f.yml:1:1: the key 'version' is missing");
	assert_error(HEAD "- command: x\n  work: fixed\n", "f.yml:3:3: the key 'name' is missing");
	assert_error(HEAD "- name: x\n  work: fixed\n", "f.yml:3:3: the key 'command' is missing");
	assert_error(HEAD "- name: x\n  command: y\n  work: {}\n",
		"f.yml:5:9: the key 'iterations' is missing");
	assert_error(
		HEAD "- name:\n  command: y\n  work: fixed\n", "f.yml:3:8: 'name' has no value");
}

static void test_work_is_found_out_or_said(void **state)
{
	static const struct {
		const char *line;
		enum config_work work;
		bool is_counted;
	} cases[] = {
		{"", CONFIG_WORK_AUTO, false},
		{"    work: auto\n", CONFIG_WORK_AUTO, false},
		{"    work: fixed\n", CONFIG_WORK_FIXED, false},
		{"    work: replayed\n", CONFIG_WORK_REPLAYED, false},
		{"    work: stepped\n", CONFIG_WORK_STEPPED, false},
		{"    work: iterations\n", CONFIG_WORK_MARKS, true},
		{"    work: {iterations: f}\n", CONFIG_WORK_ITERATIONS, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config config;
		struct error err;
		char text[256];

		snprintf(text, sizeof(text), HEAD "  - name: x\n    command: y\n%s", cases[i].line);
		assert_int_equal(config_parse(&config, text, strlen(text), "f.yml", &err), ERR_OK);
		assert_int_equal(config.benchmarks[0].work, cases[i].work);
		assert_int_equal(
			config_counts_work(config.benchmarks[0].work), cases[i].is_counted);
		config_release(&config);
	}
}

static void test_other_versions_are_refused_before_their_keys(void **state)
{
	(void)state;
	assert_error("tests: x\nversion: 2\n", "f.yml:2:10: version '2' is not known here");
	assert_error("version: 1.0\n", "f.yml:1:10: version '1.0' is not known here");
	assert_error("version: [1]\n", "f.yml:1:10: 'version' must be a single value");
	assert_error("version:\n", "f.yml:1:9: 'version' has no value");
}

static void test_duplicates_are_refused(void **state)
{
	(void)state;
	assert_error("version: 1\nbuild: x\nversion: 1\n",
		"f.yml:3:1: the key 'version' is here twice (first in line 1)");
	assert_error(ONE "policy: {margin: {self: 1%, 'self': 2%}}\n",
		"f.yml:4:29: the key 'self' is here twice");
	assert_error(ONE "- {name: a, command: c, work: fixed}\n",
		"f.yml:4:3: there are two benchmarks a (the first in line 3)");
	assert_error(ONE "environment: {A: 1, A: 2}\n", "f.yml:4:21: the key 'A' is here twice");
}

static void test_durations_need_a_unit(void **state)
{
	static const char *const bad[] = {"10", "10 m", "m", "-1s", "1e3s", "10ms", "1h30m", "0s",
		"1.s", ".5s", "1.1234567s", "999999999h", "1000000000s", "inf", "0x1s", "169h",
		"0.0000000s", "[1s]", "''", "~"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[200];

		snprintf(text, sizeof(text), ONE "build_timeout: %s\n", bad[i]);
		assert_error(text, "f.yml:4:16: 'build_timeout' ");
	}
	assert_error(ONE "build_timeout: 600\n", "f.yml:4:16: 'build_timeout' needs a number with "
						 "a unit (s, m or h), such as 90s, 10m or "
						 "1.5h; this is '600'");
}

static void test_percentages_need_their_sign(void **state)
{
	static const char *const bad[] = {"0.02", "2", "-1%", "101%", "100.000001%", "1e-2%",
		"nan%", "1%%", "% 1", "2 percent", "[2%]", "1,5%"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[200];

		snprintf(text, sizeof(text), ONE "policy:\n  margin:\n    total: '%s'\n", bad[i]);
		if (*bad[i] == '[')
			snprintf(text, sizeof(text), ONE "policy:\n  margin:\n    total: [2%%]\n");
		assert_error(text, "f.yml:6:12: 'total' ");
	}
	assert_error(ONE "policy: {margin: {self: 0.02}}\n",
		"f.yml:4:25: 'self' needs a percentage from 0% to 100% with its sign, such as "
		"0.2%; "
		"this is '0.02'");
}

static void test_pairs_and_cpus_have_bounds(void **state)
{
	(void)state;
	assert_error(ONE "policy: {pairs: 16}\n", "f.yml:4:17: 'pairs' must be two numbers");
	assert_error(ONE "policy: {pairs: [16, 40]}\n", "f.yml:4:17: 'pairs' must be two numbers");
	assert_error(ONE "policy: {pairs: {min: 16}}\n",
		"f.yml:4:17: 'pairs' needs a min from 8 to 1000, and a max that is more by 8");
	assert_error(ONE "policy: {pairs: {min: 7, max: 31}}\n", "f.yml:4:17: 'pairs' needs a min");
	assert_error(
		ONE "policy: {pairs: {min: 16, max: 23}}\n", "f.yml:4:17: 'pairs' needs a min");
	assert_error(ONE "policy: {pairs: {min: 16, max: 1017}}\n", "f.yml:4:17: 'pairs' needs");
	assert_error(ONE "policy: {pairs: {max: 40, min: 1.5}}\n",
		"f.yml:4:32: 'pairs.min' is a number");
	assert_error(ONE "policy: {pairs: {min: 16, max: [8]}}\n",
		"f.yml:4:32: 'pairs.max' is a number");
	assert_error(ONE "policy: {pairs: {min: 16, min: 17, max: 40}}\n",
		"f.yml:4:27: the key 'min' is here twice");
	assert_error(ONE "policy: {pairs: {least: 16, max: 40}}\n",
		"f.yml:4:18: there is no 'least' in 'pairs' (there are: min, max)");
	assert_error(ONE "policy: {on_base_failure: pass}\n",
		"f.yml:4:27: 'on_base_failure' must be warn or fail");
	assert_error(HEAD "- {name: a, command: b, work: fixed, cpus: 0}\n",
		"f.yml:3:44: 'cpus' must be auto or a number from 1 to 4096");
	assert_error(
		HEAD "- {name: a, command: b, work: fixed, cpus: 2.5}\n", "f.yml:3:44: 'cpus'");
}

static void test_paths_stay_inside(void **state)
{
	static const char *const bad[] = {
		"/etc", "..", "../x", "a/..", "a/../../b", "./..", "a//../..", "''"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[200];

		snprintf(text, sizeof(text),
			HEAD "- name: a\n  command: b\n  work: fixed\n  directory: %s\n", bad[i]);
		assert_error(text, "f.yml:6:14: 'directory' ");
		snprintf(text, sizeof(text),
			HEAD "- name: a\n  command: b\n  work:\n    iterations: %s\n", bad[i]);
		assert_error(text, "f.yml:6:17: 'iterations' ");
	}
	assert_error(HEAD "- {name: a, command: b, work: {iterations: out/}}\n",
		"f.yml:3:44: 'iterations' must be the path of a file");
}

static void test_paths_with_dots_in_names_are_fine(void **state)
{
	struct config config =
		parse(HEAD "- {name: a, command: b, work: fixed, directory: a..b/...c/.d}\n");

	(void)state;
	assert_string_equal(config.benchmarks[0].directory, "a..b/...c/.d");
	config_release(&config);
}

static void test_names_are_tame(void **state)
{
	static const char *const bad[] = {"-x", ".x", "'a b'", "a:b", "ä", "'a\tb'", "\"a\\nb\"",
		"'::error::x'", "/x", "'</script>'", "'@org/team'"};
	char text[400], name[110];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(
			text, sizeof(text), HEAD "- {name: %s, command: b, work: fixed}\n", bad[i]);
		assert_error(text, "f.yml:3:10: ");
	}
	memset(name, 'x', sizeof(name));
	name[101] = '\0';
	snprintf(text, sizeof(text), HEAD "- {name: %s, command: b, work: fixed}\n", name);
	assert_error(text, "f.yml:3:10: ");
	name[100] = '\0';
	snprintf(text, sizeof(text), HEAD "- {name: %s, command: b, work: fixed}\n", name);
	struct config config = parse(text);
	config_release(&config);
}

static void test_slugs_are_unique(void **state)
{
	struct config config = parse(HEAD "- {name: a/b, command: x, work: fixed}\n"
					  "- {name: a_b-2, command: x, work: fixed}\n"
					  "- {name: a+b, command: x, work: fixed}\n"
					  "- {name: a_b, command: x, work: fixed}\n"
					  "- {name: check.json, command: x, work: fixed}\n");

	(void)state;
	assert_string_equal(config.benchmarks[0].slug, "a_b");
	assert_string_equal(config.benchmarks[1].slug, "a_b-2");
	assert_string_equal(config.benchmarks[2].slug, "a_b-3");
	assert_string_equal(config.benchmarks[3].slug, "a_b-4");
	/* The measurements' own file stands beside the benchmarks' folders. */
	assert_string_equal(config.benchmarks[4].slug, "check.json-2");
	config_release(&config);
}

static void test_variables_are_checked(void **state)
{
	(void)state;
	assert_error(
		ONE "environment: {A-B: x}\n", "f.yml:4:15: 'A-B' is no name of an environment");
	assert_error(ONE "environment: {1A: x}\n", "f.yml:4:15: '1A' is no name");
	assert_error(ONE "environment: {A=B: x}\n", "f.yml:4:15: 'A=B' is no name");
	assert_error(ONE "environment: {A: }\n", "f.yml:4:18: the variable A needs a text");
	assert_error(ONE "environment: {A: [x]}\n", "f.yml:4:18: the variable A needs a text");
	assert_error(ONE "environment: [A=B]\n", "f.yml:4:14: 'environment' must be variables");
	assert_error(ONE "pass: CC\n", "f.yml:4:7: 'pass' must be a list");
	assert_error(ONE "pass: [CC, 'A B']\n", "f.yml:4:12: 'A B' is no name");
	assert_error(ONE "pass: [[CC]]\n", "f.yml:4:8: 'pass' must be a single value");
}

static void test_commands_are_checked(void **state)
{
	(void)state;
	assert_error(HEAD "- {name: a, command: {x: y}, work: fixed}\n",
		"f.yml:3:22: 'command' must be a text for the shell");
	assert_error(HEAD "- {name: a, command: [], work: fixed}\n",
		"f.yml:3:22: 'command' has no program");
	assert_error(HEAD "- {name: a, command: [''], work: fixed}\n",
		"f.yml:3:22: 'command' has no program");
	assert_error(HEAD "- {name: a, command: [b, ], work: [x]}\n", "f.yml:3:35: 'work' must be");
	assert_error(HEAD "- {name: a, command: [b, ~], work: fixed}\n",
		"f.yml:3:26: an argument must be a text");
	assert_error(ONE "build: {a: b}\n", "f.yml:4:8: 'build' must be a command or a list");
	assert_error(ONE "build: [make, []]\n", "f.yml:4:15: 'build' must be a single value");
	assert_error(ONE "build:\n", "f.yml:4:7: 'build' has no value");
	assert_error(HEAD "- just text\n", "f.yml:3:3: here must be keys with values");
	assert_error("- version: 1\n", "f.yml:1:1: here must be keys with values");
	assert_error("hello\n", "f.yml:1:1: here must be keys with values");
}

static void test_anchors_aliases_and_tags_are_refused(void **state)
{
	(void)state;
	assert_error("version: &v 1\n", "f.yml:1:10: anchors (&) and aliases (*)");
	assert_error("version: *v\n", "f.yml:1:10: anchors (&) and aliases (*)");
	assert_error("build: &b [x]\n", "f.yml:1:8: anchors");
	assert_error("policy: &b {x: y}\n", "f.yml:1:9: anchors");
	assert_error("version: !!int 1\n", "f.yml:1:10: tags (!)");
	assert_error("version: !x 1\n", "f.yml:1:10: tags (!)");
	assert_error("%TAG !e! tag:e,2000:\n---\nversion: 1\n", "f.yml:1:1: %TAG");
	assert_error(ONE "---\nversion: 1\n", "f.yml:4:1: a second document");
	assert_error("? [a]\n: b\n", "f.yml:1:3: a key must be a simple text");
}

static void test_broken_yaml_has_a_position(void **state)
{
	(void)state;
	assert_error("version: 1\nbuild: [a\n", "f.yml:3:1: ");
	assert_error("version: 1\n build: a\n", "f.yml:2:7: ");
	assert_error("version: 1\nbuild: 'a\n", "f.yml:3:1: ");
	assert_error("version: 1\nbenchmarks:\n\t- name: a\n",
		"f.yml:3:1: a tab cannot indent in YAML: use spaces");
	assert_error(
		"version: 1\nbenchmarks:\n- name: a\n \tcommand: b\n", "f.yml:4:2: a tab cannot");
}

static void test_only_utf8_is_read(void **state)
{
	(void)state;
	assert_error("version: 1\nbuild: \xe4\n", "f.yml:2:8: this is not UTF-8 text");
	assert_error(
		"version: 1\nbuild: \"\xc3\xa4\xc3\xa4\xff\"\n", "f.yml:2:11: this is not UTF-8");
	assert_error("version: 1\nbuild: \033[31m\n", "f.yml:2:8: this is not UTF-8 text");
	assert_error_bytes("\xff\xfev\0e\0r\0", 8, "f.yml:1:1: this is not UTF-8 text");
	assert_error_bytes("version: 1\0\nx: y", 16, "f.yml:1:11: this is not UTF-8 text");
	assert_error("build: \"a\\0b\"\n", "f.yml:1:8: a NUL byte");
}

static void test_windows_editors_files_are_read(void **state)
{
	struct config config =
		parse("\xef\xbb\xbfversion: 1\r\nbuild: |\r\n  a\r\n  b\r\n"
		      "benchmarks:\r\n- name: x\r\n  command: y\r\n  work: fixed\r\n");

	(void)state;
	assert_string_equal(config.build[0], "a\nb\n");
	assert_string_equal(config.benchmarks[0].command_text, "y");
	assert_int_equal(config.benchmarks[0].line, 6);
	config_release(&config);
}

static void test_hostile_keys_are_quoted_tamely(void **state)
{
	struct config config;
	struct error err;
	char text[3000] = "version: 1\n? \"\\n::error::x\\e[31m##[group]";
	size_t length = strlen(text);

	(void)state;
	memset(text + length, 'x', 2000);
	memcpy(text + length + 2000, "\"\n: 1\n", 7);
	assert_int_equal(config_parse(&config, text, strlen(text), "f.yml", &err), ERR_CONFIG);
	assert_null(strchr(err.message, '\033'));
	assert_null(strchr(err.message, '\n'));
	assert_null(strstr(err.message, "##["));
	assert_null(strstr(err.message, "' ::error"));
	assert_non_null(strstr(err.message, "there are: version"));
}

static void test_sizes_are_bounded(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 20; i++)
		strbuf_addstr(&text, "[");
	assert_error(text.data, "f.yml:1:17: nested too deep");
	strbuf_reset(&text);
	for (int i = 0; i < 3000; i++)
		strbuf_addf(&text, "k%d: v\n", i);
	assert_error(text.data, "f.yml:1001:1: more than 2000 entries");
	strbuf_reset(&text);
	strbuf_addstr(&text, HEAD);
	for (int i = 0; i < 1001; i++)
		strbuf_addf(&text, "- {name: n%d, command: c, work: fixed}\n", i);
	assert_error(text.data, "f.yml:3:1: 'benchmarks' must be a list of 1 to 1000");
	strbuf_reset(&text);
	strbuf_addstr(&text, "#");
	while (text.length <= CONFIG_MAX_BYTES)
		strbuf_addstr(&text, "xxxxxxxxxxxxxxxx");
	assert_error(text.data, "f.yml:1:1: the file is larger than 262144 bytes");
	strbuf_release(&text);
}

static void test_file_is_read_by_path(void **state)
{
	struct config config;
	struct error err;
	char *dir, *path;

	(void)state;
	assert_int_equal(file_make_temp_dir(NULL, "fg-config-", &dir, NULL), ERR_OK);
	path = file_join(dir, CONFIG_FILE_NAME);
	assert_int_equal(config_read_file(&config, path, &err), ERR_NOT_FOUND);
	assert_int_equal(file_write(path, ONE, strlen(ONE), NULL), ERR_OK);
	assert_int_equal(config_read_file(&config, path, &err), ERR_OK);
	assert_string_equal(config.origin, path);
	config_release(&config);
	assert_int_equal(file_remove_tree(dir, NULL), ERR_OK);
	free(path);
	free(dir);
}

#define ENTRY "accept: [{benchmark: a, reason: why, until: "

static void test_acceptances_are_understood(void **state)
{
	struct config config =
		parse(ONE "policy: {accept_by: [trailer, me@example.org]}\n"
			  "accept:\n"
			  "- {benchmark: a, reason: it is worth it, until: 2028-02-29}\n"
			  "- benchmark: b\n"
			  "  function: 'ns::f(int)'\n"
			  "  reason: \"new: checks\"\n"
			  "  until: 2026-12-31\n"
			  "- {benchmark: a, metric: max_rss, reason: r, until: 2026-12-31}\n");
	const struct config_acceptance *items = config.accept.items;

	(void)state;
	assert_int_equal(config.accept.count, 3);
	assert_string_equal(items[0].metric, "");
	assert_string_equal(items[2].metric, "max_rss");
	assert_string_equal(items[2].function, "");
	assert_string_equal(items[0].benchmark, "a");
	assert_string_equal(items[0].function, "");
	assert_string_equal(items[0].reason, "it is worth it");
	assert_string_equal(items[0].until, "2028-02-29");
	assert_string_equal(items[1].function, "ns::f(int)");
	assert_int_equal(items[1].line, items[0].line + 1);
	assert_string_equal(config.accept_by[0], "trailer");
	assert_string_equal(config.accept_by[1], "me@example.org");
	assert_null(config.accept_by[2]);
	config_release(&config);
	config = parse(ONE);
	assert_int_equal(config.accept.count, 0);
	assert_string_equal(config.accept_by[0], "config");
	assert_null(config.accept_by[1]);
	config_release(&config);
}

static void test_an_acceptance_needs_a_reason_and_a_real_date(void **state)
{
	static const char *const bad[] = {"2026-02-29", "2100-02-29", "2026-13-01", "2026-00-01",
		"2026-04-31", "2026-1-01", "20260101", "tomorrow", "2026-01-01T00", "2026-01-0x",
		NULL};

	(void)state;
	for (size_t i = 0; bad[i]; i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, ONE ENTRY "%s}]\n", bad[i]);
		assert_error(text.data, "f.yml:4:45: 'until' must be the last day");
		strbuf_release(&text);
	}
	assert_error(ONE ENTRY "2026-01-01, metric: memory}]\n",
		"f.yml:4:65: there is no metric 'memory' (there are: cpu, instructions, "
		"alloc_objects, alloc_bytes, peak_bytes, inuse_bytes, leak, wall, off_cpu, "
		"lock_delay, contentions, threads, max_rss)");
	assert_error(ONE ENTRY "2026-01-01, metric: leak, function: f}]\n",
		"f.yml:4:10: an acceptance names a function or a metric, not both");
	assert_error(ONE "accept: [{benchmark: a, until: 2026-01-01}]\n",
		"f.yml:4:10: the key 'reason' is missing");
	assert_error(ONE "accept: [{benchmark: a, reason: why}]\n",
		"f.yml:4:10: the key 'until' is missing");
	assert_error(ONE ENTRY "2026-01-01, functoin: f}]\n",
		"f.yml:4:57: unknown key 'functoin' (did you mean 'function'?)");
	assert_error(ONE "accept: all\n", "f.yml:4:9: 'accept' must be a list");
	assert_error(ONE "policy: {accept_by: [everybody]}\n",
		"f.yml:4:22: 'everybody' can accept nothing");
	assert_error(ONE "policy: {accept_by: trailer}\n", "f.yml:4:21: 'accept_by' must be");
}

static void test_help_names_every_key(void **state)
{
	struct strbuf help = STRBUF_INIT;

	(void)state;
	config_schema_help(&help);
	assert_non_null(strstr(help.data, "version: 1 (required)\n"));
	assert_non_null(strstr(
		help.data, "policy.margin.points: a percentage such as 0.2% (default 0.2%)\n"));
	assert_non_null(strstr(help.data, "benchmarks[].work.iterations: "));
	strbuf_release(&help);
}

static void test_a_production_profile_is_a_file_or_an_address(void **state)
{
	static const char *const good[] = {"prod.pb.gz", "/srv/prod.pb.gz",
		"pyroscope://h:4040?query={service_name=\"x\"}&from=now-1d",
		"parcas://h?query=cpu{job=\"x\"}", "https://h/debug/pprof/profile?seconds=5"};
	struct config none = parse(ONE);

	(void)state;
	assert_null(none.production);
	config_release(&none);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct strbuf text = STRBUF_INIT;
		struct config config;

		strbuf_addf(&text, ONE "production: '%s'\n", good[i]);
		config = parse(text.data);
		assert_string_equal(config.production, good[i]);
		config_release(&config);
		strbuf_release(&text);
	}
	assert_error(ONE "production: ../x.pb.gz\n", "f.yml:4:13: 'production' must be a path");
	assert_error(ONE "production: ftp://h/x\n", "f.yml:4:13: 'production' is a pprof file");
	assert_error(ONE "production: parca://me:pw@h\n", "f.yml:4:13: credentials do not belong");
	assert_error(ONE "production: \"a\\n::error::x\"\n", "f.yml:4:13: an address has no");
	assert_error(ONE "production: [a]\n", "f.yml:4:13: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_production_profile_is_a_file_or_an_address),
		cmocka_unit_test(test_full_file_is_understood),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_unknown_keys_say_what_was_meant),
		cmocka_unit_test(test_missing_keys_are_named),
		cmocka_unit_test(test_work_is_found_out_or_said),
		cmocka_unit_test(test_other_versions_are_refused_before_their_keys),
		cmocka_unit_test(test_duplicates_are_refused),
		cmocka_unit_test(test_durations_need_a_unit),
		cmocka_unit_test(test_percentages_need_their_sign),
		cmocka_unit_test(test_pairs_and_cpus_have_bounds),
		cmocka_unit_test(test_paths_stay_inside),
		cmocka_unit_test(test_paths_with_dots_in_names_are_fine),
		cmocka_unit_test(test_names_are_tame),
		cmocka_unit_test(test_slugs_are_unique),
		cmocka_unit_test(test_variables_are_checked),
		cmocka_unit_test(test_commands_are_checked),
		cmocka_unit_test(test_anchors_aliases_and_tags_are_refused),
		cmocka_unit_test(test_broken_yaml_has_a_position),
		cmocka_unit_test(test_only_utf8_is_read),
		cmocka_unit_test(test_windows_editors_files_are_read),
		cmocka_unit_test(test_hostile_keys_are_quoted_tamely),
		cmocka_unit_test(test_sizes_are_bounded),
		cmocka_unit_test(test_file_is_read_by_path),
		cmocka_unit_test(test_acceptances_are_understood),
		cmocka_unit_test(test_an_acceptance_needs_a_reason_and_a_real_date),
		cmocka_unit_test(test_help_names_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
