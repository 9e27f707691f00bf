#include "dsi/dataset/files/schema_view_internal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {
namespace {

using internal::MakeView;
using internal::SchemaView;

Schema With(std::vector<FeatureSpec> features) {
  Schema s;
  s.features = std::move(features);
  return s;
}

FeatureSpec Sequence(const std::string& name, const std::vector<std::string>& columns,
                     std::optional<uint64_t> id = {}) {
  FeatureSpec feature{.name = name, .kind = Kind::kSequence, .id = id};
  for (const std::string& column : columns) feature.columns.push_back({column, Type::kInt64, ""});
  return feature;
}

class SchemaViewTest : public ::testing::Test {
 protected:
  // A file of each schema, in this order: f0.dsi, f1.dsi, …
  Result<std::shared_ptr<const SchemaView>> View(const std::vector<Schema>& schemas,
                                                 std::vector<std::string> patterns = {}) {
    folder_ = std::make_unique<DatasetFolder>();
    for (size_t i = 0; i < schemas.size(); ++i)
      folder_->PutRows("f" + std::to_string(i) + ".dsi", 0, 2, schemas[i]);
    auto files = OpenFiles(folder_->path());
    EXPECT_TRUE(files.ok()) << files.status().ToString();
    files_ = *std::move(files);
    // What a manifest says of the schemas gives the same view.
    folder_->PutText("m.json", *files_->Manifest(folder_->path()));
    auto of_manifest = OpenFiles(folder_->File("m.json"));
    EXPECT_TRUE(of_manifest.ok()) << of_manifest.status().ToString();
    auto view = MakeView(*files_, patterns);
    const auto same = MakeView(**of_manifest, patterns);
    EXPECT_EQ(view.ok(), same.ok());
    if (view.ok() && same.ok()) {
      EXPECT_EQ(Told(**view), Told(**same));
    } else {
      EXPECT_EQ(view.status().message(), same.status().message());
    }
    return view;
  }

  // "name:type=its name in each file", '-' where a file lacks the feature; in brackets the column
  // that tells how many entries there are.
  static std::string Told(const SchemaView& view) {
    std::string text;
    for (const ColumnInfo& column : view.columns()) {
      text += (text.empty() ? "" : "; ") + column.name + ":" + std::string(TypeName(column.type));
      for (size_t file = 0; file < kFiles; ++file) {
        if (file >= num_files(view)) break;
        const ColumnInfo* const there = view.InFile(file, column.ordinal);
        text += file == 0 ? "=" : ",";
        const bool is_blank = there != nullptr && view.BlankOf(column.ordinal, *there).has_value();
        text += there == nullptr ? "-" : is_blank ? "[" + there->name + "]" : there->name;
      }
    }
    return text;
  }
  static constexpr size_t kFiles = 8;
  static size_t num_files(const SchemaView& view) { return view.num_files(); }

  std::string Types(Type a, Type b, Kind kind = Kind::kDense) {
    const auto view = View({With({OneColumn("x", kind, a)}), With({OneColumn("x", kind, b)})});
    if (view.ok()) return std::string(TypeName((*view)->columns()[0].type));
    EXPECT_EQ(view.status().code(), StatusCode::kBadInput);
    const std::string& said = view.status().message();
    for (const std::string& word : {std::string("f0.dsi"), std::string("f1.dsi"),
                                    std::string(TypeName(a)), std::string(TypeName(b))}) {
      EXPECT_NE(said.find(word), std::string::npos) << said;
    }
    return "none";
  }

  std::unique_ptr<DatasetFolder> folder_;
  std::unique_ptr<internal::DatasetFiles> files_;
};

TEST_F(SchemaViewTest, Ds025AddedAndDropped) {
  const auto a = OneColumn("a", Kind::kDense, Type::kFloat32);
  const auto b = OneColumn("b", Kind::kDense, Type::kFloat32);
  const auto c = OneColumn("c", Kind::kDense, Type::kFloat32);
  const auto view = View({With({a, b}), With({a, b}), With({b, c})});
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  EXPECT_EQ(Told(**view), "a:float32=a,a,-; b:float32=b,b,b; c:float32=-,-,c");
  EXPECT_EQ((*view)->num_schemas(), 2U);
}

TEST_F(SchemaViewTest, Ds021ARenamedFeatureHasTheNameOfTheLastFile) {
  const auto view = View({With({OneColumn("old", Kind::kDense, Type::kFloat32, 5)}),
                          With({OneColumn("new", Kind::kDense, Type::kFloat32, 5)})});
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  EXPECT_EQ(Told(**view), "new:float32=old,new");
  const Status status = MakeView(*files_, {"old"}).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("is \"new\" in "), std::string::npos) << status.ToString();
}

