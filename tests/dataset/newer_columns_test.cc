// DS-027: what a file has as only a newer version can read it is not lacking there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/table.h"
#include "dsi/rewrite/delete_rows.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

constexpr uint64_t kKindAt = 64, kTypeAt = 65;  // In a column record (F-070).

FeatureSpec Events() {
  FeatureSpec spec = OneColumn("h", Kind::kSequence, Type::kInt64);
  spec.columns = {{"item", Type::kInt64, ""}, {"time", Type::kInt64, ""}};
  return spec;
}

// Columns 0 to 3: key, score, h.item, h.time.
Schema AllFeatures() {
  Schema schema = SmallSchema();
  schema.features.push_back(Events());
  return schema;
}

class NewerColumns : public testing::Test {
 protected:
  NewerColumns() { Put("a.dsi", SmallFile(AllFeatures(), 0, 20)); }

  std::string Path(const std::string& name) const { return folder_.File(name); }
  void Put(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream(Path(name), std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  // Another file, one of whose columns nobody knows.
  void PutNewer(uint32_t column, uint64_t at, const Schema& schema = AllFeatures()) const {
    EditableFile file(SmallFile(schema, 20, 20));
    file.Put<uint8_t>(EditableFile::Place(file.columns(), column) + at, 77);
    Put("b.dsi", file.Reseal().bytes());
  }
  std::unique_ptr<Dataset> Open() const {
    auto dataset = Dataset::Open(folder_.path());
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    return *std::move(dataset);
  }

  static Status Read(const Dataset& dataset, const std::vector<std::string>& names,
                     const RowFilter& filter = {}) {
    DatasetScanOptions options;
    options.scan.filter = filter;
    for (const std::string& name : names)
      options.scan.features.push_back({.name = name, .layout = Layout::kJagged});
    DSI_ASSIGN_OR_RETURN(const auto scan, dataset.NewScan(options));
    Batch batch;
    for (;;) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) return Status::Ok();
    }
  }
  // What a scan gives, by name.
  static std::vector<std::string> Given(const Dataset& dataset,
                                        const std::vector<std::string>& names) {
    DatasetScanOptions options;
    for (const std::string& name : names)
      options.scan.features.push_back({.name = name, .layout = Layout::kJagged});
    const auto scan = dataset.NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    std::vector<std::string> given;
    for (const ScanColumn& column : (*scan)->columns()) given.push_back(column.name);
    return given;
  }
  static std::vector<std::string> Unsupported(const Dataset& dataset) {
    std::vector<std::string> names;
    const auto columns = dataset.Columns();
    for (const ColumnInfo& column : *columns) {
      if (column.support.code() == StatusCode::kUnsupported) names.push_back(column.name);
    }
    return names;
  }

  TempFolder folder_;
};

using Names = std::vector<std::string>;

TEST_F(NewerColumns, DS027AreNotLacking) {
  for (const uint64_t at : {kKindAt, kTypeAt}) {
    PutNewer(1, at);
    const auto dataset = Open();
    EXPECT_EQ(Unsupported(*dataset), Names{"score"});
    const Status named = Read(*dataset, {"key", "score"});
    EXPECT_EQ(named.code(), StatusCode::kUnsupported);
    EXPECT_NE(named.message().find("b.dsi"), std::string::npos) << named.ToString();
    RowFilter filter;
    filter.where = {{"score", Compare::kMissing}};
    EXPECT_EQ(Read(*dataset, {"key"}, filter).code(), StatusCode::kUnsupported);
    DatasetScanOptions counted;
    counted.scan.filter = filter;
    EXPECT_EQ(dataset->CountRows(counted).status().code(), StatusCode::kUnsupported);
    EXPECT_EQ(DeleteRows(*dataset, {{"score", Compare::kGreater, 0.0}}).status().code(),
              StatusCode::kUnsupported);
    Pipeline pipeline;
    pipeline.steps = {{.output = "log", .op = TransformOp::kLog1p, .inputs = {"score"}}};
    EXPECT_EQ(dataset->Resolve(pipeline).status().code(), StatusCode::kUnsupported);
    // Who does not name it reads the others.
    EXPECT_TRUE(Read(*dataset, {"key", "h"}).ok());
    EXPECT_EQ(Given(*dataset, {"*"}), (Names{"key", "h.item", "h.time"}));
    EXPECT_EQ(Given(*dataset, {}), (Names{"key", "h.item", "h.time"}));
    const auto files = dataset->FilesOfColumns();
    EXPECT_EQ((*files)[1].conflict.code(), StatusCode::kUnsupported);
    EXPECT_EQ((*files)[1].num_files, 1U);
  }
}

