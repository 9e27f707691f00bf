# Examples see what users see: the shared library and its public headers.

file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cc)
foreach(source ${example_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE dsi_compiler dsi::dsi)
endforeach()
