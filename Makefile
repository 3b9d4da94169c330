# The front door. `make` alone lists what there is.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
JOBS ?= auto
# The crash tests count what was synced; nobody has to wait for a disk.
IN_MEMORY = $(shell test -w /dev/shm && echo /dev/shm || echo $${TMPDIR:-/tmp})

.PHONY: help setup demo test lint coverage test-crash soak format bench bench-redact docs e2e-claude nix build clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

setup: ## Make the development environment in .venv
	@scripts/venv $(VENV) $(PYTHON)

demo: setup ## Show the whole pipeline on a bundled session, with no model
	@$(BIN)/memd demo

test: setup ## Run all tests
	@$(BIN)/python -m pytest -q -n $(JOBS)

lint: setup ## ruff, mypy --strict, import contracts, generated files
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python scripts/docs.py --check

coverage: setup ## Tests with branch coverage and its limits
	@$(BIN)/coverage erase
	@$(BIN)/python -m pytest -q -n $(JOBS) --cov --cov-report=
	@$(BIN)/coverage report --fail-under=95
	@$(BIN)/coverage report --fail-under=100 --include='*/memd/guard*,*/memd/redact*,*/memd/inbox.py,*/memd/fsio.py,*/memd/store/*'

test-crash: setup ## Stops, power losses and kills at every point (CRASH_SEED repeats a run)
	@TMPDIR=$(IN_MEMORY) $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal \
	  -o tmp_path_retention_count=1 -o tmp_path_retention_policy=failed tests/crash

soak: setup ## Ten minutes of everything at once (SOAK_SECONDS)
	@PYTHONPATH=tests $(BIN)/python -m soak

bench-redact: setup ## Recall, false hits and speed of redaction
	@$(BIN)/python bench/redact.py

format: setup ## Format the code
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

bench: setup ## Measure memd beside a bare interpreter (QUICK=1: under a minute)
	@$(BIN)/python -m bench $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

docs: setup ## Regenerate the tables and the schema
	@$(BIN)/python scripts/docs.py

e2e-claude: setup ## A real session of the real claude CLI against a local stub (needs npm)
	@tests/claude/run $(BIN)

nix: setup ## Evaluate the flake, build what can be built, run its timer (root, Debian)
	@scripts/nix-ci $(BIN)/memd

build: setup ## Wheel and sdist in dist/
	@$(BIN)/python -m pip install --quiet build
	@$(BIN)/python -m build --quiet --outdir dist .

clean: ## Remove what the targets made
	@rm -rf $(VENV) dist .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis
