// The text of one feature, row after row.
#pragma once

#include <cstdint>
#include <string>

#include "dsi/tools/generate/feature_class_internal.h"
#include "dsi/tools/generate/json_text_internal.h"

namespace dsi::tools {

// Holds the text of the last row, so that rows which repeat it cost a copy. Any row may be asked
// for in any order: a row out of order finds its last change by looking back through its session.
class FeatureStream {
 public:
  FeatureStream(const FeatureClass& spec, uint64_t seed, uint64_t index, uint64_t id_space);

  // `,"name":value` of one row; valid until the next call.
  std::string_view Text(uint64_t session, uint32_t step);

 private:
  // What the value of a row depends on: the row of its last whole draw, and the ids put in front
  // since then. The list is a window into an endless stream of ids that starts at -shifted.
  struct Version {
    uint32_t drawn_at = 0;
    uint64_t shifted = 0;
    bool operator==(const Version&) const = default;
  };

  bool Apply(uint64_t change_key, uint32_t step, Version* version) const;
  Version Find(uint64_t change_key, uint32_t step) const;
  void Render(uint64_t session, const Version& version);
  uint32_t ListLength(uint64_t session, uint64_t value_key) const;

  FeatureClass spec_;
  std::string prefix_;
  uint64_t change_key_;
  uint64_t length_key_;
  uint64_t value_key_;
  uint64_t id_space_;
  uint64_t change_threshold_;
  uint64_t shift_threshold_;
  uint64_t empty_threshold_;

  bool valid_ = false;
  uint64_t session_ = 0;
  uint64_t session_change_key_ = 0;
  uint32_t step_ = 0;
  Version version_;
  JsonText text_;
};

}  // namespace dsi::tools
