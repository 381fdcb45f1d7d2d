/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry on the code hash: a linked file, of which everything that it calls a function is
 * hashed. The seeds are linked from tests/unit/profile/fixture when the fuzzer is built.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/profile/code/code_hash.h"
#include "gate/profile/code/code_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small, so that it is spent by small inputs. */
#define UNITS UINT64_C(20000000)

static void hash_all(const struct code_image *image, Elf *elf)
{
	struct code_budget budget = {UNITS}, again = {UNITS};
	struct code_hasher *first = code_hasher_new(elf, NULL, "01", &budget);
	struct code_hasher *second = code_hasher_new(elf, NULL, "01", &again);

	for (size_t i = 0; i < image->symbol_count && budget.left > 0; i++) {
		struct code_identity one, other;

		code_hasher_find(first, image->symbols[i].low, &one);
		code_hasher_find(second, image->symbols[i].low, &other);
		if (strcmp(one.hash, other.hash) != 0 || one.bytes != other.bytes ||
			strcmp(one.shape, other.shape) != 0 ||
			strcmp(one.callees, other.callees) != 0 ||
			(one.shape[0] == '\0') != (one.callees[0] == '\0') ||
			!code_callees_are_valid(one.callees, strlen(one.callees)) ||
			(one.hash[0] != '\0' && strlen(one.hash) != CODE_HASH_DIGITS))
			abort();
	}
	if (budget.left != again.left)
		abort();
	code_hasher_free(first);
	code_hasher_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_budget budget = {UNITS};
	struct code_image image;
	char *bytes = malloc(size + 1); /* libelf may write to it */
	Elf *elf;

	elf_version(EV_CURRENT);
	if (bytes == NULL)
		return 0;
	memcpy(bytes, data, size);
	elf = elf_memory(bytes, size);
	if (elf != NULL) {
		if (code_image_read(elf, NULL, &budget, &image))
			hash_all(&image, elf);
		code_image_release(&image);
		elf_end(elf);
	}
	free(bytes);
	return 0;
}
