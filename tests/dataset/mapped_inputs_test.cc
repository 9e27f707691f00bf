// Elementwise stages that are done while values are decoded: which they are, and that what they
// give is what they give of values that are shown as well.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/dataset/scan/scan_files_internal.h"
#include "dsi/tests/dataset/overlaid_table.h"
#include "dsi/tests/dataset/sliced_dataset.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

TransformStep Hash(const std::string& output, const std::string& input) {
  return {
      .output = output, .op = TransformOp::kSigridHash, .inputs = {input}, .salt = 7, .max = 1000};
}

// An elementwise stage for each kind of feature, and a second one of some.
Pipeline OneEach() {
  Pipeline pipeline;
  pipeline.steps = {
      Hash("items", "user.history.item"),
      {.output = "viewers",
       .op = TransformOp::kModulus,
       .inputs = {"item.viewers"},
       .max = int64_t{1} << 40},
      {.output = "weight_log", .op = TransformOp::kLog1p, .inputs = {"weight"}},
      {.output = "noise_at", .op = TransformOp::kBucketize, .inputs = {"noise"}, .borders = {0.5}},
      {.output = "scaled", .op = TransformOp::kScoreMultiply, .inputs = {"topics"}, .value = 2.0},
      Hash("bigs", "big"),
      Hash("sessions", "session_id"),
      {.output = "sights",
       .op = TransformOp::kClamp,
       .inputs = {"item.views"},
       .low = 3,
       .high = 9},
      Hash("words", "item.words"),
      {.output = "some_words", .op = TransformOp::kFirstX, .inputs = {"words"}, .n = 3}};
  pipeline.steps.push_back(Hash("viewers_hashed", "item.viewers"));
  pipeline.steps.push_back({.output = "noise_log", .op = TransformOp::kLog1p, .inputs = {"noise"}});
  pipeline.outputs = {"viewers_hashed", "noise_log", "items",  "viewers",
                      "weight_log",     "noise_at",  "scaled", "bigs",
                      "sessions",       "sights",    "words",  "some_words"};
  return pipeline;
}

const std::vector<std::string> kOutputs = {
    "viewers_hashed", "noise_log", "items",    "viewers", "weight_log", "noise_at",  "scaled.ids",
    "scaled.weights", "bigs",      "sessions", "sights",  "words",      "some_words"};
const std::vector<std::string> kInputs = {
    "user.history.item", "item.viewers", "weight",     "noise",      "topics.ids",
    "topics.weights",    "big",          "session_id", "item.views", "item.words"};

// All outputs in all layouts.
DatasetScanOptions OptionsOf(Pipeline pipeline, const std::vector<std::string>& outputs) {
  DatasetScanOptions options;
  options.scan.batch_size = 60;
  options.pipeline = std::move(pipeline);
  for (const std::string& output : outputs) {
    for (const Layout layout : {Layout::kJagged, Layout::kIkjt, Layout::kPadded,
                                Layout::kPaddedIkjt, Layout::kVbe, Layout::kKjt}) {
      const bool is_keyed = layout == Layout::kVbe || layout == Layout::kKjt;
      options.scan.features.push_back(
          {.name = output, .layout = layout, .width = 5, .set = is_keyed ? output : ""});
    }
  }
  return options;
}

// What a batch shows of an output in a layout: its rows, or all that is in a padded tensor.
std::vector<ModelRow> Shown(const Batch& batch, const Projection& asked) {
  const size_t num_rows = batch.num_rows();
  const auto all = [](const PaddedView& view) {
    std::vector<ModelRow> shown = {LoadRange(view.values, 0, view.rows * view.width, view.dtype)};
    for (size_t i = 0; i < view.rows; ++i)
      shown.push_back(
          std::vector<uint64_t>{view.present[i], static_cast<uint64_t>(view.lengths[i])});
    return shown;
  };
  switch (asked.layout) {
    case Layout::kJagged:
      return test::RowsOf(*batch.Jagged(asked.name));
    case Layout::kIkjt: {
      const auto view = batch.Ikjt(asked.name);
      return Expand(test::RowsOf(view->unique), view->inverse, num_rows);
    }
    case Layout::kPadded:
      return all(*batch.Padded(asked.name));
    case Layout::kPaddedIkjt:
      return all(batch.PaddedIkjt(asked.name)->unique);
    case Layout::kVbe: {
      const auto view = batch.Vbe(asked.set);
      return Expand(test::RowsOf(*view, 0), view->inverse_indices, num_rows);
    }
    default:
      return test::RowsOf(*batch.Kjt(asked.set), 0);
  }
}

