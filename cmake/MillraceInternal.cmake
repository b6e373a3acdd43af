# SPDX-License-Identifier: Apache-2.0
#
# What our own targets are compiled with, and users of the libraries never see.

include_guard(GLOBAL)

set(_millrace_warnings
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-align
  -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion -Wformat=2
  -Wextra-semi -Wundef
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wduplicated-branches;-Wlogical-op>
  # GCC 12 sees impossible overlaps inside std::string at -O3 (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:Clang>:-Wimplicit-fallthrough;-Wdeprecated-copy-dtor>)

# Warnings (when it is Millrace that is built, not a project that contains it), sanitizers, and
# source locations relative to the source root. Everything is PRIVATE.
function(millrace_internal_target target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(millrace_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE
      ${_millrace_warnings} $<$<BOOL:${MILLRACE_WERROR}>:-Werror>)
  endif()

  # A trace holds source locations and is the same bits wherever Millrace was built. With
  # CCACHE_BASEDIR the compiler is given paths relative to the build folder.
  cmake_path(RELATIVE_PATH millrace_SOURCE_DIR
    BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE source_from_build)
  string(REGEX REPLACE "/$" "" source_from_build "${source_from_build}")
  target_compile_options(${target} PRIVATE
    "-fmacro-prefix-map=${millrace_SOURCE_DIR}/="
    "-fmacro-prefix-map=${source_from_build}/=")

  if(MILLRACE_SANITIZE)
    list(JOIN MILLRACE_SANITIZE "," kinds)
    target_compile_options(${target} PRIVATE
      -fsanitize=${kinds} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${kinds})
  endif()
  if(MILLRACE_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
