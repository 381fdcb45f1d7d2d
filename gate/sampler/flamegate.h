/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flamegate.h: what a program can tell flamegate about itself. Needs nothing but this file: no
 * library to link. In a program that does not run under flamegate each call is a load and a branch
 * (and the first one of a source file looks once). C99 and later, C++11 and later.
 *
 *	flamegate_region_begin("parse");        what runs until the end is shown under "parse"
 *	flamegate_region_end();
 *	flamegate_label("codec", "zstd");       a label of this thread's samples
 *	flamegate_iteration(1);                 one unit of work is done
 *	{ flamegate::region here("render"); }   C++: a region that ends with its block
 *
 * Regions and labels belong to the calling thread; threads that it starts begin without any. A
 * region lies inside the one that is open when it begins; an end without a begin is ignored. A
 * label holds until it is changed or cleared, or the region in which it was set ends; an empty
 *value clears. At most 64 of them lie inside each other, and a process has at most 4,096 different
 *ones: what goes past that is counted for the region around it, and the report says so. Names are
 *cut at 256 bytes and keys at 64; the key "region" is taken.
 *
 * Pause and resume belong to the whole process and do not nest: however often paused, one resume
 * goes on. With `start: paused` in the benchmark's configuration nothing is counted until the first
 * region, resume or iteration of the process.
 *
 * Iterations are counted over all threads. They cut the run into epochs: 0 before the first call,
 * then one for each iteration; the step doubles whenever 64 epochs are full.
 *
 * Any thread may call these at any time, but no signal handler, and no child of vfork().
 * Other languages find plain functions of the same names by dlsym(): the library exports them.
 */
#ifndef FLAMEGATE_H
#define FLAMEGATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* For the functions below alone. The name of the library's object tells its version. */
struct flamegate_functions_1 {
	int (*is_active)(void);
	void (*region_begin)(const char *name);
	void (*region_end)(void);
	void (*label)(const char *key, const char *value);
	void (*pause)(void);
	void (*resume)(void);
	void (*iteration)(unsigned count);
};

#if defined(FLAMEGATE_LIBRARY)

int flamegate_is_active(void);
void flamegate_region_begin(const char *name);
void flamegate_region_end(void);
void flamegate_label(const char *key, const char *value);
void flamegate_label_clear(const char *key);
void flamegate_pause(void);
void flamegate_resume(void);
void flamegate_iteration(unsigned count);

#else

#if defined(__GNUC__) && defined(__ELF__)

/*
 * Found by name: a weak function would be bound for good when a program is linked to a fixed
 * address. The references are weak, so that a static program needs nothing and finds nothing; they
 * leave the program's own uses of these two as they are.
 */
static void *flamegate_dlsym_(void *handle, const char *name) __attribute__((weakref("dlsym")));
static char *flamegate_dlerror_(void) __attribute__((weakref("dlerror")));

/* NULL: not under flamegate; its own address: nobody has looked yet. */
static const void *flamegate_found_ = &flamegate_found_;

static inline const void *flamegate_look_(void)
{
	const void *found = (const void *)0;

	if (flamegate_dlsym_)
		found = flamegate_dlsym_((void *)0, "flamegate_functions_1");
	if (!found && flamegate_dlerror_)
		(void)flamegate_dlerror_(); /* the program shall not find our failure */
	__atomic_store_n(&flamegate_found_, found, __ATOMIC_RELEASE);
	return found;
}

static inline const struct flamegate_functions_1 *flamegate_(void)
{
	const void *found = __atomic_load_n(&flamegate_found_, __ATOMIC_ACQUIRE);

	if (__builtin_expect(found == (const void *)&flamegate_found_, 0))
		found = flamegate_look_();
	return (const struct flamegate_functions_1 *)found;
}

#else

static inline const struct flamegate_functions_1 *flamegate_(void)
{
	return (const struct flamegate_functions_1 *)0;
}

#endif

/* 1: this process is being profiled, paused or not. */
static inline int flamegate_is_active(void)
{
	const struct flamegate_functions_1 *functions = flamegate_();

	return functions ? functions->is_active() : 0;
}

static inline void flamegate_region_begin(const char *name)
{
	const struct flamegate_functions_1 *functions = flamegate_();

	if (functions)
		functions->region_begin(name);
}

static inline void flamegate_region_end(void)
{
	const struct flamegate_functions_1 *functions = flamegate_();

	if (functions)
		functions->region_end();
}

static inline void flamegate_label(const char *key, const char *value)
{
	const struct flamegate_functions_1 *functions = flamegate_();

	if (functions)
		functions->label(key, value);
}

static inline void flamegate_label_clear(const char *key)
{
	flamegate_label(key, (const char *)0);
}

static inline void flamegate_pause(void)
{
	const struct flamegate_functions_1 *functions = flamegate_();

	if (functions)
		functions->pause();
}

static inline void flamegate_resume(void)
{
	const struct flamegate_functions_1 *functions = flamegate_();

	if (functions)
		functions->resume();
}

/* count more units of work are done. */
static inline void flamegate_iteration(unsigned count)
{
	const struct flamegate_functions_1 *functions = flamegate_();

	if (functions)
		functions->iteration(count);
}

#endif

#ifdef __cplusplus
}

#if !defined(FLAMEGATE_LIBRARY)
namespace flamegate
{

class region
{
      public:
	explicit region(const char *name)
	{
		flamegate_region_begin(name);
	}
	~region()
	{
		flamegate_region_end();
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;
};

} // namespace flamegate
#endif
#endif

#endif
