# `make install` and `cpack`: libraries, headers, what CMake and pkg-config find them by, the command and its pages.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/wedge)
install(TARGETS wedge_shared wedge_static EXPORT wedge)
install(EXPORT wedge FILE wedge-targets.cmake NAMESPACE wedge:: DESTINATION ${package_folder})
configure_package_config_file(cmake/wedge-config.cmake.in wedge-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(wedge-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/wedge.pc.in wedge.pc @ONLY)
install(DIRECTORY include/wedge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/wedge-config.cmake ${PROJECT_BINARY_DIR}/wedge-config-version.cmake
  DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/wedge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(WEDGE_COMMAND)
  install(TARGETS wedge_command)
endif()
