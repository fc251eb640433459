# Programs behind the documentation and the scenes.
function(runnel_tool name source)
  add_executable(runnel-${name} ${source})
  set_target_properties(runnel-${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(runnel-${name} PRIVATE runnel-flags ${ARGN})
endfunction()

# The numbers behind docs/paper.md, see tools/plot-paper.
runnel_tool(paper-measure tools/paper/measure.c runnel-physics)
target_include_directories(runnel-paper-measure PRIVATE src tests)
# And behind docs/passages.md, see tools/plot-passages.
runnel_tool(passages-measure tools/passages/measure.c runnel-physics)
# The meshes in scenes/meshes: make-meshes scenes scenes/meshes
runnel_tool(make-meshes tools/meshes/make.c runnel-static)
# The meshes that move in scenes: make-moving-meshes scenes/meshes
runnel_tool(make-moving-meshes tools/meshes/moving.c runnel-static)
