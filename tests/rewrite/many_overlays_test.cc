// Overlays of rows that share a key, and of many bases at once: what is given for a key, base by
// base, to the byte as each base by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "dsi/rewrite/delete_rows.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/rewrite/id_files.h"

namespace dsi::test {
namespace {

class ManyOverlaysTest : public testing::Test {
 protected:
  std::string PutBase(const std::string& name, const std::vector<int64_t>& ids) {
    Schema schema = ScoreSchema();
    schema.features.pop_back();
    folder_.Put(name, IdFile(ids, schema, 300));
    return folder_.File(name);
  }
  std::unique_ptr<Dataset> From(const std::vector<int64_t>& ids) {
    folder_.Put("rows/rows.dsi", IdFile(ids, ScoreSchema(), 100));
    return *Dataset::Open(folder_.File("rows/rows.dsi"));
  }
  static OverlayOptions ByKey(const std::string& key, bool broadcast) {
    OverlayOptions options;
    options.key = key;
    options.broadcast = broadcast;
    options.features.only = {"more"};
    return options;
  }
  // Rows of the base and the overlay have what is given for their id, where it is.
  static void Check(const std::string& base, const std::string& overlay,
                    const std::vector<int64_t>& ids, const std::vector<int64_t>& given) {
    const auto both = Dataset::Open(std::vector{base, overlay});
    ASSERT_TRUE(both.ok()) << both.status().ToString();
    const std::vector<ModelRow> rows = Lists(**both, "more");
    ASSERT_EQ(rows.size(), ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      const bool is_given = std::find(given.begin(), given.end(), ids[i]) != given.end();
      ASSERT_EQ(rows[i], is_given ? ListOf(ids[i]) : ModelRow()) << i;
    }
  }

  DatasetFolder folder_;
};

std::vector<int64_t> RandomIds(size_t count, int64_t end, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> ids;
  for (size_t i = 0; i < count; ++i)
    ids.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(end)));
  return ids;
}

TEST_F(ManyOverlaysTest, RowsThatShareAKeyTakeWhatIsGivenForIt) {
  const std::vector<int64_t> ids = RandomIds(2000, 100, 1);
  const std::string base = PutBase("base.dsi", ids);
  std::vector<int64_t> given = Ids(150);                // 100 … 149 are not used, …
  given.erase(given.begin() + 40, given.begin() + 50);  // … and those are not given.
  std::shuffle(given.begin(), given.end(), std::mt19937_64(2));
  const auto num_given = static_cast<uint64_t>(
      std::count_if(ids.begin(), ids.end(), [](int64_t id) { return id < 40 || id >= 50; }));
  const std::string to = folder_.File("over.dsi");
  for (const char* key : {"id", "name"}) {
    OverlayOptions options = ByKey(key, true);
    options.writer.overwrite = true;
    const auto report = WriteOverlay(*From(given), base, to, options);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->num_given, num_given);
    EXPECT_EQ(report->num_unused, 50U);
    EXPECT_EQ(report->write.num_rows, 2000U);
    Check(base, to, ids, given);
    options.broadcast = false;
    const auto refused = WriteOverlay(*From(given), base, to, options);
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(refused.status().message().find("unless broadcast"), std::string::npos);
  }
  // What is given for a key is given once.
  given.push_back(given[7]);
  EXPECT_NE(WriteOverlay(*From(given), base, to, ByKey("id", true))
                .status()
                .message()
                .find("rows 7 and 140 have the same"),
            std::string::npos);
  OverlayOptions options;
  options.broadcast = true;
  EXPECT_EQ(WriteOverlay(*From(Ids(2000)), base, to, options).status().code(),
            StatusCode::kInvalidArgument);
}

