# Two commands matter: `make play` and `make test`. Each sets up all it needs in .venv.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test postgres check format bench mutants soak soak-kernel golden lock clean

play: .venv/play
	@$(BIN)/patchwork play

test: check postgres
	$(BIN)/pytest -n 2 --cov --cov-report=term

# Tests of the server need PostgreSQL's programs, not a running one. Root on Debian installs them,
# without the cluster that Debian would start; elsewhere the run ends with the tests it left out.
postgres:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing PostgreSQL for the tests (once) ..." && \
		export DEBIAN_FRONTEND=noninteractive && apt-get update -qq && \
		apt-get install -qq -y --no-install-recommends postgresql-common >/dev/null && \
		sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' \
			/etc/postgresql-common/createcluster.conf && \
		apt-get install -qq -y --no-install-recommends postgresql >/dev/null; \
	fi || echo "PostgreSQL cannot be installed; its tests will not run."

check: .venv/dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: .venv/dev
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: .venv/dev
	$(BIN)/python benchmarks/rules.py
	$(BIN)/python benchmarks/kernel.py

mutants: .venv/dev
	$(BIN)/python tests/mutants.py

# Plays a thousand games on a server that is killed again and again; DATABASE=postgresql://... too.
soak: .venv/dev
	$(BIN)/python tests/server/soak.py $(if $(DATABASE),--database $(DATABASE))

# Compares the kernel with the rules over five million positions.
soak-kernel: .venv/dev
	$(BIN)/python tests/engine/lockstep.py

# Writes the playthroughs in tests/golden anew; review them as a diff.
golden: .venv/dev
	$(BIN)/python tests/playthrough.py

# Renews the locked versions of the tools for development.
lock: .venv/dev
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-annotate --no-header --upgrade --group dev --output-file requirements-dev.txt

clean:
	rm -rf .venv build dist mutants .hypothesis .mypy_cache .pytest_cache .ruff_cache .coverage*

.venv/pyvenv.cfg:
	$(PYTHON) -m venv .venv

# The marker files say what is installed; they are renewed when what they depend on changes.
.venv/play: .venv/pyvenv.cfg pyproject.toml
	@echo "Setting up .venv (once) ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[play]'
	@touch $@

.venv/dev: .venv/pyvenv.cfg requirements-dev.txt pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@ .venv/play
