#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A fixed time, by date.
end=$(($(date +%s%N) + 1200000000))
while [ "$(date +%s%N)" -lt "$end" ]; do ./fixed plain "$1"; done
