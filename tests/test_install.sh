#!/bin/bash
# Installs into a scratch folder and builds a small program against that copy, four ways.
set -euo pipefail
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/usr" >/dev/null
libdir=$(dirname "$(find "$scratch/usr" -name librunnel.a)")

cat >"$scratch/small.c" <<'C'
#include <runnel/runnel.h>
#include <stdio.h>
int main(void) {
    rn_terrain_def def = rn_terrain_default();
    def.solid = rn_sdf_bowl(0.4, 0.2);
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&def, &terrain) != RN_OK) return 1;
    printf("%d layers, runnel %s\n", rn_terrain_describe(terrain).layers, rn_version());
    rn_terrain_destroy(terrain);
    return 0;
}
C

sanitize=$(sed -n 's/^RUNNEL_SANITIZE:STRING=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
sed "s|^prefix=.*|prefix=$scratch/usr|; s|^libdir=.*|libdir=$libdir|; s|^includedir=.*|includedir=$scratch/usr/include|" \
    "$libdir/pkgconfig/runnel.pc" >"$scratch/runnel.pc"
export PKG_CONFIG_PATH=$scratch LD_LIBRARY_PATH=$libdir
cd "$scratch"

cc $sanitize small.c $(pkg-config --cflags --libs runnel) -o shared
./shared | grep "1 layers, runnel" >/dev/null
ldd shared | grep "librunnel.so.0" >/dev/null

cc $sanitize small.c $(pkg-config --cflags runnel) "$libdir/librunnel.a" $(pkg-config --libs --static runnel | sed 's/-lrunnel//') -o static
./static | grep "1 layers, runnel" >/dev/null

cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.20)
project(small C)
find_package(runnel REQUIRED)
foreach(kind static shared)
  add_executable(small-\${kind} small.c)
  target_link_libraries(small-\${kind} PRIVATE runnel::\${kind})
endforeach()
CMAKE
cmake -S . -B out -DCMAKE_PREFIX_PATH="$scratch/usr" -DCMAKE_C_FLAGS="$sanitize" >/dev/null
cmake --build out >/dev/null
./out/small-static | grep "1 layers, runnel" >/dev/null
./out/small-shared | grep "1 layers, runnel" >/dev/null

# Exactly the declared names are exported: all of them, and none other.
nm -D --defined-only "$libdir/librunnel.so" | awk '{print $3}' | sed 's/@.*//' | grep -vE '^(__asan|__ubsan|__odr|_init|_fini|asan)' | sort >exported
grep -ohE '^RN_API [^;{]*' "$scratch"/usr/include/runnel/*.h | grep -oE 'rn_[a-z0-9_]+\(' | tr -d '(' | sort -u >declared
diff declared exported

(cd / && "$scratch/usr/bin/runnel" scenes) | grep spill >/dev/null
test -f "$scratch/usr/share/man/man1/runnel.1"
echo "installed copy works four ways"
