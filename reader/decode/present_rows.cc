#include "dsi/reader/decode/present_rows_internal.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace dsi::internal {
namespace {

// Rows on their way to the list, which grows by what is there and no more.
class RowList {
 public:
  RowList(size_t most, CountedVector<PresentRow>* rows)
      : most_(most), size_before_(rows->size()), rows_(rows) {}

  // `count` more may be written here, at most kBlock.
  static constexpr size_t kBlock = 8;
  PresentRow* Room() {
    if (size_ + kBlock > room_.size()) Flush();
    return room_.data() + size_;
  }
  void Wrote(size_t count) { size_ += count; }
  bool Finish() {
    Flush();
    if (rows_->size() - size_before_ <= most_) return true;
    rows_->resize(size_before_);
    return false;
  }
  bool is_full() const { return rows_->size() - size_before_ > most_; }

 private:
  void Flush() {
    rows_->insert(rows_->end(), room_.begin(), room_.begin() + static_cast<ptrdiff_t>(size_));
    size_ = 0;
  }

  size_t most_;
  size_t size_before_;
  CountedVector<PresentRow>* rows_;
  size_t size_ = 0;
  std::array<PresentRow, 256> room_;
};

template <typename Code>
bool IsZero(const Code* codes) {
  uint64_t words[RowList::kBlock * sizeof(Code) / 8];
  std::memcpy(words, codes, sizeof(words));
  uint64_t any = 0;
  for (const uint64_t word : words) any |= word;
  return any == 0;
}

// Nearly all codes are 0: eight are looked at at once, and which of eight are not is no branch.
template <typename Code, typename LengthOf>
bool AddPresent(std::span<const Code> codes, uint32_t first, size_t most, const LengthOf& length_of,
                CountedVector<PresentRow>* rows, uint32_t* greatest) {
  RowList list(most, rows);
  Code largest = 0;
  for (size_t begin = 0; begin < codes.size() && !list.is_full(); begin += RowList::kBlock) {
    const size_t count = std::min(RowList::kBlock, codes.size() - begin);
    if (count == RowList::kBlock && IsZero(codes.data() + begin)) continue;
    PresentRow* const room = list.Room();
    size_t found = 0;
    for (size_t i = begin; i < begin + count; ++i) {
      const Code code = codes[i];
      largest = std::max(largest, code);
      room[found] = {first + static_cast<uint32_t>(i), length_of(code)};
      found += code != 0 ? 1 : 0;
    }
    list.Wrote(found);
  }
  *greatest = largest;
  return list.Finish();
}

}  // namespace

bool AddPresentRows(std::span<const uint32_t> codes, uint32_t first, size_t most,
                    CountedVector<PresentRow>* rows, uint32_t* greatest) {
  return AddPresent(
      codes, first, most, [](uint32_t code) { return code - 1; }, rows, greatest);
}

bool AddPresentRows(std::span<const uint8_t> codes, uint32_t first, uint32_t entries_per_row,
                    size_t most, CountedVector<PresentRow>* rows, uint32_t* greatest) {
  return AddPresent(
      codes, first, most, [&](uint8_t) { return entries_per_row; }, rows, greatest);
}

void RowsToArrays(std::span<const PresentRow> rows, uint32_t first, uint32_t count,
                  uint64_t* starts, uint32_t* lengths, uint8_t* present) {
  std::fill_n(lengths, count, 0U);
  std::fill_n(present, count, uint8_t{0});
  uint64_t start = 0;
  uint32_t done = 0;
  for (const PresentRow& row : rows) {
    const uint32_t at = row.row - first;
    std::fill(starts + done, starts + at + 1, start);
    lengths[at] = row.length;
    present[at] = 1;
    start += row.length;
    done = at + 1;
  }
  std::fill(starts + done, starts + count, start);
}

}  // namespace dsi::internal
