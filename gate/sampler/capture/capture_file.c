/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capture's file: created exclusively, grown by allocating real space (a hole on a full disk
 * would be a SIGBUS in the measured program) and mapping it behind what is mapped, so that it lies
 * in one piece and takes no more of a program's limited address space than it needs. No descriptor
 * stays open: to grow, the file is opened again for a moment and its identity checked.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gate/sampler/context.h"
#include "gate/sampler/environment.h"
#include "gate/sampler/paused_time.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/real.h"
#include "gate/sampler/regions.h"
#include "gate/sampler/signal/quiet.h"

#define GROW_BYTES (UINT64_C(256) << 10)
#define FIRST_BYTES (UINT64_C(64) << 10)
#define MAX_FILE_NUMBER 10000
#define PLACES 8
#define PLACE_BYTES ((uintptr_t)FG_MAX_CAPTURE_MAX_MB << 20)
#define SHARE_OF_LIMIT 8 /* of an address space that is limited, at most this part */
/* Between two attempts to grow where there is no room. A program's memory may come and go. */
#define REFUSED_NS 1000000
#define LOCK_SPINS 100
#define LOCK_WAIT_NS 100000000
#define LOCK_PATIENCE_NS UINT64_C(2000000000)
#define LOCK_CONTENDED 2

static struct {
	struct fg_capture_header *header; /* published by a release store */
	bool failed;
	uint32_t lock;
	unsigned char *base;
	uint64_t mapped_bytes; /* from base; all of them allocated */
	uint64_t refused_bytes, refused_until_ns;
	dev_t device;
	ino_t inode;
	uint64_t start_realtime_ns, cpu_start_ns;
	char path[FG_CAPTURE_PATH_BYTES + 64];
} file;

