// Looks for keys that rows could be clustered by: of a sample of rows, how much of each would equal
// the row before, as rows come and if those with the same value of a feature stood together.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// One value of one row, gathered entry by entry.
class ValueHash {
 public:
  void AddNumber(uint64_t bits);
  void AddText(std::string_view text);
  // Lists that overlap mostly have the same hash: that of the entry with the least one.
  uint32_t hash() const { return least_; }
  uint32_t bytes() const { return bytes_; }

 private:
  void Add(uint64_t hash, size_t bytes);

  uint32_t least_ = UINT32_MAX;
  uint32_t bytes_ = 0;
};

// Whether rows could be clustered by a feature of this kind and type, as far as they tell.
bool MayBeKey(const FeatureSpec& feature);

class KeySample {
 public:
  // False once enough was seen: rows from here on need not be added.
  bool StartRow();
  // No row is asked for any more.
  void Close() { is_closed_ = true; }
  bool is_full() const;
  void Add(uint32_t feature, const ValueHash& value, bool is_list);

  // Fills in `repeats` and `keys`. `may_be_key` says of each feature what its type allows.
  void FindKeys(const std::vector<std::string>& names, const std::vector<bool>& may_be_key,
                InferReport* report) const;

 private:
  struct Feature {
    std::vector<uint32_t> rows;  // Once one lacks it; until then row i has cell i.
    std::vector<uint32_t> hashes;
    std::vector<uint32_t> bytes;
    bool any_list = false;

    uint32_t RowOf(size_t cell) const {
      return rows.empty() ? static_cast<uint32_t>(cell) : rows[cell];
    }
  };
  // An order of rows: that in which they come, or by a feature.
  struct Order {
    uint32_t feature = UINT32_MAX;
    std::vector<uint32_t> before;  // For each row the one before it, or itself.
  };
  // The last row before with the same value.
  Order OrderBy(uint32_t key, uint32_t* num_values) const;
  // Bytes that equal those of the row before, by each of the orders. What an order is made by does
  // not count: it would repeat whatever the rest does.
  std::vector<uint64_t> CountRepeats(const std::vector<Order>& orders, uint64_t* all_bytes) const;

  std::deque<Feature> features_;
  uint32_t num_rows_ = 0;
  uint64_t num_cells_ = 0;
  bool is_closed_ = false;
};

}  // namespace dsi::internal