// In a stripe what is given for a key is stored once, whatever lies between its rows.
TEST_F(ManyOverlaysTest, WhatRowsShareIsStoredOnce) {
  const std::vector<int64_t> ids = RandomIds(20'000, 100, 3);
  Schema schema = ScoreSchema();
  schema.features.pop_back();
  folder_.Put("base.dsi", IdFile(ids, schema, 1 << 18));
  const std::string to = folder_.File("over.dsi");
  const auto report =
      WriteOverlay(*From(Ids(100)), folder_.File("base.dsi"), to, ByKey("id", true));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->write.values_in, 40'000U);
  EXPECT_EQ(report->write.values_stored, 200U);
}

TEST_F(ManyOverlaysTest, ManyBasesAreAsEachByItself) {
  for (const bool broadcast : {false, true}) {
    std::vector<int64_t> all = Ids(2300);
    std::shuffle(all.begin(), all.end(), std::mt19937_64(7));
    std::map<std::string, std::vector<int64_t>> bases;
    for (int i = 0; i < 4; ++i) {
      // A key may be in several bases.
      std::vector<int64_t> ids(all.begin() + 500 * i, all.begin() + 500 * i + 700);
      if (broadcast) ids = RandomIds(700, 2000, static_cast<uint64_t>(i));
      if (i == 2) ids = {5000, 5001};
      const std::string name = "part-" + std::to_string(i) + ".dsi";
      bases[PutBase(name, ids)] = ids;
    }
    const std::vector<int64_t> given = [&] {
      std::vector<int64_t> rows = Ids(1800);
      std::shuffle(rows.begin(), rows.end(), std::mt19937_64(8));
      return rows;
    }();
    const auto from = From(given);
    std::vector<std::string> paths;
    for (const auto& [path, ids] : bases) paths.push_back(path);
    const auto dataset = *Dataset::Open(paths);
    // However few rows of keys are held at a time: here those of one base or two.
    for (const uint64_t memory : {uint64_t{0}, uint64_t{1} << 19}) {
      OverlayOptions options = ByKey("id", broadcast);
      options.writer.memory_bytes = memory;
      options.writer.overwrite = true;
      const auto made = WriteOverlays(*from, *dataset, "{}.over", options);
      ASSERT_TRUE(made.ok()) << made.status().ToString();
      ASSERT_EQ(made->bases.size(), 4U);
      uint64_t unused = 0;
      for (const int64_t id : given) {
        unused += std::none_of(bases.begin(), bases.end(), [&](const auto& base) {
          return std::find(base.second.begin(), base.second.end(), id) != base.second.end();
        });
      }
      EXPECT_EQ(made->num_unused, unused);
      for (const BaseOverlay& one : made->bases) {
        EXPECT_EQ(one.path, one.base.substr(0, one.base.size() - 4) + ".over");
        const bool has_any = bases[one.base].size() > 2;
        EXPECT_EQ(one.is_written, has_any);
        EXPECT_EQ(std::filesystem::exists(one.path), has_any);
        if (!has_any) continue;
        const auto alone = WriteOverlay(*from, one.base, folder_.File("alone.over"), options);
        ASSERT_TRUE(alone.ok()) << alone.status().ToString();
        EXPECT_EQ(alone->num_given, one.report.num_given);
        EXPECT_EQ(one.report.num_unused, 0U);
        EXPECT_EQ(ReadBytes(folder_.File("alone.over")), ReadBytes(one.path));
        Check(one.base, one.path, bases[one.base], given);
      }
    }
  }
}

TEST_F(ManyOverlaysTest, RowsInOrderAreThoseOfAllBases) {
  std::vector<std::string> paths;
  for (int64_t i = 0; i < 3; ++i) {
    std::vector<int64_t> ids = Ids(400);
    for (int64_t& id : ids) id += 400 * i;
    paths.push_back(PutBase("part-" + std::to_string(i) + ".dsi", ids));
  }
  ASSERT_TRUE(DeleteRows(paths[1], {{"id", Compare::kLess, 410}}).ok());
  std::vector<int64_t> ids = Ids(1200);
  ids.erase(ids.begin() + 400, ids.begin() + 410);
  OverlayOptions options;
  options.features.only = {"more"};
  const auto dataset = *Dataset::Open(paths);
  const auto made = WriteOverlays(*From(ids), *dataset, folder_.File("o-{}.dsi"), options);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  std::vector<std::string> all = paths;
  for (const BaseOverlay& one : made->bases) {
    EXPECT_TRUE(one.is_written);
    all.push_back(one.path);
  }
  EXPECT_EQ(made->bases[1].path, folder_.File("o-part-1.dsi"));
  EXPECT_EQ(made->bases[1].report.num_given, 390U);
  EXPECT_EQ(made->bases[1].report.num_deleted, 10U);
  const std::vector<ModelRow> rows = Lists(**Dataset::Open(all), "more");
  ASSERT_EQ(rows.size(), 1190U);
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], ListOf(ids[i]));
  ids.pop_back();
  options.writer.overwrite = true;
  const auto fewer = WriteOverlays(*From(ids), *dataset, folder_.File("o-{}.dsi"), options);
  EXPECT_NE(fewer.status().message().find("1189 rows for 1190 of the bases"), std::string::npos);
}

TEST_F(ManyOverlaysTest, NamesAndFaults) {
  const std::vector<std::string> paths = {PutBase("a.dsi", Ids(50)), PutBase("b.dsi", Ids(60)),
                                          PutBase("sub/a.dsi", Ids(70))};
  const auto dataset = *Dataset::Open(paths);
  const auto from = From(Ids(40));
  const auto write = [&](const std::string& name) {
    const auto made = WriteOverlays(*from, *dataset, name, ByKey("id", false));
    return made.ok() ? "ok" : made.status().ToString();
  };
  EXPECT_NE(write(folder_.File("over.dsi")).find("has no {}"), std::string::npos);
  EXPECT_NE(write(folder_.File("o/{}.dsi")).find("two bases would have the overlay"),
            std::string::npos);
  // One that is there: nothing is written.
  folder_.Put("b.over", {});
  EXPECT_NE(write("{}.over").find("b.over exists already"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.File("a.over")));
  std::filesystem::remove(folder_.File("b.over"));
  // One that cannot be written: those before it stay.
  std::filesystem::create_directory(folder_.File("b.over"));
  OverlayOptions options = ByKey("id", false);
  options.writer.overwrite = true;
  const auto failed = WriteOverlays(*from, *dataset, "{}.over", options);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.status().message().find("1 of 3 overlays were written before"),
            std::string::npos)
      << failed.status().message();
  Check(paths[0], folder_.File("a.over"), Ids(50), Ids(40));
  std::filesystem::remove(folder_.File("b.over"));
  // A base without the key is named.
  Schema schema;
  schema.features = {OneColumn("other", Kind::kKey, Type::kInt64)};
  folder_.Put("b.dsi", IdFile(Ids(10), schema));
  const auto lacking = WriteOverlays(*from, **Dataset::Open(paths), "{}.over", options);
  EXPECT_NE(lacking.status().message().find("b.dsi"), std::string::npos);
  EXPECT_NE(lacking.status().message().find("the base has no column called"), std::string::npos);
}

}  // namespace
}  // namespace dsi::test
