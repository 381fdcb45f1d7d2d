#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the viewer hands over as files, in a real browser.
# shellcheck source=tests/browser/real.sh
. "$(dirname "$0")/real.sh"
drive export.js
