# Installation: libraries, listed headers, a CMake package and a pkg-config file.

# All that the rules below install.
add_custom_target(installable DEPENDS dsi dsi_static)
if(TARGET dsictl_share)
  add_dependencies(installable dsictl_share)
elseif(TARGET dsictl)
  add_dependencies(installable dsictl)
endif()

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dsi)

# Two export sets, because only the static library drags its third-party packages along.
install(TARGETS dsi EXPORT dsiTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS dsi_static EXPORT dsiStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dsiTargets NAMESPACE dsi:: DESTINATION ${package_dir})
install(EXPORT dsiStaticTargets NAMESPACE dsi:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dsiConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dsiConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dsiConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dsiConfig.cmake ${PROJECT_BINARY_DIR}/dsiConfigVersion.cmake
  DESTINATION ${package_dir})

# Relative to the file itself, so that an installation can be moved or chosen at install time.
file(RELATIVE_PATH DSI_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/dsi.pc.in ${PROJECT_BINARY_DIR}/dsi.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dsi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
