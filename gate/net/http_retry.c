/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a failed request may be repeated, and how long to wait before that. */
#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "gate/net/http_internal.h"

#include <sys/random.h>
#include <time.h>

#define MAX_DOUBLINGS 5 /* 0.25 s to 8 s */
#define SLICE_NS (HTTP_SECOND_NS / 5)

static bool connection_was_lost(CURLcode code)
{
	return code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
	       code == CURLE_PARTIAL_FILE;
}

static bool is_passing(long status)
{
	return status == 429 || (status >= 502 && status <= 504);
}

uint64_t http_backoff_ns(unsigned attempts_made, uint32_t random)
{
	unsigned doublings = attempts_made ? attempts_made - 1 : 0;
	uint64_t wait_ns = HTTP_SECOND_NS / 4;

	wait_ns <<= doublings < MAX_DOUBLINGS ? doublings : MAX_DOUBLINGS;
	return wait_ns / 2 + (uint64_t)((double)wait_ns * random / UINT32_MAX);
}

static uint32_t random_number(void)
{
	uint32_t number = UINT32_MAX / 2;
	ssize_t ignored = getrandom(&number, sizeof(number), GRND_NONBLOCK);

	(void)ignored;
	return number;
}

bool http_may_repeat(const struct exchange *exchange, uint64_t *wait_ns)
{
	curl_off_t seconds = 0;

	*wait_ns = http_backoff_ns(exchange->response->attempts, random_number());
	if (is_passing(exchange->response->status)) {
		if (http_response_header(exchange->response, "retry-after"))
			curl_easy_getinfo(exchange->curl, CURLINFO_RETRY_AFTER, &seconds);
		if (seconds > (curl_off_t)(HTTP_MAX_WAIT_NS / HTTP_SECOND_NS))
			return false;
		if (seconds > 0)
			*wait_ns = (uint64_t)seconds * HTTP_SECOND_NS;
		return exchange->code != CURLE_ABORTED_BY_CALLBACK;
	}
	return connection_was_lost(exchange->code);
}

int http_wait(uint64_t wait_ns, struct error *err)
{
	uint64_t until = http_now_ns() + wait_ns, now;

	while (!process_interrupted() && (now = http_now_ns()) < until) {
		uint64_t slice = until - now < SLICE_NS ? until - now : SLICE_NS;
		struct timespec time = {.tv_nsec = (long)slice};

		nanosleep(&time, NULL);
	}
	if (process_interrupted())
		return error_set(err, ERR_INTERRUPTED, "interrupted before the next attempt");
	return ERR_OK;
}
