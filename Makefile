# The one command. `make` formats, lints, types, tests and writes the docs; `make help` lists the parts.
# On a bare machine each target first fetches what it lacks: scripts/prepare says what and how.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := all

export PATH := $(CURDIR)/.venv/bin:$(HOME)/.cargo/bin:$(PATH)
export PYO3_PYTHON := $(CURDIR)/.venv/bin/python
CARGO_FLAGS ?= --locked
PYTHON_FILES := python tests_py demo examples benches scripts

# Has cargo lint what it compiles, as `cargo clippy -- -D warnings` does. A check of its own would check all dependencies, too.
LINTED := RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__

say = @printf '\n\033[1m── %s\033[0m\n' "$(1)"

.PHONY: all
all: ## Format, lint, type, test, and write the docs
	@$(MAKE) --no-print-directory format
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory docs

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

.venv/ready: requirements-dev.txt scripts/prepare
	@scripts/prepare python
	@touch $@

.PHONY: browser
browser: ## Install Chromium, if no browser is found
	@scripts/prepare browser

.PHONY: build
build: .venv/ready ## Build the engine and install it into .venv, editable
	$(call say,Building the engine)
	maturin develop $(CARGO_FLAGS)

.PHONY: demo
demo: browser build ## Drive a page through the real server; URL=… for a page of yours
	$(call say,Demo)
	python demo/demo.py $(URL)

.PHONY: test
test: ## Lints, types, Rust tests, and the Python tests that are not marked as long
	@# Downloads need the network, and compilation the processors. The engine comes before the Rust tests: cargo writes
	@# the library of both to one file, so building the engine makes the compiled tests stale.
	@$(LINTED) CARGO_TERM_PROGRESS_WHEN=never $(MAKE) --no-print-directory --jobs 2 build fetch
	@$(LINTED) CARGO_TERM_PROGRESS_WHEN=never $(MAKE) --no-print-directory --jobs 2 compile-rust-tests check-sources
	@# Nothing is compiled while tests run: it would keep browsers from answering in time.
	@$(LINTED) CARGO_TERM_PROGRESS_WHEN=never $(MAKE) --no-print-directory test-rust
	@$(MAKE) --no-print-directory types-of-package test-python

.PHONY: check-sources
check-sources: lint-sources types-of-sources

.PHONY: fetch
fetch: .venv/ready browser
	@scripts/prepare display
	@scripts/prepare redis

.PHONY: compile-rust-tests
compile-rust-tests:
	$(call say,Compiling the Rust tests)
	cargo test $(CARGO_FLAGS) --no-run

.PHONY: test-rust
test-rust: ## The Rust tests; they need no Python
	$(call say,Rust tests)
	cargo test $(CARGO_FLAGS)

.PHONY: test-python
test-python: ## The Python tests that are not marked as long, on what `make build` installed
	$(call say,Python tests)
	pytest --ignore tests_py/zoo --ignore tests_py/clusters --numprocesses 3 --dist loadfile --no-loadscope-reorder --durations 15

.PHONY: whole
whole: build fetch ## All Python tests, each to its full extent
	$(call say,All Python tests)
	pytest --whole --ignore tests_py/zoo --ignore tests_py/clusters --numprocesses 3 --dist loadfile --no-loadscope-reorder --durations 15

.PHONY: zoo
zoo: build browser ## Use real libraries from npm through the tools, and write docs/reference/zoo.md; ZOO='-k NAME' for a part
	@scripts/prepare zoo
	$(call say,The zoo)
	pytest tests_py/zoo --numprocesses 2 --dist loadfile $(or $(ZOO),--table docs/reference/zoo.md)

.PHONY: lint
lint: .venv/ready lint-rust lint-sources ## Check format and lints of everything

.PHONY: lint-rust
lint-rust: .venv/ready
	$(call say,Rust: lints)
	cargo clippy $(CARGO_FLAGS) --all-targets --features python -- -D warnings

