# SPDX-License-Identifier: Apache-2.0
#
# For projects that use Millrace, found by find_package() or contained by add_subdirectory():
#
#   millrace_add_scripts(DIR
#     PREFIX ...     what the tests' names begin with; DIR unless given
#     OPTIONS ...    options of `millrace check` for each of them, such as --profile h200
#     LABELS ...)    the tests' labels
#
# A test for each script (.mill) in DIR and the folders in it: PREFIX/SCRIPT passes when the script
# is as it expects. DIR is relative to the folder that calls, in which the tests run; scripts that
# come and go are noticed. As a contained project Millrace needs MILLRACE_BUILD_CLI for this.

include_guard(GLOBAL)

function(millrace_add_scripts dir)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "OPTIONS;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "millrace_add_scripts(${dir}): not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET millrace::command)
    message(FATAL_ERROR "millrace_add_scripts(${dir}) runs the command `millrace`, which was not "
      "built: set MILLRACE_BUILD_CLI to ON")
  endif()
  if(NOT DEFINED arg_PREFIX)
    set(arg_PREFIX "${dir}")
  endif()

  cmake_path(ABSOLUTE_PATH dir BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE folder)
  file(GLOB_RECURSE scripts CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*.mill")
  if(NOT scripts)
    message(FATAL_ERROR "millrace_add_scripts(${dir}): no script (*.mill) in ${folder}")
  endif()
  foreach(script IN LISTS scripts)
    cmake_path(REMOVE_EXTENSION script LAST_ONLY OUTPUT_VARIABLE name)
    add_test(NAME "${arg_PREFIX}/${name}"
      COMMAND millrace::command check ${arg_OPTIONS} "${dir}/${script}"
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_tests_properties("${arg_PREFIX}/${name}" PROPERTIES LABELS "${arg_LABELS}")
  endforeach()
endfunction()
