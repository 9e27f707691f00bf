#include "dsi/io/read_ahead_internal.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dsi::internal {
namespace {

constexpr uint64_t kFirstLength = 64 << 10;
constexpr uint64_t kMostLength = 1 << 20;
// Reads of a row may leave out so much.
constexpr uint64_t kGap = 16 << 10;

}  // namespace

class ReadAhead::Lock {
 public:
  explicit Lock(std::atomic_flag* flag) : flag_(flag), is_held_(!flag->test_and_set()) {}
  ~Lock() {
    if (is_held_) flag_->clear();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool is_held() const { return is_held_; }

 private:
  std::atomic_flag* flag_;
  bool is_held_;
};

bool ReadAhead::Take(uint64_t offset, std::span<std::byte> dst) {
  const Lock lock(&busy_);
  if (!lock.is_held() || dst.empty()) return false;
  for (Row& row : rows_) {
    if (offset < row.begin || offset - row.begin > row.bytes.size()) continue;
    const std::span<const std::byte> from = std::span(row.bytes).subspan(offset - row.begin);
    if (from.size() < dst.size()) continue;
    std::memcpy(dst.data(), from.data(), dst.size());
    row.next = std::max(row.next, offset + dst.size());
    row.used_at = ++clock_;
    return true;
  }
  return false;
}

uint64_t ReadAhead::SizeFor(uint64_t offset, uint64_t size) {
  const Lock lock(&busy_);
  if (!lock.is_held()) return size;
  for (Row& row : rows_) {
    if (row.used_at == 0 || offset < row.next || offset - row.next > kGap) continue;
    row.length = std::clamp(2 * row.length, kFirstLength, kMostLength);
    row.next = offset + size;
    row.used_at = ++clock_;
    return std::max(size, row.length);
  }
  Row& oldest = *std::min_element(rows_.begin(), rows_.end(),
                                  [](const Row& a, const Row& b) { return a.used_at < b.used_at; });
  oldest = Row();
  oldest.next = offset + size;
  oldest.used_at = ++clock_;
  return size;
}

void ReadAhead::Keep(uint64_t offset, std::vector<std::byte> bytes) {
  const Lock lock(&busy_);
  if (!lock.is_held()) return;
  for (Row& row : rows_) {
    // That of SizeFor, unless another has taken its place.
    if (row.next < offset || row.next - offset > kSmall) continue;
    row.begin = offset;
    row.bytes = std::move(bytes);
    return;
  }
}

}  // namespace dsi::internal
