/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/code/function_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/file.h"

#define RUST_HASH_DIGITS 16

size_t function_stem_length(const char *name)
{
	static const char *const suffixes[] = {
		".part.", ".constprop.", ".isra.", ".cold", ".lto_priv.", ".llvm."};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *found = strstr(name, suffixes[i]);

		if (found && found != name && (size_t)(found - name) < length)
			length = (size_t)(found - name);
	}
	return length;
}

/* ---- Rust ------------------------------------------------------------------------------------ */

/* "_ZN3lib4scan17h0123456789abcdefE": without the last component. 0: it is no such name. */
static size_t length_without_rust_hash(const char *name, size_t length)
{
	const size_t tail = strlen("17h") + RUST_HASH_DIGITS + strlen("E");
	const char *hash = name + length - tail;

	if (length <= tail + 3 || strncmp(name, "_ZN", 3) != 0 || strncmp(hash, "17h", 3) != 0 ||
		name[length - 1] != 'E' || strspn(hash + 3, "0123456789abcdef") != RUST_HASH_DIGITS)
		return 0;
	return length - tail;
}

/* "_RNvCs1a2b_3lib4scan": the v0 mangling tells crates apart by "Cs<base 62>_". */
static void add_without_crates(struct strbuf *out, const char *name, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t end = i + 2;

		while (end < length && isalnum((unsigned char)name[end]))
			end++;
		if (name[i] == 'C' && i + 1 < length && name[i + 1] == 's' && end < length &&
			name[end] == '_') {
			strbuf_addch(out, 'C');
			i = end + 1;
		} else {
			strbuf_addch(out, name[i++]);
		}
	}
}

static void add_key(struct strbuf *out, const char *name)
{
	size_t length = function_stem_length(name), plain = length_without_rust_hash(name, length);

	if (plain)
		strbuf_add(out, name, plain);
	else if (strncmp(name, "_R", 2) == 0)
		add_without_crates(out, name, length);
	else
		strbuf_add(out, name, length);
}

/* ---- entries --------------------------------------------------------------------------------- */

static void hash_text(const struct strbuf *text, char digits[FUNCTION_NAME_DIGITS + 1])
{
	char hash[65];

	sha256_hex(text->data, text->length, hash);
	memcpy(digits, hash, FUNCTION_NAME_DIGITS);
	digits[FUNCTION_NAME_DIGITS] = '\0';
}

void function_name_digits(const char *name, char digits[FUNCTION_NAME_DIGITS + 1])
{
	struct strbuf key = STRBUF_INIT;

	add_key(&key, name);
	hash_text(&key, digits);
	strbuf_release(&key);
}

void function_place_digits(
	const char *name, const char *file, char digits[FUNCTION_NAME_DIGITS + 1])
{
	struct strbuf key = STRBUF_INIT;

	strbuf_addf(&key, "%s\n%s", name, file);
	hash_text(&key, digits);
	strbuf_release(&key);
}

static int compare_entries(const void *left, const void *right)
{
	return memcmp(left, right, FUNCTION_NAME_DIGITS);
}

bool function_names_have(const struct function_names *names, const char *digits)
{
	return names->count && bsearch(digits, names->digits, names->count, FUNCTION_NAME_DIGITS,
				       compare_entries) != NULL;
}

bool function_names_lack(const struct function_names *names, const char *digits)
{
	return names->count && names->complete && !function_names_have(names, digits);
}

bool function_names_are_valid(const char *digits, size_t length)
{
	if (length % FUNCTION_NAME_DIGITS != 0 ||
		length / FUNCTION_NAME_DIGITS > FUNCTION_NAMES_MAX ||
		strspn(digits, "0123456789abcdef") != length)
		return false;
	for (size_t i = FUNCTION_NAME_DIGITS; i < length; i += FUNCTION_NAME_DIGITS)
		if (compare_entries(digits + i - FUNCTION_NAME_DIGITS, digits + i) >= 0)
			return false;
	return true;
}

/* Each once; returns how many. */
static size_t sort_entries(char *entries, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(entries, count, FUNCTION_NAME_DIGITS, compare_entries);
	for (size_t i = 0; i < count; i++) {
		const char *entry = entries + i * FUNCTION_NAME_DIGITS;

		if (kept &&
			compare_entries(entries + (kept - 1) * FUNCTION_NAME_DIGITS, entry) == 0)
			continue;
		memmove(entries + kept++ * FUNCTION_NAME_DIGITS, entry, FUNCTION_NAME_DIGITS);
	}
	return kept;
}

void function_names_finish(struct function_names *names, const struct strbuf *digits, bool complete,
	struct arena *arena)
{
	char *entries = arena_strndup(arena, digits->data, digits->length);
	size_t count = sort_entries(entries, digits->length / FUNCTION_NAME_DIGITS);

	*names = (struct function_names){.digits = ""};
	if (count > FUNCTION_NAMES_MAX)
		return;
	entries[count * FUNCTION_NAME_DIGITS] = '\0';
	*names = (struct function_names){entries, count, complete};
}
