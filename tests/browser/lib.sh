# SPDX-License-Identifier: Apache-2.0
# A headless browser for the tests of the report's page. Source it; it is TAP by tests/cli/lib.sh.
# shellcheck shell=bash
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "1..0 # SKIP no chromium"
	exit 0
}

# open_page FILE: the page as the browser has it after its scripts ran in $work/dom, and what it
# complained of in $work/log
open_page() {
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$work/profile" --enable-logging=stderr --v=0 \
		--virtual-time-budget=5000 --dump-dom "file://$1" >"$work/dom" 2>"$work/log"
}

# open_driven FILE DRIVER [HASH]: a copy without the policy, which would not let the driver run; an alert leaves
# its mark even before the driver is there
open_driven() {
	local watch='<script>window.alert = () => { document.documentElement.dataset.alerted = "yes"; };<\/script>'
	{
		sed -e '/Content-Security-Policy/d' -e '/<\/body>/,$d' -e "s/<head>/<head>$watch/" "$1"
		echo '<script>'
		cat "$here/$2"
		echo '</script></body></html>'
	} >"$work/driven.html"
	open_page "$work/driven.html${3-}"
}
