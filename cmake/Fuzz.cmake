# Fuzz targets are part of every build, with a main that replays files; the preset `fuzz` links
# the same sources with libFuzzer.

# Damages per seed in a test run; sanitizers take twenty times as long for each.
set(fuzz_mutations 20000)
if(DSI_SANITIZE)
  set(fuzz_mutations 1000)
endif()

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.cc)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE dsi_internal)
  if(DSI_LIBFUZZER)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
  endif()
  string(REGEX REPLACE "^fuzz_" "" corpus ${name})
  set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${corpus})
  if(EXISTS ${corpus})
    # -runs=0 makes libFuzzer replay the corpus and stop; the replay program damages each file as often as asked.
    add_test(NAME fuzz.${name} COMMAND ${name} -runs=0 -mutations=${fuzz_mutations} ${corpus})
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 600 LABELS fuzz)
  endif()
endforeach()
