// Stores lists that a feature has had before once: rows that come in repeat each other, and what is
// not stored twice is neither copied, ordered nor compared again.
//
// A table of the lists that came last is asked, so that most repeats are found, not all: nothing
// but memory and time depends on it. Thread safety: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

class ListSharing {
 public:
  // `pauses`: lists are not looked for all the time where few are found.
  explicit ListSharing(const Schema& schema, bool pauses = true);

  // Whether lists of this feature are shared.
  bool Shares(size_t feature) const { return !features_[feature].widths.empty(); }
  // Appends lists of these lengths to a feature that shares; values: those of each column, one list
  // after another. num_present is not touched. std::bad_alloc: in part.
  void Append(size_t feature, std::span<const uint32_t> lengths,
              std::span<const std::byte* const> values, RowBatch::FeatureBuffer* to);
  // Lists stored may have gone: none of them is found again.
  void Forget(size_t feature);
  void ForgetAll();

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t list = UINT32_MAX;
    uint64_t start = 0;  // Of its entries.
  };
  struct Feature {
    std::vector<size_t> widths;  // Of an entry, per column; none: not a list.
    std::vector<Slot> slots;     // Each list has one place, and takes it from those before.
    Slot last;                   // Of the row before.
    uint32_t looked = 0;         // Lists looked for in this window,
    uint64_t found = 0;          // and entries of a column of those found.
    uint32_t unlooked = 0;       // Lists to come that are not looked for.
  };

  static bool Equals(const Feature& feature, const RowBatch::FeatureBuffer& in, const Slot& slot,
                     uint32_t length, std::span<const std::byte* const> entries);
  // A list that is equal to this one; UINT32_MAX: none is known, and it is noted as `fresh`.
  uint32_t Find(Feature* feature, const RowBatch::FeatureBuffer& in, uint32_t length,
                std::span<const std::byte* const> entries, const Slot& fresh) const;
  void MakeRoom(Feature* feature) const;

  std::vector<Feature> features_;
  size_t most_slots_;
  bool pauses_;
  std::vector<const std::byte*> at_;  // Of Append: where each column is.
};

}  // namespace dsi::internal
