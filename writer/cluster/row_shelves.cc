#include "dsi/writer/cluster/row_shelves_internal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/writer/spill/record_sorter_internal.h"

namespace dsi::internal {
namespace {

// Times that a block is read on average; to read and write it once more costs about two of them.
constexpr uint64_t kOften = 4;
constexpr uint64_t kPartBytes = 128 << 10;  // Of memory for a shelf that is being filled.
constexpr uint64_t kMostParts = 1'024;

}  // namespace

Result<const SpilledRows::Shelf*> RowShelves::Of(size_t stripe) {
  if (spilled_ == nullptr) return static_cast<const SpilledRows::Shelf*>(nullptr);
  if (shelves_.empty()) shelves_.push_back({0, cuts_.size(), spilled_->all()});
  while (shelves_.back().end <= stripe) shelves_.pop_back();
  while (settled_ <= stripe) {
    DSI_ASSIGN_OR_RETURN(const bool often, WouldReadOften(shelves_.back()));
    if (often) {
      DSI_RETURN_IF_ERROR(Split());
    } else {
      settled_ = shelves_.back().end;
    }
  }
  return &shelves_.back().shelf;
}

bool RowShelves::IsSettled(size_t stripe) const {
  for (auto stripes = shelves_.rbegin(); stripes != shelves_.rend() && stripes->first <= stripe;
       ++stripes) {
    if (stripes->end > settled_ && stripes->end - stripes->first > kOften) return false;
  }
  return true;
}

Result<bool> RowShelves::WouldReadOften(const Stripes& stripes) const {
  const SpilledRows::Shelf& shelf = stripes.shelf;
  if (stripes.end - stripes.first <= kOften) return false;
  std::vector<size_t> read_for(shelf.size(), SIZE_MAX);  // Per block the last stripe.
  uint64_t reads = 0;
  for (size_t s = stripes.first; s < stripes.end; ++s) {
    for (uint32_t i = 0; i < cuts_[s].num_rows; ++i) {
      DSI_ASSIGN_OR_RETURN(const ListedRow row, rows_.At(cuts_[s].first_row + i));
      const auto after = std::upper_bound(
          shelf.begin(), shelf.end(), row.input_row,
          [](uint32_t number, const SpilledRows::Block& b) { return number < b.first_row; });
      const auto block = static_cast<size_t>(after - shelf.begin()) - 1;
      if (read_for[block] != s) ++reads;
      read_for[block] = s;
    }
  }
  return reads > kOften * shelf.size();
}

Status RowShelves::Split() {
  const Stripes from = std::move(shelves_.back());
  shelves_.pop_back();
  const size_t num_stripes = from.end - from.first;
  const size_t num_parts = std::min<size_t>(
      num_stripes, std::clamp<uint64_t>(memory_.bytes / 4 / kPartBytes, 2, kMostParts));
  const auto first_of = [&](size_t part) { return from.first + part * num_stripes / num_parts; };
  // The part of each row, in the order of input.
  RecordSorter parts(8, 8, memory_.bytes / 8, memory_.spill_folder);
  std::array<std::byte, 8> record;
  for (uint32_t part = 0; part < num_parts; ++part) {
    StoreLE(record.data() + 4, part);
    const StripeCut& last = cuts_[first_of(part + 1) - 1];
    for (uint32_t p = cuts_[first_of(part)].first_row; p < last.first_row + last.num_rows; ++p) {
      DSI_ASSIGN_OR_RETURN(const ListedRow row, rows_.At(p));
      StoreLE(record.data(), __builtin_bswap32(row.input_row));
      DSI_RETURN_IF_ERROR(parts.Add(record.data()));
    }
  }
  DSI_RETURN_IF_ERROR(parts.Sort());
  DSI_ASSIGN_OR_RETURN(
      std::vector<SpilledRows::Shelf> shelves,
      spilled_->Split(from.shelf, num_parts, [&](uint32_t row) -> Result<uint32_t> {
        DSI_ASSIGN_OR_RETURN(const std::byte* next, parts.Next());
        if (next == nullptr || __builtin_bswap32(LoadLE<uint32_t>(next)) != row)
          return Corrupt("row {} is not among those spilled", row);
        return LoadLE<uint32_t>(next + 4);
      }));
  for (size_t part = num_parts; part-- > 0;)
    shelves_.push_back({first_of(part), first_of(part + 1), std::move(shelves[part])});
  return Status::Ok();
}

}  // namespace dsi::internal
