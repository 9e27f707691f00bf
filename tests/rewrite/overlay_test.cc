// Overlays (F-086 … F-088): written for rows in order or by a key, refused where they do not fit,
// and made one file with their base.
#include "dsi/rewrite/overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dsi/rewrite/delete_rows.h"
#include "dsi/rewrite/rewrite.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/overlaid_table.h"
#include "dsi/tests/rewrite/id_files.h"

namespace dsi::test {
namespace {

using Ranges = std::vector<OverlayRows>;

class OverlayTest : public testing::Test {
 protected:
  // A base of 1000 rows in stripes of 300, 300 and 400.
  void SetUp() override {
    Schema schema = ScoreSchema();
    schema.features.pop_back();
    folder_.Put("base.dsi", IdFile(Ids(1000), schema, 300));
    base_ = folder_.File("base.dsi");
  }
  std::unique_ptr<Dataset> From(const std::vector<int64_t>& ids) {
    folder_.Put("rows/rows.dsi", IdFile(ids, ScoreSchema(), 100));
    return *Dataset::Open(folder_.File("rows/rows.dsi"));
  }
  Status Bind(const Ranges& rows) { return BindOverlay(**Reader::Open(base_), rows).status(); }
  std::string Message(const Result<OverlayReport>& made) {
    return made.ok() ? "ok" : made.status().message();
  }

  DatasetFolder folder_;
  std::string base_;
};

TEST_F(OverlayTest, F088RangesAreWholeStripes) {
  const auto reader = Reader::Open(base_);
  ASSERT_EQ((*reader)->stripes().size(), 3U);
  const auto all = BindOverlay(**reader);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->rows, (Ranges{{0, 1000}}));
  EXPECT_EQ(all->stripe_rows, (std::vector<uint32_t>{300, 300, 400}));
  EXPECT_EQ(all->base_fingerprint, (*reader)->info().rows_fingerprint);
  const Ranges two = {{0, 300}, {600, UINT64_MAX}};
  const auto some = BindOverlay(**reader, two);
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->rows, (Ranges{{0, 300}, {600, 1000}}));
  // Ranges that touch are one.
  EXPECT_EQ(BindOverlay(**reader, Ranges{{0, 300}, {300, 600}})->rows, (Ranges{{0, 600}}));
  for (const Ranges& wrong : std::vector<Ranges>{{{0, 299}},
                                                 {{0, 301}},
                                                 {{1, 300}},
                                                 {{299, 600}},
                                                 {{0, 1001}},
                                                 {{300, 300}},
                                                 {{600, 300}},
                                                 {{300, 600}, {0, 300}},
                                                 {{0, 600}, {300, 1000}},
                                                 {{1000, 1001}}}) {
    EXPECT_EQ(Bind(wrong).code(), StatusCode::kInvalidArgument) << wrong[0].begin;
  }
  EXPECT_NE(Bind({{0, 301}}).message().find("at 301 none ends, but at 300 and 600"),
            std::string::npos);
}

// Numbers in no order take as many bytes whichever stands first: stripes and groups are the same,
// and where they lie.
TEST_F(OverlayTest, TheFingerprintIsOfValues) {
  Schema schema;
  schema.features = {OneColumn("id", Kind::kKey, Type::kInt64)};
  const auto open = [&](const std::vector<int64_t>& ids) {
    folder_.Put("print.dsi", IdFile(ids, schema, 300));
    return *Reader::Open(folder_.File("print.dsi"));
  };
  std::vector<int64_t> ids = Ids(1000);
  std::shuffle(ids.begin(), ids.end(), std::mt19937(5));
  const auto first = open(ids);
  EXPECT_EQ(open(ids)->info().rows_fingerprint, first->info().rows_fingerprint);
  std::swap(ids[10], ids[11]);
  const auto swapped = open(ids);
  EXPECT_EQ(swapped->info().file_bytes, first->info().file_bytes);
  EXPECT_NE(swapped->info().rows_fingerprint, first->info().rows_fingerprint);
}

