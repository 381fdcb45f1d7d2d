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
touch "$folder/libflamegate.so" "$folder/libflamegate-heap.so" "$folder/libflamegate-clock.so"
M
chmod +x "$work/programs/make"
# archive FOLDER: of a program that says which one it is
archive() {
	mkdir -p "$1/bin" "$1/lib/flamegate"
	printf '#!/bin/sh\ntouch "%s"\necho released\n' "$work/ran" | tee "$1/bin/flamegate" >"$1/lib/flamegate/flamegate"
	chmod +x "$1/bin/flamegate" "$1/lib/flamegate/flamegate"
	touch "$1/lib/flamegate/libflamegate.so" "$1/lib/flamegate/libflamegate-heap.so" "$1/lib/flamegate/libflamegate-clock.so"
}
name=flamegate-0.1.0-linux-$architecture
archive "$work/$name"
good=$work/served/v0.1.0/$name.tar.gz
tar -C "$work" -czf "$good" "$name"
# take_by ARCHIVE: what the checkout says of the release
take_by() { sh "$work/product/actions/release.sh" take v0.1.0 "$1" >"$work/release" && cp "$work/release" "$work/product/actions/release"; }

cat >"$work/server.py" <<'P'
import http.server, os, ssl, sys, threading, time
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
        elif kind == "plain":
            self.redirect("http://127.0.0.1:%d/good/%s" % (server.server_port, rest))
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
secure = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
secure.daemon_threads = True
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(root + "/server.pem")
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=secure.serve_forever, daemon=True).start()
with open(root + "/port.new", "w") as port:
    port.write("%d %d" % (server.server_port, secure.server_port))
os.rename(root + "/port.new", root + "/port")
server.serve_forever()
P
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
	-keyout "$work/key.pem" -out "$work/ca.pem" 2>/dev/null && cat "$work/key.pem" "$work/ca.pem" >"$work/server.pem"
python3 "$work/server.py" "$work" 2>"$work/server.err" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -f "$work/port" ] && break; sleep 0.1; done
read -r port secure_port <"$work/port"
address=http://127.0.0.1:$port secure=https://localhost:$secure_port

# build KIND [VARIABLE=VALUE...]: the action's step, with the server's answer of that kind; what it leaves in $which, and
# its output in $key. $kept, a folder: what the cache had.
kept=
build() {
	local releases=$address/$1
	shift
	rm -rf "$work/program" "$work/ran" "$work/evil-ran" "$work/asked"
	[ -z "$kept" ] || cp -r "$kept" "$work/program"
	: >"$work/outputs"; : >"$work/asked"
	run env -u http_proxy -u https_proxy -u HTTP_PROXY -u HTTPS_PROXY PATH="$work/programs:$PATH" RUNNER_TEMP="$work/temp" TMPDIR="$work/temp" \
		GITHUB_OUTPUT="$work/outputs" FG_PROGRAM="$work/program" FG_INSTALL=false FLAMEGATE_RELEASES="$releases" \
		FLAMEGATE_RELEASE_SECONDS=3 "$@" /bin/bash -p "$work/product/actions/build.sh" build
	which=$("$work/program/flamegate" --version 2>/dev/null)
	key=$(sed -n 's/^key=//p' "$work/outputs")
}
is() { # NAME CONDITION...
	local name=$1
	shift
	if [ "$@" ]; then ok "$name"; else not_ok "$name ($which, status $status)"; fi
}
# from_source NAME TEXT: one warning with this text, and the build from source
from_source() {
	local name=$1
	shift
	if [ "$which" != "built from source" ] || [ "$(grep -c '^::warning title=flamegate::' "$work/out")" -ne 1 ] ||
		[ "$(grep -v '^::notice' "$work/out" | grep -c '^::')" -ne 1 ] || [ -n "$(find "$work/temp" -mindepth 1)" ]; then
		not_ok "$name: one warning, and built from source ($which)"
		return
	fi
	expect "$name: one warning, and built from source" 0 "built from its source" "$@"
}
taken() { # NAME: the release, and of annotations at most the one that names the server
	if [ "$status" -eq 0 ] && [ "$which" = released ] && ! grep -q -v '^::notice title=flamegate::the release is looked for at' "$work/out"; then
		ok "$1"
	else
		not_ok "$1 ($which, status $status)"
	fi
}
silently_built() { # NAME
	if [ "$status" -eq 0 ] && [ "$which" = "built from source" ] && [ ! -s "$work/out" ] && [ ! -s "$work/asked" ]; then ok "$1"; else not_ok "$1 ($which)"; fi
}

