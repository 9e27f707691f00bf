#include "dsi/tools/generate/session_order_internal.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "dsi/tools/generate/counter_rng_internal.h"

namespace dsi::tools {
namespace {

// One hour of a log, as production tables are partitioned.
constexpr int64_t kPartitionStartMs = 1'700'000'000'000 - 1'700'000'000'000 % 3'600'000;
constexpr uint32_t kPartitionMs = 3'600'000;

constexpr uint64_t kLengthStream = 0x11;
constexpr uint64_t kTimeStream = 0x12;

}  // namespace

SessionOrder::SessionOrder(uint64_t seed, uint64_t rows, RowOrder order, SessionLaw law,
                           double mean_length)
    : length_key_(DeriveKey(seed, kLengthStream)),
      time_key_(DeriveKey(seed, kTimeStream)),
      rows_(rows),
      order_(order),
      law_(law),
      mean_length_(mean_length) {
  if (order_ == RowOrder::kTime) LoadAllRows();
}

bool SessionOrder::Next(RowPlace* place) {
  if (at_ == loaded_.size()) {
    if (order_ == RowOrder::kTime) return false;
    loaded_.clear();
    at_ = 0;
    if (!LoadNextSession()) return false;
  }
  const TimedRow& row = loaded_[at_++];
  place->session = row.session;
  place->step = row.step;
  place->timestamp_ms = kPartitionStartMs + row.offset_ms;
  return true;
}

uint64_t SessionOrder::Length(uint64_t session) const {
  const uint64_t bits = DrawBits(length_key_, session);
  switch (law_) {
    case SessionLaw::kGeometric:
      return GeometricFromBits(bits, mean_length_);
    case SessionLaw::kConstant: {
      // The ends of sessions are the rounded multiples of the mean: no drift and no variance.
      const double i = static_cast<double>(session);
      return static_cast<uint64_t>(std::floor((i + 1) * mean_length_) -
                                   std::floor(i * mean_length_));
    }
    case SessionLaw::kLognormal: {
      const double x = std::exp(std::log(mean_length_) - 0.5 + NormalFromBits(bits));
      return std::max<uint64_t>(1, static_cast<uint64_t>(x + 0.5));
    }
  }
  return 1;
}

bool SessionOrder::LoadNextSession() {
  if (rows_planned_ == rows_) return false;
  const uint64_t session = next_session_++;
  const uint64_t whole = Length(session);
  // The last session is cut where the table ends. The times of its rows are those of the first
  // rows of the whole session, so that a longer table begins with the shorter one's rows.
  const uint64_t length = std::min(whole, rows_ - rows_planned_);
  const uint64_t key = DeriveKey(time_key_, session);
  const size_t first = loaded_.size();
  for (uint64_t i = 0; i < whole; ++i) {
    loaded_.push_back({BoundedFromBits(DrawBits(key, i), kPartitionMs), 0, session});
  }
  const auto begin = loaded_.begin() + static_cast<ptrdiff_t>(first);
  std::sort(begin, loaded_.end(),
            [](const TimedRow& a, const TimedRow& b) { return a.offset_ms < b.offset_ms; });
  loaded_.resize(first + length);
  for (uint32_t step = 0; step < length; ++step) loaded_[first + step].step = step;
  rows_planned_ += length;
  return true;
}

void SessionOrder::LoadAllRows() {
  while (LoadNextSession()) {
  }
  std::sort(loaded_.begin(), loaded_.end(), [](const TimedRow& a, const TimedRow& b) {
    return std::tie(a.offset_ms, a.session, a.step) < std::tie(b.offset_ms, b.session, b.step);
  });
}

}  // namespace dsi::tools
