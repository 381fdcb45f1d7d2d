# SPDX-License-Identifier: Apache-2.0
# Measurements; none of them decides a test. Results: tests/bench/RESULTS.md.
#
#   make bench          a stack walk beside glibc's backtrace(), and the simulated screens (a short form)
#   make bench-pair     what taking turns gains over whole runs, on three programs; resumes where it stopped
#   make bench-verdict  the verdict's simulation, beside the specification's table; resumes where it stopped
#   make bench-report   large reports: rendered, opened in a headless browser, beside others
#   make bench-dist     the release's archive: its size, and how long a start from it takes
#   make bench-stories  scripted and real changes: every sentence of their reports, checked by other means
#   make bench-suites   unmodified suites from registries, from `init --try` to a verdict; hours, resumes
#   make bench-verdict-real  live checks of real programs, and what others would have said; hours, resumes
.PHONY: bench bench-pair
bench: $(addprefix $(BUILD)/tests/bench/bench_,unwind screen)
	$(BUILD)/tests/bench/bench_unwind
	$(BUILD)/tests/bench/bench_screen $(if $(GATES),$(GATES),200)

bench-pair: all $(BUILD)/tests/bench/bench_pair
	FLAMEGATE_LIBRARY=$(abspath $(BUILD))/libflamegate.so $(BUILD)/tests/bench/bench_pair $(BUILD)/bench-pair $(PAIRS)
$(BUILD)/tests/bench/bench_pair: $(BUILD)/tests/bench/bench_pair.o $(call link_room,check)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,check)

$(BUILD)/tests/bench/bench_unwind: $(BUILD)/tests/bench/bench_unwind.o \
		$(filter-out %/preload.o %/interpose_%.o,$(SAMPLER_OBJECTS))
	$(Q)$(CC) -o $@ $^ -ldl -lpthread

# The fixed work of flamegate's own gate, see .flamegate.yml.
$(BUILD)/tests/bench/own_work: $(BUILD)/tests/bench/own_work.o $(call link_room,profile)
	$(Q)$(CC) -o $@ $^ $(call libs_room,profile)

# Baselines in git notes: bench_notes.sh says what is measured; the year takes some minutes.
.PHONY: bench-notes bench-notes-year
bench: bench-notes
bench-notes bench-notes-year: $(BUILD)/tests/bench/bench_notes $(BUILD)/tests/baseline/push_records
	@bash tests/bench/bench_notes.sh $(abspath $(BUILD)) $(abspath $(BUILD))/$@ \
		$(if $(filter bench-notes-year,$@),year,lookup)
$(BUILD)/tests/bench/bench_notes: $(BUILD)/tests/bench/bench_notes.o $(call link_room,baseline)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,baseline)

.PHONY: bench-dist
bench-dist: dist
	@bash tests/bench/dist.sh $(BUILD)

-include tests/bench/sampler/rules.mk tests/bench/verdict/rules.mk tests/bench/real/rules.mk tests/bench/report/rules.mk tests/bench/stories/rules.mk tests/bench/suites/rules.mk
