#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/list_files_internal.h"
namespace dsi::internal {
Result<std::vector<std::string>> ListS3(const std::string& where, const OpenOptions&) {
  return InvalidArgument("{}", where);
}
Result<std::vector<std::string>> ListHttp(const std::string& where, const OpenOptions&) {
  return InvalidArgument("{}", where);
}
}  // namespace dsi::internal
