// Files of one table that do not have the same features: what a file lacks is missing in its rows,
// what was widened is read as the wider type (DS-020 …).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_checker.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

void Drop(const std::string& feature, ModelTable* table) {
  std::erase_if(table->schema.features, [&](const auto& spec) { return spec.name == feature; });
  std::erase_if(table->columns, [&](const auto& column) {
    return column.name == feature || column.name.starts_with(feature + ".");
  });
}

void Widen(const std::string& feature, Type type, ModelTable* table) {
  for (auto& spec : table->schema.features) {
    if (spec.name == feature) spec.columns[0].type = type;
  }
  for (auto& column : table->columns) {
    if (column.name == feature) column.type = type;
  }
}

void Forget(const std::string& column, size_t begin, size_t end, ModelTable* table) {
  for (auto& known : table->columns) {
    for (size_t row = begin; row < end && known.name == column; ++row) known.rows[row].reset();
  }
}

// A column beside the others of the user's history, of half of what its items are.
void AddPrices(ModelTable* table) {
  for (auto& spec : table->schema.features) {
    if (spec.name == "user.history") spec.columns.push_back({"price", Type::kFloat32, ""});
  }
  const auto items = std::find_if(table->columns.begin(), table->columns.end(),
                                  [](const auto& c) { return c.name == "user.history.item"; });
  ModelColumn prices = *items;
  prices.name = "user.history.price";
  prices.type = Type::kFloat32;
  for (auto& row : prices.rows) {
    if (!row) continue;
    for (uint64_t& entry : *row)
      entry = std::bit_cast<uint32_t>(static_cast<float>(entry % 1000) / 2);
  }
  table->columns.insert(items + 2, std::move(prices));
}

void Blank(const std::string& column, size_t begin, size_t end, ModelTable* table) {
  for (auto& known : table->columns) {
    for (size_t row = begin; row < end && known.name == column; ++row)
      FillRow(BlankEntry(table->schema, known), &known.rows[row]);
  }
}

// Three files of 400 rows; the second lacks some features, the third has others of wider types, and
// all have other columns of the history.
struct GrownDataset {
  TempFolder folder;
  ModelTable table;
  std::unique_ptr<Dataset> dataset;

  GrownDataset() {
    ModelTable input = HistoryTable(11, 1200);
    AddPrices(&input);
    table = input;
    for (size_t f = 0; f < 3; ++f) {
      std::vector<size_t> rows;
      for (size_t row = 400 * f; row < 400 * (f + 1); ++row) rows.push_back(row);
      ModelTable slice = Slice(input, rows);
      if (f == 0) {
        Drop("noise", &slice);
        DropColumn("user.history", "price", &slice);
        DropColumn("user.history", "time", &slice);
      }
      if (f == 1) {
        Drop("item.words", &slice);
        Drop("user.history", &slice);
        Drop("weight", &slice);
      }
      if (f == 2) {
        Widen("item.views", Type::kInt64, &slice);
        Drop("label", &slice);
        DropColumn("user.history", "item", &slice);
      }
      WriteBytes(folder.File("part-" + std::to_string(f) + ".dsi"),
                 WriteTable(slice, StripesOf(150)));
    }
    Forget("noise", 0, 400, &table);
    for (const char* column :
         {"item.words", "user.history.item", "user.history.time", "user.history.price", "weight"})
      Forget(column, 400, 800, &table);
    Forget("label", 800, 1200, &table);
    Blank("user.history.time", 0, 400, &table);
    Blank("user.history.price", 0, 400, &table);
    Blank("user.history.item", 800, 1200, &table);
    Widen("item.views", Type::kInt64, &table);
    auto opened = Dataset::Open(folder.path());
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    if (opened.ok()) dataset = std::move(*opened);
  }
};

void CheckScan(const GrownDataset& model, const DatasetScanOptions& options,
               const std::vector<uint64_t>& expected) {
  auto scan = model.dataset->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<uint64_t> rows;
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) break;
    const auto in_batch = FileRows(batch);
    rows.insert(rows.end(), in_batch.begin(), in_batch.end());
    BatchChecker checker(model.table, batch);
    for (const Projection& asked : options.scan.features) {
      SCOPED_TRACE(asked.name + " " + std::to_string(static_cast<int>(asked.layout)));
      ASSERT_NO_FATAL_FAILURE(checker.Check(asked));
    }
  }
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(rows, expected);
}

TEST(DatasetEvolution, EveryLayoutAndOrder) {
  const GrownDataset model;
  ASSERT_NE(model.dataset, nullptr);
  std::mt19937_64 random(5);
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE("scan " + std::to_string(i));
    DatasetScanOptions options;
    options.scan = MakeRandomScan(model.table, &random);
    options.scan.batch_size = std::max(options.scan.batch_size, 7U);
    options.scan.drop_last = false;
    options.scan.row_begin = 0;
    options.scan.row_end = UINT64_MAX;
    const std::vector<uint64_t> expected = ExpectedRows(model.table, options.scan);
    if (i % 2 == 1) {
      options.order = {.unit = OrderUnit::kBlock,
                       .seed = random(),
                       .block_rows = 50,
                       .mixing_rows = static_cast<uint32_t>(random() % 900),
                       .mix = random() % 2 == 0 ? Mix::kRows : Mix::kSessions};
    }
    ASSERT_NO_FATAL_FAILURE(CheckScan(model, options, expected));
  }
}

