/* SPDX-License-Identifier: Apache-2.0 */
/* Whose certificates are trusted. */
#include <stdlib.h>
#include <unistd.h>

#include "gate/net/http_internal.h"

/* Where systems keep the certificates of authorities; a libcurl that came with flamegate was built for none of them.
 * Debian, Ubuntu, Arch and Gentoo; Fedora and RHEL; openSUSE; Alpine, FreeBSD and macOS. */
static const char *const usual_bundles[] = {"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem", NULL};

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

const char *http_trust_first(const char *const *bundles)
{
	while (*bundles && access(*bundles, R_OK))
		bundles++;
	return *bundles;
}

/* What libcurl was built to read, if it is there. */
static bool has_own_bundle(void)
{
	const curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);

#if LIBCURL_VERSION_NUM >= 0x074600
	return (version->cainfo && access(version->cainfo, R_OK) == 0) ||
	       (version->capath && access(version->capath, R_OK) == 0);
#else
	return version != NULL;
#endif
}

/* The curl program obeys these variables; the library leaves it to us. */
void http_trust(CURL *curl)
{
	const char *bundle = variable("CURL_CA_BUNDLE");

	if (!bundle)
		bundle = variable("SSL_CERT_FILE");
	if (!bundle && !variable("SSL_CERT_DIR") && !has_own_bundle())
		bundle = http_trust_first(usual_bundles);
	if (bundle)
		curl_easy_setopt(curl, CURLOPT_CAINFO, bundle);
	if (variable("SSL_CERT_DIR"))
		curl_easy_setopt(curl, CURLOPT_CAPATH, variable("SSL_CERT_DIR"));
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
}
