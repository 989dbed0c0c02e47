# Target `reference`: the API reference in build/reference/html, made from the public headers by Doxygen. A comment that
# it cannot make sense of is an error.
find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
  set(DOXYGEN_PROJECT_BRIEF "${PROJECT_DESCRIPTION}")
  set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/reference)
  set(DOXYGEN_WARN_AS_ERROR YES)
  set(DOXYGEN_QUIET YES)
  set(DOXYGEN_EXTRACT_ALL YES)
  set(DOXYGEN_EXCLUDE_SYMBOLS cmanp::runtime cmanp::events)
  set(DOXYGEN_GENERATE_LATEX NO)
  set(DOXYGEN_HAVE_DOT NO)
  set(DOXYGEN_SORT_MEMBER_DOCS NO)
  set(DOXYGEN_OPTIMIZE_OUTPUT_FOR_C NO)
  set(DOXYGEN_USE_MDFILE_AS_MAINPAGE ${PROJECT_SOURCE_DIR}/docs/library.md)
  set(DOXYGEN_INPUT_FILTER "${PROJECT_SOURCE_DIR}/tools/doxygen_filter")
  set(DOXYGEN_FILTER_PATTERNS "*.md=cat")  # the filter is for headers
  set(DOXYGEN_PREDEFINED CMANP_API=)
  set(DOXYGEN_MACRO_EXPANSION YES)
  doxygen_add_docs(reference ${PROJECT_SOURCE_DIR}/include/cmanp ${PROJECT_SOURCE_DIR}/docs/library.md
                   COMMENT "API reference: ${PROJECT_BINARY_DIR}/reference/html/index.html")
endif()
