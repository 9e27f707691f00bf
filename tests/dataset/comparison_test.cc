// What CompareDatasets says against a plain comparison of the tables that the files were made of.
#include "dsi/dataset/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

using Cell = std::optional<std::vector<uint64_t>>;
using Row = std::vector<Cell>;

Row RowOf(const ModelTable& table, size_t row, const std::vector<size_t>& columns) {
  Row cells;
  for (const size_t c : columns) cells.push_back(table.columns[c].rows[row]);
  return cells;
}

std::vector<size_t> AllColumns(const ModelTable& table) {
  std::vector<size_t> all(table.columns.size());
  for (size_t c = 0; c < all.size(); ++c) all[c] = c;
  return all;
}

// Rows of A and B that belong together.
using Pairs = std::vector<std::pair<size_t, size_t>>;

struct Expected {
  Pairs pairs;
  std::vector<size_t> only_a, only_b;
};

// The k-th row of A with the same cells there and the k-th of B; the rest is one's alone.
Expected PairByCells(const ModelTable& a, const ModelTable& b, const std::vector<size_t>& columns) {
  std::map<Row, std::deque<size_t>> of_b;
  for (size_t row = 0; row < b.num_rows; ++row) of_b[RowOf(b, row, columns)].push_back(row);
  Expected expected;
  for (size_t row = 0; row < a.num_rows; ++row) {
    std::deque<size_t>& left = of_b[RowOf(a, row, columns)];
    if (left.empty()) {
      expected.only_a.push_back(row);
    } else {
      expected.pairs.emplace_back(row, left.front());
      left.pop_front();
    }
  }
  for (const auto& [cells, rows] : of_b)
    expected.only_b.insert(expected.only_b.end(), rows.begin(), rows.end());
  std::sort(expected.only_b.begin(), expected.only_b.end());
  return expected;
}

std::map<Cell, size_t> CountsOf(const ModelColumn& column) {
  std::map<Cell, size_t> counts;
  for (const Cell& cell : column.rows) ++counts[cell];
  return counts;
}

void ExpectOnly(const std::optional<uint64_t>& count, uint64_t first,
                const std::vector<size_t>& rows) {
  ASSERT_TRUE(count.has_value());
  EXPECT_EQ(*count, rows.size());
  EXPECT_EQ(first, rows.empty() ? 0 : rows.front());
}

// `key` are positions of columns; none: rows are held against each other by their place.
void Check(const Comparison& found, const ModelTable& a, const ModelTable& b,
           const std::vector<size_t>& key) {
  Expected expected = PairByCells(a, b, key.empty() ? AllColumns(a) : key);
  const Expected equal = PairByCells(a, b, AllColumns(a));
  if (key.empty()) {
    expected.pairs.clear();
    for (size_t row = 0; row < std::min(a.num_rows, b.num_rows); ++row)
      expected.pairs.emplace_back(row, row);
  }
  EXPECT_EQ(found.rows_a, a.num_rows);
  EXPECT_EQ(found.rows_b, b.num_rows);
  EXPECT_EQ(found.pairs, expected.pairs.size());
  ExpectOnly(found.only_a, found.first_only_a, expected.only_a);
  ExpectOnly(found.only_b, found.first_only_b, expected.only_b);
  EXPECT_EQ(found.has_same_rows, equal.only_a.empty() && equal.only_b.empty());
  std::vector<bool> differs(expected.pairs.size(), false);
  ASSERT_EQ(found.columns.size(), a.columns.size());
  for (size_t c = 0; c < a.columns.size(); ++c) {
    const ComparedColumn& column = found.columns[c];
    SCOPED_TRACE(column.name());
    EXPECT_EQ(column.name(), a.columns[c].name);
    EXPECT_TRUE(column.support.ok()) << column.support.ToString();
    EXPECT_TRUE(column.changes.empty());
    EXPECT_EQ(column.has_same_values, CountsOf(a.columns[c]) == CountsOf(b.columns[c]));
    Pairs differing;
    for (size_t i = 0; i < expected.pairs.size(); ++i) {
      const auto& [row_a, row_b] = expected.pairs[i];
      if (a.columns[c].rows[row_a] == b.columns[c].rows[row_b]) continue;
      differing.push_back(expected.pairs[i]);
      differs[i] = true;
    }
    EXPECT_EQ(column.differing, differing.size());
    if (differing.empty()) continue;
    const std::pair<size_t, size_t> told = {column.row_a, column.row_b};
    EXPECT_NE(std::find(differing.begin(), differing.end(), told), differing.end());
    EXPECT_TRUE(!key.empty() || told == differing.front());
  }
  const auto differing = static_cast<uint64_t>(std::count(differs.begin(), differs.end(), true));
  EXPECT_EQ(found.differing, differing);
  EXPECT_EQ(found.is_same(),
            differing == 0 && expected.pairs.size() == a.num_rows && a.num_rows == b.num_rows);
}

