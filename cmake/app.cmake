# The runnel command.

# The physics that `runnel validate` measures, and the models that it measures against: for the command, tests and tools.
file(GLOB PHYSICS_SOURCES CONFIGURE_DEPENDS app/physics/*.c)
add_library(runnel-physics STATIC ${PHYSICS_SOURCES})
target_include_directories(runnel-physics PUBLIC ${PROJECT_SOURCE_DIR}/app PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(runnel-physics PRIVATE runnel-flags PUBLIC runnel-static)

file(GLOB APP_SOURCES CONFIGURE_DEPENDS app/*.c app/*/*.c)
list(FILTER APP_SOURCES EXCLUDE REGEX /app/physics/)
add_executable(runnel ${APP_SOURCES} $<$<BOOL:${WIN32}>:app/windows.rc>)
target_include_directories(runnel PRIVATE ${PROJECT_SOURCE_DIR}/app ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(runnel PRIVATE runnel-flags runnel-physics PkgConfig::RUNNEL_JANSSON)
set_target_properties(runnel PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
