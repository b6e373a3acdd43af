# SPDX-License-Identifier: Apache-2.0
#
# Conveniences for who builds Millrace itself; a project that contains it makes its own choices.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  message(STATUS "No build type given: RelWithDebInfo (-O2 with debug information)")
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, RelWithDebInfo, Release" FORCE)
endif()

find_program(MILLRACE_CCACHE ccache)
mark_as_advanced(MILLRACE_CCACHE)
if(MILLRACE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MILLRACE_CCACHE}")
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Installed programs find installed shared libraries.
if(BUILD_SHARED_LIBS)
  include(GNUInstallDirs)
  set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()
