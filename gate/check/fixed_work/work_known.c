/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/fixed_work/work_known.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/build/key_text.h"
#include "gate/bench/untrusted_file.h"
#include "gate/check/version.h"

#define KEY_VERSION "flamegate work 3 " FLAMEGATE_VERSION
#define MAX_BYTES ((size_t)64 * 1024) /* some 500 benchmarks; past it the file begins anew */
#define HEX 64
#define NOTHING "-"

/* One word for each verdict that is kept. */
static const struct {
	enum work_verdict verdict;
	const char *word;
} words[] = {{WORK_FIXED, "fixed"}, {WORK_DOUBTFUL, "doubtful"}, {WORK_UNKNOWN, "unknown"},
	{WORK_FIXED_TIME, "timed"}};
#define WORDS (sizeof(words) / sizeof(words[0]))

void work_known_key(const struct config_benchmark *config, const char *mechanism, char key[65])
{
	struct strbuf text = STRBUF_INIT;

	key_add(&text, KEY_VERSION);
	key_add_list(&text, "command", config->argv);
	key_add_list(&text, "environment", config->env);
	key_add(&text, config->directory);
	strbuf_addf(&text, "work %d, start %d, %s\n", (int)config->work, config->start_paused,
		config->processes ? "processes named" : "processes auto");
	key_add(&text, config->work == CONFIG_WORK_ITERATIONS ? config->iterations_file : "");
	key_add_list(&text, "processes", config->processes);
	key_add(&text, mechanism ? mechanism : "auto");
	sha256_hex(text.data, text.length, key);
	strbuf_release(&text);
}

static bool is_hash(const char *text)
{
	return strlen(text) == HEX && strspn(text, "0123456789abcdef") == HEX;
}

/* "KEY WORD BEFORE AFTER BURNT PRINTED HARNESS"; false: not such a line, or another key's. */
static bool parse(const char *line, const char *key, struct work_known *out)
{
	struct work_known known = {.printed = ""};
	char word[16], printed[HEX + 1];
	int harness = 0;
	struct work_round *round = &known.round;
	size_t i;

	if (strncmp(line, key, HEX) != 0 ||
		sscanf(line + HEX, " %15s %lf %lf %lf %64s %n", word, &round->before, &round->after,
			&round->burnt, printed, &harness) != 5 ||
		!harness)
		return false;
	for (i = 0; i < WORDS && strcmp(words[i].word, word) != 0; i++)
		continue;
	if (i == WORDS || !isfinite(round->before) || !isfinite(round->after) ||
		!isfinite(round->burnt) || (strcmp(printed, NOTHING) != 0 && !is_hash(printed)))
		return false;
	known.verdict = words[i].verdict;
	known.harness = harness_flag_named(line + HEX + harness);
	if (is_hash(printed))
		memcpy(known.printed, printed, sizeof(known.printed));
	*out = known;
	return true;
}

static void write_line(struct strbuf *out, const char *key, const struct work_known *known)
{
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].verdict == known->verdict)
			strbuf_addf(out, "%s %s %.9g %.9g %.9g %s %s\n", key, words[i].word,
				known->round.before, known->round.after, known->round.burnt,
				known->printed[0] ? known->printed : NOTHING,
				known->harness ? known->harness->name : NOTHING);
}

bool work_known_find(const struct build *build, const char *key, struct work_known *out)
{
	struct strbuf text = STRBUF_INIT;
	struct error ignored;
	char *line, *rest;
	bool found = false;

	if (untrusted_file_read(build->known_path, MAX_BYTES, &text, &ignored)) {
		strbuf_release(&text);
		return false;
	}
	rest = text.data;
	while (!found && (line = strsep(&rest, "\n")))
		found = parse(line, key, out);
	strbuf_release(&text);
	return found;
}

/* All lines but this key's. */
static void copy_others(const char *path, const char *key, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	struct error ignored;
	char *line, *rest;

	if (!untrusted_file_read(path, MAX_BYTES, &text, &ignored)) {
		rest = text.data;
		while ((line = strsep(&rest, "\n")))
			if (*line && strncmp(line, key, HEX) != 0)
				strbuf_addf(out, "%s\n", line);
	}
	strbuf_release(&text);
}

void work_known_keep(const struct build *build, const char *key, const struct work_known *known)
{
	struct strbuf text = STRBUF_INIT;
	struct error ignored;

	copy_others(build->known_path, key, &text);
	write_line(&text, key, known);
	if (text.length > MAX_BYTES) {
		strbuf_reset(&text);
		write_line(&text, key, known);
	}
	file_write(build->known_path, text.data, text.length, &ignored);
	strbuf_release(&text);
}
