/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a plug-in that marks a region, as locally as can be. usage: region_loader FILE */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	void *found = plugin ? dlsym(plugin, "plugin_run") : NULL;
	int (*run)(void);

	if (!found)
		return 1;
	memcpy(&run, &found, sizeof(run));
	puts(run() ? "active" : "inactive");
	return dlclose(plugin);
}
