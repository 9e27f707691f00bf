// Pipelines in scans: what is made once per unique row, or per tuple of unique rows, is what the
// same plan makes of every row, in every layout and order.
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

Pipeline EveryShape() {
  Pipeline pipeline;
  const auto add = [&](TransformStep step) { pipeline.steps.push_back(std::move(step)); };
  add({.output = "hashed",
       .op = TransformOp::kSigridHash,
       .inputs = {"user.history.item"},
       .salt = 7,
       .max = 1000});
  add({.output = "newest", .op = TransformOp::kFirstX, .inputs = {"user.history.item"}, .n = 3});
  add({.output = "newest_hashed",
       .op = TransformOp::kSigridHash,
       .inputs = {"newest"},
       .salt = 7,
       .max = 1000});
  add({.output = "bucket",
       .op = TransformOp::kBucketize,
       .inputs = {"weight"},
       .borders = {1, 2.5, 7}});
  add({.output = "weight_or_9", .op = TransformOp::kFill, .inputs = {"weight"}, .value = 9.0});
  add({.output = "cross",
       .op = TransformOp::kCartesian,
       .inputs = {"newest", "item.words"},
       .salt = 3,
       .max = 500,
       .limit = 10});
  add({.output = "both", .op = TransformOp::kIntersection, .inputs = {"newest_hashed", "cross"}});
  add({.output = "scaled", .op = TransformOp::kScoreMultiply, .inputs = {"topics"}, .value = 2.0});
  add({.output = "twice",
       .op = TransformOp::kCustom,
       .inputs = {"item.viewers"},
       .custom =
           [](const std::vector<RowsView>& views, RowsBuilder* out) {
             for (size_t row = 0; row < views[0].num_rows; ++row) {
               if (!views[0].Has(row)) {
                 out->EndMissing();
                 continue;
               }
               const size_t length = views[0].Length(row);
               auto* to = static_cast<int64_t*>(out->AddValues(2 * length));
               const auto* from =
                   static_cast<const int64_t*>(views[0].values) + views[0].Begin(row);
               std::copy_n(from, length, to);
               std::copy_n(from, length, to + length);
               out->EndRow();
             }
             return Status::Ok();
           },
       .custom_type = {RowShape::kList, Type::kInt64}});
  pipeline.outputs = {"hashed", "newest_hashed", "bucket", "weight_or_9", "cross",
                      "both",   "scaled",        "twice",  "newest"};
  return pipeline;
}

const std::vector<std::string> kInputs = {"user.history.item", "weight",         "item.words",
                                          "topics.ids",        "topics.weights", "item.viewers"};

// A column of a batch, row by row, as the plan takes it.
struct PlainRows {
  std::vector<int64_t> begins, ends;
  JaggedView jagged;
  RowsView view;
};

std::vector<ModelRow> RowsOf(const RowsView& view, const void* values, Type type) {
  std::vector<ModelRow> rows;
  for (size_t i = 0; i < view.num_rows; ++i) {
    rows.emplace_back();
    if (view.Has(i)) rows.back() = LoadRange(values, view.Begin(i), view.Length(i), type);
  }
  return rows;
}