bool fg_lock(uint32_t *word)
{
	const struct timespec patience = {0, LOCK_WAIT_NS};
	uint32_t expected;

	for (int i = 0; i < LOCK_SPINS; i++) {
		expected = 0;
		if (__atomic_compare_exchange_n(
			    word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		fg_cpu_relax();
	}
	/* By the clock: where many want it, each of them is woken in vain again and again. */
	for (uint64_t end = fg_clock_ns(CLOCK_MONOTONIC) + LOCK_PATIENCE_NS;;) {
		if (!__atomic_exchange_n(word, LOCK_CONTENDED, __ATOMIC_ACQUIRE))
			return true;
		if (fg_clock_ns(CLOCK_MONOTONIC) >= end)
			return false;
		FG_RAW6(SYS_futex, word, FUTEX_WAIT_PRIVATE, LOCK_CONTENDED, &patience, 0, 0);
	}
}

void fg_unlock(uint32_t *word)
{
	if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == LOCK_CONTENDED)
		FG_RAW6(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static char *append_number(char *end, uint64_t number)
{
	char digits[24];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		*end++ = digits[--count];
	return end;
}

static void compose_path(unsigned number)
{
	size_t length = strlen(fg_config.directory);
	char *end = file.path + length;

	memcpy(file.path, fg_config.directory, length);
	*end++ = '/';
	end = append_number(end, (uint64_t)getpid());
	*end++ = '-';
	end = append_number(end, number);
	memcpy(end, FG_CAPTURE_SUFFIX, sizeof(FG_CAPTURE_SUFFIX));
}

/* The number in the name grows past the images that this pid had before (exec, pid reuse). */
static int create_file(void)
{
	for (unsigned number = 0; number < MAX_FILE_NUMBER; number++) {
		int fd;

		compose_path(number);
		fd = fg_raw_open(
			file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd != -EEXIST)
			return fd;
	}
	return -1;
}

static bool write_zeros(int fd, uint64_t from, uint64_t to)
{
	static const unsigned char zeros[4096];

	while (from < to) {
		uint64_t bytes = to - from < sizeof(zeros) ? to - from : sizeof(zeros);
		long written = FG_RAW6(SYS_pwrite64, fd, zeros, bytes, from, 0, 0);

		if (written == -EINTR)
			continue;
		if (written <= 0)
			return false;
		from += (uint64_t)written;
	}
	return true;
}

/*
 * Past RLIMIT_FSIZE the kernel would send SIGXFSZ to the program. Not posix_fallocate(): a signal
 * of the program's ends that, and where the file system has no such call it reads all bytes and
 * writes them back, which threads may have changed in between; and there it is a cancellation
 * point.
 */
static bool allocate(int fd, uint64_t bytes)
{
	struct rlimit limit;
	long result;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		bytes > limit.rlim_cur)
		return false;
	result = FG_RAW6(SYS_fallocate, fd, 0, 0, bytes, 0, 0);
	return result == 0 || ((result == -EINTR || result == -EOPNOTSUPP || result == -ENOSYS) &&
				      write_zeros(fd, file.mapped_bytes, bytes));
}

/* Maps the file's bytes behind the ones that are mapped. NULL start: anywhere. */
static bool map_at(unsigned char *start, int fd, uint64_t bytes)
{
	uint64_t from = file.mapped_bytes, size = bytes - from;
	long result = FG_RAW6(SYS_mmap, start, size, PROT_READ | PROT_WRITE,
		MAP_SHARED | (start ? MAP_FIXED_NOREPLACE : 0), fd, from);
	unsigned char *address = (unsigned char *)result;

	if (fg_raw_failed(result))
		return false;
	if (start && address != start) { /* before Linux 4.17 */
		fg_raw_unmap(address, size);
		return false;
	}
	FG_RAW3(SYS_madvise, address, size, MADV_DONTFORK);
	FG_RAW3(SYS_madvise, address, size, MADV_DONTDUMP);
	if (!file.base)
		file.base = address;
	file.mapped_bytes = bytes;
	return true;
}

/*
 * Halfway between address 0 and the stack all is free: programs and libraries are put near the two
 * ends.
 */
static bool map_first(int fd, uint64_t bytes)
{
	uintptr_t place = (uintptr_t)&fd / 2 & ~(PLACE_BYTES - 1);

	for (int i = 0; i < PLACES; i++, place += PLACE_BYTES)
		if (map_at((unsigned char *)place, fd, bytes))
			return true;
	return map_at(NULL, fd, bytes);
}

static bool map_more(int fd, uint64_t bytes)
{
	return file.base ? map_at(file.base + file.mapped_bytes, fd, bytes) : map_first(fd, bytes);
}

static bool extend(int fd, uint64_t bytes)
{
	return allocate(fd, bytes) && map_more(fd, bytes);
}

/* What the program may have of address space is its own first. */
static uint64_t most_bytes(void)
{
	uint64_t most = fg_config.capture_max_bytes;
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		limit.rlim_cur / SHARE_OF_LIMIT < most)
		most = limit.rlim_cur / SHARE_OF_LIMIT & ~(FIRST_BYTES - 1);
	return most;
}

static int open_again(void)
{
	struct stat status;
	int fd = fg_raw_open(file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);

	if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_dev != file.device ||
			       status.st_ino != file.inode)) {
		fg_raw_close(fd);
		fd = -1;
	}
	return fd;
}

static bool grow_to(uint64_t needed)
{
	uint64_t wanted = file.mapped_bytes + GROW_BYTES, most = most_bytes();
	bool grown;
	int fd;

	if (needed > most || (fd = open_again()) < 0)
		return false;
	if (wanted < needed)
		wanted = (needed + FIRST_BYTES - 1) & ~(FIRST_BYTES - 1);
	if (wanted > most)
		wanted = most;
	grown = extend(fd, wanted) || (wanted > needed && extend(fd, needed));
	fg_raw_close(fd);
	return grown;
}

/*
 * Makes sure that the first `needed` bytes are real and mapped. Under the lock. Where there is no
 * room each sample would ask again, with half a dozen system calls.
 */
static bool grow(uint64_t needed)
{
	uint64_t now;

	if (needed <= file.mapped_bytes)
		return true;
	now = fg_clock_ns(CLOCK_MONOTONIC);
	if (now < file.refused_until_ns && needed >= file.refused_bytes)
		return false;
	if (grow_to(needed))
		return true;
	file.refused_bytes = needed;
	file.refused_until_ns = now + REFUSED_NS;
	return false;
}

