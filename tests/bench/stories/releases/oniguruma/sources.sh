# shellcheck shell=bash
sources() {
	mkdir onig && cp "$1"/oniguruma/src/*.[ch] onig/
	rm -f onig/regposix.c onig/regposerr.c onig/*gperf*
	: >onig/config.h
}
