#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM SEEDS SECONDS: runs one fuzz program; its corpus, log and findings lie beside it.
set -eu

program=$1 seeds=$2 seconds=$3
name=$(basename "$program")
corpus=$program.corpus findings=$program.findings log=$program.log

mkdir -p "$corpus" "$findings"
if [ -d "$seeds" ]; then
	cp "$seeds"/* "$corpus"/
fi
if "$program" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
	-artifact_prefix="$findings/" "$corpus" >"$log" 2>&1; then
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	echo "ok $name - ${runs:-0} inputs in $seconds s"
else
	tail -n 60 "$log"
	echo "not ok $name - findings in $findings, log in $log"
	exit 1
fi
