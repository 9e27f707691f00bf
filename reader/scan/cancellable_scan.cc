#include "dsi/reader/scan/cancellable_scan_internal.h"

#include <utility>

#include "dsi/base/cancellation_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {
namespace {

class Cancellable final : public Scan {
 public:
  ~Cancellable() override { cancellation_.Cancel(); }

  Status Make(const std::function<Result<std::unique_ptr<Scan>>()>& make) {
    const Cancellation::Scope scope(&cancellation_);
    DSI_ASSIGN_OR_RETURN(source_, make());
    return Status::Ok();
  }

  Result<bool> Next(Batch* batch) override {
    if (cancellation_.is_cancelled())
      return NoThrow(
          []() -> Status { return Error(StatusCode::kCancelled, "the scan was cancelled"); });
    const Cancellation::Scope scope(&cancellation_);
    return source_->Next(batch);
  }
  void Cancel() noexcept override { cancellation_.Cancel(); }
  bool is_ready() const noexcept override {
    return cancellation_.is_cancelled() || source_->is_ready();
  }
  uint64_t num_batches() const noexcept override { return source_->num_batches(); }
  std::span<const ScanColumn> columns() const noexcept override { return source_->columns(); }
  const ScanStats& stats() const noexcept override { return source_->stats(); }

 private:
  Cancellation cancellation_;  // Its threads end before it does.
  std::unique_ptr<Scan> source_;
};

}  // namespace

Result<std::unique_ptr<Scan>> MakeCancellableScan(
    const std::function<Result<std::unique_ptr<Scan>>()>& make) {
  auto scan = std::make_unique<Cancellable>();
  DSI_RETURN_IF_ERROR(scan->Make(make));
  return std::unique_ptr<Scan>(std::move(scan));
}

}  // namespace dsi::internal