class DatasetPipelineTest : public ::testing::Test {
 protected:
  void Check(const ModelDataset& model, DatasetScanOptions options) {
    options.pipeline = EveryShape();
    auto& features = options.scan.features;
    features.clear();
    for (const std::string& input : kInputs)
      features.push_back({.name = input, .layout = Layout::kJagged});
    for (const std::string& output : options.pipeline.outputs) {
      features.push_back({.name = output, .layout = Layout::kJagged});
      features.push_back({.name = output, .layout = Layout::kIkjt});
      features.push_back({.name = output, .layout = Layout::kPaddedIkjt, .width = 12});
      features.push_back({.name = output, .layout = Layout::kPadded, .width = 12});
      if (output == "scaled") continue;  // Ids and weights are of two types.
      for (const Layout layout : {Layout::kVbe, Layout::kKjt})
        features.push_back({.name = output, .layout = layout, .set = output});
    }
    const auto plan =
        options.pipeline.Resolve({{"user.history.item", {RowShape::kList, Type::kInt64}},
                                  {"weight", {RowShape::kNumber, Type::kFloat32}},
                                  {"item.words", {RowShape::kList, Type::kInt64}},
                                  {"topics", {RowShape::kScored, Type::kInt32}},
                                  {"item.viewers", {RowShape::kList, Type::kInt64}}});
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    auto scan = model.dataset->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    uint64_t rows = 0;
    for (;;) {
      const auto more = (*scan)->Next(&batch);
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) break;
      rows += batch.num_rows();
      ASSERT_NO_FATAL_FAILURE(CheckBatch(*plan, batch));
    }
    EXPECT_EQ(rows, model.table.num_rows);
  }

 private:
  static void CheckBatch(const TransformPlan& plan, const Batch& batch) {
    std::vector<PlainRows> plain(kInputs.size());
    for (size_t i = 0; i < kInputs.size(); ++i) {
      PlainRows& rows = plain[i];
      rows.jagged = *batch.Jagged(kInputs[i]);
      rows.begins.assign(rows.jagged.offsets, rows.jagged.offsets + batch.num_rows());
      rows.ends.assign(rows.jagged.offsets + 1, rows.jagged.offsets + batch.num_rows() + 1);
    }
    // Numbers have a place in every row.
    std::vector<float> weights(batch.num_rows());
    for (size_t i = 0; i < weights.size(); ++i) {
      if (plain[1].jagged.present[i] != 0)
        weights[i] = static_cast<const float*>(plain[1].jagged.values)[plain[1].begins[i]];
    }
    std::vector<RowsView> views;
    for (const TransformFeature& feature : plan.features()) {
      const size_t at =
          feature.name == "topics"
              ? 3
              : static_cast<size_t>(std::find(kInputs.begin(), kInputs.end(), feature.name) -
                                    kInputs.begin());
      RowsView& view = views.emplace_back();
      view.type = feature.type;
      view.num_rows = batch.num_rows();
      view.present = plain[at].jagged.present;
      view.values = at == 1 ? weights.data() : plain[at].jagged.values;
      if (at != 1) {
        view.begins = plain[at].begins.data();
        view.ends = plain[at].ends.data();
      }
      if (at == 3) view.scores = static_cast<const float*>(plain[4].jagged.values);
    }
    std::vector<RowsBuilder> results;
    const Status status = plan.Run(views, &results);
    ASSERT_TRUE(status.ok()) << status.ToString();
    for (const size_t stage : plan.outputs()) {
      const TransformStage& made = plan.stages()[stage];
      const RowsView view = results[stage].View();
      SCOPED_TRACE(made.name);
      if (made.type.shape != RowShape::kScored) {
        ASSERT_NO_FATAL_FAILURE(
            CheckColumn(batch, made.name, RowsOf(view, view.values, made.type.type), true));
        continue;
      }
      ASSERT_NO_FATAL_FAILURE(
          CheckColumn(batch, made.name + ".ids", RowsOf(view, view.values, made.type.type), false));
      ASSERT_NO_FATAL_FAILURE(CheckColumn(batch, made.name + ".weights",
                                          RowsOf(view, view.scores, Type::kFloat32), false));
    }
  }

  static void CheckColumn(const Batch& batch, const std::string& name,
                          const std::vector<ModelRow>& expected, bool has_vbe) {
    const auto jagged = batch.Jagged(name);
    ASSERT_TRUE(jagged.ok()) << jagged.status().ToString();
    ASSERT_EQ(test::RowsOf(*jagged), expected);
    const auto ikjt = batch.Ikjt(name);
    ASSERT_TRUE(ikjt.ok());
    ASSERT_EQ(Expand(test::RowsOf(ikjt->unique), ikjt->inverse, batch.num_rows()), expected);
    const bool is_number = batch.Padded(name)->width == 1;
    const uint64_t pad = is_number && jagged->dtype == Type::kFloat32
                             ? UnfilledBits(Kind::kDense, Type::kFloat32)
                             : 0;
    const auto padded = batch.Padded(name);
    const std::vector<ModelRow> cut = test::RowsOf(*padded, pad);
    const auto unique = batch.PaddedIkjt(name);
    ASSERT_EQ(Expand(test::RowsOf(unique->unique, pad), unique->inverse, batch.num_rows()), cut);
    for (size_t i = 0; i < cut.size(); ++i) {
      ModelRow row = expected[i];
      if (row.has_value() && row->size() > padded->width)
        row->erase(row->begin(), row->end() - static_cast<ptrdiff_t>(padded->width));
      ASSERT_EQ(cut[i], row);
    }
    if (!has_vbe) return;
    const auto vbe = batch.Vbe(name);
    ASSERT_TRUE(vbe.ok());
    ASSERT_EQ(Expand(test::RowsOf(*vbe, 0), vbe->inverse_indices, batch.num_rows()),
              NoneMissing(expected));
    const auto kjt = batch.Kjt(name);
    ASSERT_TRUE(kjt.ok());
    ASSERT_EQ(test::RowsOf(*kjt, 0), NoneMissing(expected));
  }
};

