# shellcheck shell=bash
sources() { mkdir zstd && cp "$1"/*.[ch] zstd/; }
