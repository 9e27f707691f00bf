// Columns of numbers, expanded and woven into a matrix, against plain loops on every Highway target
// of this machine.

#include <algorithm>
#include <cstring>
#include <vector>

#include "dsi/dedup/expand_internal.h"
#include "dsi/dedup/weave_columns_internal.h"
#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

class ExpandScalarsTest : public test::SimdTest {};
DSI_ON_EVERY_SIMD_TARGET(ExpandScalarsTest);

TEST_P(ExpandScalarsTest, OfAnySlots) {
  for (const size_t width : {1, 2, 4, 8}) {
    for (const size_t num_values : {1, 2, 15, 16, 17, 50, 300}) {
      // Slots that stay, that go on by one at times or always, and any at all.
      for (const size_t kind : {0, 1, 2, 3}) {
        for (const size_t num_rows : {0, 1, 7, 16, 99, 400}) {
          std::vector<uint64_t> values(num_values * width / 8 + 1);
          for (uint64_t& value : values) value = random_();
          const auto* const from = reinterpret_cast<const std::byte*>(values.data());
          std::vector<uint32_t> slots;
          uint32_t last = 0;
          for (size_t i = 0; i < num_rows; ++i) {
            if (kind == 3) last = static_cast<uint32_t>(random_.Below(num_values));
            if (kind == 2 || (kind == 1 && random_.Below(3) == 0))
              last = std::min<uint32_t>(last + 1, static_cast<uint32_t>(num_values) - 1);
            slots.push_back(last);
          }
          // Exactly as large, so that a sanitizer sees what passes an end.
          std::vector<std::byte> room(num_values * width);
          std::memcpy(room.data(), from, room.size());
          std::vector<std::byte> out(num_rows * width, std::byte{0xAA});
          std::vector<std::byte> expected = out;
          for (size_t i = 0; i < num_rows; ++i)
            std::memcpy(&expected[i * width], from + slots[i] * width, width);
          ExpandScalars(room.data(), num_values, static_cast<int>(width), slots, out.data());
          EXPECT_EQ(out, expected) << width << " " << num_values << " " << kind;
        }
      }
    }
  }
}

TEST_P(ExpandScalarsTest, ColumnsOfAnyShapeAreWoven) {
  for (const size_t width : {1, 2, 4, 8}) {
    for (size_t num_columns = 1; num_columns <= kWovenColumns; ++num_columns) {
      for (const size_t num_rows : {0, 1, 2, 3, 4, 15, 16, 17, 50}) {
        const size_t row_items = num_columns + random_.Below(5);
        std::vector<std::vector<std::byte>> columns(num_columns);
        std::vector<const std::byte*> from;
        for (auto& column : columns) {
          column.resize(num_rows * width);
          for (std::byte& value : column) value = static_cast<std::byte>(random_());
          from.push_back(column.data());
        }
        const size_t used = num_rows == 0 ? 0 : (num_rows - 1) * row_items + num_columns;
        std::vector<std::byte> out(used * width, std::byte{0xAA});
        std::vector<std::byte> expected = out;
        for (size_t row = 0; row < num_rows; ++row) {
          for (size_t i = 0; i < num_columns; ++i)
            std::memcpy(&expected[(row * row_items + i) * width], &columns[i][row * width], width);
        }
        WeaveColumns(width, from, num_rows, out.data(), row_items);
        EXPECT_EQ(out, expected) << width << " " << num_columns << " " << num_rows;
      }
    }
  }
}

}  // namespace
}  // namespace dsi::internal