only_anonymous() { grep -q ' None$' "$work/asked" && ! grep -v ' None$' "$work/asked"; }

# ---- no release
build good
silently_built "as long as there is no release nobody is asked, and nothing said"
check "what was built is kept by its sources" [ "${key#flamegate-source-}" != "$key" ]
build good FG_BUILD_FROM_SOURCE=false
expect "who refuses to build gets nothing" 3 "build-from-source is false" "these sources are of no release"
build good FG_BUILD_FROM_SOURCE=no
expect "and says so by true or false" 2 "the input build-from-source is true or false"

# ---- a release
take_by "$good"
build good; cp "$work/out" "$work/first"
taken "the release is taken"
check "with its libraries" ls "$work/program/libflamegate-heap.so" "$work/program/libflamegate-clock.so"
check "and leaves nothing else" [ -z "$(find "$work/temp" -mindepth 1)" ]
check "it is kept by its checksum" [ "$key" = "flamegate-release-$(sha256sum <"$good" | cut -d ' ' -f 1)" ]
check "a variable that says where from is seen" grep -q "^::notice title=flamegate::the release is looked for at $address/good, by the variable FLAMEGATE_RELEASES" "$work/first"
build good CANNOT_BUILD=1
is "no compiler is needed" "$which" = released
build good FG_BUILD_FROM_SOURCE=false
is "nor permission to build" "$which" = released
build moved
is "a server may send us on" "$which" = released
check "no server gets credentials" only_anonymous
printf 'machine 127.0.0.1 login a password b\n' >"$work/.netrc"; printf 'user = "a:b"\nproxy = "http://127.0.0.1:1"\n' >"$work/.curlrc"
build good HOME="$work"
is "and none of the user's settings count" "$which" = released
check "nor do they give credentials" only_anonymous
run env GITHUB_OUTPUT="$work/outputs" RUNNER_TEMP="$work/temp" GITHUB_RUN_ID=5 GITHUB_RUN_ATTEMPT=1 GITHUB_JOB=job bash "$work/product/actions/build.sh" plan
check "the plan looks for the release's checksum in the cache" grep -qx "program-key=flamegate-release-[0-9a-f]\{64\}" "$work/outputs"
check "and else for what was built" grep -q "^source-key=flamegate-source-" "$work/outputs"

# ---- of what was kept the checksum counts
cp -r "$work/program" "$work/kept"; kept=$work/kept
build good
taken "the archive that was kept is taken"
check "nobody is asked for it" [ ! -s "$work/asked" ]
check "and it is not kept once more" [ -z "$key" ]
printf '#!/bin/sh\ntouch "%s"\n' "$work/evil-ran" | tee "$kept/flamegate" >"$kept/extra"
build good
is "a program beside it that is another is not" "$which" = released
check "and nothing else is left there" [ ! -e "$work/program/extra" ]
check "nor was it run" [ ! -e "$work/evil-ran" ]
echo x >>"$kept/archive"
build good
is "a wrong archive that was kept is downloaded anew" "$which" = released
build missing; from_source "and where that fails, what lay beside it is not used" "404"
check "nor run" [ ! -e "$work/evil-ran" ]
for kind in "ln -s $good" mkfifo mkdir; do
	rm -f "$kept/archive"; $kind "$kept/archive"
	build missing; from_source "nor where an archive was made by ${kind%% *}" "404"
	check "nor run" [ ! -e "$work/evil-ran" ]
