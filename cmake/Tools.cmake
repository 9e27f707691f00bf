# dsictl. Everything but main.cc is an object library, so that tests can call the verbs.

file(GLOB_RECURSE tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*.cc)
list(REMOVE_ITEM tool_sources ${PROJECT_SOURCE_DIR}/tools/main.cc)

if(tool_sources)
  find_package(CLI11 CONFIG REQUIRED)
  find_package(nlohmann_json CONFIG REQUIRED)
  add_library(dsictl_core OBJECT ${tool_sources})
  target_link_libraries(dsictl_core
    PUBLIC dsi_internal dsi_light_compiler CLI11::CLI11 nlohmann_json::nlohmann_json)
  if(EXISTS ${PROJECT_SOURCE_DIR}/tools/main.cc)
    add_executable(dsictl ${PROJECT_SOURCE_DIR}/tools/main.cc)
    target_link_libraries(dsictl PRIVATE dsictl_core)
    install(TARGETS dsictl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dsictl)
    # The man page and the completion scripts, as the program itself prints them; without them where
    # it cannot run.
    if(NOT CMAKE_CROSSCOMPILING)
      set(share ${PROJECT_BINARY_DIR}/share)
      file(MAKE_DIRECTORY ${share})
      add_custom_command(OUTPUT ${share}/dsictl.1 ${share}/dsictl ${share}/_dsictl
        COMMAND dsictl man > ${share}/dsictl.1
        COMMAND dsictl completion bash > ${share}/dsictl
        COMMAND dsictl completion zsh > ${share}/_dsictl
        DEPENDS dsictl VERBATIM)
      add_custom_target(dsictl_share ALL
        DEPENDS ${share}/dsictl.1 ${share}/dsictl ${share}/_dsictl)
      install(FILES ${share}/dsictl.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT dsictl)
      install(FILES ${share}/dsictl
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT dsictl)
      install(FILES ${share}/_dsictl
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT dsictl)
    endif()
  endif()
endif()
