#include "dsi/dataset/table/table_store_internal.h"

#include "dsi/base/error_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {

TableStore::~TableStore() = default;

Result<std::unique_ptr<TableStore>> TableStore::Make(const std::string& where,
                                                     const OpenOptions& options,
                                                     const std::function<bool()>& go_on) {
  const std::string scheme = SchemeOf(where);
  if (where.empty()) return InvalidArgument("an empty name of a table");
  if (where.ends_with(".dsi") || where.ends_with(".json")) {
    return InvalidArgument("{}: what is called so is a file, and no table", ShownName(where));
  }
  if (scheme.empty()) return MakeLocalTableStore(where, options);
  if (scheme == "file") {
    DSI_ASSIGN_OR_RETURN(const std::string path, PathOfFileUrl(where));
    return MakeLocalTableStore(path, options);
  }
  if (scheme == "s3") return MakeS3TableStore(where, options, go_on);
  return InvalidArgument("{}: a table is written in a folder of this machine or at s3://bucket/…/",
                         WithoutSecrets(where));
}

}  // namespace dsi::internal
