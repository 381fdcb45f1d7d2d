#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One step in a bare system (run.sh); the sources are in the folder above. No tool but those that packages.sh brings.
#
#   inside.sh build|run|check COMPILER
#   inside.sh release ADDRESS      the archive that lies unpacked in /opt/flamegate; a Pyroscope, whose CA is in /root/ca.pem
#                                  and in /root/certificates
#   inside.sh old                  the same archive, on a glibc that is too old for it
set -eu
case $1 in
release | old) flamegate=/opt/flamegate/bin/flamegate ;;
*)
	cd "$(dirname "$0")/../.."
	build=$PWD/build-$2
	flamegate=$build/flamegate
	;;
esac
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.invalid GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.invalid
unset CI # a desk, as the one of somebody who tries it

# A warning of the linker or of protoc is no error by itself.
build() {
	make -j"$(nproc)" WERROR=1 CC="$1" BUILD="$build" all >/tmp/log 2>&1 || { cat /tmp/log; return 1; }
	cat /tmp/log
	! grep -i 'warning:' /tmp/log
}

# Two functions of fixed work, in the place of a user's benchmark.
program() {
	mkdir -p "$1" && cd "$1"
	cat >main.c <<'C'
#include <stdio.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void parse(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}
__attribute__((noinline)) static void render(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink ^= i + sink;
}
int main(void)
{
	for (int round = 0; round < 160; round++) {
		parse(400000);
		render(1000000);
	}
	puts("done");
	return 0;
}
C
	printf 'bench: main.c\n\t$(CC) -O1 -g -o bench main.c\n' >Makefile
	printf 'bench\nlog\nculprit\nflamegate-*/\n' >.gitignore
}

run() {
	program /tmp/run
	make -s CC="$1"
	"$flamegate" run -o profile -- ./bench | tee log
	test -s profile/cpu.pb.gz
	grep -q parse log && grep -q render log
}

# status WANTED COMMAND...
status() {
	wanted=$1
	shift
	"$@" >log 2>&1 && got=0 || got=$?
	cat log
	[ "$got" -eq "$wanted" ] || { echo "exit $got, wanted $wanted"; return 1; }
}

check() {
	program /tmp/check
	git init -q -b main .
	cat >.flamegate.yml <<Y
version: 1
build: make -s
benchmarks:
  - name: bench
    command: ./bench
    work: fixed
    repeat: 1
    budget: 1s
policy:
  pairs: {min: 16, max: 32}
Y
	git add -A && git commit -qm base
	git checkout -qb slower
	sed -i 's|		sink += i \* i;|		for (int k = 0; k < 3; k++)\n			sink += i * i;|' main.c
	git commit -qam 'parse does three times its work'
	status 1 "$flamegate" check --base main
	grep -q 'parse' log && grep -q 'main\.c:' log
	"$flamegate" report --format culprit | tee culprit
	grep -q '^parse main\.c:' culprit
	git checkout -q main && git checkout -qb same
	sed -i 's|"done"|"done so"|' main.c
	git commit -qam 'another word'
	status 0 "$flamegate" check --base main
	# Measured, not waved through.
	grep -q '"outcome": *"measured"' flamegate-report/report.json
}

# Where each family of systems keeps what it trusts: Debian; Fedora and RHEL, twice; openSUSE; Alpine.
places='/etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem
	/etc/ssl/ca-bundle.pem /etc/ssl/cert.pem'

# trusts ADDRESS: nobody whom neither the system nor a variable trusts
trusts() {
	unset SSL_CERT_FILE SSL_CERT_DIR
	# shellcheck disable=SC2086 # a list of words
	rm -f $places
	status 3 "$flamegate" baseline push --store "$1"
	grep -q 'certificate is not trusted' log
	SSL_CERT_FILE=/root/ca.pem status 0 "$flamegate" baseline push --store "$1"
	SSL_CERT_DIR=/root/certificates status 0 "$flamegate" baseline list --store "$1"
	for place in $places; do
		mkdir -p "${place%/*}"
		cp /root/ca.pem "$place"
		status 0 "$flamegate" baseline list --store "$1"
		rm "$place"
	done
	status 3 "$flamegate" baseline list --store "$1"
	export SSL_CERT_FILE=/root/ca.pem
}

# It starts, and says what it needs; that is no regression.
old() {
	mkdir -p /tmp/old && cd /tmp/old
	for command in --version check; do
		status 3 "$flamegate" "$command"
		grep -qF 'this build needs glibc 2.35 or newer' log
	done
	! /opt/flamegate/lib/flamegate/flamegate --version
}

release() {
	"$flamegate" --version
	program /tmp/init
	git init -q -b main . && git add -A && git commit -qm first
	status 0 "$flamegate" init
	test -s .flamegate.yml && test -s .github/workflows/flamegate.yml
	check
	git checkout -q main
	status 0 "$flamegate" record
	trusts "$1"
	status 0 "$flamegate" baseline pull --store "$1" -o pulled HEAD
	find pulled -name 'cpu.pb.gz' -size +0 | grep .
	status 0 "$flamegate" report --format svg -o page.svg
	grep -q '<svg' page.svg
	"$flamegate" completion bash | bash -n
}

"$@"
