# shellcheck shell=bash
sources() { mkdir mimalloc && cp -R "$1"/c_src/mimalloc/src "$1"/c_src/mimalloc/include mimalloc/; }
