/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the environment. Context: init. A wrong value means the default: the runner checks, we run
 * inside somebody else's program and must not complain there. */
#include "gate/sampler/sampler.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "gate/sampler/environment.h"
#include "gate/sampler/slowdown.h"

struct fg_config fg_config;

static uint64_t read_number(const char *name, uint64_t low, uint64_t high, uint64_t fallback)
{
	const char *text = getenv(name);
	uint64_t value = 0;

	if (!text || !*text)
		return fallback;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || value > UINT32_MAX)
			return fallback;
		value = value * 10 + (uint64_t)(*text - '0');
	}
	return value < low ? low : value > high ? high : value;
}

/* Copies an absolute path, or puts the working directory before a relative one. False: too long. */
static bool read_path(const char *name, char *out)
{
	const char *path = getenv(name);
	size_t used = 0, length;

	if (!path || !*path)
		return false;
	if (path[0] != '/') {
		if (!getcwd(out, FG_CAPTURE_PATH_BYTES - 1))
			return false;
		used = strlen(out);
		out[used++] = '/';
	}
	length = strlen(path);
	if (used + length >= FG_CAPTURE_PATH_BYTES) {
		out[0] = '\0';
		return false;
	}
	memcpy(out + used, path, length + 1);
	return true;
}

static enum fg_wish read_wish(void)
{
	const char *text = getenv(FG_ENV_MECHANISM);

	if (text && strcmp(text, "perf") == 0)
		return FG_WISH_PERF;
	if (text && strcmp(text, "posix") == 0)
		return FG_WISH_POSIX;
	return FG_WISH_AUTO;
}

#define BIT(kind) (UINT32_C(1) << (kind))

static const struct {
	const char *name;
	uint32_t kinds;
} profiles[] = {
	{"cpu", BIT(FG_KIND_CPU)},
	{"wall", BIT(FG_KIND_CPU) | BIT(FG_KIND_OFF_CPU)},
	{"heap", BIT(FG_KIND_HEAP) | BIT(FG_KIND_MAPPED)},
	{"lock", BIT(FG_KIND_MUTEX) | BIT(FG_KIND_RWLOCK) | BIT(FG_KIND_CONDITION) |
			 BIT(FG_KIND_FUTEX)},
};

static uint32_t kinds_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		if (strlen(profiles[i].name) == length &&
			strncmp(profiles[i].name, name, length) == 0)
			return profiles[i].kinds;
	return 0;
}

static uint32_t read_kinds(void)
{
	const char *text = getenv(FG_ENV_PROFILE);
	uint32_t kinds = 0;

	for (; text && *text;
		text += text[strcspn(text, ",")] ? strcspn(text, ",") + 1 : strlen(text))
		kinds |= kinds_of(text, strcspn(text, ","));
	return kinds ? kinds : BIT(FG_KIND_CPU);
}

bool fg_config_read(void)
{
	ssize_t length;

	if (getauxval(AT_SECURE) || !read_path(FG_ENV_CAPTURE_DIR, fg_config.directory))
		return false;
	if (!read_path(FG_ENV_CONTROL, fg_config.control_path))
		fg_config.control_path[0] = '\0';
	fg_config.wish = read_wish();
	fg_config.kinds = read_kinds();
	fg_config.heap_period_bytes = read_number(FG_ENV_HEAP_PERIOD, 0, UINT32_MAX, 0);
	fg_config.start_paused = read_number(FG_ENV_START_PAUSED, 0, 1, 0) == 1;
	fg_config.is_slowed = fg_slowdown_read(getenv(FG_ENV_SLOWDOWN));
	fg_config.rate_hz = (uint32_t)read_number(FG_ENV_RATE, 1, FG_MAX_RATE, FG_DEFAULT_RATE);
	fg_config.capture_max_bytes = read_number(FG_ENV_CAPTURE_MAX_MB, 1, FG_MAX_CAPTURE_MAX_MB,
					      FG_DEFAULT_CAPTURE_MAX_MB)
				      << 20;
	length = readlink("/proc/self/exe", fg_config.executable, sizeof(fg_config.executable) - 1);
	fg_config.executable[length > 0 ? length : 0] = '\0';
	return true;
}
