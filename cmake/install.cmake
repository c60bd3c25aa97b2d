# `make install`: libraries, headers, what CMake and pkg-config find them by, the licence, the command, its pages and completions.
#
# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

# The wheel of Python has the library alone, beside python/wedge (pyproject.toml).
if(SKBUILD)
  install(TARGETS wedge_shared LIBRARY DESTINATION wedge COMPONENT python)
  return()
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/wedge)
install(TARGETS wedge_shared wedge_static EXPORT wedge)
install(EXPORT wedge FILE wedge-targets.cmake NAMESPACE wedge:: DESTINATION ${package_folder})
configure_package_config_file(cmake/wedge-config.cmake.in wedge-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(wedge-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wedge-config.cmake ${PROJECT_BINARY_DIR}/wedge-config-version.cmake
  DESTINATION ${package_folder})
# Compressed where gzip is there, as man reads them and Debian wants them; -n: no time in the file.
find_program(WEDGE_GZIP gzip)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY include/wedge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
# From its own folder, so that what is installed can be moved, and packed for another prefix than that of the build.
file(RELATIVE_PATH prefix_from_pc /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
configure_file(cmake/wedge.pc.in wedge.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/wedge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(WEDGE_COMMAND)
  install(TARGETS wedge_command)
  install(FILES cli/completion/wedge.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME wedge)
  install(FILES cli/completion/_wedge DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES cli/completion/wedge.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
if(WEDGE_COMMAND AND NOT CMAKE_CROSSCOMPILING) # pages are what the program says
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/manual/api.md
    COMMAND sh ${PROJECT_SOURCE_DIR}/tools/manual $<TARGET_FILE:wedge_command> ${PROJECT_SOURCE_DIR}/include/wedge/wedge.h
            ${PROJECT_VERSION} ${PROJECT_BINARY_DIR}/manual
    DEPENDS wedge_command include/wedge/wedge.h tools/manual tools/manual.awk tools/reference.awk)
  add_custom_target(manual ALL DEPENDS ${PROJECT_BINARY_DIR}/manual/api.md)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/man1 ${PROJECT_BINARY_DIR}/manual/man3
    DESTINATION ${CMAKE_INSTALL_MANDIR})
  if(WEDGE_GZIP)
    install(CODE "foreach(section 1 3)
        file(GLOB pages RELATIVE \"${PROJECT_BINARY_DIR}/manual/man\${section}\" \"${PROJECT_BINARY_DIR}/manual/man\${section}/*\")
        list(TRANSFORM pages PREPEND \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man\${section}/\")
        execute_process(COMMAND ${WEDGE_GZIP} -9nf \${pages})
      endforeach()")
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/manual/api.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

include(cmake/package.cmake)
