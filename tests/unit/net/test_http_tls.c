/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates are always checked, against what the usual variables name. */
#include "gate/base/error.h"
#include "gate/net/http_internal.h"
#include "tests/unit/net/http_scene.h"

static struct outcome get(unsigned port)
{
	static const struct http_credentials credentials = {
		.prefix = "FLAMEGATE", .token = SCENE_TOKEN};

	if (!port)
		skip(); /* no openssl program to make a certificate with */
	return scene_send("https", port, "/ok", (struct http_request){.credentials = &credentials});
}

static int forget(void **state)
{
	(void)state;
	unsetenv("SSL_CERT_FILE");
	unsetenv("SSL_CERT_DIR");
	unsetenv("CURL_CA_BUNDLE");
	return 0;
}

static void test_a_self_signed_certificate_is_refused(void **state)
{
	struct outcome outcome = get(scene.tls);

	(void)state;
	scene_expect(
		&outcome, ERR_TOOL, "certificate is not trusted", "self", "SSL_CERT_FILE", NULL);
	assert_int_equal(outcome.response.status, 0);
	scene_release(&outcome);
}

static void test_a_certificate_that_a_variable_names_is_trusted(void **state)
{
	static const char *const variables[] = {"SSL_CERT_FILE", "CURL_CA_BUNDLE"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct outcome outcome;

		setenv(variables[i], scene.certificate, 1);
		outcome = get(scene.tls);
		scene_expect(&outcome, ERR_OK, NULL);
		assert_string_equal(outcome.response.body.data, "{\"a\":1}");
		scene_release(&outcome);
		forget(NULL);
	}
}

/* A folder as openssl wants it, with one certificate in it. */
static void make_folder(const char *certificate, char *folder)
{
	char command[2048];

	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command),
		"ln -s '%s' \"%s/$(openssl x509 -hash -noout -in '%s').0\"", certificate, folder,
		certificate);
	assert_int_equal(system(command), 0);
}

static void test_a_folder_that_a_variable_names_is_trusted(void **state)
{
	char folder[] = "/tmp/flamegate-test.XXXXXX", command[64];
	struct outcome outcome;

	(void)state;
	if (!scene.tls)
		skip();
	make_folder(scene.certificate, folder);
	setenv("SSL_CERT_DIR", folder, 1);
	outcome = get(scene.tls);
	scene_expect(&outcome, ERR_OK, NULL);
	scene_release(&outcome);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	assert_int_equal(system(command), 0);
	outcome = get(scene.tls);
	scene_expect(&outcome, ERR_TOOL, "certificate is not trusted", NULL);
	scene_release(&outcome);
}

static void test_an_empty_variable_counts_as_not_set(void **state)
{
	struct outcome outcome;

	(void)state;
	setenv("CURL_CA_BUNDLE", "", 1);
	setenv("SSL_CERT_FILE", scene.certificate, 1);
	outcome = get(scene.tls);
	scene_expect(&outcome, ERR_OK, NULL);
	scene_release(&outcome);
}

static void test_a_trusted_certificate_of_another_name_is_refused(void **state)
{
	struct outcome outcome;

	(void)state;
	setenv("SSL_CERT_FILE", scene.name_certificate, 1);
	outcome = get(scene.name);
	scene_expect(&outcome, ERR_TOOL, "is not trusted", "name matches", "use the name", NULL);
	scene_release(&outcome);
}

static void test_a_missing_file_of_certificates_is_named_as_the_cause(void **state)
{
	struct outcome outcome;

	(void)state;
	setenv("SSL_CERT_FILE", "/nonexistent/certificates.pem", 1);
	outcome = get(scene.tls);
	scene_expect(&outcome, ERR_USAGE, "cannot be read", "SSL_CERT_FILE", NULL);
	scene_release(&outcome);
}

static void test_the_first_place_that_has_certificates_is_taken(void **state)
{
	const char *const places[] = {"/nonexistent/a.pem", scene.certificate, "/dev/null", NULL};
	const char *const none[] = {"/nonexistent/a.pem", "/nonexistent/b.pem", NULL};

	(void)state;
	assert_ptr_equal(http_trust_first(places), scene.certificate);
	assert_null(http_trust_first(none));
	assert_null(http_trust_first(none + 2));
}

static void test_https_to_a_plain_server_asks_for_the_scheme(void **state)
{
	struct outcome outcome = get(scene.http);

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "no TLS connection", "http rather than https", NULL);
	scene_release(&outcome);
}

static void test_plain_http_to_a_tls_server_is_no_success(void **state)
{
	struct outcome outcome;

	(void)state;
	if (!scene.tls)
		skip();
	outcome = scene_send("http", scene.tls, "/ok", (struct http_request){0});
	scene_expect(&outcome, ERR_TOOL, NULL);
	scene_release(&outcome);
}

static void test_a_handshake_that_nobody_answers_times_out(void **state)
{
	struct outcome outcome = scene_send("https", scene.mute, "/",
		(struct http_request){.connect_timeout_ns = SCENE_SECOND_NS / 2});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "no connection within 0.5 s", NULL);
	assert_true(outcome.wall_ns < 30 * SCENE_SECOND_NS);
	scene_release(&outcome);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_a_self_signed_certificate_is_refused, forget),
		cmocka_unit_test_teardown(
			test_a_certificate_that_a_variable_names_is_trusted, forget),
		cmocka_unit_test_teardown(test_a_folder_that_a_variable_names_is_trusted, forget),
		cmocka_unit_test_teardown(test_an_empty_variable_counts_as_not_set, forget),
		cmocka_unit_test_teardown(
			test_a_trusted_certificate_of_another_name_is_refused, forget),
		cmocka_unit_test_teardown(
			test_a_missing_file_of_certificates_is_named_as_the_cause, forget),
		cmocka_unit_test(test_the_first_place_that_has_certificates_is_taken),
		cmocka_unit_test(test_https_to_a_plain_server_asks_for_the_scheme),
		cmocka_unit_test(test_plain_http_to_a_tls_server_is_no_success),
		cmocka_unit_test(test_a_handshake_that_nobody_answers_times_out),
	};

	return cmocka_run_group_tests_name("http_tls", tests, scene_start, scene_stop);
}
