/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

/* The examples of FIPS 180-4 (NIST,
 * "SHA256.pdf") and of NIST's test vectors (SHA256ShortMsg.rsp). */
static void test_published_examples_are_met(void **state)
{
	static const struct {
		const char *text, *hex;
	} cases[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		 "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
			"cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
		{"\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char hex[65];

		sha256_hex(cases[i].text, strlen(cases[i].text), hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

static void test_a_million_letters_have_the_published_hash(void **state)
{
	char *data = malloc(1000000), hex[65];

	(void)state;
	memset(data, 'a', 1000000);
	sha256_hex(data, 1000000, hex);
	assert_string_equal(
		hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(data);
}

/* Hashes of 0 to 129 letters, hashed again: every place of the padding in its block. Python's
 * hashlib. */
static void test_every_length_around_a_block_is_padded_right(void **state)
{
	char letters[130], all[130 * 64], hex[65];

	(void)state;
	memset(letters, 'x', sizeof(letters));
	for (size_t i = 0; i < 130; i++) {
		sha256_hex(letters, i, hex);
		memcpy(all + i * 64, hex, 64);
	}
	sha256_hex(all, sizeof(all), hex);
	assert_string_equal(
		hex, "199af942eba7fa5d1e16d475169eb24018b14e69339c93d26a9ea6d873b4ace6");
}

static void test_a_file_has_the_hash_of_its_content(void **state)
{
	size_t length = 70001;
	char *data = calloc(1, length), *dir, *path;
	char expected[65], hex[65];
	struct error err;

	(void)state;
	assert_int_equal(file_make_temp_dir(NULL, "test_sha256_", &dir, &err), 0);
	path = file_join(dir, "a");
	assert_int_equal(file_write(path, data, length, &err), 0);
	sha256_hex(data, length, expected);
	assert_int_equal(file_sha256_hex(path, hex, &err), 0);
	assert_string_equal(hex, expected);
	assert_int_equal(file_sha256_hex(dir, hex, &err), ERR_IO);
	assert_int_equal(file_remove_tree(dir, &err), 0);
	free(data);
	free(dir);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_examples_are_met),
		cmocka_unit_test(test_a_million_letters_have_the_published_hash),
		cmocka_unit_test(test_every_length_around_a_block_is_padded_right),
		cmocka_unit_test(test_a_file_has_the_hash_of_its_content),
	};

	return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
