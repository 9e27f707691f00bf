// What a scan with a pipeline may name, and in which types it gives that.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

class PipelineColumnsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto add = [&](TransformStep step) {
      options_.pipeline.steps.push_back(std::move(step));
    };
    add({.output = "cut", .op = TransformOp::kFirstX, .inputs = {"user.history.item"}, .n = 3});
    add({.output = "hashed",
         .op = TransformOp::kSigridHash,
         .inputs = {"cut"},
         .salt = 7,
         .max = 1000});
    add({.output = "log", .op = TransformOp::kLog1p, .inputs = {"weight"}});
    add({.output = "bucket",
         .op = TransformOp::kBucketize,
         .inputs = {"weight"},
         .borders = {1, 2.5, 7}});
    add({.output = "scaled",
         .op = TransformOp::kScoreMultiply,
         .inputs = {"topics"},
         .value = 2.0});
  }

  std::vector<Batch> Scan() const {
    std::vector<Batch> batches;
    auto scan = model_.dataset->NewScan(options_);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    while (scan.ok()) {
      Batch batch;
      const auto more = (*scan)->Next(&batch);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) break;
      batches.push_back(std::move(batch));
    }
    return batches;
  }

  std::string Refused() const {
    const auto scan = model_.dataset->NewScan(options_);
    return scan.ok() ? "" : scan.status().ToString();
  }

  ModelDataset model_{HistoryTable(1, 400), 2, 300};
  DatasetScanOptions options_;
};

TEST_F(PipelineColumnsTest, OutputsComeFirstAndStoredColumnsAfterThem) {
  const auto columns = model_.dataset->Columns(options_.pipeline);
  ASSERT_TRUE(columns.ok()) << columns.status().ToString();
  const auto stored = model_.dataset->Columns();
  ASSERT_EQ(columns->size(), 5 + stored->size());
  struct Made {
    std::string name, feature;
    Kind kind;
    Type type;
  };
  const std::vector<Made> made = {{"hashed", "hashed", Kind::kList, Type::kInt32},
                                  {"log", "log", Kind::kDense, Type::kFloat32},
                                  {"bucket", "bucket", Kind::kKey, Type::kInt32},
                                  {"scaled.ids", "scaled", Kind::kWeighted, Type::kInt32},
                                  {"scaled.weights", "scaled", Kind::kWeighted, Type::kFloat32}};
  for (size_t i = 0; i < columns->size(); ++i) {
    const ColumnInfo& column = (*columns)[i];
    EXPECT_EQ(column.ordinal, i);
    EXPECT_EQ(column.is_made, i < made.size());
    if (i >= made.size()) {
      EXPECT_EQ(column.name, (*stored)[i - made.size()].name);
      continue;
    }
    EXPECT_EQ(column.name, made[i].name);
    EXPECT_EQ(column.feature, made[i].feature);
    EXPECT_EQ(column.kind, made[i].kind) << column.name;
    EXPECT_EQ(column.type, made[i].type) << column.name;
  }
}

// Whatever Columns tells can be asked for, and is there.
TEST_F(PipelineColumnsTest, EachCanBeNamed) {
  const auto columns = model_.dataset->Columns(options_.pipeline);
  ASSERT_TRUE(columns.ok());
  for (const ColumnInfo& column : *columns)
    options_.scan.features.push_back({.name = column.name, .layout = Layout::kJagged});
  const auto scan = model_.dataset->NewScan(options_);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  ASSERT_EQ((*scan)->columns().size(), columns->size());
  for (size_t i = 0; i < columns->size(); ++i) {
    EXPECT_EQ((*scan)->columns()[i].name, (*columns)[i].name);
    EXPECT_EQ((*scan)->columns()[i].dtype, (*columns)[i].type);
  }
}

// A stored column that a step takes the name of cannot be named any more.
TEST_F(PipelineColumnsTest, AStepHidesTheColumnOfItsName) {
  options_.pipeline.steps[4].inputs = {"topics"};
  options_.pipeline.steps.push_back(
      {.output = "item", .op = TransformOp::kLog1p, .inputs = {"weight"}});
  options_.pipeline.steps.back().output = "user.history";
  options_.pipeline.steps[0].inputs = {"item.words"};
  const auto columns = model_.dataset->Columns(options_.pipeline);
  ASSERT_TRUE(columns.ok()) << columns.status().ToString();
  std::set<std::string> names;
  for (const ColumnInfo& column : *columns) EXPECT_TRUE(names.insert(column.name).second);
  EXPECT_EQ(names.count("user.history"), 1);
  EXPECT_EQ(names.count("user.history.item"), 0);
}

TEST_F(PipelineColumnsTest, PartsOfScoredListsHaveLayoutsOfTheirOwn) {
  options_.scan.features = {
      {.name = "scaled.ids", .layout = Layout::kKjt, .dtype = Type::kInt64, .set = "ids"},
      {.name = "scaled.weights", .layout = Layout::kKjt, .set = "weights"},
      {.name = "topics.ids", .layout = Layout::kJagged},
      {.name = "topics.weights", .layout = Layout::kJagged}};
  for (const Batch& batch : Scan()) {
    const auto ids = batch.Kjt("ids");
    const auto weights = batch.Kjt("weights");
    ASSERT_TRUE(ids.ok() && weights.ok());
    EXPECT_EQ(ids->dtype, Type::kInt64);
    const auto stored = batch.Jagged("topics.ids");
    const auto scores = batch.Jagged("topics.weights");
    const auto count = static_cast<size_t>(stored->offsets[batch.num_rows()]);
    ASSERT_GT(count, 0);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(static_cast<const int64_t*>(ids->values)[i],
                static_cast<const int32_t*>(stored->values)[i]);
      EXPECT_EQ(static_cast<const float*>(weights->values)[i],
                2 * static_cast<const float*>(scores->values)[i]);
    }
  }
}

