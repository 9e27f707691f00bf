// Rows deleted of files (F-084) have their numbers in a dataset, and no place in its batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/support/batch_rows.h"

namespace dsi::test {
namespace {

TEST(DatasetDeletedRows, F084AreNeverGivenOut) {
  const std::filesystem::path folder = std::filesystem::path(DSI_SOURCE_DIR) / "tests/golden/rules";
  std::vector<std::string> files;
  for (const char* name : {"sound.deleted_all.dsi", "sound.deleted.dsi", "sound.deleted_none.dsi"})
    files.push_back((folder / name).string());
  const auto dataset = Dataset::Open(files);
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  DatasetScanOptions options;
  options.scan.features = {{.name = "k", .layout = Layout::kJagged},
                           {.name = "l", .layout = Layout::kIkjt}};
  // What each file gives by itself.
  std::vector<uint64_t> expected;
  for (size_t f = 0; f < files.size(); ++f) {
    const auto reader = Reader::Open(files[f]);
    const auto scan = (*reader)->NewScan(options.scan);
    Batch batch;
    while (*(*scan)->Next(&batch)) {
      for (const uint64_t row : FileRows(batch))
        expected.push_back((*dataset)->files()[f].first_row + row);
    }
  }
  ASSERT_LT(expected.size(), (*dataset)->num_rows());
  EXPECT_EQ(*(*dataset)->CountRows({}), expected.size());
  for (const uint32_t batch_size : {1U, 5U, 100U}) {
    for (const uint32_t mixing : {0U, 7U, 50U}) {
      for (const Mix mix : {Mix::kSessions, Mix::kRows}) {
        options.scan.batch_size = batch_size;
        options.order = {.unit = OrderUnit::kBlock,
                         .seed = 2,
                         .block_rows = 2,
                         .mixing_rows = mixing,
                         .mix = mix};
        const auto scan = (*dataset)->NewScan(options);
        ASSERT_TRUE(scan.ok()) << scan.status().ToString();
        std::vector<uint64_t> rows;
        uint64_t batches = 0;
        Batch batch;
        for (; *(*scan)->Next(&batch); ++batches) {
          const auto numbers = FileRows(batch);
          rows.insert(rows.end(), numbers.begin(), numbers.end());
        }
        std::sort(rows.begin(), rows.end());
        EXPECT_EQ(rows, expected);
        EXPECT_EQ(batches, ((*dataset)->num_rows() + batch_size - 1) / batch_size);
        EXPECT_EQ((*scan)->stats().rows_dropped, (*dataset)->num_rows() - rows.size());
      }
    }
  }
}

}  // namespace
}  // namespace dsi::test
