# SPDX-License-Identifier: Apache-2.0
#
# The package that find_package(millrace) finds. Libraries install themselves in millrace_library().

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/millrace")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/millraceConfig.cmake.in" "${PROJECT_BINARY_DIR}/millraceConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/millraceConfigVersion.cmake" COMPATIBILITY SameMinorVersion)

install(EXPORT millraceTargets NAMESPACE millrace:: DESTINATION "${package_dir}")
install(FILES
  "${PROJECT_BINARY_DIR}/millraceConfig.cmake" "${PROJECT_BINARY_DIR}/millraceConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/MillraceScripts.cmake"
  DESTINATION "${package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET millrace)
  install(TARGETS millrace EXPORT millraceTargets)
endif()
