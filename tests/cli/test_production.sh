#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where the production profile comes from: a file, a server, in CI what the target branch says. What culprits weigh by it
# is in tests/replay: nothing here depends on what was measured.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# checked ENVIRONMENT...: topic against main; a busy machine may leave too little to decide on
checked() {
	run env "$@" "$flamegate" check --base main
	[ "$status" = 3 ] && grep -q "^Report: " "$work/out" && status=0
}
has() { python3 -c 'import json, sys
shares = json.load(open("flamegate-report/recordings/check.json")).get("production")
sys.exit(0 if (shares is not None and any(one["name"] == "hot" and one["share"] > 0.5 for one in shares)) == (sys.argv[1] == "hot") and (shares is None) == (sys.argv[1] == "nothing") else 1)' "$1"; }
says() { python3 -c 'import json, sys; sys.exit(not any(sys.argv[1] in note for note in json.load(open("flamegate-report/report.json"))["notes"]))' "$1"; }
changed() { sed -i "s|puts(\".*\")|puts(\"$1\")|" main.c; commit "$1"; }

repo weights; program 20; config "policy:" "  pairs: {min: 8, max: 16}"
make -s && "$flamegate" run -o "$work/prod" -- ./bench >/dev/null 2>&1; rm -f bench
commit base; git checkout -qb topic; changed one
checked A=1
expect "without a production profile nobody speaks of it" 0
check "neither do the measurements" has nothing
if grep -qi "production" "$work/out" flamegate-report/report.md; then not_ok "nor a report"; else ok "nor a report"; fi

git checkout -q main; cp "$work/prod/cpu.pb.gz" prod.pb.gz; echo "production: prod.pb.gz" >>.flamegate.yml; commit "weigh"
git checkout -qb file; changed two
checked A=1
expect "a file in the repository is read" 0
check "its shares stand in the measurements" has hot
check "and the report says what was read" says "production profile: prod.pb.gz, which has"
cp flamegate-report/report.json "$work/first.json"
run "$flamegate" check --replay flamegate-report/recordings -o again
check "a replay needs no file and says the same" cmp "$work/first.json" again/report.json

# ---- in CI neither head's configuration nor head's file counts
echo garbage >prod.pb.gz; sed -i 's|^production:.*|production: /etc/hostname|' .flamegate.yml; changed three
checked CI=true GITHUB_ACTIONS=true
expect "in CI the target branch's profile counts" 0
check "not what head has made of it" has hot
check "what head changes is shown" grep -q "production: prod.pb.gz -> /etc/hostname" flamegate-report/report.md
git checkout -q main; sed -i 's|^production:.*|production: .//./prod.pb.gz|' .flamegate.yml; commit "with dots"; git checkout -qb dots
echo garbage >prod.pb.gz; changed dots
checked CI=true GITHUB_ACTIONS=true
expect "a path with dots is that of the target branch's commit too" 0 "production profile: .//./prod.pb.gz, which has"
check "and not head's file" has hot

# ---- a file outside: the change's build runs as the same user, and may write into it
cp "$work/prod/cpu.pb.gz" "$work/outside.pb.gz"
git checkout -q main; sed -i "s|^production:.*|production: $work/outside.pb.gz|" .flamegate.yml; commit "outside"; git checkout -qb forging
printf 'bench: main.c\n\techo forged >"%s"\n\t$(CC) -O1 -g -o bench main.c\n' "$work/outside.pb.gz" >Makefile; changed forged
checked CI=true GITHUB_ACTIONS=true
check "the change's build has written into the file" grep -qx forged "$work/outside.pb.gz"
check "but it was read before that" has hot
git checkout -q main; sed -i '/^production/d' .flamegate.yml; commit "no weights"; git checkout -qb chosen
echo "production: http://127.0.0.1:1/debug/pprof/profile" >>.flamegate.yml; changed four
checked CI=true GITHUB_ACTIONS=true
expect "in CI head cannot have a server asked" 0
check "nothing is read" has nothing
if says "production profile"; then not_ok "and nobody tried"; else ok "and nobody tried"; fi
git checkout -q main; git rm -q .flamegate.yml; commit "no configuration"; git checkout -q chosen
checked CI=true GITHUB_ACTIONS=true
expect "nor where the target branch has no configuration any more" 0 "head:.flamegate.yml"
check "nothing is read then either" has nothing
if says "production profile"; then not_ok "nor tried"; else ok "nor tried"; fi

# ---- a server, whose answer a replay does not need
mkdir -p "$work/www/debug/pprof"; cp "$work/prod/cpu.pb.gz" "$work/www/debug/pprof/profile"
python3 -u -m http.server --bind 127.0.0.1 --directory "$work/www" 0 >"$work/served" 2>&1 &
server=$!
: >>"$work/served" # the server may not have been started yet
until port=$(sed -n 's/^Serving HTTP on .* port \([0-9]*\) .*/\1/p' "$work/served") && [ -n "$port" ]; do kill -0 $server || exit 1; sleep 0.1; done
sed -i "s|^production:.*|production: http://127.0.0.1:$port/debug/pprof/profile?seconds=1|" .flamegate.yml
run "$flamegate" check --base main~2
[ "$status" = 3 ] && grep -q "^Report: " "$work/out" && status=0
kill $server; wait $server 2>/dev/null
expect "a server is asked" 0 "production profile: http://127.0.0.1:$port/debug/pprof/profile"
check "its shares stand in the measurements too" has hot
cp flamegate-report/report.json "$work/first.json"
run "$flamegate" check --replay flamegate-report/recordings -o again
check "the replay says the same without it" cmp "$work/first.json" again/report.json

# ---- what cannot be had is a note
for source in gone.pb.gz main.c 'http://127.0.0.1:1/debug/pprof/profile' 'pyroscope://127.0.0.1:1?query={service_name="x"}'; do
	sed -i "s|^production:.*|production: '$source'|" .flamegate.yml
	checked A=1
	expect "$source: the check goes on" 0
	check "$source: a note says why it weighs nothing" says "production profile: $source could not be used: "
	check "$source: nothing is stored" has nothing
done

finish
