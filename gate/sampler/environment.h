/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract between the runner and libflamegate.so: environment variables, inherited through
 * every exec. The runner sets LD_PRELOAD to the library's absolute path. Macros only.
 */
#ifndef FG_SAMPLER_ENVIRONMENT_H
#define FG_SAMPLER_ENVIRONMENT_H

#define FG_ENV_CAPTURE_DIR                                                                         \
	"FLAMEGATE_CAPTURE_DIR"                /* where captures go; unset: the library sleeps */
#define FG_ENV_RATE "FLAMEGATE_RATE"           /* samples per CPU-second and thread, 1..4000 */
#define FG_ENV_MECHANISM "FLAMEGATE_MECHANISM" /* auto, perf or posix */
#define FG_ENV_CONTROL "FLAMEGATE_CONTROL"     /* path of the control page (control.h); optional */
#define FG_ENV_CAPTURE_MAX_MB "FLAMEGATE_CAPTURE_MAX_MB" /* per process image */

#define FG_DEFAULT_RATE 997
#define FG_MAX_RATE 4000
#define FG_DEFAULT_CAPTURE_MAX_MB 64
#define FG_MAX_CAPTURE_MAX_MB 16384

#define FG_CAPTURE_SUFFIX ".fgcap" /* <dir>/<pid>-<n>.fgcap */

#endif
