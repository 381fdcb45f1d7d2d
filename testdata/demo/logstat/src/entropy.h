/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_ENTROPY_H
#define LOGSTAT_ENTROPY_H

#include "url.h"

/* Bits a character, 0 to 8: keys and tokens have more than words. */
double text_entropy(struct span text);
/* Whether it looks like a secret that should not be in a URL. */
int looks_random(struct span text);
/* Whether it is a number with a payment card's length and check digit. */
int looks_like_card(struct span text);

#endif
