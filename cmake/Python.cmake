# The Python package: python/dsi beside the native module dsi._dsi and its type stubs, in
# build/<preset>/python (put it on PYTHONPATH), and installed as a wheel by scikit-build-core
# (pyproject.toml).
#
# nanobind in split mode: one module for the stable ABI of Python 3.11 and later; the package
# nanobind-backend brings what differs between versions. On Linux that needs Python's headers alone.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT RESULT_VARIABLE nanobind_missing)
if(nanobind_missing)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no nanobind: pip install nanobind nanobind-backend")
endif()
find_package(nanobind CONFIG REQUIRED)

set(package_dir ${PROJECT_BINARY_DIR}/python/dsi)
file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cc)
nanobind_add_module(dsi_python BACKEND_MODULE nanobind_backend STABLE_ABI_VERSION 3.11
  NB_SUPPRESS_WARNINGS NOMINSIZE ${python_sources})
set_target_properties(dsi_python PROPERTIES OUTPUT_NAME _dsi LIBRARY_OUTPUT_DIRECTORY ${package_dir})
# The library lies inside the module: a wheel needs no other file of ours, and nothing but the
# function that makes the module is seen from outside, so names clash with nobody's.
target_include_directories(dsi_python PRIVATE ${PROJECT_BINARY_DIR}/include)
target_link_libraries(dsi_python PRIVATE dsi_compiler dsi_light_compiler dsi_static)
target_link_options(dsi_python PRIVATE
  -Wl,--exclude-libs,ALL
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/python.map)
set_property(TARGET dsi_python APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/python.map)

# The package as it is in the source tree, file by file, so that an edit needs no build.
file(GLOB_RECURSE package_files RELATIVE ${PROJECT_SOURCE_DIR}/python CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/python/dsi/*.py ${PROJECT_SOURCE_DIR}/python/dsi/py.typed)
foreach(file ${package_files})
  get_filename_component(folder ${PROJECT_BINARY_DIR}/python/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${file} ${PROJECT_BINARY_DIR}/python/${file} SYMBOLIC)
endforeach()

# Types and docstrings of the module for editors and mypy, told by the module itself. A sanitized
# module would need its run-time library before the interpreter's own, and has the same types.
if(NOT DSI_SANITIZE)
  nanobind_add_stub(dsi_python_stub MODULE dsi._dsi PYTHON_PATH ${PROJECT_BINARY_DIR}/python
    OUTPUT ${package_dir}/_dsi.pyi DEPENDS dsi_python)
  install(FILES ${package_dir}/_dsi.pyi DESTINATION dsi COMPONENT python EXCLUDE_FROM_ALL)
endif()
install(TARGETS dsi_python LIBRARY DESTINATION dsi COMPONENT python EXCLUDE_FROM_ALL)
if(TARGET dsictl)
  file(MAKE_DIRECTORY ${package_dir}/bin)
  file(CREATE_LINK ${PROJECT_BINARY_DIR}/bin/dsictl ${package_dir}/bin/dsictl SYMBOLIC)
  install(TARGETS dsictl RUNTIME DESTINATION dsi/bin COMPONENT python EXCLUDE_FROM_ALL)
endif()
