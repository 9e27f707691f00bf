# The library: compiled once, linked twice. dsi::dsi is the shared library with its public
# names only; dsi::dsi_static keeps the internals reachable for tests, fuzzing and dsictl.

# "dsi/<folder>/<file>.h" is the one include spelling, in the tree and installed. The link
# keeps the source root itself off the include path.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/dsi SYMBOLIC)

set(dsi_sources)
foreach(folder base format io codecs dedup transform writer reader dataset rewrite text arrow)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  list(APPEND dsi_sources ${found})
endforeach()
if(NOT dsi_sources)
  file(WRITE ${PROJECT_BINARY_DIR}/empty.cc "")
  set(dsi_sources ${PROJECT_BINARY_DIR}/empty.cc)
endif()

# FlatBuffers schemas become dsi/<folder>/<name>_generated.h on a private include path.
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/format/*.fbs)
set(generated_dir ${PROJECT_BINARY_DIR}/generated)
set(generated_headers)
file(MAKE_DIRECTORY ${generated_dir}/dsi/format)
foreach(schema ${schemas})
  get_filename_component(name ${schema} NAME_WE)
  set(header ${generated_dir}/dsi/format/${name}_generated.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${DSI_FLATC} --cpp --scoped-enums -o ${generated_dir}/dsi/format ${schema}
    DEPENDS ${schema}
    COMMENT "flatc format/${name}.fbs"
    VERBATIM)
  list(APPEND generated_headers ${header})
endforeach()
add_custom_target(dsi_generated DEPENDS ${generated_headers})

add_library(dsi_objects OBJECT ${dsi_sources})
add_dependencies(dsi_objects dsi_generated)
set_target_properties(dsi_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(dsi_objects PRIVATE ${PROJECT_BINARY_DIR}/include)
target_include_directories(dsi_objects SYSTEM PRIVATE ${generated_dir})
if(DSI_XXHASH_HAS_DISPATCH)
  # The files that include base/xxh3_internal.h.
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/format/seal.cc
    ${PROJECT_SOURCE_DIR}/dedup/hash_rows.cc
    ${PROJECT_SOURCE_DIR}/writer/encode/alias_streams.cc
    ${PROJECT_SOURCE_DIR}/writer/rows/list_sharing.cc
    PROPERTIES COMPILE_DEFINITIONS DSI_XXHASH_HAS_DISPATCH)
endif()
if(DSI_BENCH_WITHOUT_SEALS)
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/base/version.cc
    ${PROJECT_SOURCE_DIR}/reader/plan/page_reader.cc
    PROPERTIES COMPILE_DEFINITIONS DSI_BENCH_WITHOUT_SEALS)
endif()
target_link_libraries(dsi_objects PRIVATE dsi_compiler ${DSI_PRIVATE_LIBRARIES})
if(DSI_SANITIZE MATCHES "undefined")
  # These take 450 s of an instrumented build with all checks. Addresses are what they could get wrong, and those
  # are checked by the address sanitizer.
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/codecs/packed/unpack_u32.cc
    ${PROJECT_SOURCE_DIR}/codecs/packed/unpack_u64.cc
    PROPERTIES COMPILE_OPTIONS -fno-sanitize=alignment,bounds,null,object-size,pointer-overflow)
endif()

foreach(header ${DSI_PUBLIC_HEADERS})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${header})
    message(WARNING "listed public header ${header} is missing")
    list(REMOVE_ITEM DSI_PUBLIC_HEADERS ${header})
  endif()
endforeach()
list(TRANSFORM DSI_PUBLIC_HEADERS PREPEND ${PROJECT_BINARY_DIR}/include/dsi/
  OUTPUT_VARIABLE public_header_paths)

add_library(dsi SHARED $<TARGET_OBJECTS:dsi_objects>)
set_target_properties(dsi PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
target_link_options(dsi PRIVATE
  -Wl,--exclude-libs,ALL
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/dsi.map)
set_property(TARGET dsi APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/dsi.map)

add_library(dsi_static STATIC $<TARGET_OBJECTS:dsi_objects>)
set_target_properties(dsi_static PROPERTIES OUTPUT_NAME dsi)

foreach(library dsi dsi_static)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_sources(${library} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_BINARY_DIR}/include FILES ${public_header_paths})
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${library} PRIVATE ${DSI_PRIVATE_LIBRARIES})
  add_library(dsi::${library} ALIAS ${library})
endforeach()

# What tests, fuzz targets, benchmarks and dsictl link: the static library together with the
# generated headers and third-party headers that internal headers include.
add_library(dsi_internal INTERFACE)
target_include_directories(dsi_internal SYSTEM INTERFACE ${generated_dir})
target_link_libraries(dsi_internal INTERFACE dsi_compiler dsi_static ${DSI_PRIVATE_LIBRARIES})
add_dependencies(dsi_internal dsi_generated)
