# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# esbuild: a thread for each processor, short and busy.
needs=("$go_programs/esbuild")

prepare() {
	local i
	for ((i = 0; i < scale * 40; i++)); do
		mkdir "$i" && cp "$here"/../../report/viewer/{,*/}*.js "$i"
	done
	find . -name '*.js' | sort | sed 's/.*/import "&";/' >all.js
	echo 'let broken = ;' >broken.js
}

work() {
	measured "$go_programs/esbuild" all.js --bundle --minify --sourcemap=inline --color=false | md5sum
	measured "$go_programs/esbuild" [0-9]/*.js --outdir=out --target=es2015 --color=false --log-limit=3
	cat out/*/*.js | md5sum
	measured "$go_programs/esbuild" broken.js --color=false
}

filter() { sed -E 's/Done in [0-9.]+m?s$/Done/'; }
