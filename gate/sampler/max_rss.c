/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest resident set of this process image, as the kernel knows it (VmHWM). rusage would not
 * do: a process hands its mark on to the image that it executes. Context: thread.
 */
#include "gate/sampler/sampler.h"

#include "gate/sampler/raw.h"

#define LARGEST_KIB (UINT64_C(1) << 44)

/* Reads "\nVmHWM:    1234 kB" character by character. */
struct status_line {
	size_t matched; /* of the label */
	uint64_t kib;
	bool has_digits;
};

/* Takes one character; false when the number is complete. */
static bool feed(struct status_line *line, char c)
{
	static const char label[] = "\nVmHWM:";

	if (line->matched < sizeof(label) - 1) {
		line->matched = c == label[line->matched] ? line->matched + 1 : c == label[0];
		return true;
	}
	if (c < '0' || c > '9')
		return !line->has_digits && (c == ' ' || c == '\t');
	line->has_digits = true;
	line->kib = line->kib * 10 + (uint64_t)(c - '0');
	return line->kib < LARGEST_KIB;
}

uint64_t fg_max_rss_bytes(void)
{
	struct status_line line = {0, 0, false};
	char text[256];
	bool more = true;
	ssize_t length;
	int fd = fg_raw_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	while (more && (length = fg_raw_read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < length && more; i++)
			more = feed(&line, text[i]);
	fg_raw_close(fd);
	return line.kib * 1024;
}
