// MixedScan over real files: each source its own columns and order; a state taken at any step goes
// on to the same batches.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/mixed_scan.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_checker.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

using Taken = std::pair<size_t, std::vector<uint64_t>>;  // Source, and rows of the batch.

class MixedDatasetsTest : public ::testing::Test {
 protected:
  MixedDatasetsTest()
      : clicks_(HistoryTable(1, 900), 2, 200), views_(HistoryTable(2, 400), 1, 300) {}

  std::vector<MixedSource> Sources() {
    const auto opens = [](const ModelDataset& model, std::vector<Projection> features,
                          OrderOptions order) {
      return [&model, features, order](uint64_t round, const std::string& state) {
        DatasetScanOptions options;
        options.scan.features = features;
        options.scan.batch_size = 60;
        options.order = order;
        options.order.epoch = round;
        options.state = state;
        return model.dataset->NewScan(options);
      };
    };
    std::vector<MixedSource> sources(2);
    sources[0] = {3, opens(clicks_, {{.name = "user.history.item", .layout = Layout::kIkjt}},
                           {.unit = OrderUnit::kStripe, .seed = 4, .mixing_rows = 300})};
    sources[1] = {1, opens(views_, {{.name = "item.words", .layout = Layout::kJagged}}, {})};
    return sources;
  }

  // The next batches, at most so many.
  std::vector<Taken> Take(MixedScan* scan, size_t most) {
    std::vector<Taken> taken;
    Batch batch;
    while (taken.size() < most) {
      const auto more = scan->Next(&batch);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) break;
      const bool is_clicks = scan->source() == 0;
      BatchChecker checker(is_clicks ? clicks_.table : views_.table, batch);
      checker.Check(is_clicks ? Projection{.name = "user.history.item", .layout = Layout::kIkjt}
                              : Projection{.name = "item.words", .layout = Layout::kJagged});
      taken.emplace_back(scan->source(), FileRows(batch));
    }
    return taken;
  }

  ModelDataset clicks_, views_;
};

TEST_F(MixedDatasetsTest, ResumesAtEveryStep) {
  for (const Exhausted exhausted : {Exhausted::kStop, Exhausted::kDrop, Exhausted::kRepeat}) {
    const size_t most = exhausted == Exhausted::kRepeat ? 40 : 1000;
    auto whole_scan = MixedScan::Make(Sources(), {.exhausted = exhausted});
    ASSERT_TRUE(whole_scan.ok()) << whole_scan.status().ToString();
    const std::vector<Taken> whole = Take(whole_scan->get(), most);
    if (exhausted == Exhausted::kDrop) {
      ASSERT_EQ(whole.size(), 15U + 7U);
    }
    for (size_t step = 0; step <= whole.size(); ++step) {
      auto scan = MixedScan::Make(Sources(), {.exhausted = exhausted});
      ASSERT_TRUE(scan.ok());
      std::vector<Taken> taken = Take(scan->get(), step);
      const auto state = (*scan)->state();
      ASSERT_TRUE(state.ok());
      auto resumed = MixedScan::Make(Sources(), {.exhausted = exhausted, .state = *state});
      ASSERT_TRUE(resumed.ok()) << resumed.status().ToString();
      for (Taken& rest : Take(resumed->get(), most - step)) taken.push_back(std::move(rest));
      ASSERT_EQ(taken, whole) << step;
    }
  }
}

}  // namespace
}  // namespace dsi::test