class MappedInputsTest : public ::testing::Test {
 protected:
  explicit MappedInputsTest() : model_(HistoryTable(5, 900), 2, 100) {}

  // Names of the pipeline's features that are mapped while they are decoded.
  std::vector<std::string> Mapped(const DatasetScanOptions& options, bool wants_sessions = false) {
    return Mapped(*model_.dataset, options, wants_sessions);
  }
  static std::vector<std::string> Mapped(const Dataset& dataset, const DatasetScanOptions& options,
                                         bool wants_sessions = false) {
    internal::MemoryBudget budget;
    internal::ScanWorkers workers(&budget, 1);
    const auto files = internal::ScanFiles::Make(&internal::DatasetAccess::Files(dataset), options,
                                                 wants_sessions, &workers, &budget);
    EXPECT_TRUE(files.ok()) << files.status().ToString();
    const auto file = (*files)->Open(0, 0);
    EXPECT_TRUE(file.ok()) << file.status().ToString();
    // In the order of the features.
    std::vector<std::string> names;
    const TransformPlan& plan = *(*file)->plan();
    for (size_t feature = 0; feature < plan.features().size(); ++feature) {
      for (size_t stage = 0; stage < plan.stages().size(); ++stage) {
        if (plan.stages()[stage].sources[0] != TransformSource{false, feature}) continue;
        if ((*file)->transforms().mapped[stage].values != internal::kNone32)
          names.push_back(plan.features()[feature].name);
      }
    }
    return names;
  }

  static std::vector<std::vector<ModelRow>> RowsOfAll(const Dataset& dataset,
                                                      const DatasetScanOptions& options) {
    std::vector<std::vector<ModelRow>> all;
    const auto scan = dataset.NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    for (;;) {
      const auto more = (*scan)->Next(&batch);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) return all;
      for (const Projection& asked : options.scan.features) all.push_back(Shown(batch, asked));
    }
  }

  // As features that are shown as well, which are not mapped.
  static void Check(const Dataset& dataset, const DatasetScanOptions& options,
                    const std::vector<std::string>& inputs = kInputs) {
    DatasetScanOptions shown = options;
    for (const std::string& input : inputs)
      shown.scan.features.push_back({.name = input, .layout = Layout::kJagged});
    ExpectAlike(dataset, options, shown);
  }
  // As features that a stage takes whole, which are not mapped either, in whatever type.
  static void CheckTaken(const Dataset& dataset, const DatasetScanOptions& options,
                         const std::vector<std::string>& inputs) {
    DatasetScanOptions taken = options;
    for (const std::string& input : inputs) {
      taken.pipeline.steps.push_back({.output = "taken." + input,
                                      .op = TransformOp::kFill,
                                      .inputs = {input},
                                      .value = int64_t{1}});
      taken.scan.features.push_back({.name = "taken." + input, .layout = Layout::kJagged});
    }
    EXPECT_TRUE(Mapped(dataset, taken).empty());
    ExpectAlike(dataset, options, taken);
  }
  // `more` asks for the same first.
  static void ExpectAlike(const Dataset& dataset, const DatasetScanOptions& options,
                          const DatasetScanOptions& more) {
    const auto mapped = RowsOfAll(dataset, options);
    ASSERT_FALSE(mapped.empty());
    const auto others = RowsOfAll(dataset, more);
    const size_t num_outputs = options.scan.features.size();
    const size_t num_others = more.scan.features.size();
    ASSERT_EQ(others.size() / num_others, mapped.size() / num_outputs);
    for (size_t i = 0; i < mapped.size(); ++i) {
      const size_t batch = i / num_outputs;
      const Projection& asked = options.scan.features[i % num_outputs];
      ASSERT_EQ(mapped[i], others[batch * num_others + i % num_outputs])
          << "batch " << batch << ", " << asked.name << ", layout "
          << static_cast<int>(asked.layout);
    }
  }

  ModelDataset model_;
};

