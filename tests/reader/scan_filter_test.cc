// Row filters: comparisons of every type against the model, sampling, batches cut after the filter,
// and what is not read.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/filter_model.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

// Rows of all batches; also that all but the last are full, and hold what the model says.
std::vector<uint64_t> ScanRows(const Reader& reader, const ModelTable& table,
                               const ScanOptions& options) {
  std::vector<uint64_t> rows;
  auto scan = reader.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  if (!scan.ok()) return rows;
  Batch batch;
  uint64_t batches = 0;
  bool full = true;
  for (;; ++batches) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    EXPECT_TRUE(full) << "only the last batch may be short";
    full = batch.num_rows() == options.batch_size;
    const std::vector<uint64_t> in_batch = FileRows(batch);
    EXPECT_EQ(batch.first_row(), in_batch.front());
    rows.insert(rows.end(), in_batch.begin(), in_batch.end());
    for (const Projection& projection : options.features) {
      if (projection.layout != Layout::kJagged) continue;
      std::vector<ModelRow> expected;
      for (const uint64_t row : in_batch)
        expected.push_back(table.Column(projection.name).rows[row]);
      EXPECT_EQ(RowsOf(*batch.Jagged(projection.name)), expected);
    }
  }
  EXPECT_LE(batches, (*scan)->num_batches());
  EXPECT_EQ((*scan)->stats().rows, rows.size());
  if (!options.drop_last) {
    EXPECT_EQ(*reader.CountRows(options), rows.size());
    const uint64_t end = std::min<uint64_t>(options.row_end, table.num_rows);
    EXPECT_EQ((*scan)->stats().rows_dropped, end - options.row_begin - rows.size());
  }
  return rows;
}

std::vector<uint64_t> Rows(const ModelTable& table, const std::function<bool(size_t)>& passes) {
  std::vector<uint64_t> rows;
  for (size_t row = 0; row < table.num_rows; ++row) {
    if (passes(row)) rows.push_back(row);
  }
  return rows;
}

ScanOptions Jagged(const std::vector<std::string>& names, uint32_t batch_size = 100) {
  ScanOptions options;
  options.batch_size = batch_size;
  for (const std::string& name : names)
    options.features.push_back({.name = name, .layout = Layout::kJagged});
  return options;
}

