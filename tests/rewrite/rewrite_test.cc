// Rows of files written as other files are what a writer makes of the same rows.
#include "dsi/rewrite/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"

namespace dsi::test {
namespace {

WriterOptions SmallStripes(std::vector<std::string> keys) {
  WriterOptions options = StripesOf(300);
  options.cluster_by = std::move(keys);
  return options;
}

// The table without some of its features.
ModelTable Without(const ModelTable& table, const std::set<std::string>& names) {
  ModelTable less = table;
  std::erase_if(less.schema.features,
                [&](const FeatureSpec& feature) { return names.contains(feature.name); });
  std::erase_if(less.columns, [&](const ModelColumn& column) {
    return names.contains(column.name.substr(0, column.name.rfind('.'))) ||
           names.contains(column.name);
  });
  for (GroupSpec& group : less.schema.groups)
    std::erase_if(group.features, [&](const std::string& name) { return names.contains(name); });
  std::erase_if(less.schema.groups, [](const GroupSpec& group) { return group.features.empty(); });
  return less;
}

TEST(Rewrite, ManyFilesAreWhatOneWriterMakesOfTheirRows) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const ModelTable input = RandomTable(seed, 900 + 37 * seed, 1 + seed * 3);
    const ModelDataset from(input, seed, 200);
    for (const auto& keys :
         std::vector<std::vector<std::string>>{{"session_id", "time"}, {"session_id"}, {}}) {
      RewriteOptions options;
      options.writer = SmallStripes(keys);
      options.writer.keep_order = keys.empty();
      options.writer.overwrite = true;
      options.writer.threads = static_cast<int>(seed % 3);
      const std::string to = from.folder.File("out.rewritten");
      const auto report = Rewrite(*from.dataset, to, options);
      ASSERT_TRUE(report.ok()) << report.status().ToString();
      EXPECT_EQ(report->num_rows, from.table.num_rows);
      ModelTable afresh = from.table;
      SetIds(*from.dataset, &afresh);
      EXPECT_EQ(ReadBytes(to), WriteRows(afresh, options.writer)) << seed << " " << keys.size();
    }
  }
}

// All entries of the lists of a file.
std::vector<int64_t> ListsOf(const std::string& path) {
  const auto reader = Reader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  const auto scan = (*reader)->NewScan({.features = {{.name = "ids", .layout = Layout::kJagged}}});
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<int64_t> values;
  Batch batch;
  while (true) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) return values;
    const JaggedView view = *batch.Jagged("ids");
    const auto* const from = static_cast<const int64_t*>(view.values);
    values.insert(values.end(), from, from + view.num_values);
  }
}

