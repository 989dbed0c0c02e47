# Every target of the project is compiled with these; a warning is an error.
function(cmanp_warnings target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
                      $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast>
                      # GCC 12 sees overflows inside fmt and overlaps inside std::string that are not there.
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-restrict>)
endfunction()

# For programs that spend their time elsewhere, in the libraries or at the user's keyboard: what costs is to compile
# their headers' templates, and half the optimisation halves that. Sanitizers look at every access, optimised or not.
function(cmanp_compile_quickly target)
  set(level -O1)
  if(CMANP_SANITIZE)
    set(level -O0)
  endif()
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${level}>)
endfunction()

# Small files that all read the same large headers compile together, so many at a time. More at once is less work, since
# templates are instantiated once: two batches of cmanp-train's took 74 s of a processor together, 120 s apart.
function(cmanp_compile_together target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
endfunction()
