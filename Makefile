# Everything from a fresh clone: each target builds what it needs.
VENV   := .venv
BIN    := $(VENV)/bin
PYTHON ?= python3
LOCK   := requirements/lock.txt
# torch first and pinned, so that no later requirement pulls another build of it.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(LOCK)

.PHONY: demo test test-slow check format bench docs clean
.DEFAULT_GOAL := test

$(VENV)/.package: pyproject.toml $(LOCK)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) torch
	$(INSTALL) -e .
	touch $@

$(VENV)/.tools: $(VENV)/.package
	$(INSTALL) -e ".[dev,docs]"
	touch $@

demo: $(VENV)/.package
	rm -rf runs/demo
	$(BIN)/pingda fit digits -o runs/demo
	$(BIN)/pingda evaluate runs/demo

check: $(VENV)/.tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: check
	$(BIN)/pytest

test-slow: check
	$(BIN)/pytest --slow

format: $(VENV)/.tools
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.package
	$(BIN)/pingda bench -o benchmarks/RESULTS.json

docs: $(VENV)/.tools
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site
