# A fresh clone needs Python 3.11 or newer and a package index, nothing else.
# PYTHON=… makes the environment with another interpreter, JOBS=0 runs the tests in one process, ARGS=… goes to the tool.

SHELL := /bin/sh
BIN := .venv/bin
PYTHONS := $(PYTHON) python3.13 python3.12 python3.11 python3 python
JOBS := auto
WORKERS = $(if $(findstring tests/,$(ARGS)),$(JOBS:auto=0),$(JOBS))
READY := .venv/.ready
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

export PYTHONDONTWRITEBYTECODE :=  # hundreds of processes start from one source: it is compiled once

.DEFAULT_GOAL := help
.PHONY: help setup demo test check test-cost lint bench serve-demo serve-bench beside peers datasets conformance judge reports ablation chats eval tokens fuzz attack mistakes house site wheel compiled clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name what; do printf '%-12s %s\n' "$$name" "$$what"; done

setup: $(READY)  ## make the environment in .venv

demo: setup  ## a tour: toolect at work on a few answers of models
	@$(BIN)/toolect demo

test: setup  ## run a share of the tests, in five minutes: ARGS="--all", ARGS="tests/test_corpus.py -k hermes"
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

check: setup  ## after each edit, in half a minute: style, types, imports, the corpus, some laws
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -n $(JOBS) tests/test_corpus.py tests/test_laws.py

test-cost: setup  ## print the slowest tests; the faults of src that tests find: ARGS="--mutants 120 --seed 1"
	@$(BIN)/python -m tools.test_cost.cost $(ARGS)

lint: setup  ## check style, types and the specs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/toolect lint

bench: setup  ## measure the speed of reading: ARGS="--quick --dialect NAME --compiled --write"
	@$(BIN)/python -m tools.bench.speed $(ARGS)

serve-demo: setup  ## a conversation with two tools through toolect serve, before a real llama.cpp server
	@$(BIN)/python -m tools.serve.serve_demo

serve-bench: setup  ## 1,000 streams through toolect serve, beside a plain proxy: ARGS="--streams 200 --requests 50000"
	@$(BIN)/python -m tools.serve.serve_bench $(ARGS)

beside: setup  ## measure speed beside an earlier commit: ARGS="COMMIT --quick --dialect NAME"
	@$(BIN)/python -m tools.bench.speed --before $(or $(ARGS),HEAD~1)

peers: setup  ## measure speed beside other packages, each in its own environment: ARGS="--quick --dialect NAME --write"
	@$(BIN)/python -m tools.bench.speed --peers $(ARGS)

datasets: setup  ## measure the speed and memory of toolect data convert: ARGS="--size 1000 --to qwen3 glm-4.5 --write"
	@$(BIN)/python -m tools.chats.original_templates
	@$(BIN)/python -m tools.bench.data_sets $(ARGS)

conformance: setup  ## run other projects' test cases: TOOLECT_CORPUS=… make conformance
	@test -n "$(TOOLECT_CORPUS)" || { echo "expected TOOLECT_CORPUS to be a folder of *.jsonl cases, got nothing" >&2; exit 2; }
	$(BIN)/python -m tools.conformance.other_parsers $(ARGS)

chats: setup  ## hold chats against the templates of their models: ARGS="--template PATTERN --differences 3 --write"
	@$(BIN)/python -m tools.chats.original_templates
	@$(BIN)/python -m tools.chats.compare_chats $(ARGS)

eval: setup  ## hold scores of answers beside the checker of BFCL: ARGS="--seeds 5 --dialects hermes qwen3-coder"
	@$(BIN)/python -m tools.scores.compare_scores $(ARGS)

tokens: setup  ## fetch real tokenizers; hold ids and weights against those of others, and train: ARGS="--tokenizer NAME --write"
	@$(BIN)/python -m tools.tokens.original_tokenizers
	@$(BIN)/python -m tools.chats.original_templates
	@$(BIN)/python -m tools.tokens.compare_ids $(ARGS)
	@test ! -x .peers/training/bin/python || PYTHONPATH=tests:. .peers/training/bin/python -m pytest -q -p no:cacheprovider -n 0 tests/test_tinker.py

fuzz: setup  ## hold the laws of reading against damaged texts: ARGS="--runs 1000000 --seed 7 -k hermes"
	@$(BIN)/python -m pytest -n $(JOBS) --dist=load --hypothesis-profile=deep --all tests/test_fuzz.py::test_laws_hold $(ARGS)

attack: setup  ## attack chats, dialects, rows and ids with texts made to break out: ARGS="--runs 1000000 --seed 7 --only chat"
	@$(BIN)/python -m tools.fuzz.attacks $(if $(filter-out auto,$(JOBS)),--jobs $(JOBS)) $(ARGS)

judge: setup  ## judge the reader on fresh texts, beside an earlier one: ARGS="--before COMMIT --all --by what --differences 9"
	@$(BIN)/python -m tools.judge.judge $(ARGS)

reports: setup  ## judge the texts of bug reports, a row for each kind: TOOLECT_CASES=… make reports
	@test -n "$(TOOLECT_CASES)" || { echo "expected TOOLECT_CASES to be a file of *.jsonl cases, got nothing" >&2; exit 2; }
	@$(BIN)/python -m tools.judge.judge --kind "reported cases" --by what $(ARGS)

ablation: setup  ## what each cost of reading is worth; writes docs/leniency.json: ARGS="--only json_comma"
	@$(BIN)/python -m tools.judge.ablation $(ARGS)

induction: setup  ## count the formats that `toolect new` makes dialects of: ARGS="wild random --count 200 --seed 0 --wrong"
	@$(BIN)/python -m tools.chats.original_templates
	@$(BIN)/python -m tools.induction.measure $(ARGS)

mistakes: setup  ## of the mistakes that authors make, how many lint finds
	@$(BIN)/python tests/mistake_cases.py

house: setup  ## print the figures of the source: lines by package, calls for an answer; of another one: ARGS=CHECKOUT
	@$(BIN)/python -m tools.house.figures $(ARGS)

site: setup  ## build the pages as a site with a search in .site/html, and check its links
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,site]'
	@mkdir -p .site/pages
	NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/python -m mkdocs build --strict
	@echo "open .site/html/index.html"

wheel: setup  ## build the source distribution, and from it the wheel, in dist/
	rm -rf dist
	$(BIN)/python -m build

compiled: setup  ## build a wheel whose reading packages are compiled, in dist/compiled/
	rm -rf dist/compiled
	MYPYPATH=src HATCH_BUILD_HOOK_ENABLE_MYPYC=1 $(BIN)/python -m build --outdir dist/compiled

clean:  ## remove everything that can be made again
	rm -rf .venv .site .reports .test-cost dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml
	@set -e; \
	if ! $(BIN)/python -c '$(USABLE)' 2>/dev/null; then \
		for python in $(PYTHONS); do \
			if $$python -c '$(USABLE)' 2>/dev/null; then found=$$python; break; fi; \
		done; \
		test -n "$$found" || { echo "expected Python 3.11 or newer with venv, found none among: $(PYTHONS)" >&2; exit 1; }; \
		echo "$$found -m venv .venv"; \
		$$found -m venv --clear .venv; \
	fi
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q src  # pip leaves this out here, and a start without bytecode takes twice as long
	@touch $@