// Batches become smaller, and reading gets more of the memory, where a stripe takes more than a
// quarter of it: 8 MB of lists that all differ.
TEST(Rewrite, LittleMemoryIsEnough) {
  constexpr size_t kRows = 4'000;
  constexpr size_t kLength = 250;
  Schema schema;
  schema.features.push_back({.name = "ids",
                             .kind = Kind::kList,
                             .columns = {{.name = "", .type = Type::kInt64, .id_space = ""}}});
  DatasetFolder folder;
  const std::string path = folder.File("in.dsi");
  std::mt19937_64 random(7);
  std::vector<int64_t> list(kLength), lists;
  WriterOptions writing = StripesOf(1'500);
  writing.keep_order = true;
  {
    const auto writer = Writer::Create(path, schema, writing);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch rows((*writer)->schema());
    for (size_t row = 0; row < kRows; ++row) {
      for (int64_t& id : list) id = static_cast<int64_t>(random());
      lists.insert(lists.end(), list.begin(), list.end());
      ASSERT_TRUE(rows.SetInts(0, 0, list).ok());
      ASSERT_TRUE(rows.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(rows).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  const auto dataset = Dataset::Open(path);
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  uint64_t least = 0;
  for (uint64_t memory = 64 << 20; memory >= 1 << 20; memory = memory * 7 / 8) {
    RewriteOptions options;
    options.writer = writing;
    options.writer.memory_bytes = memory;
    options.writer.overwrite = true;
    const std::string to = folder.File("out.rewritten");
    const auto report = Rewrite(**dataset, to, options);
    if (!report.ok()) {
      EXPECT_EQ(report.status().code(), StatusCode::kResourceExhausted);
      break;
    }
    EXPECT_EQ(ListsOf(to), lists) << memory;
    least = memory;
  }
  EXPECT_LE(least, 16 << 20);
}

TEST(Rewrite, TheSchemaOfOneFileIsItsOwn) {
  const ModelDataset from(RandomTable(3, 200, 5), 1, 100);
  const auto schema = RewrittenSchema(*from.dataset, {});
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  const auto reader = Reader::Open(from.dataset->files()[0].path);
  EXPECT_EQ(*schema->ToJson(), *(*reader)->schema()->ToJson());
  ModelTable table = from.table;
  SetIds(*from.dataset, &table);
  table.schema.cluster_by = {"session_id", "time"};
  EXPECT_EQ(*schema->ToJson(), *table.schema.ToJson());
}

TEST(Rewrite, FeaturesAreKeptDroppedAndRenamed) {
  const ModelDataset from(RandomTable(5, 700, 8), 3, 200);
  RewriteOptions options;
  options.writer = SmallStripes({"session_id", "time"});
  const std::vector<FeatureSpec>& all = from.table.schema.features;
  std::set<std::string> gone;
  for (const FeatureSpec& feature : all) {
    if (feature.name == "session_id" || feature.name == "time") continue;
    const bool is_owner =
        std::any_of(from.table.schema.groups.begin(), from.table.schema.groups.end(),
                    [&](const GroupSpec& group) { return group.owner == feature.name; });
    if (!is_owner && gone.size() < all.size() / 2) gone.insert(feature.name);
  }
  options.features.drop.assign(gone.begin(), gone.end());
  const std::string to = from.folder.File("less.rewritten");
  ASSERT_TRUE(Rewrite(*from.dataset, to, options).ok());
  ModelTable less = Without(from.table, gone);
  SetIds(*from.dataset, &less);
  ASSERT_LT(less.columns.size(), from.table.columns.size());
  EXPECT_EQ(ReadBytes(to), WriteRows(less, options.writer));

  // The same by what stays.
  options.features.drop.clear();
  for (const FeatureSpec& feature : less.schema.features)
    options.features.only.push_back(feature.name);
  options.writer.overwrite = true;
  ASSERT_TRUE(Rewrite(*from.dataset, to, options).ok());
  EXPECT_EQ(ReadBytes(to), WriteRows(less, options.writer));

  options.features = {};
  options.features.rename = {{"session_id", "session"}};
  options.writer.cluster_by = {};
  ASSERT_TRUE(Rewrite(*from.dataset, to, options).ok());
  const auto reader = Reader::Open(to);
  EXPECT_EQ((*reader)->schema()->cluster_by, (std::vector<std::string>{"session", "time"}));
  EXPECT_LT((*reader)->schema()->FindFeature("session_id"), 0);
  ModelTable renamed = from.table;
  SetIds(*from.dataset, &renamed);
  for (FeatureSpec& feature : renamed.schema.features) {
    if (feature.name == "session_id") feature.name = "session";
  }
  for (ModelColumn& column : renamed.columns) {
    if (column.name == "session_id") column.name = "session";
  }
  for (GroupSpec& group : renamed.schema.groups) {
    if (group.owner == "session_id") group.owner = "session";
    std::replace(group.features.begin(), group.features.end(), std::string("session_id"),
                 std::string("session"));
  }
  renamed.schema.cluster_by = {"session", "time"};
  EXPECT_EQ(ReadBytes(to), WriteRows(renamed, options.writer));
}

TEST(Rewrite, SequencesLoseColumns) {
  const ModelDataset from(RandomTable(5, 700, 8), 3, 200);
  RewriteOptions options;
  options.writer = SmallStripes({"session_id", "time"});
  options.writer.overwrite = true;
  const std::string to = from.folder.File("less.rewritten");
  ModelTable less = from.table;
  SetIds(*from.dataset, &less);
  const auto sequence =
      std::find_if(less.schema.features.begin(), less.schema.features.end(),
                   [](const FeatureSpec& feature) { return feature.kind == Kind::kSequence; });
  ASSERT_NE(sequence, less.schema.features.end());
  const std::string name = sequence->name;
  const std::string first = sequence->columns[0].name;
  ASSERT_GT(sequence->columns.size(), 1U);
  std::vector<std::string> others;
  for (const FeatureSpec& feature : less.schema.features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      const bool is_other = feature.name == name ? c != 0 : c == 0;
      if (is_other) others.push_back(feature.name == name ? ColumnName(feature, c) : feature.name);
    }
  }
  DropColumn(name, first, &less);
  options.features.drop = {name + "." + first};
  ASSERT_TRUE(Rewrite(*from.dataset, to, options).ok());
  EXPECT_EQ(ReadBytes(to), WriteRows(less, options.writer));
  options.features = {.only = others};
  ASSERT_TRUE(Rewrite(*from.dataset, to, options).ok());
  EXPECT_EQ(ReadBytes(to), WriteRows(less, options.writer));
  options.features = {};
  options.features.schema = less.schema;
  options.features.schema->cluster_by = {"session_id", "time"};
  ASSERT_TRUE(Rewrite(*from.dataset, to, options).ok());
  EXPECT_EQ(ReadBytes(to), WriteRows(less, options.writer));

  // The last of its columns takes the feature along.
  options.features = {.drop = {name + ".*"}};
  const auto schema = RewrittenSchema(*from.dataset, options.features);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_LT(schema->FindFeature(name), 0);
  const auto said = [&](const FeatureChanges& changes) {
    return RewrittenSchema(*from.dataset, changes).status().ToString();
  };
  EXPECT_NE(said({.rename = {{name + "." + first, "x"}}}).find("is a column"), std::string::npos);
  EXPECT_NE(said({.drop = {"user.topics.weights"}}).find("no feature is called"),
            std::string::npos);
  Schema more = *RewrittenSchema(*from.dataset, {});
  more.features[static_cast<size_t>(more.FindFeature(name))].columns[0].name = "price";
  EXPECT_NE(said({.schema = more}).find("the files have no column \"" + name + ".price\""),
            std::string::npos);
}

TEST(Rewrite, FilesThatDifferBecomeOneSchema) {
  DatasetFolder folder;
  Schema old_schema;
  old_schema.features = {OneColumn("key", Kind::kKey, Type::kInt32, 1),
                         OneColumn("was", Kind::kDense, Type::kFloat32, 2),
                         OneColumn("gone", Kind::kList, Type::kInt32, 3)};
  Schema new_schema;
  new_schema.features = {OneColumn("added", Kind::kDense, Type::kInt16, 4),
                         OneColumn("key", Kind::kKey, Type::kInt64, 1),
                         OneColumn("is", Kind::kDense, Type::kFloat64, 2)};
  folder.PutRows("a.dsi", 0, 10, old_schema);
  folder.PutRows("b.dsi", 10, 10, new_schema);
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok());
  const std::string to = folder.File("both");
  const auto report = Rewrite(**dataset, to);
  ASSERT_TRUE(report.ok()) << report.status().ToString();

  Schema expected = new_schema;
  expected.features.push_back(old_schema.features[2]);
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "afresh"), expected);
  ASSERT_TRUE(writer.ok());
  RowBatch rows((*writer)->schema());
  for (int64_t i = 0; i < 20; ++i) {
    if (i >= 10) {
      ASSERT_TRUE(rows.SetInt(0, i).ok());
    }
    ASSERT_TRUE(rows.SetInt(1, i).ok());
    ASSERT_TRUE(rows.SetDouble(2, static_cast<double>(i) / 2).ok());
    if (i < 10) {
      ASSERT_TRUE(rows.SetInts(3, 0, std::vector<int64_t>{i, i + 1}).ok());
    }
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(ReadBytes(to), bytes);
}

// DS-021: what older files cluster by, and who owns their groups, is called as newer ones call it.
TEST(Rewrite, KeysAndOwnersThatWereRenamed) {
  DatasetFolder folder;
  Schema old_schema;
  old_schema.features = {OneColumn("sid", Kind::kKey, Type::kInt64, 1),
                         OneColumn("uid", Kind::kKey, Type::kInt64, 2),
                         OneColumn("gone", Kind::kList, Type::kInt32, 3),
                         OneColumn("rough", Kind::kList, Type::kFloat32, 4)};
  old_schema.features[3].columns[0].precision = Precision::kFp16;
  old_schema.cluster_by = {"sid"};
  old_schema.groups = {{.name = "user", .owner = "uid", .features = {"gone"}}};
  Schema new_schema;
  new_schema.features = {OneColumn("session", Kind::kKey, Type::kInt64, 1),
                         OneColumn("user", Kind::kKey, Type::kInt64, 2),
                         OneColumn("fine", Kind::kList, Type::kFloat32, 4)};
  new_schema.features[2].columns[0].precision = Precision::kFp16;
  folder.PutRows("a.dsi", 50'001, 10, old_schema);  // Rounded.
  folder.PutRows("b.dsi", 10, 10, new_schema);
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  const auto schema = RewrittenSchema(**dataset, {});
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_EQ(schema->cluster_by, std::vector<std::string>{"session"});
  ASSERT_EQ(schema->groups.size(), 1U);
  EXPECT_EQ(schema->groups[0].owner, "user");
  EXPECT_EQ(schema->groups[0].features, std::vector<std::string>{"gone"});
  EXPECT_EQ(schema->features.size(), 4U);
  const auto columns = (*Reader::Open(folder.File("a.dsi")))->Columns();
  EXPECT_GT((*columns)[3].max_error, 0);
  EXPECT_EQ(schema->features[2].columns[0].max_error, (*columns)[3].max_error);
  const auto report = Rewrite(**dataset, folder.File("both"));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_rows, 20U);
  // S-014: what newer files store exactly has no error that could be told.
  new_schema.features[2].columns[0].precision = Precision::kExact;
  folder.PutRows("b.dsi", 10, 10, new_schema);
  const auto exact = RewrittenSchema(**Dataset::Open(folder.path()), {});
  ASSERT_TRUE(exact.ok()) << exact.status().ToString();
  EXPECT_EQ(exact->features[2].columns[0].max_error, 0);
  // Names that two features have exchanged.
  Schema swapped = old_schema;
  swapped.cluster_by.clear();
  swapped.groups.clear();
  std::swap(swapped.features[0].id, swapped.features[1].id);
  folder.PutRows("b.dsi", 10, 10, swapped);
  const auto exchanged = RewrittenSchema(**Dataset::Open(folder.path()), {});
  ASSERT_TRUE(exchanged.ok()) << exchanged.status().ToString();
  EXPECT_EQ(exchanged->cluster_by, std::vector<std::string>{"uid"});
}

// DS-022: what is left out may be what files disagree about.
TEST(Rewrite, WhatFilesDisagreeAboutIsLeftOutOrTold) {
  DatasetFolder folder;
  const auto schema = [](Kind kind, Type type) {
    Schema made;
    made.features = {OneColumn("key", Kind::kKey, Type::kInt64), OneColumn("odd", kind, type)};
    return made;
  };
  folder.PutRows("a.dsi", 0, 10, schema(Kind::kList, Type::kInt64));
  folder.PutRows("b.dsi", 10, 10, schema(Kind::kDense, Type::kFloat32));
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok());
  const std::string to = folder.File("both");
  EXPECT_EQ(RewrittenSchema(**dataset, {}).status().code(), StatusCode::kBadInput);
  EXPECT_EQ(RewrittenSchema(**dataset, {.rename = {{"odd", "even"}}}).status().code(),
            StatusCode::kBadInput);
  EXPECT_EQ(Rewrite(**dataset, to).status().code(), StatusCode::kBadInput);
  EXPECT_FALSE(std::filesystem::exists(to));
  RewriteOptions options;
  options.features.drop = {"odd"};
  const auto report = Rewrite(**dataset, to, options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const auto keys = RewrittenSchema(**dataset, options.features);
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->features.size(), 1U);
  EXPECT_EQ(ReadBytes(to), SmallFile(*keys, 0, 20));
}

