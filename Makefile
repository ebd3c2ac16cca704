# The one place for commands. Every target does its own set-up; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV  := .venv
PY    := $(VENV)/bin/python
STAMP := $(VENV)/.stamps
SETUP := tools/setup.sh

# rustup puts cargo where only a login shell looks for it.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH):$(HOME)/.cargo/bin
export PYO3_PYTHON := $(CURDIR)/$(PY)

# With it, every process compiles all modules that it imports: two thirds of the time of a command (measured).
unexport PYTHONDONTWRITEBYTECODE
# With it, tests would not see what becomes of buffered output.
unexport PYTHONUNBUFFERED

# The build of the core keeps one processor busy, and most steps wait for it: those that do not let it go first.
YIELD := nice

# make's own flags promise cargo a share of the jobs that only makes get, and cargo warns that it has none.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo

RUST_SOURCES := $(shell find rust/core/src rust/core/Cargo.toml -type f 2>/dev/null)
# All that the Rust tests and the instruction counts read.
RUST_INPUTS := $(shell find rust Cargo.toml Cargo.lock rust-toolchain.toml -type f -not -path "*/target/*" 2>/dev/null)
TREE := $(wildcard python phone js tests bench tools docs examples requirements .github *.toml *.md *.py .pre-commit-config.yaml)
# All that the linters read but for the sources in Rust, and all that the wheel is made and tested from.
LINT_INPUTS := $(shell find $(TREE) -type f -not -path "*/node_modules/*" -not -path "*/installed/*" \
	-not -path "*/__pycache__/*" -not -path "bench/results/*" -not -name "*.so" -not -name "*.log" 2>/dev/null)
WHEEL_INPUTS := $(filter python/% requirements/% pyproject.toml README.md tests/test_packaging.py,$(LINT_INPUTS))
PASSED := target/passed

.PHONY: help demo check test test-loaded test-all coverage bench apps gate fuzz lint format docs setup streams conformance clean
.PHONY: bundles lint-js lint-python lint-rust lint-core pure-test rust-test wheel wheel-test python-test browser parts pure-parts gate-parts preflight lock again

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: browser ## three sequences against a small shop in a real Chromium (ARGS="--headed" to watch)
	@$(VENV)/bin/stillframe demo $(ARGS)

check: $(STAMP)/core $(STAMP)/env-check pure-parts ## lint, types and the tests that need no browser, in about two minutes
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint pure-test

# What only computes runs side by side, since much of it keeps one core busy, such as the build of the native core; the
# tests with a browser run with nothing beside them. The checks whose result only their inputs decide do not run again
# before one of these has changed.
test: preflight ## lint, the Rust tests, instruction counts, the wheel, the Python tests with real Chromium
	@echo "stillframe: builds, lint and Rust tests run side by side, which takes minutes; each prints when it has ended" >&2
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=target setup $(addprefix $(PASSED)/,rust-test gate wheel-test lint)
	@$(MAKE) --no-print-directory python-test
	@$(SETUP) preflight

# Other cases of the property tests than `make test` has, every lane, and a new tab for each page.
test-all: export STILLFRAME_CASES = other cases
test-all: export STILLFRAME_SUMMARY := $(shell mktemp -u)
test-all: again ## all of `make test` and what it leaves out: matrices, oracles, clusters, soaks; records when it was green
	@began=$$(date +%s); $(MAKE) --no-print-directory test PYTEST_ARGS=--all; \
		$(PY) tools/record_green.py "$$began" "$$STILLFRAME_SUMMARY"; rm -f "$$STILLFRAME_SUMMARY"

bench: setup $(STAMP)/core-testing ## time stillframe beside its peers and record the figures
	@$(SETUP) bench
	PYTHONPATH=$(CURDIR)/python $(VENV)-bench/bin/python -m bench $(ARGS)

# The applications lie in bench/apps/installed (some 3 GB), which `make clean` removes.
apps: setup ## flows on real applications, installed separately (ARGS="tabulator -v" selects some); fails if one is skipped
	@$(SETUP) bench
	PYTHONPATH=$(CURDIR)/python $(VENV)-bench/bin/python -m bench.apps.flows $(or $(ARGS),--beside 3 --record flows)

