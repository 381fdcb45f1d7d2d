/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_IP_H
#define LOGSTAT_IP_H

#include <stdint.h>

#include "url.h"

/* Dotted quad; returns -1 if it is not one. */
int ip_parse(struct span text, uint32_t *address);

#endif
