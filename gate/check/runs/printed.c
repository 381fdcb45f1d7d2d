/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/printed.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/untrusted_file.h"

/* Appends text with one path in place of another. */
static void add_renamed(
	struct strbuf *out, const struct strbuf *text, const char *from, const char *to)
{
	const char *at = text->data, *end = text->data + text->length, *found;
	size_t length = strlen(from);

	while ((found = memmem(at, (size_t)(end - at), from, length))) {
		strbuf_add(out, at, (size_t)(found - at));
		strbuf_addstr(out, to);
		at = found + length;
	}
	strbuf_add(out, at, (size_t)(end - at));
}

void printed_hash(const struct run *run, const struct build *build, char hex[65])
{
	struct strbuf text = STRBUF_INIT, named = STRBUF_INIT;
	struct error ignored;

	hex[0] = '\0';
	if (run->output_path &&
		!untrusted_file_read(run->output_path, PRINTED_MAX_BYTES, &text, &ignored)) {
		add_renamed(&named, &text, build->path, build->build_path);
		sha256_hex(named.data, named.length, hex);
	}
	strbuf_release(&text);
	strbuf_release(&named);
}
