// Rows of one stripe that a filter left, far apart: what they need is taken out of the decoders
// block by block, so that a batch of them holds no more than its own unique rows.
//
// Looks like a StripeDecoder that stands on these rows alone. Groups whose index may name any
// unique row (forms 3 … 5) are decoded whole for the stripe anyway: of them only the index is
// gathered. Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/reader/scan/stripe_decoder_internal.h"

namespace dsi::internal {

class GatheredRows {
 public:
  explicit GatheredRows(const ScanShared* shared);

  // Begins with no rows. The decoder must outlive them.
  void Start(StripeDecoder* decoder);
  // Adds the decoder's current rows, which lie behind those added before.
  Status Add();
  // All have been added.
  Status Finish();

  // As those of StripeDecoder.
  const GroupRows& group(uint32_t i) const { return groups_[i].rows; }
  const ShapeView& shape(uint32_t i) const {
    return IsWhole(i) ? decoder_->shape(i) : shapes_[i].view;
  }
  Result<ShapeView> ShapeArrays(uint32_t i);
  ValuesView values(uint32_t i) const;

 private:
  struct Group {
    explicit Group(MemoryBudget* budget)
        : slots(budget),
          run_ends(budget),
          fresh(budget),
          touched(budget),
          inverse(budget),
          renumber(budget) {}
    bool whole = false;  // Its unique rows stay where they are.
    uint32_t num_unique = 0;
    uint32_t last = 0;              // Unique row of the stripe that came last.
    CountedVector<uint32_t> slots;  // Per row.
    CountedVector<uint32_t> run_ends;
    CountedVector<uint32_t> fresh;  // Slots of the current block whose unique rows are new.
    CountedVector<uint32_t> touched, inverse;
    BatchUnique renumber;
    GroupRows rows;
  };
  struct Shape {
    explicit Shape(MemoryBudget* budget) : starts(budget), lengths(budget), present(budget) {}
    CountedVector<uint64_t> starts;
    CountedVector<uint32_t> lengths;
    CountedVector<uint8_t> present;
    ShapeView view;
  };
  struct Values {
    explicit Values(MemoryBudget* budget) : bytes(budget), starts(budget), lengths(budget) {}
    ScanBuffer bytes;
    uint64_t count = 0;
    bool is_cut = false;  // Places and lengths are its own.
    CountedVector<uint64_t> starts;
    CountedVector<uint32_t> lengths;
  };

  bool IsWhole(uint32_t shape) const { return groups_[projection_.shapes[shape].group].whole; }
  void AddIndex(uint32_t group);
  void AddShape(uint32_t shape);
  Status AddValues(uint32_t values);
  void FinishGroup(uint32_t group);

  const ScanProjection& projection_;
  StripeDecoder* decoder_ = nullptr;
  std::vector<Group> groups_;  // Parallel to those of the projection.
  std::vector<Shape> shapes_;
  std::vector<std::unique_ptr<Values>> values_;
};

}  // namespace dsi::internal
