#include "dsi/base/error_internal.h"
#include "dsi/dataset/table/table_store_internal.h"

namespace dsi::internal {

Result<std::unique_ptr<TableStore>> MakeS3TableStore(const std::string& url, const OpenOptions&) {
  return InvalidArgument("{}: not yet", url);
}

}  // namespace dsi::internal
