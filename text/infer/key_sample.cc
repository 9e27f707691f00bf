#include "dsi/text/infer/key_sample_internal.h"

#include <xxhash.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace dsi::internal {
namespace {

constexpr uint32_t kMaxRows = 16'384;
constexpr uint64_t kMaxCells = 2'000'000;  // 16 to 24 MB, for wide tables.
constexpr size_t kMaxCandidates = 32;
constexpr uint32_t kLeastValues = 8;        // A category with fewer is no key of anything …
constexpr double kLeastRowsPerValue = 1.2;  // … nor is what hardly ever comes again.
constexpr double kLeastGain = 0.02;         // Of all bytes, for a key to be mentioned.
constexpr double kNearlyAsGood = 0.9;       // Of the best gain, for the finer key to be preferred.
constexpr size_t kMaxKeys = 3;

}  // namespace

void ValueHash::Add(uint64_t hash, size_t bytes) {
  least_ = std::min(least_, static_cast<uint32_t>(hash));
  bytes_ += static_cast<uint32_t>(bytes);
}

void ValueHash::AddNumber(uint64_t bits) { Add(XXH3_64bits(&bits, sizeof(bits)), sizeof(bits)); }

void ValueHash::AddText(std::string_view text) {
  Add(XXH3_64bits(text.data(), text.size()), text.size());
}

bool MayBeKey(const FeatureSpec& feature) {
  const Type type = feature.columns[0].type;
  return !IsListKind(feature.kind) && feature.kind != Kind::kTimestamp &&
         (IsInteger(type) || type == Type::kBytes);
}

bool KeySample::is_full() const {
  return is_closed_ || num_rows_ == kMaxRows || num_cells_ >= kMaxCells;
}

bool KeySample::StartRow() {
  if (is_full()) return false;
  ++num_rows_;
  return true;
}

void KeySample::Add(uint32_t feature, const ValueHash& value, bool is_list) {
  while (features_.size() <= feature) features_.emplace_back();
  Feature& of = features_[feature];
  const uint32_t row = num_rows_ - 1;
  if (of.rows.empty() && of.hashes.size() != row) {
    of.rows.resize(of.hashes.size());
    std::iota(of.rows.begin(), of.rows.end(), 0U);
  }
  if (of.hashes.size() != row) of.rows.push_back(row);
  of.hashes.push_back(value.hash());
  of.bytes.push_back(value.bytes());
  of.any_list |= is_list;
  ++num_cells_;
}

KeySample::Order KeySample::OrderBy(uint32_t key, uint32_t* num_values) const {
  const Feature& feature = features_[key];
  Order order{.feature = key, .before = std::vector<uint32_t>(num_rows_)};
  std::iota(order.before.begin(), order.before.end(), 0U);
  std::unordered_map<uint32_t, uint32_t> last;
  last.reserve(feature.hashes.size());
  for (size_t i = 0; i < feature.hashes.size(); ++i) {
    const uint32_t row = feature.RowOf(i);
    const auto [at, is_new] = last.try_emplace(feature.hashes[i], row);
    if (!is_new) order.before[row] = std::exchange(at->second, row);
  }
  *num_values = static_cast<uint32_t>(last.size());
  return order;
}

std::vector<uint64_t> KeySample::CountRepeats(const std::vector<Order>& orders,
                                              uint64_t* all_bytes) const {
  std::vector<uint64_t> repeats(orders.size());
  std::vector<uint32_t> hash_of_row(num_rows_);
  std::vector<bool> has_row(num_rows_);
  *all_bytes = 0;
  for (uint32_t f = 0; f < features_.size(); ++f) {
    const Feature& feature = features_[f];
    has_row.assign(num_rows_, false);
    for (size_t i = 0; i < feature.hashes.size(); ++i) {
      hash_of_row[feature.RowOf(i)] = feature.hashes[i];
      has_row[feature.RowOf(i)] = true;
      *all_bytes += feature.bytes[i];
    }
    for (size_t o = 0; o < orders.size(); ++o) {
      if (orders[o].feature == f) continue;
      for (size_t i = 0; i < feature.hashes.size(); ++i) {
        const uint32_t row = feature.RowOf(i);
        const uint32_t before = orders[o].before[row];
        if (before != row && has_row[before] && hash_of_row[before] == feature.hashes[i])
          repeats[o] += feature.bytes[i];
      }
    }
  }
  return repeats;
}

void KeySample::FindKeys(const std::vector<std::string>& names, const std::vector<bool>& may_be_key,
                         InferReport* report) const {
  // The order in which rows come is the first candidate, to compare with.
  std::vector<Order> orders(1);
  orders[0].before.resize(num_rows_);
  for (uint32_t row = 1; row < num_rows_; ++row) orders[0].before[row] = row - 1;
  std::vector<KeyAdvice> candidates(1);
  for (uint32_t f = 0; f < features_.size() && candidates.size() <= kMaxCandidates; ++f) {
    const Feature& feature = features_[f];
    if (!may_be_key[f] || feature.any_list || feature.hashes.size() * 2 < num_rows_) continue;
    uint32_t num_values = 0;
    Order order = OrderBy(f, &num_values);
    const double rows_per_value =
        static_cast<double>(feature.hashes.size()) / std::max(1U, num_values);
    if (num_values < kLeastValues || rows_per_value < kLeastRowsPerValue) continue;
    candidates.push_back({.name = names[f], .rows_per_value = rows_per_value, .repeats = 0});
    orders.push_back(std::move(order));
  }
  uint64_t all_bytes = 0;
  const std::vector<uint64_t> repeats = CountRepeats(orders, &all_bytes);
  if (all_bytes == 0) return;
  for (size_t c = 0; c < candidates.size(); ++c)
    candidates[c].repeats = static_cast<double>(repeats[c]) / static_cast<double>(all_bytes);
  report->repeats = candidates[0].repeats;
  const auto gain = [&](const KeyAdvice& key) { return key.repeats - report->repeats; };
  std::erase_if(candidates, [&](const KeyAdvice& key) { return gain(key) < kLeastGain; });
  if (candidates.empty()) return;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const KeyAdvice& a, const KeyAdvice& b) { return gain(a) > gain(b); });
  // A session's rows lie together within its user's too: of keys about as good the finest is it.
  const double good = kNearlyAsGood * gain(candidates[0]);
  auto finest = candidates.begin();
  for (auto key = candidates.begin(); key != candidates.end() && gain(*key) >= good; ++key) {
    if (key->rows_per_value < finest->rows_per_value) finest = key;
  }
  std::rotate(candidates.begin(), finest, finest + 1);
  if (candidates.size() > kMaxKeys) candidates.resize(kMaxKeys);
  report->keys = std::move(candidates);
}

}  // namespace dsi::internal
