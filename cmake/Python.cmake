# The Python package: python/dsi beside the native module dsi._dsi, in build/<preset>/python (put it
# on PYTHONPATH), and installed as a wheel by scikit-build-core (pyproject.toml).
#
# nanobind in split mode: one module for the stable ABI of Python 3.11 and later; the package
# nanobind-backend brings what differs between versions.

if(CMAKE_VERSION VERSION_LESS 3.26)
  set(python_development Development.Module)
else()
  set(python_development Development.Module ${SKBUILD_SABI_COMPONENT})
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter ${python_development})
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cc)
nanobind_add_module(dsi_python BACKEND_MODULE nanobind_backend STABLE_ABI_VERSION 3.11
  NB_SUPPRESS_WARNINGS NOMINSIZE ${python_sources})
set_target_properties(dsi_python PROPERTIES
  OUTPUT_NAME _dsi
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/dsi)
# The library lies inside the module: a wheel needs no other file, and its symbols clash with nobody's.
target_include_directories(dsi_python PRIVATE ${PROJECT_BINARY_DIR}/include)
target_link_libraries(dsi_python PRIVATE dsi_light_compiler dsi_static)
target_link_options(dsi_python PRIVATE -Wl,--exclude-libs,ALL)

# The package as it is in the source tree, file by file, so that an edit needs no build.
file(GLOB_RECURSE package_files RELATIVE ${PROJECT_SOURCE_DIR}/python CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/python/dsi/*.py ${PROJECT_SOURCE_DIR}/python/dsi/*.pyi
  ${PROJECT_SOURCE_DIR}/python/dsi/py.typed)
foreach(file ${package_files})
  get_filename_component(folder ${PROJECT_BINARY_DIR}/python/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${file} ${PROJECT_BINARY_DIR}/python/${file} SYMBOLIC)
endforeach()

install(TARGETS dsi_python LIBRARY DESTINATION dsi COMPONENT python EXCLUDE_FROM_ALL)
if(TARGET dsictl)
  install(TARGETS dsictl RUNTIME DESTINATION dsi/bin COMPONENT python EXCLUDE_FROM_ALL)
endif()
