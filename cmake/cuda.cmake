# The explicit solver for GPUs: src/cuda/device.c says how the solver's own sources run there.
#
# runnel-emulated runs that program on threads of the CPU, for tests. librunnel-cuda.so has it as PTX, which clang makes
# of the same sources: no CUDA toolkit is needed, neither here nor where it runs.
set(PLAIN_SOURCES src/cuda/solve.c src/cuda/plain_piece.c src/cuda/plain_program.c src/cuda/plain_step.c)
set(GPU_SOURCES src/cuda/device.c src/cuda/solve.c)
# sources and cross-sections, which act after every substep
set(FORCING_SOURCES src/solver/columns.c src/solver/dilute.c src/solver/pipes_flow.c)
foreach(name area deposit footprint forcing sections series sources)
  list(APPEND FORCING_SOURCES src/world/${name}.c)
endforeach()
list(APPEND GPU_SOURCES ${FORCING_SOURCES})
foreach(name changes connection_links connection_sweeps connections contact contact_sweeps duct_fluxes face_sweeps flood
             flood_lists irregular momentum multigrid multigrid_fit passages pipe_solver pipes shells sweeps tiles time_step)
  list(APPEND GPU_SOURCES src/solver/${name}.c)
endforeach()
foreach(name pipe_solver sweeps tiles time_step)
  list(APPEND PLAIN_SOURCES src/solver/${name}.c)
endforeach()
# implicit substeps
foreach(name implicit newton_repair newton_system)
  list(APPEND IMPLICIT_SOURCES src/solver/${name}.c)
endforeach()
# connections, ceilings and contact angles of linked worlds
set(LINKED_SOURCES src/cuda/linked_step.c)
foreach(name connection_links connection_sweeps contact contact_sweeps irregular)
  list(APPEND LINKED_SOURCES src/solver/${name}.c)
endforeach()

# the surface of a liquid
set(SURFACE_SOURCES src/cuda/surface_program.c)
foreach(name bend choppy contact_line extras find_links fronts meniscus nearest passes sheets triangles vertices)
  list(APPEND SURFACE_SOURCES src/surface/${name}.c)
endforeach()

# What is loaded at run time has one symbol, and nothing of what that does not need.
function(runnel_backend target)
  add_library(${target} MODULE src/cuda/entry.c src/cuda/parcel.c src/cuda/surface.c ${ARGN})
  target_include_directories(${target} PRIVATE src include)
  target_link_libraries(${target} PRIVATE runnel-flags Threads::Threads ${CMAKE_DL_LIBS} m)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(${target} PRIVATE -Wl,--gc-sections -Wl,-z,defs
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/backend.map)
endfunction()

if(RUNNEL_SANITIZE OR RUNNEL_FUZZ) # a library that is loaded at run time would need what these add
  return()
endif()
if(RUNNEL_TESTS)
  set(ALL_SOURCES ${GPU_SOURCES} ${IMPLICIT_SOURCES} ${PLAIN_SOURCES} ${LINKED_SOURCES} ${SURFACE_SOURCES})
  list(REMOVE_DUPLICATES ALL_SOURCES)
  add_library(runnel-gpu-program OBJECT ${ALL_SOURCES} src/cuda/machine_threads.c)
  target_include_directories(runnel-gpu-program PRIVATE src include)
  target_link_libraries(runnel-gpu-program PRIVATE runnel-flags)
  target_compile_definitions(runnel-gpu-program PRIVATE RN_GPU RN_WIDE_PLAIN)
  # rows of a single entry are always set, which GCC does not see
  target_compile_options(runnel-gpu-program PRIVATE -ffunction-sections -fdata-sections
    $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  set_target_properties(runnel-gpu-program PROPERTIES POSITION_INDEPENDENT_CODE ON)
  runnel_backend(runnel-emulated $<TARGET_OBJECTS:runnel-gpu-program>)
endif()

find_program(RUNNEL_CLANG NAMES clang clang-14)
foreach(tool llvm-link opt llc)
  string(REPLACE "-" "_" variable RUNNEL_${tool})
  find_program(${variable} NAMES ${tool} ${tool}-14)
endforeach()
if(RUNNEL_CUDA AND RUNNEL_CLANG AND RUNNEL_llvm_link AND RUNNEL_opt AND RUNNEL_llc)
  file(GLOB PTX_HEADERS CONFIGURE_DEPENDS src/base/*.h src/kernels/*.h src/solver/*.h src/cuda/*.h src/world/*.h src/cuda/libc/*.h src/surface/*.h)
  # Six programs: those of plain worlds (cuda/plain_step.h), without and with sources, are short.
  set(PTX_general ${GPU_SOURCES} src/cuda/general_only.c src/cuda/explicit_only.c src/cuda/machine_ptx.c)
  set(PTX_implicit ${GPU_SOURCES} ${IMPLICIT_SOURCES} src/cuda/general_only.c src/cuda/machine_ptx.c)
  set(PTX_plain ${PLAIN_SOURCES} src/cuda/plain_only.c src/cuda/machine_ptx.c)
  set(PTX_acting ${PTX_plain} ${FORCING_SOURCES} src/solver/changes.c)
  set(PTX_linked ${PTX_acting} ${LINKED_SOURCES})
  set(PTX_surface ${SURFACE_SOURCES} src/cuda/machine_ptx.c)
  foreach(program general implicit plain acting linked surface)
    list(TRANSFORM PTX_${program} PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE PTX_PATHS)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${program}.ptx
      COMMAND ${CMAKE_COMMAND} -E env CLANG=${RUNNEL_CLANG} LINK=${RUNNEL_llvm_link} OPT=${RUNNEL_opt}
              LLC=${RUNNEL_llc} ${PROJECT_SOURCE_DIR}/tools/make-ptx ${PROJECT_BINARY_DIR}/${program}.ptx
              ${PTX_${program}}
      DEPENDS ${PTX_PATHS} ${PTX_HEADERS} ${PROJECT_SOURCE_DIR}/src/cuda/kernel.cu ${PROJECT_SOURCE_DIR}/tools/make-ptx
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  endforeach()
  set(PTX ${PROJECT_BINARY_DIR}/general.ptx ${PROJECT_BINARY_DIR}/implicit.ptx ${PROJECT_BINARY_DIR}/plain.ptx
      ${PROJECT_BINARY_DIR}/acting.ptx ${PROJECT_BINARY_DIR}/linked.ptx ${PROJECT_BINARY_DIR}/surface.ptx)
  runnel_backend(runnel-cuda src/cuda/driver.c)
  set_source_files_properties(src/cuda/driver.c PROPERTIES OBJECT_DEPENDS "${PTX}")
  target_compile_definitions(runnel-cuda PRIVATE "RN_CUDA_PTX=\"${PROJECT_BINARY_DIR}/\"")
  add_custom_target(runnel-ptx DEPENDS ${PTX})
  add_dependencies(runnel-cuda runnel-ptx)
endif()
