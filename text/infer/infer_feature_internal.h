// What has been seen of one name of a text, and the feature that follows from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/text/infer/line_place_internal.h"
#include "dsi/text/lines/time_forms_internal.h"

namespace dsi::internal {

// The earlier of two lines; 0: there is none.
inline uint64_t Earlier(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return a + b;
  return std::min(a, b);
}

// Values of one shape. Each kind of value is held as the place of the first line that had it; 0:
// none had.
struct SeenValues {
  uint64_t whole_line = 0;
  uint64_t inexact_line = 0;  // A whole number that float64 cannot hold.
  uint64_t negative_line = 0;
  uint64_t big_line = 0;  // A whole number of 2^63 or more.
  uint64_t fraction_line = 0;
  uint64_t word_line = 0;  // "NaN", "Infinity", "-Infinity".
  uint64_t text_line = 0;
  uint64_t time_line = 0;  // A string that is a time.
  uint64_t bool_line = 0;
  uint64_t null_line = 0;                               // Nothing, as the entry of a list.
  uint32_t time_digits = 0;                             // The most of a fraction of these.
  int64_t least = std::numeric_limits<int64_t>::max();  // Of whole numbers below 2^63.
  int64_t greatest = std::numeric_limits<int64_t>::min();
  uint64_t least_big = std::numeric_limits<uint64_t>::max();  // Of those of 2^63 or more.
  uint64_t greatest_big = 0;
  double least_number = std::numeric_limits<double>::infinity();  // Fractions too.
  double greatest_number = -std::numeric_limits<double>::infinity();
  uint64_t num_numbers = 0;
  uint64_t num_inexact = 0;  // Of these, as of the lines above.
  uint64_t num_negative = 0;
  uint64_t num_big = 0;
  uint64_t num_fractions = 0;
  uint64_t num_texts = 0;  // Words and times too.
  uint64_t num_bools = 0;
  uint64_t longest_text = 0;  // In bytes.
  std::string first_time;     // As they were written.
  std::string last_time;
  uint64_t first_time_line = 0;
  uint64_t last_time_line = 0;
  int64_t first_seconds = std::numeric_limits<int64_t>::max();
  int64_t last_seconds = std::numeric_limits<int64_t>::min();

  void AddInt(int64_t value, uint64_t line);
  void AddUint(uint64_t value, uint64_t line);
  void AddDouble(double value, uint64_t line);
  // A string; it may be a word that stands for a float, or a time.
  void AddText(std::string_view text, uint64_t line, const TimeForms& times);
  void AddBool(uint64_t line);
  // Text without a type of its own: a cell of CSV, or a key in a path.
  void AddCell(std::string_view text, uint64_t line, const TimeForms& times);
  // Takes the first lines of both.
  void Merge(const SeenValues& other);
  // After that, where both are of one feature: what is known of times.
  void MergeTimes(const SeenValues& other);
  uint64_t FirstLine() const;   // 0: nothing was seen.
  uint64_t NumberLine() const;  // The first with a number.
  uint64_t OtherLine() const;   // The first with text or a truth value.

 private:
  void AddNumber(double value);
};

struct SeenFeature {
  std::string name;
  bool nested = false;  // Seen as a key without dots inside objects, or without any dot.
  SeenValues one;       // Values that stood alone.
  SeenValues many;      // Entries of lists.
  uint64_t empty_list_line = 0;
  uint64_t num_ones = 0;  // Rows with a value alone, and with a list.
  uint64_t num_lists = 0;
  uint64_t longest_list = 0;
  // Where the format states no types: lists in brackets, and all of a column that is said to hold
  // lists.
  uint64_t num_sure_lists = 0;
  // Lists of objects: the first line with one, and how many there were. A name in such objects is a
  // feature here, of the list so called, with its values in `many`, and how many objects had it.
  uint64_t objects_line = 0;
  uint64_t num_objects = 0;
  uint64_t num_object_lists = 0;  // Rows with such a list, and with one of values.
  uint64_t num_value_lists = 0;
  std::string list;
  // Lists with entries, and values in such objects, that are lists, and that are none: how many,
  // and the first line.
  uint64_t num_inner = 0;
  uint64_t inner_line = 0;
  uint64_t num_flat = 0;
  uint64_t flat_line = 0;
  std::vector<std::string> examples;
  uint32_t num_offered = 0;
  bool is_path_key = false;  // No row has it: paths do.

  static constexpr size_t kMaxExamples = 3;
  // Whether an example of this row is looked at: a few of the first rows are.
  bool wants_example() {
    constexpr uint32_t kMaxOffered = 64;
    return examples.size() < kMaxExamples && num_offered++ < kMaxOffered;
  }
  void OfferExample(std::string_view text);

  bool has_values() const {
    return one.FirstLine() != 0 || many.FirstLine() != 0 || empty_list_line != 0 ||
           objects_line != 0;
  }
};

struct InferRules {
  // JSON states what is a string, a number and a list: mixing them is kBadInput. In CSV every
  // mixture has a common form: a number is a list of one, anything is a string.
  bool typed_text = false;
  // Every value is a list, as in tf.Example: one of one entry is a value or a list of one.
  bool lists_of_one = false;
  Type float_type = Type::kFloat64;  // Of features that hold fractions and no whole numbers.
  // Rows that do not fit are left out, so that of a mixture the most frequent kind stays.
  bool keep_most = false;
  bool refuse_nulls = false;  // In lists.
  bool fill_nulls = false;    // Names that an object of a list lacks among them.
  TimeForms times;            // Numbers without a unit: by their size.
  PlaceNames places;
};

Result<FeatureSpec> InferFeature(const SeenFeature& seen, const InferRules& rules);

// Of a list of objects, whose names are `members`. What holds lists is a feature of its own, added
// to `inner`, and the sequence has their lengths.
Result<FeatureSpec> InferSequence(const SeenFeature& list,
                                  std::span<const SeenFeature* const> members,
                                  const InferRules& rules, std::vector<FeatureSpec>* inner);

}  // namespace dsi::internal
