// Deduplicated layouts (IKJT, padded, VBE) and expanded KJTs against a naive expansion of the same
// rows, over every index form (D-001, D-005), windows (D-013), and cuts by batches, stripes, row
// ranges and filters.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

// A column in every deduplicated layout, and expanded; KeyedJaggedTensors in sets of one type.
ScanOptions EveryUniqueLayout(const ModelTable& table, uint32_t batch_size) {
  ScanOptions options;
  options.batch_size = batch_size;
  for (const ModelColumn& column : table.columns) {
    options.features.push_back({.name = column.name, .layout = Layout::kIkjt});
    options.features.push_back({.name = column.name, .layout = Layout::kPaddedIkjt, .width = 0});
    for (const Layout layout : {Layout::kVbe, Layout::kKjt})
      options.features.push_back(
          {.name = column.name, .layout = layout, .set = std::string(TypeName(column.type))});
  }
  return options;
}

// The unique row that each row of the file is stored as, by column.
using StoredRows = std::map<std::string, std::vector<int64_t>>;

StoredRows FindStoredRows(const Reader& reader, const ModelTable& table) {
  ScanOptions options;
  options.batch_size = static_cast<uint32_t>(table.num_rows);
  options.features = {{.name = "*", .layout = Layout::kIkjt}};
  auto scan = reader.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  EXPECT_TRUE(*(*scan)->Next(&batch));
  StoredRows stored;
  for (const ModelColumn& column : table.columns) {
    const int32_t* const inverse = batch.Ikjt(column.name)->inverse;
    stored[column.name] = {inverse, inverse + table.num_rows};
  }
  return stored;
}

class UniqueChecker {
 public:
  UniqueChecker(const Reader& reader, const ModelTable& table)
      : reader_(reader), table_(table), stored_(FindStoredRows(reader, table)) {}

  // Scans, and compares every batch with the model; returns the rows seen.
  std::vector<uint64_t> Check(const ScanOptions& options) {
    std::vector<uint64_t> rows;
    auto scan = reader_.NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    if (!scan.ok()) return rows;
    Batch batch;
    for (;;) {
      const auto more = (*scan)->Next(&batch);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more || ::testing::Test::HasFatalFailure()) break;
      rows_ = FileRows(batch);
      rows.insert(rows.end(), rows_.begin(), rows_.end());
      for (const ModelColumn& column : table_.columns) CheckColumn(column, batch);
    }
    return rows;
  }

 private:
  void CheckColumn(const ModelColumn& column, const Batch& batch) {
    SCOPED_TRACE(column.name + " in the batch at row " + std::to_string(rows_.front()));
    std::vector<ModelRow> expected;
    std::vector<int64_t> stored;
    for (const uint64_t row : rows_) {
      expected.push_back(column.rows[row]);
      stored.push_back(stored_[column.name][row]);
    }
    // Unique rows of others than these rows are orphans; there are none.
    const std::vector<int64_t> inverse = ByFirstUse(stored);
    const auto num_unique =
        static_cast<size_t>(*std::max_element(inverse.begin(), inverse.end())) + 1;

    const auto ikjt = batch.Ikjt(column.name);
    ASSERT_TRUE(ikjt.ok()) << ikjt.status().ToString();
    ASSERT_EQ(std::vector<int64_t>(ikjt->inverse, ikjt->inverse + rows_.size()), inverse);
    ASSERT_EQ(ikjt->unique.rows, num_unique);
    ASSERT_EQ(Expand(RowsOf(ikjt->unique), ikjt->inverse, rows_.size()), expected);

    const auto padded = batch.PaddedIkjt(column.name);
    ASSERT_TRUE(padded.ok()) << padded.status().ToString();
    ASSERT_EQ(padded->unique.rows, num_unique);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(padded->unique.values) % 64, 0U);
    std::vector<ModelRow> kept = expected;
    for (ModelRow& row : kept) {
      if (row.has_value() && row->size() > padded->unique.width)
        row->erase(row->begin(), row->end() - static_cast<ptrdiff_t>(padded->unique.width));
    }
    const uint64_t pad = UnfilledBits(column.kind, column.type);
    ASSERT_EQ(Expand(RowsOf(padded->unique, pad), padded->inverse, rows_.size()), kept);

    const auto vbe = batch.Vbe(TypeName(column.type));
    ASSERT_TRUE(vbe.ok()) << vbe.status().ToString();
    ASSERT_EQ(reinterpret_cast<uintptr_t>(vbe->values) % 64, 0U);
    ASSERT_EQ(vbe->rows, rows_.size());
    const size_t f = KeyOf(*vbe, column.name);
    ASSERT_LT(f, vbe->keys.size());
    ASSERT_EQ(vbe->stride_per_key[f], static_cast<int32_t>(num_unique));
    const int64_t* const indices = vbe->inverse_indices + f * rows_.size();
    ASSERT_EQ(std::vector<int64_t>(indices, indices + rows_.size()), inverse);
    ASSERT_EQ(Expand(RowsOf(*vbe, f), indices, rows_.size()), NoneMissing(expected));

    const auto kjt = batch.Kjt(TypeName(column.type));
    ASSERT_TRUE(kjt.ok()) << kjt.status().ToString();
    ASSERT_EQ(KeyOf(*kjt, column.name), f);
    ASSERT_EQ(RowsOf(*kjt, f), NoneMissing(expected));
  }

  const Reader& reader_;
  const ModelTable& table_;
  StoredRows stored_;
  std::vector<uint64_t> rows_;
};

