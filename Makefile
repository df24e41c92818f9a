.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

help: ## Show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(VENV)/made: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@# pytest compiles its plugins anew at each start until one may write bytecode.
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q --collect-only -p no:cacheprovider Makefile > /dev/null 2>&1 || true
	@touch $@

run: $(VENV)/made ## Heal a copy of a bundled broken project and show the diff
	@$(BIN)/python -m benchmarks.demo

test: $(VENV)/made ## Run the tests
	$(BIN)/python -m pytest -q -n auto --dist worksteal $(ARGS)

lint: $(VENV)/made ## Check lint, format, imports and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

bench-repair: $(VENV)/made ## Heal real bugs of real packages and count the right patches
	$(BIN)/python -m benchmarks.repair $(ARGS)

bench-releases: $(VENV)/made ## Heal real bugs between releases of other packages
	$(BIN)/python -m benchmarks.repair --manifest benchmarks/releases.json --kind all $(ARGS)

bench-wrong: $(VENV)/made ## Heal the bundled projects whose answers are wrong (ARGS="NAME ...")
	$(BIN)/python -m benchmarks.wrong $(ARGS)

bench-priors: $(VENV)/made ## Count how often templates are right where they apply, next to their priors
	$(BIN)/python -m benchmarks.priors $(ARGS)

bench: $(VENV)/made ## Measure diagnosis, the whole run, logs and the warm runner
	$(BIN)/python -m benchmarks

reports: $(VENV)/made ## Write docs/reports.md from bundled broken projects
	$(BIN)/python -m benchmarks.reports $(ARGS)

chaos: $(VENV)/made ## Kill the real command line at random instants (ARGS="KILLS SEED")
	$(BIN)/python -m benchmarks.chaos $(ARGS)

crash: $(VENV)/made ## Stop the crash model at each change to the disk, whatever is lost then
	SELFDEBUG_EACH_CHANGE=1 $(BIN)/python -m pytest -q -n auto --dist worksteal tests/workspace/test_crash.py

fuzz: $(VENV)/made ## Try all codemods at random places of real files (ARGS="FILES SEED PYTHON ...")
	$(BIN)/python -m benchmarks.fuzz $(ARGS)

logfuzz: $(VENV)/made ## Diagnose broken, forged and huge logs (ARGS="LOGS SEED MEGABYTES")
	$(BIN)/python -m benchmarks.fuzz_logs $(ARGS)

clean: ## Remove what was made
	rm -rf $(VENV) .venvs build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache

.PHONY: help run test lint fuzz logfuzz chaos crash bench bench-priors bench-repair bench-releases \
	bench-wrong reports clean
