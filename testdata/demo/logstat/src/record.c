/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <string.h>

#include "combined.h"

int record_parse(struct record *record, const char *line, size_t length)
{
	const char *log = NULL;

	memset(record, 0, sizeof(*record));
	record->json = cJSON_ParseWithLength(line, length);
	const cJSON *item = cJSON_IsObject(record->json) ? record->json->child : NULL;
	for (; item != NULL; item = item->next) {
		if (!cJSON_IsString(item))
			continue;
		if (strcmp(item->string, "log") == 0)
			log = item->valuestring;
		else if (strcmp(item->string, "time") == 0)
			record->time = item->valuestring;
	}
	if (log != NULL && record->time != NULL && combined_parse(record, log) == 0)
		return 0;
	record_release(record);
	return -1;
}

void record_release(struct record *record)
{
	cJSON_Delete(record->json);
	record->json = NULL;
}
