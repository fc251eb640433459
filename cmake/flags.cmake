# How runnel's own sources are compiled: runnel-flags, RUNNEL_AVX2_FLAGS and runnel_objects.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

# One set of bits everywhere: no contraction, no reordering, no flushing. The three -fno flags below
# change no result; they only say that nobody reads errno or the floating-point exception flags.
file(RELATIVE_PATH up ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}) # how paths begin that ccache makes relative
add_library(runnel-flags INTERFACE)
target_compile_options(runnel-flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes -Wstrict-prototypes>
  $<$<BOOL:${RUNNEL_WERROR}>:-Werror>
  $<$<BOOL:${WIN32}>:-Wno-float-conversion> # mingw's isnan and isfinite are macros that would warn
  -fno-fast-math # whatever the project around this one compiles with
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize> # gcc 12 for x86-64 loses the rounding of (double)(float)x in pairs
  # clang 14 for WebAssembly vectorises straight-line code wrongly: rn_shape_sphere reads outside its arrays. After -O3.
  $<$<BOOL:${EMSCRIPTEN}>:-fno-slp-vectorize>
  -fvisibility=hidden -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= -fmacro-prefix-map=${up}=)
if(NOT RUNNEL_SIMD)
  target_compile_definitions(runnel-flags INTERFACE RN_WIDE_PLAIN)
endif()
if(RUNNEL_SANITIZE)
  target_compile_options(runnel-flags INTERFACE -fsanitize=${RUNNEL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(RUNNEL_SANITIZE_WITHOUT)
    target_compile_options(runnel-flags INTERFACE -fno-sanitize=${RUNNEL_SANITIZE_WITHOUT})
  endif()
  target_link_options(runnel-flags INTERFACE -fsanitize=${RUNNEL_SANITIZE})
endif()
if(RUNNEL_SANITIZE OR RUNNEL_FUZZ)
  target_compile_definitions(runnel-flags INTERFACE "RN_UNROLL=")
endif()
if(RUNNEL_FUZZ)
  target_compile_options(runnel-flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# On x86-64 the hot loops are compiled for AVX2 too, and base/dispatch.h chooses at run time. Without FMA: its roundings are
# others. gcc for Windows does not align its stack to 32 bytes (GCC bug 54412), so there vectors move as unaligned ones.
set(RUNNEL_AVX2_FLAGS "")
if(RUNNEL_SIMD AND RUNNEL_AVX2)
  check_c_source_compiles("
    #if !defined(__x86_64__) || defined(__AVX2__)
    #error not needed
    #endif
    int main(void) { return __builtin_cpu_supports(\"avx2\"); }" RUNNEL_MAY_CHOOSE_AVX2)
  if(RUNNEL_MAY_CHOOSE_AVX2)
    set(RUNNEL_AVX2_FLAGS -mavx2)
  endif()
  if(RUNNEL_MAY_CHOOSE_AVX2 AND WIN32 AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    check_c_compiler_flag(-Wa,-muse-unaligned-vector-move RUNNEL_MOVES_UNALIGNED)
    list(APPEND RUNNEL_AVX2_FLAGS -Wa,-muse-unaligned-vector-move)
    if(NOT RUNNEL_MOVES_UNALIGNED)
      set(RUNNEL_AVX2_FLAGS "")
    endif()
  endif()
endif()

# Objects that go into both libraries.
function(runnel_objects name)
  add_library(${name} OBJECT ${ARGN})
  if(NOT EMSCRIPTEN) # which links no shared library
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE runnel-flags)
  if(WIN32)
    target_compile_definitions(${name} PRIVATE RUNNEL_SHARED RUNNEL_BUILD)
  endif()
endfunction()
