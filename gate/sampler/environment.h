/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract between the runner and libflamegate.so: environment variables, inherited through
 * every exec. The runner sets LD_PRELOAD to the library's absolute path; where the heap is asked
 * for, to libflamegate-heap.so's, which is the same with the allocator's names. Macros only.
 */
#ifndef FG_SAMPLER_ENVIRONMENT_H
#define FG_SAMPLER_ENVIRONMENT_H

/* The directory that captures go to, <pid>-<n>.fgcap. Unset: the library sleeps. */
#define FG_ENV_CAPTURE_DIR "FLAMEGATE_CAPTURE_DIR"
/* Samples per CPU-second and thread, 1..4000. */
#define FG_ENV_RATE "FLAMEGATE_RATE"
/* auto, perf or posix. Where perf is refused posix is taken; the capture says so (perf_errno). */
#define FG_ENV_MECHANISM "FLAMEGATE_MECHANISM"
/* The path of the control page (control.h); optional. */
#define FG_ENV_CONTROL "FLAMEGATE_CONTROL"
/* The largest size of one process image's capture. */
#define FG_ENV_CAPTURE_MAX_MB "FLAMEGATE_CAPTURE_MAX_MB"

/*
 * What to count, names joined by commas: cpu, wall (cpu and off-CPU), heap, lock. Default: cpu.
 * Heap slows each allocation down: CPU time is better taken in a run of its own.
 */
#define FG_ENV_PROFILE "FLAMEGATE_PROFILE"
/* Bytes between two sampled allocations, on average; 0 (default): count all exactly. */
#define FG_ENV_HEAP_PERIOD "FLAMEGATE_HEAP_PERIOD"
/* 1: nothing is counted before the program's first region, resume or iteration (flamegate.h). */
#define FG_ENV_START_PAUSED "FLAMEGATE_START_PAUSED"
/*
 * Only `flamegate doctor --self-test` sets it (slowdown.h): "PPM" burns that many millionths of
 * each sample's weight, "PPM:FIRST-LAST[,FIRST-LAST...]:MODULE" of those whose leaf lies in these
 * link-time addresses (lower-case hex) of the module with this build id (lower-case hex), or whose
 * path ends like MODULE, which then begins with a slash. The capture says how much was burnt.
 */
#define FG_ENV_SLOWDOWN "FLAMEGATE_SLOWDOWN"
#define FG_SLOWDOWN_MAX_PPM 1000000000
#define FG_SLOWDOWN_MAX_RANGES 32
#define FG_SLOWDOWN_MAX_MODULE 256 /* bytes, with the NUL */

#define FG_DEFAULT_RATE 997
#define FG_MAX_RATE 4000
#define FG_DEFAULT_CAPTURE_MAX_MB 64
#define FG_MAX_CAPTURE_MAX_MB 16384

#define FG_CAPTURE_SUFFIX ".fgcap"

#endif
