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
add_subdirectory(${PROJECT_SOURCE_DIR}/bench/compare)
