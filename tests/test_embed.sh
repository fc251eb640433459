#!/bin/bash
# runnel as a part of other projects: add_subdirectory with the core alone, which links libc and threads and nothing else and
# can be installed, and FetchContent with everything, which is configured but takes too long to compile here.
#   test_embed.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
launcher=$(sed -n 's/^\(RUNNEL_CCACHE\|CMAKE_C_COMPILER_LAUNCHER\):[A-Z]*=\(.*ccache\)$/-DCMAKE_C_COMPILER_LAUNCHER=\2/p' "$build/CMakeCache.txt" | head -n 1)
sanitize=$(sed -n 's/^RUNNEL_SANITIZE:STRING=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")

fail() {
    echo "$*" >&2
    exit 1
}

mkdir host
cp "$source/examples/hello.c" host
cat >host/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(host C)
set(CMAKE_C_STANDARD 11)
get_cmake_property(before VARIABLES)
if(FETCH)
  include(FetchContent)
  get_cmake_property(before VARIABLES)
  FetchContent_Declare(runnel SOURCE_DIR ${FROM})
  FetchContent_MakeAvailable(runnel)
else()
  add_subdirectory(${FROM} runnel)
endif()

# What is left behind: names that are runnel's own, and those of the modules that it includes.
get_cmake_property(after VARIABLES)
list(REMOVE_ITEM after ${before} before)
list(FILTER after EXCLUDE REGEX "^(RUNNEL_|runnel_|CMAKE_|PKG_CONFIG_|FETCHCONTENT_|Threads_|pkgcfg_lib_RUNNEL_|FIND_PACKAGE_|prefix_result$|_)")
if(after)
  message(FATAL_ERROR "runnel leaves ${after} in the host")
endif()
if(NOT CMAKE_C_STANDARD EQUAL 11 OR DEFINED CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  message(FATAL_ERROR "runnel changes the host's settings")
endif()
get_property(targets DIRECTORY ${FROM} PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER targets EXCLUDE REGEX "^runnel-")
if(targets)
  message(FATAL_ERROR "runnel makes the targets ${targets}")
endif()

foreach(kind static shared)
  add_executable(hello-${kind} hello.c)
  target_link_libraries(hello-${kind} PRIVATE runnel::${kind})
endforeach()
CMAKE

# The core: it needs neither pkg-config nor what is found by it.
cmake -G Ninja -S host -B core -DFROM="$source" -DRUNNEL_CORE_ONLY=ON -DRUNNEL_WERROR=ON -DRUNNEL_INSTALL=ON -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE=-O3 -DCMAKE_C_FLAGS="$sanitize" -DRUNNEL_SANITIZE="${sanitize#-fsanitize=}" \
    --no-warn-unused-cli -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_INSTALL_PREFIX="$scratch/usr" $launcher >/dev/null
ninja -C core >/dev/null
for kind in static shared; do
    ./core/hello-$kind | grep "10.000 ml, drift 0.0e+00" >/dev/null || fail "hello-$kind says something else"
done
if [ -z "$sanitize" ]; then
    needs=$(objdump -p core/hello-static core/runnel/librunnel.so | sed -n 's/ *NEEDED *//p' | sort -u |
        grep -vE '^(lib(c|m|pthread)\.so|ld-linux)' || true)
    [ -z "$needs" ] || fail "a program with the core alone needs $needs"
fi
if ninja -C core -t commands hello-static | grep 'hello\.c' | grep -E -- '-Wconversion|-ffp-contract'; then
    fail "runnel's flags reach the host"
fi

# What is installed of it compiles against the core's headers, and has no others.
cmake --install core >/dev/null
headers=$(cd usr/include/runnel && echo *.h)
case $headers in *io.h* | *render.h* | *rigid.h*) fail "the core alone installs $headers" ;; esac
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/usr" -name runnel.pc)")
cc $sanitize host/hello.c $(pkg-config --cflags runnel) "$(find usr -name librunnel.a)" \
    $(pkg-config --libs --static runnel | sed 's/-lrunnel//') -o hello
./hello | grep "10.000 ml" >/dev/null
mkdir user
cat >user/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(runnel REQUIRED)
add_executable(hello ../host/hello.c)
target_link_libraries(hello PRIVATE runnel::static)
CMAKE
cmake -G Ninja -S user -B user/out -DCMAKE_PREFIX_PATH="$scratch/usr" -DCMAKE_C_FLAGS="$sanitize" >/dev/null
ninja -C user/out >/dev/null
./user/out/hello | grep "10.000 ml" >/dev/null

# Everything: its libraries are found from the host's folder too, and nothing is built that the host does not link.
cmake -G Ninja -S host -B all -DFETCH=ON -DFROM="$source" >/dev/null
ninja -C all -t commands hello-static | tail -n 1 | grep jansson >/dev/null || fail "the host does not link what runnel needs"
if ninja -C all -t commands hello-static | grep -e -Werror >/dev/null; then fail "warnings are errors in a host"; fi
if ninja -C all -t commands | grep -E ' -o [^ ]*(runnel/runnel|test_|replay_)'; then fail "a host builds more than the library"; fi
echo "runnel is a part of other projects"
