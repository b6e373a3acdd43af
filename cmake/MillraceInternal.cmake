# SPDX-License-Identifier: Apache-2.0
#
# What our own targets are compiled with, and users of the libraries never see.

include_guard(GLOBAL)

set(_millrace_warnings
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-align
  -Wnon-virtual-dtor -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion -Wformat=2
  -Wextra-semi -Wundef
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wduplicated-branches;-Wlogical-op;-Wuseless-cast>
  $<$<CXX_COMPILER_ID:Clang>:-Wimplicit-fallthrough;-Wdeprecated-copy-dtor>)

# Warnings, sanitizers, and source locations relative to the source root (so that a trace
# is the same bits wherever the project was built). Everything is PRIVATE.
function(millrace_internal_target target)
  target_compile_options(${target} PRIVATE
    ${_millrace_warnings}
    $<$<BOOL:${MILLRACE_WERROR}>:-Werror>
    "-fmacro-prefix-map=${millrace_SOURCE_DIR}/=")
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)

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
