// Every layout of a scan against a naive expansion of the same rows (D-001 … D-011), over stripes,
// batch sizes and row ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "dsi/tests/support/scan_model.h"

namespace dsi::test {
namespace {

uint64_t Load(const void* values, size_t index, int width) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const std::byte*>(values) + index * static_cast<size_t>(width),
              static_cast<size_t>(width));
  return bits;
}

std::vector<uint64_t> Entries(const JaggedView& view, size_t row) {
  std::vector<uint64_t> entries;
  for (int64_t i = view.offsets[row]; i < view.offsets[row + 1]; ++i)
    entries.push_back(Load(view.values, static_cast<size_t>(i), TypeWidth(view.dtype)));
  return entries;
}

void ExpectRow(const ModelColumn& column, size_t row, bool present,
               const std::vector<uint64_t>& entries) {
  ASSERT_EQ(column.rows[row].has_value(), present) << column.name << " row " << row;
  ASSERT_EQ(column.rows[row].value_or(std::vector<uint64_t>{}), entries)
      << column.name << " row " << row;
}

void ExpectJagged(const ModelColumn& column, const Batch& batch) {
  const auto view = batch.Jagged(column.name);
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  ASSERT_EQ(view->rows, batch.num_rows());
  ASSERT_EQ(view->offsets[0], 0);
  ASSERT_EQ(view->offsets[view->rows], static_cast<int64_t>(view->num_values));
  for (size_t i = 0; i < view->rows; ++i)
    ExpectRow(column, batch.first_row() + i, view->present[i] != 0, Entries(*view, i));
}

void ExpectIkjt(const ModelColumn& column, const Batch& batch) {
  const auto view = batch.Ikjt(column.name);
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  ASSERT_LE(view->unique.rows, batch.num_rows());
  ASSERT_EQ(view->unique.offsets[view->unique.rows], static_cast<int64_t>(view->unique.num_values));
  int32_t seen = 0;
  for (size_t i = 0; i < batch.num_rows(); ++i) {
    const int32_t unique = view->inverse[i];
    ASSERT_LE(unique, seen) << "not in order of first use";
    seen = std::max(seen, unique + 1);
    ExpectRow(column, batch.first_row() + i, view->unique.present[unique] != 0,
              Entries(view->unique, static_cast<size_t>(unique)));
  }
  ASSERT_EQ(static_cast<size_t>(seen), view->unique.rows);
}

struct PadCase {
  uint32_t width = 0;
  Keep keep = Keep::kLast;
  Side side = Side::kRight;
  std::optional<double> value = {};
};

uint64_t BitsOf(double value, Type type) {
  uint64_t bits = 0;
  if (type == Type::kFloat32) {
    const auto single = static_cast<float>(value);
    std::memcpy(&bits, &single, 4);
  } else if (type == Type::kFloat64) {
    std::memcpy(&bits, &value, 8);
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(value));
    if (TypeWidth(type) < 8) bits &= (uint64_t{1} << (8 * TypeWidth(type))) - 1;
  }
  return bits;
}

void ExpectPadded(const ModelColumn& column, const PadCase& pad, const Batch& batch) {
  const auto view = batch.Padded(column.name);
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  if (pad.width != 0) {
    ASSERT_EQ(view->width, pad.width);
  }
  ASSERT_EQ(reinterpret_cast<uintptr_t>(view->values) % 64, 0U);
  for (size_t i = 0; i < batch.num_rows(); ++i) {
    const auto& row = column.rows[batch.first_row() + i];
    std::vector<uint64_t> kept = row.value_or(std::vector<uint64_t>{});
    if (kept.size() > view->width) {
      if (pad.keep == Keep::kFirst) {
        kept.resize(view->width);
      } else {
        kept.erase(kept.begin(), kept.end() - view->width);
      }
    }
    ASSERT_EQ(view->lengths[i], static_cast<int32_t>(kept.size())) << column.name;
    ASSERT_EQ(view->present[i] != 0, row.has_value()) << column.name;
    kept.insert(
        pad.side == Side::kRight ? kept.end() : kept.begin(), view->width - kept.size(),
        pad.value ? BitsOf(*pad.value, column.type) : UnfilledBits(column.kind, column.type));
    for (size_t k = 0; k < view->width; ++k)
      ASSERT_EQ(Load(view->values, i * view->width + k, TypeWidth(column.type)), kept[k])
          << column.name << " row " << batch.first_row() + i << " entry " << k;
  }
}

