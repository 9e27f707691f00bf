// Rows as transforms take and make them: views of arrays of the caller's, and a builder whose
// memory is kept from one use to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/format/types.h"

namespace dsi {

// What a row has: one number, a list, or a list of ids with a score beside each.
enum class RowShape : uint8_t { kNumber, kList, kScored };

struct TransformType {
  RowShape shape = RowShape::kNumber;
  // kInt32, kInt64, kFloat32 or kFloat64 (T-002); scores are float32. A string, which id_of_text
  // alone takes, is a kList of kBytes.
  Type type = Type::kInt64;
  // Of timestamps; kNone: not known.
  TimeUnit unit = TimeUnit::kNone;
  bool operator==(const TransformType&) const = default;
};

namespace internal {
struct RowsAccess;
}  // namespace internal

// Row i is values[begins[i], ends[i]) and, of scored lists, as many of `scores`; of numbers
// values[i]. Rows may overlap and stand in any order, as windows of a pool do. A missing list is
// empty; a missing number is any value.
struct RowsView {
  TransformType type = {};
  size_t num_rows = 0;
  const void* values = nullptr;
  const int64_t* begins = nullptr;  // Null: numbers.
  const int64_t* ends = nullptr;
  const uint8_t* present = nullptr;  // [num_rows], 0: missing. Null: no row is.
  const float* scores = nullptr;

  bool Has(size_t row) const { return present == nullptr || present[row] != 0; }
  size_t Begin(size_t row) const {
    return begins == nullptr ? row : static_cast<size_t>(begins[row]);
  }
  size_t Length(size_t row) const {
    return begins == nullptr ? 1 : static_cast<size_t>(ends[row] - begins[row]);
  }
};

// An input of a step: row i of the output is made of row rows[i] of the view. Null: of row i.
struct RowsInput {
  RowsView view = {};
  const uint32_t* rows = nullptr;
  size_t Row(size_t i) const { return rows == nullptr ? i : rows[i]; }
};

// Rows one after another. Memory grows and is kept by Reset. Methods throw std::bad_alloc; calls of
// a plan turn that into kResourceExhausted. One thread at a time.
class DSI_EXPORT RowsBuilder {
 public:
  // No rows, of this type.
  void Reset(TransformType type);
  // Room for n more values of the row that is open; numbers have one. Valid until the next call.
  void* AddValues(size_t n);
  // Beside the n values last added, of scored lists.
  float* LastScores() { return scores_.data() + (num_values_ - last_added_); }
  // Ends the row: all values added since the last one.
  void EndRow();
  void EndMissing();

  TransformType type() const { return type_; }
  size_t num_rows() const { return present_.size(); }
  size_t num_values() const { return num_values_; }
  // Values of the row that is open.
  size_t open_values() const { return num_values_ - static_cast<size_t>(offsets_.back()); }
  // Valid until the builder changes.
  RowsView View() const;

 private:
  friend struct internal::RowsAccess;
  TransformType type_ = {};
  std::unique_ptr<std::byte[]> values_;
  size_t capacity_bytes_ = 0;
  size_t num_values_ = 0;
  size_t last_added_ = 0;
  std::vector<float> scores_;
  std::vector<int64_t> offsets_ = {0};
  std::vector<uint8_t> present_;
  std::unique_ptr<RowsBuilder> copied_;  // What a step had to lay out before it could begin.
};

}  // namespace dsi
