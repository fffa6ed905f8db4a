# SPDX-License-Identifier: BSD-3-Clause
# The two commands of the README, and the ones that developers use every day. CMake does the work.
#   make demo     installs what is missing, builds, runs jacobi3d on 4 ranks x 2 host devices, writes a picture
#   make test     installs what is missing, builds the tests, runs them and prints how many passed
# Variables: MPI=OFF (one process), JOBS=n (compilers at once), TESTS=regex (only these), HOURS=n (of make reliability), COUNT=n and SEED=n (of make mutants), CONFIGURE="-D..."
MPI ?= AUTO
JOBS ?= $(shell scripts/jobs.sh)
CONFIGURE ?=
TESTS ?=
HOURS ?= 0
COUNT ?= 120
SEED ?= 1
SIZE ?= 128 128 128
STEPS ?= 200
BUILD := build/release
PICTURE := build/jacobi3d.png

# A launcher's ranks see no terminal, so the bar is asked for where there is one.
PROGRESS := $(shell test -t 2 && echo bar || echo lines)
GPUS := $(shell nvidia-smi -L 2>/dev/null | grep -q '^GPU' && echo yes)
JACOBI = $(BUILD)/bin/halocline run jacobi3d --backend host --size $(SIZE) --steps $(STEPS) --check --picture $(PICTURE) --progress $(PROGRESS)
CONFIGURE_WITH = scripts/configure.sh $(BUILD) $(1) -DHALOCLINE_MPI=$(MPI) $(CONFIGURE)
INSTALL = MPI=$(MPI) scripts/install_dependencies.sh

.DEFAULT_GOAL := build
.PHONY: help build demo test packages models configured reliability mutants coverage bench docs format lint clean
# Goals share one build folder: one at a time. Within one, JOBS compilers run at once.
.NOTPARALLEL:

help: ## what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

build: configured ## everything, tests and benchmarks included (release)
	@cmake --build $(BUILD) --parallel $(JOBS)

configured:
	@$(INSTALL) build test
	@scripts/python_environment.sh build/python
	@$(call CONFIGURE_WITH,all)

demo: ## jacobi3d on 4 ranks x 2 devices, checked, with a picture of a slice
	@$(INSTALL) build
	@$(call CONFIGURE_WITH,demo)
	@cmake --build $(BUILD) --parallel $(JOBS) --target bin/halocline
	@rm -f $(PICTURE)
ifeq ($(MPI),OFF)
	$(JACOBI) --devices 8
else
	scripts/mpirun.sh -n 4 $(JACOBI) --devices-per-rank 2
endif
	@test -s $(PICTURE) || { echo "make demo: no picture was written to $(PICTURE)" >&2; exit 1; }

test: configured ## all tests but those of packages and models, and those for GPUs where there is one; none at all is a failure
	@cmake --build $(BUILD) --parallel $(JOBS) $(if $(TESTS)$(GPUS),,--target checks)
	@scripts/run_tests.sh $(BUILD) $(if $(TESTS),-R '$(TESTS)',-LE '^(packages|model$(if $(GPUS),,|gpu))$$')

packages: build ## the tests of what is installed, by CMake, pkg-config, pip and wheels, and as a subproject
	@scripts/run_tests.sh $(BUILD) -L '^packages$$'

models: configured ## the protocols, by a model checker, in all their states
	@scripts/run_tests.sh $(BUILD) -L '^model$$'

reliability: build ## seeds that no run has tried: 25 minutes, or HOURS; docs/reliability.md has what came out
	@python3 tests/reliability/run.py $(BUILD) --jobs $(JOBS) --minutes $$(($(HOURS) > 0 ? $(HOURS) * 60 : 25))

# Of Python's packages only drawing needs one; a folder build/mutants that is there can be run without.
MUTANTS := build/mutants
mutants: ## mutants of the library, all compiled at once, and which of them the suites kill: COUNT of them (120), drawn by SEED (1)
	@$(INSTALL) build test
	@test -x $(MUTANTS)/python/bin/pip || python3 -m venv $(MUTANTS)/python
	@$(MUTANTS)/python/bin/pip install --quiet --disable-pip-version-check -r tests/reliability/mutants/requirements.txt
	@$(MUTANTS)/python/bin/python -B tests/reliability/mutants/mutants.py draw $(MUTANTS) --count $(COUNT) --seed $(SEED) --jobs $(JOBS) --mpi $(MPI)
	@python3 -B tests/reliability/mutants/mutants.py run $(MUTANTS) --out $(MUTANTS)/results-$(SEED).jsonl --jobs $$((($(JOBS) + 1) / 2))
	@python3 -B tests/reliability/mutants/mutants.py report $(MUTANTS) $(MUTANTS)/results-$(SEED).jsonl

# Not the tests that run none of the library's code here. Tests with limits of time may fail in this build; what they ran counts.
COVERAGE := build/coverage
coverage: ## the lines and branches of src that the tests run on this machine: build/coverage/report
	@$(INSTALL) build test
	@test -x $(COVERAGE)/python/bin/pip || python3 -m venv $(COVERAGE)/python
	@$(COVERAGE)/python/bin/pip install --quiet --disable-pip-version-check -r tests/reliability/coverage/requirements.txt
	@cmake --preset coverage -DHALOCLINE_MPI=$(MPI)
	@cmake --build $(COVERAGE) --parallel $(JOBS) --target checks
	@find $(COVERAGE) -name '*.gcda' -delete
	@LD_PRELOAD=$(CURDIR)/$(COVERAGE)/tests/reliability/coverage/libhalocline_coverage_ends.so scripts/run_tests.sh $(COVERAGE) -LE '^(packages|model|gpu|docs|headers|layering|litmus)$$' || true
	@$(COVERAGE)/python/bin/python -B tests/reliability/coverage/coverage.py $(COVERAGE) $(COVERAGE)/report

bench: build ## halocline's transports beside the same exchange in plain MPI
	scripts/mpirun.sh -n 2 $(BUILD)/bin/bench_exchange_baselines

docs: ## the documentation site, with a reference of the headers: build/docs/html/index.html
	@scripts/install_dependencies.sh docs
	@python3 docs/reference/build.py . build/docs

format: ## formats all C++ files
	@scripts/lint.sh format

lint: build ## formatting and clang-tidy, as CONTRIBUTING.md asks for before a commit
	@scripts/install_dependencies.sh lint
	@scripts/lint.sh check $(BUILD)

clean: ## removes all that was built
	rm -rf build
