PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench

N ?= 1000

# Tests and demo start many processes, each of which would compile all sources again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: pictures browser campaign demo dp-test test test-pythons test-slow lint lint-platforms format bench bench-disassociation bench-km bench-real-tables bench-relational bench-rt bench-spark bench-topdown clean scorecard wheel

demo: $(VENV)/ready
	$(BIN)/shoal demo shoal-demo --replace

test: lint browser
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

test-slow: $(VENV)/ready browser
	HYPOTHESIS_PROFILE=new $(BIN)/python -m pytest -n 2 --dist loadgroup

# Whole runs, reading, every algorithm and its processes on each other version of Python that this machine has, where what Shoal
# needs can be installed for it; each has an environment of its own.
OTHER_PYTHONS := 3.12 3.13 3.14
ON_OTHER_PYTHONS := tests/contract/test_algorithms.py tests/contract/test_releases.py tests/run/test_api.py tests/test_packages.py \
	tests/table tests/test_threads.py tests/cli/test_main.py tests/cli/test_process.py tests/cli/test_start.py
found_python = $(firstword $(shell python$(1) -c 'import sys; print(sys.executable)' 2>/dev/null) \
	$(wildcard $(HOME)/.pyenv/versions/$(1).*/bin/python$(1)))

test-pythons: $(OTHER_PYTHONS:%=test-python-%)

test-python-%:
	@if [ -z "$(call found_python,$*)" ]; then \
	    echo "Nothing is tested on Python $*: it is not on the path, nor built by pyenv."; \
	elif ! $(MAKE) VENV=.venv-$* PYTHON=$(call found_python,$*) .venv-$*/ready; then \
	    echo "Nothing is tested on Python $*: what Shoal needs cannot be installed for it."; \
	else \
	    .venv-$*/bin/python -m pytest -q -n 2 --dist loadgroup -m "not slow" $(ON_OTHER_PYTHONS); \
	fi

# A wheel with compiled kernels, for this platform and Python, and for any processor above a common baseline.
WHEEL_CPU := $(if $(filter x86_64,$(shell uname -m)),x86-64-v3,generic)
COMPILED := $(CURDIR)/build/compiled
DIST := dist
wheel: $(VENV)/ready
	rm -rf $(DIST)
	NUMBA_CPU_NAME=$(WHEEL_CPU) NUMBA_CPU_FEATURES= SHOAL_CACHE=$(COMPILED) $(BIN)/shoal warm-up
	SHOAL_COMPILED=$(COMPILED)/kernels $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(DIST) .

# Random cases over everything, and faults; what is found goes to campaign-findings/. See docs/campaign.md.
campaign: $(VENV)/ready
	$(BIN)/python -m tests.campaign $(N) --faults $$(( $(N) / 100 ))

# Tries to falsify epsilon of the algorithm for differential privacy.
dp-test: $(VENV)/ready
	$(BIN)/python -m tests.campaign.dp_tester

# Tests of the web page drive the system's Chromium, and are skipped without it.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) || true; \
	else \
	    echo "Tests of the web page are skipped: they need Chromium (Debian: apt install chromium)."; \
	fi

lint: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The types as macOS and Windows see them; each system has a cache of its own.
lint-platforms: $(VENV)/ready
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin

format: $(VENV)/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(BENCH)/ready
	$(BENCH)/bin/python bench/run.py

bench-disassociation: $(BENCH)/ready
	for script in bench/disassociation*.py; do $(BENCH)/bin/python $$script; done

# All write their tables even where a target is missed, so the last runs in any case.
bench-km: $(BENCH)/ready
	-$(BENCH)/bin/python bench/km_published.py
	-$(BENCH)/bin/python bench/km_instances.py
	$(BENCH)/bin/python bench/km.py

bench-topdown: $(BENCH)/ready
	$(BENCH)/bin/python bench/topdown_instances.py
	$(BENCH)/bin/python bench/topdown.py

bench-rt: $(BENCH)/ready
	$(BENCH)/bin/python bench/rt.py

# Real tables of other packages, from profile to a checked policy.
bench-real-tables: $(BENCH)/ready
	$(BENCH)/bin/python bench/real_tables.py

# Messy tables of many countries, and what profile sees in them.
scorecard: $(VENV)/ready
	$(BIN)/python bench/scorecard.py

# Needs Java, and no peers.
bench-spark: $(VENV)/ready
	$(BIN)/python bench/spark.py

# Both write their tables even where a target is missed, so the second runs in any case.
bench-relational: $(BENCH)/ready
	-$(BENCH)/bin/python bench/relational_peers.py
	$(BENCH)/bin/python bench/relational.py

$(VENV)/ready: pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

# The peers that we are measured against want older libraries, so they live apart; see bench/requirements.txt.
$(BENCH)/ready: pyproject.toml bench/requirements.txt bench/peers.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH)/bin/python -m pip install --quiet -r bench/requirements.txt --editable .
	$(BENCH)/bin/python -m pip install --quiet --no-deps -r bench/peers.txt
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-3.* $(BENCH) shoal-demo

# The picture of the README, taken anew; needs Chromium.
pictures: $(VENV)/ready browser
	$(BIN)/python docs/take_pictures.py
