# Everything the project needs is set up by these targets, in ./.venv; nothing else on the machine is touched.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help install servers compiled check test fuzz simulate mutations torture fleet-torture render-torture bench profile parts real politeness zoo judge resume restore bucket ceiling replay demo lock clean near schedule scale service sinks wheels reference site ops screenshots

help:  ## what can be done here
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

install: .venv/installed  ## a virtual environment with Skitter and its tools
.venv/installed: pyproject.toml requirements-dev.lock $(wildcard native/Cargo.* native/src/*.rs native/src/*/*.rs native/tls/Cargo.* native/tls/src/*.rs)
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

servers: install  ## what the tests' own Kafka broker and browser need, in .cache; without it those tests are skipped
	$(BIN)/python -m tests.servers.jars
	$(BIN)/python -m tests.servers.browser
	$(BIN)/python -m tests.servers.apps
	$(BIN)/python -m tests.servers.promtool
	$(BIN)/python -m tests.servers.axe

check: install  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check servers  ## everything that must hold; the last line is pytest's
	$(BIN)/python -m pytest --numprocesses=3 --dist=loadfile

fuzz: install  ## random bytes into every parser: SECONDS per target (default 180)
	$(BIN)/python -m tests.fuzz.run --seconds $(or $(SECONDS),180)

simulate: install  ## whole crawls in virtual time, with kills at every place: SEEDS=1000 (the default), or MINUTES=5
	$(BIN)/python -m skitter.sim $(if $(MINUTES),--minutes $(MINUTES) --seeds $(or $(FIRST),0),--seeds 0-$(shell expr $(or $(SEEDS),1000) - 1)) $(ARGS)

mutations: install  ## whether the simulator finds each of the bugs that were made on purpose (about 5 minutes)
	$(BIN)/python -m tests.sim.mutations

torture: install  ## crawls that are killed a hundred times and more, and a report (about 15 minutes)
	$(BIN)/python -m bench.torture --report docs/torture.md

fleet-torture: install  ## a fleet on a real broker, put through sixty faults, and a report (about 12 minutes)
	$(BIN)/python -m bench.fleet_torture --report docs/fleet-torture.md $(ARGS)

render-torture: install  ## browsers put through a thousand pages, half of them meant to harm, and a report (about 15 minutes)
	$(BIN)/python -m bench.render_torture --report docs/render-torture.md $(ARGS)

compiled: install
	$(BIN)/python -m compileall -q src  # as pip does when it installs: else every process compiles what was changed since

bench: compiled  ## what a page costs, beside Scrapy, Crawlee, wget2, wget and a bare script (about 20 minutes; ARGS=--help)
	$(BIN)/python bench/compare.py --picture docs/speed.svg $(ARGS)

profile: compiled  ## where each microsecond of a page goes, station by station
	$(BIN)/python bench/stations.py $(ARGS)

parts: install  ## CPU time of the pure parts on real documentation pages
	$(BIN)/python bench/pure.py

near: install  ## near duplicates told on two versions of real manuals
	$(BIN)/python bench/near.py

service: install  ## a crawl that never ends, for an hour: killed, read by DuckDB, replayed by pywb (ARGS="--minutes 10")
	$(BIN)/python -m bench.service $(ARGS)

schedule: install  ## how fresh pages are kept by a budget, on real and drawn histories (ARGS=real|budgets|drawn|signals)
	$(BIN)/python bench/schedule.py $(ARGS)

real: install  ## a crawl of real pages behind nginx against a walk of the files: nothing missed, twice or forbidden
	$(BIN)/python bench/real_docs.py

politeness: install  ## share of the requests that the delay allows, and too short gaps, against a plain timer
	$(BIN)/python bench/politeness.py

zoo: install  ## a hundred good hosts beside all animals of the zoo, against the same hosts alone
	$(BIN)/python bench/zoo.py

judge: install  ## what is fetched of webs with a known truth: KIND=traps (the default), soft404, honest, farm, dust or real
	$(BIN)/python -m bench.judged $(or $(KIND),traps) $(ARGS)

resume: install  ## start to first request, alone and with a million URLs queued, and memory
	$(BIN)/python bench/resume.py

bucket: install  ## what a bucket costs, and what kills lose (ARGS="cost" or "kills")
	$(BIN)/python -m bench.bucket $(or $(ARGS),kills)

sinks: install  ## what a row costs on its way from the archive to PostgreSQL (ARGS="--captures 5000")
	$(BIN)/python -m bench.sinks $(ARGS)

restore: install  ## a shard with a million URLs comes back from S3 on an empty machine
	$(BIN)/python -m bench.restore $(ARGS)

ceiling: install  ## ten million URLs over 200,000 hosts: memory under its ceiling, the cost of a URL as at first (ARGS=--recrawl)
	$(BIN)/python bench/ceiling.py $(ARGS)

scale: install  ## what a crawl of the whole web asks of a fleet, from measured costs: docs/scale.md
	PYTHONPATH=. $(BIN)/python bench/scale.py --write docs/scale.md

replay: install  ## the archive of a crawl replayed by pywb, every page compared with what was sent
	$(BIN)/python bench/replay.py

screenshots: servers  ## pictures of the dashboard for docs/, of a demo crawl (about 4 minutes)
	$(BIN)/python -m tests.api.dashboard.screenshots

demo: install  ## a simulated web on loopback, crawled in half a minute
	$(BIN)/skitter demo

reference: install  ## the man page and the pages of docs/reference/, from the code
	mkdir -p docs/reference
	$(BIN)/skitter manual man > deploy/skitter.1
	$(BIN)/skitter manual commands > docs/reference/commands.md
	$(BIN)/skitter manual settings > docs/reference/settings.md

site: reference  ## the documentation as a site in build/docs/site, with search
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'zensical>=0.0.48,<0.1'
	rm -rf build/docs && mkdir -p build/docs && cp -r docs deploy/mkdocs.yml build/docs  # it empties .cache where it works
	cd build/docs && ../../$(BIN)/zensical build --clean

wheels: install  ## a wheel for every Linux since 2012 in dist/: installing it needs no compiler (about 2 minutes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'ziglang>=0.13,<0.18' 'cargo-zigbuild>=0.20,<0.30'
	$(BIN)/python deploy/wheels.py

ops: install  ## alerts for Prometheus and a dashboard for Grafana, from the tables in the code
	$(BIN)/python ops/make.py

lock: install  ## write requirements-dev.lock anew from pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--group dev --extra fleet --extra api --extra postgres --extra signing --output-file requirements-dev.lock --upgrade pyproject.toml

clean:  ## forget the virtual environment and all caches
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist native/target native/tls/target src/skitter/_*.so
