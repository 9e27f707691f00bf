// Which rows of bases, and so of their overlays, each given row becomes: by the order of the bases,
// or by a key.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/format/overlay.h"
#include "dsi/reader/reader.h"

namespace dsi::internal {

inline constexpr uint64_t kNoRow = UINT64_MAX;

// A base, and the overlay of it that is to be written. The places of rows are counted over the
// overlays of all bases.
struct OverlayTarget {
  std::string base;
  std::string path;
  OverlayBinding binding;
  uint64_t first = 0;  // Place.
  uint64_t num_rows = 0;
  uint64_t num_deleted = 0;

  uint64_t end() const { return first + num_rows; }
};

// Of these rows, as for BindOverlay. Errors name the base.
Result<OverlayTarget> MakeTarget(const std::string& base, std::span<const OverlayRows> rows);

// The base as MakeTarget found it. kBadInput: it changed since.
Result<std::unique_ptr<Reader>> OpenBaseOf(const OverlayTarget& target);

// Places of the rows that the base has not deleted, in its order.
Result<std::vector<uint64_t>> PlacesInOrder(const OverlayTarget& target);

struct KeyedPlaces {
  std::vector<uint64_t> of_row;  // Of each given row, one place; kNoRow: it is not used.
  uint64_t begin = 0;            // Of the first row of the first base.
  std::vector<uint64_t> next;    // From `begin` on: another place of the same row; may be empty.
  bool is_ascending = true;      // The rows that are used, each of which has one place.

  uint64_t After(uint64_t place) const { return next.empty() ? kNoRow : next[place - begin]; }
  // All places that a row has, ascending.
  std::vector<uint64_t> All() const;
};

struct KeyMatch {
  std::string key;
  bool broadcast = false;  // Rows of a base may share a key.
};

// false cancels.
using LookedAtRows = std::function<bool(uint64_t rows_done)>;

// Reads the key of bases, which follow each other, and then of `from`; notes in *used, which grows
// to the rows of that, those that have a place. kInvalidArgument: see WriteOverlay.
Result<KeyedPlaces> PlacesByKey(std::span<const OverlayTarget> bases, const Dataset& from,
                                const KeyMatch& match, const LookedAtRows& progress,
                                std::vector<bool>* used);

}  // namespace dsi::internal
