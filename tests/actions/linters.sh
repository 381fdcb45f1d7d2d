#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches what else can be said about workflows and actions without running them (once, into ${FLAMEGATE_SERVER_CACHE:-...},
# see build.sh) from PyPI, and prints the folder's path: bin/zizmor, and the Python module check_jsonschema. Exit 3 where there
# is no pip, or nothing can be fetched.
set -eu
python3 -m pip --version >/dev/null 2>&1 || exit 3
cache=${FLAMEGATE_SERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-servers}
target=$cache/linters-$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ ! -d "$target" ]; then
	mkdir -p "$cache"
	folder=$(mktemp -d "$cache/linters.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	python3 -m pip install -q --disable-pip-version-check --target "$folder" zizmor==1.32.0 check-jsonschema==0.39.0 >&2 || exit 3
	trap - EXIT
	# Another run may have been first: mv would put this folder into that one.
	mv -T "$folder" "$target" 2>/dev/null || rm -rf "$folder"
fi
echo "$target"
