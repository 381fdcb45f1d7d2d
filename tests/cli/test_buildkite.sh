#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example of a Buildkite step, as its agent runs it: an annotation of the style that the verdict asks for.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
sources=$(cd "$(dirname "$0")/../.." && pwd)
replay=$sources/testdata/replay
mkdir "$work/bin" "$work/day" && cd "$work/day" || exit 1

# The step's command, with Buildkite's own replacement: two $ become one.
sed -n '/^    command: |$/,$p' "$sources/actions/examples/buildkite/pipeline.yml" | sed '1d; s/^      //; s/\$\$/$/g' >"$work/command"
# What it starts: a check decides on recordings here.
cat >"$work/bin/flamegate" <<STUB
#!/bin/sh
echo "\$*" >>$work/started
[ "\$1" != check ] || { [ -n "\$REPLAY" ] || exit 2; exec $flamegate check --replay "\$REPLAY"; }
exec $flamegate "\$@"
STUB
cat >"$work/bin/buildkite-agent" <<STUB
#!/bin/sh
echo "\$*" >>$work/started
cat >$work/annotation
STUB
printf '#!/bin/sh\necho "git $*" >>%s/started\n' "$work" >"$work/bin/git"
chmod +x "$work"/bin/*

# step REPLAY: as a pull request against stable
step() {
	rm -rf "$work/started" "$work/annotation" flamegate-report
	run env PATH="$work/bin:$PATH" REPLAY="$1" BUILDKITE_PULL_REQUEST_BASE_BRANCH=stable \
		BUILDKITE_PIPELINE_DEFAULT_BRANCH=main sh -e "$work/command"
}
step "$replay/slow2"
expect "a regression fails the step" 1
check "compared with the target branch" grep -qx 'check --base origin/stable' "$work/started"
check "which was fetched" grep -qx 'git fetch --quiet origin stable' "$work/started"
check "the annotation is an error" grep -qx 'annotate --context flamegate --style error' "$work/started"
check "and says what regressed" grep -q '^### FAIL: ' "$work/annotation"
step "$replay/aa"
expect "no regression passes" 0
check "with a success" grep -qx 'annotate --context flamegate --style success' "$work/started"
mkdir "$work/new" && sed 's/"outcome":"measured"/"outcome":"new"/; s/"recorded":true/"recorded":false/' "$replay/aa/check.json" >"$work/new/check.json"
step "$work/new"
expect "nothing to compare yet passes" 0
check "with neither a success nor a warning" grep -qx 'annotate --context flamegate --style info' "$work/started"
step ''
expect "a wrong configuration fails with its own status" 2
check "without an annotation" test ! -e "$work/annotation"

"$flamegate" report --from "$sources/testdata/report/json/many.json" --format buildkite >"$work/buildkite"
check "an annotation is the Markdown where that is short" cmp "$work/buildkite" "$sources/testdata/report/md/many.md"
finish
