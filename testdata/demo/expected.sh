# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
# What patches/slow5.patch and slow2.patch make slower: the culprit that a right verdict names.
SLOW_FUNCTION=hash_text
SLOW_FILE=src/hash.c