// Of the newest file the ids of a space are whole numbers still.
TEST(Rewrite, QuantitiesThatBecameFractionsLeaveTheirIdSpace) {
  DatasetFolder folder;
  Schema schema;
  schema.features.push_back({.name = "s", .kind = Kind::kSequence});
  schema.features[0].columns = {{"n", Type::kFloat64, ""}};
  folder.PutRows("a.dsi", 0, 10, schema);
  schema.features[0].columns = {{"n", Type::kInt64, "ids"}};
  folder.PutRows("b.dsi", 10, 10, schema);
  const auto dataset = Dataset::Open(folder.path());
  const auto report = Rewrite(**dataset, folder.File("both"));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const auto columns = (*Reader::Open(folder.File("both")))->Columns();
  EXPECT_EQ((*columns)[0].type, Type::kFloat64);
}

TEST(Rewrite, AGivenSchemaAddsAndWidens) {
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 10);
  const auto dataset = Dataset::Open(folder.File("a.dsi"));
  Schema wider;
  wider.features = {OneColumn("score", Kind::kDense, Type::kFloat64),
                    OneColumn("fresh", Kind::kList, Type::kInt64),
                    OneColumn("key", Kind::kKey, Type::kInt64)};
  RewriteOptions options;
  options.features.schema = wider;
  ASSERT_TRUE(Rewrite(**dataset, folder.File("b.dsi"), options).ok());
  const auto reader = Reader::Open(folder.File("b.dsi"));
  const auto scan = (*reader)->NewScan({});
  Batch batch;
  ASSERT_TRUE(*(*scan)->Next(&batch));
  const auto score = batch.Padded("score");
  ASSERT_EQ(score->dtype, Type::kFloat64);
  EXPECT_EQ(static_cast<const double*>(score->values)[9], 4.5);
  const auto fresh = batch.Jagged("fresh");
  EXPECT_EQ(std::count(fresh->present, fresh->present + 10, 0), 10);

  const auto refused = [&](const FeatureSpec& feature, const char* part) {
    RewriteOptions to;
    to.features.schema = *(*reader)->schema();
    to.features.schema->features[1] = feature;
    to.writer.overwrite = true;
    const auto report = Rewrite(**Dataset::Open(folder.File("b.dsi")), folder.File("c.dsi"), to);
    EXPECT_NE(report.status().message().find(part), std::string::npos)
        << report.status().ToString();
  };
  // Of 8 bytes, where all are exact.
  for (const int64_t first : {int64_t{0}, (int64_t{1} << 53) - 5}) {
    Schema whole, fractions;
    whole.features = {OneColumn("n", Kind::kDense, Type::kInt64, 1)};
    whole.features.push_back({.name = "s", .kind = Kind::kSequence, .id = 2});
    whole.features[1].columns = {{"n", Type::kInt64, ""}};
    fractions = whole;
    for (FeatureSpec& feature : fractions.features) feature.columns[0].type = Type::kFloat64;
    folder.PutRows("n.dsi", first, 10, whole);
    RewriteOptions to;
    to.features.schema = fractions;
    to.writer.overwrite = true;
    const auto report = Rewrite(**Dataset::Open(folder.File("n.dsi")), folder.File("f.dsi"), to);
    EXPECT_EQ(report.status().code(), first == 0 ? StatusCode::kOk : StatusCode::kOutOfRange)
        << report.status().ToString();
  }

  FeatureSpec hashed = (*reader)->schema()->features[1];
  hashed.columns[0].hashed = true;
  refused(hashed, "feature \"fresh\": its being hashed is not that of the files");

  wider.features[2].columns[0].type = Type::kInt32;
  options.features.schema = wider;
  options.writer.overwrite = true;
  const auto narrower = Rewrite(**dataset, folder.File("b.dsi"), options);
  EXPECT_EQ(narrower.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(narrower.status().message().find("\"key\""), std::string::npos)
      << narrower.status().ToString();
}