# The second make sees what the first has built, and not what it is building: two builds of the core would share a folder.
$(PASSED)/rust-test: | $(STAMP)/env-demo
$(PASSED)/gate: | $(STAMP)/core
$(PASSED)/lint: $(LINT_INPUTS) | $(STAMP)/core $(STAMP)/env-check
$(PASSED)/wheel-test: $(WHEEL_INPUTS) | setup

$(addprefix $(PASSED)/,rust-test gate wheel-test lint): $(RUST_INPUTS)
	@$(MAKE) --no-print-directory $(@F)
	@mkdir -p $(@D) && touch $@

again:
	@rm -rf $(PASSED)

# After the core, because cargo makes one release build at a time.
gate: $(STAMP)/core gate-parts ## the core's instruction counts against the recorded ones (ARGS=all for 1M nodes too, --record)
	$(CARGO) run --locked --quiet --release --package stillframe-measure --bin gate -- $(ARGS)

fuzz: ## the fuzz targets, for a while each (ARGS="600 parse": seconds, targets); needs nightly Rust and cargo-fuzz
	@tools/fuzz.sh $(ARGS)

lint: lint-python lint-js lint-rust lint-core ## ruff, mypy, tsc, eslint, clippy, rustfmt, zizmor, stub, layer, test and generated-code checks

lint-python: $(STAMP)/core $(STAMP)/env-check
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(YIELD) $(PY) -m mypy --strict
	$(PY) tools/check_layers.py
	$(PY) tools/check_importers.py
	$(PY) tools/check_deadlines.py
	$(VENV)/bin/zizmor --offline --no-progress --quiet .
	$(PY) tools/check_tests.py
	$(PY) tools/check_prose.py
	$(PY) tools/generate_cdp_types.py --check
	$(PY) tools/generate_sync.py --check
	$(PY) tools/generate_mcp_table.py --check
	$(PY) tools/generate_protocol_history.py --check
	$(PY) tools/generate_page_calls.py --check

# Node.js is optional, because what the wheel holds is committed: without it, this says what is not checked.
lint-js: $(STAMP)/env-check
	@$(SETUP) js
	@$(YIELD) $(PY) tools/page_scripts.py check

bundles: $(STAMP)/env-check ## the scripts for pages, from js/src into python/stillframe/injected; needs Node.js
	@$(SETUP) js
	@$(PY) tools/page_scripts.py build
	@$(PY) tools/generate_page_calls.py

lint-rust: $(STAMP)/env-demo
	@$(SETUP) rust-tools
	$(CARGO) fmt --all --check
	$(YIELD) $(CARGO) clippy --locked --quiet --workspace --lib --bins --tests --examples --all-features -- -D warnings
	$(YIELD) $(CARGO) clippy --locked --quiet --package stillframe --lib --features python -- -D warnings

lint-core: $(STAMP)/core $(STAMP)/env-check
	$(PY) tools/check_stub.py
	$(PY) tools/generate_role_table.py --check
	$(PY) tools/generate_reference.py --check

format: $(STAMP)/env-check ## rewrite the sources the way lint wants them
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	@$(PY) tools/page_scripts.py format
	$(CARGO) fmt --all

# Nothing is loaded from the network; the last step checks that the site does not, either.
docs: $(STAMP)/core $(STAMP)/env-check $(STAMP)/env-docs ## the documentation as a site, in site/; a link that leads nowhere is an error
	$(PY) tools/generate_reference.py --check
	$(VENV)/bin/zensical build --strict --clean
	$(PY) tools/check_site.py site

# The testers and Node come from npm and PyPI, into bench/mcp/testers.
conformance: browser $(STAMP)/env-test ## testers of the Model Context Protocol against the server; needs npm and the network
	$(PY) -m bench.mcp.conformance

streams: setup ## record the settling streams again (ARGS="name ..." for some)
	$(PY) tests/settling/record_streams.py $(ARGS)

# Property tests check the same cases in every run; another seed checks others.
rust-test: export PROPTEST_RNG_SEED ?= 1
rust-test: $(STAMP)/env-demo ## only the Rust tests (PROPTEST_RNG_SEED=7 for other cases)
	$(YIELD) $(CARGO) test --locked --quiet --no-default-features

