# SPDX-License-Identifier: Apache-2.0
# The report's page in a real browser. `make test` and `make test-long` run these too, where there is a browser; here it is installed.
BROWSER_SCRIPTS := $(sort $(wildcard tests/browser/test_*.sh))
.PHONY: test-browser test-browser-run
test-browser: packages-test packages-browser
	@$(MAKE) --no-print-directory -j2 test-browser-run
test-browser-run: all $(BUILD)/tests/browser/make_reports
	@perl tests/run.pl --jobs $(JOBS) $(BROWSER_SCRIPTS)

# The pictures of report/gallery, which are committed.
.PHONY: gallery gallery-run
gallery: packages-build packages-gallery
	@$(MAKE) --no-print-directory -j2 gallery-run
gallery-run: all $(BUILD)/tests/browser/make_reports
	@sh report/gallery/make.sh $(BUILD)