TEST_F(SchemaViewTest, Ds020TheNameCountsWhereIdsChanged) {
  const auto view = View({With({OneColumn("a", Kind::kDense, Type::kFloat32)}),
                          With({OneColumn("a", Kind::kDense, Type::kFloat32, 7)})});
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(Told(**view), "a:float32=a,a");
}

TEST_F(SchemaViewTest, Ds020TwoFeaturesOfOneFileStayTwo) {
  const auto f = [](const char* name, uint64_t id) {
    return OneColumn(name, Kind::kDense, Type::kFloat32, id);
  };
  const auto view = View({With({f("a", 1)}), With({f("a", 2)}), With({f("b", 1), f("a", 2)})});
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  EXPECT_EQ(Told(**view), "b:float32=a,-,b; a:float32=-,a,a");
  const auto clash = View({With({f("b", 1), f("a", 2)}), With({f("b", 2)})});
  ASSERT_FALSE(clash.ok());
  EXPECT_NE(clash.status().message().find("different features of this name"), std::string::npos);
}

TEST_F(SchemaViewTest, Ds023TypesWiden) {
  EXPECT_EQ(Types(Type::kInt8, Type::kInt8), "int8");
  EXPECT_EQ(Types(Type::kInt8, Type::kInt16), "int32");
  EXPECT_EQ(Types(Type::kInt64, Type::kInt8), "int64");
  EXPECT_EQ(Types(Type::kUint16, Type::kInt32), "int32");
  EXPECT_EQ(Types(Type::kUint32, Type::kInt32), "int64");
  EXPECT_EQ(Types(Type::kUint64, Type::kInt64), "none");
  EXPECT_EQ(Types(Type::kUint64, Type::kUint32), "none");
  EXPECT_EQ(Types(Type::kBool, Type::kInt8), "int32");
  EXPECT_EQ(Types(Type::kFloat32, Type::kFloat64), "float64");
  EXPECT_EQ(Types(Type::kInt16, Type::kFloat32), "float32");
  EXPECT_EQ(Types(Type::kInt32, Type::kFloat32), "float64");
  EXPECT_EQ(Types(Type::kInt64, Type::kFloat64), "float64");
  EXPECT_EQ(Types(Type::kUint64, Type::kFloat32, Kind::kLabel), "float64");
  EXPECT_EQ(Types(Type::kInt64, Type::kFloat64, Kind::kKey), "none");
  EXPECT_EQ(Types(Type::kInt32, Type::kFloat64, Kind::kKey), "float64");
  EXPECT_EQ(Types(Type::kInt32, Type::kFloat64, Kind::kList), "none");
  EXPECT_EQ(Types(Type::kInt32, Type::kInt64, Kind::kList), "int64");
  EXPECT_EQ(Types(Type::kInt64, Type::kBytes, Kind::kKey), "none");
}

TEST_F(SchemaViewTest, Ds023WhateverTheOrderOfFiles) {
  const auto of = [](Type type) { return With({OneColumn("x", Kind::kDense, type)}); };
  for (const auto& types : {std::vector{Type::kInt32, Type::kUint32, Type::kFloat32},
                            std::vector{Type::kFloat32, Type::kInt32, Type::kUint32}}) {
    const auto view = View({of(types[0]), of(types[1]), of(types[2])});
    ASSERT_TRUE(view.ok()) << view.status().ToString();
    EXPECT_EQ((*view)->columns()[0].type, Type::kFloat64);
  }
}

TEST_F(SchemaViewTest, Ds022WhatCannotBeReconciledNamesBothFiles) {
  const auto expect = [&](const FeatureSpec& a, const FeatureSpec& b, const std::string& word_a,
                          const std::string& word_b) {
    const auto x = OneColumn("fine", Kind::kDense, Type::kFloat32);
    const auto view = View({With({x}), With({x, a}), With({x, b})});
    ASSERT_FALSE(view.ok());
    EXPECT_EQ(view.status().code(), StatusCode::kBadInput);
    const std::string& said = view.status().message();
    const size_t at_a = said.find(word_a), at_b = said.find(word_b);
    EXPECT_NE(at_a, std::string::npos) << said;
    EXPECT_NE(at_b, std::string::npos) << said;
    EXPECT_NE(said.find("f1.dsi"), std::string::npos) << said;
    EXPECT_NE(said.find("f2.dsi"), std::string::npos) << said;
    // Others can be read.
    EXPECT_TRUE(MakeView(*files_, {"fine"}).ok());
  };
  const auto dense = OneColumn("x", Kind::kDense, Type::kInt64);
  const auto list = OneColumn("x", Kind::kList, Type::kInt64);
  auto seconds = OneColumn("x", Kind::kTimestamp, Type::kInt64);
  const auto millis = seconds;
  seconds.columns[0].time_unit = TimeUnit::kSeconds;
  auto newest_first = list;
  newest_first.newest_first = true;
  expect(dense, list, "dense of int64", "list of int64");
  expect(dense, OneColumn("x", Kind::kLabel, Type::kInt64), "dense", "label");
  expect(seconds, millis, "in s", "in ms");
  expect(list, newest_first, "newest last", "newest first");
  auto hashed = list, narrow = OneColumn("x", Kind::kList, Type::kInt32);
  hashed.columns[0].hashed = narrow.columns[0].hashed = true;
  expect(list, hashed, "list of int64, newest last", "list of int64, hashed");
  expect(hashed, narrow, "int64, hashed", "int32, hashed");  // The same text has another id.
  const auto sequence = Sequence("x", {"item"});
  expect(list, sequence, "list of int64", "sequence of int64");
  auto other = Sequence("x", {"time"});
  other.newest_first = true;
  expect(sequence, other, "newest last", "newest first");
}