TEST_F(OverlayTest, AWriterTakesTheRowsOfTheBaseAndNoOther) {
  const auto reader = Reader::Open(base_);
  WriterOptions options;
  options.overlay = *BindOverlay(**reader, Ranges{{300, 600}});
  for (const size_t num_rows : {299U, 300U, 301U}) {
    std::vector<std::byte> bytes;
    const auto writer = Writer::Create(CreateMemoryFile(&bytes, "o"), SmallSchema(), options);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->AppendColumns(num_rows, {}).ok());
    const auto report = (*writer)->Finish();
    EXPECT_EQ(report.ok(), num_rows == 300) << num_rows;
    if (!report.ok()) {
      EXPECT_EQ(report.status().code(), StatusCode::kInvalidArgument);
    }
  }
  std::vector<std::byte> bytes;
  const auto create = [&] {
    return Writer::Create(CreateMemoryFile(&bytes, "o"), SmallSchema(), options).status().code();
  };
  options.keep_position = true;
  EXPECT_EQ(create(), StatusCode::kInvalidArgument);
  options.keep_position = false;
  options.overlay->rows[0].end = 601;
  EXPECT_EQ(create(), StatusCode::kInvalidArgument);
  options.overlay->stripe_rows = {1, 300};
  EXPECT_EQ(create(), StatusCode::kOk);
  options.overlay->stripe_rows = {0, 301};
  EXPECT_EQ(create(), StatusCode::kInvalidArgument);
}

TEST_F(OverlayTest, RowsInOrder) {
  OverlayOptions options;
  options.features.only = {"more"};
  const std::string to = folder_.File("over.dsi");
  const auto report = WriteOverlay(*From(Ids(1000)), base_, to, options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_given, 1000U);
  const auto overlay = Reader::Open(to);
  EXPECT_EQ((*overlay)->stripes().size(), 3U);
  EXPECT_TRUE((*overlay)->Verify()->empty());
  EXPECT_EQ((*overlay)->info().overlay->rows, (Ranges{{0, 1000}}));
  const auto both = Dataset::Open(folder_.path());
  ASSERT_TRUE(both.ok()) << both.status().ToString();
  EXPECT_EQ((*both)->num_rows(), 2000U);  // With those of rows/rows.dsi.
  const auto dataset = *Dataset::Open(std::vector{base_, to});
  const std::vector<ModelRow> rows = Lists(*dataset, "more");
  ASSERT_EQ(rows.size(), 1000U);
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(rows[static_cast<size_t>(i)], ListOf(i));
  for (const int64_t count : {999, 1001}) {
    options.writer.overwrite = true;
    const auto wrong = WriteOverlay(*From(Ids(count)), base_, to, options);
    EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(wrong.status().message().find(std::to_string(count) + " rows for 1000"),
              std::string::npos)
        << wrong.status().message();
  }
}

TEST_F(OverlayTest, DeletedRowsOfTheBaseAreNotGiven) {
  ASSERT_TRUE(DeleteRows(base_, {{"id", Compare::kLess, 10}}).ok());
  std::vector<int64_t> ids = Ids(1000);
  ids.erase(ids.begin(), ids.begin() + 10);
  OverlayOptions options;
  const std::string to = folder_.File("over.dsi");
  for (const char* key : {"", "id"}) {
    options.key = key;
    const auto report = WriteOverlay(*From(ids), base_, to, options);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->num_given, 990U);
    EXPECT_EQ(report->num_deleted, 10U);
    EXPECT_EQ(report->write.num_rows, 1000U);
    const std::vector<ModelRow> rows = Lists(**Dataset::Open(std::vector{base_, to}), "more");
    ASSERT_EQ(rows.size(), 990U);
    for (size_t i = 0; i < 990; ++i) EXPECT_EQ(rows[i], ListOf(static_cast<int64_t>(i) + 10));
    options.writer.overwrite = true;
  }
}

