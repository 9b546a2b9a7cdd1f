# The workbook's commands. All of them work in .venv/, which is built from requirements.lock; nothing else is installed.
#
#   make serve   the pages, in a browser        make test    everything that CI runs
#   make lab     JupyterLab for analysts        make bench   measurements (not part of the tests)
#   make lock    pins what pyproject.toml asks for    make format  lay out the code
#   make inputs  tells type checkers what data/inputs.toml holds
#   make explore runs the notebooks that explore, and stores what they show    make api  the reference, in dist/api/
#   make load    a crowd, torn visits             make replicas  three servers behind nginx, one killed
#   make faults  kernels killed, disk full ...
#   make static  the pages as a site without a server, in dist/site/      make static-test  that site in a browser

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
export JUPYTER_PATH := $(CURDIR)/sizing/serve/template$(if $(JUPYTER_PATH),:$(JUPYTER_PATH))
export JUPYTER_PREFER_ENV_PATH := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Tests run side by side, a file at a time, on every core up to four.
PARALLEL := -n logical --maxprocesses 4 --dist loadfile

.PHONY: thorough explore api inputs serve lab static static-test static-lock test lint types unit pages hostile faults load replicas bench lock format venv browser clean
.DEFAULT_GOAL := serve

serve: venv
	@exec $(BIN)/sizing-workbook $(ARGS)

lab: venv
	@JUPYTER_CONFIG_PATH=$(CURDIR)/binder exec $(BIN)/jupyter lab notebooks $(ARGS)

test: lint types unit pages

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv
	$(BIN)/mypy

# Doctests of the package, tests, and every notebook.
unit: venv
	$(BIN)/pytest $(PARALLEL) --nbval-lax sizing tests notebooks --ignore=tests/benchmarks --ignore=tests/browser --ignore=tests/faults --ignore=tests/static \
	    --ignore-glob='tests/*.ipynb' $(ARGS)

# Every page in a real browser: a process of its own, since Playwright keeps an event loop running in it.
pages: venv browser
	$(BIN)/pytest $(PARALLEL) tests/browser -m "not thorough" --ignore-glob='tests/*.ipynb' $(ARGS)

# What pages repeat in more widths and languages than every change needs: before a release, and after a change of looks.
thorough: venv browser
	$(BIN)/pytest $(PARALLEL) tests/browser -m thorough --ignore-glob='tests/*.ipynb' $(ARGS)

# Ten thousand and more damaged configs for the reader, five thousand damaged start-up logs.
hostile: venv
	SIZING_HOSTILE_CASES=12000 $(BIN)/pytest tests/memory/config/test_hostile.py $(ARGS)
	SIZING_HOSTILE_LOGS=5000 $(BIN)/pytest tests/models/test_hostile_logs.py $(ARGS)

# What breaks while somebody is looking, broken for real: minutes, and root for a disk that is full.
faults: venv browser
	$(BIN)/pytest tests/faults $(ARGS)

# How many visitors this machine bears; not part of the tests, since it wants the machine for itself.
load: venv
	$(BIN)/python -m tests.load.crowd $(ARGS)
	$(BIN)/python -m tests.load.torn

# After a change that moves a figure: runs the notebooks of notebooks/explore/ and stores what they show.
explore: venv
	$(BIN)/python scripts/run_explore.py $(ARGS)

# A reference of what may be called, made from the docstrings, in dist/api/. Its tool is pinned here, apart from the rest.
API := sizing sizing.catalogue sizing.memory.vllm sizing.memory.sglang sizing.memory.architecture sizing.memory.layouts \
    sizing.site.plan sizing.site.energy sizing.speed sizing.sharing sizing.demand.goal sizing.demand.cost sizing.models.log_check

api: venv
	@$(BIN)/python -m pip install -q --no-deps --target .venv-api pdoc==16.0.0 markdown2==2.5.5
	@PYTHONPATH=.venv-api:$(CURDIR) $(BIN)/python -W ignore -m pdoc -o dist/api $(API)
	@echo "dist/api/sizing.html"

inputs: venv
	$(BIN)/python scripts/write_parts.py

# Needs nginx (apt install nginx-light).
replicas: venv
	$(BIN)/python -m tests.load.replicas $(ARGS)

bench: venv browser
	$(BIN)/pytest tests/benchmarks -s $(ARGS)

# The pages as a site that any web server delivers. Needs node and npm; its tools are pinned apart, in .venv-static/.
static: venv
	@scripts/build-static $(BIN)/python $(ARGS)

static-test: venv browser
	$(BIN)/pytest tests/static $(ARGS)

browser:
	@scripts/need-chromium

format: venv
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# After a change in pyproject.toml; with UPGRADE=--upgrade also newer versions. Needs uv. The lock includes the extras; Binder takes the same versions without the tools of development.
lock:
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --no-annotate $(UPGRADE) \
	    --custom-compile-command "make lock" -o requirements.lock
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --no-annotate -c requirements.lock \
	    --custom-compile-command "make lock" -o binder/requirements.txt

# After a change in scripts/static_site/tools.in. Needs uv.
static-lock:
	uv pip compile scripts/static_site/tools.in -c requirements.lock --universal --python-version 3.11 --no-annotate \
	    --custom-compile-command "make static-lock" -o scripts/static_site/tools.lock

venv:
	@scripts/build-venv $(VENV)

clean:
	rm -rf $(VENV) .venv-static .venv-api .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks dist build
