# Two commands do everything: make demo, make test. The rest is CMake (see CMakePresets.json).

.PHONY: all demo test soak validate asan tsan windows fuzz tidy format install clean

all: build/runnel

.PHONY: build/runnel
build/runnel:
	@tools/setup
	@cmake --preset release >/dev/null
	@cmake --build build

demo: build/runnel
	build/runnel run vertebra --every 3 --video out/vertebra/vertebra.mp4 --out out/vertebra

test: build/runnel
	@ctest --test-dir build --output-on-failure --parallel 2 --label-exclude soak

soak: build/runnel
	@ctest --test-dir build --output-on-failure --label-regex soak

validate: build/runnel
	build/runnel validate

# LABEL=threads: only tests in which several threads work on one world.
LABEL ?= quick
asan tsan: build/runnel
	@cmake --preset $@ >/dev/null
	@cmake --build build/$@
	@ctest --test-dir build/$@ --output-on-failure --parallel 2 --label-regex $(LABEL)

# The command, the library and the tests for Windows, in build/windows; the tests run if wine does.
windows:
	@tools/setup windows
	@tools/windows-libraries build/windows/libraries
	@cmake --preset windows >/dev/null
	@cmake --build build/windows
	@if tools/wine --works; then \
	    ctest --test-dir build/windows --output-on-failure --parallel 2; status=$$?; tools/wine --stop; exit $$status; \
	else echo "windows: built; wine does not run here, so no test did"; fi

# Every reader of files against made-up ones, each for SECONDS.
SECONDS ?= 60
fuzz: build/runnel
	@tools/setup fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzzing --target fuzzers
	@fuzz/make-seeds build/runnel build/fuzzing/fuzz/seeds
	@fuzz/run build/fuzzing $(SECONDS)

tidy: build/runnel
	@clang-tidy -p build --quiet $$(git ls-files 'src/*.c' 'app/*.c')

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

# PREFIX says where it will live, DESTDIR what to put before that while packaging.
PREFIX ?= /usr/local
install:
	@tools/setup
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build build --target runnel-installed
	@DESTDIR=$(DESTDIR) cmake --install build

clean:
	rm -rf build out
