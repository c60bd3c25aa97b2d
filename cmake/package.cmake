# `make package`: wedge_VERSION_ARCHITECTURE.deb, and a .tar.gz for other systems. Both are the same bytes from any folder, at any
# time, by any user: every time in them is SOURCE_DATE_EPOCH, and if that is not set, the time of the commit.
#
# One package has the command, the library and what programs are built with: a downloaded .deb is one file.
# cmake/debian/lintian-overrides says so to lintian, which has no other complaint (tests/package.sh).
#
# SPDX-License-Identifier: MIT

# Who made the package, and when: the last commit's author and time; without git, nobody in particular and the day of the release.
set(packager "the authors of wedge <wedge@localhost>")
set(packed 1794744000) # Sun, 15 Nov 2026 12:00:00 +0000
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} log -1 "--format=%an <%ae>" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE author OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} log -1 --format=%ct WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE committed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(author AND committed)
    set(packager "${author}")
    set(packed "${committed}")
  endif()
endif()
if(NOT "$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  set(packed "$ENV{SOURCE_DATE_EPOCH}")
endif()

set(CPACK_PACKAGE_VENDOR wedge)
set(CPACK_PACKAGE_CONTACT "${packager}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "all pairs and all triplets of points, on GPUs and CPUs")
set(CPACK_PACKAGE_DESCRIPTION "wedge computes something for every pair or triplet of points: distances,
neighbours, counts by distance, forces, three-body energies, or a function
of one's own. It runs on GPUs (CUDA, OpenCL) and CPUs, and gives the same
bytes on every run.
.
This package has the command wedge, the library libwedge with its headers,
and map.h, the exact index maps for kernels of one's own.")
# CPack's own .tar.gz has the user, the group and the hour; GNU tar can leave them out (tarball.cmake).
find_program(WEDGE_TAR NAMES gtar tar)
if(WEDGE_TAR)
  execute_process(COMMAND ${WEDGE_TAR} --version OUTPUT_VARIABLE tar_version ERROR_QUIET)
endif()
if(tar_version MATCHES "GNU tar")
  set(CPACK_GENERATOR External)
  set(CPACK_EXTERNAL_ENABLE_STAGING ON)
  set(CPACK_EXTERNAL_PACKAGE_SCRIPT ${PROJECT_SOURCE_DIR}/cmake/tarball.cmake)
  set(CPACK_WEDGE_TAR ${WEDGE_TAR})
else()
  set(CPACK_GENERATOR TGZ)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS # whatever the umask
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
find_program(WEDGE_DPKG dpkg)
find_program(WEDGE_SHLIBDEPS dpkg-shlibdeps)
if(WEDGE_DPKG)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ocl-icd-libopencl1, pocl-opencl-icd")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
if(WEDGE_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libjansson4")
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers) # dpkg calls ldconfig

# ---- What Debian wants to read: what changed, and what lintian is to overlook ----
if(WEDGE_DPKG AND WEDGE_GZIP)
  set(debian ${PROJECT_BINARY_DIR}/debian)
  set(seconds_of_the_build "$ENV{SOURCE_DATE_EPOCH}")
  set(ENV{SOURCE_DATE_EPOCH} ${packed})
  string(TIMESTAMP packed_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  set(ENV{SOURCE_DATE_EPOCH} "${seconds_of_the_build}")
  file(COPY CHANGELOG.md DESTINATION ${debian})
  file(RENAME ${debian}/CHANGELOG.md ${debian}/changelog)
  file(WRITE ${debian}/changelog.Debian
    "wedge (${PROJECT_VERSION}-1) unstable; urgency=medium\n\n  * As changelog.gz says.\n\n -- ${packager}  ${packed_date}\n")
  execute_process(COMMAND ${WEDGE_GZIP} -9nf ${debian}/changelog ${debian}/changelog.Debian)
  install(FILES ${debian}/changelog.gz ${debian}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian
    EXCLUDE_FROM_ALL)
  install(FILES cmake/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME wedge
    COMPONENT debian EXCLUDE_FROM_ALL)
  set(more "if(CPACK_GENERATOR STREQUAL DEB)\n  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS \"${PROJECT_BINARY_DIR};wedge;debian;/\")\nendif()\n")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/packed.cmake # cpack reads it once per generator
  "set(ENV{SOURCE_DATE_EPOCH} ${packed})\nif(CPACK_GENERATOR STREQUAL External)\n  set(CPACK_MONOLITHIC_INSTALL ON)\nendif()\n${more}")
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/packed.cmake)
include(CPack)
