#include "dsi/base/memory_budget_internal.h"

#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status RefusalOf(uint64_t wanted, uint64_t left, uint64_t limit) {
  return Error(StatusCode::kResourceExhausted,
               "{} bytes are needed, and {} of the memory budget of {} bytes are left", wanted,
               left, limit);
}

}  // namespace

Status MemoryBudget::Refusal(uint64_t bytes) const { return RefusalOf(bytes, left(), limit); }

Status OverBudget::ToStatus() const { return RefusalOf(wanted_, left_, limit_); }

MemoryCharge::MemoryCharge(MemoryCharge&& other) noexcept
    : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryCharge& MemoryCharge::operator=(MemoryCharge&& other) noexcept {
  if (this == &other) return *this;
  Set(0);
  budget_ = other.budget_;
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

Status MemoryCharge::Add(uint64_t bytes) {
  if (budget_ != nullptr) DSI_RETURN_IF_ERROR(budget_->Take(bytes));
  bytes_ += bytes;
  return Status::Ok();
}

void MemoryCharge::Set(uint64_t bytes) {
  if (budget_ != nullptr && bytes > bytes_) budget_->Count(bytes - bytes_);
  if (budget_ != nullptr && bytes < bytes_) budget_->Give(bytes_ - bytes);
  bytes_ = bytes;
}

}  // namespace dsi::internal
