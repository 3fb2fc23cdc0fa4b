# Everything starts here; `make` alone says what there is.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready
OURS := proto/python clients/python .
PARALLEL ?= -n auto
# Slow tests wait for processes and clocks more than they compute.
WAITING ?= -n 4 --dist loadgroup
MINUTES ?= 10
# Tests start hundreds of processes; without bytecode files each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo lint check test soak proto golden bench compiled pure tools requirements clean

help: ## What there is to do
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(READY): requirements/dev.txt pyproject.toml proto/python/pyproject.toml clients/python/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try make PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing into .venv, once: about a minute, from the package registry"
	$(BIN)/python -m pip install --require-hashes --only-binary :all: -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation $(foreach it,$(OURS),-e ./$(it))
	@touch $@

demo: $(READY) ## See bots play
	@rm -rf build/demo
	@$(BIN)/referee arena demo.toml --out build/demo

lint: $(READY) ## All checks that run nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd proto && ../$(BIN)/buf lint && ../$(BIN)/buf format --diff --exit-code && ../$(BIN)/buf breaking --against released.binpb
	$(BIN)/python proto/generate.py --check

check: lint ## All checks and the quick tests, in about a minute
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow"

test: lint ## All checks and all tests but soak; those of the core must reach every branch of it
	$(BIN)/python -m pytest $(PARALLEL) -m pure --cov --cov-report=term tests/contest tests/core tests/engines
	$(BIN)/python -m pytest $(WAITING) -m "not pure and not soak" --durations=20

soak: $(READY) ## Run long tests, drawn at random, for MINUTES=n; SEED=s draws again what an earlier run has drawn
	@$(BIN)/python -m tests.soak --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

proto: $(READY) ## Make the stubs that are committed anew from proto/: in Python, and with cargo in Rust
	$(BIN)/buf format --write proto
	$(BIN)/python proto/generate.py
	cd clients/rust/generate && cargo run --quiet

golden: $(READY) ## Make the golden files anew from what the engines do now
	$(BIN)/python -m pytest -q tests/engines/test_golden.py tests/storage/test_golden.py --renew-golden

bench: $(READY) ## Measure; nothing in the tests depends on it
	$(BIN)/python -m bench $(if $(QUICK),--quick)

compiled: $(READY) ## Install it with the engines compiled, for .venv/bin/referee; needs a C compiler
	HATCH_BUILD_HOOK_ENABLE_CUSTOM=true $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --force-reinstall .

pure: $(READY) ## Install it from the source again
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --force-reinstall -e .

tools: $(READY) ## Build what some tests run, with Go: checks of deploy/, grpcurl, ghz; without it those are skipped
	GOBIN=$(CURDIR)/$(BIN) go install helm.sh/helm/v3/cmd/helm@v3.18.6
	GOBIN=$(CURDIR)/$(BIN) go install github.com/compose-spec/compose-go/v2/cmd@v2.6.4
	mv $(BIN)/cmd $(BIN)/compose-go
	GOBIN=$(CURDIR)/$(BIN) go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3
	GOBIN=$(CURDIR)/$(BIN) go install github.com/bojand/ghz/cmd/ghz@v0.120.0

requirements: ## Pin every dependency anew, with hashes
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/run.in -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/run.txt requirements/dev.in -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/dev.txt requirements/build.in -o requirements/build.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/bench.in -o requirements/bench.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-deps requirements/bench_alone.in -o requirements/bench_alone.txt

clean: ## Take away what was made here, but for the virtual environment
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage build/clients
	find . -name __pycache__ -not -path './.venv/*' -exec rm -rf {} +
