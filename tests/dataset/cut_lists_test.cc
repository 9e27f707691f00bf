// What a pipeline cuts first is decoded no further than the cut (spec D-014).
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {
namespace {

using List = std::vector<int64_t>;

constexpr size_t kRows = 900;
constexpr int64_t kKept = 8;

FeatureSpec ListSpec(const std::string& name, bool newest_first, bool weighted) {
  FeatureSpec spec;
  spec.name = name;
  spec.kind = weighted ? Kind::kWeighted : Kind::kList;
  spec.newest_first = newest_first;
  spec.columns = {{.name = weighted ? "ids" : "", .type = Type::kInt64, .id_space = ""}};
  if (weighted) spec.columns.push_back({.name = "weights", .type = Type::kFloat32, .id_space = ""});
  return spec;
}

// Rows with lists of some hundred ids: "old" oldest first, "new" newest first, "scored" with
// weights; each third one is short, each tenth missing.
class CutListsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Schema schema;
    schema.features = {ListSpec("old", false, false), ListSpec("new", true, false),
                       ListSpec("scored", false, true)};
    WriterOptions options;
    options.keep_order = true;
    options.stripe_rows = 300;
    options.page_values = 1024;
    auto writer = Writer::Create(folder_.File("rows.dsi"), schema, options);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch rows((*writer)->schema());
    std::mt19937_64 random(3);
    for (size_t row = 0; row < kRows; ++row) {
      List list(row % 3 == 1 ? random() % 12 : 200 + random() % 300);
      for (int64_t& id : list) id = static_cast<int64_t>(random() >> 20);
      std::vector<float> weights(list.size());
      for (size_t i = 0; i < list.size(); ++i) weights[i] = static_cast<float>(list[i] % 1000);
      for (size_t feature = 0; feature < 3 && row % 10 != 4; ++feature)
        ASSERT_TRUE(rows.SetInts(feature, 0, list).ok());
      if (row % 10 != 4) ASSERT_TRUE(rows.SetFloats(2, 1, weights).ok());
      ASSERT_TRUE(rows.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(rows).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
    auto dataset = Dataset::Open(folder_.File("rows.dsi"));
    ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
    dataset_ = *std::move(dataset);
  }

  // The lists of a column of all rows, in the order of the scan, and how many values that took.
  std::pair<std::vector<List>, uint64_t> Read(DatasetScanOptions options, const std::string& name,
                                              const std::vector<Projection>& others = {}) const {
    std::vector<List> lists;
    options.scan.features = {{.name = name, .layout = Layout::kJagged}};
    options.scan.features.insert(options.scan.features.end(), others.begin(), others.end());
    options.scan.batch_size = 128;
    const auto scan = dataset_->NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    while (scan.ok()) {
      const auto more = (*scan)->Next(&batch);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) break;
      const auto view = batch.Jagged(name);
      EXPECT_TRUE(view.ok()) << view.status().ToString();
      for (size_t i = 0; view.ok() && i < view->rows; ++i) {
        List& list = lists.emplace_back();
        for (int64_t at = view->offsets[i]; at < view->offsets[i + 1]; ++at) {
          list.push_back(view->dtype == Type::kFloat32
                             ? static_cast<int64_t>(static_cast<const float*>(view->values)[at])
                             : static_cast<const int64_t*>(view->values)[at]);
        }
      }
    }
    return {std::move(lists), scan.ok() ? (*scan)->stats().values_decoded : 0};
  }

  // That of the file, and one in which rows of several stripes are gathered.
  static std::vector<OrderOptions> Orders() {
    OrderOptions shuffled;
    shuffled.unit = OrderUnit::kBlock;
    shuffled.block_rows = 64;
    shuffled.mixing_rows = 256;
    return {OrderOptions{}, shuffled};
  }
  static Projection Jagged(const std::string& name) {
    return {.name = name, .layout = Layout::kJagged};
  }
  static TransformStep Cut(const std::string& output, const std::string& input, bool last,
                           int64_t n = kKept) {
    return {.output = output,
            .op = last ? TransformOp::kLastX : TransformOp::kFirstX,
            .inputs = {input},
            .n = n};
  }

  // Reads output "cut", expects it to be what the whole lists say, and returns the share of their
  // values that was decoded.
  double ShareDecoded(const std::vector<TransformStep>& steps, const std::string& of, bool last,
                      const OrderOptions& order = {}, const std::vector<Projection>& others = {},
                      const std::string& cut = "cut") const {
    DatasetScanOptions options;
    options.order = order;
    auto [whole, all] = Read(options, of);
    options.pipeline.steps = steps;
    const auto [lists, decoded] = Read(options, cut, others);
    for (List& list : whole) {
      const size_t kept = std::min<size_t>(list.size(), kKept);
      list = last ? List(list.end() - static_cast<ptrdiff_t>(kept), list.end())
                  : List(list.begin(), list.begin() + static_cast<ptrdiff_t>(kept));
    }
    EXPECT_EQ(lists, whole) << of;
    return static_cast<double>(decoded) / static_cast<double>(all);
  }

  DatasetFolder folder_;
  std::unique_ptr<Dataset> dataset_;
};

TEST_F(CutListsTest, TheNewestEntriesAreDecodedAlone) {
  for (const OrderOptions& order : Orders()) {
    EXPECT_LT(ShareDecoded({Cut("cut", "old", true)}, "old", true, order), 0.2);
    EXPECT_LT(ShareDecoded({Cut("cut", "new", false)}, "new", false, order), 0.2);
    EXPECT_LT(ShareDecoded({Cut("cut", "scored", true)}, "scored.ids", true, order, {}, "cut.ids"),
              0.4);
    EXPECT_LT(ShareDecoded({Cut("cut", "scored", true)}, "scored.weights", true, order, {},
                           "cut.weights"),
              0.4);
  }
}

TEST_F(CutListsTest, WhoTakesMoreGetsIt) {
  // The longer of two cuts, a cut of a cut, and what is read beside them.
  EXPECT_LT(ShareDecoded({Cut("cut", "old", true), Cut("more", "old", true, 20)}, "old", true, {},
                         {Jagged("more")}),
            0.2);
  EXPECT_LT(ShareDecoded({Cut("more", "old", true, 20), Cut("cut", "more", true)}, "old", true),
            0.2);
  EXPECT_GE(ShareDecoded({Cut("cut", "old", true)}, "old", true, {}, {Jagged("old")}), 1);
  // The other end, both ends, and the whole list.
  EXPECT_GE(ShareDecoded({Cut("cut", "old", false)}, "old", false), 1);
  EXPECT_GE(ShareDecoded({Cut("cut", "old", true), Cut("first", "old", false)}, "old", true, {},
                         {Jagged("first")}),
            1);
  const TransformStep hashed{
      .output = "hashed", .op = TransformOp::kSigridHash, .inputs = {"old"}, .salt = 1, .max = 99};
  EXPECT_GE(ShareDecoded({Cut("cut", "old", true), hashed}, "old", true, {}, {Jagged("hashed")}),
            1);
}

// Ids and weights of an entry stay together, whatever else is read of either of them.
TEST_F(CutListsTest, PartsOfAFeatureAreCutAlike) {
  for (const OrderOptions& order : Orders()) {
    for (const char* part : {"scored.ids", "scored.weights"}) {
      std::vector<Projection> others = {
          Jagged(part),
          {.name = part, .layout = Layout::kIkjt},
      };
      for (const uint32_t width : {4U, 20U, 100U, 500U})
        others.push_back({.name = part, .layout = Layout::kPadded, .width = width});
      for (const Projection& other : others) {
        for (const char* cut : {"cut.ids", "cut.weights"}) {
          const std::string of = std::string("scored") + std::string(cut).substr(3);
          ShareDecoded({Cut("cut", "scored", true)}, of, true, order, {other}, cut);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dsi::test