.PHONY: lint-sources
lint-sources: lint-format lint-javascript lint-python

.PHONY: lint-format
lint-format: .venv/ready
	$(call say,Rust: format and dependencies)
	cargo fmt --check
	cargo deny --locked check --hide-inclusion-graph bans licenses sources
	python3 scripts/write_dependencies.py --check

.PHONY: lint-features
lint-features: .venv/ready ## Lint each set of features, and the links in the Rust documentation
	$(call say,Rust: features)
	cargo clippy $(CARGO_FLAGS) --no-default-features -- -D warnings
	cargo clippy $(CARGO_FLAGS) --no-default-features --features mcp -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc $(CARGO_FLAGS) --no-deps --no-default-features --quiet

.PHONY: lint-javascript
lint-javascript: .venv/ready
	$(call say,JavaScript: format and lints)
	biome ci --error-on-warnings src

.PHONY: lint-python
lint-python: .venv/ready
	$(call say,Python: format and lints)
	ruff format --check $(PYTHON_FILES)
	ruff check $(PYTHON_FILES)
	python3 scripts/check_words.py
	codespell src tests docs $(PYTHON_FILES) *.md
	hadolint Dockerfile
	zizmor --offline --quiet .github/workflows
	actionlint

.PHONY: format
format: .venv/ready ## Format the code, and mend what lints can mend
	$(call say,Formatting)
	cargo fmt
	biome format --write src
	ruff check --fix-only --quiet $(PYTHON_FILES)
	ruff format $(PYTHON_FILES)

.PHONY: types
types: build types-of-sources types-of-package ## Check the Python types, and the stub against the engine

.PHONY: types-of-sources
types-of-sources: .venv/ready
	$(call say,Types)
	mypy
	pyright --warnings

.PHONY: types-of-package
types-of-package: .venv/ready
	$(call say,Types of the package)
	python -m mypy.stubtest patchright_mcp._core
	pyright --verifytypes patchright_mcp --ignoreexternal | tail -n 4 | grep 'score: 100%'

.PHONY: wheel
wheel: .venv/ready ## Build the wheel to ship, into dist/
	$(call say,Building the wheel)
	maturin build $(CARGO_FLAGS) --profile dist --out dist