// Some rows gone, some there twice, some moved, some with a cell of another row.
ModelTable Changed(const ModelTable& table, std::mt19937_64* rng, size_t changes) {
  std::vector<size_t> rows(table.num_rows);
  for (size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  for (size_t i = 0; i < changes; ++i) {
    const size_t at = (*rng)() % rows.size();
    const size_t row = rows[at];
    if ((*rng)() % 3 != 0) rows.erase(rows.begin() + static_cast<ptrdiff_t>(at));
    if ((*rng)() % 3 != 0)
      rows.insert(rows.begin() + static_cast<ptrdiff_t>((*rng)() % rows.size()), row);
  }
  ModelTable changed = Slice(table, rows);
  for (size_t i = 0; i < changes; ++i) {
    ModelColumn& column = changed.columns[(*rng)() % changed.columns.size()];
    // All columns of a feature have one length.
    if (column.kind == Kind::kSequence || column.kind == Kind::kWeighted) continue;
    column.rows[(*rng)() % changed.num_rows] = column.rows[(*rng)() % changed.num_rows];
  }
  return changed;
}

TEST(CompareDatasets, SaysWhatAPlainComparisonSays) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 rng(seed);
    const ModelTable table =
        seed % 2 == 0 ? RandomTable(seed, 700, 1 + seed) : HistoryTable(seed, 700);
    const ModelDataset a(table, 1 + seed % 3, 200);
    const ModelDataset b(Changed(table, &rng, seed / 2), 1 + seed / 3 % 3, 300);
    CompareOptions options;
    for (const uint32_t threads : {1U, 3U}) {
      options.threads = threads;
      options.key = {};
      const auto by_place = CompareDatasets(*a.dataset, *b.dataset, options);
      ASSERT_TRUE(by_place.ok()) << by_place.status().ToString();
      Check(*by_place, a.table, b.table, {});
      const size_t key = rng() % a.table.columns.size();
      options.key = {a.table.columns[key].name};
      const auto by_key = CompareDatasets(*a.dataset, *b.dataset, options);
      ASSERT_TRUE(by_key.ok()) << by_key.status().ToString();
      SCOPED_TRACE(options.key[0]);
      Check(*by_key, a.table, b.table, {key});
    }
  }
}

TEST(CompareDatasets, OfOneFeatureLooksAtNothingElse) {
  const ModelTable table = HistoryTable(4, 300);
  std::mt19937_64 rng(4);
  const ModelDataset a(table, 2, 200);
  const ModelDataset b(table, 2, 100);
  CompareOptions options;
  options.features = {"user.*"};
  options.key = {"label"};
  const auto found = CompareDatasets(*a.dataset, *b.dataset, options);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_TRUE(found->is_same());
  for (const ComparedColumn& column : found->columns)
    EXPECT_TRUE(column.name().starts_with("user.") || column.name() == "label") << column.name();
  options.key = {};
  options.features = {"user.history.itme"};
  const Status missing = CompareDatasets(*a.dataset, *b.dataset, options).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_NE(missing.message().find("did you mean"), std::string::npos) << missing.message();
}

