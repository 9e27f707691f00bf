# Benchmarks: one program per bench/*_bench.cc, where Google Benchmark is installed.

find_package(benchmark CONFIG QUIET)
if(benchmark_FOUND)
  file(GLOB_RECURSE bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*_bench.cc)
  foreach(source ${bench_sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE dsi_internal benchmark::benchmark)
  endforeach()
endif()
# The shared library that bench/compare loads: the peers' loops, and dsi through its public API.
file(GLOB peer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/peers/*.cc)
if(peer_sources)
  add_library(dsi_compare SHARED ${peer_sources})
  set_target_properties(dsi_compare PROPERTIES CXX_VISIBILITY_PRESET hidden)
  target_link_libraries(dsi_compare PRIVATE dsi_compiler dsi::dsi PkgConfig::dsi_xxhash)
  # Peers hash as fast as the library does.
  target_compile_definitions(
    dsi_compare PRIVATE $<$<BOOL:${DSI_XXHASH_HAS_DISPATCH}>:DSI_XXHASH_HAS_DISPATCH>)
endif()
# What bench/choices runs.
file(GLOB choice_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/choice_figures/*.cc)
if(choice_sources)
  find_package(Threads REQUIRED)
  add_executable(choices ${choice_sources})
  target_link_libraries(choices PRIVATE dsi_internal Threads::Threads)
endif()
# What bench/remote runs.
add_executable(remote_reads ${PROJECT_SOURCE_DIR}/bench/remote_figures/remote_reads.cc)
target_link_libraries(remote_reads PRIVATE dsi_compiler dsi_internal)
add_executable(delay_proxy ${PROJECT_SOURCE_DIR}/bench/remote_figures/delay_proxy.cc)
target_link_libraries(delay_proxy PRIVATE dsi_compiler)

# What bench/storage runs.
add_executable(storage_plans ${PROJECT_SOURCE_DIR}/bench/storage_figures/plans.cc)
target_link_libraries(storage_plans PRIVATE dsi_internal dsi_light_compiler)

# What bench/datasets runs.
add_executable(dataset_scans ${PROJECT_SOURCE_DIR}/bench/dataset_figures/dataset_scans.cc)
target_link_libraries(dataset_scans PRIVATE dsi_internal dsi_light_compiler)
