PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS := $(VENV).docs

PIP := -m pip --quiet --disable-pip-version-check
COUNT ?= 100000
SEED ?= 0

# compiled modules are kept, whatever the environment says: the tests start hundreds of processes
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test quick docs fuzz package floors audit release-check bench bench-scale study studies pins clean

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
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto  # as many processes as cores, so one thread each

quick: $(READY)  ## lint, types, and the rooms from files to answers, without pages, browsers and documentation
	$(BIN)/ruff check .
	$(BIN)/mypy
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto tests/core tests/formats tests/counting tests/rules tests/inference tests/evaluation \
		tests/published tests/contract tests/test_api.py tests/test_structure.py

$(DOCS)/.ready: pyproject.toml docs/requirements.lock
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python $(PIP) install --require-hashes --no-deps -r docs/requirements.lock
	$(DOCS)/bin/python $(PIP) install --no-deps --no-build-isolation -e .
	$(DOCS)/bin/python $(PIP) check
	touch $@

docs: $(DOCS)/.ready  ## the site in docs/_build/html; a warning or a broken link is an error
	$(DOCS)/bin/sphinx-build -W --keep-going -q -j auto -b html docs docs/_build/html
	$(DOCS)/bin/python docs/check_links.py docs/_build/html

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

study: $(READY)  ## coverage and level of intervals, tests, bands and regions, for docs/dependence.md
	$(BIN)/python studies/dependence.py

studies: study  ## that, and of repeated attempts and groups, and the synthetic set beside its paper, for docs/coverage-repeated.md, coverage-groups.md, lausanne.md
	$(BIN)/python studies/coverage.py
	$(BIN)/python studies/groups.py
	PYTHONPATH=tests $(BIN)/python studies/lausanne.py table

COMPILE := $(VENV).pins/bin/uv pip compile --quiet --upgrade --universal --generate-hashes --no-annotate --python-version 3.11 \
	--custom-compile-command "make pins"

pins:  ## write both requirements.lock anew: the newest versions, with the hashes of all their files
	rm -rf $(VENV).pins && $(PYTHON) -m venv $(VENV).pins
	$(VENV).pins/bin/python $(PIP) install uv
	$(COMPILE) --extra dev pyproject.toml --output-file requirements.lock
	$(COMPILE) --extra docs --constraint requirements.lock pyproject.toml --output-file docs/requirements.lock
	rm -rf $(VENV).pins

clean:
	rm -rf $(VENV) $(VENV).* dist docs/_build docs/api docs/examples fuzz-failures .mypy_cache .ruff_cache .pytest_cache .hypothesis demo
