.PHONY: help serve test test-long quick lint fix client docs screenshots looks bench crash hosts failover fair soak idle scale limits wheels release setup lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

serve: setup ## run billycan here (ARGS= passes options on)
	@.venv/bin/billycan serve $(ARGS)

# Without bytecode each of the processes that the tests start would compile billycan and all it needs for itself.
pytest = PYTHONDONTWRITEBYTECODE= .venv/bin/pytest -n 2 --dist worksteal

test: setup ## run every test but the long ones (ARGS="-k invoices -x")
	@$(pytest) $(ARGS)

test-long: setup ## run the others: browsers, servers, fuzzing, kills, and handlers on PostgreSQL
	@$(pytest) -m long $(ARGS)

quick: setup ## run the tests of what changed since the last commit, on SQLite alone
	@PYTHONDONTWRITEBYTECODE= .venv/bin/python tests/quick.py $(ARGS)

lint: setup ## check style, types, imports between packages, and the locks
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check -q .
	@.venv/bin/mypy
	@.venv/bin/python deploy/contracts.py >.venv/importlinter.toml
	@.venv/bin/lint-imports --no-logo --config .venv/importlinter.toml
	@.venv/bin/uv pip check -q --python .venv/bin/python

# Pictures, measurements and locks have targets of their own: they need a browser, a quiet machine or a network.
fix: setup ## mend the style, and write anew what the tree keeps of what is made: docs/openapi.json, docs/reference.md, examples
	@.venv/bin/ruff check -q --fix . || :
	@.venv/bin/ruff format -q .
	@BILLYCAN_CONFIG=/dev/null BILLYCAN_PLUGINS= .venv/bin/billycan openapi --surface >.venv/surface.json
	@cp .venv/surface.json docs/openapi.json
	@.venv/bin/python docs/site/reference.py >.venv/reference.md
	@cp .venv/reference.md docs/reference.md
	@BILLYCAN_RECORD=1 .venv/bin/pytest -q --engine sqlite \
		tests/test_examples.py::test_the_examples_are_what_the_app_answers \
		plugins/webhooks/tests/test_payloads.py::test_the_example_of_the_document_is_the_recorded_one

client: setup ## make the Python client's wheel and, where npm is, the TypeScript client's package
	@sh deploy/client.sh
	@.venv/bin/uv build -q --offline --wheel --clear --out-dir plugins/client/dist ./plugins/client
	@.venv/bin/python -m billycan_generator .venv/openapi.json --into plugins/client/typescript/src --typescript
	@if command -v npm >/dev/null; then cd plugins/client/typescript && \
		{ [ -d node_modules ] || npm ci -s --ignore-scripts --no-audit --no-fund; } && \
		rm -rf dist && cp ../../../LICENSE . && npm run -s build && npm pack -s --pack-destination ../dist >/dev/null; \
	else echo "client: there is no npm here: the TypeScript package was not made" >&2; fi

docs: setup ## render docs/ as a site in site/html
	@cmp -s deploy/requirements/docs.txt .venv/docs/lock || { rm -rf .venv/docs && \
		.venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes --no-deps \
			--target .venv/docs -r deploy/requirements/docs.txt && cp deploy/requirements/docs.txt .venv/docs/lock; }
	@rm -rf site && mkdir site && BILLYCAN_CONFIG=/dev/null .venv/bin/billycan openapi >site/openapi.json
	@.venv/bin/python docs/site/pages.py site/pages <site/openapi.json
	@PYTHONPATH=.venv/docs .venv/bin/python -m sphinx -q -W -n --keep-going -c docs/site -d site/doctrees site/pages site/html
	@echo "docs: site/html/index.html"

screenshots: setup ## take the pictures of the dashboard in docs/ anew
	@.venv/bin/pytest -q --engine sqlite -m long tests/browser/screenshots.py

looks: setup ## picture every page in each state and look, into looks/ (INTO=elsewhere ARGS="-k demo")
	@LOOKS=$(or $(INTO),looks) .venv/bin/pytest -q --engine sqlite -m long tests/browser/looks.py $(ARGS)

bench: setup ## measure billycan beside its floor and its peers
	@cmp -s deploy/requirements/peers.txt .venv/peers/lock || { rm -rf .venv/peers && \
		.venv/bin/python -m venv --without-pip .venv/peers && \
		.venv/bin/python -m pip --python .venv/peers/bin/python install -qq --disable-pip-version-check --require-hashes \
			--no-deps -r deploy/requirements/peers.txt && cp deploy/requirements/peers.txt .venv/peers/lock; }
	@.venv/bin/python tests/lab/bench/run.py $(ARGS)

crash: setup ## kill processes 200 times on each database and count what was lost
	@.venv/bin/python tests/lab/crash/run.py $(ARGS)

hosts: setup ## kill, freeze and cut off each of ten hosts in turn during a day of business (as root)
	@.venv/bin/python tests/lab/hosts/run.py $(ARGS)

failover: setup ## kill the primary of three PostgreSQL hosts with Patroni 20 times
	@.venv/bin/python tests/lab/failover/run.py $(ARGS)

fair: setup ## let one business flood a server beside another and measure what that notices (ARGS="--write")
	@.venv/bin/python tests/lab/fair/run.py $(ARGS)

soak: setup ## ask for ten minutes and watch for errors and leaks (ARGS="--seconds 60")
	@.venv/bin/python tests/lab/soak/steady.py $(ARGS)

idle: setup ## measure what an idle worker costs, and how soon it delivers (ARGS="--seconds 20")
	@.venv/bin/python tests/lab/soak/idle.py $(ARGS)

scale: setup ## count what a day of one business costs, and what 100,000 of them need (ARGS="--write")
	@.venv/bin/python tests/lab/scale/run.py $(ARGS)

limits: setup ## prove the rate limit under load while a worker is killed
	@.venv/bin/python tests/lab/soak/run.py $(ARGS)

wheels: ## put into dist what a server installs: locked, built here, with hashes
	@sh deploy/wheels.sh

release: ## set the version of all packages and keep what their clients rely on (VERSION=1.1.0)
	@test -n "$(VERSION)" || { echo "say which: make release VERSION=1.1.0" >&2; exit 1; }
	@for project in pyproject.toml core/pyproject.toml plugins/*/pyproject.toml; do \
		sed 's/^version = .*/version = "$(VERSION)"/' $$project >.version && cat .version >$$project && rm .version || exit; \
	done
	@for file in $(wildcard plugins/client/typescript/package*.json); do \
		sed '1,10s/"version": ".*"/"version": "$(VERSION)"/' $$file >.version && cat .version >$$file && rm .version || exit; \
	done
	@mkdir -p docs/released && cp docs/openapi.json docs/released/openapi-$(VERSION).json

setup: ## prepare .venv (the others do it first)
	@sh deploy/setup.sh

lock: setup ## lock the dependencies anew (ARGS=--upgrade for newer ones)
	@for lock in installer runtime development docs generators mcp peers store; do \
		.venv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
			--no-emit-index-url $(ARGS) deploy/requirements/$$lock.in -o deploy/requirements/$$lock.txt || exit; \
	done

clean: ## remove .venv, site and caches, never data
	@rm -rf .venv site .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .schemathesis plugins/client/typescript/node_modules tests/*/node_modules tests/browser/axe/node_modules
	@rm -rf plugins/client/dist plugins/client/typescript/dist plugins/client/typescript/src plugins/client/typescript/LICENSE; rm -f $(addprefix plugins/client/billycan_client/,api.py models.py webhooks.py)
	@find core plugins examples tests deploy docs -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
