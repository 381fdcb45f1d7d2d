#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where recordings go to and come from: no server that a pull request names, no folder that a link leads to.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/loop_lib.sh"

# ---- a pull request names a server where the target branch has no configuration
repo trust; program 20; config "policy:" "  pairs: {min: 16, max: 32}"; commit first; remote trust
git checkout -qb topic; sed -i 's/puts("done")/puts("more")/' main.c
cat >>.flamegate.yml <<'Y'
baseline:
  store: pyroscope://127.0.0.1:1
  credentials: GITHUB
Y
commit "a server of my own"
git checkout -q main; git rm -q .flamegate.yml; commit "no configuration"; git push -q origin main; git checkout -q topic
GITHUB_TOKEN=planted as_ci "$flamegate" check
expect "in CI head's configuration decides where there is no other" 0 "policy head:.flamegate.yml"
if grep -q '127.0.0.1' "$work/out"; then not_ok "but names no server"; else ok "but names no server"; fi

# ---- a store that fails is asked once
cat >"$work/refuse.py" <<'P'
import http.server
import sys


class Refuse(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with open(sys.argv[1], "a") as log:
            log.write(self.path + "\n")
        self.send_error(403)

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Refuse)
print(server.server_port, flush=True)
server.serve_forever()
P
repo many; program 20
config "  - name: two" "    command: ./bench" "    work: fixed" "    repeat: 1" "    budget: 1s" "  - name: three" "    command: ./bench" "    work: fixed" "    repeat: 1" "    budget: 1s" "policy:" "  pairs: {min: 16, max: 32}"
commit first; remote many; git checkout -qb topic; git commit -q --allow-empty -m empty
python3 "$work/refuse.py" "$work/requests" >"$work/port" 2>/dev/null &
server=$!
for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.1; done
as_ci "$flamegate" check --store "pyroscope://127.0.0.1:$(cat "$work/port")"
kill $server; wait $server 2>/dev/null
expect "a store that refuses does not stop the check" 0 "same files"
if [ "$(wc -l <"$work/requests")" = 1 ]; then ok "and is asked once, not for each benchmark"; else not_ok "and is asked once, not for each benchmark"; fi
cd "$work/trust" || exit 1

# ---- names of stores that would write lines of their own
run "$flamegate" check
sed -i 's|store: .*|store: "dir:a\\n::error::b"|' .flamegate.yml
run "$flamegate" baseline list
line=$(grep -n "store: " .flamegate.yml | cut -d: -f1)
expect "a store's address is one line of text" 2 ".flamegate.yml:$line:10" "control characters"

# ---- screen: fast, and nothing changed
repo same; program 20; config "policy:" "  pairs: {min: 16, max: 32}" "  screen: fast" "baseline:" "  store: dir:$work/same-store"; commit first; remote same
run "$flamegate" record; run "$flamegate" baseline push
git checkout -qb topic; git commit -q --allow-empty -m empty
as_ci "$flamegate" check
expect "the same files are a proof, and need no screen" 0 "stored baseline of" "PASS   bench: both versions execute the same files"
if grep -q "head alone" "$work/out"; then not_ok "nothing was measured"; else ok "nothing was measured"; fi

# ---- folders
repo folders; program 20; config "policy:" "  pairs: {min: 16, max: 32}" "baseline:" "  store: dir:$work/store"; commit first
run "$flamegate" record; run "$flamegate" baseline push
expect "a folder as the store" 0 "1 baseline of"
mkdir "$work/elsewhere"; ln -s "$work/elsewhere" flamegate-baseline; ln -s "$work/elsewhere" flamegate-compare
head="flamegate-record/recordings/bench/head"
run "$flamegate" baseline pull
expect "pull: a link in the place of its folder is not followed" 2 "flamegate-baseline"
run "$flamegate" compare "$head" "$head"
expect "compare: neither is one in the place of its reports" 2 "flamegate-compare"
rm flamegate-baseline flamegate-compare
run "$flamegate" baseline pull
expect "pull writes into its folder" 0 "flamegate-baseline/bench-"
run "$flamegate" compare "$head" "$head"
expect "compare writes into its folder" 0 "flamegate-compare/report.html"
git status --porcelain >"$work/out"
if grep -q flamegate "$work/out"; then not_ok "neither folder is a change of the user's"; else ok "neither folder is a change of the user's"; fi
pulled=$(echo flamegate-baseline/bench-*); rm -rf "$pulled"; ln -s "$work/elsewhere" "$pulled"
run "$flamegate" baseline pull
expect "pull: a link in the place of a recording is not followed" 2 "$pulled"
if [ -n "$(ls -A "$work/elsewhere")" ]; then not_ok "nothing was written elsewhere"; else ok "nothing was written elsewhere"; fi
run "$flamegate" compare "$head" nowhere
if [ -e flamegate-compare/report.json ]; then not_ok "a comparison that fails leaves no old report"; else ok "a comparison that fails leaves no old report"; fi

finish
