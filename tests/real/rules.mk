# SPDX-License-Identifier: Apache-2.0
# Programs of Debian that nobody here wrote, with and without the preload; tests/real/run.sh says how. A small form
# of it is a test (test_real.sh).
#
#   make bench-real          all, half an hour; resumes where it stopped     REAL="git redis" only these
#   make go-programs         fetches and builds the Go programs, for its tests, which never do
.PHONY: bench-real bench-real-run go-programs
go-programs:
	@sh tests/real/go.sh
bench-real: packages-real go-programs
	@$(MAKE) --no-print-directory bench-real-run
bench-real-run: $(SAMPLER_TEST_FILES)
	@bash tests/real/run.sh $(REAL)