static void fill_header(struct fg_capture_header *header)
{
	header->version = FG_CAPTURE_VERSION;
	header->header_bytes = sizeof(*header);
	header->pid = getpid();
	header->ppid = getppid();
	header->mechanism = (uint32_t)(fg_timer ? fg_timer->mechanism : FG_MECHANISM_NONE);
	header->rate_hz = fg_config.rate_hz;
	header->perf_errno = (uint32_t)fg_perf_errno;
	header->signal = (uint32_t)fg_signal;
	header->period_ns = fg_timer ? fg_timer->period_ns() : 0;
	header->start_realtime_ns = file.start_realtime_ns;
	header->cpu_start_ns = file.cpu_start_ns;
	header->cpu_ns = file.cpu_start_ns;
	header->used_bytes = sizeof(*header);
	header->kinds = fg_config.kinds;
	header->arch = FG_ARCH;
	header->heap_period_bytes = fg_config.heap_period_bytes;
	fg_paused_time_attach(header);
	memcpy(header->executable, fg_config.executable, sizeof(header->executable));
	__atomic_store_n(&header->magic, FG_CAPTURE_MAGIC, __ATOMIC_RELEASE);
}

static struct fg_capture_header *create_mapped(int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return NULL;
	file.device = status.st_dev;
	file.inode = status.st_ino;
	file.base = NULL;
	file.mapped_bytes = 0;
	if (!extend(fd, FIRST_BYTES) && !extend(fd, sizeof(struct fg_capture_header)))
		return NULL;
	return (struct fg_capture_header *)file.base;
}

static void create(void)
{
	struct fg_capture_header *header = NULL;
	int fd = create_file();

	if (fd >= 0) {
		header = create_mapped(fd);
		fg_raw_close(fd);
		if (!header)
			unlink(file.path);
	}
	file.failed = !header;
	if (!header)
		return;
	fill_header(header);
	__atomic_store_n(&file.header, header, __ATOMIC_RELEASE);
}

struct fg_capture_header *fg_capture(void)
{
	if (fg_is_quiet())
		return NULL;
	return __atomic_load_n(&file.header, __ATOMIC_ACQUIRE);
}

static void let_signal(bool was_blocked)
{
	if (!was_blocked)
		fg_signal_block(false);
}

/*
 * A sample that comes while its own thread holds the lock would wait for it until it gives up, and
 * the next one as well, without a step of the thread in between.
 */
static bool lock_file(bool *was_blocked)
{
	*was_blocked = fg_signal_block(true);
	if (fg_lock(&file.lock))
		return true;
	let_signal(*was_blocked);
	return false;
}

struct fg_capture_header *fg_capture_open(void)
{
	bool created = false, was_blocked;

	if (fg_capture() || fg_is_quiet() || !lock_file(&was_blocked))
		return fg_capture();
	if (!file.header && !file.failed) {
		create();
		created = file.header != NULL;
	}
	fg_unlock(&file.lock);
	if (created)
		fg_marks_attach(file.header);
	let_signal(was_blocked);
	return fg_capture();
}

/* The mapping is not inherited (MADV_DONTFORK), so there is nothing to unmap. */
void fg_capture_forked(void)
{
	__atomic_store_n(&file.header, NULL, __ATOMIC_RELEASE);
	file.failed = false;
	file.refused_until_ns = 0;
	file.lock = 0;
	fg_marks_forked();
}

void fg_capture_set_origin(uint64_t realtime_ns, uint64_t cpu_ns)
{
	fg_paused_time_begin(cpu_ns, fg_marks_paused(fg_config.start_paused));
	file.start_realtime_ns = realtime_ns;
	file.cpu_start_ns = cpu_ns;
}

static struct fg_block *take_block(enum fg_block_kind kind, uint64_t bytes)
{
	struct fg_capture_header *header = file.header;
	uint64_t offset = header->used_bytes;
	struct fg_block *block = (struct fg_block *)((char *)header + offset);

	if (!grow(offset + bytes))
		return NULL;
	block->kind = kind;
	block->bytes = bytes;
	block->magic = FG_BLOCK_MAGIC;
	__atomic_store_n(&header->used_bytes, offset + bytes, __ATOMIC_RELEASE);
	return block;
}

struct fg_block *fg_capture_block(enum fg_block_kind kind, uint64_t bytes)
{
	struct fg_block *block = NULL;
	bool was_blocked;

	if (!fg_capture() || !lock_file(&was_blocked))
		return NULL;
	block = take_block(kind, bytes);
	fg_unlock(&file.lock);
	let_signal(was_blocked);
	return block;
}

uint32_t fg_capture_offset8(const void *pointer)
{
	return (uint32_t)((uint64_t)((const char *)pointer - (const char *)file.header) / 8);
}

uint64_t fg_clock_ns(clockid_t clock)
{
	struct timespec time = {0, 0}; /* of a thread that is gone */

	fg_real_clock(clock, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}
