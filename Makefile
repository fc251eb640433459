# Two commands do everything: make demo, make test. The rest is CMake (see CMakePresets.json).
# CONTRIBUTING.md says what runs where.

.PHONY: all demo test nightly soak validate asan tsan windows web serve fuzz tidy format install clean

JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
ctest = ctest --output-on-failure --parallel $(JOBS)

all: build/runnel

.PHONY: build/runnel
build/runnel:
	@tools/setup
	@cmake --preset release >/dev/null
	@cmake --build build

demo: build/runnel
	build/runnel run vertebra --every 3 --video out/vertebra/vertebra.mp4 --out out/vertebra

test: build/runnel
	@if command -v emcc >/dev/null; then tools/build-web build/web || { \
	    [ $$? = 75 ] && rm -rf build/web/site && echo "web: what it needs cannot be fetched here, so its tests are skipped"; }; fi
	@$(ctest) --test-dir build --label-exclude nightly

soak: build/runnel
	@$(ctest) --test-dir build --label-regex soak

validate: build/runnel
	build/runnel validate

# LABEL=quick: everything that is not too slow for it, as make nightly does. Each builds what its own label runs, or all.
asan: LABEL = asan
tsan: LABEL = threads
checks = $(if $(RUNNEL_LONG),-DRUNNEL_SANITIZE_WITHOUT=)
asan tsan:
	@tools/setup
	@cmake --preset $@ $(checks) >/dev/null
	@cmake --build build/$@ --target $(or $(patsubst %,%-tests,$(filter asan threads,$(LABEL))),all)
	@$(ctest) --test-dir build/$@ --label-regex '^($(LABEL))$$'

# The command, the DLL and the tests for Windows, in build/windows; the tests run if wine does. LABEL=.: all of them.
windows: LABEL = windows
windows:
	@tools/setup windows
	@tools/windows-libraries build/windows/libraries
	@cmake --preset windows >/dev/null
	@cmake --build build/windows --target runnel-shared $(if $(filter windows,$(LABEL)),windows-tests,all)
	@if tools/wine --works; then \
	    $(ctest) --test-dir build/windows --label-regex '$(LABEL)'; status=$$?; tools/wine --stop; exit $$status; \
	else echo "windows: built; wine does not run here, so no test did"; fi

# The npm package in build/web/package and the page in build/web/site: docs/web.md. make serve: on localhost.
web:
	@tools/setup web
	@tools/build-web build/web

PORT ?= 8080
serve: web
	@node web/serve.mjs --port $(PORT) build/web/site

# Every reader of files against made-up ones, each for SECONDS, as many at a time as there are cores.
SECONDS ?= 60
fuzz: build/runnel
	@cmake --preset fuzz $(checks) >/dev/null
	@cmake --build build/fuzzing --target fuzzers
	@fuzz/make-seeds build/runnel build/fuzzing/fuzz/seeds
	@JOBS=$(JOBS) fuzz/run build/fuzzing $(SECONDS)

# What takes hours, or asks for an idle machine.
nightly:
	@.ci/nightly

tidy: build/runnel
	@clang-tidy -p build --quiet $$(git ls-files 'src/*.c' 'app/*.c')

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

# PREFIX says where it will live, DESTDIR what to put before that while packaging.
PREFIX ?= /usr/local
install:
	@tools/setup install
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build build --target runnel-installed
	@DESTDIR=$(DESTDIR) cmake --install build

clean:
	rm -rf build out
