/* SPDX-License-Identifier: Apache-2.0 */
#include "alert.h"

#include "glob.h"

static const char *const patterns[ALERT_RULES] = {
	"/wp-*.php", "*/.git/*", "*/.env", "*.sql*", "*/etc/passwd*", "/admin/*/export*",
	"*/cgi-bin/*", "*<script*", "*/backup-????.tar*", "/api/v?/debug*", "*/phpmyadmin*", "*.bak",
	"*/.aws/*", "/actuator/*", "*/../*", "*~",
};

const char *alert_pattern(size_t rule)
{
	return patterns[rule];
}

void alerts_check(struct alerts *alerts, struct span path)
{
	for (size_t rule = 0; rule < ALERT_RULES; rule++)
		alerts->hits[rule] += (uint64_t)glob_match(patterns[rule], path);
}
