#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/same_file_internal.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/rewrite/overlay_job_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;
using internal::OverlayTarget;

// Where the overlay of a base goes: see WriteOverlays.
Result<std::string> PathOf(const std::string& base, const std::string& name) {
  const size_t at = name.find("{}");
  if (at == std::string::npos)
    return InvalidArgument("the name {} of overlays has no {{}}, which stands for that of the base",
                           internal::QuoteForMessage(name));
  std::string own = base;
  if (own.ends_with(".dsi")) own.resize(own.size() - 4);
  const size_t slash = own.rfind('/');
  if (at != 0 && slash != std::string::npos) own.erase(0, slash + 1);
  return name.substr(0, at) + own + name.substr(at + 2);
}

// Neither bases nor rows are there any more once an overlay has their name.
class ReadFiles {
 public:
  explicit ReadFiles(const Dataset& from) {
    for (const DatasetFile& file : from.files()) rows_.insert(internal::FileIdentity(file.path));
  }
  void AddBase(const std::string& path) { bases_.insert(internal::FileIdentity(path)); }

  Status CheckApart(const std::string& to) const {
    const std::string file = internal::FileIdentity(to);
    if (bases_.contains(file))
      return InvalidArgument("{}: the base itself; the overlay is a file beside it", to);
    if (rows_.contains(file))
      return InvalidArgument("{}: the rows are read from it; name another file", to);
    return Status::Ok();
  }

 private:
  std::set<std::string> bases_, rows_;
};

}  // namespace

Result<OverlayReport> WriteOverlay(const Dataset& from, const std::string& base,
                                   const std::string& to, const OverlayOptions& options) {
  return internal::NoThrow([&]() -> Result<OverlayReport> {
    ReadFiles read(from);
    read.AddBase(base);
    DSI_RETURN_IF_ERROR(read.CheckApart(to));
    DSI_ASSIGN_OR_RETURN(OverlayTarget target, internal::MakeTarget(base, options.rows));
    target.path = to;
    DSI_ASSIGN_OR_RETURN(
        OverlaysReport made,
        internal::WriteTargets(from, {std::move(target)}, /*writes_empty=*/true, options));
    OverlayReport report = std::move(made.bases[0].report);
    report.num_unused = made.num_unused;
    return report;
  });
}

Result<OverlaysReport> WriteOverlays(const Dataset& from, const Dataset& bases,
                                     const std::string& name, const OverlayOptions& options) {
  return internal::NoThrow([&]() -> Result<OverlaysReport> {
    std::vector<OverlayTarget> targets;
    std::set<std::string> paths;
    ReadFiles read(from);
    for (const DatasetFile& file : bases.files()) read.AddBase(file.path);
    for (const DatasetFile& file : bases.files()) {
      if (file.num_rows == 0) continue;
      DSI_ASSIGN_OR_RETURN(std::string path, PathOf(file.path, name));
      if (!paths.insert(path).second)
        return InvalidArgument("two bases would have the overlay {}", path);
      DSI_RETURN_IF_ERROR(read.CheckApart(path));
      std::error_code ignored;
      if (!options.writer.overwrite && std::filesystem::exists(path, ignored))
        return internal::Error(StatusCode::kAlreadyExists, "{} exists already", path);
      DSI_ASSIGN_OR_RETURN(OverlayTarget target, internal::MakeTarget(file.path, {}));
      target.path = std::move(path);
      targets.push_back(std::move(target));
    }
    return internal::WriteTargets(from, std::move(targets), /*writes_empty=*/false, options);
  });
}

}  // namespace dsi
