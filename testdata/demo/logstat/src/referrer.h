/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_REFERRER_H
#define LOGSTAT_REFERRER_H

#include "url.h"

/* "https://www.news.example.co.uk/a?b" -> "example.co.uk"; empty if there is no host. */
struct span referrer_domain(struct span url);

#endif
