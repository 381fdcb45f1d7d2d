# shellcheck shell=bash
sources() { mkdir zlib && cp "$1"/src/zlib/*.[ch] zlib/; }
