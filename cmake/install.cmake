# make install: what there is of libraries, headers, command, scenes, documentation and completions, and how other projects
# find them. `cmake --build build --target runnel-installed` builds what `cmake --install build` copies, and no more.
include(CMakePackageConfigHelpers)
set(INSTALLED runnel-static runnel-shared)
if(RUNNEL_APP)
  list(APPEND INSTALLED runnel)
endif()
add_custom_target(runnel-installed DEPENDS ${INSTALLED})
install(TARGETS ${INSTALLED} EXPORT runnel-targets)

set(OUTER_HEADERS "")
if(RUNNEL_CORE_ONLY)
  set(OUTER_HEADERS REGEX "/(io|render|rigid)\\.h$" EXCLUDE)
endif()
install(DIRECTORY include/runnel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${OUTER_HEADERS})

# Links among the pages stay as they are in the repository.
install(FILES README.md CHANGELOG.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN runnel.1 EXCLUDE)
if(RUNNEL_APP)
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/runnel)
  install(FILES tools/blender-load DESTINATION ${CMAKE_INSTALL_DATADIR}/runnel)
  install(FILES docs/runnel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES completions/runnel.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME runnel)
  install(FILES completions/_runnel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES completions/runnel.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/runnel)
install(EXPORT runnel-targets NAMESPACE runnel:: DESTINATION ${CONFIG_FOLDER})
configure_package_config_file(cmake/runnel-config.cmake.in ${PROJECT_BINARY_DIR}/runnel-config.cmake
  INSTALL_DESTINATION ${CONFIG_FOLDER})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/runnel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/runnel-config.cmake ${PROJECT_BINARY_DIR}/runnel-config-version.cmake
  DESTINATION ${CONFIG_FOLDER})

set(RUNNEL_PC_CFLAGS "")
set(RUNNEL_PC_LIBS ${RUNNEL_LINK_NAMES} pthread m ${CMAKE_DL_LIBS})
if(RUNNEL_CORE_ONLY)
  set(RUNNEL_PC_CFLAGS " -DRUNNEL_CORE_ONLY")
endif()
list(TRANSFORM RUNNEL_PC_LIBS PREPEND -l)
list(JOIN RUNNEL_PC_LIBS " " RUNNEL_PC_LIBS)
configure_file(cmake/runnel.pc.in ${PROJECT_BINARY_DIR}/runnel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/runnel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
