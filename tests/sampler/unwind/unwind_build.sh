#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds unwind_target, unwind_go.so and unwind_lazy.so into a folder; from the repository's root.
# usage: unwind_build.sh FOLDER CC CXX [FLAG...]
set -eu

folder=$1 cc=$2 cxx=$3
shift 3
objects=$folder/unwind_objects
mkdir -p "$objects"
common="-I. -D_GNU_SOURCE -O2 -g -Wall -Wextra ${WERROR:+-Werror} -fno-stack-protector"

compile() { # source flags...
	source=$1
	shift
	case $source in
	*.cc) compiler="$cxx -std=gnu++17" ;;
	*) compiler="$cc -std=gnu17" ;;
	esac
	# shellcheck disable=SC2086 # lists of words
	$compiler $common "$@" -c -o "$objects/$source.o" tests/sampler/unwind/"$source"
}

for source in unwind_target.c unwind_frames.c unwind_switch.c unwind_throw.cc; do
	compile $source "$@"
done
compile unwind_bare.c "$@" -fno-lto -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer
compile unwind_go.c "$@" -fno-lto -fPIC -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer
compile unwind_lazy.c "$@" -fno-lto -fPIC -fplt
$cxx "$@" -o "$folder/unwind_target" "$objects"/unwind_target.c.o "$objects"/unwind_frames.c.o \
	"$objects"/unwind_switch.c.o "$objects"/unwind_throw.cc.o "$objects"/unwind_bare.c.o -lpthread -ldl
$cc "$@" -fno-lto -shared -o "$folder/unwind_go.so" "$objects"/unwind_go.c.o
# -fno-lto: the stubs are the point. Bound at first use, whatever the distribution's default is.
$cc "$@" -fno-lto -shared -Wl,-z,lazy -o "$folder/unwind_lazy.so" "$objects"/unwind_lazy.c.o
