// Numbers held in fewer bytes than their type, from which lists of rows in any order are filled.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "dsi/reader/decode/narrow_values_internal.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/batch_checker.h"

namespace dsi::test {
namespace {

using internal::NarrowInPlace;

template <typename T>
void CheckNarrowed(T greatest, size_t expected_width) {
  SCOPED_TRACE(greatest);
  std::mt19937_64 random(3);
  for (const size_t count : {size_t{1}, size_t{511}, size_t{512}, size_t{513}, size_t{3000}}) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(greatest == 0 ? 0 : random() % greatest);
    values[random() % count] = greatest;
    std::vector<T> held = values;
    auto* const bytes = reinterpret_cast<std::byte*>(held.data());
    ASSERT_EQ(NarrowInPlace(bytes, count, sizeof(T)), expected_width);
    for (size_t i = 0; i < count; ++i) {
      T value = 0;
      std::memcpy(&value, bytes + i * expected_width, expected_width);
      ASSERT_EQ(value, values[i]) << i << " of " << count;
    }
  }
}

TEST(NarrowValues, AreOfTheFewestBytes) {
  CheckNarrowed<uint64_t>(0, 1);
  CheckNarrowed<uint64_t>(0xFF, 1);
  CheckNarrowed<uint64_t>(0x100, 2);
  CheckNarrowed<uint64_t>(0xFFFF, 2);
  CheckNarrowed<uint64_t>(0x10000, 4);
  CheckNarrowed<uint64_t>(0xFFFFFFFF, 4);
  CheckNarrowed<uint64_t>(0x100000000, 8);
  CheckNarrowed<uint64_t>(UINT64_MAX, 8);
  CheckNarrowed<uint32_t>(0xFF, 1);
  CheckNarrowed<uint32_t>(0x100, 2);
  CheckNarrowed<uint32_t>(0xFFFF, 2);
  CheckNarrowed<uint32_t>(0x10000, 4);
  CheckNarrowed<uint32_t>(UINT32_MAX, 4);
  std::vector<uint16_t> shorts = {1, 2};
  EXPECT_EQ(NarrowInPlace(reinterpret_cast<std::byte*>(shorts.data()), 2, 2), 2U);
  EXPECT_EQ(NarrowInPlace(nullptr, 0, 8), 1U);
}

constexpr size_t kRows = 4000;
constexpr size_t kWindow = 9;
constexpr size_t kUsers = 80;
// The greatest entry of a feature each; the last has entries below 0 as well.
constexpr int64_t kGreatest[] = {0xFF, 0x100, 0xFFFF, 0x10000, 0xFFFFFFFF, 0x100000000, 7};

uint64_t EntryOf(std::mt19937_64* random, size_t feature) {
  const auto greatest = static_cast<uint64_t>(kGreatest[feature]);
  const uint64_t entry = (*random)() % 20 == 0 ? greatest : (*random)() % (greatest + 1);
  const bool is_below = feature + 1 == std::size(kGreatest) && (*random)() % 4 == 0;
  return is_below ? 0 - entry : entry;
}

std::vector<uint64_t> EntriesOf(size_t user, size_t feature) {
  std::mt19937_64 random(user * 10 + feature);
  std::vector<uint64_t> entries(random() % 12);
  for (uint64_t& entry : entries) entry = EntryOf(&random, feature);
  return entries;
}

// The newest entries of a user who was there `times` times, with a new one every third time.
std::vector<uint64_t> WindowOf(size_t user, size_t feature, size_t times) {
  std::vector<uint64_t> entries(std::min(kWindow, times / 3));
  for (size_t i = 0; i < entries.size(); ++i) {
    std::mt19937_64 random((user * kRows + times / 3 - i) * 10 + feature);
    entries[i] = EntryOf(&random, feature);
  }
  return entries;
}

// Users in no order: their lists are decoded whole for a stripe, and looked up row by row. Those of
// user.w* shift.
ModelTable UserTable() {
  ModelTable table;
  table.num_rows = kRows;
  const auto add = [&](const std::string& name, Kind kind, const auto& entries_of) {
    table.schema.features.push_back(Feature(name, kind, {{"", Type::kInt64, ""}}));
    table.columns.push_back({.name = name, .kind = kind, .type = Type::kInt64, .rows = {}});
    for (size_t row = 0; row < kRows; ++row) {
      const size_t user = (row * 7919 + row / 3) % kUsers;
      table.columns.back().rows.push_back(entries_of(user, row));
    }
  };
  using Entries = std::optional<std::vector<uint64_t>>;
  add("session_id", Kind::kKey,
      [](size_t, size_t row) { return Entries(std::vector<uint64_t>{row}); });
  add("user_id", Kind::kKey,
      [](size_t user, size_t) { return Entries(std::vector<uint64_t>{user}); });
  std::vector<std::string> names;
  for (size_t f = 0; f < std::size(kGreatest); ++f) {
    names.push_back("user.f" + std::to_string(f));
    add(names.back(), Kind::kList,
        [&](size_t user, size_t) { return user % 17 == 3 ? Entries() : EntriesOf(user, f); });
  }
  table.schema.groups = {{"user", "user_id", names}};
  names.clear();
  for (size_t f = 0; f < std::size(kGreatest); ++f) {
    names.push_back("user.w" + std::to_string(f));
    std::vector<size_t> times(kUsers);
    add(names.back(), Kind::kList,
        [&](size_t user, size_t) { return Entries(WindowOf(user, f, times[user]++)); });
  }
  table.schema.groups.push_back({"seen", "", names});
  return table;
}

class NarrowScans : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, NarrowScans, testing::Values(1U, 3U));

