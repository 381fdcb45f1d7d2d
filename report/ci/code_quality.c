/* SPDX-License-Identifier: Apache-2.0 */
#include "report/ci/code_quality.h"

#include "gate/net/json.h"
#include "report/findings/blamed.h"

#define PRETTY_DEPTH 1
#define MESSAGE_COLUMNS 500
#define CRITICAL_CHANGE 0.1 /* fraction of the benchmark's total */

static const char *severity_of(enum result_status status, const struct blamed *blamed)
{
	if (status == RESULT_WARN)
		return "minor";
	return blamed->change < CRITICAL_CHANGE ? "major" : "critical"; /* NaN: from nothing */
}

static void write_location(struct json_writer *json, const struct blamed *blamed)
{
	int64_t line;
	const char *file = blamed_place(blamed, &line);

	json_member_object(json, "location");
	json_member_string(json, "path", *file ? file : BLAMED_ELSEWHERE);
	json_member_object(json, "lines");
	json_member_int64(json, "begin", line > 0 ? line : 1);
	json_object_end(json);
	json_object_end(json);
}

static void write_finding(
	struct json_writer *json, enum result_status status, const struct blamed *blamed)
{
	struct strbuf message = STRBUF_INIT;

	blamed_message(blamed, MESSAGE_COLUMNS, &message);
	json_object_begin(json);
	json_member_string(json, "description", message.data);
	json_member_string(json, "check_name",
		status == RESULT_FAIL ? "flamegate-regression" : "flamegate-suspicion");
	json_member_string(json, "fingerprint", blamed->fingerprint);
	json_member_string(json, "severity", severity_of(status, blamed));
	write_location(json, blamed);
	json_object_end(json);
	strbuf_release(&message);
}

void report_code_quality(const struct report_view *view, struct strbuf *out)
{
	static const enum result_status shown[] = {RESULT_FAIL, RESULT_WARN};
	size_t room = CODE_QUALITY_MAX_FINDINGS;
	struct json_writer json;

	json_writer_init(&json, out, PRETTY_DEPTH);
	json_array_begin(&json);
	for (size_t s = 0; s < sizeof(shown) / sizeof(shown[0]); s++) {
		struct blamed_list list;

		blamed_list_init(&list, &view->result, shown[s]);
		for (size_t i = 0; i < list.count && room; i++, room--)
			write_finding(&json, shown[s], &list.items[i]);
		blamed_list_release(&list);
	}
	json_array_end(&json);
	strbuf_addch(out, '\n');
}
