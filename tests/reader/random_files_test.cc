// Random files, clustered, grouped and of many stripes, against a model of plain rows: every layout
// and type, row ranges, filters, batch sizes, sizes of reads. D-001 … D-014, F-061 … F-064.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/support/batch_checker.h"
#include "dsi/tests/support/random_file.h"

namespace dsi::test {
namespace {

void CheckScan(const Reader& reader, const ModelTable& table, const ScanOptions& options) {
  const std::vector<uint64_t> expected = ExpectedRows(table, options);
  auto scan = reader.NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<uint64_t> rows;
  Batch batch;
  bool full = true;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) break;
    ASSERT_TRUE(full) << "only the last batch may be short";
    full = batch.num_rows() == options.batch_size;
    const std::vector<uint64_t> in_batch = FileRows(batch);
    rows.insert(rows.end(), in_batch.begin(), in_batch.end());
    BatchChecker checker(table, batch);
    for (const Projection& asked : options.features) {
      SCOPED_TRACE("batch at row " + std::to_string(in_batch.front()) + ", column " + asked.name +
                   ", layout " + std::to_string(static_cast<int>(asked.layout)));
      ASSERT_NO_FATAL_FAILURE(checker.Check(asked));
    }
  }
  ASSERT_EQ(rows, expected);
  ASSERT_EQ((*scan)->stats().rows, rows.size());
  if (!options.drop_last) {
    ASSERT_EQ(*reader.CountRows(options), rows.size());
  }
}

void CheckFile(uint64_t seed, int num_scans) {
  const RandomFile file = MakeRandomFile(seed);
  SCOPED_TRACE(file.what);
  std::mt19937_64 random(seed + 1'000'000);
  ReaderOptions reader_options;
  reader_options.coalesce_gap = random() % 2 == 0 ? 128 << 10 : random() % 5000;
  reader_options.max_read_bytes = random() % 2 == 0 ? 1 << 20 : 1 + random() % 5000;
  const auto reader = Reader::Open(OpenMemoryFile(file.bytes, "random"), reader_options);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const auto damages = (*reader)->Verify();
  ASSERT_TRUE(damages.ok()) << damages.status().ToString();
  ASSERT_TRUE(damages->empty()) << damages->front().where << damages->front().status.ToString();
  for (int i = 0; i < num_scans; ++i) {
    SCOPED_TRACE("scan " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(CheckScan(**reader, file.table, MakeRandomScan(file.table, &random)));
  }
}

TEST(RandomFiles, FewAgreeWithTheModel) {
  for (uint64_t seed = 1; seed <= 12; ++seed) ASSERT_NO_FATAL_FAILURE(CheckFile(seed, 5));
}

TEST(RandomFiles, SlowManyAgreeWithTheModel) {
  for (uint64_t seed = 100; seed < 250; ++seed) ASSERT_NO_FATAL_FAILURE(CheckFile(seed, 10));
}

// The files above would prove little if they were all of one kind.
TEST(RandomFiles, AreOfEveryKind) {
  std::set<IndexForm> forms;
  std::set<std::string> roles;
  size_t parents = 0;
  bool many_stripes = false;
  bool continues = false;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const RandomFile file = MakeRandomFile(seed);
    const auto reader = Reader::Open(OpenMemoryFile(file.bytes, "random"));
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const auto stripes = (*reader)->stripes();
    many_stripes |= stripes.size() > 3;
    for (const StripeInfo& stripe : stripes) continues |= stripe.continues_session;
    const auto groups = (*reader)->Groups();
    ASSERT_TRUE(groups.ok());
    for (const GroupInfo& group : *groups) {
      parents += group.parent != 0 ? 1 : 0;
      for (const auto& stripe : group.stripes) forms.insert(stripe.form);
    }
    const auto streams = (*reader)->Streams("");
    ASSERT_TRUE(streams.ok());
    for (const StreamInfo& stream : *streams) {
      if (stream.num_values != 0) roles.insert(stream.role);
    }
  }
  EXPECT_EQ(forms.size(), 7U);
  EXPECT_EQ(roles, (std::set<std::string>{"shape", "windows", "values", "index", "dictionary"}));
  EXPECT_GT(parents, 0U);
  EXPECT_TRUE(many_stripes);
  EXPECT_TRUE(continues);
}

}  // namespace
}  // namespace dsi::test