// A file with one feature, of one row each.
class OneFeature : public DatasetFolder {
 public:
  std::unique_ptr<Dataset> Of(const FeatureSpec& feature,
                              const std::vector<std::optional<std::vector<double>>>& rows) {
    return Make(feature, rows.size(), [&](size_t row, RowBatch* batch) {
      if (!rows[row]) return Status::Ok();
      if (!HasOneValue(feature.kind)) return batch->SetDoubles(0, 0, *rows[row]);
      return batch->SetDouble(0, rows[row]->front());
    });
  }
  template <typename Set>
  std::unique_ptr<Dataset> Make(const FeatureSpec& feature, size_t num_rows, const Set& set) {
    auto schema = std::make_shared<Schema>();
    schema->features = {feature};
    std::vector<std::byte> bytes;
    auto writer = Writer::Create(CreateMemoryFile(&bytes, "one"), *schema, {});
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch batch((*writer)->schema());
    for (size_t row = 0; row < num_rows; ++row) {
      const Status status = set(row, &batch);
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_TRUE(batch.EndRow().ok());
    }
    EXPECT_TRUE((*writer)->Append(batch).ok());
    EXPECT_TRUE((*writer)->Finish().ok());
    const std::string name = "f" + std::to_string(files_++) + ".dsi";
    Put(name, bytes);
    auto dataset = Dataset::Open(File(name));
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    return dataset.ok() ? *std::move(dataset) : nullptr;
  }

 private:
  int files_ = 0;
};

// Rows that differ, by place.
uint64_t Differing(const Dataset& a, const Dataset& b) {
  const auto found = CompareDatasets(a, b);
  EXPECT_TRUE(found.ok()) << found.status().ToString();
  if (!found.ok() || found->columns.size() != 1) return UINT64_MAX;
  EXPECT_TRUE(found->columns[0].support.ok()) << found->columns[0].support.ToString();
  EXPECT_EQ(found->differing, found->columns[0].differing);
  return found->differing;
}

TEST(CompareDatasets, NumbersOfAllTypesAreOneWhereTheirValueIs) {
  OneFeature folder;
  const std::vector<std::optional<std::vector<double>>> rows = {std::vector<double>{0},
                                                                std::vector<double>{1, 2, 3},
                                                                std::vector<double>{127},
                                                                std::vector<double>{},
                                                                std::nullopt,
                                                                std::vector<double>{1}};
  std::vector<std::unique_ptr<Dataset>> all;
  for (const Type type :
       {Type::kInt8, Type::kUint16, Type::kInt64, Type::kUint64, Type::kFloat32, Type::kFloat64})
    all.push_back(folder.Of(OneColumn("x", Kind::kList, type), rows));
  for (const auto& a : all) {
    for (const auto& b : all) EXPECT_EQ(Differing(*a, *b), 0U);
  }
  auto other = rows;
  other[1] = std::vector<double>{1, 3, 2};
  std::swap(other[3], other[4]);
  for (const auto& a : all)
    EXPECT_EQ(Differing(*a, *folder.Of(OneColumn("x", Kind::kList, Type::kInt32), other)), 3U);
}

