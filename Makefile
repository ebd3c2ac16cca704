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

.PHONY: help demo test bench apps gate fuzz lint format setup rust-test python-test clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: setup ## three sequences against a small shop in a real Chromium (ARGS="--headed" to watch)
	@$(VENV)/bin/stillframe demo $(ARGS)

# What only computes goes side by side, since much of it keeps one core busy; the browser's tests have the machine alone.
test: ## lint, the Rust tests, instruction counts, the Python tests with real Chromium
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint rust-test gate
	@$(MAKE) --no-print-directory python-test

bench: setup ## time stillframe beside its peers and record the figures
	@$(SETUP) bench
	PYTHONPATH=$(CURDIR)/python $(VENV)-bench/bin/python -m bench $(ARGS)

# The applications lie in bench/apps/installed (some 1.7 GB), which `make clean` removes.
apps: setup ## flows on real applications, installed apart (ARGS="tabulator -v" for some); fails if one is left out
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
	cargo fmt --all --check
	cargo clippy --locked --quiet --workspace --lib --bins --tests --examples --all-features -- -D warnings

format: $(STAMP)/env ## rewrite the sources the way lint wants them
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	cargo fmt --all

rust-test: $(STAMP)/env ## the Rust tests alone
	cargo test --locked --quiet --no-default-features

python-test: setup ## the Python tests alone (ARGS="-k login" to choose)
	@tools/python_tests.sh $(ARGS)

setup: $(STAMP)/core ## virtual environment, native core and browser, where they are missing
	@$(SETUP) browser

$(STAMP)/env: $(SETUP) requirements-dev.lock
	@$(SETUP) env
	@mkdir -p $(@D) && touch $@

$(STAMP)/core: $(STAMP)/env pyproject.toml Cargo.toml Cargo.lock $(RUST_SOURCES)
	@$(SETUP) core
	@touch $@

clean: ## remove everything that was built, the virtual environment included
	rm -rf $(VENV) $(VENV)-bench target dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf bench/settle/rivals/node_modules bench/settle/rivals/install.log
	rm -rf bench/locators/node_modules bench/locators/install.log
	rm -rf bench/apps/installed bench/results/reading
	rm -f python/stillframe/_core*.so
	find python tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} +
