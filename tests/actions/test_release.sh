#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The actions take a released archive by the checksum in their own tree, from a server on loopback that is at times wrong,
# slow or hostile. What cannot be taken ends in the build from source, with one warning, or in status 3.
# shellcheck disable=SC2015,SC2016 # ok cannot fail; a script's own variables
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
architecture=$(uname -m)

# ---- the action's checkout, with a release in it, and a build that takes no time
mkdir -p "$work/product/gate/check" "$work/product/baseline" "$work/product/report" "$work/programs" "$work/temp" "$work/served/v0.1.0"
cp -r "$root/actions" "$work/product/" && cp "$root/Makefile" "$root/CHANGELOG.md" "$work/product/"
cp "$root/gate/check/version.h" "$work/product/gate/check/"
cat >"$work/programs/make" <<'M'
#!/bin/sh
for word; do case $word in BUILD=*) folder=${word#BUILD=} ;; esac; done
[ -z "${CANNOT_BUILD:-}" ] || exit 2
printf '#!/bin/sh\necho built from source\n' >"$folder/flamegate" && chmod +x "$folder/flamegate"
touch "$folder/libflamegate.so" "$folder/libflamegate-heap.so"
M
chmod +x "$work/programs/make"
# archive FOLDER: of a program that says which one it is
archive() {
	mkdir -p "$1/bin" "$1/lib/flamegate"
	printf '#!/bin/sh\n[ -z "${RAN:-}" ] || touch "$RAN"\necho released\nexit %s\n' "${exits:-0}" | tee "$1/bin/flamegate" >"$1/lib/flamegate/flamegate"
	chmod +x "$1/bin/flamegate" "$1/lib/flamegate/flamegate"
	touch "$1/lib/flamegate/libflamegate.so" "$1/lib/flamegate/libflamegate-heap.so"
}
name=flamegate-0.1.0-linux-$architecture
archive "$work/$name"
good=$work/served/v0.1.0/$name.tar.gz
tar -C "$work" -czf "$good" "$name"
# take_by ARCHIVE: what the checkout says of the release
take_by() { sh "$work/product/actions/release.sh" take v0.1.0 "$1" >"$work/release" && cp "$work/release" "$work/product/actions/release"; }

cat >"$work/server.py" <<'P'
import http.server, os, sys, time
root = sys.argv[1]

class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *words):
        super().__init__(*words, directory=root + "/served")
    def log_message(self, *words):
        with open(root + "/asked", "a") as log:
            log.write(self.path + " " + str(self.headers.get("Authorization")) + "\n")
    def do_GET(self):
        kind, _, rest = self.path.lstrip("/").partition("/")
        data = open(root + "/served/" + rest, "rb").read() if os.path.isfile(root + "/served/" + rest) else b""
        if kind == "good":
            self.answer(200, data)
        elif kind == "moved":
            self.redirect("/good/" + rest)
        elif kind == "loop":
            self.redirect(self.path)
        elif kind == "elsewhere":
            self.redirect("ftp://127.0.0.1/" + rest)
        elif kind == "short":
            self.answer(200, data[: len(data) // 2], len(data))
        elif kind == "cut":
            self.answer(200, data[: len(data) // 2])
        elif kind == "other":
            self.answer(200, open(root + "/other.tar.gz", "rb").read())
        elif kind == "slow":
            self.answer(200, data[:10], len(data), 30)
        elif kind == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(150):
                    self.wfile.write(b"\0" * 1000000)
            except OSError:
                pass
        elif kind == "huge":
            self.answer(200, b"", 10**12)
        else:
            self.answer(404, b"nothing here ##[set-env name=x]y\r\n::error::z")
    def redirect(self, place):
        self.send_response(302)
        self.send_header("Location", place)
        self.end_headers()
    def answer(self, status, data, length=None, wait=0):
        self.log_message()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
        time.sleep(wait)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(root + "/port.new", "w") as port:
    port.write(str(server.server_port))
os.rename(root + "/port.new", root + "/port")
server.serve_forever()
P
python3 "$work/server.py" "$work" 2>"$work/server.err" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -f "$work/port" ] && break; sleep 0.1; done
address=http://127.0.0.1:$(cat "$work/port")

# build KIND [VARIABLE=VALUE...]: the action's step, with the server's answer of that kind; what it leaves in $which
build() {
	local releases=$address/$1
	shift
	rm -rf "$work/program" "$work/ran"
	run env -u http_proxy -u https_proxy -u HTTP_PROXY -u HTTPS_PROXY PATH="$work/programs:$PATH" RUNNER_TEMP="$work/temp" TMPDIR="$work/temp" GITHUB_OUTPUT=/dev/null \
		FG_PROGRAM="$work/program" FG_INSTALL=false FLAMEGATE_RELEASES="$releases" FLAMEGATE_RELEASE_SECONDS=3 RAN="$work/ran" "$@" \
		bash "$work/product/actions/build.sh" build
	which=$("$work/program/flamegate" --version 2>/dev/null)
}
# from_source NAME TEXT: one warning with this text, and the build from source
from_source() {
	local name=$1
	shift
	[ "$which" = "built from source" ] && [ "$(grep -c '^::warning title=flamegate::' "$work/out")" -eq 1 ] && [ "$(grep -c '^::' "$work/out")" -eq 1 ] &&
		[ -z "$(find "$work/temp" -mindepth 1)" ] || { not_ok "$name: one warning, and built from source ($which)"; return; }
	expect "$name: one warning, and built from source" 0 "built from its source" "$@"
}

# ---- no release
build good
[ "$status" -eq 0 ] && [ "$which" = "built from source" ] && [ ! -s "$work/out" ] && [ ! -s "$work/asked" ] &&
	ok "as long as there is no release nobody is asked, and nothing said" || not_ok "as long as there is no release nobody is asked, and nothing said"

# ---- a release
take_by "$good"
build good
[ "$status" -eq 0 ] && [ "$which" = released ] && [ ! -s "$work/out" ] && ok "the release is taken, without a word" || not_ok "the release is taken, without a word ($which)"
check "with its libraries" [ -f "$work/program/libflamegate-heap.so" ]
check "and leaves nothing else" [ -z "$(find "$work/temp" -mindepth 1)" ]
build good CANNOT_BUILD=1
[ "$which" = released ] && ok "no compiler is needed" || not_ok "no compiler is needed"
build moved
[ "$which" = released ] && ok "a server may send us on" || not_ok "a server may send us on"
grep -q ' None$' "$work/asked" && ! grep -vq ' None$' "$work/asked" && ok "no server gets credentials" || not_ok "no server gets credentials"
printf 'machine 127.0.0.1 login a password b\n' >"$work/.netrc"; printf 'user = "a:b"\nproxy = "http://127.0.0.1:1"\n' >"$work/.curlrc"
build good HOME="$work"
[ "$which" = released ] && ! grep -vq ' None$' "$work/asked" && ok "and none of the user's settings count" || not_ok "and none of the user's settings count"

# ---- what cannot be taken
build missing; from_source "no such file" "404"
grep -qE '##\[|::error' "$work/out" && not_ok "the server's words become no command" || ok "the server's words become no command"
build short; from_source "a connection that ends early" "could not be downloaded"
build cut; from_source "half of the archive" "is not the one that was released" "nothing of it was used"
build loop; from_source "a server that sends us round" "could not be downloaded"
build elsewhere; from_source "a server that sends us to another protocol" "could not be downloaded"
build slow; from_source "a server that hangs" "could not be downloaded"
build huge; from_source "an archive of a terabyte" "could not be downloaded"
build endless FLAMEGATE_RELEASE_SECONDS=60; from_source "one without an end" "flamegate-0.1.0"
archive "$work/evil/$name"; printf '#!/bin/sh\ntouch "$RAN"\n' >"$work/evil/$name/bin/flamegate"
tar -C "$work/evil" -czf "$work/other.tar.gz" "$name"
build other; from_source "another archive" "is not the one that was released"
check "and nothing of it ran" [ ! -e "$work/ran" ]
build good FLAMEGATE_RELEASES=http://example.invalid; from_source "a server without TLS that is not on loopback" "no https address"
build good FLAMEGATE_RELEASES=file:///etc; from_source "no server at all" "no https address"
build good FLAMEGATE_RELEASES=http://127.0.0.1:1; from_source "nobody answers" "could not be downloaded"
build cut CANNOT_BUILD=1
expect "where it cannot be built either, that is the end" 3 "could not be built"
exits=3 archive "$work/unfit/$name"; tar -C "$work/unfit" -czf "$good" "$name"; take_by "$good"
build good; from_source "a release that does not start here" "does not start here"
echo "version 0.1.0" >"$work/product/actions/release"
build good
[ "$which" = "built from source" ] && [ ! -s "$work/out" ] && ok "a release without an archive for this processor is none" || not_ok "a release without an archive for this processor is none"

# ---- what the release's workflow writes
release() { run sh "$work/product/actions/release.sh" "$@"; }
cat >"$work/product/CHANGELOG.md" <<'C'
# Changes

## 0.1.1, unreleased

- later

## 0.1.0, 2026-12-01

- one
- two

## 0.0.9, 2026-11-01

- earlier
C
release notes v0.1.0
[ "$(cat "$work/out")" = $'\n- one\n- two' ] && ok "the notes are the changelog's section" || not_ok "the notes are the changelog's section"
sed -i 's/0.1.0, 2026-12-01/0.1.0, unreleased/' "$work/product/CHANGELOG.md"; release notes v0.1.0
expect "one that is not dated is refused" 3 "unreleased"
sed -i '/^## 0.1.0/d' "$work/product/CHANGELOG.md"; release notes v0.1.0
expect "and a version without one" 3 "no section"
release notes v0.2.0
expect "and a tag of another version" 3 "version.h says 0.1.0"
release notes '$(touch ran)'
expect "and no version at all" 3 "no tag of a release"
touch "$work/flamegate-0.2.0-linux-$architecture.tar.gz"; release take v0.1.0 "$work/flamegate-0.2.0-linux-$architecture.tar.gz"
expect "an archive of another version is not taken" 3 "no archive of 0.1.0"

finish
