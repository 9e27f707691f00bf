#include "dsi/base/version.h"

namespace dsi {

#ifdef DSI_BENCH_WITHOUT_SEALS
std::string_view Version() {
  return DSI_VERSION " FOR BENCHMARKS ALONE: DSI_BENCH_NO_SEALS=1 leaves damaged pages unnoticed";
}
#else
std::string_view Version() { return DSI_VERSION; }
#endif

}  // namespace dsi
