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

RUST_SOURCES := $(shell find rust/src build.rs -name "*.rs" 2>/dev/null)

.PHONY: help demo check test bench apps gate fuzz lint format docs setup clean
.PHONY: pure-test rust-test wheel wheel-test python-test test-loaded browser adb postgres display

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: browser ## three sequences against a small shop in a real Chromium (ARGS="--headed" to watch)
	@$(VENV)/bin/stillframe demo $(ARGS)

check: ## lint, types and the tests that need no browser, in under two minutes
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint pure-test

# What only computes runs side by side, since much of it keeps one core busy; the tests with a browser run with nothing
# beside them.
test: ## lint, the Rust tests, instruction counts, the wheel, the Python tests with real Chromium
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint rust-test gate wheel
	@$(MAKE) --no-print-directory wheel-test
	@$(MAKE) --no-print-directory python-test

bench: setup ## time stillframe beside its peers and record the figures
	@$(SETUP) bench
	PYTHONPATH=$(CURDIR)/python $(VENV)-bench/bin/python -m bench $(ARGS)

# The applications lie in bench/apps/installed (some 1.7 GB), which `make clean` removes.
apps: setup ## flows on real applications, installed separately (ARGS="tabulator -v" selects some); fails if one is skipped
	@$(SETUP) bench
	PYTHONPATH=$(CURDIR)/python $(VENV)-bench/bin/python -m bench.apps.flows $(or $(ARGS),--beside 3 --record flows)

gate: $(STAMP)/env ## the core's instruction counts against the recorded ones (ARGS=all for 1M nodes too, --record)
	@$(SETUP) valgrind
	cargo run --locked --quiet --release --package stillframe-measure --bin gate -- $(ARGS)

fuzz: ## the fuzz targets, for a while each (ARGS="600 parse": seconds, targets); needs nightly Rust and cargo-fuzz
	@tools/fuzz.sh $(ARGS)

lint: $(STAMP)/core ## ruff, mypy, clippy, rustfmt, stub, layer and generated-code checks
	@$(SETUP) rust-tools
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict
	$(PY) tools/check_layers.py
	$(PY) tools/check_stub.py
	$(PY) tools/generate_cdp_types.py --check
	$(PY) tools/generate_sync.py --check
	$(PY) tools/generate_protocol_history.py --check
	$(PY) tools/generate_reference.py --check
	cargo fmt --all --check
	cargo clippy --locked --quiet --workspace --lib --bins --tests --examples --all-features -- -D warnings

format: $(STAMP)/env ## rewrite the sources the way lint wants them
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	cargo fmt --all

# Nothing is loaded from the network; the last step checks that the site does not, either.
docs: $(STAMP)/core ## the documentation as a site, in site/; a link that leads nowhere is an error
	$(PY) tools/generate_reference.py --check
	$(VENV)/bin/zensical build --strict --clean
	$(PY) tools/check_site.py site

streams: setup ## record the settling streams again (ARGS="name ..." for some)
	$(PY) tests/settling/record_streams.py $(ARGS)

# Property tests check the same cases in every run; another seed checks others.
rust-test: export PROPTEST_RNG_SEED ?= 1
rust-test: $(STAMP)/env ## only the Rust tests (PROPTEST_RNG_SEED=7 for other cases)
	cargo test --locked --quiet --no-default-features

# No browser is to be had here: a test that starts one without the marker `browser` fails.
pure-test: adb postgres ## the Python tests that need no browser (ARGS="-k login" to choose)
	@STILLFRAME_CHROME=/no/browser/in/make/pure-test \
		$(PY) -m pytest -q -m "not browser and not serial and not wheel" -n 2 --dist worksteal tests $(ARGS)

wheel: $(STAMP)/env ## the wheel as it is released, in dist/
	@rm -rf dist
	@$(VENV)/bin/maturin build --quiet --profile dist --locked --out dist

wheel-test: setup wheel ## what the wheel holds, and that it installs and runs on the oldest and the newest Python
	@STILLFRAME_WHEEL=$$(echo dist/*.whl) $(PY) -m pytest -m wheel tests/test_packaging.py $(ARGS)

python-test: setup ## only the Python tests (ARGS="-k login" to choose)
	@tools/python_tests.sh $(ARGS)

# The rooms whose tests wait for pages. What fails here alone bets on the speed of the machine.
test-loaded: setup ## the tests of settling, tabs and sequences on a busy machine (STILLFRAME_LOAD=3 loops; ARGS="-k …")
	@STILLFRAME_LOAD=$${STILLFRAME_LOAD:-3} tools/python_tests.sh tests/settling tests/tab tests/engine $(ARGS)

setup: browser adb postgres display ## virtual environment, core, browser, adb, PostgreSQL and Xvfb, where they are missing

browser: $(STAMP)/core
	@$(SETUP) browser

adb: $(STAMP)/core
	@$(SETUP) adb

postgres:
	@$(SETUP) postgres

display:
	@$(SETUP) display

$(STAMP)/env: $(SETUP) requirements-dev.lock
	@$(SETUP) env
	@mkdir -p $(@D) && touch $@

$(STAMP)/core: $(STAMP)/env pyproject.toml Cargo.toml Cargo.lock $(RUST_SOURCES)
	@$(SETUP) core
	@touch $@

clean: ## remove everything that was built, the virtual environment included
	rm -rf $(VENV) $(VENV)-bench target dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf bench/settle/rivals/node_modules bench/settle/rivals/install.log
	rm -rf bench/locators/node_modules bench/locators/install.log
	rm -rf bench/apps/installed bench/farm/installed bench/miniwob/installed bench/todomvc/installed bench/results/reading
	rm -f python/stillframe/_core*.so
	find python tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} +