done
rmdir "$kept/archive"
build missing FG_KEPT=flamegate-release-0; from_source "nor what the cache has without an archive, by a release's checksum" "404"
check "nor run" [ ! -e "$work/evil-ran" ]
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	# Rights that keep a runner's user, who is not root, from emptying it.
	printf '#!/bin/sh\ntouch "%s"\n' "$work/evil-ran" >"$kept/flamegate"; echo x >"$kept/archive"; chmod 555 "$kept"
	chmod 711 "$work"; chown -R nobody "$kept" "$work/temp" "$work/outputs" "$work/asked"; mkdir -p "$work/nobody"; mv "$kept" "$work/nobody/program"; chown nobody "$work/nobody"
	run setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups env HOME="$work/nobody" FLAMEGATE_RELEASES="$address/good" \
		bash "$work/product/actions/take.sh" into "$work/nobody/program"
	expect "a folder without rights is emptied, too" 0 "downloaded"
	check "and nothing that lay there is run" [ ! -e "$work/evil-ran" ]
	rm -rf "$work/nobody/program" && mkdir "$work/nobody/program" && echo x >"$work/nobody/program/archive" && chown root "$work/nobody" && chmod 755 "$work/nobody"
	run setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups env HOME="$work/nobody" FLAMEGATE_RELEASES="$address/good" \
		bash "$work/product/actions/take.sh" into "$work/nobody/program"
	expect "and where that is impossible, it ends" 5 "cannot be emptied"
	chown -R root "$work/temp" "$work/outputs" "$work/asked"; mkdir "$kept"; cp -r "$work/program/." "$kept"; rm -f "$kept/archive"
else
	skip "a folder without rights: only root can become somebody else here"
fi
printf '#!/bin/sh\necho built before\n' >"$kept/flamegate"
touch "$kept/libflamegate.so" "$kept/libflamegate-heap.so" "$kept/libflamegate-clock.so"
build missing
expect "what was built before is used where the release cannot be had" 0 "so an earlier build from its source is used"
is "as it is" "$which" = "built before"
kept=

# ---- what cannot be taken
build missing; from_source "no such file" "404"
grep -qE '##\[|::error' "$work/out" && not_ok "the server's words become no command" || ok "the server's words become no command"
build short; from_source "a connection that ends early" "could not be downloaded"
build cut; from_source "half of the archive" "IS NOT THE ARCHIVE THAT WAS RELEASED" "neither opened nor run"
build loop; from_source "a server that sends us round" "could not be downloaded"
build elsewhere; from_source "a server that sends us to another protocol" 'Protocol "ftp"'
build good CURL_CA_BUNDLE="$work/ca.pem" FLAMEGATE_RELEASES="$secure/good"
is "a server with TLS" "$which" = released
build good CURL_CA_BUNDLE="$work/ca.pem" FLAMEGATE_RELEASES="$secure/plain"; from_source "one that sends us away from TLS" 'Protocol "http"'
check "is not followed" sh -c "! grep -q '^/good' '$work/asked'"
build good FLAMEGATE_RELEASES="$secure/good"; from_source "one whose certificate nobody trusts" "could not be downloaded" "certificate"
build slow; from_source "a server that hangs" "timed out"
build huge; from_source "an archive of a terabyte" "larger than an archive of flamegate's can be"
build endless FLAMEGATE_RELEASE_SECONDS=60; from_source "one without an end" "larger than an archive of flamegate's can be"
archive "$work/evil/$name"; printf '#!/bin/sh\ntouch "%s"\n' "$work/evil-ran" | tee "$work/evil/$name/bin/flamegate" >"$work/evil/$name/lib/flamegate/flamegate"
tar -C "$work/evil" -czf "$work/other.tar.gz" "$name"
build other; from_source "another archive" "IS NOT THE ARCHIVE THAT WAS RELEASED" "somebody has put another in its place"
check "and nothing of it ran" [ ! -e "$work/evil-ran" ]
build other FG_BUILD_FROM_SOURCE=false
expect "where nothing may be built, that is the end" 3 "IS NOT THE ARCHIVE THAT WAS RELEASED" "build-from-source is false"
check "without a flamegate" [ ! -e "$work/program/flamegate" ]
for other in http://example.invalid file:///etc ftp://127.0.0.1/ 'https://a:b@127.0.0.1/' 'https://127.0.0.1/?' 'https://127.0.0.1/{a,b}' \
	"http://127.0.0.1:1@127.0.0.1:${address##*:}/good" "http://localhost.example.invalid:1/" $'https://127.0.0.1/\n::error::x'; do
	build good FLAMEGATE_RELEASES="$other"; from_source "a server $(printf %q "$other")" "FLAMEGATE_RELEASES is no https address"
	check "is not named, as there may be a password in it" [ "$(grep -cE 'a:b@|1@|::error' "$work/out")" = 0 ]
	check "nor asked" [ ! -s "$work/asked" ]
