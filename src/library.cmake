# The public library, and its installation as a CMake package and a pkg-config module.
set_property(GLOBAL PROPERTY cmanp_library_parts base files kernels runtime agent events completion capi)

# Gives a target the library's objects. Out of a shared one comes only what the headers mark with CMANP_API: what is
# not marked is hidden, and what the standard library's templates make is kept by the linker.
function(cmanp_make_library target)
  get_property(parts GLOBAL PROPERTY cmanp_library_parts)
  foreach(part IN LISTS parts)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:cmanp_${part}>)
    set_target_properties(cmanp_${part} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endforeach()
  target_link_libraries(${target} PRIVATE hwy::hwy fmt::fmt Threads::Threads)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY" AND UNIX AND NOT APPLE)
    set(exports ${PROJECT_SOURCE_DIR}/src/exports.map)
    target_link_options(${target} PRIVATE LINKER:--version-script=${exports})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${exports})
  endif()
endfunction()

add_library(cmanp)
add_library(cmanp::cmanp ALIAS cmanp)
cmanp_make_library(cmanp)
target_include_directories(cmanp PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(cmanp PUBLIC cxx_std_20)
set_target_properties(cmanp PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)

include(${PROJECT_SOURCE_DIR}/cmake/install.cmake)
