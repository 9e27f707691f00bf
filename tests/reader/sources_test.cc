// Lists that are stored as places in another (F-066, E-051): every row comes back whatever is asked
// for, whatever the lists have in common.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/scan_model.h"

namespace dsi {
namespace {

using test::Feature;
using test::ModelRow;
using test::ModelTable;

constexpr size_t kLength = 12;  // Of a list at most.

struct Looks {
  Type type = Type::kInt64;
  std::string id_space = {};
  size_t num_rows = 6000;
  double likes = 0.9;   // Share of what is seen.
  double others = 0.0;  // Of what is liked: never seen.
  bool missing = false;
};

// Users who come back: what they saw last, what of it they liked, and their session before.
// Columns: user.id, user.liked, user.seen, user.last.
ModelTable Histories(const Looks& looks, uint64_t seed) {
  constexpr size_t kUsers = 40;
  std::mt19937_64 random(seed);
  const auto id = [&] {
    return (random() % 900 + 1) * 0x9E3779B97F4A7C15 >> (looks.type == Type::kInt64 ? 1 : 40);
  };
  ModelTable table;
  table.num_rows = looks.num_rows;
  table.schema.features.push_back(Feature("user.id", Kind::kKey, {{"", Type::kInt64, ""}}));
  table.columns.push_back(
      {.name = "user.id", .kind = Kind::kKey, .type = Type::kInt64, .rows = {}});
  for (const char* const name : {"user.liked", "user.seen", "user.last"}) {
    table.schema.features.push_back(Feature(name, Kind::kList, {{"", looks.type, looks.id_space}}));
    table.columns.push_back({.name = name, .kind = Kind::kList, .type = looks.type, .rows = {}});
  }
  struct User {
    std::vector<uint64_t> seen, liked, session;
  };
  std::map<uint64_t, User> users;
  const auto newest = [](const std::vector<uint64_t>& all) {
    return std::vector<uint64_t>(
        all.end() - static_cast<std::ptrdiff_t>(std::min(all.size(), kLength)), all.end());
  };
  for (size_t row = 0; row < table.num_rows;) {
    const uint64_t name = random() % kUsers;
    User& user = users[name];
    const std::vector<ModelRow> lists = {newest(user.liked), newest(user.seen),
                                         newest(user.session)};
    user.session.clear();
    for (size_t rows = 1 + random() % 8; rows > 0 && row < table.num_rows; --rows, ++row) {
      table.columns[0].rows.push_back(std::vector<uint64_t>{name});
      for (size_t f = 0; f < 3; ++f) {
        const bool is_missing = looks.missing && name % 5 == f;
        table.columns[f + 1].rows.push_back(is_missing ? ModelRow() : lists[f]);
      }
      const uint64_t item = id();
      user.seen.push_back(item);
      user.session.push_back(item);
      const auto share = [&] { return static_cast<double>(random() % 1000) / 1000; };
      if (share() < looks.likes) user.liked.push_back(share() < looks.others ? id() : item);
    }
  }
  return table;
}

// How the values of a column are encoded in the first stripe that has some.
std::string EncodingOf(const Reader& reader, std::string_view name) {
  const auto streams = reader.Streams(name);
  EXPECT_TRUE(streams.ok()) << streams.status().ToString();
  for (const StreamInfo& stream : *streams) {
    if (stream.role == "values" && stream.num_values != 0) return stream.encoding;
  }
  return "";
}

void ExpectRows(const Reader& reader, const ModelTable& table, std::vector<std::string> names,
                uint64_t first_row = 0) {
  for (const Layout layout : {Layout::kJagged, Layout::kIkjt}) {
    ScanOptions options;
    options.batch_size = 257;
    options.row_begin = first_row;
    for (const std::string& name : names)
      options.features.push_back({.name = name, .layout = layout});
    auto scan = reader.NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    uint64_t row = first_row;
    for (auto more = (*scan)->Next(&batch);; more = (*scan)->Next(&batch)) {
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) break;
      for (const std::string& name : names) {
        std::vector<ModelRow> rows;
        if (layout == Layout::kJagged) {
          rows = test::RowsOf(*batch.Jagged(name));
        } else {
          const auto view = batch.Ikjt(name);
          rows = test::Expand(test::RowsOf(view->unique), view->inverse, batch.num_rows());
        }
        const auto& expected = table.Column(name).rows;
        for (size_t i = 0; i < rows.size(); ++i)
          ASSERT_EQ(rows[i], expected[row + i]) << name << ", row " << row + i;
      }
      row += batch.num_rows();
    }
    EXPECT_EQ(row, table.num_rows);
  }
}

void ExpectAllRows(const Reader& reader, const ModelTable& table) {
  ExpectRows(reader, table, {"user.liked", "user.seen", "user.last"});
  for (const char* const name : {"user.liked", "user.seen", "user.last"})
    ExpectRows(reader, table, {name}, 1500);
  ExpectRows(reader, table, {"user.last", "user.liked"});
  const auto damages = reader.Verify();
  ASSERT_TRUE(damages.ok()) << damages.status().ToString();
  for (const Damage& damage : *damages)
    ADD_FAILURE() << damage.where << ": " << damage.status.ToString();
}

TEST(SourcesTest, F066WhatIsLikedIsStoredInWhatIsSeen) {
  for (const Type type : {Type::kInt64, Type::kUint32, Type::kFloat32}) {
    for (const char* const id_space : {"", "item"}) {
      if (type == Type::kFloat32 && *id_space != 0) continue;
      const ModelTable table = Histories({.type = type, .id_space = id_space}, 1);
      for (const uint32_t stripe_rows : {100'000U, 1100U}) {
        const auto reader = test::OpenTable(table, test::StripesOf(stripe_rows));
        if (stripe_rows > table.num_rows) {
          EXPECT_TRUE(EncodingOf(*reader, "user.liked").starts_with("in user.seen: "))
              << EncodingOf(*reader, "user.liked");
        }
        ExpectAllRows(*reader, table);
      }
    }
  }
}

TEST(SourcesTest, F066WhateverTheListsHaveInCommon) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    std::mt19937_64 random(seed);
    const Looks looks = {.id_space = random() % 2 != 0 ? "item" : "",
                         .num_rows = 2000 + random() % 5000,
                         .likes = static_cast<double>(random() % 100) / 100,
                         .others = static_cast<double>(random() % 60) / 100,
                         .missing = random() % 2 != 0};
    const ModelTable table = Histories(looks, seed);
    SCOPED_TRACE(seed);
    ExpectAllRows(
        *test::OpenTable(table, test::StripesOf(static_cast<uint32_t>(1000 + random() % 4000))),
        table);
  }
}

