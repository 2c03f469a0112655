# `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help install race demo graph python build release test test-release check format format-check crosscheck contracts privacy live fuzz fuzz-short mutations simulate soak soak-short bench bench-short dist interop browser spark screenshots zlib statistics testset clean

# Without the import check an undeclared import compiles when its module happens to be built.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
RELEASE     := .build/release/evalog

# All at once, hundreds of tests share the processors and none comes to its end; some of them wait for deadlines.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4

help: ## This list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

demo: release ## A day of an app through the whole pipeline: log, replay, CSV in ./evalog-demo
	$(RELEASE) demo

build: zlib ## Debug build
	swift build $(SWIFT_FLAGS)

release: zlib ## Optimised build of the command and of bench
	swift build -c release $(SWIFT_FLAGS) --product evalog
	swift build -c release $(SWIFT_FLAGS) --product bench

# In three runs: tests that block threads would starve those that wait for deadlines, and the app-wide
# `Airship` is shared by all tests of a process. What they print is searched for the confidential texts in them.
test: zlib ## All tests
	swift build --build-tests $(SWIFT_FLAGS)
	timeout 2400 tools/checks/unprinted swift test --skip-build $(SWIFT_FLAGS) --skip 'Airship|ChatModels'
	timeout 2400 tools/checks/unprinted swift test --skip-build $(SWIFT_FLAGS) --filter 'AirshipCoreTests|AirshipRecordingTests'
	timeout 2400 tools/checks/unprinted swift test --skip-build $(SWIFT_FLAGS) --filter 'ChatModelsTests|AirshipFoundationModelsTests'

# The tests that run programs take the optimised ones here: those are delivered, and much faster.
check: export EVALOG_PROGRAMS := $(CURDIR)/.build/release
check: format-check python graph release test test-release simulate soak-short fuzz-short crosscheck statistics contracts interop browser spark privacy live dist ## Exactly what CI runs

# The compiler takes other ways when it optimises, above all with tasks and threads. A folder of its own: tests that look
# into a module need it built for that, which the products are not.
test-release: zlib ## Evaluator and recorder tests, optimised as apps are
	swift build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build/optimized $(SWIFT_FLAGS)
	timeout 1800 tools/checks/unprinted swift test -c release -Xswiftc -enable-testing --skip-build --scratch-path .build/optimized $(SWIFT_FLAGS) \
	  --skip 'vendorApp|AppleSources' --filter 'AirshipCoreTests|ChatModelsTests|EvalogRecordingTests'
	timeout 1800 tools/checks/unprinted swift test -c release -Xswiftc -enable-testing --skip-build --scratch-path .build/optimized $(SWIFT_FLAGS) \
	  --skip vendorApp --filter AirshipRecordingTests

race: zlib ## Evaluator and recorder tests under the thread sanitizer
	tools/checks/unprinted swift test --sanitize=thread --scratch-path .build/race $(SWIFT_FLAGS) --skip 'vendorApp|AppleSources' \
	  --filter 'AirshipCoreTests|EvalogRecordingTests'
	tools/checks/unprinted swift test --sanitize=thread --scratch-path .build/race $(SWIFT_FLAGS) --skip vendorApp --filter AirshipRecordingTests

format: ## Formats the Swift sources in place
	swift format --in-place --parallel --recursive Package.swift Sources sinks tools Tests

format-check: ## Fails where the formatter would change something
	swift format lint --strict --parallel --recursive Package.swift Sources sinks tools Tests

graph: ## Fails on an arrow between modules that is not documented, declared and used
	swift package dump-package | tools/checks/graph

python: ## Style of the Python tools
	tools/checks/python

crosscheck: release ## A second opinion in SQL on the demo's day and on a seeded workload
	tools/crosscheck/run

statistics: ## Intervals, tests and corrections against SciPy on 1,000 random tables
	swift build -c release $(SWIFT_FLAGS) --product figures
	tools/statistics/run --seed $(or $(SEED),1)

contracts: release ## Independent validators on what evalog writes
	tools/checks/run

interop: release contracts spark ## The real programs that read what evalog writes, a line each
	tools/interop/run

spark: release ## The tables on Apache Spark, and the ClickHouse recipe, against the export
	tools/spark/run

browser: release ## The exported page in headless Chromium, against the CSV
	tools/browser/run

screenshots: release ## Pictures of the page into docs/images
	tools/browser/run --screenshots docs/images

privacy: graph release ## The boundary, and markers in everything confidential, searched for everywhere else
	swift build --build-tests $(SWIFT_FLAGS)
	timeout 1800 swift test --skip-build $(SWIFT_FLAGS) --filter BoundaryTests
	swift build -c release $(SWIFT_FLAGS) --product canary
	tools/canary/run --count $(or $(COUNT),100000) --seed $(or $(SEED),1)

live: release ## A real small model: MODEL_URL=..., or the server of ../shared if it is there
	tools/live/run

testset: release ## 300 real texts as a test set for real small models: COUNT, SEED, MODEL_URL, MODEL
	tools/testset/run

fuzz: zlib ## libFuzzer on all that others may have written: make fuzz SECONDS=60, for each target
	tools/fuzz/run $(or $(SECONDS),60)

# The same inputs for everybody.
fuzz-short: zlib
	SEED=1 COUNT=1000 tools/fuzz/run

mutations: zlib ## The tests of mangled lines with other seeds: make mutations SEED=7 COUNT=10000
	EVALOG_FUZZ_SEED=$(or $(SEED),1000) EVALOG_FUZZ_COUNT=$(or $(COUNT),2000) \
	  swift test $(SWIFT_FLAGS) --filter 'mutations|grammar|flippedBit'

simulate: zlib ## Kills, power cuts, full disks: make simulate SCHEDULES=1000000; SEED=7 SCHEDULES=1 shows one
	swift build -c release $(SWIFT_FLAGS) --product simulate
	.build/release/simulate --seed $(or $(SEED),1) --schedules $(or $(SCHEDULES),10000) \
	  $(if $(filter 1,$(SCHEDULES)),--trace)

soak: release ## The programs on a real disk, killed at random, on a full one: SEED, ROUNDS, SESSIONS
	tools/soak/run --seed $(or $(SEED),1) --rounds $(or $(ROUNDS),200) --sessions $(or $(SESSIONS),2000)

soak-short: release
	tools/soak/run --short --seed $(or $(SEED),1)

bench: bench-short ## Also replay against DuckDB, ClickHouse and Polars: COUNT, SEED, ROUNDS
	tools/peers/run $(or $(COUNT),5000000) $(or $(SEED),1) $(or $(ROUNDS),5)

bench-short: release ## Append and replay against zlib on the same bytes; what recording costs
	.build/release/bench
	.build/release/bench recorder

zlib:
	@tools/need-zlib

dist: zlib ## A folder, and a .tar.gz of it, that runs on a bare Debian 12 without Swift
	folder=$$(tools/dist/build) && tools/dist/check "$$folder"

PREFIX ?= /usr/local
install: zlib ## Puts the same below PREFIX (default /usr/local)
	folder=$$(tools/dist/build) && install -d $(DESTDIR)$(PREFIX) && cp -R "$$folder"/. $(DESTDIR)$(PREFIX)

clean: ## Deletes what was built
	rm -rf .build evalog-demo
