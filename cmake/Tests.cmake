# One gtest program per folder of tests/, named <folder>_test, and one ctest entry per Python or
# shell test. A test with "Slow" in its name is left out of the quick tier (scripts/test).

find_package(GTest CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
include(GoogleTest)

# Tests of bytes use third-party Python packages where scripts/test has made an environment for
# them; a test that misses a package exits with 77, which ctest reports as skipped.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(DSI_TEST_VENV ${PROJECT_SOURCE_DIR}/build/venv CACHE PATH "Python environment of the tests")
set(test_python ${Python3_EXECUTABLE})
if(EXISTS ${DSI_TEST_VENV}/bin/python)
  set(test_python ${DSI_TEST_VENV}/bin/python)
endif()

file(GLOB support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cc)
add_library(test_support_interface INTERFACE)
target_link_libraries(test_support_interface INTERFACE dsi_internal dsi_light_compiler GTest::gtest
  nlohmann_json::nlohmann_json)
# Takes the place of malloc, so only programs that fail or measure allocations have it.
set(memory_hook ${PROJECT_SOURCE_DIR}/tests/support/memory_hook.cc)
list(REMOVE_ITEM support_sources ${memory_hook})
# Only of files that read the tree: objects of all others are shared by checkouts in one compiler cache.
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/tests/golden/golden_nodes_test.cc
  ${PROJECT_SOURCE_DIR}/tests/golden/golden_test.cc
  ${PROJECT_SOURCE_DIR}/tests/golden/rules_test.cc
  ${PROJECT_SOURCE_DIR}/tests/codecs/broken_frames_test.cc
  ${PROJECT_SOURCE_DIR}/tests/codecs/spec_examples_test.cc
  ${PROJECT_SOURCE_DIR}/tests/dataset/comparison_test.cc
  ${PROJECT_SOURCE_DIR}/tests/dataset/deleted_rows_test.cc
  ${PROJECT_SOURCE_DIR}/tests/reader/growth_test.cc
  ${PROJECT_SOURCE_DIR}/tests/reader/hostile_files_test.cc
  ${PROJECT_SOURCE_DIR}/tests/reader/unsupported_test.cc
  ${PROJECT_SOURCE_DIR}/tests/reader/core_footer_test.cc
  ${PROJECT_SOURCE_DIR}/tests/rewrite/delete_rows_test.cc
  PROPERTIES COMPILE_DEFINITIONS DSI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
if(support_sources)
  add_library(test_support OBJECT ${support_sources})
  target_link_libraries(test_support PUBLIC test_support_interface)
else()
  add_library(test_support ALIAS test_support_interface)
endif()

file(GLOB test_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true
  RELATIVE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/*)
list(REMOVE_ITEM test_folders support)
foreach(folder ${test_folders})
  if(NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/${folder})
    continue()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cc)
  # A *_helper.cc is a program of its own, which script tests run.
  set(helpers ${sources})
  list(FILTER helpers INCLUDE REGEX "_helper\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_helper\\.cc$")
  foreach(helper ${helpers})
    get_filename_component(name ${helper} NAME_WE)
    add_executable(${name} ${helper})
    target_link_libraries(${name} PRIVATE test_support_interface)
  endforeach()
  if(NOT sources)
    continue()
  endif()
  add_executable(${folder}_test ${sources})
  target_link_libraries(${folder}_test PRIVATE test_support GTest::gtest_main)
  if(folder MATCHES "^(arrow|dataset|reader|writer)$")
    target_sources(${folder}_test PRIVATE ${memory_hook})
  endif()
  if(folder STREQUAL "tools" AND TARGET dsictl_core)
    target_link_libraries(${folder}_test PRIVATE dsictl_core)
  endif()
  gtest_discover_tests(${folder}_test
    TEST_PREFIX ${folder}.
    DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT 600 LABELS ${folder})
endforeach()

file(GLOB_RECURSE script_tests CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
  ${PROJECT_SOURCE_DIR}/tests/*_test.py ${PROJECT_SOURCE_DIR}/tests/*_test.sh)
# Those of the Python package are pytest's.
list(FILTER script_tests EXCLUDE REGEX "^python/")
foreach(script ${script_tests})
  string(REGEX REPLACE "\\.(py|sh)$" "" name ${script})
  string(REPLACE "/" "." name ${name})
  get_filename_component(folder ${script} DIRECTORY)
  if(script MATCHES "\\.py$")
    add_test(NAME ${name} COMMAND ${test_python} ${PROJECT_SOURCE_DIR}/tests/${script})
  else()
    add_test(NAME ${name} COMMAND bash ${PROJECT_SOURCE_DIR}/tests/${script})
  endif()
  # The link to the source tree has a cycle in it that a byte-code cache has no business in.
  set(environment
    DSI_SOURCE_DIR=${PROJECT_SOURCE_DIR}
    DSI_BUILD_DIR=${PROJECT_BINARY_DIR}
    DSI_PYTHON=${test_python}
    PYTHONDONTWRITEBYTECODE=1)
  if(TARGET dsictl)
    list(APPEND environment DSICTL=$<TARGET_FILE:dsictl>)
  endif()
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${environment}"
    SKIP_RETURN_CODE 77
    TIMEOUT 900
    LABELS "script")
endforeach()

# Random edits through both decoders; a sanitizer has fewer, and memory of its own.
set(edits --edits 40000)
if(DSI_SANITIZE)
  set(edits --edits 5000 --memory-mib 4096)
endif()
add_test(NAME reference.campaign.Slow
  COMMAND ${test_python} ${PROJECT_SOURCE_DIR}/tests/reference/campaign.py ${edits})
set_tests_properties(reference.campaign.Slow PROPERTIES
  ENVIRONMENT "DSI_SOURCE_DIR=${PROJECT_SOURCE_DIR};DSI_BUILD_DIR=${PROJECT_BINARY_DIR}"
  SKIP_RETURN_CODE 77
  TIMEOUT 1800
  LABELS "script")
