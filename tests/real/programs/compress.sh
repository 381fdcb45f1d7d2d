# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# gzip, xz and zstd, the last two by two threads.
needs=(gzip xz zstd)

prepare() { words $((scale * 7000)) 17 >text; }

work() {
	measured gzip -9 -n -c text | md5sum
	measured xz -T2 -3 --block-size=200KiB -c text >text.xz
	measured zstd -q -T2 -12 -B1 -c text >text.zst
	md5sum text.xz text.zst
	measured xz -d -T2 -c text.xz | md5sum
	measured zstd -q -d -c text.zst | md5sum
	measured xz --list --robot text.xz
	measured gzip -t text.xz
}

filter() { cat; }