// Of a blank column nothing is read but how many entries there are, whatever else is asked for.
TEST(DatasetEvolution, Ds026BlankEntriesAreNotRead) {
  const GrownDataset model;
  const auto needed = [&](const std::vector<const char*>& names, const RowFilter& filter) {
    DatasetScanOptions options;
    for (const char* name : names)
      options.scan.features.push_back({.name = name, .layout = Layout::kJagged});
    options.scan.filter = filter;
    options.rows = {{0, 400}};
    const auto plan = model.dataset->Plan(options);
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    const auto scan = model.dataset->NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    while (*(*scan)->Next(&batch)) {
    }
    EXPECT_EQ((*scan)->stats().bytes_needed, plan->reads.bytes_needed);
    return std::pair(plan->reads.bytes_needed, (*scan)->stats().values_decoded);
  };
  const auto items = needed({"user.history.item"}, {});
  const auto prices = needed({"user.history.price"}, {});
  EXPECT_LE(prices.first, items.first);
  EXPECT_GT(items.second, 0U);
  EXPECT_EQ(prices.second, 0U);
  EXPECT_EQ(needed({"user.history"}, {}), items);
  EXPECT_EQ(needed({"user.history.price", "user.history.time"}, {}), prices);
  // A filter looks at lengths.
  const auto rows = [&](const char* column) {
    DatasetScanOptions options;
    options.scan.features = {{.name = "session_id"}};
    options.scan.filter.where = {{.column = column,
                                  .compare = Compare::kGreater,
                                  .value = int64_t{3},
                                  .subject = Subject::kLength}};
    const auto scan = model.dataset->NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    while (*(*scan)->Next(&batch)) {
    }
    return (*scan)->stats().rows;
  };
  EXPECT_GT(rows("user.history.item"), 0U);
  EXPECT_EQ(rows("user.history.price"), rows("user.history.item"));
  EXPECT_EQ(rows("user.history"), rows("user.history.item"));
}

// Whole numbers that became fractions: float64 has all of a file, or the file is told.
TEST(DatasetEvolution, Ds023QuantitiesThatBecameFractions) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const auto read = [&](Type whole, int64_t value, Type dtype) -> Result<double> {
    DatasetFolder folder;
    Schema schema;
    schema.features = {OneColumn("x", Kind::kDense, whole)};
    folder.PutRows("a.dsi", value, 1, schema);
    schema.features[0].columns[0].type = Type::kFloat64;
    folder.PutRows("b.dsi", 1, 1, schema);
    DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(folder.path()));
    DatasetScanOptions options;
    options.scan.features = {{.name = "x", .dtype = dtype}};
    DSI_ASSIGN_OR_RETURN(const auto scan, dataset->NewScan(options));
    Batch batch;
    DSI_RETURN_IF_ERROR(scan->Next(&batch).status());
    const auto view = batch.Padded("x");
    EXPECT_EQ(view->rows, 2U);
    if (dtype == Type::kFloat32) return static_cast<const float*>(view->values)[0];
    EXPECT_EQ(static_cast<const double*>(view->values)[1], 0.5);
    return static_cast<const double*>(view->values)[0];
  };
  for (const int64_t value : {int64_t{0}, int64_t{-7}, kMost, -kMost})
    EXPECT_EQ(*read(Type::kInt64, value, Type::kFloat64), static_cast<double>(value));
  EXPECT_EQ(*read(Type::kUint64, kMost, Type::kFloat64), static_cast<double>(kMost));
  for (const int64_t value : {kMost + 1, -kMost - 1, INT64_MIN, INT64_MAX - 1}) {
    const Status status = read(Type::kInt64, value, Type::kFloat64).status();
    EXPECT_EQ(status.code(), StatusCode::kOutOfRange) << status.ToString();
    for (const char* part : {"a.dsi: row 0, column x", "int64", "float64"})
      EXPECT_NE(status.message().find(part), std::string::npos) << status.ToString();
    EXPECT_EQ(*read(Type::kInt64, value, Type::kFloat32), static_cast<float>(value));
  }
  EXPECT_EQ(read(Type::kUint64, kMost + 1, Type::kFloat64).status().code(),
            StatusCode::kOutOfRange);
}

