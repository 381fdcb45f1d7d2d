#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes C source with one NUL-terminated array for each file: PREFIX_<base>_<ext>[] and its _len
# (without the NUL). Usage: embed.sh PREFIX FILE...
set -eu
prefix=$1
shift

printf '#include <stddef.h>\n'
for file in "$@"; do
	name=${prefix}_$(basename "$file" | tr -c 'A-Za-z0-9\n' '_')
	printf 'const unsigned char %s[] = {\n' "$name"
	od -An -v -tx1 "$file" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
	printf '0x00};\nconst size_t %s_len = sizeof(%s) - 1;\n' "$name" "$name"
done
