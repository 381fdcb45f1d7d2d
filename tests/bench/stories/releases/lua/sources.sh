# shellcheck shell=bash
sources() { mkdir lua && cp "$1"/lua-5.4.*/*.[ch] lua/; }
