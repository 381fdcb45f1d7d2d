/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function of flamegate.h, in C and in C++: compiled in many ways by test_regions.sh. The
 * program's own use of dlsym() and dlerror() must go on as it was.
 */
#include "gate/sampler/flamegate.h"

#ifdef WITH_DLFCN
#include <dlfcn.h>
#endif
#include <stdio.h>

int main(void)
{
	int fine = 1;

	flamegate_region_begin("outer");
#ifdef __cplusplus
	{
		const flamegate::region scope("scoped");
		flamegate_label("key", "value");
	}
#else
	flamegate_region_begin("scoped");
	flamegate_label("key", "value");
	flamegate_region_end();
#endif
	flamegate_label("key", "outer");
	flamegate_label_clear("key");
	flamegate_region_begin("after");
	flamegate_region_end();
	flamegate_iteration(3);
	flamegate_pause();
	flamegate_resume();
	flamegate_region_end();
#ifdef WITH_DLFCN
	fine = dlerror() == NULL && dlsym(NULL, "no_such_function") == NULL && dlerror() != NULL;
#endif
	printf("%s %s\n", fine ? "fine" : "broken", flamegate_is_active() ? "active" : "inactive");
	return 0;
}