ScanOptions AllAs(const ModelTable& table, Layout layout, const PadCase& pad, uint32_t batch_size) {
  ScanOptions options;
  options.batch_size = batch_size;
  for (const ModelColumn& column : table.columns) {
    Projection projection;
    projection.name = column.name;
    projection.layout = layout;
    projection.width = pad.width;
    projection.keep = pad.keep;
    projection.pad = pad.side;
    projection.pad_value = pad.value;
    options.features.push_back(projection);
  }
  return options;
}

template <typename Check>
void ForEachBatch(const Reader& reader, const ScanOptions& options, uint64_t rows_expected,
                  const Check& check) {
  auto scan = reader.NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  uint64_t rows = 0;
  uint64_t batches = 0;
  for (;; ++batches) {
    const auto more = (*scan)->Next(&batch);
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) break;
    ASSERT_EQ(batch.first_row(), options.row_begin + rows);
    rows += batch.num_rows();
    check(batch);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(batches, (*scan)->num_batches());
  EXPECT_EQ(rows, rows_expected);
  EXPECT_EQ((*scan)->stats().rows, rows);
}

// Of the first rows one in twenty keeps its features.
void Thin(size_t num_rows, ModelTable* table) {
  size_t column = 0;
  for (const FeatureSpec& feature : table->schema.features) {
    const bool may_miss = feature.kind != Kind::kKey && feature.kind != Kind::kTimestamp &&
                          feature.kind != Kind::kLabel;
    for (size_t place = 0; place < feature.columns.size(); ++place, ++column) {
      for (size_t row = 0; row < num_rows && may_miss; ++row) {
        if ((row * 7919 + (column - place) * 31) % 20 != 0)
          table->columns[column].rows[row].reset();
      }
    }
  }
}

// Rows, stripe rows, page values, longest session, batch size, dedup, rows that are thinned.
using Shape = std::tuple<size_t, uint32_t, uint32_t, size_t, uint32_t, bool, size_t>;
class ScanLayoutTest : public ::testing::TestWithParam<Shape> {
 protected:
  ScanLayoutTest()
      : table_(RandomTable(7 + std::get<0>(GetParam()), std::get<0>(GetParam()),
                           std::get<3>(GetParam()))) {
    Thin(std::get<6>(GetParam()), &table_);
    WriterOptions options;
    options.stripe_rows = std::get<1>(GetParam());
    options.page_values = std::get<2>(GetParam());
    options.dedup = std::get<5>(GetParam());
    reader_ = OpenTable(table_, options);
  }
  uint32_t batch_size() const { return std::get<4>(GetParam()); }
  ModelTable table_;
  std::unique_ptr<Reader> reader_;
};

TEST_P(ScanLayoutTest, Jagged) {
  ForEachBatch(*reader_, AllAs(table_, Layout::kJagged, {}, batch_size()), table_.num_rows,
               [&](const Batch& batch) {
                 for (const ModelColumn& column : table_.columns)
                   ASSERT_NO_FATAL_FAILURE(ExpectJagged(column, batch));
               });
}

TEST_P(ScanLayoutTest, Ikjt) {
  ForEachBatch(*reader_, AllAs(table_, Layout::kIkjt, {}, batch_size()), table_.num_rows,
               [&](const Batch& batch) {
                 for (const ModelColumn& column : table_.columns)
                   ASSERT_NO_FATAL_FAILURE(ExpectIkjt(column, batch));
               });
}

