/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown while a check measures: the line, by a clock of our own, and where it is shown. */
#include "gate/cli/progress.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/clean.h"

static const struct progress_style ascii = {80, false, false}, unicode = {80, true, false};

static struct strbuf line_of(
	struct check_step step, double elapsed, const struct progress_style *style)
{
	struct strbuf line = STRBUF_INIT;

	progress_line(&line, &step, elapsed, style);
	return line;
}

static void assert_line(struct check_step step, double elapsed, const struct progress_style *style,
	const char *expected)
{
	struct strbuf line = line_of(step, elapsed, style);

	assert_string_equal(line.data, expected);
	strbuf_release(&line);
}

static void test_the_time_left_comes_from_the_plan_then_from_the_pairs(void **state)
{
	(void)state;
	assert_line((struct check_step){"parse", 1, 0, 40, 2}, 0, &ascii,
		"parse: stage 1 .............................. 0/40, 80 s left");
	/* The pairs take twice as long as was thought: (40 + 2) / 11 * 30 = 114.5 s. */
	assert_line((struct check_step){"parse", 1, 10, 40, 2}, 40, &ascii,
		"parse: stage 1 #######....................... 10/40, 2 min left");
	assert_line((struct check_step){"parse", 0, 10, 20, 2}, 20, &ascii,
		"parse: recording ###############............... 10/20, 20 s left");
	assert_line((struct check_step){"parse", 2, 20, 40, 0.01}, 0.2, &ascii,
		"parse: confirming ###############............... 20/40, 1 s left");
	assert_line((struct check_step){"parse", 2, 40, 40, 2}, 80, &ascii,
		"parse: confirming ############################## 40/40");
	assert_line((struct check_step){"parse", 1, 1, 3, 7000}, 7000, &ascii,
		"parse: stage 1 ##########.................... 1/3, 3.9 h left");
}

static void test_it_is_unicode_or_ascii(void **state)
{
	static const struct progress_style narrow = {46, true, false},
					   narrow_ascii = {46, false, false};

	(void)state;
	assert_line((struct check_step){"\xe6\xbc\xa2\xe5\xad\x97", 1, 4, 8, 1}, 4, &narrow,
		"\xe6\xbc\xa2\xe5\xad\x97: stage 1 "
		"\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96"
		"\x88"
		"\xe2\x96\x88\xe2\x96\x88\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96"
		"\x91"
		"\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91 4/8, 4 s left");
	assert_line((struct check_step){"\xe6\xbc\xa2\xe5\xad\x97", 1, 4, 8, 1}, 4, &narrow_ascii,
		"??: stage 1 #########.......... 4/8, 4 s left");
}

static void test_it_keeps_to_the_width(void **state)
{
	static const char *const names[] = {"x",
		"a benchmark with quite a long name --and --options",
		"\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc"
		"\xa2",
		"\x1b[31mred\x1b]0;title\a\n::error::x\r\xff", ""};

	(void)state;
	for (unsigned width = 0; width < 200; width++) {
		for (size_t i = 0; i < 2 * sizeof(names) / sizeof(names[0]); i++) {
			struct progress_style style = {width, i % 2, false};
			struct strbuf line = line_of(
				(struct check_step){names[i / 2], 2, 123, 4567, 12.5}, 900, &style);

			assert_true(clean_columns(line.data, line.length) <=
				    (width > 1 ? width - 1 : 1));
			for (size_t k = 0; k < line.length; k++)
				assert_true((unsigned char)line.data[k] >= ' ' &&
					    (style.unicode || (unsigned char)line.data[k] < 0x7f));
			strbuf_release(&line);
		}
	}
}

static void test_forty_columns_show_name_stage_and_time(void **state)
{
	static const struct progress_style narrow = {40, false, false};

	(void)state;
	assert_line((struct check_step){"a benchmark with a long name", 2, 12, 40, 4}, 48, &narrow,
		"a be~name: confirming 12/40, 2 min left");
	assert_line((struct check_step){"parse", 1, 12, 40, 4}, 48, &narrow,
		"parse: stage 1 #..... 12/40, 2 min left");
}

