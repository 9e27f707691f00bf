#include "dsi/base/version.h"

namespace dsi {

std::string_view Version() { return DSI_VERSION; }

}  // namespace dsi
