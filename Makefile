PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test bench bench-scale study pins clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

demo: $(READY)  ## the main job on an example made on the spot
	$(BIN)/python examples/demo.py

test: $(READY)  ## lint, types and all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto

bench: $(READY)  ## speed and memory against the peers; makes a venv of their own the first time
	$(BIN)/python benchmarks/run.py

bench-scale: $(READY)  ## exact curves of 10^7 to 10^9 scores in Parquet against Polars, DuckDB and reading alone; needs 40 GB of disk
	$(BIN)/python benchmarks/scale.py

study: $(READY)  ## coverage and level of intervals and tests, the synthetic set beside its paper, for docs/individuals.md, dependence.md, benchmark.md; 40 minutes
	$(BIN)/python studies/coverage.py
	$(BIN)/python studies/dependence.py
	PYTHONPATH=tests $(BIN)/python studies/lausanne.py table

pins:  ## write constraints.txt anew from the newest versions
	rm -rf $(VENV).pins && $(PYTHON) -m venv $(VENV).pins
	$(VENV).pins/bin/python -m pip install --quiet --disable-pip-version-check -e ".[dev]" hatchling
	$(VENV).pins/bin/python -m pip freeze --exclude-editable > constraints.txt
	rm -rf $(VENV).pins

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis demo