TEST_F(MappedInputsTest, AreThoseThatNobodyElseTakes) {
  DatasetScanOptions options = OptionsOf(OneEach(), kOutputs);
  const std::vector<std::string> all = {"user.history.item",
                                        "item.viewers",
                                        "item.viewers",
                                        "weight",
                                        "noise",
                                        "noise",
                                        "topics",
                                        "big",
                                        "session_id",
                                        "item.views",
                                        "item.words"};
  EXPECT_EQ(Mapped(options), all);
  const auto but = [&](const std::string& name) {
    std::vector<std::string> others = all;
    std::erase(others, name);
    return others;
  };
  // What a mixing window tells sessions by stays as it is.
  EXPECT_EQ(Mapped(options, /*wants_sessions=*/true), but("session_id"));
  // Shown: as the same type it is the same values, as another one it is not.
  options.scan.features.push_back({.name = "item.viewers", .layout = Layout::kJagged});
  EXPECT_EQ(Mapped(options), but("item.viewers"));
  options.scan.features.back().dtype = Type::kFloat64;
  EXPECT_EQ(Mapped(options), all);
  options.scan.features.back() = {.name = "topics.weights", .layout = Layout::kJagged};
  EXPECT_EQ(Mapped(options), but("topics"));
  options.scan.features.back() = {.name = "topics.ids", .layout = Layout::kJagged};
  EXPECT_EQ(Mapped(options), all);  // Of which nothing is made.
  options.scan.features.pop_back();

  // By a stage that makes rows of its own.
  options.pipeline.steps.push_back(
      {.output = "again", .op = TransformOp::kFill, .inputs = {"noise"}, .value = 9.0});
  options.pipeline.outputs.push_back("again");
  options.scan.features.push_back({.name = "again", .layout = Layout::kJagged});
  EXPECT_EQ(Mapped(options), but("noise"));
}

// Whole pages are mapped, so that enough of their rows must come: a quarter, for several stages of
// one feature half.
TEST_F(MappedInputsTest, ArePartOfScansOfManyRows) {
  DatasetScanOptions options = OptionsOf(OneEach(), kOutputs);
  const std::vector<std::string> all = Mapped(options);
  std::vector<std::string> single = all;
  std::erase_if(single, [](const std::string& name) {
    return name == "item.viewers" || name == "noise";  // Of two stages each.
  });
  options.order.unit = OrderUnit::kBlock;
  EXPECT_EQ(Mapped(options), all);
  options.shard.world = 20;  // Several share a stripe.
  EXPECT_EQ(Mapped(options), all);
  options.scan.filter.where = {{"label", Compare::kEqual, 1}};
  EXPECT_EQ(Mapped(options), all);
  options.scan.filter.sample = {{.when = {}, .keep = 0.6}};
  EXPECT_EQ(Mapped(options), single);
  options.scan.filter.sample[0].keep = 0.4;
  EXPECT_TRUE(Mapped(options).empty());
  options.scan.filter.sample[0].when = {{"label", Compare::kEqual, 0}};
  EXPECT_EQ(Mapped(options), single);

  options.scan.filter = {};
  const auto ends = internal::DatasetAccess::Files(*model_.dataset).stripe_ends();
  const uint64_t first = ends[0];
  const uint64_t two = ends[1];
  options.rows = {{0, (first + 3) / 4 - 1}};
  EXPECT_TRUE(Mapped(options).empty());
  options.rows = {{0, (first + 3) / 4}};
  EXPECT_EQ(Mapped(options), single);
  // Two spans of one stripe, of which the second lies in the next as well.
  options.rows = {{0, 5}, {first - 5, first - 10 + (two + 3) / 4}};
  EXPECT_EQ(Mapped(options), single);
  --options.rows[1].end;
  EXPECT_TRUE(Mapped(options).empty());
  options.rows = {{first, first + (two - first + 1) / 2}};
  EXPECT_EQ(Mapped(options), all);
  --options.rows[0].end;
  EXPECT_EQ(Mapped(options), single);
}