static void test_colour_changes_nothing_but_colour(void **state)
{
	static const struct progress_style color = {80, true, true};
	struct check_step step = {"parse", 1, 10, 40, 2};
	struct strbuf plain = line_of(step, 40, &unicode), colored = line_of(step, 40, &color);
	struct strbuf stripped = STRBUF_INIT;

	(void)state;
	for (const char *at = colored.data; *at; at++) {
		if (*at == '\033')
			at = strchr(at, 'm');
		else
			strbuf_addch(&stripped, *at);
	}
	assert_string_not_equal(colored.data, plain.data);
	assert_string_equal(stripped.data, plain.data);
	strbuf_release(&plain);
	strbuf_release(&colored);
	strbuf_release(&stripped);
}

/* ---- where it is shown ----------------------------------------------------------------------- */

static double fake_now;

static double read_fake_clock(void)
{
	return fake_now;
}

/* The other end of a terminal of `columns`. */
static int open_terminal(FILE **stream, unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
	*stream = fopen(ptsname(master), "w");
	assert_non_null(*stream);
	return master;
}

static void set_environment(const char *term, const char *no_color, const char *lang)
{
	unsetenv("LC_ALL");
	unsetenv("LC_CTYPE");
	setenv("TERM", term, 1);
	setenv("LANG", lang, 1);
	if (no_color)
		setenv("NO_COLOR", no_color, 1);
	else
		unsetenv("NO_COLOR");
}

static struct progress progress_on(FILE *stream)
{
	struct progress progress;

	progress_init(&progress, stream);
	return progress;
}

static void test_only_a_terminal_gets_it(void **state)
{
	struct progress progress;
	FILE *stream, *file = tmpfile();
	int master = open_terminal(&stream, 40);

	(void)state;
	set_environment("xterm", NULL, "C.UTF-8");
	progress = progress_on(stream);
	assert_true(progress.on && progress.style.color && progress.style.unicode);
	assert_int_equal(progress.style.width, 40);
	assert_false(progress_on(file).on);
	assert_false(progress_on(file).style.color);
	set_environment("xterm", "1", "C");
	progress = progress_on(stream);
	assert_true(progress.on && !progress.style.color && !progress.style.unicode);
	set_environment("xterm", "", "de_DE.utf8");
	assert_true(progress_on(stream).style.color && progress_on(stream).style.unicode);
	setenv("LC_ALL", "C", 1);
	assert_false(progress_on(stream).style.unicode);
	set_environment("dumb", NULL, "C.UTF-8");
	assert_false(progress_on(stream).on);
	fclose(stream);
	fclose(file);
	close(master);
}

/* A terminal hands over in pieces what was written at once; the last is followed by an error. */
static void read_all(int master, char *seen, size_t size)
{
	size_t length = 0;
	ssize_t got;

	while (length + 1 < size && (got = read(master, seen + length, size - 1 - length)) > 0)
		length += (size_t)got;
	seen[length] = '\0';
}

static void test_a_terminal_shows_one_line_that_goes_away(void **state)
{
	struct check_step step = {"parse", 1, 0, 4, 10};
	struct progress progress;
	char seen[512];
	FILE *stream;
	int master = open_terminal(&stream, 40);

	(void)state;
	set_environment("xterm", "1", "C");
	progress = progress_on(stream);
	progress.now = read_fake_clock;
	fake_now = 1000;
	progress_step(&progress, &step);
	step.done = 1;
	fake_now = 1010;
	progress_step(&progress, &step);
	assert_true(progress.shown);
	progress_end(&progress);
	progress_end(&progress);
	assert_false(progress.shown);
	fclose(stream);
	read_all(master, seen, sizeof(seen));
	assert_string_equal(seen, "\r\033[Kparse: stage 1 ......... 0/4, 40 s left"
				  "\r\033[Kparse: stage 1 ##....... 1/4, 30 s left"
				  "\r\033[K");
	close(master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_time_left_comes_from_the_plan_then_from_the_pairs),
		cmocka_unit_test(test_it_is_unicode_or_ascii),
		cmocka_unit_test(test_it_keeps_to_the_width),
		cmocka_unit_test(test_forty_columns_show_name_stage_and_time),
		cmocka_unit_test(test_colour_changes_nothing_but_colour),
		cmocka_unit_test(test_only_a_terminal_gets_it),
		cmocka_unit_test(test_a_terminal_shows_one_line_that_goes_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
