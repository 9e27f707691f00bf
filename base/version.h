// The version of the library, for #if, for logs and for who links another one than was compiled
// against. CMake reads it from here.
#pragma once

#include <string_view>

#include "dsi/base/export.h"

#define DSI_VERSION_MAJOR 0
#define DSI_VERSION_MINOR 1
#define DSI_VERSION_PATCH 0
#define DSI_VERSION "0.1.0"

namespace dsi {

// DSI_VERSION of the library that is linked. Before 1.0 a minor version may change the interface.
DSI_EXPORT std::string_view Version();

}  // namespace dsi
