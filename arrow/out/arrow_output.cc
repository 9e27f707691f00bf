#include "dsi/arrow/arrow_output.h"

#include <utility>

#include "dsi/arrow/out/array_stream_internal.h"
#include "dsi/arrow/out/array_tree_internal.h"
#include "dsi/arrow/out/output_fields_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi {
namespace {

// Runs the work of an export with *out released, so that what fails leaves it so.
template <typename Struct, typename Work>
Status Exported(Struct* out, const Work& work) {
  if (out == nullptr) return internal::InvalidArgument("no struct to export to");
  *out = {};
  return work();
}

}  // namespace

ArrowOutput::ArrowOutput(std::shared_ptr<const internal::OutputFields> fields) noexcept
    : fields_(std::move(fields)) {}
ArrowOutput::ArrowOutput(const ArrowOutput&) noexcept = default;
ArrowOutput& ArrowOutput::operator=(const ArrowOutput&) noexcept = default;
ArrowOutput::~ArrowOutput() = default;

Result<ArrowOutput> ArrowOutput::Make(std::span<const ScanColumn> scanned,
                                      std::span<const ColumnInfo> columns,
                                      const ArrowOutputOptions& options) {
  return internal::NoThrow([&]() -> Result<ArrowOutput> {
    DSI_ASSIGN_OR_RETURN(auto fields, internal::MakeOutputFields(scanned, columns, options));
    return ArrowOutput(std::move(fields));
  });
}

Status ArrowOutput::ExportSchema(ArrowSchema* out) const {
  return internal::NoThrow([&] {
    return Exported(out, [&] {
      internal::ExportFields(fields_, out);
      return Status::Ok();
    });
  });
}

Status ArrowOutput::ExportBatch(std::shared_ptr<const Batch> batch, ArrowArray* out) const {
  return internal::NoThrow([&] {
    return Exported(out, [&] {
      if (batch == nullptr) return internal::InvalidArgument("no batch to export");
      auto tree = std::make_unique<internal::ArrayTree>(fields_);
      tree->SetBatch(std::move(batch));
      return internal::ArrayTree::Export(std::move(tree), out);
    });
  });
}

Status ArrowOutput::ExportStream(std::unique_ptr<Scan> scan, std::shared_ptr<void> keep_alive,
                                 ArrowArrayStream* out) const {
  return internal::NoThrow([&] {
    return Exported(out, [&] {
      if (scan == nullptr) return internal::InvalidArgument("no scan to export");
      DSI_RETURN_IF_ERROR(internal::CheckScanned(*fields_, scan->columns()));
      internal::ArrayStream::Export(
          std::make_unique<internal::ArrayStream>(fields_, std::move(scan), std::move(keep_alive)),
          out);
      return Status::Ok();
    });
  });
}

}  // namespace dsi