TEST_F(OverlayTest, RowsByAKeyComeInAnyOrder) {
  std::vector<int64_t> ids = Ids(1100);
  ids.erase(ids.begin() + 500, ids.begin() + 600);  // Not given; 1000 … 1099 are not used.
  const auto write = [&](const std::string& name, const std::string& key, const Ranges& rows) {
    OverlayOptions options;
    options.key = key;
    options.rows = rows;
    options.features.only = {"more"};
    options.writer.overwrite = true;
    const auto report = WriteOverlay(*From(ids), base_, folder_.File(name), options);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *report : OverlayReport{};
  };
  for (const Ranges& rows : std::vector<Ranges>{{}, {{0, 300}, {600, 1000}}}) {
    std::sort(ids.begin(), ids.end());
    const OverlayReport in_order = write("in_order.over", "id", rows);
    EXPECT_EQ(in_order.num_given, rows.empty() ? 900U : 700U);
    EXPECT_EQ(in_order.num_unused, rows.empty() ? 100U : 300U);
    EXPECT_EQ(in_order.write.num_rows, rows.empty() ? 1000U : 700U);
    std::mt19937_64 random(1);
    std::shuffle(ids.begin(), ids.end(), random);
    for (const char* key : {"id", "name"}) {
      const OverlayReport shuffled = write("shuffled.over", key, rows);
      EXPECT_EQ(shuffled.num_given, in_order.num_given);
      EXPECT_EQ(shuffled.num_unused, in_order.num_unused);
      // The same rows, the same bytes.
      EXPECT_EQ(ReadBytes(folder_.File("shuffled.over")), ReadBytes(folder_.File("in_order.over")));
    }
    const auto dataset = Dataset::Open(std::vector{base_, folder_.File("shuffled.over")});
    ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
    const std::vector<ModelRow> lists = Lists(**dataset, "more");
    for (int64_t i = 0; i < 1000; ++i) {
      const bool is_given = (i < 500 || i >= 600) && (rows.empty() || i < 300 || i >= 600);
      EXPECT_EQ(lists[static_cast<size_t>(i)], is_given ? ListOf(i) : ModelRow()) << i;
    }
  }
}

