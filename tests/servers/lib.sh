# SPDX-License-Identifier: Apache-2.0
# Starts real servers on loopback, and stops them however the test ends. Source it after tests/cli/lib.sh.
# shellcheck shell=bash disable=SC2154,SC2034 # variables from the test, and for it
# What goes to loopback goes there straight.
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY FLAMEGATE_TOKEN FLAMEGATE_USER FLAMEGATE_PASSWORD FLAMEGATE_ORG_ID
servers=()
servers_home=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) # a test may go elsewhere
stop_servers() {
	local pid
	for pid in "${servers[@]}"; do kill "$pid" && wait "$pid"; done 2>/dev/null
	servers=()
}
trap 'stop_servers; rm -rf "$work"' EXIT

# said NAME LINE...: whole lines of the last run's output
said() {
	local name=$1 line
	shift
	for line in "$@"; do
		grep -qaxF -- "$line" "$work/out" || { not_ok "$name (no line '$line')"; return; }
	done
	ok "$name"
}

# need_go: without Go there is nothing to start
need_go() {
	command -v go >/dev/null && return
	echo "1..0 # SKIP Go is not installed: $1 was not tested against the real thing"
	exit 0
}
# build_server NAME: its path in $binary
build_server() {
	if ! binary=$(sh "$servers_home/build.sh" "$1" 2>"$work/out"); then
		not_ok "$1 can be built"
		finish
		exit 1
	fi
}
free_port() { perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'; }
# http_get URL: the body; fails unless the status is 200
http_get() { perl -MHTTP::Tiny -e '$r = HTTP::Tiny->new(timeout => 10)->get($ARGV[0]); print $r->{content}; exit($r->{status} != 200)' "$1"; }
alive() { kill -0 "$1" 2>/dev/null; }

# start_parca: its origin in $parca (127.0.0.1:PORT), its process in $parca_pid
start_parca() {
	local try
	build_server parca
	for try in 1 2 3; do
		rm -rf "$work/parca" && mkdir "$work/parca"
		printf 'object_storage: {bucket: {type: FILESYSTEM, config: {directory: ./data}}}\n' >"$work/parca/parca.yaml"
		parca=127.0.0.1:$(free_port)
		(cd "$work/parca" && exec "$binary" --config-path=parca.yaml --http-address="$parca" \
			--http-read-timeout=60s --debuginfo-cache-dir="$work/parca/debuginfo" \
			--debuginfod-upstream-servers=http://127.0.0.1:1 --profile-share-server=127.0.0.1:1) \
			>"$work/parca/log" 2>&1 &
		parca_pid=$!
		servers+=("$parca_pid")
		# The port may have been taken meanwhile: then it ends, and another one is tried.
		while alive "$parca_pid"; do
			http_get "http://$parca/api/profiles/types" >/dev/null && return
			sleep 0.1
		done
	done
	cp "$work/parca/log" "$work/out"
	not_ok "Parca starts ($try tries)"
	finish
	exit 1
}

# start_pprofdemo: its origin in $demo (127.0.0.1:PORT); it ends with this shell
start_pprofdemo() {
	build_server pprofdemo
	coproc DEMO { exec "$binary"; }
	servers+=("$DEMO_PID")
	read -r demo <&"${DEMO[0]}"
}
