#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches what other tools publish of their formats (once, into ${FLAMEGATE_SERVER_CACHE:-...}, see build.sh), and
# prints the folder's path:
#
#   node_modules/@microsoft/jest-sarif/.../sarif-2.1.0-rtm.5.json   with ajv, which validates JSON (npm)
#   junit-10.xsd                                                    Jenkins' JUnit schema (in pytest's sources, PyPI)
#   spdx/                                                           the validator of those who publish SPDX (PyPI)
#
# Exit 3 where there is no npm or no pip, or nothing can be fetched.
set -eu
command -v npm >/dev/null && python3 -m pip --version >/dev/null 2>&1 || exit 3
cache=${FLAMEGATE_SERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-servers}
target=$cache/schemas-3
if [ ! -d "$target" ]; then
	mkdir -p "$cache"
	folder=$(mktemp -d "$cache/schemas.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	cd "$folder"
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --legacy-peer-deps --prefix "$folder" \
		ajv@8.17.1 ajv-draft-04@1.0.0 @microsoft/jest-sarif@1.0.0-beta.0 >&2 || exit 3
	python3 -m pip download -q --no-deps --no-binary :all: pytest==8.3.4 >&2 || exit 3
	tar xzf pytest-8.3.4.tar.gz --strip-components=3 pytest-8.3.4/testing/example_scripts/junit-10.xsd
	rm pytest-8.3.4.tar.gz
	python3 -m pip install -q --no-deps --no-compile --target "$folder/spdx" spdx-tools==0.8.3 beartype==0.23.1 boolean.py==5.0 \
		click==8.5.1 license-expression==30.4.4 ply==3.11 pyparsing==3.3.3 pyyaml==6.0.4 rdflib==7.6.0 semantic-version==2.10.0 \
		uritools==6.1.5 xmltodict==1.0.4 >&2 || exit 3
	trap - EXIT
	# Another run may have been first: mv would put this folder into that one.
	mv -T "$folder" "$target" 2>/dev/null || rm -rf "$folder"
fi
echo "$target"
