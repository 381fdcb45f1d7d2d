# shellcheck shell=bash
sources() { mkdir libdeflate && cp -R "$1"/libdeflate/lib "$1"/libdeflate/*.h libdeflate/; }
