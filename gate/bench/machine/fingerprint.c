/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/fingerprint.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "gate/base/file.h"
#include "gate/base/strbuf.h"

#define MAX_FILE_BYTES ((size_t)16 << 20)
#define SHORT_HASH 16

static void read_or_empty(const char *path, struct strbuf *out)
{
	if (file_read(path, MAX_FILE_BYTES, out, NULL))
		strbuf_reset(out);
}

/* The first line, without its blanks at both ends; "" if there is none. */
static const char *first_line(struct arena *arena, const char *path)
{
	struct strbuf content = STRBUF_INIT;
	const char *start, *line;
	size_t length;

	read_or_empty(path, &content);
	start = content.data + strspn(content.data, " \t");
	length = strcspn(start, "\n");
	while (length && (start[length - 1] == ' ' || start[length - 1] == '\t'))
		length--;
	line = arena_strndup(arena, start, length);
	strbuf_release(&content);
	return line;
}

/* The value of the first "key : value" line of a file like /proc/cpuinfo; "" if there is none. */
static const char *field(struct arena *arena, const char *text, const char *key)
{
	size_t length = strlen(key);
	const char *line, *next;

	for (line = text; line; line = next ? next + 1 : NULL) {
		const char *value = line + length;

		next = strchr(line, '\n');
		if (strncmp(line, key, length) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value != ':' && *value != '=')
			continue;
		value++;
		value += strspn(value, " \t\"");
		return arena_strndup(arena, value, strcspn(value, "\"\n"));
	}
	return "";
}

/* Virtual machines often hide the name ("Intel Xeon Processor") but not the numbers. */
static const char *x86_model(struct arena *arena, const char *cpuinfo, const char *name)
{
	const char *family = field(arena, cpuinfo, "cpu family");

	if (!*family)
		return name;
	return arena_printf(arena, "%s (family %s model %s stepping %s)", name, family,
		field(arena, cpuinfo, "model"), field(arena, cpuinfo, "stepping"));
}

/* arm64 kernels give numbers where x86 gives a name. */
static const char *cpu_model(struct arena *arena, const char *cpuinfo)
{
	const char *model = field(arena, cpuinfo, "model name");
	const char *implementer = field(arena, cpuinfo, "CPU implementer");

	if (*model || !*implementer)
		return x86_model(arena, cpuinfo, model);
	return arena_printf(arena, "ARM implementer %s part %s variant %s revision %s", implementer,
		field(arena, cpuinfo, "CPU part"), field(arena, cpuinfo, "CPU variant"),
		field(arena, cpuinfo, "CPU revision"));
}

static const char *short_hash(struct arena *arena, const char *text, size_t length)
{
	char hex[65];

	sha256_hex(text, length, hex);
	return arena_strndup(arena, hex, SHORT_HASH);
}

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *at;

	for (at = text; (at = strstr(at, word)); at += length)
		if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

static const char *cpu_flags(struct arena *arena, const char *cpuinfo)
{
	const char *flags = field(arena, cpuinfo, "flags");

	return *flags ? flags : field(arena, cpuinfo, "Features");
}

static const char *virtualization(struct arena *arena, const char *flags)
{
	const char *type = first_line(arena, "/sys/hypervisor/type");
	const char *product = first_line(arena, "/sys/class/dmi/id/product_name");
	const char *vendor = first_line(arena, "/sys/class/dmi/id/sys_vendor");

	if (!has_word(flags, "hypervisor") && !*type)
		return "";
	return arena_printf(arena, "%s%s%s%s%s", *type ? type : "virtual machine",
		*vendor ? ", " : "", vendor, *product ? ", " : "", product);
}

static const char *turbo(struct arena *arena)
{
	const char *no_turbo = first_line(arena, "/sys/devices/system/cpu/intel_pstate/no_turbo");
	const char *boost = first_line(arena, "/sys/devices/system/cpu/cpufreq/boost");

	if (*no_turbo)
		return *no_turbo == '0' ? "on" : "off";
	if (*boost)
		return *boost == '0' ? "off" : "on";
	return "";
}

static unsigned count_allowed_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
}

static void read_system(struct fingerprint *fingerprint, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;
	struct utsname name;
	long online = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
	     page_bytes = sysconf(_SC_PAGESIZE);

	if (uname(&name) == 0) {
		fingerprint->kernel = arena_printf(arena, "%s %s", name.sysname, name.release);
		fingerprint->machine = arena_strdup(arena, name.machine);
	}
	fingerprint->libc = arena_printf(arena, "glibc %s", gnu_get_libc_version());
	read_or_empty("/etc/os-release", &text);
	fingerprint->os = field(arena, text.data, "PRETTY_NAME");
	strbuf_release(&text);
	fingerprint->cpus_online = online > 0 ? (unsigned)online : 0;
	fingerprint->cpus_allowed = count_allowed_cpus();
	if (pages > 0 && page_bytes > 0)
		fingerprint->memory_bytes =
			(unsigned long long)pages * (unsigned long long)page_bytes;
}

void fingerprint_read(struct fingerprint *fingerprint, struct arena *arena)
{
	struct strbuf cpuinfo = STRBUF_INIT;
	const char *flags;

	*fingerprint =
		(struct fingerprint){.kernel = "", .machine = "", .compiler = "", .build_hash = ""};
	read_or_empty("/proc/cpuinfo", &cpuinfo);
	flags = cpu_flags(arena, cpuinfo.data);
	fingerprint->cpu_model = cpu_model(arena, cpuinfo.data);
	fingerprint->cpu_flags_hash = *flags ? short_hash(arena, flags, strlen(flags)) : "";
	fingerprint->governor =
		first_line(arena, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	fingerprint->turbo = turbo(arena);
	fingerprint->virtualization = virtualization(arena, flags);
	fingerprint->perf_event_paranoid =
		first_line(arena, "/proc/sys/kernel/perf_event_paranoid");
	read_system(fingerprint, arena);
	strbuf_release(&cpuinfo);
}

/* Not in it: memory and paranoid, which change what we can measure rather than what it costs. */
const char *fingerprint_id(const struct fingerprint *fingerprint, struct arena *arena)
{
	const char *const fields[] = {fingerprint->cpu_model, fingerprint->cpu_flags_hash,
		fingerprint->kernel, fingerprint->machine, fingerprint->libc, fingerprint->os,
		fingerprint->governor, fingerprint->turbo, fingerprint->virtualization};
	struct strbuf text = STRBUF_INIT;
	const char *id;
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		strbuf_add(&text, fields[i], strlen(fields[i]) + 1);
	strbuf_addf(&text, "%u %u", fingerprint->cpus_online, fingerprint->cpus_allowed);
	id = short_hash(arena, text.data, text.length);
	strbuf_release(&text);
	return id;
}

const char *fingerprint_line(const struct fingerprint *fingerprint, struct arena *arena)
{
	return arena_printf(arena, "%s, %u CPUs, %s, %s",
		fingerprint->cpu_model[0] ? fingerprint->cpu_model : "unknown CPU",
		fingerprint->cpus_allowed, fingerprint->kernel, fingerprint->libc);
}
