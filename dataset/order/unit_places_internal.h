// Units of many sizes in the order of a keyed bijection: which unit stands where.
//
// Thread safety: const calls from many threads are safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "dsi/dataset/order/keyed_bijection_internal.h"
#include "dsi/dataset/order/selected_rows_internal.h"

namespace dsi::internal {

class UnitPlaces {
 public:
  // `unit_ends`: rows of the dataset up to the end of each unit, ascending; outlives this.
  UnitPlaces(std::span<const uint64_t> unit_ends, const OrderOptions& options, uint64_t snapshot)
      : unit_ends_(unit_ends), options_(options), snapshot_(snapshot) {}

  // As DatasetOrder::Find; `rows` are the same in every call. The first call lists the units.
  void Find(const SelectedRows& rows, uint64_t begin, uint64_t end,
            std::vector<RowSpan>* out) const;

 private:
  void List(const SelectedRows& rows) const;

  std::span<const uint64_t> unit_ends_;
  OrderOptions options_;
  uint64_t snapshot_ = 0;

  mutable std::once_flag listed_;
  // Selected rows up to the end of each unit that has some: those of the dataset where all units do
  // and all rows are selected, else a list of its own.
  mutable std::vector<uint64_t> own_ends_;
  mutable std::span<const uint64_t> ends_;
  mutable KeyedBijection order_;
  mutable std::vector<uint64_t> slot_ends_;  // Positions up to the end of each unit, in the order.
};

}  // namespace dsi::internal
