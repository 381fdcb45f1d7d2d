# SPDX-License-Identifier: Apache-2.0
# The report's unit tests share hand-built results; golden files change only by `make update-golden`.

$(UNIT_report): $(BUILD)/tests/unit/report/fixture.o

.PHONY: update-golden
update-golden: $(BUILD)/tests/unit/report/test_golden
	FLAMEGATE_UPDATE_GOLDEN=1 $<
	git --no-pager diff --stat -- testdata/report

# What tests/browser/test_viewer.sh opens in a browser.
$(BUILD)/tests/browser/make_reports: $(BUILD)/tests/browser/make_reports.o \
		$(BUILD)/tests/unit/report/fixture.o $(call link_room,report)
	$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,report) -lpthread -lm
TEST_PROGRAMS += $(BUILD)/tests/browser/make_reports