std::vector<uint64_t> Iota(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> rows;
  for (uint64_t row = begin; row < end; ++row) rows.push_back(row);
  return rows;
}

// Which table, stripe rows, batch size.
enum class Made { kHistory, kLongSessions, kShortSessions };
using Cut = std::tuple<Made, uint32_t, uint32_t>;

ModelTable MakeTable(Made made) {
  if (made == Made::kHistory) return HistoryTable(5, 3000);
  return RandomTable(9, 1500, made == Made::kLongSessions ? 12 : 3);
}

class ScanUniqueTest : public ::testing::TestWithParam<Cut> {
 protected:
  ScanUniqueTest()
      : table_(MakeTable(std::get<0>(GetParam()))),
        reader_(OpenTable(table_, StripesOf(std::get<1>(GetParam())))),
        options_(EveryUniqueLayout(table_, std::get<2>(GetParam()))) {}
  ModelTable table_;
  std::unique_ptr<Reader> reader_;
  ScanOptions options_;
};

TEST_P(ScanUniqueTest, EveryRow) {
  UniqueChecker checker(*reader_, table_);
  EXPECT_EQ(checker.Check(options_), Iota(0, table_.num_rows));
}

TEST_P(ScanUniqueTest, RowRanges) {
  UniqueChecker checker(*reader_, table_);
  options_.kjt_lengths = Type::kInt64;
  for (const uint64_t begin : {uint64_t{1}, uint64_t{table_.num_rows / 2 + 3}}) {
    options_.row_begin = begin;
    options_.row_end = begin + table_.num_rows / 3;
    EXPECT_EQ(checker.Check(options_), Iota(begin, options_.row_end));
  }
}

TEST_P(ScanUniqueTest, FilterLeavesNoOrphans) {
  UniqueChecker checker(*reader_, table_);
  for (const double keep : {0.7, 0.2, 0.01}) {
    options_.filter.sample = {{.when = {}, .keep = keep}};
    ++options_.filter.seed;
    options_.row_begin = 5;
    const std::vector<uint64_t> rows = checker.Check(options_);
    EXPECT_EQ(rows.size(), *reader_->CountRows(options_));
    EXPECT_LT(rows.size(), table_.num_rows);
    EXPECT_GT(rows.size(), 0U);
  }
}