.PHONY: smoke
smoke: browser wheel ## From nothing to the first answered call within a minute: the wheel, and the program alone
	cargo build $(CARGO_FLAGS) --profile dist --bin patchright-mcp
	$(call say,The first minute)
	python -m scripts.first_minute dist/*.whl target/dist/patchright-mcp

.PHONY: bench
bench: .venv/ready browser ## Measure start-up and tools on a release build; BENCH='--help' for more
	$(call say,Building the release to measure)
	maturin build $(CARGO_FLAGS) --release --out target/bench/wheels
	@scripts/prepare bench
	$(call say,Measuring)
	python -m benches.server --python $(CURDIR)/target/bench/venv/bin/python $(BENCH)

.PHONY: leaving
leaving: .venv/ready browser ## Measure how soon pages are left that do not let go, on a release build; LEAVING='--help' for more
	$(call say,Building the release to measure)
	maturin build $(CARGO_FLAGS) --release --out target/bench/wheels
	@scripts/prepare bench
	$(call say,Leaving)
	python -m benches.leaving --python $(CURDIR)/target/bench/venv/bin/python $(LEAVING)

.PHONY: bench-python
bench-python: .venv/ready browser ## Measure the Python library on a release build; PEERS=PYTHON for one that has playwright
	$(call say,Building the release to measure)
	maturin build $(CARGO_FLAGS) --release --out target/bench/wheels
	@scripts/prepare bench
	$(call say,Measuring)
	python -m benches.python --python $(CURDIR)/target/bench/venv/bin/python --peers $(or $(PEERS),python) $(BENCH)

.PHONY: bench-pages
bench-pages: .venv/ready browser ## Measure reading many pages on a release build; PEERS=PYTHON for one that has other libraries
	$(call say,Building the release to measure)
	maturin build $(CARGO_FLAGS) --release --out target/bench/wheels
	@scripts/prepare bench
	$(call say,Measuring)
	python -m benches.pages --python $(CURDIR)/target/bench/venv/bin/python --peers $(or $(PEERS),python) $(BENCH)

.PHONY: firefox
firefox: .venv/ready build ## Run the tests of the tools on Firefox; FIREFOX='-k NAME' for a part
	@scripts/prepare firefox
	$(call say,The tools on Firefox)
	pytest --long --browser firefox --numprocesses 2 --dist loadfile $(or $(FIREFOX),tests_py/firefox tests_py/mcp tests_py/sessions)

.PHONY: webkit
webkit: .venv/ready build browser ## Run the tests of sessions in WebKit; WEBKIT='-k NAME' for a part
	@scripts/prepare webkit
	@scripts/prepare firefox
	$(call say,WebKit)
	pytest --long --browser webkit $(or $(WEBKIT),tests_py/webkit)

.PHONY: clusters
clusters: build browser ## Run the examples for Ray, Dask and Celery, with workers that are killed; CLUSTERS='-k NAME' for a part
	@scripts/prepare redis
	@scripts/prepare clusters
	$(call say,Ray, Dask and Celery)
	PATCHRIGHT_CLUSTERS=$(CURDIR)/target/clusters/venv/bin/python pytest tests_py/clusters $(CLUSTERS)

.PHONY: packages
packages: browser build ## Run the tests of packages for Playwright with it and with ours in its place; CHECKOUTS=… names their folder
	$(call say,Packages for Playwright)
	python -m scripts.packages "$(CHECKOUTS)" $(PACKAGES)

.PHONY: clients
clients: browser build ## Run the newest MCP clients and agent frameworks against the server; CLIENTS='langchain codex' for some
	$(call say,Clients and frameworks)
	python -m scripts.clients $(CLIENTS)

.PHONY: conformance
conformance: browser build ## Judge us by the suites of others: PLAYWRIGHT_PYTHON=… and MCP_CONFORMANCE=… name checkouts
	$(call say,The suites of others)
	@[[ -n "$(PLAYWRIGHT_PYTHON)$(MCP_CONFORMANCE)" ]] || { echo 'give PLAYWRIGHT_PYTHON=… or MCP_CONFORMANCE=…' >&2; exit 1; }
	if [[ -n "$(PLAYWRIGHT_PYTHON)" ]]; then \
	  scripts/prepare conformance; scripts/prepare display; \
	  python -m scripts.conformance playwright "$(PLAYWRIGHT_PYTHON)" $(CONFORMANCE); \
	fi
	if [[ -n "$(MCP_CONFORMANCE)" ]]; then \
	  python -m scripts.conformance mcp "$(MCP_CONFORMANCE)" --node "$(or $(NODE),node)" $(CONFORMANCE); \
	fi

.PHONY: fleet
fleet: build browser ## Two servers and three browsers with many sessions, and all that can go wrong; SESSIONS=60
	@scripts/prepare redis
	$(call say,Two servers and three browsers)
	PATCHRIGHT_FLEET_SESSIONS=$(or $(SESSIONS),60) pytest tests_py/fleet --long --timeout 600 --log-cli-level INFO
	PATCHRIGHT_AGENT_CALLS=100 pytest tests_py/mcp/test_named_tabs.py --long -k over_http --timeout 600

.PHONY: soak
soak: browser build ## Twenty clients, with crashes and kills among them, and a picture of what the server held; MINUTES=60
	$(call say,Soaking)
	python -m benches.soak --minutes $(or $(MINUTES),60) $(SOAK)

.PHONY: honesty
honesty: browser build ## Compare answers with the truth on pages that lie; ACTIONS=5000 and SEED=…
	$(call say,Honesty)
	HONESTY_MOST_FALSE=0 HONESTY_ACTIONS=$(or $(ACTIONS),5000) HONESTY_SEED=$(or $(SEED),19) pytest tests_py/honesty --timeout 7200 -s

.PHONY: faults
faults: ## Go through a task with a fault at every message of the browser's, in turn; it takes a quarter of an hour
	$(call say,A fault at every message)
	EVERY_POINT=1 cargo test $(CARGO_FLAGS) --test it a_fault_at_any_message -- --nocapture

.PHONY: orders
orders: ## Run the parts that work side by side in very many orders of their steps; ORDERS=… for how many
	$(call say,Many orders)
	ORDERS=$(or $(ORDERS),50000) cargo test $(CARGO_FLAGS) --lib -- orders:: turns:: uses:: beat:: --nocapture

.PHONY: races
races: ## Run the connection, the transports and the protocol under ThreadSanitizer; needs a nightly Rust
	$(call say,Races)
	RUSTFLAGS='-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer' \
	TSAN_OPTIONS=suppressions=$(CURDIR)/scripts/races.txt \
	cargo +nightly test $(CARGO_FLAGS) --target x86_64-unknown-linux-gnu --target-dir target/races --test it -- \
		cdp:: --skip a_fault_at_any_message

.PHONY: fuzz
fuzz: ## Feed every reader for long with what is almost right, and by what reaches new code; CASES=… and SECONDS=…
	$(call say,Feeding the readers)
	PROPTEST_CASES=$(or $(CASES),200000) cargo test $(CARGO_FLAGS) --release --test it fuzz:: -- --nocapture
	scripts/fuzz $(or $(SECONDS),600) $(READERS)

.PHONY: stealth
stealth: browser build ## See what pages notice of us, and write it into docs/concepts/quiet.md; FIREFOX=1 for Firefox, too
	@scripts/prepare display
	@scripts/prepare botd
	$(call say,Looking at ourselves as pages do)
	python -m benches.quiet --write
	@if [ -n "$(FIREFOX)" ]; then scripts/prepare firefox && python -m benches.quiet --browser firefox --write; fi

.PHONY: advisories
advisories: .venv/ready ## Ask RustSec and PyPI about known weaknesses of what we build on, and with; takes the network
	@scripts/prepare audit
	$(call say,Advisories)
	cargo deny --locked check advisories
	target/audit/venv/bin/pip-audit --strict --requirement requirements-dev.txt

.PHONY: nightly
nightly: ## Everything that is too slow for each change, and a page about it: target/nightly.md; NIGHTLY='--most 5 zoo'
	$(call say,The nightly run)
	python3 scripts/nightly.py $(NIGHTLY)

.PHONY: docs
docs: build ## Write what code knows into docs/reference/, and the Rust documentation
	$(call say,Documentation)
	python scripts/write_reference.py
	python scripts/write_dependencies.py
	python scripts/write_manifests.py
	RUSTDOCFLAGS='-D warnings' cargo doc $(CARGO_FLAGS) --no-deps --quiet

.PHONY: picture
picture: build browser ## Draw the picture of the README from a real run
	$(call say,The picture)
	python scripts/write_picture.py

.PHONY: site
site: .venv/ready ## Make a site of the documentation, and follow its links: target/site/site
	@scripts/prepare site
	$(call say,The documentation as a site)
	python scripts/write_site.py --zensical target/site/venv/bin/zensical

.PHONY: manifests
manifests: .venv/ready ## Ask their makers' checkers about manifests, workflows, skill and image, whole and broken
	@scripts/prepare manifests
	$(call say,Manifests)
	target/manifests/venv/bin/python scripts/check_manifests.py

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf target .venv dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f python/patchright_mcp/*.so
	find python tests_py demo benches -name __pycache__ -prune -exec rm -rf {} +
