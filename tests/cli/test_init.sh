#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `flamegate init` on small repositories of each kind: what it finds, what it writes, what it refuses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

gate=.github/workflows/flamegate.yml
record=.github/workflows/flamegate-record.yml
# holds NAME FILE TEXT...: the file holds each text
holds() {
	local name=$1 file=$2 text
	shift 2
	for text in "$@"; do
		if ! grep -qF -- "$text" "$file"; then
			cp "$file" "$work/out"
			not_ok "$name (no '$text' in $file)"
			return
		fi
	done
	ok "$name"
}
# parses NAME: check reads the configuration, and complains about something else
parses() {
	git add -A && git commit -qm init
	run "$flamegate" check --base HEAD --benchmark no-such-benchmark
	expect "$1" 2 "no-such-benchmark"
}
# same NAME FILE EXPECTED-SUM
sum() { sha256sum <"$1" | cut -d' ' -f1; }

mkdir "$work/plain" && cd "$work/plain" || exit 1
run "$flamegate" init
expect "outside a repository: usage" 2 "repository"

repo c; program 60; commit base
run "$flamegate" init
expect "a C program with a Makefile: found, written" 0 "Make (Makefile)" "Runs now" "./bench" "Written" "placeholder" "Next:"
holds "the program's target is built and run" .flamegate.yml "'make -s bench'" "'./bench'"
holds "the gate may only read, and keeps no credentials" $gate "pull_request:" "merge_group:" "contents: read" \
	"persist-credentials: false" "/actions/gate@v1" "permissions: {}"
holds "recording is of the default branch" $record "'main'" "contents: write" "persist-credentials: false" \
	"/actions/record@v1" "permissions: {}" "/actions/publish@v1"
sed -n '/^  record:/,/^  publish:/{/^  publish:/!p}' $record >"$work/record"; sed -n '/^  publish:/,$p' $record >"$work/publish"
holds "the job that runs the project's code may only read" "$work/record" "contents: read" "/actions/record@v1"
check "and publishes nothing" sh -c "! grep -E ': write|publish@' '$work/record'"
holds "the job that may write only publishes" "$work/publish" "contents: write" "/actions/publish@v1" "needs: record"
check "and runs nothing of its own" sh -c "! grep -E ' run: |record@' '$work/publish'"
if grep -q write $gate; then not_ok "the gate writes nowhere"; else ok "the gate writes nowhere"; fi
if command -v actionlint >/dev/null; then
	check "actionlint has nothing to say" actionlint -no-color $gate $record
else
	skip "actionlint is not there"
fi
commit init
git checkout -qb topic; sed -i 's|#include <stdio.h>|#include <stdio.h> /* input */|' main.c; commit comment
run "$flamegate" check --base main
expect "the configuration works as it is written" 0 "same files"

before=$(sum .flamegate.yml); echo '# mine' >>.flamegate.yml; mine=$(sum .flamegate.yml)
run "$flamegate" init
expect "what is there is not overwritten" 2 ".flamegate.yml" "--force"
[ "$(sum .flamegate.yml)" = "$mine" ] && ok "it is as it was" || not_ok "it is as it was"
rm -r .github
run "$flamegate" init
expect "one file that is there is enough to write nothing" 2 "--force"
[ -e .github ] && not_ok "nothing was written" || ok "nothing was written"
mkdir -p .github/workflows; echo mine >$record; mv .flamegate.yml "$work/kept"
run "$flamegate" init
expect "a workflow that is there as well" 2 "$record" "--force"
[ -e .flamegate.yml ] && not_ok "nothing was written then" || ok "nothing was written then"
rm -r .github; mv "$work/kept" .flamegate.yml
run "$flamegate" init --dry-run
expect "a dry run shows the files" 0 "---- .flamegate.yml ----" "---- $gate ----" "---- $record ----" "command: './bench'"
[ -e .github ] || [ "$(sum .flamegate.yml)" != "$mine" ] && not_ok "and writes none" || ok "and writes none"
run "$flamegate" init --force
expect "--force overwrites" 0 "Written"
[ "$(sum .flamegate.yml)" = "$before" ] && ok "with the same bytes as before" || not_ok "with the same bytes as before"
mkdir sub && cd sub || exit 1
run "$flamegate" init --force
expect "from a folder below, the root is meant" 0 "Make (Makefile)"
[ -e .flamegate.yml ] && not_ok "nothing is written below" || ok "nothing is written below"
run "$flamegate" init topic
expect "operands are refused" 2 "-C topic"