# Here a test that starts a browser without the marker `browser` fails, because its path leads nowhere.
pure-test: $(STAMP)/core $(STAMP)/env-check pure-parts ## the Python tests that need neither a browser nor many seconds (ARGS="-k login" to choose)
	@STILLFRAME_CHROME=/no/browser/in/make/pure-test \
		$(PY) -m pytest -q -m "not browser and not heavy and not serial and not wheel" -n 3 --dist worksteal tests $(ARGS)

# Two builds by maturin at once would use the same folder, so the wheel waits for the core.
wheel: $(STAMP)/core ## the wheel as it is released, in dist/
	@$(SETUP) wheel

wheel-test: setup wheel ## what the wheel holds, and that it installs and runs on the oldest and the newest Python
	@STILLFRAME_WHEEL=$$(echo dist/*.whl) $(PY) -m pytest -m wheel tests/test_packaging.py $(ARGS)

python-test: setup ## only the Python tests (ARGS="-k login" to choose)
	@tools/python_tests.sh $(PYTEST_ARGS) $(ARGS)

# The rooms whose tests wait for pages. What fails here alone bets on the speed of the machine.
test-loaded: setup ## the tests of settling, tabs and sequences on a busy machine (STILLFRAME_LOAD=3 loops; ARGS="-k …")
	@STILLFRAME_LOAD=$${STILLFRAME_LOAD:-3} tools/python_tests.sh tests/settling tests/tab tests/engine $(ARGS)

coverage: setup ## the Python tests with their coverage: a table here, pages in htmlcov (ARGS="--all" for every test)
	@rm -f .coverage .coverage.*
	@tools/python_tests.sh --cov --cov-append --cov-report= $(ARGS)
	@$(PY) -m coverage report --skip-covered --sort=cover
	@$(PY) -m coverage html --quiet

setup: browser parts $(STAMP)/env-test $(STAMP)/env-docs $(STAMP)/clients ## virtual environments, core, browser, adb, PostgreSQL and Xvfb, where they are missing

# What will be left out, and why: before anything else.
preflight:
	@$(SETUP) preflight

browser: $(STAMP)/core
	@$(SETUP) browser

# What apt brings for some tests; where it cannot, they are skipped.
parts:
	@$(SETUP) parts adb postgres display valgrind headless-shell ffmpeg

pure-parts:
	@$(SETUP) parts adb postgres

gate-parts:
	@$(SETUP) parts valgrind

lock: $(STAMP)/env-demo ## renew requirements/*.txt (ARGS=--upgrade for the newest versions)
	@tools/lock.sh $(ARGS)

# The first group makes the environment for all.
$(STAMP)/env-check $(STAMP)/env-test $(STAMP)/env-docs: $(STAMP)/env-demo

$(STAMP)/env-%: requirements/%.txt
	@$(SETUP) env $*
	@mkdir -p $(@D) && touch $@

# The script touches the stamp, unless npm cannot be reached.
$(STAMP)/clients: $(STAMP)/env-test requirements/clients.txt tests/mcp/clients/package-lock.json
	@$(SETUP) clients

# The script touches the stamp, unless it takes the core from a wheel in dist/ for want of Rust.
$(STAMP)/core: $(STAMP)/env-demo pyproject.toml Cargo.toml Cargo.lock $(RUST_SOURCES)
	@$(SETUP) core

$(STAMP)/core-testing: $(STAMP)/core
	@$(SETUP) core testing

clean: ## remove everything that was built, the virtual environment included
	rm -rf $(VENV) $(VENV)-bench $(VENV)-clients js/node_modules target dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf bench/settle/rivals/node_modules bench/settle/rivals/install.log
	rm -rf bench/locators/node_modules bench/locators/install.log
	rm -rf bench/mcp/testers/node_modules bench/mcp/testers/.venv
	rm -rf tests/mcp/clients/node_modules tests/mcp/clients/install.log
	rm -rf bench/apps/installed bench/farm/installed bench/miniwob/installed bench/todomvc/installed bench/results/reading
	rm -f python/stillframe/_core*.so
	find python phone tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} +
