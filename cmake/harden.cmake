# What the compiler and the linker offer against a bug that becomes a hole, each where it is there: guarded stacks, checked copies,
# marked targets of jumps (CET), addresses that are resolved first and read-only after, executables at any address. And no path of
# this folder in what is built. tests/hardened.sh looks for them; WEDGE_HARDEN=OFF leaves them out.
#
# SPDX-License-Identifier: MIT
option(WEDGE_HARDEN "Guard stacks, copies, jumps and addresses" ON)
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)

# The folder by a relative name, in messages, assertions and what debuggers read.
foreach(folder ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}) # of two that fit the last is taken
  check_c_compiler_flag(-ffile-prefix-map=${folder}=. WEDGE_HAS_PREFIX_MAP)
  if(WEDGE_HAS_PREFIX_MAP)
    add_compile_options(-ffile-prefix-map=${folder}=.)
  endif()
endforeach()

if(NOT WEDGE_HARDEN)
  return()
endif()
check_pie_supported()

foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  string(MAKE_C_IDENTIFIER "WEDGE_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()

# Only where code is optimised, not with sanitizers, which check more, and not over what a distribution asks for.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(flags "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}")
if(flags MATCHES "-O[123sz]" AND NOT flags MATCHES "_FORTIFY_SOURCE" AND NOT WEDGE_SANITIZE)
  check_c_source_compiles("#ifdef _FORTIFY_SOURCE\n#error by default\n#endif\nint main(void) { return 0; }\n" WEDGE_NOT_FORTIFIED)
  if(WEDGE_NOT_FORTIFIED)
    add_compile_definitions(_FORTIFY_SOURCE=2)
  endif()
endif()

set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,relro,-z,now,-z,noexecstack)
check_c_source_compiles("int main(void) { return 0; }\n" WEDGE_LINKS_READ_ONLY)
if(WEDGE_LINKS_READ_ONLY)
  add_link_options(${CMAKE_REQUIRED_LINK_OPTIONS})
endif()
set(CMAKE_REQUIRED_LINK_OPTIONS)
