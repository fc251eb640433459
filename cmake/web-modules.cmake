# The WebAssembly modules of web/: runnel (core, scenes and files, for the package and the page), runnel-threads (the same
# objects, linked with threads) and picture (the renderer).
file(GLOB WEB_CORE CONFIGURE_DEPENDS web/core/*.c)
file(GLOB WEB_APP CONFIGURE_DEPENDS app/inspect/*.c)
list(FILTER WEB_APP EXCLUDE REGEX "/(command|print).c$")
list(APPEND WEB_APP app/view/session.c app/view/action.c app/view/inputs.c app/view/texts.c app/view/props.c
  app/common/folders.c app/common/options.c app/common/text.c app/output/output.c)
set(WEB_LINK -O2 -sMODULARIZE=1 -sEXPORT_ES6=1 -sUSE_ES6_IMPORT_META=1 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sTEXTDECODER=2
  -sINITIAL_MEMORY=33554432 -sEXPORTED_FUNCTIONS=_malloc,_free -sSTRICT=1 -sALLOW_UNIMPLEMENTED_SYSCALLS=1)
function(runnel_web_sources name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/app ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/web/core)
  target_link_libraries(${name} PRIVATE runnel-flags runnel-static PkgConfig::RUNNEL_JANSSON)
endfunction()
function(runnel_web_module name)
  cmake_parse_arguments(M "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${M_SOURCES})
  runnel_web_sources(${name})
  target_link_options(${name} PRIVATE ${WEB_LINK} ${M_LINK} -L${PROJECT_BINARY_DIR}/libraries/lib)
  set_target_properties(${name} PROPERTIES SUFFIX .js RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()
# Importers, scenes, what a world does once a frame, and the session of the viewer are not worth the bytes of -O3.
file(GLOB_RECURSE WEB_SMALL CONFIGURE_DEPENDS src/io/*.c src/world/*.c src/terrain/*.c)
set_property(SOURCE ${WEB_SMALL} TARGET_DIRECTORY runnel-core PROPERTY COMPILE_OPTIONS -Os)
# Files with thread-local variables need -mbulk-memory: without it, clang makes these variables shared by all threads.
set_property(SOURCE src/base/error.c app/common/options.c TARGET_DIRECTORY runnel-core PROPERTY COMPILE_OPTIONS -mbulk-memory)
add_library(web-core OBJECT ${WEB_CORE} ${WEB_APP})
runnel_web_sources(web-core)
target_compile_options(web-core PRIVATE -Os)
set(WEB_CORE_LINK -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8 -sFORCE_FILESYSTEM=1 -sENVIRONMENT=web,worker)
runnel_web_module(runnel SOURCES $<TARGET_OBJECTS:web-core> LINK ${WEB_CORE_LINK})
runnel_web_module(runnel-threads SOURCES $<TARGET_OBJECTS:web-core>
  LINK ${WEB_CORE_LINK} -pthread "-sPTHREAD_POOL_SIZE=Module['helpers']" -sPTHREAD_POOL_SIZE_STRICT=2)
file(GLOB WEB_PICTURE CONFIGURE_DEPENDS web/picture/*.c)
runnel_web_module(picture SOURCES ${WEB_PICTURE} app/view/window/pick.c app/view/window/marks.c
  LINK -sENVIRONMENT=worker -sEXPORTED_RUNTIME_METHODS=GL,UTF8ToString -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sFILESYSTEM=0 -lGL)