// Values that are widened first cannot fail to be what is asked for; bools can.
TEST_F(MappedInputsTest, AreWidenedOnesAsWell) {
  const ModelTable table = RandomTable(3, 500, 9);
  DatasetScanOptions options;
  std::vector<std::string> columns;
  std::vector<std::string> names;
  std::vector<std::string> outputs;
  std::set<Type> widened;
  for (const ModelColumn& column : table.columns) {
    const bool is_known = column.kind != Kind::kEmbedding && column.kind != Kind::kWeighted;
    if (!is_known || column.type == Type::kBytes) continue;
    const std::string output = "of." + column.name;
    options.pipeline.steps.push_back(
        IsFloat(column.type)
            ? TransformStep{.output = output, .op = TransformOp::kLog1p, .inputs = {column.name}}
            : Hash(output, column.name));
    columns.push_back(column.name);
    outputs.push_back(output);
    if (column.type == Type::kBool) continue;
    names.push_back(column.name);
    if (TransformTypeOf(column.type) != column.type) widened.insert(column.type);
  }
  EXPECT_GE(widened.size(), 4U);
  const SlicedDataset model(table, {200, 300}, 100);
  options = OptionsOf(options.pipeline, outputs);
  EXPECT_EQ(Mapped(*model.dataset, options), names);
  ASSERT_NO_FATAL_FAILURE(CheckTaken(*model.dataset, options, columns));
}

TEST_F(MappedInputsTest, CutOnesAreNot) {
  DatasetScanOptions options;
  options.pipeline.steps = {
      {.output = "some", .op = TransformOp::kFirstX, .inputs = {"item.words"}, .n = 3},
      Hash("hashed", "some")};
  options.scan.features = {{.name = "hashed", .layout = Layout::kJagged}};
  EXPECT_TRUE(Mapped(options).empty());
}

