#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How the viewer looks and whom it keeps out: light, dark and on paper, for screen readers and colour-blind eyes.
# shellcheck source=tests/browser/real.sh
. "$(dirname "$0")/real.sh"
drive eyes.js text.js looks.js narrow.js
