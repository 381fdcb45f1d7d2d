/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that others wrote (a benchmark's or a build's output) on its way into a message, a log or a
 * terminal: it must neither drive the terminal nor the workflow runner that reads our output.
 */
#ifndef FG_BASE_TEXT_H
#define FG_BASE_TEXT_H

#include <stddef.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"

/*
 * Appends data to out as valid UTF-8 that is inert:
 * - ESC sequences (CSI, OSC), C0 but \n and \t, DEL, C1 and bidirectional controls are removed;
 * - \r\n, a lone \r and U+2028/2029 become \n; a byte that is not UTF-8 becomes U+FFFD;
 * - "::" at a line's start (white space before it does not count) and "##[" anywhere, which
 * GitHub's and Azure's runners obey, are broken by a zero-width space (U+200B). The check is made
 * on what is written, so removed bytes cannot hide a command. out's own end counts as a line's
 * start only if it is empty or ends in \n.
 */
void text_defuse(struct strbuf *out, const char *data, size_t length);

/* Appends data as it is, but for each byte that is not UTF-8 (RFC 3629): U+FFFD in its place. */
void text_add_utf8(struct strbuf *out, const char *data, size_t length);

/* How much of valid UTF-8 to keep so that at most `most` bytes are left and no half character. */
size_t text_cut(const char *text, size_t length, size_t most);
/* Both: as valid UTF-8 of at most `most` bytes, into the arena. */
const char *text_fit(struct arena *arena, const char *data, size_t length, size_t most);

/*
 * The last lines: a suffix of data of at most max_lines lines and max_bytes bytes, trailing line
 * breaks not counted, starting at a line's start unless one line alone is too long. *tail_length
 * excludes the trailing line breaks.
 */
const char *text_tail(
	const char *data, size_t length, size_t max_lines, size_t max_bytes, size_t *tail_length);

#endif
