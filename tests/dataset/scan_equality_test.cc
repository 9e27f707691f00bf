// What must not change what a scan gives: threads and read-ahead not a byte, how the rows are cut
// into files not a value.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

// Every tensor of a batch, one behind the other: what lies between them is nobody's.
std::vector<std::byte> TensorsOf(const Scan& scan, const Batch& batch) {
  std::vector<std::byte> all;
  const auto add = [&](const void* data, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    all.insert(all.end(), bytes, bytes + size);
  };
  for (size_t i = 0; i < scan.columns().size(); ++i) {
    const ScanColumn& column = scan.columns()[i];
    const auto width = static_cast<size_t>(TypeWidth(column.dtype));
    if (column.layout == Layout::kJagged) {
      const auto view = batch.Jagged(i);
      add(view->values, view->num_values * width);
      add(view->offsets, (view->rows + 1) * sizeof(int64_t));
      add(view->present, view->rows);
    } else if (column.layout == Layout::kPadded) {
      const auto view = batch.Padded(i);
      add(view->values, view->rows * view->width * width);
      add(view->lengths, view->rows * sizeof(int32_t));
    } else if (column.layout == Layout::kIkjt) {
      const auto view = batch.Ikjt(i);
      add(view->unique.values, view->unique.num_values * width);
      add(view->unique.offsets, (view->unique.rows + 1) * sizeof(int64_t));
      add(view->inverse, batch.num_rows() * sizeof(int32_t));
    } else if (column.layout == Layout::kPaddedIkjt) {
      const auto view = batch.PaddedIkjt(i);
      add(view->unique.values, view->unique.rows * view->unique.width * width);
      add(view->inverse, batch.num_rows() * sizeof(int32_t));
    }
  }
  const auto add_keyed = [&](const auto& view, size_t num_rows) {
    const auto length_width = static_cast<size_t>(TypeWidth(view.lengths_dtype));
    add(view.values, view.num_values * static_cast<size_t>(TypeWidth(view.dtype)));
    add(view.lengths, num_rows * length_width);
    add(view.offsets, (num_rows + 1) * length_width);
    add(view.length_per_key.data(), view.keys.size() * sizeof(int64_t));
    add(view.offset_per_key.data(), (view.keys.size() + 1) * sizeof(int64_t));
  };
  if (const auto vbe = batch.Vbe(); vbe.ok()) {
    add(vbe->stride_per_key.data(), vbe->keys.size() * sizeof(int32_t));
    add(vbe->inverse_indices, vbe->keys.size() * batch.num_rows() * sizeof(int64_t));
    add_keyed(*vbe, vbe->num_unique);
  }
  if (const auto kjt = batch.Kjt(); kjt.ok()) add_keyed(*kjt, kjt->keys.size() * kjt->rows);
  for (const char* set : {"", "labels"}) {
    const auto dense = batch.Dense(set);
    if (!dense.ok()) continue;
    add(dense->values, dense->rows * dense->columns * static_cast<size_t>(TypeWidth(dense->dtype)));
    add(dense->present, dense->rows * dense->columns);
  }
  return all;
}

DatasetScanOptions EveryLayout(uint32_t batch_size) {
  DatasetScanOptions options;
  options.scan.batch_size = batch_size;
  options.pipeline.steps = {
      {.output = "newest", .op = TransformOp::kFirstX, .inputs = {"user.history.item"}, .n = 3},
      {.output = "cross",
       .op = TransformOp::kCartesian,
       .inputs = {"newest", "item.words"},
       .salt = 3,
       .max = int64_t{1} << 40,
       .limit = 10},
      {.output = "filled", .op = TransformOp::kFill, .inputs = {"weight"}, .value = 9.0}};
  options.pipeline.outputs = {"newest", "cross", "filled"};
  for (const char* name : {"user.history.item", "item.viewers", "newest", "cross"}) {
    for (const Layout layout : {Layout::kJagged, Layout::kPadded, Layout::kIkjt,
                                Layout::kPaddedIkjt, Layout::kVbe, Layout::kKjt})
      options.scan.features.push_back({.name = name, .layout = layout, .width = 5});
  }
  for (const char* name : {"filled", "item.views"})
    options.scan.features.push_back(
        {.name = name, .layout = Layout::kDense, .dtype = Type::kFloat32});
  options.scan.features.push_back(
      {.name = "label", .layout = Layout::kDense, .dtype = Type::kInt64, .set = "labels"});
  return options;
}

std::vector<OrderOptions> Orders() {
  std::vector<OrderOptions> orders = {{}};
  for (const uint32_t mixing : {0U, 700U}) {
    for (const Mix mix : {Mix::kSessions, Mix::kRows})
      orders.push_back({.unit = OrderUnit::kBlock,
                        .seed = 8,
                        .block_rows = 90,
                        .mixing_rows = mixing,
                        .mix = mix});
  }
  return orders;
}

