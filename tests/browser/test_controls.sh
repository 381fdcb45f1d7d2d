#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The viewer's controls, views and address, by mouse and by keyboard in a real browser.
# shellcheck source=tests/browser/real.sh
. "$(dirname "$0")/real.sh"
drive controls.js views.js address.js focus.js
