#include "dsi/text/infer/row_looker_internal.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

void MergeFeature(const SeenFeature& from, SeenFeature* to) {
  const auto merge = [](const SeenValues& later, SeenValues* values) {
    values->Merge(later);
    values->MergeTimes(later);
  };
  merge(from.one, &to->one);
  merge(from.many, &to->many);
  to->nested |= from.nested;
  to->num_ones += from.num_ones;
  to->num_lists += from.num_lists;
  to->longest_list = std::max(to->longest_list, from.longest_list);
  to->objects_line = Earlier(to->objects_line, from.objects_line);
  to->num_objects += from.num_objects;
  to->num_object_lists += from.num_object_lists;
  to->num_value_lists += from.num_value_lists;
  if (to->list.empty()) to->list = from.list;
  to->num_inner += from.num_inner;
  to->inner_line = Earlier(to->inner_line, from.inner_line);
  to->num_flat += from.num_flat;
  to->flat_line = Earlier(to->flat_line, from.flat_line);
  to->empty_list_line = Earlier(to->empty_list_line, from.empty_list_line);
}

// Whether a name, or an object that it stands in, is one of these.
bool IsOrIsIn(const std::string& name, const std::unordered_set<std::string>& names) {
  if (names.empty()) return false;
  for (size_t end = name.find('.'); end != std::string::npos; end = name.find('.', end + 1)) {
    if (names.contains(name.substr(0, end))) return true;
  }
  return names.contains(name);
}

}  // namespace

Result<uint32_t> RowLooker::Add(std::string_view name) {
  name_bytes_ += name.size();
  if (name.empty() || name.size() > kMaxNameBytes) {
    return BadInput("{}: a name of {} bytes, expected 1 to {}", lines_->Where(), name.size(),
                    kMaxNameBytes);
  }
  if (seen_.size() >= kMaxColumns || name_bytes_ > kMaxSchemaBytes) {
    return Error(StatusCode::kResourceExhausted, "{}: more than {} features", lines_->Where(),
                 seen_.size());
  }
  seen_.emplace_back().name = name;
  first_places_.push_back(line());
  return static_cast<uint32_t>(seen_.size() - 1);
}

void RowLooker::Offer(uint32_t feature, std::string_view text) {
  constexpr size_t kMostKept = 64;  // More than is shown.
  seen_[feature].OfferExample(text);
  if (notes_offers_) offers_.push_back({line(), feature, std::string(text.substr(0, kMostKept))});
}

bool RowLooker::MergeAll(std::span<const std::unique_ptr<RowLooker>> others) {
  // What never had a value here must not have one there, nor be a name that is new.
  const std::vector<std::string> valueless_here = Valueless();
  const std::unordered_set<std::string> valueless(valueless_here.begin(), valueless_here.end());
  std::unordered_map<std::string, uint32_t> ordinals;
  for (uint32_t f = 0; f < seen_.size(); ++f) ordinals.emplace(seen_[f].name, f);
  size_t num_names = this->num_names();
  std::vector<std::tuple<uint64_t, uint32_t, std::string>> fresh;  // By place, then in the row.
  for (const auto& other : others) {
    num_names += other->num_names();
    for (const std::string& name : other->Valueless()) {
      if (!valueless.contains(name)) return false;
    }
    for (uint32_t f = 0; f < other->seen_.size(); ++f) {
      const std::string& name = other->seen_[f].name;
      if (IsOrIsIn(name, valueless)) return false;
      if (!ordinals.contains(name)) fresh.emplace_back(other->first_places_[f], f, name);
    }
  }
  if (num_names > kMaxColumns) return false;
  std::sort(fresh.begin(), fresh.end());
  for (const auto& [place, ordinal, name] : fresh) {
    if (!ordinals.emplace(name, static_cast<uint32_t>(seen_.size())).second) continue;
    name_bytes_ += name.size();
    if (name_bytes_ > kMaxSchemaBytes) return false;
    seen_.emplace_back().name = name;
    first_places_.push_back(place);
  }
  std::vector<Offered> offers;
  for (const auto& other : others) {
    for (const SeenFeature& from : other->seen_) MergeFeature(from, &seen_[ordinals.at(from.name)]);
    for (Offered& offer : other->offers_) {
      offer.feature = ordinals.at(other->seen_[offer.feature].name);
      offers.push_back(std::move(offer));
    }
  }
  std::stable_sort(offers.begin(), offers.end(),
                   [](const Offered& a, const Offered& b) { return a.place < b.place; });
  for (const Offered& offer : offers) {
    SeenFeature& feature = seen_[offer.feature];
    if (feature.wants_example()) feature.OfferExample(offer.text);
  }
  return true;
}

}  // namespace dsi::internal