void ExpectNoByteChanges(const ModelDataset& model, const OrderOptions& order,
                         uint32_t batch_size) {
  for (const bool filters : {false, true}) {
    DatasetScanOptions options = EveryLayout(batch_size);
    options.order = order;
    if (filters) options.scan.filter.sample = {{.when = {}, .keep = 0.4}};
    std::vector<std::vector<std::byte>> expected;
    for (uint32_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
      for (const uint64_t ahead : {0U, 1U, 1U << 22}) {
        options.scan.threads = threads;
        options.scan.read_ahead_bytes = ahead;
        const auto scan = model.dataset->NewScan(options);
        ASSERT_TRUE(scan.ok()) << scan.status().ToString();
        Batch batch;
        size_t i = 0;
        for (; *(*scan)->Next(&batch); ++i) {
          auto tensors = TensorsOf(**scan, batch);
          if (threads == 1 && ahead == 0) {
            expected.push_back(std::move(tensors));
          } else {
            ASSERT_EQ(tensors, expected[i]) << threads << " threads, batch " << i;
          }
        }
        ASSERT_EQ(i, expected.size());
      }
    }
  }
}

// Batches of 4,800 rows have lists that threads share.
TEST(DatasetEquality, ThreadsAndReadAheadChangeNoByte) {
  const ModelDataset model(HistoryTable(4, 2500), 3, 300);
  const ModelDataset whole(HistoryTable(4, 5000), 1, 262'144);
  for (const OrderOptions& order : Orders()) {
    ExpectNoByteChanges(model, order, 128);
    ExpectNoByteChanges(whole, order, 4800);
  }
}

// Rows as numbers of unique rows, in order of first use.
TEST(DatasetEquality, UniqueRowsComeInOrderOfFirstUse) {
  const ModelDataset model(HistoryTable(4, 2500), 3, 300);
  for (const OrderOptions& order : Orders()) {
    for (const bool filters : {false, true}) {
      DatasetScanOptions options = EveryLayout(128);
      options.order = order;
      if (filters) options.scan.filter.sample = {{.when = {}, .keep = 0.4}};
      const auto scan = model.dataset->NewScan(options);
      Batch batch;
      while (*(*scan)->Next(&batch)) {
        for (const char* name : {"user.history.item", "item.viewers", "newest", "cross"}) {
          const auto view = batch.Ikjt(name);
          int32_t met = 0;
          for (size_t i = 0; i < batch.num_rows(); ++i) {
            ASSERT_LE(view->inverse[i], met) << name;
            met = std::max(met, view->inverse[i] + 1);
          }
          ASSERT_EQ(static_cast<size_t>(met), view->unique.rows) << name;
        }
      }
    }
  }
}

TEST(DatasetEquality, HowRowsAreCutIntoFilesChangesNoValue) {
  const ModelTable table = HistoryTable(6, 1000);
  DatasetScanOptions options = EveryLayout(64);
  options.scan.features = {{.name = "*", .layout = Layout::kJagged},
                           {.name = "newest", .layout = Layout::kJagged},
                           {.name = "cross", .layout = Layout::kJagged},
                           {.name = "filled", .layout = Layout::kJagged}};
  std::vector<std::vector<std::byte>> expected;
  for (const size_t num_files : {1U, 2U, 7U, 50U}) {
    TempFolder folder;
    for (size_t f = 0; f < num_files; ++f) {
      std::vector<size_t> rows;
      for (size_t row = 1000 * f / num_files; row < 1000 * (f + 1) / num_files; ++row)
        rows.push_back(row);
      WriteBytes(folder.File(std::to_string(100 + f) + ".dsi"),
                 WriteTable(Slice(table, rows), StripesOf(130)));
    }
    const auto dataset = Dataset::Open(folder.path());
    ASSERT_TRUE(dataset.ok());
    const auto scan = (*dataset)->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    size_t i = 0;
    for (; *(*scan)->Next(&batch); ++i) {
      auto tensors = TensorsOf(**scan, batch);
      if (num_files == 1) {
        expected.push_back(std::move(tensors));
      } else {
        ASSERT_EQ(tensors, expected[i]) << num_files << " files, batch " << i;
      }
    }
    ASSERT_EQ(i, 16U);
  }
}

// A dataset of one file is that file: the same tensors as its own scan, but that batches of a
// filter are not filled up.
TEST(DatasetEquality, OneFileIsItsScan) {
  TempFolder folder;
  WriteBytes(folder.File("one.dsi"), WriteTable(HistoryTable(6, 1000), StripesOf(130)));
  const auto dataset = Dataset::Open(folder.path());
  const auto reader = Reader::Open(folder.File("one.dsi"));
  DatasetScanOptions options = EveryLayout(64);
  options.pipeline = {};
  std::erase_if(options.scan.features, [](const Projection& p) {
    return p.name == "newest" || p.name == "cross" || p.name == "filled";
  });
  const auto scan = (*dataset)->NewScan(options);
  const auto own = (*reader)->NewScan(options.scan);
  ASSERT_TRUE(scan.ok() && own.ok());
  Batch batch, own_batch;
  while (*(*scan)->Next(&batch)) {
    ASSERT_TRUE(*(*own)->Next(&own_batch));
    ASSERT_EQ(TensorsOf(**scan, batch), TensorsOf(**own, own_batch));
  }
  ASSERT_FALSE(*(*own)->Next(&own_batch));
  EXPECT_EQ((*scan)->stats().output_bytes, (*own)->stats().output_bytes);
  EXPECT_EQ((*scan)->stats().values_expanded, (*own)->stats().values_expanded);
}

}  // namespace
}  // namespace dsi::test
