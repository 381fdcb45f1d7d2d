/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/production_text.h"

#include <math.h>

#include "gate/check/result.h"

#define LEAST 0.005 /* per cent; smaller figures would be shown as nothing */

/* A culprit's weight there is often small: two decimals, where other figures have one. */
static void add_percent(struct strbuf *out, double fraction, bool sign)
{
	double percent = fraction * 100;

	if (fabs(percent) < LEAST)
		strbuf_addstr(out, percent == 0 ? "0" : "0.00");
	else if (fabs(percent) >= 1e6)
		strbuf_addf(out, sign ? "%+.2e" : "%.2e", percent);
	else
		strbuf_addf(out, sign ? "%+.2f" : "%.2f", percent);
}

static void add_impact(struct strbuf *out, const struct result_production *production)
{
	if (!isfinite(production->impact))
		return;
	if (fabs(production->impact) * 100 < LEAST) {
		strbuf_addstr(out, ", so less than 0.01 % there");
		return;
	}
	strbuf_addstr(out, ", so about ");
	add_percent(out, production->impact, true);
	strbuf_addstr(out, " %");
	if (isfinite(production->low) && isfinite(production->high)) {
		strbuf_addstr(out, " (");
		add_percent(out, production->low, true);
		strbuf_addstr(out, " to ");
		add_percent(out, production->high, true);
		strbuf_addstr(out, " %)");
	}
	strbuf_addstr(out, " there");
}

static const char *of_what(const struct result_production *production)
{
	switch (production->of) {
	case PRODUCTION_CALL:
		return " in these calls and below";
	case PRODUCTION_TOTAL:
		return " with all that it calls";
	case PRODUCTION_ELSEWHERE:
		return " with all that it calls, but not called from here";
	case PRODUCTION_SELF:
		break;
	}
	return "";
}

void production_text(struct strbuf *out, const struct result_production *production)
{
	double percent = production->share * 100;

	if (isnan(percent)) {
		strbuf_addstr(out, "not known, since several functions are called so");
	} else if (percent == 0) {
		strbuf_addstr(out, "not seen");
	} else if (percent < LEAST) {
		strbuf_addf(out, "less than 0.01 %% of CPU time%s", of_what(production));
		add_impact(out, production);
	} else {
		add_percent(out, production->share, false);
		strbuf_addf(out, " %% of CPU time%s", of_what(production));
		add_impact(out, production);
	}
}