// Equal lists are stored once anyway.
TEST(SourcesTest, EqualListsAreAliases) {
  const ModelTable table = Histories({.likes = 1.0}, 3);
  const auto reader = test::OpenTable(table, test::StripesOf(100'000));
  EXPECT_EQ(EncodingOf(*reader, "user.liked").find("in user."), std::string::npos);
  EXPECT_TRUE(EncodingOf(*reader, "user.seen").starts_with("alias of "))
      << EncodingOf(*reader, "user.seen");
  ExpectAllRows(*reader, table);
}

TEST(SourcesTest, WhatHasASourceMayBeStoredOnce) {
  ModelTable table = Histories({}, 7);
  table.schema.features.push_back(Feature("user.again", Kind::kList, {{"", Type::kInt64, ""}}));
  table.columns.push_back(table.Column("user.liked"));
  table.columns.back().name = "user.again";
  const auto reader = test::OpenTable(table, test::StripesOf(100'000));
  EXPECT_TRUE(EncodingOf(*reader, "user.again").starts_with("alias of in user.seen: "))
      << EncodingOf(*reader, "user.again");
  ExpectRows(*reader, table, {"user.again"});
  ExpectAllRows(*reader, table);
}

// Promise 2: a source is not much larger than what is stored in it. Of 40 users so many have both.
TEST(SourcesTest, APartTooSmallIsStoredByItself) {
  for (const auto& [users, has_source] : {std::pair(20U, false), {24U, false}, {30U, true}}) {
    ModelTable table = Histories({.id_space = "item"}, 4);
    for (size_t row = 0; row < table.num_rows; ++row) {
      const bool has_both = table.columns[0].rows[row]->front() < users;
      table.columns[1].rows[row] = has_both ? table.columns[2].rows[row] : ModelRow();
    }
    const auto reader = test::OpenTable(table, test::StripesOf(100'000));
    EXPECT_EQ(EncodingOf(*reader, "user.liked").starts_with("in user.seen: "), has_source)
        << users << ": " << EncodingOf(*reader, "user.liked");
    ExpectAllRows(*reader, table);
  }
}

// The source is decoded whole and kept.
TEST(SourcesTest, MemoryIsCounted) {
  const ModelTable table = Histories({}, 5);
  const auto reader = test::OpenTable(table, test::StripesOf(100'000));
  ASSERT_TRUE(EncodingOf(*reader, "user.liked").starts_with("in user.seen: "));
  bool refused = false;
  bool passed = false;
  for (uint64_t memory = 1 << 14; !passed; memory += memory / 4) {
    ScanOptions options;
    options.batch_size = 64;
    options.memory_bytes = memory;
    options.features = {{.name = "user.liked", .layout = Layout::kJagged}};
    auto scan = reader->NewScan(options);
    Batch batch;
    Status status = scan.status();
    for (bool more = scan.ok(); more;) {
      const auto next = (*scan)->Next(&batch);
      status = next.status();
      more = next.ok() && *next;
    }
    passed = status.ok();
    refused |= status.code() == StatusCode::kResourceExhausted;
    ASSERT_TRUE(passed || status.code() == StatusCode::kResourceExhausted) << status.ToString();
    ASSERT_LT(memory, 1ULL << 28);
  }
  EXPECT_TRUE(refused);
}

TEST(SourcesTest, ThreadsDoNotChangeTheBytes) {
  const ModelTable table = Histories({}, 6);
  WriterOptions options = test::StripesOf(2500);
  options.threads = 1;
  const auto one = test::WriteTable(table, options);
  options.threads = 4;
  EXPECT_EQ(one, test::WriteTable(table, options));
}

}  // namespace
}  // namespace dsi
