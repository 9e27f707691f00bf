# Compiler settings that every target of ours shares, as one interface target.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(DSI_CCACHE ccache)
  mark_as_advanced(DSI_CCACHE)
  if(DSI_CCACHE)
    # What is not in the cache is compiled without being preprocessed before, a sixth of the time.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_DEPEND=1 ${DSI_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${DSI_CCACHE})
  endif()
endif()

add_library(dsi_compiler INTERFACE)
target_compile_options(dsi_compiler INTERFACE
  -Wall -Wextra -Wconversion -Wshadow
  # Clang counts sign conversions as -Wconversion and gcc does not; one rule for both.
  -Wno-sign-conversion
  # The bytes written must not depend on whether a CPU has fused multiply-add.
  -ffp-contract=off
  $<$<CONFIG:Debug>:-D_GLIBCXX_ASSERTIONS>
  # Only of the library: gcc 12 warns falsely in inlined std::string and std::vector code of tests and tools.
  $<$<AND:$<BOOL:${DSI_WARNINGS_AS_ERRORS}>,$<STREQUAL:$<TARGET_PROPERTY:NAME>,dsi_objects>>:-Werror>)

# For programs whose time is spent in the library: what their templates (CLI11, JSON, GoogleTest) cost to optimize is half of
# their compile time.
add_library(dsi_light_compiler INTERFACE)
target_compile_options(dsi_light_compiler INTERFACE $<$<CONFIG:Release>:-O1>)

# Vectors of SVE have no size at compile time, so that no object can hold one. Those of NEON are as wide on most servers.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  add_compile_definitions("HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
endif()

# Instrumentation is global, because a program with one half instrumented reports nonsense.
if(DSI_SANITIZE)
  add_compile_options(-fsanitize=${DSI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${DSI_SANITIZE})
  # Kernels of every target take minutes of an instrumented build. Left are the scalar one and one for vectors of
  # 32 and of 64 bytes; release tests run them all.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_definitions("HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL)")
  endif()
endif()
if(DSI_LIBFUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "DSI_LIBFUZZER needs clang; use the preset `fuzz`")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(DSI_COVERAGE)
  add_compile_options(--coverage -O0 -g1)
  add_link_options(--coverage)
endif()
