// Why an encoding was chosen, in words, and by which tuning.
#include <gtest/gtest.h>

#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/tools/inspect_internal.h"

namespace dsi::tools {
namespace {

// At 4 ns for each stored byte.
EncodingCost Cost(double bytes_per_value, double ns_per_value) {
  return {.encoding = "some",
          .bytes_per_value = bytes_per_value,
          .ns_per_value = ns_per_value,
          .cost = 4 * bytes_per_value + ns_per_value};
}

std::string Why(const EncodingCost& chosen, const EncodingCost& runner_up) {
  return WhyChosen({.owner = "", .role = "", .chosen = chosen, .runner_up = runner_up});
}

TEST(WhyChosen, NamesWhatCounts) {
  EXPECT_EQ(Why(Cost(1.0, 1.0), Cost(1.5, 1.0)), "33% smaller");
  EXPECT_EQ(Why(Cost(1.0, 2.0), Cost(1.5, 1.0)), "33% smaller");
  EXPECT_EQ(Why(Cost(1.0, 1.0), Cost(1.5, 3.0)), "33% smaller and faster");
  EXPECT_EQ(Why(Cost(1.0, 1.0), Cost(1.0, 3.0)), "faster: 1.00 vs 3.00 ns");
  EXPECT_EQ(Why(Cost(1.2, 0.001), Cost(1.0, 3.0)), "faster: <0.01 vs 3.00 ns");
  // What saves a tenth of the rest is no reason.
  EXPECT_EQ(Why(Cost(1.0, 1.0), Cost(1.5, 1.1)), "33% smaller");
  EXPECT_EQ(Why(Cost(1.0, 1.0), Cost(1.01, 3.0)), "faster: 1.00 vs 3.00 ns");
}

// A share that is saved is never told larger than it is.
TEST(WhyChosen, RoundsDown) {
  EXPECT_EQ(Why(Cost(0.001, 1.0), Cost(1.0, 1.0)), "99% smaller");
  EXPECT_EQ(Why(Cost(0.9921, 1.0), Cost(1.0, 1.0)), "0.7% smaller");
  EXPECT_EQ(Why(Cost(0.9995, 1.0), Cost(1.0, 1.0)), "<0.1% smaller");
}

TEST(WhyChosen, SaysWhereItIsNotTheCheapest) {
  EXPECT_EQ(Why(Cost(2.0, 1.0), Cost(1.0, 1.0)), "80% dearer here");
  EXPECT_EQ(Why(Cost(1.001, 1.0), Cost(1.0, 1.0)), "the same within 1%");
  EXPECT_EQ(Why(Cost(1.0, 1.0), Cost(1.0, 1.0)), "the same within 1%");
}

TEST(WhyChosen, SaysWhereThereWasNoChoice) {
  EXPECT_EQ(Why({}, {}), "one value");
  EXPECT_EQ(Why(Cost(1, 1), {}), "no other way");
  EXPECT_EQ(WhyChosen({.owner = "", .role = "", .is_alias = true}), "stored once");
}

// What inspect --features --why prints of a file whose footer names this tuning.
std::string Shown(const std::function<void(test::EditableFile*)>& change) {
  test::EditableFile file(test::SampleFile());
  change(&file);
  const auto reader = test::OpenBytes(file.ResealFooter().bytes());
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  Console console;
  testing::internal::CaptureStdout();
  EXPECT_TRUE(ShowChoices(**reader, FeatureOrder::kFile, &console).ok());
  EXPECT_TRUE(console.Flush().ok());
  return testing::internal::GetCapturedStdout();
}

// F-053: without a tuning, or with one of a later version, prices are assumed, and that is said.
TEST(ShowChoices, SaysWhosePricesItAssumes) {
  const auto tuning = [](uint8_t number) {
    return [number](test::EditableFile* file) {
      file->SetCore<uint8_t>(wire::CoreFooter::VT_TUNING, number);
    };
  };
  EXPECT_NE(Shown(tuning(1)).find("cost: 4 ns"), std::string::npos);
  EXPECT_NE(Shown(tuning(1)).find("(tuning nvme);"), std::string::npos);
  EXPECT_NE(Shown(tuning(3)).find("cost: 200 ns"), std::string::npos);
  EXPECT_NE(Shown(tuning(9)).find("(tuning unknown (9): nvme is assumed);"), std::string::npos);
  EXPECT_NE(Shown(tuning(0)).find("(tuning not recorded: nvme is assumed);"), std::string::npos);
}

}  // namespace
}  // namespace dsi::tools
