// Which rows of a file a scan gives: comparisons with what is stored, and sampling.
//
// A row that does not pass is as good as not stored: it counts in no batch, and a unique row (IKJT,
// VBE) that only such rows have is not in the batch. A filter after deduplication would leave it
// there, an orphan that the trainer computes and nobody reads.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dsi {

enum class Compare : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,       // Is one of `values`.
  kNotIn,    // Is there, and none of `values`.
  kExists,   // Is there, whatever it is; an empty list or string is.
  kMissing,  // Is not.
};

// What of a row is compared.
enum class Subject : uint8_t {
  kValue,
  kLength,  // How many entries its list has, bytes its string.
  kHash,    // A number in [0, 1) worked out from the value alone: the same share of all users, say.
};

using FilterValue = std::variant<int64_t, uint64_t, double, std::string>;

// True for rows whose value in `column` compares as stated; a missing one never does, not even by
// kNotEqual or kNotIn, but for kMissing. The column need not be projected. It holds one number or
// string per row (dense, label, key, timestamp, string; bool is 0 or 1); kExists and kMissing take
// any. A name that stands for several columns must be that of one. kLength takes a list, weighted
// or not, or a string, and compares with numbers. Nothing but lengths is read for it, for kExists
// and for kMissing. A row without the list is missing, and no list of length 0.
//
// Numbers compare exactly, whatever the types, but for floats: there values are rounded to the type
// of the column, and NaN differs from everything. Strings compare byte by byte, as unsigned ones.
// Timestamps also compare with times: strings such as "2024-05-01" or "2024-05-01T12:30:00.5+02:00"
// (ISO 8601; without an offset it is UTC), of any precision.
//
// kHash splits rows by what they are of: `hash(user_id) < 0.1` are all rows of a tenth of the
// users, in every file, and `>= 0.1` those of the others. It takes columns of one number or string
// per row, kLess, kLessEqual, kGreater or kGreaterEqual, and a number. Of whole numbers x (and
// floats that are whole) the 64 bits of x as int64, of other floats those of the float64, of
// strings XXH3-64 of the bytes are mixed: (SplitMix64 of that state, step `salt` + 1) / 2^64, to 53
// bits.
struct Predicate {
  std::string column = {};
  Compare compare = Compare::kEqual;
  FilterValue value = int64_t{0};        // A string where the column holds strings.
  std::vector<FilterValue> values = {};  // kIn, kNotIn: in any order.
  Subject subject = Subject::kValue;
  uint64_t salt = 0;  // kHash: of another salt the numbers have nothing to do with these.
  // It is true as well where one of these is, and where one of theirs is.
  std::vector<Predicate> alternatives = {};
};

// Rows for which all of `when` are true stay with probability `keep`.
struct Sampling {
  std::vector<Predicate> when = {};  // Empty: every row.
  double keep = 1;                   // 0 to 1.
};

// A row passes when all of `where` are true and the first of `sample` whose `when` holds for it
// keeps it (it stays where there is none). Clicks that are long or bought; all positives and a
// tenth of the negatives:
//
//     options.filter.where = {{"clicked", Compare::kEqual, 1},
//                             {.column = "seconds", .compare = Compare::kGreater, .value = 30,
//                              .alternatives = {{"bought", Compare::kEqual, 1}}}};
//     options.filter.sample = {{.when = {{"label", Compare::kEqual, 0}}, .keep = 0.1}};
//
// What sampling keeps is a function of (seed, row number of the file) alone: the same for every
// batch size, row range, projection and machine, and rows kept at a rate are also kept at any
// greater one. Rows of the same number in different files share their fate unless each file has a
// seed of its own; another seed per epoch gives other rows.
struct RowFilter {
  std::vector<Predicate> where = {};
  std::vector<Sampling> sample = {};
  uint64_t seed = 0;

  bool empty() const { return where.empty() && sample.empty(); }
};

}  // namespace dsi
