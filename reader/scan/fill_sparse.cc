// Copies of lists that few rows have: what is missing is written at the speed of memory, and only
// what is there is looked at.
#include <algorithm>
#include <cstring>

#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {
namespace {

template <typename T>
uint64_t PadPresent(std::span<const PresentRow> rows, const std::byte* from, uint32_t first,
                    size_t count, const PadOptions& options, const PaddedRows& out) {
  const size_t width = options.row_length;
  std::fill_n(reinterpret_cast<T*>(out.values), count * width, static_cast<T>(options.pad_bits));
  uint64_t entries = 0;
  for (const PresentRow& row : rows) {
    const size_t at = row.row - first;
    const size_t kept = std::min<size_t>(row.length, width);
    const size_t skip = options.keep_last ? row.length - kept : 0;
    const size_t place = at * width + (options.pad_left ? width - kept : 0);
    if (kept != 0)
      std::memcpy(out.values + place * sizeof(T), from + (entries + skip) * sizeof(T),
                  kept * sizeof(T));
    out.kept[at] = static_cast<int32_t>(kept);
    out.present[at] = 1;
    entries += row.length;
  }
  return entries;
}

}  // namespace

uint64_t PadPresentRows(const ShapeView& shape, const ValuePool& pool, uint32_t first, size_t count,
                        const PadOptions& options, const PaddedRows& out) {
  std::memset(out.kept, 0, count * sizeof(*out.kept));
  std::memset(out.present, 0, count);
  const uint32_t from_row = shape.first + first;
  uint64_t before = 0;
  auto begin = shape.rows.begin();
  for (; begin != shape.rows.end() && begin->row < from_row; ++begin) before += begin->length;
  auto end = begin;
  while (end != shape.rows.end() && end->row < from_row + count) ++end;
  const std::span<const PresentRow> rows(begin, end);
  const auto width = static_cast<size_t>(pool.width);
  const std::byte* const from = rows.empty() ? nullptr : pool.values + before * width;
  switch (width) {
    case 1:
      return PadPresent<uint8_t>(rows, from, from_row, count, options, out);
    case 2:
      return PadPresent<uint16_t>(rows, from, from_row, count, options, out);
    case 4:
      return PadPresent<uint32_t>(rows, from, from_row, count, options, out);
    default:
      return PadPresent<uint64_t>(rows, from, from_row, count, options, out);
  }
}

void CopyPresentRows(const ShapeView& shape, const ValuePool& pool, bool ends,
                     const JaggedRows& out) {
  const uint64_t entries = shape.end_value - shape.first_value;
  if (entries != 0) std::memcpy(out.values, pool.values, entries * static_cast<size_t>(pool.width));
  std::memset(out.present, 0, shape.count);
  int64_t end = out.base;
  size_t done = 0;
  for (const PresentRow& row : shape.rows) {
    const size_t at = row.row - shape.first;
    std::fill(out.offsets + done, out.offsets + at + 1, end);
    out.present[at] = 1;
    end += row.length;
    done = at + 1;
  }
  std::fill(out.offsets + done, out.offsets + shape.count + (ends ? 1 : 0), end);
}

}  // namespace dsi::internal
