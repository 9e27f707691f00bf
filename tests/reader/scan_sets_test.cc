// Columns that are one tensor together: dense matrices and KeyedJaggedTensors, by the names of
// their sets.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/scan/fill_batch_internal.h"
#include "dsi/tests/support/batch_checker.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

const std::vector<std::string> kKeys = {"user.history.item", "item.views", "item.viewers",
                                        "session_id"};

ScanOptions Of(std::vector<Projection> features) {
  ScanOptions options;
  options.batch_size = 128;
  options.features = std::move(features);
  return options;
}

class ScanSetsTest : public ::testing::Test {
 protected:
  ScanSetsTest() : reader_(OpenTable(HistoryTable(6, 1500), StripesOf(400))) {}

  Status StatusOf(std::vector<Projection> features) {
    return reader_->NewScan(Of(std::move(features))).status();
  }
  std::unique_ptr<Reader> reader_;
};

TEST_F(ScanSetsTest, DenseMatricesOfTwoTypes) {
  const auto scan = reader_->NewScan(
      Of({{.name = "label", .layout = Layout::kDense, .dtype = Type::kInt64, .set = "labels"},
          {.name = "weight", .layout = Layout::kDense},
          {.name = "time", .layout = Layout::kDense, .dtype = Type::kInt64, .set = "labels"},
          {.name = "noise", .layout = Layout::kDense},
          {.name = "time", .layout = Layout::kPadded, .dtype = Type::kInt64},
          {.name = "label", .layout = Layout::kPadded, .dtype = Type::kInt64},
          {.name = "weight", .layout = Layout::kPadded, .dtype = Type::kFloat32},
          {.name = "noise", .layout = Layout::kPadded, .dtype = Type::kFloat32}}));
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  EXPECT_EQ((*scan)->columns()[0].set, "labels");
  EXPECT_EQ((*scan)->columns()[1].set, "");
  EXPECT_EQ((*scan)->columns()[4].set, "");
  Batch batch;
  while (*(*scan)->Next(&batch)) {
    const auto labels = batch.Dense("labels");
    const auto features = batch.Dense();
    ASSERT_TRUE(labels.ok() && features.ok());
    ASSERT_EQ(labels->dtype, Type::kInt64);
    ASSERT_EQ(features->dtype, Type::kFloat32);
    ASSERT_EQ(labels->columns, 2U);
    ASSERT_EQ(features->columns, 2U);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(features->values) % 64, 0U);
    const auto check = [&](const DenseView& matrix, size_t column, const char* name) {
      const auto padded = batch.Padded(name);
      const int width = TypeWidth(matrix.dtype);
      ASSERT_EQ(matrix.rows, batch.num_rows());
      for (size_t row = 0; row < matrix.rows; ++row) {
        const size_t at = row * 2 + column;
        ASSERT_EQ(LoadBits(matrix.values, at, width), LoadBits(padded->values, row, width)) << name;
        ASSERT_EQ(matrix.present[at], padded->present[row]) << name;
      }
    };
    check(*labels, 0, "label");
    check(*labels, 1, "time");
    check(*features, 0, "weight");
    check(*features, 1, "noise");
    for (const char* name : {"other", "Labels"}) {
      const Status status = batch.Dense(name).status();
      EXPECT_EQ(status.code(), StatusCode::kNotFound);
      EXPECT_NE(status.message().find(name), std::string::npos) << status.ToString();
    }
    EXPECT_EQ(batch.Vbe("labels").status().code(), StatusCode::kNotFound);
    EXPECT_EQ(batch.Kjt("labels").status().code(), StatusCode::kNotFound);
  }
}

TEST_F(ScanSetsTest, ASetHasOneType) {
  EXPECT_EQ(StatusOf({{.name = "weight", .layout = Layout::kDense},
                      {.name = "label", .layout = Layout::kDense, .dtype = Type::kInt64}})
                .code(),
            StatusCode::kInvalidArgument);
  for (const Layout layout : {Layout::kVbe, Layout::kKjt}) {
    const Status status = StatusOf({{.name = "topics.ids", .layout = layout, .set = "topics"},
                                    {.name = "topics.weights", .layout = layout, .set = "topics"}});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("topics.weights"), std::string::npos) << status.ToString();
  }
  // Sets of other layouts are other sets.
  EXPECT_TRUE(StatusOf({{.name = "topics.ids", .layout = Layout::kVbe},
                        {.name = "topics.weights", .layout = Layout::kKjt},
                        {.name = "noise", .layout = Layout::kDense}})
                  .ok());
}

