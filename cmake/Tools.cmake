# dsictl. Everything but main.cc is an object library, so that tests can call the verbs.

file(GLOB_RECURSE tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*.cc)
list(REMOVE_ITEM tool_sources ${PROJECT_SOURCE_DIR}/tools/main.cc)

if(tool_sources)
  find_package(CLI11 CONFIG REQUIRED)
  find_package(nlohmann_json CONFIG REQUIRED)
  add_library(dsictl_core OBJECT ${tool_sources})
  target_link_libraries(dsictl_core PUBLIC dsi_internal CLI11::CLI11 nlohmann_json::nlohmann_json)
  target_compile_definitions(dsictl_core PUBLIC DSI_VERSION="${PROJECT_VERSION}")
  if(EXISTS ${PROJECT_SOURCE_DIR}/tools/main.cc)
    add_executable(dsictl ${PROJECT_SOURCE_DIR}/tools/main.cc)
    target_link_libraries(dsictl PRIVATE dsictl_core)
    install(TARGETS dsictl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endif()