TEST(CompareDatasets, NumbersThatLookAlikeAreNotOne) {
  OneFeature folder;
  const FeatureSpec as_int = OneColumn("x", Kind::kKey, Type::kInt64);
  const FeatureSpec as_uint = OneColumn("x", Kind::kKey, Type::kUint64);
  const FeatureSpec as_double = OneColumn("x", Kind::kDense, Type::kFloat64);
  const FeatureSpec as_float = OneColumn("x", Kind::kDense, Type::kFloat32);
  const auto ints = [&](int64_t value) {
    return folder.Make(as_int, 1, [=](size_t, RowBatch* b) { return b->SetInt(0, value); });
  };
  const auto uints = [&](uint64_t value) {
    return folder.Make(as_uint, 1, [=](size_t, RowBatch* b) { return b->SetUint(0, value); });
  };
  const auto reals = [&](double value, const FeatureSpec& feature) {
    return folder.Of(feature, {std::vector<double>{value}});
  };
  EXPECT_EQ(Differing(*ints(-1), *uints(UINT64_MAX)), 1U);
  EXPECT_EQ(Differing(*uints(UINT64_MAX), *uints(UINT64_MAX)), 0U);
  EXPECT_EQ(Differing(*uints(uint64_t{1} << 63), *reals(9223372036854775808.0, as_double)), 0U);
  EXPECT_EQ(Differing(*uints(UINT64_MAX), *reals(18446744073709551616.0, as_double)), 1U);
  EXPECT_EQ(Differing(*ints(INT64_MIN), *reals(-9223372036854775808.0, as_float)), 0U);
  EXPECT_EQ(Differing(*ints(INT64_MIN), *uints(uint64_t{1} << 63)), 1U);
  EXPECT_EQ(Differing(*ints(0), *reals(-0.0, as_double)), 1U);
  EXPECT_EQ(Differing(*reals(-0.0, as_float), *reals(-0.0, as_double)), 0U);
  EXPECT_EQ(Differing(*reals(0.1, as_float), *reals(0.1, as_double)), 1U);
  // The bits of a double, as an integer.
  EXPECT_EQ(Differing(*ints(std::bit_cast<int64_t>(0.5)), *reals(0.5, as_double)), 1U);
  const double nan = std::bit_cast<double>(0x7FF8000020000000ULL);
  const double other_nan = std::bit_cast<double>(0xFFF8000020000000ULL);
  EXPECT_EQ(Differing(*reals(nan, as_double), *reals(nan, as_double)), 0U);
  EXPECT_EQ(Differing(*reals(nan, as_double), *reals(other_nan, as_double)), 1U);
  EXPECT_EQ(Differing(*reals(nan, as_float), *reals(nan, as_double)), 0U);
  EXPECT_EQ(Differing(*reals(nan, as_float), *reals(other_nan, as_double)), 1U);
}

std::vector<std::string> ChangesOf(const FeatureSpec& a, const FeatureSpec& b) {
  OneFeature folder;
  const auto none = [](size_t, RowBatch*) { return Status::Ok(); };
  const auto found = CompareDatasets(*folder.Make(a, 2, none), *folder.Make(b, 2, none));
  EXPECT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_EQ(found->columns.size(), 1U);
  EXPECT_EQ(found->differing, 0U);
  EXPECT_EQ(found->is_same(), found->columns[0].changes.empty());
  return found->columns[0].changes;
}

TEST(CompareDatasets, SaysWhatSchemasSayDifferently) {
  using Words = std::vector<std::string>;
  const FeatureSpec list = OneColumn("x", Kind::kList, Type::kInt64, 7);
  EXPECT_EQ(ChangesOf(list, list), Words());
  const auto changed = [&](const auto& change, const FeatureSpec& of) {
    FeatureSpec other = of;
    change(&other);
    EXPECT_EQ(ChangesOf(other, of), ChangesOf(of, other));
    return ChangesOf(of, other);
  };
  EXPECT_EQ(changed([](FeatureSpec* f) { f->name = "y"; }, list), Words{"name"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->id = 8; }, list), Words{"id"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->columns[0].type = Type::kInt32; }, list),
            Words{"type"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->columns[0].id_space = "item"; }, list),
            Words{"id_space"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->columns[0].time_unit = TimeUnit::kMillis; }, list),
            Words{"unit"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->columns[0].hashed = true; }, list), Words{"hashed"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->max_length = 9; }, list), Words{"max_length"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->newest_first = true; }, list), Words{"newest"});
  FeatureSpec dotted = list;
  dotted.name = "x.y";
  EXPECT_EQ(changed([](FeatureSpec* f) { f->nested = false; }, dotted), Words{"nested"});
  const FeatureSpec dense = OneColumn("x", Kind::kDense, Type::kFloat32, 7);
  EXPECT_EQ(changed([](FeatureSpec* f) { f->default_bits = 0; }, dense), Words{"default"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->kind = Kind::kLabel; }, dense), Words{"kind"});
  EXPECT_EQ(changed([](FeatureSpec* f) { f->columns[0].precision = Precision::kBf16; }, dense),
            Words{"precision"});
  FeatureSpec vector = OneColumn("x", Kind::kEmbedding, Type::kFloat32, 7);
  vector.fixed_length = 4;
  EXPECT_EQ(changed([](FeatureSpec* f) { f->fixed_length = 5; }, vector), Words{"length"});
}

