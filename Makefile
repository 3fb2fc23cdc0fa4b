# Everything starts here; `make` alone says what there is.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready
OURS := proto/python clients/python .
PARALLEL ?= -n auto
# Slow tests wait for processes and clocks two thirds of their time, so that six of them occupy two cores.
WAITING ?= -n 6 --dist loadgroup
SELECT ?= not soak and not toolchain
MINUTES ?= 10
# Tests start hundreds of processes; without bytecode files each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo cluster lint check test again toolchains edge coverage soak mutants proto golden bench compiled pure wheels tools requirements clean

help: ## List all targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(READY): requirements/dev.txt pyproject.toml proto/python/pyproject.toml clients/python/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try make PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing into .venv, once: about a minute, from the package registry"
	@$(BIN)/python -m pip install --quiet --no-deps --require-hashes --only-binary :all: -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation $(foreach it,$(OURS),-e ./$(it))
	@echo "Installed."
	@touch $@

demo: $(READY) ## Play a small arena
	@rm -rf build/demo
	@$(BIN)/referee arena demo.toml --out build/demo
	@page=$$($(BIN)/referee replay build/demo/troke/records/1.1.1.jsonl --html build/demo/replay.html) && \
		echo "  $$page shows one of these matches in a browser"

cluster: $(READY) ## Let three nodes play, kill one of them, and check that nothing was lost; needs PostgreSQL
	@rm -rf build/cluster
	@$(BIN)/python -m deploy.cluster_demo

lint: $(READY) ## All static checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd proto && ../$(BIN)/buf lint && ../$(BIN)/buf format --diff --exit-code && ../$(BIN)/buf breaking --against released.binpb
	$(BIN)/python proto/generate.py --check

check: lint ## All static checks and the quick tests, in about a minute
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow"

test: lint ## All static checks, and all tests that need no toolchain but Python's
	$(BIN)/python -m pytest $(WAITING) -m "$(SELECT)" --durations=20

again: $(READY) ## Run the tests that failed in the last run once more, one at a time
	$(BIN)/python -m tests.again

toolchains: $(READY) ## Tests of clients in other languages, compiled engines and the image; skips what is not installed
	$(BIN)/python -m pytest $(WAITING) -m "toolchain and not soak"
	$(if $(CI),$(BIN)/python -m tests.clients.fingerprint --write)

edge: $(READY) ## The end-to-end tests once more, through the front door; needs go
	cd deploy/edge && go build -o $(CURDIR)/build/edge/referee-edge .
	PATH="$(CURDIR)/build/edge:$$PATH" TEST_EDGE=on $(BIN)/python -m pytest $(WAITING) tests/e2e tests/cluster/test_processes.py \
		-m "not soak and not toolchain and not without_door" $(AGAIN)

coverage: $(READY) ## The quick tests of engines, match and contests; fails below full branch coverage
	$(BIN)/python -m pytest $(PARALLEL) -m pure --cov --cov-report=term tests/contests tests/match tests/engines

soak: $(READY) ## Run long tests in random order for MINUTES=n; SEED=s repeats the selection of an earlier run
	@$(BIN)/python -m tests.soak --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

mutants: $(READY) ## Print the mutants of referee/match that no test fails on, for MINUTES=n; repeat it to continue
	@$(BIN)/python -m tests.mutants --minutes $(MINUTES)

proto: $(READY) ## Generate the committed stubs of proto/ (Python, Go, Rust); needs go and cargo
	$(BIN)/buf format --write proto
	$(BIN)/python proto/generate.py
	cd clients/go/generate && go run .
	cd clients/rust/generate && cargo run --quiet

golden: $(READY) ## Regenerate the golden files from the current engines
	$(BIN)/python -m pytest -q tests/engines/test_golden.py tests/storage/test_codec.py tests/records/test_records_page.py --renew-golden

bench: $(READY) ## Run all benchmarks
	$(BIN)/python -m bench $(if $(QUICK),--quick)

compiled: $(READY) ## Install with compiled engines, for .venv/bin/referee; needs a C compiler
	HATCH_BUILD_HOOK_ENABLE_CUSTOM=true $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --force-reinstall .

pure: $(READY) ## Install as pure Python again
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --force-reinstall -e .

wheels: $(READY) ## Build the wheels of a release into dist/; needs go
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w dist $(foreach it,$(OURS),./$(it))
	for it in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do \
		(cd deploy/edge && GOOS=$${it%/*} GOARCH=$${it#*/} ../../$(BIN)/hatchling build -t wheel -d ../../dist) || exit; done

tools: $(READY) ## Build the Go programs that some tests need; without them these tests are skipped
	GOBIN=$(CURDIR)/$(BIN) go install helm.sh/helm/v3/cmd/helm@v3.18.6
	GOBIN=$(CURDIR)/$(BIN) go install github.com/compose-spec/compose-go/v2/cmd@v2.6.4
	mv $(BIN)/cmd $(BIN)/compose-go
	GOBIN=$(CURDIR)/$(BIN) go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3
	GOBIN=$(CURDIR)/$(BIN) go install honnef.co/go/tools/cmd/staticcheck@v0.6.1

requirements: ## Regenerate the pinned dependencies, with hashes
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/run.in -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/run.txt --override requirements/overrides.txt requirements/dev.in -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/dev.txt requirements/build.in -o requirements/build.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/dev.txt requirements/cluster.in -o requirements/cluster.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/dev.txt requirements/site.in -o requirements/site.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/dev.txt requirements/learning.in -o requirements/learning.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/bench.in -o requirements/bench.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-deps requirements/bench_alone.in -o requirements/bench_alone.txt

clean: ## Remove caches and builds, but not the virtual environment
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage build/clients
	find . -name __pycache__ -not -path './.venv/*' -exec rm -rf {} +
