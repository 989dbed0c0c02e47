# The public library, and its installation as a CMake package and a pkg-config module.
set(parts base files kernels runtime agent events capi)
add_library(cmanp)
add_library(cmanp::cmanp ALIAS cmanp)
foreach(part IN LISTS parts)
  target_sources(cmanp PRIVATE $<TARGET_OBJECTS:cmanp_${part}>)
endforeach()
target_include_directories(cmanp PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(cmanp PRIVATE hwy::hwy fmt::fmt Threads::Threads)
target_compile_features(cmanp PUBLIC cxx_std_20)
set_target_properties(cmanp PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 0)

include(${PROJECT_SOURCE_DIR}/cmake/install.cmake)
