#include "dsi/base/version.h"

namespace dsi {

#ifdef DSI_BENCH_WITHOUT_SEALS
std::string_view Version() {
  return DSI_VERSION " WITHOUT SEALS: damaged pages are not noticed; for benchmarks alone";
}
#else
std::string_view Version() { return DSI_VERSION; }
#endif

}  // namespace dsi