TEST_F(DatasetPipelineTest, IsWhatEveryRowGives) {
  for (const uint64_t seed : {1U, 2U, 3U}) {
    const ModelDataset model(HistoryTable(seed, 1500), 3, seed == 1 ? 262'144 : 300);
    for (const uint32_t batch_size : {50U, 700U}) {
      DatasetScanOptions options;
      options.scan.batch_size = batch_size;
      ASSERT_NO_FATAL_FAILURE(Check(model, options));
      options.scan.threads = 3;
      options.scan.read_ahead_bytes = 1 << 20;
      options.order = {
          .unit = OrderUnit::kBlock, .seed = seed, .block_rows = 70, .mixing_rows = 400};
      ASSERT_NO_FATAL_FAILURE(Check(model, options));
      options.order.mix = Mix::kRows;
      ASSERT_NO_FATAL_FAILURE(Check(model, options));
    }
  }
}

// The same unique rows of ids that need few bytes, as a pipeline takes them and as a batch shows
// them.
TEST(DatasetPipeline, TakesWhatABatchShows) {
  Schema schema;
  schema.features = {OneColumn("user_id", Kind::kKey, Type::kInt64),
                     OneColumn("seen", Kind::kList, Type::kInt64)};
  schema.groups = {{"user", "user_id", {"seen"}}};
  TempFolder folder;
  auto writer = Writer::Create(folder.File("seen.dsi"), schema, {.keep_order = true, .threads = 1});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int64_t row = 0; row < 3000; ++row) {
    const int64_t user = row * 7919 % 101;
    const std::vector<int64_t> seen(static_cast<size_t>(user % 5), user * 300);
    ASSERT_TRUE(rows.SetInt(0, user).ok());
    ASSERT_TRUE(rows.SetInts(1, 0, seen).ok());
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  const auto dataset = Dataset::Open(folder.File("seen.dsi"));
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  DatasetScanOptions options;
  options.scan.batch_size = 500;
  options.pipeline.steps = {
      {.output = "cut", .op = TransformOp::kFirstX, .inputs = {"seen"}, .n = 100},
      {.output = "same", .op = TransformOp::kModulus, .inputs = {"seen"}, .max = 1 << 20}};
  options.pipeline.outputs = {"cut", "same"};
  options.scan.features = {
      {.name = "seen", .layout = Layout::kIkjt, .dtype = Type::kInt64, .bit_cast = true},
      {.name = "cut", .layout = Layout::kJagged},
      {.name = "same", .layout = Layout::kJagged}};
  const auto scan = (*dataset)->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  size_t num_rows = 0;
  while (*(*scan)->Next(&batch)) {
    const auto ikjt = batch.Ikjt("seen");
    ASSERT_TRUE(ikjt.ok());
    const auto seen = Expand(test::RowsOf(ikjt->unique), ikjt->inverse, batch.num_rows());
    ASSERT_EQ(test::RowsOf(*batch.Jagged("cut")), seen);
    ASSERT_EQ(test::RowsOf(*batch.Jagged("same")), seen);
    for (size_t i = 0; i < seen.size(); ++i) {
      const uint64_t user = (num_rows + i) * 7919 % 101;
      ASSERT_EQ(*seen[i], std::vector<uint64_t>(user % 5, user * 300));
    }
    num_rows += batch.num_rows();
  }
  ASSERT_EQ(num_rows, 3000U);
}

TEST_F(DatasetPipelineTest, WithoutFeaturesAllOutputs) {
  const ModelDataset model(HistoryTable(1, 100), 1, 300);
  DatasetScanOptions options;
  options.pipeline = EveryShape();
  const auto scan = model.dataset->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<std::string> names;
  for (const ScanColumn& column : (*scan)->columns()) names.push_back(column.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"hashed", "newest_hashed", "bucket", "weight_or_9", "cross",
                                      "both", "scaled.ids", "scaled.weights", "twice", "newest"}));
}

TEST_F(DatasetPipelineTest, WhatCannotBeIsSaid) {
  const ModelDataset model(HistoryTable(1, 100), 1, 300);
  DatasetScanOptions options;
  const auto refused = [&](StatusCode code) {
    const auto scan = model.dataset->NewScan(options);
    ASSERT_FALSE(scan.ok());
    EXPECT_EQ(scan.status().code(), code) << scan.status().ToString();
  };
  options.pipeline.steps = {
      {.output = "x", .op = TransformOp::kFirstX, .inputs = {"nothing"}, .n = 3}};
  options.scan.features = {{.name = "x", .layout = Layout::kIkjt}};
  refused(StatusCode::kNotFound);
  options.pipeline.steps[0].inputs = {"weight"};
  refused(StatusCode::kInvalidArgument);
  options.pipeline.steps[0].inputs = {"item.words"};
  ASSERT_TRUE(model.dataset->NewScan(options).ok());
  options.scan.features = {{.name = "x", .layout = Layout::kPadded}};
  refused(StatusCode::kInvalidArgument);  // No width.
  options.scan.features = {{.name = "x", .layout = Layout::kDense}};
  refused(StatusCode::kInvalidArgument);
  options.scan.features = {{.name = "x", .layout = Layout::kIkjt, .dtype = Type::kInt32}};
  refused(StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dsi::test