class ScanFilterTest : public ::testing::Test {
 protected:
  ScanFilterTest() : table_(HistoryTable(3, 3000)), reader_(OpenTable(table_, StripesOf(1100))) {}
  StatusCode CodeOf(const RowFilter& filter) const {
    ScanOptions options = Jagged({"noise"});
    options.filter = filter;
    const StatusCode code = reader_->CountRows(options).status().code();
    EXPECT_EQ(reader_->NewScan(options).status().code(), code);
    return code;
  }
  ModelTable table_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(ScanFilterTest, ComparesEveryTypeExactly) {
  const ModelTable table = RandomTable(4, 600, 8);
  const auto reader = OpenTable(table, StripesOf(250));
  const std::vector<FilterValue> numbers = {int64_t{0},
                                            int64_t{1},
                                            int64_t{-3},
                                            INT64_MIN,
                                            INT64_MAX,
                                            UINT64_MAX,
                                            uint64_t{1} << 63,
                                            0.5,
                                            -0.0,
                                            17.0,
                                            -1e300,
                                            0x1p63,
                                            0x1p64,
                                            -0x1p63,
                                            std::numeric_limits<double>::infinity(),
                                            std::numeric_limits<double>::quiet_NaN()};
  const std::vector<FilterValue> texts = {"", "a", "q", "zzzzzzzzzzzzzzzzzzzz", "\xFF"};
  const auto check = [&](const Predicate& predicate) {
    ScanOptions options = Jagged({});
    options.features = {{.name = "label"}};
    options.filter.where = {predicate};
    ASSERT_EQ(ScanRows(*reader, table, options),
              Rows(table, [&](size_t row) { return Passes(table, predicate, row); }))
        << predicate.column << " compare " << static_cast<int>(predicate.compare) << ", "
        << predicate.values.size() << " values";
  };
  for (const ModelColumn& column : table.columns) {
    for (const Compare presence : {Compare::kExists, Compare::kMissing})
      check({column.name, presence});
    if (!IsComparable(column)) continue;
    std::vector<FilterValue> all = column.type == Type::kBytes ? texts : numbers;
    for (size_t row = 0; row < 20; ++row) {
      if (column.rows[row].has_value()) all.push_back(ValueOf(column, *column.rows[row]));
    }
    for (const FilterValue& value : all) {
      for (const Compare compare : {Compare::kEqual, Compare::kNotEqual, Compare::kLess,
                                    Compare::kLessEqual, Compare::kGreater, Compare::kGreaterEqual})
        check({column.name, compare, value});
    }
    for (const Compare set : {Compare::kIn, Compare::kNotIn}) {
      check({column.name, set});
      check({.column = column.name, .compare = set, .values = all});
      check({.column = column.name, .compare = set, .values = {all.back(), all.front()}});
      check({.column = column.name, .compare = set, .values = {all.end() - 10, all.end()}});
    }
  }
}

// Strings of a session's state, of rows, in windows and missing in most rows.
TEST_F(ScanFilterTest, StringsInAllForms) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    ModelTable table = RandomTable(seed, 900, 1 + 3 * seed);
    std::mt19937_64 random(seed);
    for (ModelColumn& column : table.columns) {
      if (column.type != Type::kBytes) continue;
      for (auto& row : column.rows) {
        if (row.has_value() && random() % 3 == 0) row = std::vector<uint64_t>{'a', 0xFF, 'b'};
      }
    }
    const auto reader = OpenTable(table, StripesOf(250));
    for (int i = 0; i < 60; ++i) {
      Predicate predicate = RandomPredicate(table, &random);
      if (table.Column(predicate.column).type != Type::kBytes) continue;
      ScanOptions options = Jagged({predicate.column, "user.clicks"});
      options.filter.where = {predicate};
      ASSERT_EQ(ScanRows(*reader, table, options),
                Rows(table, [&](size_t row) { return Passes(table, predicate, row); }))
          << "compare " << static_cast<int>(predicate.compare);
    }
  }
}

// A feature of several columns exists in all of them or in none.
TEST_F(ScanFilterTest, FeaturesExistByTheirName) {
  ScanOptions options = Jagged({"noise"});
  for (const char* name : {"user.history", "topics"}) {
    const std::string column = name == std::string("topics") ? "topics.ids" : "user.history.item";
    for (const Compare compare : {Compare::kExists, Compare::kMissing}) {
      options.filter.where = {{name, compare}};
      const Predicate of_column{column, compare};
      EXPECT_EQ(ScanRows(*reader_, table_, options),
                Rows(table_, [&](size_t row) { return Passes(table_, of_column, row); }));
    }
  }
}

