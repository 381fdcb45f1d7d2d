/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FG_CHECK_VERSION_H
#define FG_CHECK_VERSION_H

#define FLAMEGATE_VERSION "0.1.0"

#endif