TEST(CompareDatasets, ColumnsThatCannotBeComparedAreToldAndNeverTheSame) {
  OneFeature folder;
  const std::vector<std::optional<std::vector<double>>> rows(3, std::vector<double>{1});
  const auto number = folder.Of(OneColumn("x", Kind::kKey, Type::kInt64), rows);
  const auto other = folder.Of(OneColumn("y", Kind::kKey, Type::kInt64), rows);
  const auto text = folder.Make(OneColumn("x", Kind::kKey, Type::kBytes), 3,
                                [](size_t, RowBatch* b) { return b->SetBytes(0, "1"); });
  const auto lacks = CompareDatasets(*number, *other);
  ASSERT_TRUE(lacks.ok()) << lacks.status().ToString();
  ASSERT_EQ(lacks->columns.size(), 2U);
  EXPECT_FALSE(lacks->columns[0].b.has_value());
  EXPECT_FALSE(lacks->columns[1].a.has_value());
  for (const ComparedColumn& column : lacks->columns)
    EXPECT_EQ(column.support.code(), StatusCode::kNotFound);
  EXPECT_EQ(lacks->columns[1].support.message(), "A has no column y");
  EXPECT_FALSE(lacks->is_same());
  EXPECT_EQ(lacks->rows_a, 3U);
  EXPECT_FALSE(lacks->only_a.has_value());
  const auto types = CompareDatasets(*number, *text);
  ASSERT_TRUE(types.ok());
  EXPECT_EQ(types->columns[0].support.message(), "column x: A has numbers, B strings");
  EXPECT_EQ(types->columns[0].changes, std::vector<std::string>{"type"});
  EXPECT_FALSE(types->is_same());
  CompareOptions options;
  options.key = {"x"};
  EXPECT_EQ(CompareDatasets(*number, *text, options).status().code(), StatusCode::kInvalidArgument);
  options.key = {"z"};
  EXPECT_EQ(CompareDatasets(*number, *text, options).status().code(), StatusCode::kNotFound);
}

TEST(CompareDatasets, EmptyStringsAndMissingOnesAreTwo) {
  OneFeature folder;
  const FeatureSpec feature = OneColumn("x", Kind::kString, Type::kBytes);
  const auto texts = folder.Make(feature, 4, [](size_t row, RowBatch* b) {
    return row == 0 ? Status::Ok() : b->SetBytes(0, std::string(row - 1, 'a'));
  });
  const auto empty = folder.Make(feature, 4, [](size_t row, RowBatch* b) {
    return b->SetBytes(0, row == 0 ? "" : std::string(row - 1, 'a'));
  });
  EXPECT_EQ(Differing(*texts, *empty), 1U);
  EXPECT_EQ(Differing(*texts, *texts), 0U);
}

TEST(CompareDatasets, RowsThatAreDeletedOrDoNotPassAreNotThere) {
  const std::string rules = std::string(DSI_SOURCE_DIR) + "/tests/golden/rules/";
  const auto deleted = Dataset::Open(rules + "sound.deleted.dsi");
  const auto all = Dataset::Open(rules + "sound.deleted_none.dsi");
  ASSERT_TRUE(deleted.ok() && all.ok());
  const auto found = CompareDatasets(**all, **deleted);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  const uint64_t gone = *(*all)->CountRows({}) - *(*deleted)->CountRows({});
  ASSERT_GT(gone, 0U);
  EXPECT_EQ(found->only_a, gone);
  EXPECT_EQ(found->only_b, 0U);
  EXPECT_FALSE(found->is_same());
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 100);
  folder.PutRows("b.dsi", 0, 50);
  const auto hundred = Dataset::Open(folder.File("a.dsi"));
  const auto fifty = Dataset::Open(folder.File("b.dsi"));
  CompareOptions options;
  options.filter_a.where = {{"key", Compare::kLess, int64_t{50}}};
  EXPECT_TRUE(CompareDatasets(**hundred, **fifty, options)->is_same());
  options.filter_a.where = {{"key", Compare::kGreaterEqual, int64_t{50}}};
  const auto apart = CompareDatasets(**hundred, **fifty, options);
  EXPECT_EQ(apart->differing, 50U);
  EXPECT_EQ(apart->columns[0].row_a, 50U);
  EXPECT_EQ(apart->columns[0].row_b, 0U);
  EXPECT_EQ(apart->only_a, 50U);
}

