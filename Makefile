.PHONY: help serve test lint bench crash soak setup lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' Makefile

serve: setup ## run billycan here (ARGS= passes options on)
	@.venv/bin/billycan serve $(ARGS)

test: setup ## run every test (ARGS="-k invoices -x")
	@.venv/bin/pytest -n 2 --dist worksteal $(ARGS)

lint: setup ## check style, types, imports between packages, and the locks
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check -q .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo
	@.venv/bin/uv pip check -q --python .venv/bin/python

bench: setup ## measure requests a second and compare
	@.venv/bin/python tests/bench/run.py $(ARGS)

crash: setup ## kill processes 200 times on each database and count what was lost
	@.venv/bin/python tests/crash/run.py $(ARGS)

soak: setup ## run under load for long and watch for leaks
	@.venv/bin/python tests/soak/run.py $(ARGS)

setup: ## prepare .venv (the others do it first)
	@sh deploy/setup.sh

lock: setup ## lock the dependencies anew (ARGS=--upgrade for newer ones)
	@for lock in installer runtime development; do \
		.venv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
			--no-emit-index-url $(ARGS) deploy/requirements/$$lock.in -o deploy/requirements/$$lock.txt || exit; \
	done

clean: ## remove .venv and caches, never data
	@rm -rf .venv .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .schemathesis
	@find core plugins examples tests deploy -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
