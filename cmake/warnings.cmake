# Every target of the project is compiled with these; a warning is an error.
function(cmanp_warnings target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
                      $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast>
                      # GCC 12 sees overflows inside fmt and overlaps inside std::string that are not there.
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-restrict>)
endfunction()
