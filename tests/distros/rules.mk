# SPDX-License-Identifier: Apache-2.0
# Other systems, each a bare one by debootstrap: what the README says the build needs, their compilers, a run and a
# check; run.sh says how. Resumes where it stopped.      DISTROS="trixie jammy" only these
.PHONY: test-distros
test-distros: packages-distros
	@bash tests/distros/run.sh $(DISTROS)