TEST(Rewrite, SaysWhatIsWrong) {
  DatasetFolder folder;
  Schema schema = SmallSchema();
  schema.cluster_by = {"key"};
  folder.PutRows("a.dsi", 0, 10, schema);
  const auto dataset = Dataset::Open(folder.path());
  const std::string to = folder.File("out");
  const auto said = [&](const FeatureChanges& changes, WriterOptions writer = {}) {
    RewriteOptions options;
    options.features = changes;
    options.writer = writer;
    const auto report = Rewrite(**dataset, to, options);
    return report.ok() ? "" : report.status().ToString();
  };
  EXPECT_NE(said({.drop = {"skore"}}).find("\"score\""), std::string::npos);
  EXPECT_NE(said({.drop = {"key"}}).find("name other keys"), std::string::npos);
  EXPECT_EQ(said({.drop = {"key"}}, {.keep_order = true, .overwrite = true}), "");
  EXPECT_NE(said({.rename = {{"k*", "x"}}}).find("pattern"), std::string::npos);
  EXPECT_NE(said({.rename = {{"key", "score"}}}), "");
  EXPECT_NE(said({.drop = {"key"}, .schema = schema}).find("a schema says all"), std::string::npos);
  EXPECT_NE(said({}).find("exists"), std::string::npos);
  EXPECT_NE(said({}, {.memory_bytes = 1000, .overwrite = true})
                .find("reading gets three quarters of memory_bytes"),
            std::string::npos);
  RewriteOptions options;
  options.progress = [](const RewriteProgress&) { return false; };
  EXPECT_EQ(Rewrite(**dataset, folder.File("never"), options).status().code(),
            StatusCode::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(folder.File("never")));
}

}  // namespace
}  // namespace dsi::test
