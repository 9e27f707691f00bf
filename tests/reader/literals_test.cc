// Ids that occur once are not in a large dictionary but beside their codes (E-051).

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "dsi/tests/codecs/node_arrays.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi {
namespace {

using test::Feature;

// The most ids of 8 bytes that a dictionary holds whatever they are.
constexpr size_t kMostKept = 65536;
constexpr size_t kOften = 20'000;
constexpr size_t kInList = 64;

struct Table {
  std::vector<int64_t> ids;  // Of all lists, one after another.
  std::vector<std::byte> file;

  size_t num_rows() const { return ids.size() / kInList / 2; }
  const int64_t* List(size_t row, size_t feature) const {
    return ids.data() + (2 * row + feature) * kInList;
  }
};

// Two lists a row from one id space: `once` ids that occur once, and `often` that recur, some more
// often than others.
Table Write(size_t once, size_t often, size_t uses) {
  std::mt19937_64 random(once);
  Table table;
  for (size_t i = 0; i < once + often; ++i)
    table.ids.push_back(static_cast<int64_t>(random() >> 1));
  for (size_t i = 0; i < uses * often || table.ids.size() % (2 * kInList) != 0; ++i)
    table.ids.push_back(table.ids[once + (i < often ? i : random() % (1 + random() % often))]);
  std::shuffle(table.ids.begin(), table.ids.end(), random);

  Schema schema;
  schema.features.push_back(Feature("seen", Kind::kList, {{"", Type::kInt64, "ids"}}));
  schema.features.push_back(Feature("liked", Kind::kList, {{"", Type::kInt64, "ids"}}));
  auto writer = Writer::Create(CreateMemoryFile(&table.file, "literals"), schema, {.threads = 1});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (size_t row = 0; row < table.num_rows(); ++row) {
    for (size_t f = 0; f < 2; ++f)
      EXPECT_TRUE(rows.SetInts(f, 0, {table.List(row, f), kInList}).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return table;
}

void ExpectRows(const Reader& reader, const Table& table, std::vector<size_t> features) {
  ScanOptions options;
  options.batch_size = 300;
  const char* const names[] = {"seen", "liked"};
  for (const size_t f : features)
    options.features.push_back({.name = names[f], .layout = Layout::kPadded, .width = kInList});
  auto scan = reader.NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  size_t row = 0;
  for (auto more = (*scan)->Next(&batch); more.ok() && *more; more = (*scan)->Next(&batch)) {
    for (size_t i = 0; i < batch.num_rows(); ++i, ++row) {
      for (const size_t f : features) {
        const auto* values = static_cast<const int64_t*>(batch.Padded(names[f])->values);
        ASSERT_TRUE(
            std::equal(values + i * kInList, values + (i + 1) * kInList, table.List(row, f)))
            << names[f] << ", row " << row;
      }
    }
  }
  EXPECT_EQ(row, table.num_rows());
}

// How the values of a column are encoded.
std::string ValuesOf(const Reader& reader, std::string_view name) {
  const auto streams = reader.Streams(name);
  EXPECT_TRUE(streams.ok()) << streams.status().ToString();
  for (const StreamInfo& stream : *streams) {
    if (stream.column == name && stream.role == "values") return stream.encoding;
  }
  ADD_FAILURE() << "no values of " << name;
  return {};
}

// Ids one less, as many as, one more, and many more than what a dictionary keeps.
TEST(LiteralsTest, AreOfLargeDictionariesOnly) {
  for (const auto& [once, literals] : {std::pair(kMostKept - kOften - 1, false),
                                       {kMostKept - kOften, false},
                                       {kMostKept - kOften + 1, true},
                                       {3 * kMostKept, true}}) {
    const Table table = Write(once, kOften, 10);
    const auto reader = *test::OpenBytes(table.file);
    for (const char* const name : {"seen", "liked"}) {
      const std::string tree = ValuesOf(*reader, name);
      EXPECT_EQ(tree.starts_with("shared dictionary("), true) << tree;
      EXPECT_EQ(tree.find(", packed u64)") != std::string::npos, literals) << tree;
    }
    ExpectRows(*reader, table, {0, 1});
    ExpectRows(*reader, table, {1});
    EXPECT_TRUE(reader->Verify()->empty());
    // An id as it is takes 63 bits; the dictionary keeps those that recur.
    EXPECT_LT(table.file.size(), 8 * (once + kOften) + 2 * table.ids.size() + 8192);
  }
}

// Without a tail of rare ids nothing would be gained.
TEST(LiteralsTest, NoneWhereIdsRecur) {
  const Table table = Write(0, kMostKept + 4000, 3);
  const auto reader = *test::OpenBytes(table.file);
  const std::string tree = ValuesOf(*reader, "seen");
  EXPECT_FALSE(tree.ends_with(" u64)")) << tree;  // Of literals.
  ExpectRows(*reader, table, {0, 1});
}

// Codes that are all literals need no dictionary, but a column without an id space has no codes.
TEST(LiteralsTest, AreRefusedWithoutAnIdSpace) {
  constexpr size_t kRows = 6;
  Schema schema;
  schema.features.push_back(Feature("n", Kind::kDense, {{"", Type::kInt64, ""}}));
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "literals"), schema, {.threads = 1});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  std::mt19937_64 random(5);
  for (size_t i = 0; i < kRows; ++i) {
    EXPECT_TRUE(rows.SetInt(0, static_cast<int64_t>(random())).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());

  using internal::test::HandMadeNode;
  using internal::test::operator+;
  const auto literals =
      HandMadeNode{.encoding = 1, .width = 8, .count = kRows, .payload = internal::test::Number(7)};
  const auto codes = internal::test::RawNode(1, std::vector<uint64_t>(kRows, 0));
  const auto node = HandMadeNode{.encoding = 6,
                                 .width = 8,
                                 .count = kRows,
                                 .aux = kRows,
                                 .payload = codes + literals.bytes()}
                        .bytes();
  test::EditableFile file(bytes);
  const std::byte header[] = {std::byte{0},     std::byte{8}, std::byte{0}, std::byte{0},
                              std::byte{kRows}, std::byte{0}, std::byte{0}, std::byte{0}};
  const auto at = std::search(bytes.begin(), bytes.end(), std::begin(header), std::end(header));
  ASSERT_NE(at, bytes.end());
  std::copy(node.begin(), node.end(), file.At(static_cast<uint64_t>(at - bytes.begin())));
  const auto reader = *test::OpenBytes(file.Reseal().bytes());
  const auto damage = reader->Verify();
  ASSERT_TRUE(damage.ok()) << damage.status().ToString();
  ASSERT_EQ(damage->size(), 1U);
  EXPECT_NE((*damage)[0].status.message().find("E-051"), std::string::npos);
}

}  // namespace
}  // namespace dsi
