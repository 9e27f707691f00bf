#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "dsi/base/probe_internal.h"
#include "dsi/base/random_seed_internal.h"
#include "dsi/dataset/count/value_tally_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kFirstSlots = 64;
// What a string takes in the table besides its bytes.
constexpr uint64_t kTextBytes = 2 * sizeof(std::string) + 2 * sizeof(void*) + sizeof(uint64_t);

// Of values that are equal the same bits.
uint64_t BitsOf(double value) {
  if (value == 0) value = 0;  // Not -0.
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<uint64_t>(value);
}

// NaN is behind all numbers.
bool IsLess(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }
template <typename T>
bool IsLess(const T& a, const T& b) {
  return a < b;
}

template <typename T>
using Found = CountedVector<std::pair<uint64_t, T>>;

// In the order of ValueCounts.
template <typename T>
void SortInto(Found<T> found, ValueCounts* counts) {
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : IsLess(a.second, b.second);
  });
  std::vector<T> values;
  values.reserve(found.size());
  counts->counts.reserve(found.size());
  for (auto& [count, value] : found) {
    counts->counts.push_back(count);
    values.push_back(std::move(value));
  }
  counts->values = std::move(values);
}

}  // namespace

NumberTally::NumberTally(MemoryBudget* budget) : slots_(kFirstSlots, budget), seed_(RandomSeed()) {}

void NumberTally::Add(uint64_t bits, uint64_t count) {
  if (4 * (size_ + 1) > 3 * slots_.size()) Grow();
  Slot& slot = slots_[Probe(
      slots_, At(bits), [&](const Slot& known) { return known.count == 0 || known.bits == bits; })];
  if (slot.count == 0) ++size_;
  slot.bits = bits;
  slot.count += count;
}

void NumberTally::Grow() {
  CountedVector<Slot> old(slots_.get_allocator());
  old.swap(slots_);
  slots_.resize(2 * old.size());
  for (const Slot& slot : old) {
    if (slot.count == 0) continue;
    slots_[Probe(slots_, At(slot.bits), [](const Slot& known) { return known.count == 0; })] = slot;
  }
}

ValueTally::ValueTally(std::string column, Type stored, MemoryBudget* budget)
    : numbers_(budget), texts_(0, TextHash{RandomSeed()}), budget_(budget), text_bytes_(budget) {
  counts_.column = std::move(column);
  counts_.type = stored;
  counts_.min_length = UINT64_MAX;
}

size_t ValueTally::TextHash::operator()(std::string_view text) const {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

void ValueTally::AddRows(const JaggedView& unique, std::span<const uint32_t> times) {
  AddLengths(unique, times);
  if (unique.dtype == Type::kBytes) {
    AddTexts(unique, times);
  } else {
    AddNumbers(unique, times);
  }
}

void ValueTally::AddLengths(const JaggedView& unique, std::span<const uint32_t> times) {
  for (size_t u = 0; u < unique.rows; ++u) {
    counts_.rows += times[u];
    if (unique.present[u] == 0) {
      counts_.missing += times[u];
      continue;
    }
    const auto stored = static_cast<uint64_t>(unique.offsets[u + 1] - unique.offsets[u]);
    const uint64_t length = unique.dtype == Type::kBytes ? 1 : stored;
    counts_.entries += times[u] * length;
    counts_.min_length = std::min(counts_.min_length, length);
    counts_.max_length = std::max(counts_.max_length, length);
  }
}

// The table is wider than the caches where there are many values: a block of slots is on its way
// before the first of them is looked at.
void ValueTally::AddNumbers(const JaggedView& unique, std::span<const uint32_t> times) {
  constexpr size_t kBlock = 64;
  std::array<uint64_t, kBlock> bits;
  std::array<uint32_t, kBlock> counts;
  size_t held = 0;
  const auto add_block = [&] {
    for (size_t i = 0; i < held; ++i) numbers_.Add(bits[i], counts[i]);
    held = 0;
  };
  const auto* const whole = static_cast<const uint64_t*>(unique.values);
  const auto* const reals = static_cast<const double*>(unique.values);
  const bool is_real = unique.dtype == Type::kFloat64;
  for (size_t u = 0; u < unique.rows; ++u) {
    for (int64_t i = unique.offsets[u]; i < unique.offsets[u + 1]; ++i) {
      bits[held] = is_real ? BitsOf(reals[i]) : whole[i];
      counts[held] = times[u];
      numbers_.Prefetch(bits[held]);
      if (++held == kBlock) add_block();
    }
  }
  add_block();
}

void ValueTally::AddTexts(const JaggedView& unique, std::span<const uint32_t> times) {
  const auto* const bytes = static_cast<const char*>(unique.values);
  for (size_t u = 0; u < unique.rows; ++u) {
    if (unique.present[u] == 0) continue;
    const std::string_view text(bytes + unique.offsets[u],
                                static_cast<size_t>(unique.offsets[u + 1] - unique.offsets[u]));
    const auto known = texts_.find(text);
    if (known != texts_.end()) {
      known->second += times[u];
      continue;
    }
    const uint64_t size = kTextBytes + 2 * text.size();  // In the table, and in what is taken.
    if (!text_bytes_.Add(size).ok()) throw OverBudget(size, *budget_);
    texts_.emplace(text, times[u]);
  }
}

ValueCounts ValueTally::Take() {
  if (counts_.min_length == UINT64_MAX) counts_.min_length = 0;
  if (counts_.type == Type::kBytes) {
    Found<std::string> found(budget_);
    found.reserve(texts_.size());
    for (const auto& [text, count] : texts_) found.emplace_back(count, text);
    SortInto(std::move(found), &counts_);
    return std::move(counts_);
  }
  const auto take = [&]<typename T>(T) {
    Found<T> found(budget_);
    found.reserve(numbers_.size());
    numbers_.VisitAll(
        [&](uint64_t bits, uint64_t count) { found.emplace_back(count, std::bit_cast<T>(bits)); });
    numbers_ = NumberTally(budget_);
    SortInto(std::move(found), &counts_);
  };
  if (IsFloat(counts_.type)) {
    take(double{});
  } else if (counts_.type == Type::kUint64) {
    take(uint64_t{});
  } else {
    take(int64_t{});
  }
  return std::move(counts_);
}

}  // namespace dsi::internal