TEST_P(ScanLayoutTest, Padded) {
  for (const PadCase& pad :
       {PadCase{}, PadCase{5, Keep::kFirst, Side::kRight, 1},
        PadCase{3, Keep::kLast, Side::kLeft, 0.0}, PadCase{1, Keep::kLast, Side::kRight, 1},
        PadCase{33, Keep::kFirst, Side::kLeft, 1}}) {
    ForEachBatch(*reader_, AllAs(table_, Layout::kPadded, pad, batch_size()), table_.num_rows,
                 [&](const Batch& batch) {
                   for (const ModelColumn& column : table_.columns)
                     ASSERT_NO_FATAL_FAILURE(ExpectPadded(column, pad, batch));
                 });
  }
}

TEST_P(ScanLayoutTest, RowRangeStartsAnywhere) {
  for (const uint64_t begin :
       {uint64_t{1}, uint64_t{table_.num_rows / 3}, uint64_t{table_.num_rows - 1}}) {
    ScanOptions options = AllAs(table_, Layout::kIkjt, {}, batch_size());
    options.row_begin = begin;
    options.row_end = begin + (table_.num_rows - begin + 1) / 2;
    ForEachBatch(*reader_, options, options.row_end - begin, [&](const Batch& batch) {
      for (const ModelColumn& column : table_.columns)
        ASSERT_NO_FATAL_FAILURE(ExpectIkjt(column, batch));
    });
  }
}