done
build good FLAMEGATE_RELEASES=http://127.0.0.1:1; from_source "nobody answers" "could not be downloaded"
build good FLAMEGATE_RELEASE_SECONDS='1 --insecure'; taken "seconds that are none are a minute"
build cut CANNOT_BUILD=1
expect "where it cannot be built either, that is the end" 3 "could not be built" "install is false" "sh actions/packages.sh build"

# ---- what a job's variables could do to the checksum, and to what comes after it
mkdir -p "$work/tools"
for tool in sha256sum tar gzip curl timeout; do
	printf '#!/bin/sh\necho "%s  -"\n' "$(sha256sum <"$good" | cut -d ' ' -f 1)" >"$work/tools/$tool"
done
chmod +x "$work/tools/"*
build other PATH="$work/tools:$work/programs:$PATH"; from_source "another sha256sum, in PATH" "IS NOT THE ARCHIVE"
check "nothing ran" [ ! -e "$work/evil-ran" ]
rm -f "$work/tool-ran" "$work/tools/"*
for tool in dirname cut uname head grep gcc bash sh mkdir mktemp; do
	printf '#!/bin/sh\ntouch "%s"\n' "$work/tool-ran" >"$work/tools/$tool"
done
chmod +x "$work/tools/"*
build good PATH="$work/tools:$work/programs:$PATH" CC="$work/tools/gcc"; taken "other tools in PATH, and CC, change nothing"
check "and none of them ran" [ ! -e "$work/tool-ran" ]
run env PATH="$work/tools:$work/programs:$PATH" CC="$work/tools/gcc" GITHUB_OUTPUT="$work/outputs" RUNNER_TEMP="$work/temp" GITHUB_RUN_ID=5 GITHUB_RUN_ATTEMPT=1 GITHUB_JOB=job \
	/bin/bash -p "$work/product/actions/build.sh" plan
expect "nor for the plan" 0
check "in which none ran either" [ ! -e "$work/tool-ran" ]
rm -f "$work/tools/"*
printf '#!/bin/sh\ntouch "%s"\n' "$work/tool-ran" >"$work/tools/act.sh"
build good TAR_OPTIONS="--checkpoint=1 --checkpoint-action=exec=sh\ $work/tools/act.sh" GZIP=-l CDPATH=/ IFS=x "BASH_FUNC_sha256sum%%=() { touch $work/tool-ran; }" \
	BASH_ENV="$work/tools/act.sh" CURL_HOME="$work" LD_LIBRARY_PATH="$work/tools" SHELLOPTS=noexec
taken "TAR_OPTIONS and its like change nothing"
check "and run nothing" [ ! -e "$work/tool-ran" ]

