# Sets CMANP_WITH_TRAINING: whether the training half is built. libtorch carries no sanitizer's marks and drowns its
# reports, so that AUTO leaves it out of such builds.
set(CMANP_WITH_TRAINING OFF)
if(CMANP_TRAINING STREQUAL "AUTO")
  if(CMANP_CLI AND CMANP_PICTURES AND NOT CMANP_SANITIZE)
    find_package(Torch QUIET)
    find_path(CMANP_GLOO_HEADERS gloo/context.h)  # that c10d's headers read
    if(Torch_FOUND AND CMANP_GLOO_HEADERS)
      set(CMANP_WITH_TRAINING ON)
    elseif(Torch_FOUND)
      message(STATUS "cmanp: Torch is there, Gloo's headers are not (Debian: libgloo-dev)")
    endif()
  endif()
elseif(CMANP_TRAINING)
  if(NOT CMANP_CLI OR NOT CMANP_PICTURES)
    message(FATAL_ERROR "cmanp: the training half (CMANP_TRAINING) needs CMANP_CLI and CMANP_PICTURES")
  endif()
  find_package(Torch REQUIRED)
  find_path(CMANP_GLOO_HEADERS gloo/context.h REQUIRED)
  set(CMANP_WITH_TRAINING ON)
endif()
message(STATUS "cmanp: training half: ${CMANP_WITH_TRAINING}")

# libtorch's headers take longer to read than any file of ours to compile: they are precompiled once, in
# cmanp_training. A program that shares them has to be compiled with the same -fPIC.
function(cmanp_share_torch_headers target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM cmanp_training)
endfunction()
