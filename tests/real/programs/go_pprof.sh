# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# google/pprof: pure Go, which is linked with the C library for the packages that it imports.
needs=("$go_programs/pprof")

prepare() { cp "$here"/../../testdata/pprof/*.pb.gz .; }

work() {
	local file i
	for file in *.pb.gz; do
		for ((i = 0; i < scale * 2; i++)); do
			measured "$go_programs/pprof" -symbolize=none -raw "$file"
			measured "$go_programs/pprof" -symbolize=none -peek . "$file"
		done
	done | md5sum
	measured "$go_programs/pprof" -symbolize=none -top -cum -nodecount=30 go_cpu.pb.gz
	measured "$go_programs/pprof" -top no_such_file
}

filter() { cat; }