TEST_P(ScanLayoutTest, Dense) {
  std::vector<const ModelColumn*> columns;
  ScanOptions options;
  options.batch_size = batch_size();
  for (const ModelColumn& column : table_.columns) {
    if (HasLengths(column.kind, column.type) || column.kind == Kind::kEmbedding) continue;
    options.features.push_back(
        {.name = column.name, .layout = Layout::kDense, .dtype = Type::kFloat64});
    columns.push_back(&column);
  }
  ForEachBatch(*reader_, options, table_.num_rows, [&](const Batch& batch) {
    const auto view = batch.Dense();
    ASSERT_TRUE(view.ok());
    ASSERT_EQ(view->columns, columns.size());
    for (size_t i = 0; i < batch.num_rows(); ++i) {
      for (size_t c = 0; c < columns.size(); ++c) {
        const auto& row = columns[c]->rows[batch.first_row() + i];
        const double value = static_cast<const double*>(view->values)[i * view->columns + c];
        ASSERT_EQ(view->present[i * view->columns + c] != 0, row.has_value());
        if (!row.has_value()) {
          ASSERT_TRUE(std::isnan(value));
          continue;
        }
        double expected = 0;
        const uint64_t bits = row->front();
        switch (columns[c]->type) {
          case Type::kFloat32: {
            float f;
            std::memcpy(&f, &bits, 4);
            expected = f;
            break;
          }
          case Type::kFloat64:
            std::memcpy(&expected, &bits, 8);
            break;
          case Type::kInt8:
            expected = static_cast<int8_t>(bits);
            break;
          case Type::kInt16:
            expected = static_cast<int16_t>(bits);
            break;
          case Type::kInt64:
            expected = static_cast<double>(static_cast<int64_t>(bits));
            break;
          default:
            expected = static_cast<double>(bits);
            break;
        }
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(value));
        } else {
          ASSERT_EQ(value, expected) << columns[c]->name;
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, ScanLayoutTest,
                         ::testing::Values(Shape{1, 100, 1024, 1, 1, true, 0},
                                           Shape{300, 100, 1024, 10, 1, true, 0},
                                           Shape{1500, 300, 1024, 12, 7, true, 0},
                                           Shape{6000, 262144, 1024, 16, 4096, true, 0},
                                           Shape{6000, 1000, 1024, 16, 4096, true, 0},
                                           Shape{3000, 900, 2048, 1, 500, true, 0},
                                           Shape{2000, 700, 1024, 16, 300, false, 0},
                                           Shape{3000, 1300, 1024, 4, 256, false, 3000},
                                           Shape{3000, 262144, 1024, 4, 777, false, 1500},
                                           Shape{2500, 900, 2048, 16, 100, true, 2500}));

// Which rows a filter picks is no matter to rows of features that few have, nor who decodes them.
TEST(ScanTest, FilteredRowsOfSparseFeatures) {
  ModelTable table = RandomTable(11, 3000, 4);
  Thin(3000, &table);
  WriterOptions writer = StripesOf(1300);
  writer.dedup = false;
  const auto reader = OpenTable(table, writer);
  RowFilter few;  // By a feature that few rows have.
  few.where = {{.column = "user.age", .compare = Compare::kNotEqual, .value = -12345.0}};
  RowFilter most;
  most.sample = {{.keep = 0.9}};
  RowFilter some;
  some.sample = {{.keep = 0.02}};
  for (const RowFilter& filter : {few, most, some}) {
    for (const uint32_t threads : {1, 2}) {
      ScanOptions options = AllAs(table, Layout::kJagged, {}, 64);
      options.threads = threads;
      options.filter = filter;
      auto scan = reader->NewScan(options);
      ASSERT_TRUE(scan.ok()) << scan.status().ToString();
      Batch batch;
      size_t rows = 0;
      while (*(*scan)->Next(&batch)) {
        for (const ModelColumn& column : table.columns) {
          const auto view = batch.Jagged(column.name);
          ASSERT_TRUE(view.ok());
          for (size_t i = 0; i < view->rows; ++i) {
            ASSERT_NO_FATAL_FAILURE(ExpectRow(column, batch.row_numbers()[i], view->present[i] != 0,
                                              Entries(*view, i)));
          }
        }
        rows += batch.num_rows();
      }
      EXPECT_GT(rows, 0U);
    }
  }
}

TEST(ScanTest, SharesDictionaryAndCountsWork) {
  const ModelTable table = RandomTable(3, 4000, 16);
  const auto reader = OpenTable(table, {});
  ScanOptions options;
  options.features = {{.name = "user.clicks", .layout = Layout::kIkjt, .dtype = {}},
                      {.name = "user.history", .layout = Layout::kIkjt, .dtype = {}}};
  auto scan = reader->NewScan(options);
  ASSERT_TRUE(scan.ok());
  Batch batch;
  while (*(*scan)->Next(&batch)) {
  }
  uint64_t entries = 0;
  for (const char* name : {"user.clicks", "user.history.item", "user.history.time"}) {
    for (const auto& row : table.Column(name).rows) entries += row.has_value() ? row->size() : 0;
  }
  EXPECT_EQ((*scan)->stats().values_expanded, entries);
  EXPECT_LT((*scan)->stats().values_decoded, entries / 3);
  EXPECT_GT((*scan)->stats().bytes_read, 0U);
  EXPECT_GE((*scan)->stats().bytes_read, (*scan)->stats().bytes_needed);
}

// The shapes above would prove little if the writer chose one form for all of them.
TEST(ScanTest, ShapesCoverEveryIndexForm) {
  std::set<IndexForm> forms;
  for (const size_t max_session : {1, 3, 16}) {
    const auto reader = OpenTable(RandomTable(1500 + 7, 1500, max_session), StripesOf(300));
    const auto groups = reader->Groups();
    ASSERT_TRUE(groups.ok()) << groups.status().ToString();
    for (const GroupInfo& group : *groups) {
      for (const auto& stripe : group.stripes) forms.insert(stripe.form);
    }
  }
  EXPECT_EQ(forms.size(), 4U);
}

TEST(ScanTest, DropLastLeavesOutShortBatch) {
  const ModelTable table = RandomTable(3, 1000, 16);
  const auto reader = OpenTable(table, {});
  ScanOptions options = AllAs(table, Layout::kJagged, {}, 300);
  options.drop_last = true;
  ForEachBatch(*reader, options, 900,
               [](const Batch& batch) { EXPECT_EQ(batch.num_rows(), 300U); });
}

TEST(ScanTest, EmptyProjectionReadsEverything) {
  const ModelTable table = RandomTable(5, 800, 16);
  const auto reader = OpenTable(table, StripesOf(300));
  ForEachBatch(*reader, {}, 800, [&](const Batch& batch) {
    for (const ModelColumn& column : table.columns) {
      if (HasLengths(column.kind, column.type)) {
        ASSERT_NO_FATAL_FAILURE(ExpectJagged(column, batch));
      } else {
        ASSERT_NO_FATAL_FAILURE(ExpectPadded(column, {}, batch));
      }
    }
  });
}

}  // namespace
}  // namespace dsi::test
