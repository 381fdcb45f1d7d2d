/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that marks a region: loaded by a program that knows nothing of flamegate. */
#include "gate/sampler/flamegate.h"

int plugin_run(void);

int plugin_run(void)
{
	flamegate_region_begin("plugin");
	flamegate_region_end();
	return flamegate_is_active();
}
