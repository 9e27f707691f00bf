// Views of a batch by ordinal: Scan::columns() says what stands where.
#include <gtest/gtest.h>

#include "dsi/tests/reader/sample_file.h"

namespace dsi::test {
namespace {

TEST(Ordinals, NameAndOrdinalGiveTheSameViews) {
  const auto reader = *OpenBytes(SampleFile());
  ScanOptions options;
  options.features = {{.name = "user.clicks", .layout = Layout::kPadded, .width = 7},
                      {.name = "user.history", .layout = Layout::kJagged},
                      {.name = "user.clicks", .layout = Layout::kIkjt},
                      {.name = "user.clicks", .layout = Layout::kPaddedIkjt, .width = 3},
                      {.name = "label", .layout = Layout::kDense}};
  const auto scan = reader->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  const auto columns = (*scan)->columns();
  // A feature stands for its columns.
  const char* const names[] = {"user.clicks", "user.history.item", "user.history.time",
                               "user.clicks", "user.clicks",       "label"};
  const Layout layouts[] = {Layout::kPadded, Layout::kJagged,     Layout::kJagged,
                            Layout::kIkjt,   Layout::kPaddedIkjt, Layout::kDense};
  const uint32_t widths[] = {7, 0, 0, 0, 3, 0};
  ASSERT_EQ(columns.size(), 6U);
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(columns[i].name, names[i]);
    EXPECT_EQ(columns[i].layout, layouts[i]);
    EXPECT_EQ(columns[i].width, widths[i]);
  }
  Batch batch;
  EXPECT_EQ(batch.Padded(size_t{0}).status().code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(*(*scan)->Next(&batch));
  EXPECT_EQ(batch.Padded(0)->values, batch.Padded("user.clicks")->values);
  EXPECT_EQ(batch.Padded(0)->dtype, columns[0].dtype);
  EXPECT_EQ(batch.Jagged(2)->offsets, batch.Jagged("user.history.time")->offsets);
  EXPECT_EQ(batch.Ikjt(3)->inverse, batch.Ikjt("user.clicks")->inverse);
  EXPECT_EQ(batch.PaddedIkjt(4)->unique.values, batch.PaddedIkjt("user.clicks")->unique.values);
  EXPECT_EQ(batch.Jagged(0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Padded(5).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Padded(6).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace dsi::test
