# SPDX-License-Identifier: Apache-2.0
#
# How a folder of Millrace describes its targets.
#
#   millrace_library(NAME          -> millrace_NAME, for users (installed too) millrace::NAME
#     SOURCES ...                  no sources: an INTERFACE library
#     PUBLIC_HEADERS ...           installed, and each must compile alone
#     BASE_DIR include             what users put on their include path
#     PUBLIC_DEPS ... PRIVATE_DEPS ...)
#   millrace_executable(NAME SOURCES ... DEPS ...)
#   millrace_test(NAME SOURCES ... DEPS ... LABELS ...)     -> millrace_tests_NAME, with Catch2
#   millrace_fuzzer(NAME SOURCES ... DEPS ...)              -> millrace_fuzz_NAME, with libFuzzer
#
# Relative paths are relative to the folder that calls.

include_guard(GLOBAL)
include(GNUInstallDirs)
include(MillraceInternal)

function(millrace_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BASE_DIR"
    "SOURCES;PUBLIC_HEADERS;PUBLIC_DEPS;PRIVATE_DEPS")
  _millrace_check_arguments(millrace_library)
  set(target millrace_${name})
  if(NOT DEFINED arg_BASE_DIR)
    set(arg_BASE_DIR include)
  endif()

  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${target} ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    set_target_properties(${target} PROPERTIES
      VERSION ${millrace_VERSION}
      SOVERSION ${millrace_VERSION_MAJOR}.${millrace_VERSION_MINOR}
      POSITION_INDEPENDENT_CODE ON)
    millrace_internal_target(${target})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC_DEPS})
  endif()
  add_library(millrace::${name} ALIAS ${target})

  target_compile_features(${target} ${scope} cxx_std_20)
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    VERIFY_INTERFACE_HEADER_SETS "${MILLRACE_VERIFY_HEADERS}")
  if(arg_PUBLIC_HEADERS)
    set(headers FILE_SET HEADERS)
    target_sources(${target} ${scope}
      ${headers} BASE_DIRS ${arg_BASE_DIR} FILES ${arg_PUBLIC_HEADERS})
  endif()

  if(MILLRACE_INSTALL)
    install(TARGETS ${target} EXPORT millraceTargets ${headers})
  endif()
endfunction()

function(millrace_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  _millrace_check_arguments(millrace_executable)
  add_executable(${name} ${arg_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
  millrace_internal_target(${name})
endfunction()

# Tests run in the root of the source tree. Each carries NAME as a label besides its LABELS;
# the label `no-sanitizer` keeps a test out of the sanitizer runs.
function(millrace_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LABELS")
  _millrace_check_arguments(millrace_test)
  set(target millrace_tests_${name})
  millrace_executable(${target} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS} Catch2::Catch2WithMain)
  catch_discover_tests(${target}
    DISCOVERY_MODE PRE_TEST
    TEST_PREFIX "${name}: "
    WORKING_DIRECTORY "${millrace_SOURCE_DIR}"
    TEST_LIST millrace_tests)
  # catch_discover_tests() keeps only the first of several labels.
  set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake")
  file(CONFIGURE OUTPUT "${labels_file}" @ONLY CONTENT [[
if(millrace_tests)
  set_tests_properties(${millrace_tests} PROPERTIES LABELS "@name@;@arg_LABELS@")
endif()
unset(millrace_tests)
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
endfunction()

function(millrace_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  _millrace_check_arguments(millrace_fuzzer)
  set(target millrace_fuzz_${name})
  millrace_executable(${target} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS})
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET millrace_fuzzers)
    add_custom_target(millrace_fuzzers)
  endif()
  add_dependencies(millrace_fuzzers ${target})
endfunction()

macro(_millrace_check_arguments caller)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${caller}(${name}): not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
endmacro()