// Also where rows are sorted first, in a file that has the new names already.
TEST_F(OverlayTest, RowsByAKeyAreRenamed) {
  std::vector<int64_t> ids = Ids(1000);
  std::shuffle(ids.begin(), ids.end(), std::mt19937_64(1));
  OverlayOptions options;
  options.key = "id";
  options.features.rename = {{"more", "more_v2"}};
  const auto report = WriteOverlay(*From(ids), base_, folder_.File("over.dsi"), options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const auto renamed = Dataset::Open(std::vector{base_, folder_.File("over.dsi")});
  ASSERT_TRUE(renamed.ok()) << renamed.status().ToString();
  const std::vector<ModelRow> rows = Lists(**renamed, "more_v2");
  ASSERT_EQ(rows.size(), 1000U);
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(rows[static_cast<size_t>(i)], ListOf(i));
}

// What was rounded before is told of the overlay, however the rows came.
TEST_F(OverlayTest, RowsByAKeyThatWereRounded) {
  Schema schema;
  schema.features = {OneColumn("id", Kind::kKey, Type::kInt64),
                     OneColumn("share", Kind::kDense, Type::kFloat32)};
  schema.features[1].columns[0].precision = Precision::kFp16;
  std::filesystem::create_directories(folder_.File("rounded"));
  const std::string from = folder_.File("rounded/rows.dsi");
  const auto writer = Writer::Create(from, schema);
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  for (int64_t id = 1000; id-- > 0;) {
    ASSERT_TRUE(batch.SetInt(0, id).ok() && batch.SetDouble(1, static_cast<double>(id) / 7).ok() &&
                batch.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(batch).ok() && (*writer)->Finish().ok());
  const double max_error = (*Reader::Open(from))->FindColumn("share")->max_error;
  ASSERT_GT(max_error, 0);
  const std::string to = folder_.File("over.dsi");
  const auto report = WriteOverlay(**Dataset::Open(from), base_, to, {.key = "id"});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ((*Reader::Open(to))->FindColumn("share")->max_error, max_error);
}

TEST_F(OverlayTest, RowsByAKeySwapNames) {
  Schema schema;
  schema.features = {OneColumn("id", Kind::kKey, Type::kInt64),
                     OneColumn("a", Kind::kList, Type::kInt64),
                     OneColumn("b", Kind::kList, Type::kInt64)};
  std::vector<int64_t> ids = Ids(1000);
  for (const bool is_shuffled : {false, true}) {
    if (is_shuffled) std::shuffle(ids.begin(), ids.end(), std::mt19937_64(1));
    const std::string from = folder_.File("swap/rows.dsi");
    std::filesystem::create_directories(folder_.File("swap"));
    WriterOptions anew;
    anew.overwrite = true;
    const auto writer = Writer::Create(from, schema, anew);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch batch((*writer)->schema());
    for (const int64_t id : ids) {
      const std::vector<int64_t> a = {id}, b = {id, id + 5000};
      ASSERT_TRUE(batch.SetInt(0, id).ok() && batch.SetInts(1, 0, a).ok() &&
                  batch.SetInts(2, 0, b).ok() && batch.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(batch).ok() && (*writer)->Finish().ok());
    OverlayOptions options;
    options.key = "id";
    options.features.rename = {{"a", "b"}, {"b", "a"}};
    options.writer.overwrite = true;
    const std::string to = folder_.File("over.dsi");
    const auto report = WriteOverlay(**Dataset::Open(from), base_, to, options);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    const auto dataset = Dataset::Open(std::vector{base_, to});
    ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
    const std::vector<ModelRow> a = Lists(**dataset, "a"), b = Lists(**dataset, "b");
    ASSERT_EQ(a.size(), 1000U);
    for (uint64_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(a[i], (std::vector<uint64_t>{i, i + 5000})) << is_shuffled;
      EXPECT_EQ(b[i], std::vector<uint64_t>{i}) << is_shuffled;
    }
  }
}

TEST_F(OverlayTest, KeysTellRowsApart) {
  const std::string to = folder_.File("over.dsi");
  OverlayOptions options;
  options.key = "id";
  EXPECT_NE(Message(WriteOverlay(*From({5, 7, 5}), base_, to, options))
                .find("rows 0 and 2 have the same \"id\""),
            std::string::npos);
  Schema schema = ScoreSchema();
  folder_.Put("twice.dsi", IdFile({1, 2, 1}, schema));
  EXPECT_NE(Message(WriteOverlay(*From({1}), folder_.File("twice.dsi"), to, options))
                .find("the base has a \"id\" twice, the second time in row 2"),
            std::string::npos);
  for (const char* key : {"more", "nothing"}) {
    options.key = key;
    EXPECT_EQ(WriteOverlay(*From({1}), base_, to, options).status().code(),
              StatusCode::kInvalidArgument)
        << key;
  }
  options.key = "id";
  options.features.only = {"id"};
  EXPECT_TRUE(WriteOverlay(*From({1}), base_, to, options).ok());
  options.features.only = {};
  options.features.drop = {"name", "more"};
  EXPECT_NE(Message(WriteOverlay(*From({1}), base_, to, options)).find("no features"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.File("rows/over.dsi")));
}

// DS-041: said when it is opened, and what it is that does not fit.
TEST_F(OverlayTest, DS041ABaseThatIsNotThereOrIsAnother) {
  const std::string to = folder_.File("over.dsi");
  ASSERT_TRUE(WriteOverlay(*From(Ids(1000)), base_, to, {.features = {.only = {"more"}}}).ok());
  const auto open = [&] {
    const auto dataset = Dataset::Open(std::vector{base_, to});
    if (!dataset.ok()) {
      EXPECT_EQ(dataset.status().code(), StatusCode::kBadInput);
      EXPECT_NE(dataset.status().message().find("DS-041"), std::string::npos);
    }
    return dataset.ok() ? "ok" : dataset.status().message();
  };
  EXPECT_EQ(open(), "ok");
  const auto alone = Dataset::Open(to);
  EXPECT_EQ(alone.status().code(), StatusCode::kBadInput);
  EXPECT_NE(alone.status().message().find("name its base beside it"), std::string::npos);
  EXPECT_NE(BindOverlay(**Reader::Open(to)).status().message().find("an overlay itself"),
            std::string::npos);
  // As many rows, one of which is another.
  Schema schema = ScoreSchema();
  schema.features.pop_back();
  std::vector<int64_t> ids = Ids(1000);
  std::swap(ids[998], ids[999]);
  folder_.Put("base.dsi", IdFile(ids, schema, 300));
  EXPECT_NE(open().find("was written anew"), std::string::npos);
  // The same rows in other stripes, and one row more or less.
  folder_.Put("base.dsi", IdFile(Ids(1000), schema, 200));
  EXPECT_NE(open().find("was written anew"), std::string::npos);
  for (const int64_t count : {999, 1001}) {
    folder_.Put("base.dsi", IdFile(Ids(count), schema, 300));
    EXPECT_NE(open().find("name its base beside it"), std::string::npos);
  }
  folder_.Put("base.dsi", IdFile(Ids(1000), schema, 300));
  EXPECT_EQ(open(), "ok");
}

// DS-042: names and ids.
TEST_F(OverlayTest, DS042FeaturesThatCannotStandBesideEachOther) {
  const auto with = [&](const std::vector<FeatureSpec>& features) {
    Schema schema;
    schema.features = features;
    folder_.Put("o.dsi", IdFile(Ids(1000), schema, 300, *BindOverlay(**Reader::Open(base_))));
    const auto dataset = *Dataset::Open(std::vector{base_, folder_.File("o.dsi")});
    const auto columns = dataset->Columns();
    if (!columns.ok()) return columns.status().message();
    std::string names;
    for (const ColumnInfo& column : *columns) names += column.name + " ";
    return names;
  };
  EXPECT_EQ(with({OneColumn("x", Kind::kDense, Type::kInt32)}), "id name x ");
  EXPECT_EQ(with({OneColumn("id", Kind::kDense, Type::kInt32)}), "id name ");
  const uint64_t id_of_name = Reader::Open(base_)->get()->FindColumn("name")->feature_id;
  EXPECT_EQ(with({OneColumn("title", Kind::kString, Type::kBytes, id_of_name)}), "id title ");
  EXPECT_NE(with({OneColumn("id", Kind::kKey, Type::kInt64, id_of_name)}).find("DS-042"),
            std::string::npos);
}

// DS-043: a file whose overlays come and go is another dataset.
TEST_F(OverlayTest, DS004DS017TheSnapshotAndManifestsKnowOfOverlays) {
  const std::string to = folder_.File("over.dsi");
  ASSERT_TRUE(WriteOverlay(*From(Ids(1000)), base_, to, {.features = {.only = {"more"}}}).ok());
  const auto one = *Dataset::Open(base_);
  const auto both = *Dataset::Open(std::vector{base_, to});
  EXPECT_NE(one->snapshot(), both->snapshot());
  EXPECT_EQ(both->files().size(), 1U);
  EXPECT_EQ(both->files()[0].overlays, std::vector{to});
  // The names' order is that of the files; a manifest tells all without opening them.
  const auto text = both->Manifest(folder_.path());
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  folder_.PutText("all.json", *text);
  const auto again = Dataset::Open(folder_.File("all.json"));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ((*again)->snapshot(), both->snapshot());
  EXPECT_EQ((*again)->files()[0].overlays, std::vector{to});
  EXPECT_EQ(Lists(**again, "more"), Lists(*both, "more"));
  EXPECT_EQ(*(*again)->Manifest(folder_.path()), *text);
  // What a manifest says of an overlay is held against it (DS-016, F-088).
  for (const auto& [was, is] : std::vector<std::pair<std::string, std::string>>{
           {"\"base\": \"base.dsi\"", "\"base\": \"other.dsi\""},
           {"\"rows\": [[0, 1000]]", "\"rows\": [[0, 1001]]"},
           {"\"base_rows\": 1000", "\"base_rows\": 1001"},
           {"[[0, 1000]]", "[[0, 1000, 3]]"}}) {
    std::string other = *text;
    ASSERT_NE(other.find(was), std::string::npos) << was << *text;
    other.replace(other.find(was), was.size(), is);
    folder_.PutText("other.json", other);
    EXPECT_FALSE(Dataset::Open(folder_.File("other.json")).ok()) << is;
  }
  Schema schema = ScoreSchema();
  schema.features.pop_back();
  std::vector<int64_t> ids = Ids(1000);
  std::swap(ids[0], ids[1]);
  folder_.Put("swapped.dsi", IdFile(ids, schema, 300));
  const auto swapped = *Dataset::Open(folder_.File("swapped.dsi"));
  // A manifest that gives it another base.
  std::string lie = *swapped->Manifest(folder_.path());
  const size_t at = text->find("{\"path\": \"over.dsi\"");
  const size_t schema_at = text->find("{\"id\": ");
  ASSERT_NE(at, std::string::npos);
  std::string entry = text->substr(at, text->find("]}}", at) + 3 - at);
  entry.replace(entry.find("base.dsi"), 8, "swapped.dsi");
  lie.insert(lie.rfind("\n]\n}"), ",\n  " + entry);
  // The schema of the overlay, which is the second of both.
  const size_t second = text->find("{\"id\": ", schema_at + 1);
  lie.insert(lie.find("\n],\n\"files\""),
             ",\n  " + text->substr(second, text->find("]}", second) + 2 - second));
  folder_.PutText("lie.json", lie);
  const auto believed = Dataset::Open(folder_.File("lie.json"));
  ASSERT_TRUE(believed.ok()) << believed.status().ToString() << lie;
  DatasetScanOptions options;
  options.scan.features = {{.name = "more", .layout = Layout::kJagged}};
  const auto scan = (*believed)->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  const auto more = (*scan)->Next(&batch);
  EXPECT_EQ(more.status().code(), StatusCode::kBadInput);
  EXPECT_NE(more.status().message().find("F-088"), std::string::npos) << more.status().message();
}

// One file of all is what writing all at once gives, to the byte.
TEST(OverlayRewrite, IsWhatOneWriterMakesOfAllFeatures) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const OverlaidTable model(seed, 1 + seed % 3, 90, 4);
    std::set<std::string> known;
    const auto columns = model.dataset->Columns();
    for (const ColumnInfo& column : *columns) known.insert(column.feature);
    RewriteOptions options;
    options.writer = StripesOf(300);
    options.writer.cluster_by = {"session_id", "time"};
    const std::string to = model.folder.File("out.rewritten");
    const auto report = Rewrite(*model.dataset, to, options);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->num_rows, model.table.num_rows);
    // The same features in the order in which the dataset has them.
    const auto schema = RewrittenSchema(*model.dataset, {});
    ASSERT_TRUE(schema.ok()) << schema.status().ToString();
    ModelTable afresh = Only(model.table, known);
    ModelTable ordered = afresh;
    ordered.schema = *schema;
    ordered.columns.clear();
    for (const FeatureSpec& feature : schema->features) {
      for (size_t c = 0; c < feature.columns.size(); ++c)
        ordered.columns.push_back(afresh.Column(ColumnName(feature, c)));
    }
    ASSERT_EQ(ordered.columns.size(), columns->size());
    EXPECT_EQ(ReadBytes(to), WriteRows(ordered, options.writer)) << seed;
  }
}

}  // namespace
}  // namespace dsi::test