# ---- archives with the right checksum that are not as flamegate's
# serve NAME TEXT: the folder $work/made, or what $tar_words say, as the release
serve() {
	tar -C "$work/made" -czf "$good" "${tar_words[@]}" 2>/dev/null
	take_by "$good"
	build good; from_source "$1" "$2"
	check "$1: nothing ran" [ ! -e "$work/ran" ]
}
fresh() { rm -rf "$work/made"; archive "$work/made/$name"; tar_words=("$name"); }
never="holds what an archive of flamegate's never does"
echo secret >"$work/secret"
fresh; touch "$work/outside"; tar_words+=(-P "../outside"); serve "a name with .." "$never"
fresh; tar_words+=(-P "$work/secret"); serve "an absolute name" "$never"
fresh; ln -s "$work/secret" "$work/made/$name/lib/flamegate/secret"; serve "a link out" "$never"
fresh; ln -s ../lib "$work/made/$name/bin/lib"; serve "a link within" "$never"
fresh; ln "$work/made/$name/bin/flamegate" "$work/made/$name/bin/again"; serve "a hard link" "$never"
fresh; chmod u+s "$work/made/$name/lib/flamegate/flamegate"; serve "a program with the setuid bit" "$never"
fresh; chmod g+s "$work/made/$name/lib"; serve "a folder with the setgid bit" "$never"
fresh; mkfifo "$work/made/$name/pipe"; serve "a pipe" "$never"
fresh; mkdir "$work/made/$name/a"$'\n'"-rwxr-xr-x 0" && touch "$work/made/$name/a"$'\n'"-rwxr-xr-x 0/0 1 2026-01-01 00:00 $name"; serve "a name of two lines" "$never"
fresh; touch "$work/made/$name/ a -> b"; serve "a name with blanks" "$never"
fresh; touch "$work/made/other"; tar_words+=(other); serve "a file beside the folder" "$never"
fresh; head -c 200M /dev/zero >"$work/made/$name/zeros"; serve "200 MB of zeros" "cannot be unpacked"
fresh; rm "$work/made/$name/bin/flamegate"; serve "without a program" "does not start here"
fresh; rm "$work/made/$name/lib/flamegate/libflamegate.so"; tar -C "$work/made" -czf "$good" "$name"; take_by "$good"
build good; from_source "without a library" "does not start"
echo "no archive" >"$good"; take_by "$good"; build good; from_source "what is no archive" "cannot be unpacked"

# ---- a machine that it is not for
starts_with() { # LINE: bin/flamegate
	fresh; printf %b "$1" >"$work/made/$name/bin/flamegate"; tar -C "$work/made" -czf "$good" "$name"; take_by "$good"
}
starts_with '#!/bin/sh\necho "flamegate: this system has glibc 2.31, and this release needs 2.35 or newer" >&2\nexit 3\n'
build good; from_source "a glibc that is too old" "this system has glibc 2.31"
starts_with '\0177ELF\02\01\01\0\0\0\0\0\0\0\0\0\02\0\0363\0\01\0\0\0'
build good; from_source "a program of another processor's" "does not start here" "Exec format error"
starts_with '#!/bin/sh\nsleep 60\n'
build good; from_source "a program that hangs" "does not start here"
sed -i "s/^$architecture /other /" "$work/product/actions/release"
build good; from_source "no archive for this processor" "has no archive for this machine's processor ($architecture)"
check "nobody is asked" [ ! -s "$work/asked" ]

# ---- other sources than were released
fresh; tar -C "$work/made" -czf "$good" "$name"; take_by "$good"
build good; taken "the release again"
echo "/* mine */" >>"$work/product/gate/check/version.h"
build good
silently_built "a change to the sources is built, and nobody is asked"
git -C "$root" show HEAD:gate/check/version.h >"$work/product/gate/check/version.h"
build good; taken "without it the release is taken"

