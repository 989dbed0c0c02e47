# Installs library, headers, a CMake package (find_package(cmanp) gives cmanp::cmanp) and a pkg-config module. All of
# it may be moved after installation.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cmanp)
get_target_property(library_type cmanp TYPE)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)
install(TARGETS cmanp EXPORT cmanp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cmanp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(EXPORT cmanp NAMESPACE cmanp:: FILE cmanp-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cmanp-config.cmake.in
                              ${PROJECT_BINARY_DIR}/cmanp-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmanp-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmanp-config.cmake ${PROJECT_BINARY_DIR}/cmanp-config-version.cmake
        DESTINATION ${package_dir})

file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH libdir_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH includedir_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
# What a static library leaves to its user, `pkg-config --libs` says without being asked for --static.
set(pc_requires Requires.private)
set(pc_libs "")
set(pc_libs_private "-lstdc++ -lm -pthread")
if(library_type STREQUAL "STATIC_LIBRARY")
  set(pc_requires Requires)
  set(pc_libs ${pc_libs_private})
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/cmanp.pc.in ${PROJECT_BINARY_DIR}/cmanp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmanp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(CMANP_CLI)
  file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.cmanp)
  install(FILES ${models} DESTINATION ${CMAKE_INSTALL_DATADIR}/cmanp/models COMPONENT program)
endif()
