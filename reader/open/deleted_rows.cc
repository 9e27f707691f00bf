// Section kind 4: rows that no scan gives (spec F-084).
#include <algorithm>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kRecord = 8;   // Number of deleted rows; where their node ends.
constexpr uint32_t kHeader = 16;  // Of a node.

}  // namespace

Status OpenFile::ReadDeletedCounts() {
  const uint32_t heads = static_cast<uint32_t>(core().stripes.size()) * kRecord;
  const uint32_t room = state_->deleted_table->count() - heads;  // CheckCore.
  std::vector<std::byte> records(heads);
  DSI_RETURN_IF_ERROR(state_->deleted_table->Read(0, heads, records.data(), ahead_));
  state_->deleted.clear();
  state_->num_deleted = 0;
  uint32_t begin = 0;
  for (size_t i = 0; i < core().stripes.size(); ++i) {
    const auto count = LoadLE<uint32_t>(&records[i * kRecord]);
    const auto end = LoadLE<uint32_t>(&records[i * kRecord + 4]);
    const uint32_t num_rows = core().stripes[i].num_rows;
    const bool has_node = count != 0 && count != num_rows;
    const auto most = static_cast<uint32_t>(kHeader + AlignUp(num_rows, 8));
    const bool in_place = end >= begin && end <= room && end - begin <= most &&
                          (end - begin) % 8 == 0 && (end != begin) == has_node;
    if (count > num_rows || !in_place)
      return Corrupt("deleted rows of stripe {}: {} of {}, bytes {}..{} of {} (F-084)", i, count,
                     num_rows, begin, end, room);
    state_->deleted.push_back({count, heads + begin, heads + end});
    state_->num_deleted += count;
    begin = end;
  }
  if (begin == room) return Status::Ok();
  return Corrupt("deleted rows: {} bytes behind those of the last stripe (F-084)", room - begin);
}

Result<CountedVector<uint8_t>> OpenFile::LoadDeleted(size_t stripe, MemoryBudget* budget) const {
  CountedVector<uint8_t> flags(budget);
  const uint32_t count = num_deleted(stripe);
  if (count == 0) return flags;
  const uint32_t num_rows = core().stripes[stripe].num_rows;
  const DeletedRows& rows = state_->deleted[stripe];
  flags.resize(num_rows, 1);
  if (count == num_rows) return flags;
  CountedVector<std::byte> node(rows.end - rows.begin, budget);
  DSI_RETURN_IF_ERROR(
      state_->deleted_table->Read(rows.begin, rows.end - rows.begin, node.data(), ahead_));
  DecodeScratch scratch(budget);
  CountedVector<uint64_t> aligned((num_rows + 7) / 8, budget);
  const Status status = DecodeNode(node, 1, num_rows, {}, &scratch, aligned.data());
  if (!status.ok()) return status.At(fmt::format("deleted rows of stripe {}", stripe));
  const auto* const values = reinterpret_cast<const uint8_t*>(aligned.data());
  std::copy_n(values, num_rows, flags.begin());
  uint64_t ones = 0;
  for (const uint8_t flag : flags) {
    if (flag > 1) return Corrupt("deleted rows of stripe {}: a flag of {} (F-084)", stripe, flag);
    ones += flag;
  }
  if (ones == count) return flags;
  return Corrupt("deleted rows of stripe {}: {} are, {} are stated (F-084)", stripe, ones, count);
}

}  // namespace dsi::internal
