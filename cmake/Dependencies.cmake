# Third-party packages of the library. All are private: no public header includes one.

find_package(PkgConfig REQUIRED)
pkg_check_modules(dsi_zstd REQUIRED IMPORTED_TARGET libzstd>=1.5.0)
pkg_check_modules(dsi_lz4 REQUIRED IMPORTED_TARGET liblz4>=1.9.0)
pkg_check_modules(dsi_xxhash REQUIRED IMPORTED_TARGET libxxhash>=0.8.0)
pkg_check_modules(dsi_zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(dsi_curl REQUIRED IMPORTED_TARGET libcurl>=7.85.0)
pkg_check_modules(dsi_uring REQUIRED IMPORTED_TARGET liburing>=2.0)
# Only packages built with its dispatcher have XXH3 choose its vectors at run time.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::dsi_xxhash)
check_cxx_source_compiles("#include <xxh_x86dispatch.h>
  int main() { return static_cast<int>(XXH3_64bits_withSeed_dispatch(\"\", 0, 0)); }"
  DSI_XXHASH_HAS_DISPATCH)
unset(CMAKE_REQUIRED_LIBRARIES)
find_package(simdjson REQUIRED)
find_package(hwy CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(FlatBuffers CONFIG REQUIRED)
find_package(Threads REQUIRED)
find_program(DSI_FLATC flatc REQUIRED)
mark_as_advanced(DSI_FLATC)

set(DSI_PRIVATE_LIBRARIES
  PkgConfig::dsi_zstd
  PkgConfig::dsi_lz4
  PkgConfig::dsi_xxhash
  PkgConfig::dsi_zlib
  PkgConfig::dsi_curl
  PkgConfig::dsi_uring
  simdjson::simdjson
  hwy::hwy
  fmt::fmt
  flatbuffers::flatbuffers
  Threads::Threads)
