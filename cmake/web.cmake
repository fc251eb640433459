# For WebAssembly, with Debian's emscripten: its clang compiles, through ccache where that is installed, and emcc links. The
# -mllvm options are those of emcc, whose optimiser relies on them. The same objects are linked without and with threads: they have
# atomic operations, but not all of -pthread, whose memory.copy makes a browser slower by a tenth.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(EMSCRIPTEN TRUE)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_C_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_AR llvm-ar-14)
set(CMAKE_RANLIB llvm-ranlib-14)
set(CMAKE_SYSROOT /usr/share/emscripten/cache/sysroot)
set(CMAKE_C_FLAGS_INIT "-matomics -msimd128 -mnontrapping-fptoint -D__EMSCRIPTEN__ -mllvm -disable-lsr -mllvm -combiner-global-alias-analysis=false -Wno-unused-command-line-argument")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_SYSTEM_INCLUDE_PATH /include)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_C_LINK_EXECUTABLE "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs emcc <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
