# SPDX-License-Identifier: Apache-2.0
# The report's unit tests share hand-built results; golden files change only by `make update-golden`.

FIXTURE_report := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/report/fixture*.c))
$(UNIT_report): $(FIXTURE_report)

.PHONY: update-golden
update-golden: $(call unit_tests,report,golden)
	FLAMEGATE_UPDATE_GOLDEN=1 $<
	git --no-pager diff --stat -- testdata/report report/report.schema.json

# What tests/browser/test_viewer.sh opens in a browser.
$(BUILD)/tests/browser/make_reports: $(BUILD)/tests/browser/make_reports.o \
		$(FIXTURE_report) $(call link_room,report)
	$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,report) -lpthread -lm
TEST_PROGRAMS += $(BUILD)/tests/browser/make_reports