// A file of one number in two rows, the second of which misses it.
void PutNumber(DatasetFolder* folder, const std::string& name, Type type, double value,
               std::optional<uint64_t> default_bits) {
  Schema schema;
  schema.features = {OneColumn("q", Kind::kDense, type)};
  schema.features[0].default_bits = default_bits;
  std::vector<std::byte> bytes;
  const auto writer = Writer::Create(CreateMemoryFile(&bytes, "number"), schema);
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  const Status set =
      IsFloat(type) ? rows.SetDouble(0, value) : rows.SetInt(0, static_cast<int64_t>(value));
  ASSERT_TRUE(set.ok() && rows.EndRow().ok() && rows.EndRow().ok());
  ASSERT_TRUE((*writer)->Append(rows).ok() && (*writer)->Finish().ok());
  folder->Put(name, bytes);
}

// What stands in all rows; an error in its place.
std::string Standing(const DatasetFolder& folder, const std::vector<std::string>& names,
                     Layout layout, std::optional<double> pad = {}, Type dtype = Type::kFloat32) {
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back(folder.File(name));
  const auto dataset = Dataset::Open(paths);
  if (!dataset.ok()) return dataset.status().ToString();
  DatasetScanOptions options;
  options.scan.features = {{.name = "q", .layout = layout, .pad_value = pad, .dtype = dtype}};
  const auto scan = (*dataset)->NewScan(options);
  if (!scan.ok()) return scan.status().ToString();
  Batch batch;
  const auto more = (*scan)->Next(&batch);
  if (!more.ok()) return more.status().ToString();
  std::string text;
  const auto add = [&](const void* values, size_t row) {
    text += dtype == Type::kInt32 ? fmt::format("{} ", static_cast<const int32_t*>(values)[row])
                                  : fmt::format("{} ", static_cast<const float*>(values)[row]);
  };
  for (size_t row = 0; row < batch.num_rows(); ++row) {
    if (layout == Layout::kPadded) {
      add(batch.Padded("q")->values, row);
    } else if (layout == Layout::kDense) {
      add(batch.Dense()->values, row);
    } else {
      const auto view = batch.PaddedIkjt("q");
      add(view->unique.values, static_cast<size_t>(view->inverse[row]));
    }
  }
  return text;
}

TEST(DatasetEvolution, Ds024TheDefaultIsThatOfTheLastFileThatGivesOne) {
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  DatasetFolder folder;
  PutNumber(&folder, "none.dsi", Type::kFloat32, 1, {});
  PutNumber(&folder, "five.dsi", Type::kFloat32, 2, bits(5));
  PutNumber(&folder, "nine.dsi", Type::kFloat32, 3, bits(9));
  folder.PutRows("lacks.dsi", 0, 1);
  using Names = std::vector<std::string>;
  for (const Layout layout : {Layout::kDense, Layout::kPadded, Layout::kPaddedIkjt}) {
    SCOPED_TRACE(static_cast<int>(layout));
    EXPECT_EQ(Standing(folder, {"none.dsi"}, layout), "1 nan ");
    EXPECT_EQ(Standing(folder, {"none.dsi", "five.dsi"}, layout), "1 5 2 5 ");
    EXPECT_EQ(Standing(folder, {"five.dsi", "none.dsi"}, layout), "2 5 1 5 ");
    EXPECT_EQ(Standing(folder, {"five.dsi", "nine.dsi"}, layout), "2 9 3 9 ");
    EXPECT_EQ(Standing(folder, {"nine.dsi", "five.dsi"}, layout), "3 5 2 5 ");
    EXPECT_EQ(Standing(folder, {"lacks.dsi", "five.dsi", "nine.dsi"}, layout), "9 2 9 3 9 ");
    EXPECT_EQ(Standing(folder, {"five.dsi", "nine.dsi"}, layout, 7), "2 7 3 7 ");
  }
  // Of the wider type, and no matter whether that of an older file fits what is asked for.
  PutNumber(&folder, "small.dsi", Type::kInt16, 4, 0xFFFF);  // -1
  PutNumber(&folder, "large.dsi", Type::kInt64, 6, uint64_t{1} << 40);
  PutNumber(&folder, "plain.dsi", Type::kInt64, 8, {});
  const auto as_int32 = [&](const Names& names) {
    return Standing(folder, names, Layout::kPadded, {}, Type::kInt32);
  };
  EXPECT_EQ(as_int32({"small.dsi", "plain.dsi"}), "4 -1 8 -1 ");
  EXPECT_EQ(as_int32({"plain.dsi"}), "8 0 ");
  EXPECT_EQ(as_int32({"large.dsi", "small.dsi"}), "6 -1 4 -1 ");
  EXPECT_NE(as_int32({"small.dsi", "large.dsi"}).find("default does not fit int32"),
            std::string::npos);
  EXPECT_NE(as_int32({"large.dsi"}).find("default does not fit int32"), std::string::npos);
}

TEST(DatasetEvolution, EverythingIsEveryColumnOfAnyFile) {
  const GrownDataset model;
  DatasetScanOptions options;
  const auto scan = model.dataset->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<std::string> names, expected;
  for (const ScanColumn& column : (*scan)->columns()) names.push_back(column.name);
  for (const ModelColumn& column : model.table.columns) expected.push_back(column.name);
  std::sort(names.begin(), names.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace dsi::test
