PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

PIP := -m pip --quiet --disable-pip-version-check
COUNT ?= 100000
SEED ?= 0

.PHONY: demo test fuzz package floors audit release-check bench bench-scale study pins clean

$(READY): pyproject.toml requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) install --require-hashes --no-deps -r requirements.lock
	$(BIN)/python $(PIP) install --no-deps --no-build-isolation -e .
	$(BIN)/python $(PIP) check
	touch $@

demo: $(READY)  ## the main job on an example made on the spot
	$(BIN)/python examples/demo.py

test: $(READY)  ## lint, types and all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto

fuzz: $(READY)  ## damaged files and odd commands, COUNT of them from SEED; what fails is kept in fuzz-failures, AGAIN=target/seed/number repeats it
	PYTHONPATH=tests $(BIN)/python -m fuzzing.run $(if $(AGAIN),--again $(AGAIN),--count $(COUNT) --seed $(SEED))

package: $(READY)  ## sdist and wheel, checked; the wheel alone used in a fresh environment, with the demo and a plugin; DIST=dist keeps them
	DIST=$(DIST) .ci/package

floors:  ## all tests with the lowest versions that pyproject.toml allows
	rm -rf $(VENV).floors && $(PYTHON) -m venv $(VENV).floors
	$(VENV).floors/bin/python $(PIP) install $$($(PYTHON) .ci/floors.py) hatchling hypothesis playwright pytest pytest-xdist
	$(VENV).floors/bin/python $(PIP) install --no-deps -e .
	$(VENV).floors/bin/pytest -n auto -W ignore::DeprecationWarning

audit:  ## known vulnerabilities of the pinned versions; needs the network
	rm -rf $(VENV).audit && $(PYTHON) -m venv $(VENV).audit
	$(VENV).audit/bin/python $(PIP) install pip-audit
	$(VENV).audit/bin/pip-audit --strict --disable-pip --require-hashes -r requirements.lock

release-check: test fuzz package floors audit  ## all that must hold before a release; hours

bench: $(READY)  ## speed and memory against the peers; makes a venv of their own the first time
	$(BIN)/python benchmarks/run.py

bench-scale: $(READY)  ## exact curves of 10^7 to 10^9 scores in Parquet against Polars, DuckDB and reading alone; needs 40 GB of disk
	$(BIN)/python benchmarks/scale.py

study: $(READY)  ## coverage and level of intervals and tests, the synthetic set beside its paper, for docs/individuals.md, dependence.md, benchmark.md; 40 minutes
	$(BIN)/python studies/coverage.py
	$(BIN)/python studies/dependence.py
	PYTHONPATH=tests $(BIN)/python studies/lausanne.py table

pins:  ## write requirements.lock anew: the newest versions, with the hashes of all their files
	rm -rf $(VENV).pins && $(PYTHON) -m venv $(VENV).pins
	$(VENV).pins/bin/python $(PIP) install uv
	$(VENV).pins/bin/uv pip compile --quiet --upgrade --universal --generate-hashes --no-annotate --python-version 3.11 \
		--custom-compile-command "make pins" --extra dev pyproject.toml --output-file requirements.lock
	rm -rf $(VENV).pins

clean:
	rm -rf $(VENV) $(VENV).* dist fuzz-failures .mypy_cache .ruff_cache .pytest_cache .hypothesis demo
