# libwedge.so and libwedge.a, of the same objects, and the name that programs link: wedge::wedge.
#
# SPDX-License-Identifier: MIT

add_library(wedge_shared SHARED $<TARGET_OBJECTS:wedge_objects>)
set_target_properties(wedge_shared PROPERTIES OUTPUT_NAME wedge EXPORT_NAME shared)
if(NOT SKBUILD) # a wheel has no symbolic links
  set_target_properties(wedge_shared PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # until 1.0 a minor version may change the API
endif()
target_link_libraries(wedge_shared PRIVATE Threads::Threads ${CMAKE_DL_LIBS} PUBLIC m) # m: what map.h needs

# One object, in which only wedge_* is global: a program may have an op_find or a note of its own.
if(CMAKE_OBJCOPY AND NOT WEDGE_SANITIZE)
  set(whole ${PROJECT_BINARY_DIR}/libwedge.o)
  add_custom_command(OUTPUT ${whole}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${whole} $<TARGET_OBJECTS:wedge_objects>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${whole}
    DEPENDS wedge_objects $<TARGET_OBJECTS:wedge_objects> COMMAND_EXPAND_LISTS VERBATIM)
  add_library(wedge_static STATIC ${whole})
  set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
else()
  add_library(wedge_static STATIC $<TARGET_OBJECTS:wedge_objects>)
endif()
set_target_properties(wedge_static PROPERTIES OUTPUT_NAME wedge EXPORT_NAME static LINKER_LANGUAGE C
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(wedge_static PUBLIC Threads::Threads ${CMAKE_DL_LIBS} m)

foreach(kind shared static)
  target_include_directories(wedge_${kind} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  add_library(wedge::${kind} ALIAS wedge_${kind})
endforeach()
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  add_library(wedge::wedge ALIAS wedge_static)
else()
  add_library(wedge::wedge ALIAS wedge_shared)
endif()