// Every layout beside every other, as stored and as int32; and rows that a filter left, far apart.
TEST_P(NarrowScans, AgreeWithTheModel) {
  const ModelTable table = UserTable();
  const auto reader = OpenBytes(WriteRows(
      table, {.keep_order = true, .stripe_rows = 2000, .page_values = 1024, .threads = 1}));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const auto groups = (*reader)->Groups();
  ASSERT_TRUE(groups.ok()) << groups.status().ToString();
  ASSERT_TRUE(std::any_of(groups->begin(), groups->end(), [](const GroupInfo& group) {
    return group.stripes[0].form == IndexForm::kGeneral;
  }));
  // Those of user.f* and of user.w*.
  ASSERT_GE(std::ranges::count_if(*groups,
                                  [](const GroupInfo& group) {
                                    return group.columns.size() >= std::size(kGreatest) &&
                                           group.stripes[0].form >= IndexForm::kGeneral;
                                  }),
            2);
  const auto streams = (*reader)->Streams("user.w2");
  ASSERT_TRUE(streams.ok()) << streams.status().ToString();
  ASSERT_TRUE(std::ranges::any_of(*streams, [](const StreamInfo& stream) {
    return stream.role == "windows" && stream.num_values > 0;
  }));
  for (const bool is_short : {false, true}) {
    for (const bool is_filtered : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << (is_short ? "int32" : "int64") << (is_filtered ? ", filtered" : ""));
      ScanOptions options;
      options.batch_size = 700;
      options.threads = GetParam();
      if (is_filtered) options.filter.sample = {{.keep = 0.05}};
      for (const ModelColumn& column : table.columns) {
        if (column.kind != Kind::kList) continue;
        const auto at = static_cast<size_t>(column.name.back() - '0');
        if (is_short && kGreatest[at] > INT32_MAX) continue;
        for (const Layout layout : {Layout::kPadded, Layout::kJagged, Layout::kIkjt,
                                    Layout::kPaddedIkjt, Layout::kVbe, Layout::kKjt}) {
          Projection asked{.name = column.name, .layout = layout};
          if (is_short) asked.dtype = Type::kInt32;
          if (at % 2 == 1) {
            asked.pad = Side::kLeft;
            asked.keep = Keep::kFirst;
            asked.width = 7;
          }
          options.features.push_back(asked);
        }
      }
      auto scan = (*reader)->NewScan(options);
      ASSERT_TRUE(scan.ok()) << scan.status().ToString();
      Batch batch;
      size_t num_rows = 0;
      for (;;) {
        const auto more = (*scan)->Next(&batch);
        ASSERT_TRUE(more.ok()) << more.status().ToString();
        if (!*more) break;
        num_rows += batch.num_rows();
        BatchChecker checker(table, batch);
        for (const Projection& asked : options.features) {
          SCOPED_TRACE(asked.name + ", layout " + std::to_string(static_cast<int>(asked.layout)));
          ASSERT_NO_FATAL_FAILURE(checker.Check(asked));
        }
      }
      if (is_filtered) {
        ASSERT_GT(num_rows, 50U);
      } else {
        ASSERT_EQ(num_rows, kRows);
      }
    }
  }
}

}  // namespace
}  // namespace dsi::test
