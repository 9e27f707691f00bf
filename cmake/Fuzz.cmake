# Fuzz targets are part of every build, with a main that replays files; the preset `fuzz` links
# the same sources with libFuzzer.

# Damages per seed in a test run; sanitizers take twenty times as long for each.
set(fuzz_mutations 3000)
if(DSI_SANITIZE)
  set(fuzz_mutations 1000)
endif()

# What scripts/test runs with libFuzzer, one line each: the target, by what its time is divided, and
# the folders of its corpus.
set(fuzz_targets ${PROJECT_BINARY_DIR}/fuzz_targets)
file(WRITE ${fuzz_targets} "")

# Adds a target whose corpus is in fuzz/corpus/<name without fuzz_> and in the folders named.
function(dsi_add_fuzz_target name source divisor)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE dsi_internal)
  if(DSI_LIBFUZZER)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
  endif()
  string(REGEX REPLACE "^fuzz_" "fuzz/corpus/" own ${name})
  set(corpus ${ARGN})
  if(EXISTS ${PROJECT_SOURCE_DIR}/${own})
    list(APPEND corpus ${own})
  endif()
  if(name MATCHES "^fuzz_(open|read_all|dataset)$")
    # As they are: damaged, some of them cost a second each.
    add_test(NAME fuzz.${name}.hostile COMMAND ${name} -runs=0 tests/golden/hostile
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(fuzz.${name}.hostile PROPERTIES TIMEOUT 1800 LABELS fuzz)
  endif()
  set(replayed ${corpus})
  if(name STREQUAL fuzz_dataset)
    # Pairs of files that belong together: few, and damaged more often than the many of one file.
    list(REMOVE_ITEM replayed ${own})
    math(EXPR mutations "${fuzz_mutations} / 200")
    add_test(NAME fuzz.${name}.pairs COMMAND ${name} -runs=0 -mutations=${mutations} ${own}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(fuzz.${name}.pairs PROPERTIES TIMEOUT 1800 LABELS fuzz)
  endif()
  list(JOIN corpus " " folders)
  # Without the hostile ones: instrumented, one of them takes longer than a target has.
  file(APPEND ${fuzz_targets} "${name} ${divisor} ${folders}\n")
  if(corpus)
    # Files whose seals are made anew are read to their end, in all layouts: milliseconds each.
    set(mutations ${fuzz_mutations})
    if(name STREQUAL fuzz_read_all)
      math(EXPR mutations "${mutations} / 80")
    elseif(name STREQUAL fuzz_dataset)
      math(EXPR mutations "${mutations} / 400")
    elseif(name STREQUAL fuzz_rewrite)
      math(EXPR mutations "${mutations} / 1000")
    elseif(name STREQUAL fuzz_overlay)
      math(EXPR mutations "${mutations} / 30")
    elseif(name STREQUAL fuzz_access_log)
      math(EXPR mutations "${mutations} / 4")
    endif()
    # -runs=0 makes libFuzzer replay the corpus and stop; the replay program damages each file as often as asked.
    add_test(NAME fuzz.${name} COMMAND ${name} -runs=0 -mutations=${mutations} ${replayed}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 1800 LABELS fuzz)
  endif()
endfunction()

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.cc)
list(REMOVE_ITEM fuzz_sources ${PROJECT_SOURCE_DIR}/fuzz/fuzz_encoding.cc)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  set(seeds)
  if(name MATCHES "open|read_all|dataset|rewrite")
    set(seeds tests/golden/rules)
  endif()
  # The others have a link to these in fuzz/corpus.
  if(name MATCHES "dataset|rewrite")
    list(APPEND seeds tests/golden/valid)
  endif()
  dsi_add_fuzz_target(${name} ${source} 1 ${seeds})
endforeach()

# Rows for which a predicate holds are those of the tests' model.
find_package(GTest CONFIG REQUIRED)
target_sources(fuzz_filter_text PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/filter_model.cc
  ${PROJECT_SOURCE_DIR}/tests/support/scan_model.cc)
target_link_libraries(fuzz_filter_text PRIVATE GTest::gtest)

# One target for each encoding, whose golden nodes are its corpus; a test asks that all have some.
file(GLOB nodes CONFIGURE_DEPENDS LIST_DIRECTORIES true
  RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests/golden/nodes/*)
list(FILTER nodes EXCLUDE REGEX "\\.json$")
foreach(folder ${nodes})
  get_filename_component(name ${folder} NAME)
  string(REPLACE "_" " " encoding ${name})
  dsi_add_fuzz_target(fuzz_encoding_${name} ${PROJECT_SOURCE_DIR}/fuzz/fuzz_encoding.cc
    4 ${folder})
  target_compile_definitions(fuzz_encoding_${name} PRIVATE "DSI_FUZZ_ENCODING=\"${encoding}\"")
endforeach()