TEST_F(SchemaViewTest, Ds026SequencesThatGainAndLoseColumns) {
  auto renamed = Sequence("y", {"time", "item"}, 5);
  renamed.max_length = 9;
  const auto view = View({With({Sequence("x", {"item", "old"}, 5)}),
                          With({OneColumn("a", Kind::kDense, Type::kFloat32)}), With({renamed})});
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  EXPECT_EQ(Told(**view),
            "y.item:int64=x.item,-,y.item; y.old:int64=x.old,-,[y.time]; "
            "y.time:int64=[x.item],-,y.time; a:float32=-,a,-");
  // F-079 holds for what is made of them.
  for (const ColumnInfo& column : (*view)->columns().first(3)) {
    EXPECT_EQ(column.feature, "y");
    EXPECT_EQ(column.max_length, 9U);
  }
  const auto by_name = MakeView(*files_, {"y", "y.old", "*.time"});
  ASSERT_TRUE(by_name.ok());
  const std::vector<std::vector<uint32_t>> expected = {{0, 1, 2}, {1}, {2}};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), (*by_name)->of_pattern().begin(),
                         (*by_name)->of_pattern().end()));
  EXPECT_NE(MakeView(*files_, {"x.old"}).status().message().find("is \"y.old\" in "),
            std::string::npos);
}

TEST_F(SchemaViewTest, Ds026WhatStandsInEntries) {
  FeatureSpec all = Sequence("x", {"item"});
  all.columns.push_back({"text", Type::kUint32, "", Precision::kExact, 0, true});
  all.columns.push_back({"price", Type::kFloat64, ""});
  all.columns.push_back({"count", Type::kInt8, ""});
  const auto view = View({With({Sequence("x", {"item"})}), With({all})});
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  const auto blank = [&](uint32_t column) {
    return (*view)->BlankOf(column, *(*view)->InFile(0, column));
  };
  EXPECT_FALSE(blank(0).has_value());
  EXPECT_EQ(blank(1)->bits, IdOfText("", Type::kUint32));
  EXPECT_TRUE(std::isnan(std::bit_cast<double>(blank(2)->bits)));
  EXPECT_EQ(blank(3)->type, Type::kInt8);
  EXPECT_EQ(blank(3)->bits, 0U);
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_FALSE((*view)->BlankOf(i, *(*view)->InFile(1, i)).has_value());
}

TEST_F(SchemaViewTest, Ds024DefaultsAndLengths) {
  auto a = OneColumn("x", Kind::kDense, Type::kInt16);
  a.default_bits = 0xFFFF;  // -1
  auto b = OneColumn("x", Kind::kDense, Type::kInt32);
  auto list_a = OneColumn("l", Kind::kList, Type::kInt64);
  auto list_b = list_a;
  list_a.max_length = 7;
  list_b.max_length = 5;
  const auto view = View({With({a, list_a}), With({b, list_b})});
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  EXPECT_EQ((*view)->columns()[0].type, Type::kInt32);
  EXPECT_EQ((*view)->columns()[0].default_bits, 0xFFFFFFFFU);
  EXPECT_EQ((*view)->columns()[1].max_length, 7U);
}

TEST_F(SchemaViewTest, PatternsAreThoseOfOneFile) {
  const auto view = View({With({OneColumn("a.x", Kind::kDense, Type::kFloat32),
                                OneColumn("a.y", Kind::kDense, Type::kFloat32),
                                OneColumn("b", Kind::kDense, Type::kFloat32)})},
                         {"b", "a.*", "a.y"});
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  EXPECT_EQ(Told(**view), "b:float32=b; a.x:float32=a.x; a.y:float32=a.y");
  const std::vector<std::vector<uint32_t>> expected = {{0}, {1, 2}, {2}};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), (*view)->of_pattern().begin(),
                         (*view)->of_pattern().end()));
  EXPECT_EQ(MakeView(*files_, {"c*"}).status().code(), StatusCode::kNotFound);
  EXPECT_NE(MakeView(*files_, {"a.z"}).status().message().find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace dsi::test
