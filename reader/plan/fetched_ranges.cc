#include <utility>

#include "dsi/reader/plan/page_plan_internal.h"

namespace dsi::internal {

bool FetchedRanges::Claim(size_t range) {
  const std::lock_guard lock(mutex_);
  Range& r = ranges_[range];
  if (r.progress != Progress::kUnread) return false;
  r.progress = Progress::kReading;
  return true;
}

void FetchedRanges::Put(size_t range, std::shared_ptr<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  Range& r = ranges_[range];
  r.progress = bytes != nullptr ? Progress::kRead : Progress::kUnread;
  r.bytes = std::move(bytes);
  changed_.notify_all();
}

void FetchedRanges::Skip(size_t range) {
  const std::lock_guard lock(mutex_);
  ranges_[range].progress = Progress::kTaken;
  changed_.notify_all();
}

std::shared_ptr<const std::byte> FetchedRanges::Take(size_t range) {
  std::unique_lock lock(mutex_);
  Range& r = ranges_[range];
  changed_.wait(lock, [&] { return r.progress != Progress::kReading; });
  r.progress = Progress::kTaken;
  return std::exchange(r.bytes, nullptr);
}

}  // namespace dsi::internal
