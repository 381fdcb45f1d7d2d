/* SPDX-License-Identifier: Apache-2.0 */
#include "referrer.h"

#include <string.h>

static struct span host_of(struct span url)
{
	size_t start = 0, end;

	while (start + 3 < url.length && memcmp(url.text + start, "://", 3) != 0)
		start++;
	if (start + 3 >= url.length)
		return (struct span){url.text, 0};
	start += 3;
	for (end = start; end < url.length; end++)
		if (memchr("/?#:", url.text[end], 4) != NULL)
			break;
	return (struct span){url.text + start, end - start};
}

/* Labels under which everybody can register ("co" in "co.uk"). */
static int is_public_label(struct span label)
{
	static const char *const labels[] = {"ac", "co", "com", "edu", "gov", "net", "org"};

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (strlen(labels[i]) == label.length &&
			memcmp(labels[i], label.text, label.length) == 0)
			return 1;
	return 0;
}

static size_t label_start(struct span host, size_t end)
{
	while (end > 0 && host.text[end - 1] != '.')
		end--;
	return end;
}

struct span referrer_domain(struct span url)
{
	struct span host = host_of(url);
	size_t top = label_start(host, host.length);

	if (top == 0)
		return host;
	size_t second = label_start(host, top - 1);
	struct span label = {host.text + second, top - 1 - second};
	if (second > 0 && host.length - top == 2 && is_public_label(label))
		second = label_start(host, second - 1);
	return (struct span){host.text + second, host.length - second};
}