// Of windows, of lists one after another, of several columns and of strings; also beside a
// predicate that looks at the values of the same feature.
TEST_F(ScanFilterTest, LengthsAreComparedWithoutValues) {
  const auto of_length = [](std::string column, Compare compare, FilterValue value) {
    Predicate predicate{std::move(column), compare, std::move(value)};
    predicate.subject = Subject::kLength;
    return predicate;
  };
  ScanOptions options = Jagged({"noise"});
  options.filter.where = {{"user.history", Compare::kExists}};
  const uint64_t bytes = reader_->Plan(options)->bytes_needed;
  for (const Predicate& predicate : {of_length("user.history.item", Compare::kGreaterEqual, 5),
                                     of_length("user.history.time", Compare::kLess, 7.5),
                                     of_length("topics.weights", Compare::kEqual, 2),
                                     of_length("item.viewers", Compare::kNotEqual, 0),
                                     of_length("item.words", Compare::kLess, -1)}) {
    options.filter.where = {predicate};
    const std::vector<uint64_t> rows = ScanRows(*reader_, table_, options);
    EXPECT_EQ(rows, Rows(table_, [&](size_t row) { return Passes(table_, predicate, row); }));
    if (predicate.column.starts_with("user.history")) {
      EXPECT_LT(rows.size(), table_.num_rows);
      EXPECT_GT(rows.size(), 0U);
      EXPECT_EQ(reader_->Plan(options)->bytes_needed, bytes);
    }
  }
  // "user.history" is of two columns, whose lengths are the same.
  options.filter.where = {of_length("user.history", Compare::kGreater, 4)};
  const Predicate of_column = of_length("user.history.item", Compare::kGreater, 4);
  EXPECT_EQ(ScanRows(*reader_, table_, options),
            Rows(table_, [&](size_t row) { return Passes(table_, of_column, row); }));
  options.features.push_back({.name = "user.history.item", .layout = Layout::kJagged});
  EXPECT_GT(reader_->Plan(options)->bytes_needed, bytes);
  EXPECT_EQ(CodeOf({.where = {of_length("label", Compare::kEqual, 1)}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf({.where = {of_length("item.words", Compare::kEqual, "1")}}),
            StatusCode::kInvalidArgument);
}

// A tenth of the users and the other nine: every row is in one of them, by its user alone.
TEST_F(ScanFilterTest, HashesPartRowsByTheirValues) {
  const auto of_hash = [](std::string column, Compare compare, double value, uint64_t salt = 0) {
    Predicate predicate{std::move(column), compare, value};
    predicate.subject = Subject::kHash;
    predicate.salt = salt;
    return predicate;
  };
  ScanOptions options = Jagged({"noise"});
  for (const char* const column : {"user_id", "session_id", "time", "weight", "noise", "big"}) {
    size_t both = 0;
    for (const Compare compare : {Compare::kLess, Compare::kGreaterEqual}) {
      const Predicate predicate = of_hash(column, compare, 0.3);
      options.filter.where = {predicate};
      const std::vector<uint64_t> rows = ScanRows(*reader_, table_, options);
      EXPECT_EQ(rows, Rows(table_, [&](size_t row) { return Passes(table_, predicate, row); }));
      both += rows.size();
    }
    const Predicate exists{column, Compare::kExists};
    EXPECT_EQ(both, Rows(table_, [&](size_t row) { return Passes(table_, exists, row); }).size());
  }
  const auto rows_of = [&](const Predicate& predicate) {
    options.filter.where = {predicate};
    return ScanRows(*reader_, table_, options);
  };
  EXPECT_NE(rows_of(of_hash("user_id", Compare::kLess, 0.5)),
            rows_of(of_hash("user_id", Compare::kLess, 0.5, 1)));
  EXPECT_TRUE(rows_of(of_hash("user_id", Compare::kGreater, 1)).empty());
  for (const Compare compare : {Compare::kEqual, Compare::kNotEqual, Compare::kIn})
    EXPECT_EQ(CodeOf({.where = {of_hash("user_id", compare, 0.5)}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf({.where = {of_hash("item.words", Compare::kLess, 0.5)}}),
            StatusCode::kInvalidArgument);
  Predicate text = of_hash("user_id", Compare::kLess, 0);
  text.value = "0.5";
  EXPECT_EQ(CodeOf({.where = {text}}), StatusCode::kInvalidArgument);
}

TEST_F(ScanFilterTest, Float32ComparesWithARoundedValue) {
  ScanOptions options = Jagged({"weight"});
  options.filter.where = {{"weight", Compare::kEqual, 0.1}};
  EXPECT_GT(ScanRows(*reader_, table_, options).size(), 0U);
}

TEST_F(ScanFilterTest, PredicatesHoldTogether) {
  for (const uint32_t batch_size : {1U, 7U, 100U, 5000U}) {
    ScanOptions options = Jagged({"user.profile", "item.viewers", "noise"}, batch_size);
    options.filter.where = {{"label", Compare::kEqual, 0},
                            {"weight", Compare::kGreater, 2.5},
                            {"item.views", Compare::kNotEqual, 4},
                            {"weight", Compare::kLessEqual, 8}};
    const auto passes = [&](size_t row) {
      for (const Predicate& predicate : options.filter.where) {
        if (!Passes(table_, predicate, row)) return false;
      }
      return true;
    };
    const std::vector<uint64_t> expected = Rows(table_, passes);
    ASSERT_GT(expected.size(), 100U);
    EXPECT_EQ(ScanRows(*reader_, table_, options), expected);
  }
}

TEST_F(ScanFilterTest, NothingPassesOrEverythingDoes) {
  ScanOptions options = Jagged({"item.words"});
  options.filter.where = {{"label", Compare::kGreater, 1}};
  EXPECT_TRUE(ScanRows(*reader_, table_, options).empty());
  options.filter.where = {{"label", Compare::kLessEqual, 1}};
  EXPECT_EQ(ScanRows(*reader_, table_, options).size(), table_.num_rows);
  options.filter = {};
  options.filter.sample = {{.when = {}, .keep = 0}};
  EXPECT_TRUE(ScanRows(*reader_, table_, options).empty());
  options.filter.sample = {{.when = {}, .keep = 1}};
  EXPECT_EQ(ScanRows(*reader_, table_, options).size(), table_.num_rows);
  options.row_begin = options.row_end = table_.num_rows;
  EXPECT_TRUE(ScanRows(*reader_, table_, options).empty());
}

TEST_F(ScanFilterTest, DropLastCountsRowsThatPass) {
  ScanOptions options = Jagged({"noise"}, 128);
  options.filter.where = {{"label", Compare::kEqual, 1}};
  const size_t all = ScanRows(*reader_, table_, options).size();
  ASSERT_NE(all % 128, 0U);
  options.drop_last = true;
  EXPECT_EQ(ScanRows(*reader_, table_, options).size(), all / 128 * 128);
}

// Negative downsampling: what stays is a function of seed and row alone.
TEST_F(ScanFilterTest, SamplingDependsOnSeedAndRowAlone) {
  const auto sample = [&](double keep, uint64_t seed, ScanOptions options) {
    options.filter.sample = {{.when = {{"label", Compare::kEqual, 0}}, .keep = keep}};
    options.filter.seed = seed;
    return ScanRows(*reader_, table_, options);
  };
  const std::vector<uint64_t> rows = sample(0.1, 1, Jagged({"noise"}));
  const auto label = [&](uint64_t row) { return table_.Column("label").rows[row]->front(); };
  const auto positives = Rows(table_, [&](size_t row) { return label(row) == 1; });
  const auto kept_negatives = static_cast<double>(rows.size() - positives.size());
  EXPECT_NEAR(kept_negatives / static_cast<double>(table_.num_rows - positives.size()), 0.1, 0.025);
  EXPECT_TRUE(std::includes(rows.begin(), rows.end(), positives.begin(), positives.end()));

  EXPECT_EQ(sample(0.1, 1, Jagged({"user.profile", "label"}, 999)), rows);
  EXPECT_NE(sample(0.1, 2, Jagged({"noise"})), rows);
  const std::vector<uint64_t> more = sample(0.2, 1, Jagged({"noise"}));
  EXPECT_GT(more.size(), rows.size());
  EXPECT_TRUE(std::includes(more.begin(), more.end(), rows.begin(), rows.end()));
  ScanOptions range = Jagged({"noise"});
  range.row_begin = 700;
  range.row_end = 2500;
  std::vector<uint64_t> in_range;
  for (const uint64_t row : rows) {
    if (row >= 700 && row < 2500) in_range.push_back(row);
  }
  EXPECT_EQ(sample(0.1, 1, range), in_range);

  // These rows stay for ever: a training run can be repeated with a later version.
  ScanOptions options = Jagged({"noise"});
  options.filter.sample = {{.when = {}, .keep = 0.002}};
  options.filter.seed = 42;
  EXPECT_EQ(ScanRows(*reader_, table_, options),
            (std::vector<uint64_t>{652, 742, 843, 1601, 2754}));
}

TEST_F(ScanFilterTest, FirstSamplingThatAppliesDecides) {
  ScanOptions options = Jagged({"label", "item.views"});
  options.filter.where = {{"item.views", Compare::kLess, 40}};
  options.filter.sample = {{.when = {{"label", Compare::kEqual, 1}}, .keep = 1},
                           {.when = {{"item.views", Compare::kLess, 20}}, .keep = 0},
                           {.when = {{"item.views", Compare::kLess, 30}}, .keep = 1},
                           {.when = {}, .keep = 0}};
  const auto passes = [&](size_t row) {
    const Wide views = Widen(table_.Column("item.views").rows[row]->front(), Type::kInt32);
    if (views >= 40) return false;
    return table_.Column("label").rows[row]->front() == 1 || (views >= 20 && views < 30);
  };
  EXPECT_EQ(ScanRows(*reader_, table_, options), Rows(table_, passes));
}

TEST_F(ScanFilterTest, RefusesWhatCannotBe) {
  const auto where = [&](std::string column) {
    return CodeOf({.where = {{std::move(column), Compare::kEqual, 1}}});
  };
  EXPECT_EQ(where("label"), StatusCode::kOk);
  EXPECT_EQ(where("no_such"), StatusCode::kNotFound);
  EXPECT_EQ(where("user.profile"), StatusCode::kInvalidArgument);
  EXPECT_EQ(where("topics"), StatusCode::kInvalidArgument);
  EXPECT_EQ(where("item*"), StatusCode::kInvalidArgument);
  const auto code = [&](const Predicate& predicate) { return CodeOf({.where = {predicate}}); };
  EXPECT_EQ(code({"label", Compare::kEqual, "1"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.column = "label", .compare = Compare::kIn, .values = {1, "1"}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"label", static_cast<Compare>(10)}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"item*", Compare::kExists}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"topics", Compare::kExists}), StatusCode::kOk);
  for (const double keep : {-0.1, 1.1, std::nan("")})
    EXPECT_EQ(CodeOf({.sample = {{.when = {}, .keep = keep}}}), StatusCode::kInvalidArgument);
}

TEST_F(ScanFilterTest, StripesWithoutRowsAreNotRead) {
  ScanOptions options = Jagged({"noise", "big", "item.views"});
  const auto all = reader_->NewScan(options);
  ScanOptions filtered = options;
  // In the last stripe alone, where the statistics of the others do not tell.
  const double noise = std::bit_cast<double>(table_.Column("noise").rows[2900]->front());
  filtered.filter.where = {{"noise", Compare::kEqual, noise}};
  const auto some = reader_->NewScan(filtered);
  Batch batch;
  while (*(*all)->Next(&batch)) {
  }
  while (*(*some)->Next(&batch)) {
  }
  EXPECT_EQ((*some)->stats().rows, 1U);
  EXPECT_EQ((*some)->stats().stripes_skipped, 0U);
  EXPECT_EQ((*all)->stats().values_decoded, 3 * 3000U);
  EXPECT_EQ((*some)->stats().values_decoded, 3000 + 3 * 800U);
  EXPECT_GT(reader_->Plan(filtered)->bytes, reader_->Plan(options)->bytes);
}

// A value that does not fit is no matter in a row that is not handed out; the row is named right.
TEST_F(ScanFilterTest, DroppedRowsNeedNotFit) {
  ScanOptions options;
  options.features = {{.name = "big", .layout = Layout::kJagged, .dtype = Type::kInt64}};
  options.filter.where = {{"big", Compare::kLessEqual, INT64_MAX}};
  auto scan = reader_->NewScan(options);
  Batch batch;
  uint64_t rows = 0;
  for (auto more = (*scan)->Next(&batch); more.ok() && *more; more = (*scan)->Next(&batch))
    rows += batch.num_rows();
  EXPECT_EQ(rows, *reader_->CountRows(options));
  EXPECT_GT(rows, 1000U);

  options.filter.where = {{"time", Compare::kGreater, 1'000'000 + 7 * 1500},
                          {"label", Compare::kEqual, 1}};
  size_t row = 1501;
  while (table_.Column("label").rows[row]->front() != 1 ||
         table_.Column("big").rows[row]->front() <= INT64_MAX)
    ++row;
  scan = reader_->NewScan(options);
  const Status status = (*scan)->Next(&batch).status();
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_NE(status.message().find("row " + std::to_string(row) + ", column big"), std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace dsi::test