// Values, lengths and offsets of kKjt against those of kJagged, one column after another.
TEST_F(ScanSetsTest, KjtIsItsColumnsOneAfterAnother) {
  for (const Type lengths : {Type::kInt32, Type::kInt64}) {
    for (const double keep : {1.0, 0.6, 0.05}) {
      ScanOptions options = Of({});
      options.kjt_lengths = lengths;
      if (keep < 1) options.filter.sample = {{.when = {}, .keep = keep}};
      for (const std::string& name : kKeys) {
        for (const Layout layout : {Layout::kKjt, Layout::kJagged})
          options.features.push_back(
              {.name = name, .layout = layout, .dtype = Type::kInt64, .set = "ids"});
      }
      const auto scan = reader_->NewScan(options);
      ASSERT_TRUE(scan.ok()) << scan.status().ToString();
      EXPECT_EQ((*scan)->columns()[0].set, "ids");
      EXPECT_EQ((*scan)->columns()[1].set, "") << "no set";
      Batch batch;
      while (*(*scan)->Next(&batch)) {
        const auto kjt = batch.Kjt("ids");
        ASSERT_TRUE(kjt.ok()) << kjt.status().ToString();
        ASSERT_EQ(kjt->lengths_dtype, lengths);
        ASSERT_EQ(std::vector<std::string>(kjt->keys.begin(), kjt->keys.end()), kKeys);
        std::vector<uint64_t> values;
        std::vector<uint64_t> offsets = {0};
        std::vector<uint64_t> row_lengths;
        for (size_t f = 0; f < kKeys.size(); ++f) {
          const auto jagged = batch.Jagged(kKeys[f]);
          ASSERT_EQ(kjt->length_per_key[f], static_cast<int64_t>(jagged->num_values));
          ASSERT_EQ(kjt->offset_per_key[f], static_cast<int64_t>(values.size()));
          for (const uint64_t bits :
               LoadRange(jagged->values, 0, jagged->num_values, jagged->dtype))
            values.push_back(bits);
          for (size_t row = 0; row < jagged->rows; ++row) {
            row_lengths.push_back(
                static_cast<uint64_t>(jagged->offsets[row + 1] - jagged->offsets[row]));
            offsets.push_back(offsets.back() + row_lengths.back());
          }
        }
        ASSERT_EQ(LoadRange(kjt->values, 0, kjt->num_values, kjt->dtype), values);
        ASSERT_EQ(LoadRange(kjt->lengths, 0, row_lengths.size(), lengths), row_lengths);
        ASSERT_EQ(LoadRange(kjt->offsets, 0, offsets.size(), lengths), offsets);
        ASSERT_EQ(kjt->offset_per_key[kKeys.size()], static_cast<int64_t>(values.size()));
        EXPECT_EQ(batch.Kjt().status().code(), StatusCode::kNotFound);
      }
    }
  }
}

// Counted once: an expanded column says how many entries its rows have, whatever its layout.
TEST_F(ScanSetsTest, KjtCountsEntriesAsJaggedDoes) {
  ScanStats stats[2];
  for (const Layout layout : {Layout::kJagged, Layout::kKjt}) {
    std::vector<Projection> features;
    for (const std::string& name : kKeys)
      features.push_back({.name = name, .layout = layout, .dtype = Type::kInt64});
    const auto scan = reader_->NewScan(Of(features));
    Batch batch;
    while (*(*scan)->Next(&batch)) continue;
    stats[layout == Layout::kKjt] = (*scan)->stats();
  }
  EXPECT_GT(stats[0].values_expanded, 0U);
  EXPECT_EQ(stats[0].values_expanded, stats[1].values_expanded);
  EXPECT_EQ(stats[0].values_decoded, stats[1].values_decoded);
}