repo cmake
mkdir bench
printf 'project(x)\nadd_subdirectory(bench)\n' >CMakeLists.txt
printf 'find_package(benchmark)\nadd_executable(parse_bench p.cc)\ntarget_link_libraries(parse_bench benchmark::benchmark)\n' \
	>bench/CMakeLists.txt
run "$flamegate" init
expect "CMake and google-benchmark: its clock is replayed" 0 "Runs for a fixed time: its clock is replayed" "parse_bench" "google-benchmark" \
	"--benchmark_min_time=1000x"
holds "it stands in the configuration" .flamegate.yml "  - name: 'parse_bench'" "command: './build/bench/parse_bench'"
parses "and that is a configuration"

# ---- what it finds is tried
repo tried; program 60
cat >>main.c <<'C'
const char *text = "none"; /* main.c is no harness's program */
C
cat >>Makefile <<'M'
slow_bench: main.c
	$(CC) -nosuchflag -o slow_bench main.c
loud_bench: main.c
	@printf '%0400d\n' 0; echo 'the reason at last'; exit 1
M
commit base
run "$flamegate" init --try --dry-run
cp "$work/out" "$work/said"
expect "what does not build does not take the others along" 0 "Tried, once each at HEAD" "bench                1 benchmark," \
	"min a check" "slow_bench           1 not measured:" "---- .flamegate.yml ----"
holds "what works is proposed" "$work/said" "  - name: 'bench'"
holds "what does not is a comment with the reason" "$work/said" "  # Not yet (Makefile, program): " "nosuchflag"
holds "the reason's last words are kept" "$work/said" "loud_bench           1 not measured: " "the reason at last"
sed -n '/^---- .flamegate.yml/,$p' "$work/said" >"$work/out"
if grep -qF "$FLAMEGATE_CACHE" "$work/out"; then not_ok "with no path of this machine"; else ok "with no path of this machine"; fi
check "nothing is written" sh -c '! test -e .flamegate.yml && test -z "$(git status --porcelain)"'
run "$flamegate" init --try
expect "and written without --dry-run" 0 "Written"
parses "it is a configuration"
# One program, two benchmarks; it is known by a flag, as google-benchmark's programs are.
repo halves
cat >suite.c <<'C'
#include <stdio.h>
#include <string.h>
const char help[] = "--benchmark_min_time"; /* not static: it stays in the program */
static volatile unsigned long sink;
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--benchmark_list_tests=true") == 0)
			return strcmp(argv[argc - 1], "--benchmark_filter=^$") != 0 && puts("works\nfails/1") < 0;
		if (strcmp(argv[i], "--benchmark_filter=^fails/1$") == 0)
			return 42;
	}
	for (unsigned long i = 0; i < ROUNDSUL; i++)
		sink = sink * 31 + i;
	return help[0] == 0;
}
C
sed -i "s/ROUNDSUL/$(rounds 100)UL/" suite.c
printf 'suite_bench: suite.c\n\t$(CC) -O1 -g -o suite_bench suite.c\n' >Makefile
commit base
run "$flamegate" init --try
expect "of a program's benchmarks one fails" 0 "suite_bench          1 benchmark" "1 not measured: the benchmark exited with status 42"
holds "it is left out, with the reason" .flamegate.yml "- name: 'suite_bench'" "exclude:" "- 'fails/1'" \
	"# Not measured: the benchmark exited with status 42"
commit init
run "$flamegate" record --rounds 2
expect "so that the rest is measured as it is written" 0 "suite_bench/works"
if grep -q "fails/1" "$work/out"; then not_ok "and nothing else"; else ok "and nothing else"; fi
repo untried
run "$flamegate" init --try
expect "without a benchmark there is nothing to try" 0 "nothing: no benchmark was found" "put a command"

