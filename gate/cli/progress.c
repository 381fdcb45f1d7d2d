/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "gate/cli/output.h"

#define DEFAULT_WIDTH 80
#define ERASE "\r\033[K"

static double monotonic_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static unsigned width_of(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : DEFAULT_WIDTH;
}

void progress_init(struct progress *progress, FILE *stream)
{
	const char *term = variable("TERM");

	*progress = (struct progress){.stream = stream, .now = monotonic_now};
	progress->on = isatty(fileno(stream)) && *term && strcmp(term, "dumb") != 0;
	progress->style.width = width_of(fileno(stream));
	progress->style.unicode = output_is_utf8();
	progress->style.color = progress->on && !*variable("NO_COLOR");
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs(ERASE, progress->stream);
	fflush(progress->stream);
	progress->shown = false;
}

void progress_say(void *data, const char *line)
{
	progress_end(data);
	output_progress(NULL, line);
}

void progress_step(void *data, const struct check_step *step)
{
	struct progress *progress = data;
	struct strbuf text = STRBUF_INIT;

	if (!step->done)
		progress->start = progress->now();
	/* The window may have another size by now. */
	if (isatty(fileno(progress->stream)))
		progress->style.width = width_of(fileno(progress->stream));
	strbuf_addstr(&text, ERASE);
	progress_line(&text, step, progress->now() - progress->start, &progress->style);
	fwrite(text.data, 1, text.length, progress->stream);
	fflush(progress->stream);
	progress->shown = true;
	strbuf_release(&text);
}