TEST(CompareDatasets, WithinABudget) {
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 20'000);
  folder.PutRows("b.dsi", 20'000, 20'000);
  const auto a = Dataset::Open(folder.File("a.dsi"));
  const auto b = Dataset::Open(folder.File("b.dsi"));
  const auto ab = Dataset::Open(std::vector{folder.File("a.dsi"), folder.File("b.dsi")});
  const auto ba = Dataset::Open(std::vector{folder.File("b.dsi"), folder.File("a.dsi")});
  CompareOptions options;
  options.memory_bytes = 40'000 * 150;
  EXPECT_EQ(CompareDatasets(**a, **b, options)->only_a, 20'000U);
  EXPECT_EQ(CompareDatasets(**ab, **ba, options)->only_a, 0U);
  options.key = {"key"};
  options.memory_bytes = 40'000 * 60;
  EXPECT_EQ(CompareDatasets(**ab, **ba, options).status().code(), StatusCode::kResourceExhausted);
  options.memory_bytes = 40'000 * 200;
  const auto met = CompareDatasets(**ab, **ba, options);
  ASSERT_TRUE(met.ok()) << met.status().ToString();
  EXPECT_TRUE(met->is_same());
  // What is only in one is then not known; all else is.
  options = {.memory_bytes = 40'000 * 20};
  const auto unknown = CompareDatasets(**ab, **ba, options);
  ASSERT_TRUE(unknown.ok()) << unknown.status().ToString();
  EXPECT_FALSE(unknown->only_a.has_value());
  EXPECT_TRUE(unknown->has_same_rows);
  EXPECT_TRUE(unknown->columns[1].has_same_values);
  EXPECT_EQ(unknown->differing, 40'000U);
}

TEST(CompareDatasets, ValuesThatChangeTheirRowsAreOtherRows) {
  const ModelTable table = HistoryTable(8, 200);
  ModelTable turned = table;
  for (ModelColumn& column : turned.columns) {
    if (column.kind == Kind::kLabel) std::reverse(column.rows.begin(), column.rows.end());
  }
  const ModelDataset a(table, 1, 300);
  const ModelDataset b(turned, 1, 300);
  const auto found = CompareDatasets(*a.dataset, *b.dataset);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  for (const ComparedColumn& column : found->columns) EXPECT_TRUE(column.has_same_values);
  EXPECT_GT(found->differing, 0U);
  EXPECT_FALSE(found->has_same_rows);
}

TEST(CompareDatasets, CanBeStopped) {
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 200'000);
  const auto a = Dataset::Open(folder.File("a.dsi"));
  CompareOptions options;
  std::vector<std::pair<uint64_t, uint64_t>> told;
  options.progress = [&](uint64_t done, uint64_t total) {
    told.emplace_back(done, total);
    return told.size() < 3;
  };
  EXPECT_EQ(CompareDatasets(**a, **a, options).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0], (std::pair<uint64_t, uint64_t>{0, 400'000}));
  EXPECT_EQ(told[1].first, 2U << 16);
}

TEST(CompareDatasets, WithoutRows) {
  DatasetFolder folder;
  folder.PutRows("none.dsi", 0, 0);
  folder.PutRows("some.dsi", 0, 3);
  const auto none = Dataset::Open(folder.File("none.dsi"));
  const auto some = Dataset::Open(folder.File("some.dsi"));
  EXPECT_TRUE(CompareDatasets(**none, **none)->is_same());
  const auto found = CompareDatasets(**none, **some);
  EXPECT_FALSE(found->is_same());
  EXPECT_EQ(found->pairs, 0U);
  EXPECT_EQ(found->only_b, 3U);
  EXPECT_EQ(found->first_only_b, 0U);
}

}  // namespace
}  // namespace dsi::test
