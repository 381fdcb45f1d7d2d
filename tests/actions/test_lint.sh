#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What can be said about actions, scripts and workflows without running them.
# shellcheck disable=SC2016 # Perl's variables
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
cd "$(dirname "$0")/../.." || exit 1

scripts=(actions/*.sh actions/*/*.sh tests/actions/*.sh)
if command -v shellcheck >/dev/null; then
	check "shellcheck finds nothing in the scripts" shellcheck -x "${scripts[@]}"
else
	skip "shellcheck is not installed"
fi

actionlint=$(sh tests/actions/build.sh actionlint 2>"$work/out")
status=$?
case $status in
0) check "actionlint finds nothing in the workflows" "$actionlint" actions/examples/*.yml .github/workflows/*.yml tests/actions/workflows/*.yml ;;
3) skip "neither actionlint nor Go is installed" ;;
*) not_ok "actionlint can be built" ;;
esac

if linters=$(sh tests/actions/linters.sh 2>"$work/out"); then
	# What is low is a matter of taste: "./" or the newer "$/" for an action of the same repository.
	check "zizmor finds nothing in actions and workflows" "$linters/bin/zizmor" --offline -q --min-severity medium \
		action.yml actions/*/action.yml .github/workflows/*.yml
	check "the workflows keep to GitHub's schema" env PYTHONPATH="$linters" python3 -m check_jsonschema --builtin-schema vendor.github-workflows \
		.github/workflows/*.yml actions/examples/*.yml tests/actions/workflows/*.yml
	check "and so do the actions" env PYTHONPATH="$linters" python3 -m check_jsonschema --builtin-schema vendor.github-actions action.yml actions/*/action.yml
else
	skip "zizmor and check-jsonschema cannot be fetched"
fi

# In a script an input would be code: it must come by a variable.
for action in actions/*/action.yml; do
	check "$action has scripts of one line, without expressions" perl -ne '
		$runs++ if /^\s*run:/;
		exit 1 if /^\s*run:\s*([|>]|$)/ || /^\s*run:.*\$\{\{/;
		END { $? ||= !$runs }' "$action"
	check "$action uses nothing but actions of GitHub's, by commit" perl -ne '
		exit 1 if /^\s*(?:- )?uses:/ && !m{uses: actions/[a-z/-]+\@[0-9a-f]{40} # v[\d.]+$}' "$action"
	check "$action describes each input and gives it a default" perl -0777 -ne '
		my ($inputs) = /^inputs:\n(.*?)^\S/ms or exit 1;
		$inputs =~ s/^  +#.*\n//mg;
		for my $input (split /^(?=  \S)/m, $inputs) {
			exit 1 unless $input =~ /^    description: \S/m && $input =~ /^    default: /m;
		}' "$action"
	# What is handed over and what is read must agree: a misspelt variable would be an input that does nothing.
	folder=$(dirname "$action")
	check "$action hands over what its script reads" diff \
		<(grep -v -e FG_ENVIRONMENT -e FG_TOKEN actions/lib.sh | cat - "$folder/run.sh" | grep -oE '\bFG_[A-Z_]+' |
			grep -vx FG_ENVIRONMENT | sort -u) \
		<(perl -ne 'print "$1\n" if /^\s+(FG_[A-Z_]+):/' "$action" | sort -u |
			grep -vxE 'FG_(CACHE|UPLOAD|INSTALL|BUILD_FROM_SOURCE|KEPT|JOB_INDEX)')
	# Variables of later steps are what measured code would set, and PATH is where it would put a bash.
	check "$action: scripts read nothing of the environment before their own" perl -0777 -ne '
		for my $step (grep { /^      run:/m } split /^    - name: /m) {
			exit 1 if $step !~ m{^      shell: /bin/bash --noprofile --norc -p -e -o pipefail \{0\}$}m
				|| $step !~ m{^      run: exec /bin/bash -p }m;
			for my $name (qw(BASH_ENV LD_PRELOAD LD_AUDIT)) { exit 1 if $step !~ /^        $name: \x27\x27$/m; }
		}' "$action"
done
check "the root's action is the gate's" diff action.yml \
	<(sed -e 's,$GITHUB_ACTION_PATH/../,$GITHUB_ACTION_PATH/actions/,; s,$GITHUB_ACTION_PATH/run.sh,$GITHUB_ACTION_PATH/actions/gate/run.sh,' \
		-e '1a # actions/gate/action.yml once more, where the Marketplace looks for one: `make root-action` writes it.' actions/gate/action.yml)
# What users copy, what init writes, and what the tests map.
check "everybody names the same tag of ours" sh -c '
	[ "$(git grep -hoE "flamegate/flamegate(/actions/[a-z]+)?@v[0-9]+" -- README.md actions tests/actions | sed "s/.*@//" | sort -u)" = v1 ] &&
	[ "$(git grep -hoE "INIT_ACTIONS .*@v[0-9]+" -- gate/cli | sed "s/.*@//" | sort -u)" = v1 ]'
check "the gate never writes what a change has run" \
	perl -0777 -ne 'exit 1 if m{cache/save\@.*\n\s+with:\n\s+path: \$\{\{ steps.plan.outputs.builds \}\}}' actions/gate/action.yml

check "what runs the default branch's code is given no token" sh -c '! grep -E "token|secrets\." actions/record/action.yml | grep -v "^#"'
check "what has one takes nothing from a cache" sh -c '! grep -E "actions/cache" actions/publish/action.yml'
# After these nothing of ours runs that measured code could have changed.
for action in gate record; do
	check "$action: no script behind the measurement" perl -0777 -ne '
		my @steps = split /^    - name: /m;
		shift @steps until !@steps || $steps[0] =~ m{/run\.sh"$}m;
		exit(@steps < 2 || grep { /^      run:/m } @steps[1 .. $#steps])' "actions/$action/action.yml"
done
for script in actions/gate/run.sh actions/record/run.sh actions/publish/run.sh; do
	check "$script: bash has read all of it when it starts" [ "$(tail -n 1 "$script")" = 'main "$@"; exit "$status"' ]
done

for workflow in actions/examples/*.yml; do
	check "$workflow: no permissions but those of its job" grep -qx 'permissions: {}\( .*\)\?' "$workflow"
	check "$workflow: no credentials on the disk" grep -q 'persist-credentials: false' "$workflow"
done
check "the gate's example: contents: read" [ "$(grep -cE '^ +[a-z-]+: (read|write)( |$)' actions/examples/gate.yml)" -eq 1 ]
check "nothing is written" grep -qE '^      contents: read( |$)' actions/examples/gate.yml
permissions_of() { sed -n "/^  $1:/,/^  [a-z]*:\$/p" actions/examples/record.yml | grep -E '^      [a-z-]+: (read|write)( |$)' | sed 's/ *#.*//'; }
check "the record's example: contents: read where the project's code runs" [ "$(permissions_of record)" = "      contents: read" ]
check "contents: write, for the notes, where it does not" [ "$(permissions_of publish)" = "      contents: write" ]
check "there nothing else runs" perl -0777 -ne '
	my ($job) = /^  publish:\n(.*)/ms;
	exit(!$job || $job =~ /^ +- run:|^ +run:/m || grep { !m{^(actions/checkout|flamegate/flamegate/actions/publish)\@} } $job =~ /uses: (\S+)/g)' \
	actions/examples/record.yml
# ---- the release's workflow: who may write runs no more of the project's code than it must
job_of() { sed -n "/^  $1:/,/^  [a-z0-9]*:\$/p" .github/workflows/release.yml | sed '/^ *#/d; s/ # .*//; ${/^  [a-z0-9]*:$/d}'; }
rights_of() { job_of "$1" | grep -E '^      [a-z-]+: (read|write|none)( |$)' | sed 's/ *#.*//; s/^ *//' | paste -sd , -; }
for job in "archive=contents: read" "attest=id-token: write,attestations: write" "publish=contents: write" "take=contents: write"; do
	check "release: what ${job%%=*} may" [ "$(rights_of "${job%%=*}")" = "${job#*=}" ]
done
check "release: who tries the other processor's archive may nothing" sh -c 'echo "$1" | grep -qx "    permissions: {}"' sh "$(job_of aarch64)"
for job in aarch64 attest publish; do
	check "release: $job checks nothing out" sh -c '[ -n "$1" ] && ! echo "$1" | grep -E "checkout|actions/(release|take)\.sh|make |(run:|\&\&) sh "' sh "$(job_of $job)"
done
check "release: take runs one script" [ "$(job_of take | grep -E '^ +(- run: )?(sh|bash|make|\.) ?' | sed 's/^ *//')" = \
	'sh actions/release.sh commit "$GITHUB_REF_NAME" "$RUNNER_TEMP"/archives/*.tar.gz' ]
check "release: where code is built there are no credentials" sh -c 'echo "$1" | grep -q "persist-credentials: false"' sh "$(job_of archive)"
# What makes the archives, with a make that fails when it is given $1; a runner's shell ends with what fails, but not with
# what fails inside a list of commands.
steps=$(job_of archive | perl -0777 -ne '
	for my $step (split /^      - /m) { print $1 =~ s/^ +//gmr, "\n" if $step =~ /^run: (?:\|\n)?(.*make dist.*)/s }')
archives() (
	rm -rf "$work/released" && mkdir -p "$work/released/out" "$work/released/bin" && cd "$work/released" || exit
	cat >bin/make <<'M'
#!/bin/sh
[ "$*" != "$FAILS" ] || exit 2
case $* in *ARCH=aarch64) name=aarch64 ;; *) name=x86_64 ;; esac
mkdir -p build/dist && echo "$name" >"build/dist/flamegate-$name.tar.gz"
M
	chmod +x bin/make
	FAILS=$1 HOME=$work/released PATH=$work/released/bin:$PATH bash -e -c "$steps"
)
check "release: what makes the archives ends well where make does" archives nothing
check "release: and leaves both" [ "$(cd "$work/released/out" && echo *)" = "flamegate-aarch64.tar.gz flamegate-x86_64.tar.gz" ]
for fails in dist "dist ARCH=aarch64"; do
	run archives "$fails"
	check "release: there is none without make $fails" [ "$status" -eq 2 ]
done
for workflow in .github/workflows/*.yml; do
	check "$workflow uses nothing but actions of GitHub's, by commit, and ours" perl -ne '
		exit 1 if /^\s*(?:- )?uses:/ && !m{uses: (actions/[a-z/-]+\@[0-9a-f]{40} # v[\d.]+|\./actions/[a-z]+)$}' "$workflow"
	check "$workflow: no permissions but those of its job" grep -qx 'permissions: {}\( .*\)\?' "$workflow"
done
check "what no runner has run says so" [ "$(grep -l '^ *# .*UNTESTED' .github/workflows/*.yml | tr '\n' ' ')" = ".github/workflows/ci.yml .github/workflows/release.yml " ]
check "the queue is held, too" grep -qE '^  merge_group:( |$)' actions/examples/gate.yml

finish
