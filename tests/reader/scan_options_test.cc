// Types asked for, options that cannot be, budgets, and memory taken per batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

#include "dsi/tests/support/memory_hook.h"
#include "dsi/tests/support/scan_model.h"

namespace dsi::test {
namespace {

Status ScanAll(const Reader& reader, const ScanOptions& options) {
  auto scan = reader.NewScan(options);
  if (!scan.ok()) return scan.status();
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok()) {
      // After an error the scan is over, and says why again.
      EXPECT_EQ((*scan)->Next(&batch).status().code(), more.status().code());
      EXPECT_EQ(batch.num_rows(), 0U);
      return more.status();
    }
    if (!*more) return Status::Ok();
  }
}

ScanOptions Of(std::vector<Projection> features) {
  ScanOptions options;
  options.features = std::move(features);
  return options;
}

class ScanOptionsTest : public ::testing::Test {
 protected:
  ScanOptionsTest()
      : table_(RandomTable(11, 5000, 16)), reader_(OpenTable(table_, StripesOf(262'144))) {}
  StatusCode CodeOf(const Projection& projection) const {
    return ScanAll(*reader_, Of({projection})).code();
  }
  ModelTable table_;
  std::unique_ptr<Reader> reader_;
};

// Beside the column itself, in another type and layout, of one that has no lists as well.
TEST_F(ScanOptionsTest, BlankEntriesAreAsManyAsThoseOfTheColumn) {
  const BlankEntries seven{.type = Type::kInt8, .bits = 7};
  const auto scan =
      reader_->NewScan(Of({{.name = "user.history.item", .layout = Layout::kJagged},
                           {.name = "user.history.item", .layout = Layout::kJagged, .blank = seven},
                           {.name = "user.history.item",
                            .layout = Layout::kIkjt,
                            .dtype = Type::kFloat32,
                            .blank = seven},
                           {.name = "user.age", .blank = seven}}));
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  ASSERT_TRUE(*(*scan)->Next(&batch));
  const auto items = batch.Jagged(0), blank = batch.Jagged(1);
  EXPECT_EQ(blank->dtype, Type::kInt8);
  ASSERT_EQ(blank->num_values, items->num_values);
  EXPECT_TRUE(std::equal(items->offsets, items->offsets + items->rows + 1, blank->offsets));
  const auto* sevens = static_cast<const int8_t*>(blank->values);
  EXPECT_EQ(std::count(sevens, sevens + blank->num_values, 7),
            static_cast<ptrdiff_t>(blank->num_values));
  const auto unique = batch.Ikjt(2);
  ASSERT_GT(unique->unique.num_values, 0U);
  EXPECT_EQ(static_cast<const float*>(unique->unique.values)[0], 7.0F);
  const auto age = batch.Padded(3);
  for (size_t row = 0; row < age->rows; ++row)
    ASSERT_EQ(static_cast<const int8_t*>(age->values)[row], age->present[row] != 0 ? 7 : 0);
  EXPECT_EQ(batch.Jagged("user.history.item")->values, items->values);
  for (const Type type : {Type::kBytes, static_cast<Type>(77)}) {
    const BlankEntries of_no_type{.type = type, .bits = 0};
    EXPECT_EQ(CodeOf({.name = "user.age", .blank = of_no_type}), StatusCode::kInvalidArgument);
  }
}

TEST_F(ScanOptionsTest, NoAllocationPerBatchOnceWarm) {
  ScanOptions options;
  options.batch_size = 64;
  for (const Layout layout : {Layout::kPadded, Layout::kJagged, Layout::kIkjt, Layout::kPaddedIkjt})
    options.features.push_back({.name = "*", .layout = layout, .dtype = {}});
  for (const char* name : {"user.clicks", "user.likes", "session_id"}) {
    for (const Layout layout : {Layout::kVbe, Layout::kKjt})
      options.features.push_back({.name = name, .layout = layout, .dtype = {}});
  }
  for (const char* name : {"label", "full", "user.age", "item.price"})
    options.features.push_back({.name = name, .layout = Layout::kDense, .dtype = {}});
  for (const bool filtered : {false, true}) {
    if (filtered) {
      options.filter.where = {{"label", Compare::kGreaterEqual, -128}};
      options.filter.sample = {{.when = {{"full", Compare::kGreater, 0}}, .keep = 0.95}};
      options.batch_size = 40;  // No read falls into the batches measured.
    }
    auto scan = reader_->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    // What a filter leaves has more values in some batches than in others.
    const int num_warm = filtered ? 60 : 40;
    for (int i = 0; i < num_warm; ++i) ASSERT_TRUE(*(*scan)->Next(&batch));
    const AllocationCount allocations;
    const uint64_t reads = (*scan)->stats().reads;
    for (int i = 0; i < 30; ++i) {
      const auto more = (*scan)->Next(&batch);
      ASSERT_TRUE(more.ok() && *more);
    }
    // What a filter leaves of a batch over the border of two stripes stands in two places, of which
    // the second is rarely needed and may yet grow.
    EXPECT_LE(allocations.get(), filtered ? 1U : 0U)
        << "with " << (*scan)->stats().reads - reads << " reads";
  }
}

TEST_F(ScanOptionsTest, ValueThatDoesNotFitNamesRowAndFeature) {
  // "big" holds uint64 values above 2^63.
  const Status status = ScanAll(
      *reader_, {.features = {{.name = "big", .layout = Layout::kJagged, .dtype = Type::kInt64}}});
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  size_t row = 0;
  const auto& rows = table_.Column("big").rows;
  while (!rows[row].has_value() || rows[row]->front() <= INT64_MAX) ++row;
  EXPECT_NE(status.message().find("row " + std::to_string(row) + ", column big"), std::string::npos)
      << status.message();
}

TEST_F(ScanOptionsTest, ValueThatDoesNotFitOutsideTheRowsIsNoMatter) {
  const auto& rows = table_.Column("big").rows;
  size_t row = 0;
  while (!rows[row].has_value() || rows[row]->front() <= INT64_MAX) ++row;
  ScanOptions options;
  options.features = {{.name = "big", .layout = Layout::kJagged, .dtype = Type::kInt64}};
  options.row_end = row;
  EXPECT_TRUE(ScanAll(*reader_, options).ok());
  options.row_end = row + 1;
  EXPECT_EQ(ScanAll(*reader_, options).code(), StatusCode::kOutOfRange);
}

TEST_F(ScanOptionsTest, FractionsAndNanAreNoIntegers) {
  EXPECT_EQ(CodeOf({.name = "item.price", .layout = Layout::kPadded, .dtype = Type::kInt32}),
            StatusCode::kOutOfRange);
  EXPECT_EQ(CodeOf({.name = "label", .layout = Layout::kPadded, .dtype = Type::kInt32}),
            StatusCode::kOk);
  EXPECT_EQ(CodeOf({.name = "user.clicks", .layout = Layout::kPadded, .dtype = Type::kInt32}),
            StatusCode::kOutOfRange);
  EXPECT_EQ(CodeOf({.name = "flag", .layout = Layout::kPadded, .dtype = Type::kFloat32}),
            StatusCode::kOk);
}

TEST_F(ScanOptionsTest, ConvertsEveryIntegerType) {
  for (const char* name :
       {"user.history.time", "item.tags", "small", "shorts", "unsigned", "same_list"}) {
    ScanOptions options;
    options.features = {{.name = name, .layout = Layout::kJagged, .dtype = Type::kInt64}};
    auto scan = reader_->NewScan(options);
    Batch batch;
    const ModelColumn& column = table_.Column(name);
    for (;;) {
      const auto more = (*scan)->Next(&batch);
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) break;
      const auto view = batch.Jagged(name);
      ASSERT_EQ(view->dtype, Type::kInt64);
      for (size_t i = 0; i < batch.num_rows(); ++i) {
        const auto expected = column.rows[batch.first_row() + i].value_or(std::vector<uint64_t>{});
        ASSERT_EQ(static_cast<size_t>(view->offsets[i + 1] - view->offsets[i]), expected.size());
        for (size_t k = 0; k < expected.size(); ++k) {
          const int64_t value =
              static_cast<const int64_t*>(view->values)[view->offsets[i] + static_cast<int64_t>(k)];
          const int shift = 64 - 8 * TypeWidth(column.type);
          const int64_t wanted = IsSignedInteger(column.type)
                                     ? static_cast<int64_t>(expected[k] << shift) >> shift
                                     : static_cast<int64_t>(expected[k]);
          ASSERT_EQ(value, wanted) << name;
        }
      }
    }
  }
}

TEST_F(ScanOptionsTest, RefusesWhatCannotBe) {
  EXPECT_EQ(CodeOf({.name = "no_such", .dtype = {}}), StatusCode::kNotFound);
  EXPECT_EQ(CodeOf({.name = "query", .layout = Layout::kDense, .dtype = {}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf({.name = "query", .layout = Layout::kJagged, .dtype = Type::kInt32}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf({.name = "user.clicks", .layout = Layout::kDense, .dtype = {}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf({.name = "label", .layout = Layout::kJagged, .dtype = Type::kUint16}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf({.name = "label", .layout = static_cast<Layout>(7), .dtype = {}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf({.name = "label", .pad_value = 1000, .dtype = {}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf({.name = "label", .pad_value = 0.5, .dtype = {}}), StatusCode::kInvalidArgument);
  ScanOptions options;
  options.features = {{.name = "label", .dtype = {}}, {.name = "label", .dtype = {}}};
  EXPECT_EQ(ScanAll(*reader_, options).code(), StatusCode::kInvalidArgument);
  options = {};
  options.batch_size = 0;
  EXPECT_EQ(ScanAll(*reader_, options).code(), StatusCode::kInvalidArgument);
  options = {};
  options.row_begin = 5001;
  EXPECT_EQ(ScanAll(*reader_, options).code(), StatusCode::kInvalidArgument);
  options.row_begin = 5000;
  EXPECT_TRUE(ScanAll(*reader_, options).ok());
}

TEST_F(ScanOptionsTest, MemoryBudgetIsKept) {
  ScanOptions options;
  options.features = {{.name = "*", .layout = Layout::kJagged, .dtype = {}}};
  options.memory_bytes = 10'000;
  EXPECT_EQ(ScanAll(*reader_, options).code(), StatusCode::kResourceExhausted);
  options.memory_bytes = 16 << 20;
  EXPECT_TRUE(ScanAll(*reader_, options).ok());
}

TEST_F(ScanOptionsTest, ViewsByNameAndLayout) {
  ScanOptions options;
  options.features = {{.name = "label", .layout = Layout::kPadded, .dtype = {}}};
  auto scan = reader_->NewScan(options);
  Batch batch;
  EXPECT_EQ(batch.Padded("label").status().code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(*(*scan)->Next(&batch));
  EXPECT_TRUE(batch.Padded("label").ok());
  EXPECT_EQ(batch.Jagged("label").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Padded("user.age").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(batch.Dense().status().code(), StatusCode::kNotFound);
  // Views outlive the scan: the batch owns what they need.
  scan->reset();
  EXPECT_TRUE(batch.Padded("label").ok());
}

TEST_F(ScanOptionsTest, WidthFromDeclaredOrGreatestLength) {
  ScanOptions options;
  options.features = {{.name = "user.clicks", .dtype = {}},
                      {.name = "user.likes", .dtype = {}},
                      {.name = "item.vector", .dtype = {}}};
  auto scan = reader_->NewScan(options);
  Batch batch;
  ASSERT_TRUE(*(*scan)->Next(&batch));
  EXPECT_EQ(batch.Padded("user.clicks")->width, 20U);
  EXPECT_EQ(batch.Padded("user.likes")->width, 6U);
  EXPECT_EQ(batch.Padded("item.vector")->width, 3U);
}

TEST_F(ScanOptionsTest, DenseFillIsPadThenDefaultThenNan) {
  ModelTable table = RandomTable(2, 500, 4);
  for (FeatureSpec& feature : table.schema.features) {
    if (feature.name == "flag") feature.default_bits = 1;
  }
  const auto reader = OpenTable(table, {});
  ScanOptions options;
  options.features = {{.name = "user.age", .layout = Layout::kDense, .pad_value = -7, .dtype = {}},
                      {.name = "flag", .layout = Layout::kDense, .dtype = {}},
                      {.name = "nothing", .layout = Layout::kDense, .dtype = {}}};
  auto scan = reader->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  ASSERT_TRUE(*(*scan)->Next(&batch));
  const auto view = batch.Dense();
  for (size_t i = 0; i < view->rows; ++i) {
    const float* row = static_cast<const float*>(view->values) + i * 3;
    EXPECT_EQ(view->present[i * 3] == 0, row[0] == -7);
    EXPECT_TRUE(view->present[i * 3 + 1] != 0 || row[1] == 1);
    EXPECT_TRUE(std::isnan(row[2]));
  }
}

class CountingAllocator final : public SlabAllocator {
 public:
  void* Allocate(size_t size) override {
    ++allocations;
    if (refuse) return nullptr;
    held += size;
    return std::aligned_alloc(64, size);
  }
  void Free(void* slab, size_t size) override {
    held -= size;
    std::free(slab);
  }
  size_t held = 0;
  int allocations = 0;
  bool refuse = false;
};

TEST_F(ScanOptionsTest, SlabComesFromTheCaller) {
  CountingAllocator allocator;
  {
    Batch batch(&allocator);
    ScanOptions options;
    options.batch_size = 100;
    options.features = {{.name = "user.clicks", .dtype = {}}};
    auto scan = reader_->NewScan(options);
    while (*(*scan)->Next(&batch)) {
    }
    EXPECT_EQ(allocator.allocations, 1);
    EXPECT_GT(allocator.held, 0U);
    Batch refused(&allocator);
    allocator.refuse = true;
    auto again = reader_->NewScan(options);
    EXPECT_EQ((*again)->Next(&refused).status().code(), StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(allocator.held, 0U);
}

}  // namespace
}  // namespace dsi::test
