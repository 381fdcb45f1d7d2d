#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the verdict's simulation with one process per core, going on where it was stopped, and
# prints its table. What another build drew does not count: a folder for each binary.
#
#   run.sh BENCH_VERDICT FOLDER [DIVISOR]
set -eu
bench=$1
folder=$2/$(sha256sum "$bench" | cut -c 1-16)
divisor=${3:-1}
mkdir -p "$folder"
start=$(date +%s)
"$bench" list "$divisor" | while read -r part; do
	[ -f "$folder/$part" ] || echo "$part"
done | xargs -r -P "$(nproc)" -I '{}' "$bench" draw '{}' "$folder"
echo "# $(($(date +%s) - start)) s on $(nproc) cores" >&2
"$bench" table "$folder" "$divisor"