// Lists and numbers that few rows have are listed rather than made arrays of.
TEST(ScanSets, FeaturesThatFewRowsHave) {
  ModelTable table = HistoryTable(8, 1500);
  for (ModelColumn& column : table.columns) {
    for (size_t row = 0; row < 1500 && column.kind != Kind::kKey; ++row) {
      if (row % 29 != 3 && row != 1499) column.rows[row].reset();
    }
  }
  WriterOptions writer = StripesOf(600);
  writer.dedup = false;
  const auto reader = OpenTable(table, writer);
  for (const double keep : {1.0, 0.8, 0.03}) {
    ScanOptions options = Of({});
    options.batch_size = 200;
    if (keep < 1) options.filter.sample = {{.when = {}, .keep = keep}};
    for (const ModelColumn& column : table.columns) {
      for (const Layout layout : {Layout::kVbe, Layout::kKjt})
        options.features.push_back(
            {.name = column.name, .layout = layout, .set = std::string(TypeName(column.type))});
    }
    const auto scan = reader->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    while (*(*scan)->Next(&batch)) {
      BatchChecker checker(table, batch);
      for (const Projection& asked : options.features)
        ASSERT_NO_FATAL_FAILURE(checker.Check(asked)) << asked.name;
    }
  }
}

// Takes nothing: what cannot be is to be known before memory is asked for.
class NoMemory : public SlabAllocator {
 public:
  void* Allocate(size_t) override { return nullptr; }
  void Free(void*, size_t) override {}
};

// A batch of `num_rows` lists of 2^20 entries each, laid out; no file is needed to have so many.
Status LayOutLists(Layout layout, uint32_t num_rows, Type lengths_type) {
  internal::ScanProjection projection;
  projection.kjt_lengths = lengths_type;
  projection.groups.push_back({});
  projection.groups[0].want_touched = true;
  projection.shapes.push_back({});
  projection.values.push_back({});
  projection.outputs.push_back(
      {.name = "long", .layout = layout, .dtype = Type::kInt8, .item_size = 1, .set = "lists"});
  EXPECT_TRUE(projection.AddToSet(0).ok());

  std::vector<uint32_t> slots;
  std::vector<uint32_t> run_ends;
  for (uint32_t i = 0; i < num_rows; ++i) {
    slots.push_back(i);
    run_ends.push_back(i + 1);
  }
  const std::vector<uint32_t> lengths(num_rows, 1U << 20);
  internal::DerivedRows rows;
  rows.values.resize(1);
  internal::GroupRows& group = rows.groups.emplace_back();
  group.num_rows = group.num_unique = num_rows;
  group.slots = slots;
  group.run_ends = run_ends;
  internal::ShapeView& shape = rows.shapes.emplace_back();
  shape.count = num_rows;
  shape.windows = true;
  shape.lengths = lengths.data();
  constexpr uint32_t kDerived = internal::PieceMap::kDerived;
  const internal::PieceMap map{{kDerived}, {kDerived}, {kDerived}};
  internal::BatchPiece piece;
  piece.num_rows = num_rows;
  piece.map = &map;
  piece.derived = &rows;
  NoMemory no_memory;
  internal::BatchState batch(&no_memory);
  internal::WorkerTeam team(1);
  ScanStats stats;
  std::vector<internal::ListPart> lists;
  const Status status = internal::CutLists(projection, {&piece, 1}, &team, &lists, &stats);
  if (!status.ok()) return status;
  return internal::LayOutBatch(projection, {&piece, 1}, num_rows, uint64_t{1} << 40, lists, &batch);
}

TEST(ScanSets, MoreValuesThanInt32OffsetsCanTell) {
  for (const Layout layout : {Layout::kKjt, Layout::kVbe}) {
    EXPECT_EQ(LayOutLists(layout, 2047, Type::kInt32).code(), StatusCode::kResourceExhausted);
    EXPECT_EQ(LayOutLists(layout, 2048, Type::kInt64).code(), StatusCode::kResourceExhausted);
    const Status status = LayOutLists(layout, 2048, Type::kInt32);
    EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
    EXPECT_NE(status.message().find("\"lists\""), std::string::npos) << status.ToString();
    EXPECT_NE(status.message().find("kjt_lengths"), std::string::npos) << status.ToString();
  }
}

}  // namespace
}  // namespace dsi::test