mv "$work/product/baseline" "$work/elsewhere-baseline"
run bash "$work/product/actions/take.sh" sources
expect "of a part of the sources there is no checksum" 1 "not all of flamegate's sources"
mv "$work/elsewhere-baseline" "$work/product/baseline"

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
release take v0.1.0 "$work/none/$name.tar.gz"
expect "nor one that is not there" 3 "there is no"
for tag in v1 v1.2 0.1.0 v0.1.0-rc1 v01.0.0 v0.1.0/ $'v0.1.0\nx'; do
	release notes "$tag"
	expect "the tag $(printf %q "$tag") is no release's" 3 "no tag of a release"
done

# ---- and commits: upon the tag, which v1 becomes; and on main, which may have gone on
repo day
cp -r "$work/product/." . && rm -f actions/release && cp "$root/actions/release" actions/release && commit "as released" && git tag v0.1.0
git init -q --bare "$work/day.git" && git remote add origin "$work/day.git" && git push -q origin main v0.1.0
released=$(git rev-parse HEAD)
here() { run sh actions/release.sh commit v0.1.0 "$good"; }
at() { git --git-dir="$work/day.git" rev-parse "$1"; }
holds() { git --git-dir="$work/day.git" show "$1:actions/release" | grep -qx "$architecture $(sha256sum <"$good" | cut -d ' ' -f 1)"; }
here
expect "a release is committed" 0 "v1 is" "main is"
check "upon the tag" [ "$(at v1^)" = "$released" ]
check "with its checksum" holds v1
check "on main, which has not gone on, it is the same commit" [ "$(at main)" = "$(at v1)" ]
check "nothing else is in it" [ "$(git --git-dir="$work/day.git" show --format= --name-only v1)" = actions/release ]
check "the tag stays" [ "$(at v0.1.0)" = "$released" ]
cp actions/take.sh actions/release "$work/product/actions/"
build good; taken "these actions take it"
check "and stays for whoever pins it" [ "$(at taken-v0.1.0)" = "$(at v1)" ]
before=$(at v1)
GIT_COMMITTER_DATE=2030-01-01T00:00:00Z; export GIT_COMMITTER_DATE
git checkout -q v0.1.0; here
expect "done again it changes nothing on main" 0
check "nor what v1 is" [ "$(at v1)" = "$before" ]
unset GIT_COMMITTER_DATE
check "nor there" [ "$(git --git-dir="$work/day.git" rev-list --count main)" -eq 2 ]
git fetch -q origin && git checkout -q -B main origin/main && echo later >>Makefile && commit "later" && git push -q origin main
git checkout -q v0.1.0; here
expect "beside a main that has gone on" 0
check "v1 is what was released" [ "$(at v1^)" = "$released" ]
check "and main keeps what it has" sh -c "git --git-dir='$work/day.git' show main:Makefile | grep -qx later"
check "with the checksum" holds main
printf '#!/bin/sh\nread -r _ _ ref\n[ "$ref" != refs/heads/main ]\n' >"$work/day.git/hooks/pre-receive"; chmod +x "$work/day.git/hooks/pre-receive"
git --git-dir="$work/day.git" update-ref refs/heads/main "$released"
git checkout -q v0.1.0; here
expect "where main is protected, that is said" 3 "v1 has moved, but main has not got actions/release"
rm "$work/day.git/hooks/pre-receive"
git checkout -q main; here
expect "another commit than the tag's is refused" 3 "v0.1.0 is not what is checked out"
git checkout -q v0.1.0; echo x >>Makefile; here
expect "and changed files" 3 "tracked files differ"
git checkout -q -f v0.1.0; cp "$good" "$work/kept-archive"; echo other >>"$good"; here
expect "an archive that has changed since is refused" 3 "with other checksums"
mv "$work/kept-archive" "$good"; git checkout -q -f v0.1.0; sed 's/^version.*/version 0.10.0/' actions/release >"$work/newer"
git checkout -q -B newer && cp "$work/newer" actions/release && commit newer && git push -q -f origin HEAD:refs/tags/v1
git checkout -q v0.1.0; here
expect "v1 is not moved back" 3 "v1 takes 0.10.0 already"

finish