TEST_F(MappedInputsTest, GiveWhatTheyGiveOfShownValues) {
  for (const uint64_t seed : {1U, 2U, 3U}) {
    const ModelDataset model(HistoryTable(seed, 1500), 3, seed == 1 ? 262'144 : 300);
    DatasetScanOptions options = OptionsOf(OneEach(), kOutputs);
    for (const uint32_t batch_size : {50U, 700U}) {
      options.order = {};
      options.scan.threads = 1;
      options.scan.batch_size = batch_size;
      ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
      options.scan.threads = 3;
      options.scan.read_ahead_bytes = 1 << 20;
      ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
      for (const Mix mix : {Mix::kSessions, Mix::kRows}) {
        options.order = {.unit = OrderUnit::kStripe, .seed = seed, .mixing_rows = 400, .mix = mix};
        ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
      }
    }
  }
}

// A feature that one file has and the other lacks.
TEST_F(MappedInputsTest, GiveItWhereFilesDiffer) {
  const ModelTable table = HistoryTable(9, 600);
  std::set<std::string> names;
  for (const FeatureSpec& feature : table.schema.features) names.insert(feature.name);
  names.erase("item.viewers");
  names.erase("noise");
  TempFolder folder;
  WriterOptions options;
  options.page_values = 1024;
  WriteBytes(folder.File("a.dsi"), WriteRows(Slice(table, Range(0, 300)), options));
  WriteBytes(folder.File("b.dsi"), WriteRows(Only(Slice(table, Range(300, 600)), names), options));
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  ASSERT_NO_FATAL_FAILURE(Check(**dataset, OptionsOf(OneEach(), kOutputs)));
}

// Numbers and lists that are the same in all rows, and in the rows of a session, many of which miss
// them; in one batch, where rows at its end have others behind them.
TEST_F(MappedInputsTest, GiveItOfRowsThatRepeat) {
  ModelTable table = HistoryTable(11, 900);
  std::mt19937_64 random(4);
  for (ModelColumn& column : table.columns) {
    const auto at = [&](size_t from) { return column.rows[from]; };
    for (size_t row = 0; row < table.num_rows; ++row) {
      const size_t first = row / 30 * 30;
      if (column.name == "session_id") column.rows[row] = {{first}};
      if (column.name == "big") column.rows[row] = {{12345}};
      if (column.name == "item.words") column.rows[row] = {{7, 7, 7}};
      if (column.name == "noise" && first % 90 == 60) column.rows[row].reset();
      if (column.name == "item.viewers") column.rows[row] = ModelRow{std::vector<uint64_t>()};
      if (column.name != "weight" || row != first) continue;
      if (first % 90 == 30) column.rows[row].reset();
    }
    if (column.name != "weight" && column.name != "noise") continue;
    for (size_t row = 0; row < table.num_rows; ++row) column.rows[row] = at(row / 30 * 30);
  }
  const SlicedDataset model(table, {table.num_rows}, 262'144);
  for (const uint32_t batch_size : {900U, 64U}) {
    DatasetScanOptions options = OptionsOf(OneEach(), kOutputs);
    options.scan.batch_size = batch_size;
    ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
  }
}

// Of scored lists the ids alone, or both; and two features that are one column.
TEST_F(MappedInputsTest, GiveItOfPartsOfScoredLists) {
  Pipeline pipeline;
  pipeline.steps = {Hash("ids", "topics")};
  DatasetScanOptions options = OptionsOf(pipeline, {"ids.ids", "ids.weights"});
  EXPECT_EQ(Mapped(options), std::vector<std::string>{"topics"});
  ASSERT_NO_FATAL_FAILURE(Check(*model_.dataset, options));

  pipeline.steps.push_back(
      {.output = "both", .op = TransformOp::kScoreMultiply, .inputs = {"ids"}, .value = 3.0});
  pipeline.outputs = {"both"};
  options = OptionsOf(pipeline, {"both.ids", "both.weights"});
  EXPECT_EQ(Mapped(options), std::vector<std::string>{"topics"});
  ASSERT_NO_FATAL_FAILURE(Check(*model_.dataset, options));

  pipeline.steps.push_back(Hash("alone", "topics.ids"));
  pipeline.outputs = {"both", "alone"};
  options = OptionsOf(pipeline, {"both.ids", "both.weights", "alone"});
  EXPECT_TRUE(Mapped(options).empty());
  ASSERT_NO_FATAL_FAILURE(Check(*model_.dataset, options));
}

// Of one feature, by several stages, some of which leave its values or scores as they are.
TEST_F(MappedInputsTest, GiveWhatSeveralStagesMakeOfOneFeature) {
  Pipeline pipeline;
  pipeline.steps = {
      Hash("hashed", "item.words"),
      {.output = "rest", .op = TransformOp::kModulus, .inputs = {"item.words"}, .max = 100},
      {.output = "log", .op = TransformOp::kLog1p, .inputs = {"noise"}},
      {.output = "bucket", .op = TransformOp::kBucketize, .inputs = {"noise"}, .borders = {0.5}},
      {.output = "scaled", .op = TransformOp::kScoreMultiply, .inputs = {"topics"}, .value = 2.0},
      Hash("ids", "topics"),
      {.output = "more", .op = TransformOp::kScoreAdd, .inputs = {"topics"}, .value = 1.0},
      {.output = "other", .op = TransformOp::kModulus, .inputs = {"topics"}, .max = 9}};
  const DatasetScanOptions options = OptionsOf(
      pipeline, {"hashed", "rest", "log", "bucket", "ids.ids", "ids.weights", "scaled.ids",
                 "scaled.weights", "more.ids", "more.weights", "other.ids", "other.weights"});
  EXPECT_EQ(Mapped(options), (std::vector<std::string>{"item.words", "item.words", "noise", "noise",
                                                       "topics", "topics", "topics", "topics"}));
  ASSERT_NO_FATAL_FAILURE(Check(*model_.dataset, options));
}

// Of blocks, of rows that pass or are named, of one rank of many.
TEST_F(MappedInputsTest, GiveItOfSomeRows) {
  const ModelDataset model(HistoryTable(21, 1500), 3, 300);
  DatasetScanOptions all = OptionsOf(OneEach(), kOutputs);
  for (const uint32_t threads : {1U, 3U}) {
    all.scan.threads = threads;
    for (const uint32_t mixing_rows : {0U, 400U}) {
      DatasetScanOptions options = all;
      options.order = {
          .unit = OrderUnit::kBlock, .seed = 2, .block_rows = 70, .mixing_rows = mixing_rows};
      ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
      options.scan.filter.where = {{"label", Compare::kEqual, 1}};
      ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
      options.scan.filter = {.where = {}, .sample = {{.when = {}, .keep = 0.5}}};
      ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
    }
    DatasetScanOptions options = all;
    options.rows = {{3, 4}, {200, 420}, {700, 1001}};
    ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
    options = all;
    options.shard = {.rank = 3, .world = 20};
    options.scan.batch_size = 50;
    ASSERT_NO_FATAL_FAILURE(Check(*model.dataset, options));
  }
}

}  // namespace
}  // namespace dsi::test
