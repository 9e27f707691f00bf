#include "dsi/tools/generate/feature_class_internal.h"

#include <string_view>

namespace dsi::tools {
namespace {

// How many features of each class a profile has. The classes are those of a production table:
// histories that shift, sets of a user that rarely change, lists of the item, and floats alike.
struct ClassCounts {
  std::string_view profile;
  uint32_t sequences, sets, item_lists;
  uint32_t user_dense, counter_dense, item_dense;
};

constexpr ClassCounts kCounts[] = {
    {"p1", 6, 20, 4, 70, 30, 22},
    {"p2", 2, 6, 2, 60, 36, 24},
    {"p3", 6, 20, 5, 150, 150, 90},
    {"p4", 2, 6, 3, 90, 150, 100},
};

constexpr uint32_t kSequencesPerGroup = 3;
constexpr double kSequenceChange = 0.14;
constexpr double kSequenceShiftShare = 0.92;
constexpr double kSetChange = 0.015;
constexpr double kCounterChange = 0.67;

void AddDense(std::string_view prefix, uint32_t count, double change,
              std::vector<FeatureClass>* features) {
  for (uint32_t i = 0; i < count; ++i) {
    FeatureClass f;
    f.name = std::string(prefix) + std::to_string(i);
    f.change = change;
    f.change_group = static_cast<uint32_t>(features->size()) + 1000;
    features->push_back(std::move(f));
  }
}

void AddRecdClasses(const ClassCounts& counts, const GenerateOptions& options,
                    std::vector<FeatureClass>* features) {
  for (uint32_t i = 0; i < counts.sequences; ++i) {
    FeatureClass f;
    f.name = "user_seq" + std::to_string(i);
    f.is_list = true;
    f.change = options.sequence_duplicate ? 1 - *options.sequence_duplicate : kSequenceChange;
    f.shift_share = kSequenceShiftShare;
    f.shift = options.sequence_shift.value_or(1);
    f.change_group = i / kSequencesPerGroup;
    f.min_length = options.sequence_length.value_or(28);
    f.max_length = options.sequence_length.value_or(112);
    f.length_of_session = true;
    features->push_back(std::move(f));
  }
  for (uint32_t i = 0; i < counts.sets; ++i) {
    FeatureClass f;
    f.name = "user_set" + std::to_string(i);
    f.is_list = true;
    f.change = options.set_duplicate ? 1 - *options.set_duplicate : kSetChange;
    f.change_group = 100 + i;
    f.min_length = 3;
    f.max_length = 31;
    f.empty_share = 0.2;
    features->push_back(std::move(f));
  }
  for (uint32_t i = 0; i < counts.item_lists; ++i) {
    FeatureClass f;
    f.name = "item_list" + std::to_string(i);
    f.is_list = true;
    f.change_group = 500 + i;
    f.min_length = 1;
    f.max_length = 9;
    features->push_back(std::move(f));
  }
  AddDense("user_dense", counts.user_dense, kSetChange, features);
  AddDense("counter_dense", counts.counter_dense, kCounterChange, features);
  AddDense("item_dense", counts.item_dense, 1, features);
}

void AddSweep(const GenerateOptions& options, std::vector<FeatureClass>* features) {
  std::vector<double> rates = options.duplicate_rates;
  if (rates.empty()) rates = {0, 0.355, 0.5, 0.7, 0.8, 0.86, 0.9, 0.95, 0.985, 1};
  for (size_t i = 0; i < rates.size(); ++i) {
    FeatureClass f;
    f.name = "list" + std::to_string(i);
    f.is_list = true;
    f.change = 1 - rates[i];
    f.change_group = static_cast<uint32_t>(i);
    f.min_length = f.max_length = options.list_length.value_or(20);
    features->push_back(std::move(f));
  }
}

}  // namespace

bool FindSessionProfile(const GenerateOptions& options, SessionProfile* profile) {
  *profile = SessionProfile();
  if (options.profile == "sweep") {
    AddSweep(options, &profile->features);
    profile->law = SessionLaw::kConstant;
  } else {
    for (const ClassCounts& counts : kCounts) {
      if (counts.profile == options.profile) AddRecdClasses(counts, options, &profile->features);
    }
  }
  if (options.session_law) profile->law = *options.session_law;
  if (options.mean_session) profile->mean_session = *options.mean_session;
  return !profile->features.empty();
}

}  // namespace dsi::tools