repo guarded
mkdir cmake src
printf 'project(x)\noption(X_TESTS "" OFF)\noption(X_DOCS "" OFF)\ninclude(cmake/speed.cmake)\n' >CMakeLists.txt
printf 'if(NOT X_TESTS)\n  return()\nendif()\nadd_executable(speed src/speed.cc)\n' >cmake/speed.cmake
printf '#include <benchmark/benchmark.h>\n' >src/speed.cc
run "$flamegate" init
expect "a target of an included file, whatever its name" 0 "speed" "cmake/speed.cmake, google-benchmark"
holds "with the option that it needs and no other" .flamegate.yml \
	"'cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DX_TESTS=ON'" "command: './build/speed'"
parses "and that is a configuration"

# ---- CMake is asked
if command -v cmake >/dev/null; then
	repo asked; program 60; rm Makefile .gitignore
	mkdir cmake bench && mv main.c bench/parse.c
	cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.10)
project(asked C)
option(ASKED_TESTS "" OFF)
option(ASKED_DOCS "" OFF)
include(cmake/bench.cmake)
C
	cat >cmake/bench.cmake <<'C'
if(NOT ASKED_TESTS)
  return()
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/$<0:x>)
file(GLOB files bench/*.c)
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  add_executable(bench_${name} ${file})
endforeach()
find_package(flamegate_none QUIET)
if(flamegate_none_FOUND)
  add_executable(bench_none none.c)
endif()
C
	echo 'int main(void) { return nothing; }' >bench/broken.c
	commit base
	run "$flamegate" init --try
	cp "$work/out" "$work/said"
	expect "names that only CMake knows, once its option is on" 0 "bench_parse          1 benchmark," \
		"bench_broken         1 not measured:"
	holds "what works is proposed, with the option and from its folder" .flamegate.yml \
		"'cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DASKED_TESTS=ON'" \
		"'cmake --build build --parallel \$(nproc) --target bench_parse'" "  - name: 'bench_parse'" "command: './build/bin/bench_parse'"
	holds "what does not build is a comment with the reason" .flamegate.yml "# Not yet (cmake/bench.cmake, program):" "--target bench_broken"
	holds "a target that CMake does not have is one too" "$work/said" "bench_none" "has no such target"
	if grep -qF "$FLAMEGATE_CACHE" .flamegate.yml; then not_ok "with no path of a checkout"; else ok "with no path of a checkout"; fi
	parses "it is a configuration"
	check "nothing is left of what was only configured" sh -c '! ls -d "$FLAMEGATE_CACHE"/*/builds/*/build/flamegate-configure.log'

	repo partly; program 60; rm Makefile
	cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.10)
project(partly C)
option(PARTLY_DOWNLOAD_BENCHMARK "" OFF)
add_executable(own_bench main.c)
if(PARTLY_DOWNLOAD_BENCHMARK)
  include(FetchContent)
  FetchContent_Declare(googlebench GIT_REPOSITORY file:///flamegate/none GIT_TAG v1)
  FetchContent_MakeAvailable(googlebench)
  add_executable(fetched_bench main.c)
endif()
C
	commit base
	run "$flamegate" init --try
	expect "what cannot be downloaded is named, and does not take the others along" 0 \
		"could not be configured (.: -DPARTLY_DOWNLOAD_BENCHMARK=ON)" "downloads googlebench" "own_bench            1 benchmark,"
	holds "and stands in a comment" .flamegate.yml "# Not yet (CMakeLists.txt, program): configuring downloads googlebench" \
		"  - name: 'own_bench'" "'cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo'"
	parses "it is a configuration"
else
	skip "names that only CMake knows: cmake is not there"
	skip "what cannot be downloaded: cmake is not there"
fi

repo cargo
mkdir benches
printf '[dev-dependencies]\ncriterion = "0.5"\n' >Cargo.toml
printf 'use criterion::*;\ncriterion_main!(x);\n' >benches/sort.rs
run "$flamegate" init
expect "Cargo and criterion" 0 "Cargo (Cargo.toml)" "Runs for a fixed time: its clock is replayed" "criterion" "sort"
holds "the program is copied from where cargo says it is" .flamegate.yml "- 'mkdir -p target" "target/flamegate-sort"
parses "and that is a configuration"

repo go
printf 'module x\n' >go.mod; printf 'package x\nfunc BenchmarkX(b *testing.B) {}\n' >x_test.go
run "$flamegate" init
expect "Go: its tests are linked so that they can be sampled" 0 "Go (go.mod)" "Runs now" "./flamegate.test"
holds "and stand in the configuration" .flamegate.yml \
	"'CGO_ENABLED=1 go test -c -ldflags=-linkmode=external -o flamegate.test .'" "command: './flamegate.test'"
parses "and that is a configuration"

repo python
mkdir tests
printf '[project]\n' >pyproject.toml; printf 'import json\n' >bench_json.py
printf 'def test_x(benchmark):\n    benchmark(len, [])\n' >tests/test_x.py
run "$flamegate" init
expect "Python: scripts run, and what their frames are" 0 "Found, not recognised" "python3 bench_json.py" "functions of the interpreter" \
	"pytest-benchmark" "pedantic"
parses "and that is a configuration"

repo node
printf '{"scripts":{"bench":"node bench.js"}}' >package.json
run "$flamegate" init
expect "Node" 0 "Node (package.json)" "Found, not recognised" "npm run --silent bench" "interpreter and its compiler"
parses "and that is a configuration"

repo lying
printf '#!/bin/sh\n./x\n' >run-bench.sh; chmod +x run-bench.sh; printf 'bench:\n\t./run-bench.sh\n' >Makefile
run "$flamegate" init
expect "what lies there, and a target that runs something, are found but not recognised" 0 "Found, not recognised" \
	"./run-bench.sh" "make -s bench"
if grep -q 'Runs now' "$work/out"; then
	not_ok "nothing of it is said to run now"
else
	ok "nothing of it is said to run now"
fi
holds "the configuration says so too" .flamegate.yml "# Not recognised: check that it does the same work"
parses "and that is a configuration"

repo empty
run "$flamegate" init
expect "an empty repository without a commit: says what is missing" 0 "no build system" "put a command" "Next: edit"
parses "and that is a configuration"
rm -rf "$work/empty/.flamegate.yml" "$work/empty/.github"
git -C "$work/empty" checkout -qb develop; git -C "$work/empty" branch -qD main
run "$flamegate" init
expect "another default branch" 0 "Written"
holds "is the one that is recorded" $record "'develop'"
git branch -qm "odd'branch"
run "$flamegate" init --force
expect "a branch that would need escapes is not written, and that is said" 0 "main is written"
holds "main stands there" $record "'main'"

repo hostile
program 60
mkdir "$work/outside" 'a b' $'new\nline'
printf 'bench:\n\tcc -o bench b.c\n' >"$work/outside/Makefile"
ln -s "$work/outside" linked; ln -s "$work/outside/Makefile" GNUmakefile
printf 'import x\n' >$'bench\n::error::owned.py'
printf 'import x\n' >'bench $(touch owned).py'
printf 'import x\n' >$'bench\033[31m.py'
printf 'bench:\n\tcc -o bench b.c\n' >'a b/Makefile'
mkfifo bench_pipe.py
run "$flamegate" init --dry-run
expect "hostile names are left out, and counted" 0 "unusual names" "4 files"
if grep -qE '::error|touch owned|linked|GNUmakefile' "$work/out" || grep -q $'\033' "$work/out"; then
	not_ok "nothing of them is printed"
else
	ok "nothing of them is printed"
fi
[ -e owned ] && not_ok "nothing of them is run" || ok "nothing of them is run"
truncate -s 1G Makefile
run timeout 60 bash -c 'ulimit -v 2000000; exec "$0" init --dry-run' "$flamegate"
expect "a Makefile of a gigabyte is named, not read" 0 "what is in Makefile: too large"
rm Makefile
ln -s "$work/outside" .github
run "$flamegate" init
expect "a link in place of the workflows' folder is not followed" 2 ".github is a symbolic link"
rm .github; ln -s "$work/outside/target" .flamegate.yml
run "$flamegate" init --force
expect "a link in place of the configuration is not followed" 2 "symbolic link"
if [ -e "$work/outside/target" ] || [ -e "$work/outside/workflows" ] || [ -e .github ]; then
	not_ok "nothing was written anywhere"
else
	ok "nothing was written anywhere"
fi

finish
