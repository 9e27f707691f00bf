// How texts and numbers of a text stand for times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/format/iso_time_internal.h"
#include "dsi/format/types.h"

namespace dsi::internal {

// Thread safety: const calls from any threads.
class TimeForms {
 public:
  // ISO 8601, and numbers in the unit of their feature.
  TimeForms() = default;
  // As TextInputOptions::time_formats and epoch_unit say. kInvalidArgument: a form that does not
  // tell the day, or tells a time it would not read back.
  static Result<TimeForms> Create(const std::vector<std::string>& formats, TimeUnit epoch_unit);

  // False: no form fits the whole text.
  bool Parse(std::string_view text, IsoTime* time) const {
    return forms_.empty() ? ParseIsoTime(text, time) : ParseStated(text, time);
  }
  // Whether forms were stated in place of ISO 8601.
  bool are_stated() const { return !forms_.empty(); }
  // Whether numbers were stated to be in a unit, which may not be their column's.
  bool has_epoch_unit() const { return epoch_unit_ != TimeUnit::kNone; }
  // What numbers of a column of this unit are in.
  TimeUnit UnitOfNumbers(TimeUnit column) const { return has_epoch_unit() ? epoch_unit_ : column; }
  // What a timestamp of this unit may be, for messages.
  std::string Expected(TimeUnit unit) const;

 private:
  struct Form {
    std::string text;           // As it was stated.
    std::string before;         // In front of the fraction; without one: all of it.
    std::string whole;          // Without the fraction.
    bool has_fraction = false;  // %f stands behind `before`.
    bool is_iso = false;
  };

  bool ParseStated(std::string_view text, IsoTime* time) const;
  static bool ParseForm(const Form& form, const std::string& text, IsoTime* time);
  static bool ReadsBack(const Form& form);

  std::vector<Form> forms_;
  TimeUnit epoch_unit_ = TimeUnit::kNone;
};

}  // namespace dsi::internal