// T-029 as the last step, for one of several projections of an output.
TEST_F(PipelineColumnsTest, WiderTypesAreCast) {
  options_.scan.features = {{.name = "bucket", .layout = Layout::kPadded, .width = 1},
                            {.name = "bucket", .layout = Layout::kDense, .dtype = Type::kFloat32},
                            {.name = "hashed", .layout = Layout::kKjt, .dtype = Type::kInt64},
                            {.name = "hashed", .layout = Layout::kIkjt}};
  uint64_t rows = 0;
  for (const Batch& batch : Scan()) {
    const auto plain = batch.Padded("bucket");
    const auto dense = batch.Dense();
    ASSERT_TRUE(plain.ok() && dense.ok());
    ASSERT_EQ(plain->dtype, Type::kInt32);
    ASSERT_EQ(dense->dtype, Type::kFloat32);
    for (size_t i = 0; i < batch.num_rows(); ++i) {
      if (plain->present[i] == 0) continue;
      EXPECT_EQ(static_cast<const float*>(dense->values)[i],
                static_cast<float>(static_cast<const int32_t*>(plain->values)[i]));
      ++rows;
    }
    EXPECT_EQ(batch.Kjt("")->dtype, Type::kInt64);
    const auto ikjt = batch.Ikjt("hashed");
    EXPECT_EQ(ikjt->unique.dtype, Type::kInt32);
    EXPECT_EQ(RowsOf(*batch.Kjt(""), 0),
              NoneMissing(Expand(RowsOf(ikjt->unique), ikjt->inverse, batch.num_rows())));
  }
  EXPECT_GT(rows, 100);
}

TEST_F(PipelineColumnsTest, TypesThatLoseAreRefused) {
  options_.scan.features = {{.name = "log", .layout = Layout::kPadded, .dtype = Type::kInt64}};
  EXPECT_NE(Refused().find("log: the pipeline makes float32, int64 asked for"), std::string::npos)
      << Refused();
  options_.scan.features = {
      {.name = "scaled.weights", .layout = Layout::kJagged, .dtype = Type::kFloat64}};
  EXPECT_NE(Refused().find("scaled.weights: the pipeline makes float32"), std::string::npos);
  options_.scan.features = {{.name = "hashed.ids", .layout = Layout::kJagged}};
  EXPECT_NE(Refused().find("\"hashed\", which is no scored list"), std::string::npos);
  options_.scan.features = {{.name = "cut", .layout = Layout::kJagged}};
  EXPECT_NE(Refused().find("cut: the pipeline makes it on the way"), std::string::npos);
}

TEST_F(PipelineColumnsTest, AFeatureThatIsNotThereNamesTheStep) {
  options_.pipeline.steps[3].inputs = {"wieght"};
  const std::string expected =
      "steps[3] \"bucket\" (bucketize): no feature of the dataset is called \"wieght\"";
  EXPECT_NE(Refused().find(expected), std::string::npos) << Refused();
  for (const Status& status : {model_.dataset->Columns(options_.pipeline).status(),
                               model_.dataset->Resolve(options_.pipeline).status()}) {
    EXPECT_EQ(status.code(), StatusCode::kNotFound);
    EXPECT_NE(status.ToString().find(expected), std::string::npos) << status.ToString();
  }
  options_.pipeline.steps[3].inputs = {"hashd"};
  EXPECT_NE(Refused().find("no step before makes it; did you mean \"hashed\"?"), std::string::npos)
      << Refused();
  options_.pipeline.steps[3].inputs = {"user.history.item"};
  options_.pipeline.steps[1].inputs = {"weight"};
  const Status status = model_.dataset->Columns(options_.pipeline).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.ToString().find("steps[1] \"hashed\" (sigrid_hash)"), std::string::npos);
}

// What is not asked for is neither run nor read.
TEST_F(PipelineColumnsTest, OnlyWhatIsAskedForIsRead) {
  const auto read = [&](const std::vector<std::string>& names) {
    options_.scan.features.clear();
    for (const std::string& name : names)
      options_.scan.features.push_back({.name = name, .layout = Layout::kJagged});
    auto scan = model_.dataset->NewScan(options_);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    while (*(*scan)->Next(&batch)) {
    }
    return (*scan)->stats().values_decoded;
  };
  const uint64_t log = read({"log"});
  EXPECT_GT(log, 0);
  EXPECT_GT(read({"log", "hashed"}), log);
  const uint64_t stored = read({"item.viewers"});
  options_.pipeline = {};
  EXPECT_EQ(read({"item.viewers"}), stored);
  EXPECT_EQ(read({"weight"}), log);
}

TEST_F(PipelineColumnsTest, ResolveTellsTheOrder) {
  const auto plan = model_.dataset->Resolve(options_.pipeline);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(plan->outputs().size(), 4);
  EXPECT_NE(plan->Explain().find("output \"hashed\""), std::string::npos);
}

}  // namespace
}  // namespace dsi::test
