// Which files of a dataset have which columns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {
namespace {

Schema Of(std::vector<FeatureSpec> features) {
  Schema schema;
  schema.features = std::move(features);
  return schema;
}

FeatureSpec Events(const std::vector<std::string>& columns) {
  FeatureSpec feature{.name = "events", .kind = Kind::kSequence};
  for (const std::string& column : columns) feature.columns.push_back({column, Type::kInt64, ""});
  return feature;
}

// "name files+blank first-last names types", a column a line.
std::string Told(const Dataset& dataset) {
  const auto columns = dataset.FilesOfColumns();
  EXPECT_TRUE(columns.ok()) << columns.status().ToString();
  std::string text;
  for (const ColumnFiles& found : *columns) {
    text += fmt::format("{} {}+{} {}-{}", found.column.name, found.num_files, found.num_blank,
                        found.first, found.last);
    for (const std::string& name : found.names) text += " " + name;
    for (const Type type : found.types) text += " " + std::string(TypeName(type));
    text += found.conflict.ok() ? "\n" : " !\n";
  }
  return text;
}

TEST(ColumnFiles, WhatComesGoesAndChanges) {
  const auto key = OneColumn("key", Kind::kKey, Type::kInt64);
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 2, Of({key, OneColumn("old", Kind::kDense, Type::kInt16, 7)}));
  folder.PutRows("b.dsi", 2, 2, Of({key, Events({"item"})}));
  folder.PutRows("c.dsi", 4, 2, Of({key, Events({"item"})}));
  folder.PutRows(
      "d.dsi", 6, 2,
      Of({key, Events({"item", "price"}), OneColumn("new", Kind::kDense, Type::kFloat32, 7)}));
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  const std::string expected =
      "key 4+0 0-3 key int64\n"
      "new 2+0 0-3 old new int16 float32\n"
      "events.item 3+0 1-3 events.item int64\n"
      "events.price 1+2 3-3 events.price int64\n";
  EXPECT_EQ(Told(**dataset), expected);
  folder.PutText("all.json", *(*dataset)->Manifest(folder.path()));
  EXPECT_EQ(Told(**Dataset::Open(folder.File("all.json"))), expected);
}

TEST(ColumnFiles, ConflictsAreTold) {
  const auto x = [](Kind kind, Type type, uint64_t id, const char* name = "x") {
    return OneColumn(name, kind, type, id);
  };
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 2,
                 Of({x(Kind::kDense, Type::kInt64, 1), x(Kind::kDense, Type::kInt64, 2, "y"),
                     x(Kind::kDense, Type::kInt64, 3, "z")}));
  folder.PutRows("b.dsi", 2, 2, Of({x(Kind::kList, Type::kInt64, 1)}));
  folder.PutRows("c.dsi", 4, 2, Of({x(Kind::kDense, Type::kInt64, 2, "z")}));
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok());
  const auto all = (*dataset)->Columns();
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  ASSERT_EQ(all->size(), 3U);
  EXPECT_TRUE((*all)[1].support.ok());
  for (const size_t i : {0U, 2U}) EXPECT_EQ((*all)[i].support.code(), StatusCode::kBadInput);
  // Two features end as "z": the second cannot be asked for.
  EXPECT_EQ(Told(**dataset),
            "x 2+0 0-1 x int64 !\n"
            "z 2+0 0-2 y z int64\n"
            "z 1+0 0-0 z int64 !\n");
  const auto columns = (*dataset)->FilesOfColumns();
  EXPECT_EQ((*columns)[0].column.kind, Kind::kList);  // As the last file has it.
  const std::string said = (*columns)[0].conflict.ToString();
  EXPECT_EQ((*all)[0].support.ToString(), said);
  for (const char* part : {"dense of int64", "a.dsi", "list of int64", "b.dsi"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_NE((*columns)[2].conflict.message().find("of this name"), std::string::npos);
}

// What an overlay adds to some stripes is there, as what it hides in others is.
TEST(ColumnFiles, OfOverlays) {
  DatasetFolder folder;
  const auto key = OneColumn("key", Kind::kKey, Type::kInt64);
  folder.PutRows("a.dsi", 0, 20, Of({key, Events({"item", "price"})}), 10);
  folder.PutRows("b.dsi", 0, 20, Of({key}));
  const auto base = Reader::Open(folder.File("a.dsi"));
  const auto binding = BindOverlay(**base, std::vector<OverlayRows>{{0, 10}});
  ASSERT_TRUE(binding.ok()) << binding.status().ToString();
  const Schema more = Of({Events({"item"}), OneColumn("score", Kind::kDense, Type::kFloat32)});
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "overlay"), more, {.overlay = *binding});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(rows.SetInts(0, 0, std::vector<int64_t>{i}).ok());
    ASSERT_TRUE(rows.SetDouble(1, 0.5).ok());
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  folder.Put("o.dsi", bytes);
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  EXPECT_EQ(Told(**dataset),
            "key 2+0 0-1 key int64\n"
            "events.item 1+0 0-0 events.item int64\n"
            "events.price 1+1 0-0 events.price int64\n"
            "score 1+0 0-0 score float32\n");
}

}  // namespace
}  // namespace dsi::test
