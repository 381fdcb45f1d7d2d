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
0) check "actionlint finds nothing in the workflows" "$actionlint" actions/examples/*.yml tests/actions/workflows/*.yml ;;
3) skip "neither actionlint nor Go is installed" ;;
*) not_ok "actionlint can be built" ;;
esac

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
		<(grep -ohE '\bFG_[A-Z_]+' "$folder/run.sh" actions/lib.sh | sort -u) \
		<(perl -ne 'print "$1\n" if /^\s+(FG_[A-Z_]+):/' "$action" | sort -u |
			grep -vxE 'FG_(STATUS|CACHE|UPLOAD|INSTALL|JOB_INDEX)')
done
check "the gate never writes what a change has run" \
	perl -0777 -ne 'exit 1 if m{cache/save\@.*\n\s+with:\n\s+path: \$\{\{ steps.plan.outputs.arms \}\}}' actions/gate/action.yml

check "record's token is with the push alone" perl -0777 -ne '
	my @with = grep { /FG_TOKEN/ } split /^    - name: /m;
	exit(@with != 1 || $with[0] !~ /run\.sh" push$/m)' actions/record/action.yml

for workflow in actions/examples/*.yml; do
	check "$workflow: no permissions but those of its job" grep -qx 'permissions: {}\( .*\)\?' "$workflow"
	check "$workflow: no credentials on the disk" grep -q 'persist-credentials: false' "$workflow"
done
check "the gate's example: contents: read" [ "$(grep -cE '^ +[a-z-]+: (read|write)( |$)' actions/examples/gate.yml)" -eq 1 ]
check "nothing is written" grep -qE '^      contents: read( |$)' actions/examples/gate.yml
check "the record's example: contents: write" [ "$(grep -cE '^ +[a-z-]+: (read|write)( |$)' actions/examples/record.yml)" -eq 1 ]
check "for the notes" grep -qE '^      contents: write( |$)' actions/examples/record.yml
check "the queue is held, too" grep -qE '^  merge_group:( |$)' actions/examples/gate.yml

finish
