// Rows that do not fit are left out: of a mixture, what most rows have stays.
#include "dsi/text/infer/keep_most_internal.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dsi::internal {
namespace {

void ForgetNumbers(SeenValues* values) {
  values->whole_line = values->inexact_line = values->negative_line = 0;
  values->big_line = values->fraction_line = 0;
}

void ForgetTexts(SeenValues* values) {
  values->text_line = values->word_line = values->time_line = 0;
}

// Of numbers the type that leaves out the fewest: whole ones that are inexact as floats, or
// fractions, words that stand for floats, and those beyond the range of the integers.
void KeepMostNumbers(SeenValues* values) {
  const uint64_t words = values->word_line != 0 ? values->num_texts : 0;
  const uint64_t no_ints = values->num_fractions + words;
  const uint64_t no_int64 = no_ints + values->num_big;
  const uint64_t no_uint64 = no_ints + values->num_negative;
  if (values->num_inexact <= std::min(no_int64, no_uint64) && no_ints != 0) {
    values->inexact_line = 0;
    if (values->negative_line != 0) values->big_line = 0;
    return;
  }
  values->fraction_line = values->word_line = 0;
  (no_int64 <= no_uint64 ? values->big_line : values->negative_line) = 0;
}

void KeepMostValues(SeenValues* values) {
  const uint64_t most = std::max({values->num_numbers, values->num_texts, values->num_bools});
  if (values->text_line + values->time_line != 0 && values->num_texts == most) {
    ForgetNumbers(values);
    values->bool_line = 0;
  } else if (values->bool_line != 0 && values->num_bools == most) {
    ForgetNumbers(values);
    ForgetTexts(values);
  } else if (values->NumberLine() != 0) {
    values->text_line = values->time_line = values->bool_line = 0;
    KeepMostNumbers(values);
  }
}

// Lists of lists, or lists of values.
void KeepMostInner(SeenFeature* seen) {
  (seen->num_inner > seen->num_flat ? seen->flat_line : seen->inner_line) = 0;
}

template <typename T>
void EraseMarked(const std::vector<bool>& marked, std::vector<T>* of) {
  size_t kept = 0;
  for (size_t i = 0; i < of->size(); ++i) {
    if (marked[i]) continue;
    if (kept != i) (*of)[kept] = std::move((*of)[i]);
    ++kept;
  }
  of->resize(kept);
}

}  // namespace

void KeepMost(const InferRules& rules, SeenFeature* seen) {
  if (seen->num_object_lists != 0 &&
      seen->num_object_lists >= seen->num_ones + seen->num_value_lists) {
    seen->one = seen->many = {};
    seen->inner_line = 0;
    return;
  }
  seen->num_objects = seen->objects_line = 0;
  KeepMostInner(seen);
  if (rules.lists_of_one) {
    // A list of one is no mixture.
  } else if (seen->num_lists > seen->num_ones) {
    seen->one = {};
  } else if (seen->num_ones != 0) {
    seen->many = {};
    seen->empty_list_line = 0;
  }
  KeepMostValues(&seen->one);
  KeepMostValues(&seen->many);
}

void KeepMostOfMember(SeenFeature* member) {
  member->one = {};
  KeepMostInner(member);
  KeepMostValues(&member->many);
}

void KeepMostOfNested(Schema* schema, std::vector<FoundFeature>* found) {
  std::vector<FeatureSpec>& features = schema->features;
  std::unordered_map<std::string_view, size_t> by_name;
  for (size_t i = 0; i < features.size(); ++i) by_name.emplace(features[i].name, i);
  // Calls `act` with a feature and one that stands where it has an object.
  const auto for_each_pair = [&](const auto& act) {
    for (size_t i = 0; i < features.size(); ++i) {
      const std::string_view name = features[i].name;
      for (size_t dot = name.find('.'); features[i].nested && dot != std::string_view::npos;
           dot = name.find('.', dot + 1)) {
        const auto outer = by_name.find(name.substr(0, dot));
        if (outer != by_name.end()) act(i, outer->second);
      }
    }
  };
  std::vector<uint64_t> rows_inside(features.size(), 0);
  for_each_pair([&](size_t inner, size_t outer) {
    rows_inside[outer] = std::max(rows_inside[outer], (*found)[inner].rows);
  });
  std::vector<bool> gone(features.size(), false);
  for_each_pair([&](size_t inner, size_t outer) {
    gone[rows_inside[outer] > (*found)[outer].rows ? outer : inner] = true;
  });
  EraseMarked(gone, &features);
  EraseMarked(gone, found);
}

}  // namespace dsi::internal
