# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# qemu-img and qemu-io: coroutines on stacks of their own (ucontext), a thread pool.
needs=(qemu-img qemu-io)

prepare() {
	words $((scale * 24000)) 3 >text
	truncate -s $((scale * 8))M raw.img
	dd if=text of=raw.img conv=notrunc bs=1M status=none
}

work() {
	measured qemu-img convert -f raw -O qcow2 -m 8 raw.img plain.qcow2
	measured qemu-img convert -f qcow2 -O qcow2 -c -m 8 plain.qcow2 small.qcow2
	measured qemu-img check small.qcow2
	measured qemu-img compare raw.img small.qcow2
	measured qemu-img map --output=json plain.qcow2
	measured qemu-img create -q -f qcow2 -b small.qcow2 -F qcow2 top.qcow2
	measured qemu-img bench -c $((scale * 400)) -d 8 -s 4096 -w -f qcow2 top.qcow2
	local commands=(-c 'write -P 7 64k 1M' -c 'aio_write -P 9 2M 512k' -c 'aio_flush' -c 'read -P 7 64k 1M'
		-c 'read -P 9 2M 512k' -c 'discard 0 128k')
	measured qemu-io "${commands[@]}" top.qcow2
	measured qemu-img convert -O raw top.qcow2 back.img
	md5sum <back.img
	measured qemu-img convert -O raw no-such-image back.img
}

# How long a run and each of qemu-io's operations took, and at what rate.
filter() {
	sed -E -e 's/^(Run completed in )[0-9.]+( seconds)/\1T\2/' \
		-e 's/^([0-9.]+ [KMG]?i?B, [0-9]+ ops; )[0-9:.]+ (sec )?\([^)]*\)$/\1T/'
}
