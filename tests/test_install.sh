#!/bin/bash
# Installs into a scratch folder and builds a small program against that copy, four ways.
set -euo pipefail
build=$1
tests=$(realpath "$(dirname "$0")")
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
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
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
# With sanitizers each look for leaks takes seconds, and completing runs the command a hundred times.
(cd / && ASAN_OPTIONS=detect_leaks=0 bash "$tests/test_completions.sh" "$scratch/usr/bin/runnel" "$scratch/usr/share/bash-completion/completions/runnel" \
    "$scratch/usr/share/zsh/site-functions/_runnel" "$scratch/usr/share/fish/vendor_completions.d/runnel.fish")
cd "$scratch/usr/share"
ls man/man1/runnel.1 runnel/blender-load doc/runnel/{README.md,CHANGELOG.md,LICENSE} >/dev/null

# Pages have their pictures and each other where they look for them; what is not installed they name by its place in the
# repository.
missing=""
cd doc/runnel
for page in $(find . -name '*.md'); do
    for to in $(grep -oE '\]\([^):#]+[)#]' "$page" | sed 's/^](//; s/[)#]$//'); do
        case $to in CONTRIBUTING.md | ../scenes/* | ../bench/*) continue ;; esac
        [ -e "$(dirname "$page")/$to" ] || missing="$missing $page:$to"
    done
done
[ -z "$missing" ] || {
    echo "links of installed pages that lead nowhere:$missing" >&2
    exit 1
}

# DESTDIR goes in front of the prefix, and what is built for that is what is installed, no tests, examples and tools.
DESTDIR=$scratch/package cmake --install "$build" --prefix /opt/runnel >/dev/null
diff <(cd "$scratch/usr" && find . -type f | sort) <(cd "$scratch/package/opt/runnel" && find . -type f | sort)
if ninja -C "$build" -t inputs runnel-installed | grep -E '(^|/)(tests|fuzz|examples|tools)/' >&2; then exit 1; fi
echo "installed copy works four ways"
