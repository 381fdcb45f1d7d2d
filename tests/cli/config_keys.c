/* SPDX-License-Identifier: Apache-2.0 */
/* Every key of .flamegate.yml: "path|required or default|value of it", in the table's order. */
#include <stdio.h>

#include "gate/bench/config/config_schema.h"

int main(void)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		printf("%s|%s|%s\n", key->path,
			key->required   ? "required"
			: key->fallback ? "default"
					: "",
			key->fallback ? key->fallback : "");
	}
	return 0;
}
