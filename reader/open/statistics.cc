// Section kind 3: least, greatest and missing of columns in stripes (spec F-082, F-083).
#include <array>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {

Result<CountedVector<ColumnStatistics>> OpenFile::LoadStatistics(uint32_t column, Type type,
                                                                 MemoryBudget* budget) const {
  CountedVector<ColumnStatistics> out(budget);
  if (statistics() == nullptr) return out;
  // The columns' bytes lie one after another behind a number for each: where they end.
  const auto heads = static_cast<uint32_t>(core().columns.count * sizeof(uint32_t));
  const uint32_t room = statistics()->count() - heads;  // CheckCore.
  std::array<std::byte, 2 * sizeof(uint32_t)> ends{};
  constexpr uint32_t kEnd = sizeof(uint32_t);
  const uint32_t before = column == 0 ? 0 : kEnd;
  DSI_RETURN_IF_ERROR(statistics()->Read(column * kEnd - before, before + kEnd,
                                         ends.data() + kEnd - before, ahead_));
  const auto begin = LoadLE<uint32_t>(ends.data());
  const auto end = LoadLE<uint32_t>(ends.data() + sizeof(uint32_t));
  if (begin > end || end > room || end - begin > core().stripes.size() * ColumnStatistics::kMaxSize)
    return Corrupt("statistics of column {}: bytes {}..{} of {} (F-082)", column, begin, end, room);
  if (begin == end) return out;
  CountedVector<std::byte> bytes(end - begin, budget);
  DSI_RETURN_IF_ERROR(statistics()->Read(heads + begin, end - begin, bytes.data(), ahead_));
  std::span<const std::byte> left = bytes;
  out.reserve(core().stripes.size());
  for (size_t i = 0; i < core().stripes.size(); ++i) {
    auto one = ColumnStatistics::TakeFrom(type, core().stripes[i].num_rows, &left);
    if (!one.ok()) return one.status().At(fmt::format("column {}, stripe {}", column, i));
    out.push_back(*one);
  }
  if (!left.empty())
    return Corrupt("statistics of column {}: {} bytes behind the last stripe's (F-082)", column,
                   left.size());
  return out;
}

}  // namespace dsi::internal
