/* SPDX-License-Identifier: Apache-2.0 */
/* What glibc's implementations for different processors have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/profile/ifunc_variant.h"

static void assert_common(const char *name, const char *expected)
{
	struct strbuf what = STRBUF_INIT;

	strbuf_addstr(&what, "left from before");
	assert_int_equal(ifunc_variant_common(&what, name), *expected != '\0');
	assert_string_equal(what.length ? what.data : "", expected);
	strbuf_release(&what);
}

static void test_processors_are_cut_off(void **state)
{
	(void)state;
	assert_common("__memcmp_evex_movbe", "memcmp");
	assert_common("__memcmp_avx2_movbe_rtm", "memcmp");
	assert_common("__memcmp_sse4_1", "memcmp");
	assert_common("__strlen_avx2", "strlen");
	assert_common("__strchr_sse2_no_bsf", "strchr");
	assert_common("__memset_avx512_unaligned_erms", "memset");
	assert_common("__mempcpy_avx512_no_vzeroupper", "mempcpy");
	assert_common("__exp_fma", "exp");
	assert_common("__memset_zva64", "memset");
}

static void test_functions_stay_apart(void **state)
{
	(void)state;
	assert_common("__memcpy_chk_avx_unaligned", "memmove_chk");
	assert_common("__memmove_chk_evex_unaligned", "memmove_chk");
	assert_common("__memcpy_avx512_unaligned_erms", "memmove");
	assert_common("__memmove_avx_unaligned_erms", "memmove");
	assert_common("__strncasecmp_l_avx2", "strncasecmp_l");
}

static void test_others_have_none(void **state)
{
	(void)state;
	assert_common("", "");
	assert_common("__", "");
	assert_common("___", "");
	assert_common("__avx2", "");
	assert_common("___avx2", "");
	assert_common("__memcmp", "");
	assert_common("__memcmp_", "");
	assert_common("memcmp_avx2", "");
	assert_common("__libc_start_main", "");
	assert_common("__memcmp_avx2_mine", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processors_are_cut_off),
		cmocka_unit_test(test_functions_stay_apart),
		cmocka_unit_test(test_others_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