// Runs of rows that pass, and runs that do not, long enough to leave out pages and stripes.
TEST_P(ScanUniqueTest, FilterBySessionsCutsBetweenThem) {
  UniqueChecker checker(*reader_, table_);
  const std::vector<ModelRow>& sessions = table_.Column("session_id").rows;
  const auto last = static_cast<int64_t>(sessions[sessions.size() * 4 / 5]->front());
  options_.filter.where = {{"session_id", Compare::kGreater, last / 2},
                           {"session_id", Compare::kLessEqual, last}};
  std::vector<uint64_t> expected;
  for (uint64_t row = 0; row < sessions.size(); ++row) {
    const auto session = static_cast<int64_t>(sessions[row]->front());
    if (session > last / 2 && session <= last) expected.push_back(row);
  }
  EXPECT_EQ(checker.Check(options_), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Cuts, ScanUniqueTest,
    ::testing::Values(Cut{Made::kHistory, 262'144, 4096}, Cut{Made::kHistory, 262'144, 100},
                      Cut{Made::kHistory, 700, 1000}, Cut{Made::kLongSessions, 262'144, 64},
                      Cut{Made::kLongSessions, 100, 333}, Cut{Made::kShortSessions, 300, 7},
                      Cut{Made::kShortSessions, 400, 500}));

// The cuts above would prove little if the writer chose one form for all of them.
TEST(ScanUnique, TablesCoverEveryIndexFormAndWindows) {
  std::set<IndexForm> forms;
  uint64_t windows = 0;
  for (const Made made : {Made::kHistory, Made::kLongSessions, Made::kShortSessions}) {
    const auto reader =
        OpenTable(MakeTable(made), StripesOf(made == Made::kHistory ? 262'144 : 400));
    const auto groups = reader->Groups();
    for (const GroupInfo& group : *groups) {
      for (const auto& stripe : group.stripes) forms.insert(stripe.form);
    }
    const auto streams = reader->Streams("");
    for (const StreamInfo& stream : *streams)
      windows += stream.role == "windows" ? stream.num_values : 0;
  }
  EXPECT_EQ(forms.size(), 6U);
  EXPECT_GT(windows, 0U);
}

TEST(ScanUnique, ExpandedVbeEqualsPaddedJaggedAndKjtScans) {
  const ModelTable table = HistoryTable(6, 2000);
  const auto reader = OpenTable(table, StripesOf(900));
  ScanOptions options;
  options.batch_size = 128;
  options.filter.sample = {{.when = {{"label", Compare::kEqual, 0}}, .keep = 0.3}};
  const std::vector<std::string> names = {"user.profile", "user.history.item", "item.viewers"};
  for (const std::string& name : names) {
    for (const Layout layout : {Layout::kVbe, Layout::kKjt, Layout::kJagged})
      options.features.push_back({.name = name, .layout = layout});
    options.features.push_back({.name = name, .layout = Layout::kPadded, .width = 64});
  }
  auto scan = reader->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  while (*(*scan)->Next(&batch)) {
    const auto vbe = batch.Vbe();
    ASSERT_TRUE(vbe.ok()) << vbe.status().ToString();
    ASSERT_EQ(std::vector<std::string>(vbe->keys.begin(), vbe->keys.end()), names);
    for (size_t f = 0; f < names.size(); ++f) {
      auto rows = Expand(RowsOf(*vbe, f), vbe->inverse_indices + f * vbe->rows, vbe->rows);
      auto jagged = RowsOf(*batch.Jagged(names[f]));
      auto padded = RowsOf(*batch.Padded(names[f]), 0);
      ASSERT_EQ(rows, NoneMissing(jagged));
      ASSERT_EQ(rows, NoneMissing(padded));
      ASSERT_EQ(rows, RowsOf(*batch.Kjt(), f));
    }
  }
}

TEST(ScanUnique, WeightsAreASetOfTheirOwn) {
  const ModelTable table = HistoryTable(7, 500);
  const auto reader = OpenTable(table, {});
  ScanOptions options;
  options.features = {{.name = "topics", .layout = Layout::kVbe}};
  EXPECT_EQ(reader->NewScan(options).status().code(), StatusCode::kInvalidArgument);
  options.features = {{.name = "topics.ids", .layout = Layout::kVbe, .dtype = Type::kInt64},
                      {.name = "topics.weights", .layout = Layout::kVbe, .set = "weights"}};
  auto scan = reader->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  EXPECT_EQ(batch.Vbe().status().code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(*(*scan)->Next(&batch));
  const auto ids = batch.Vbe();
  const auto weights = batch.Vbe("weights");
  ASSERT_TRUE(ids.ok() && weights.ok());
  EXPECT_EQ(ids->dtype, Type::kInt64);
  EXPECT_EQ(weights->dtype, Type::kFloat32);
  EXPECT_EQ(ids->num_values, weights->num_values);
  EXPECT_EQ(batch.Vbe("other").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(batch.Ikjt("topics.ids").status().code(), StatusCode::kInvalidArgument);
  options.kjt_lengths = Type::kInt16;
  EXPECT_EQ(reader->NewScan(options).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dsi::test
