# SPDX-License-Identifier: Apache-2.0
#
# Configures, builds and runs consumer/ as a project of its own, and looks at what it got from us.

function(run)
  execute_process(COMMAND ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
set(build "${WORK_DIR}/build")
set(configure
  "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${build}" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
  "-DCMAKE_INSTALL_PREFIX=${WORK_DIR}/consumer-prefix" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)

if(WAY STREQUAL "find_package")
  run("${CMAKE_COMMAND}" --install "${MILLRACE_BUILD}" --prefix "${WORK_DIR}/prefix")
  run(${configure} "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix")
else()
  run(${configure} "-DMILLRACE_SOURCE=${MILLRACE_SOURCE}" -DBUILD_SHARED_LIBS=ON)
endif()
run("${CMAKE_COMMAND}" --build "${build}")
run("${build}/consumer")
run("${build}/consumer_tests")

# The tests are those that it asked for, and they pass.
run("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" -L streams)
foreach(expected "script/ordered " "script/below/race " "100% tests passed")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "The consumer's tests lack '${expected}':\n${output}")
  endif()
endforeach()

# Nothing of ours leaks: no tests, no compiler options, no install rules.
run("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" -N)
if(NOT output MATCHES "Total Tests: 2")
  message(FATAL_ERROR "The consumer got tests of ours:\n${output}")
endif()
file(READ "${build}/compile_commands.json" commands)
string(REGEX MATCH "\"command\": [^\n]*consumer/main\\.cpp" command "${commands}")
if(NOT command OR command MATCHES " -[WfO][^ ]*")
  message(FATAL_ERROR "The consumer is compiled with ${CMAKE_MATCH_0}:\n${command}")
endif()
run("${CMAKE_COMMAND}" --install "${build}")
if(EXISTS "${WORK_DIR}/consumer-prefix")
  message(FATAL_ERROR "Installing the consumer installed files of ours.")
endif()