// By its id, whatever it is called there.
TEST_F(NewerColumns, DS020DS027AreFoundByTheirIds) {
  Schema renamed = AllFeatures();
  renamed.features[1].name = "points";
  const auto reader = Reader::Open(Path("a.dsi"));
  renamed.features[1].id = (*reader)->FindColumn("score")->feature_id;
  PutNewer(1, kTypeAt, renamed);
  const auto dataset = Open();
  EXPECT_EQ(Unsupported(*dataset), (Names{"score"}));
  EXPECT_EQ(Read(*dataset, {"score"}).code(), StatusCode::kUnsupported);
}

TEST_F(NewerColumns, DS027ColumnsOfSequences) {
  PutNewer(3, kTypeAt);
  const auto dataset = Open();
  EXPECT_EQ(Unsupported(*dataset), Names{"h.time"});
  EXPECT_EQ(Read(*dataset, {"h.time"}).code(), StatusCode::kUnsupported);
  EXPECT_EQ(Read(*dataset, {"h"}).code(), StatusCode::kUnsupported);
  EXPECT_TRUE(Read(*dataset, {"h.item"}).ok());
  EXPECT_EQ(Given(*dataset, {"h.*", "score"}), (Names{"h.item", "score"}));
}

TEST_F(NewerColumns, DS027WhatNoFileHasOtherwise) {
  Schema more = AllFeatures();
  more.features.insert(more.features.begin(), OneColumn("fresh", Kind::kDense, Type::kInt64));
  PutNewer(0, kKindAt, more);
  const auto dataset = Open();
  EXPECT_EQ(Unsupported(*dataset), Names{"fresh"});
  EXPECT_EQ(Read(*dataset, {"fresh"}).code(), StatusCode::kUnsupported);
  EXPECT_EQ(Read(*dataset, {"frehs"}).code(), StatusCode::kNotFound);
  EXPECT_EQ(Given(*dataset, {"*"}), (Names{"key", "score", "h.item", "h.time"}));
  const auto files = dataset->FilesOfColumns();
  EXPECT_EQ(files->back().column.name, "fresh");
  EXPECT_EQ(files->back().num_files, 1U);
  EXPECT_EQ(files->back().first, 1U);
}

// What an overlay has in the place of it can be read again, in the stripes that it has.
TEST_F(NewerColumns, DS027DS042OverlaysTakeTheirPlace) {
  std::filesystem::remove(Path("a.dsi"));
  PutNewer(1, kTypeAt);
  Schema scores;
  scores.features = {SmallSchema().features[1]};
  DatasetFolder given;
  given.PutRows("s.dsi", 0, 20, scores);
  const auto rows = Dataset::Open(given.path());
  const auto made = WriteOverlay(**rows, Path("b.dsi"), Path("c.dsi"));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(Unsupported(*Open()), Names());
  EXPECT_TRUE(Read(*Open(), {"score"}).ok());
  // The other way round: what the base has is not what the overlay says.
  Put("b.dsi", SmallFile(AllFeatures(), 20, 20));
  OverlayOptions again;
  again.writer.overwrite = true;
  ASSERT_TRUE(WriteOverlay(**rows, Path("b.dsi"), Path("c.dsi"), again).ok());
  EXPECT_TRUE(Read(*Open(), {"score"}).ok());
  EditableFile newer(ReadBytes(Path("c.dsi")));
  newer.Put<uint8_t>(EditableFile::Place(newer.columns(), 0) + kTypeAt, 77);
  Put("c.dsi", newer.Reseal().bytes());
  EXPECT_EQ(Unsupported(*Open()), Names{"score"});
  EXPECT_EQ(Read(*Open(), {"score"}).code(), StatusCode::kUnsupported);
}

TEST_F(NewerColumns, DS027AreInNoManifest) {
  PutNewer(1, kTypeAt);
  const auto manifest = Open()->Manifest();
  EXPECT_EQ(manifest.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(manifest.status().message().find("b.dsi"), std::string::npos);
  auto table = Table::Create(Path("table"));
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  const std::vector<std::string> messages = {*(*table)->StageCopy("job", "t", Path("b.dsi"))};
  EXPECT_EQ((*table)->Commit("job", messages).status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace dsi::test
