// Clicks that come clustered by session, and files that are written of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/writer/writer.h"

namespace dsi::test {

inline constexpr uint32_t kClickStripeRows = 40;

inline constexpr char kClickFeatures[] = R"({"features": [
    {"name": "user", "kind": "key", "type": "int64"},
    {"name": "session", "kind": "key", "type": "bytes"},
    {"name": "t", "kind": "timestamp", "type": "int64", "unit": "s"},
    {"name": "history", "kind": "list", "type": "int64"},
    {"name": "price", "kind": "dense", "type": "float32"},
    {"name": "item", "kind": "key", "type": "int64"}]})";

using Keys = std::vector<std::string>;
inline const Keys kBoth = {"user", "session", "t"};
inline const Keys kOne = {"session", "t"};

struct Click {
  std::optional<int64_t> user;
  std::optional<std::string> session;
  std::optional<int64_t> time;
  int64_t item = 0;
  int64_t visit = 0;  // What its history is made of.
};
using Clicks = std::vector<Click>;

// Sessions one after another, of 1 to `longest` rows, in the order of their first times or in none.
// Some have no user or no session of their own, some rows have no time. Users have several
// sessions.
inline Clicks MakeClicks(uint64_t seed, size_t num_rows, int longest, bool by_first_time) {
  std::mt19937_64 random(seed);
  Clicks clicks;
  int64_t start = 1'000;
  for (int64_t visit = 0; clicks.size() < num_rows; ++visit) {
    Click click;
    click.visit = visit;
    // Users stay together: their sessions are inner keys.
    click.user = visit / 3;
    click.session = "session " + std::to_string(visit);
    if (visit == 5) click.session.reset();
    if (visit == 8) click.session = "";
    if (visit / 3 == 4) click.user.reset();
    start = by_first_time ? start + static_cast<int64_t>(random() % 5)
                          : static_cast<int64_t>(random() % 100'000);
    int64_t time = start;
    const auto rows = 1 + random() % static_cast<uint64_t>(longest);
    const bool lacks_times = !by_first_time && random() % 4 == 0;
    for (uint64_t row = 0; row < rows && clicks.size() < num_rows; ++row) {
      click.time = time;
      if (lacks_times && row < 2) click.time.reset();
      click.item = static_cast<int64_t>(random() % 50);
      clicks.push_back(click);
      time += static_cast<int64_t>(random() % 3);
    }
  }
  return clicks;
}

inline RowBatch BatchOf(const Writer& writer, std::span<const Click> clicks) {
  RowBatch batch(writer.schema());
  for (const Click& click : clicks) {
    if (click.user) {
      EXPECT_TRUE(batch.SetInt(0, *click.user).ok());
    }
    if (click.session) {
      EXPECT_TRUE(batch.SetBytes(1, *click.session).ok());
    }
    if (click.time) {
      EXPECT_TRUE(batch.SetInt(2, *click.time).ok());
    }
    std::vector<int64_t> history;
    for (int64_t i = 0; i < 2 + click.visit % 7; ++i) history.push_back(click.visit * 13 + i * i);
    EXPECT_TRUE(batch.SetInts(3, 0, history).ok());
    if (click.item % 3 != 0) {
      EXPECT_TRUE(batch.SetDouble(4, 0.5 * static_cast<double>(click.item)).ok());
    }
    EXPECT_TRUE(batch.SetInt(5, click.item).ok());
    EXPECT_TRUE(batch.EndRow().ok());
  }
  return batch;
}

struct Outcome {
  Status status;
  std::vector<std::byte> bytes;
  WriteReport report;
};

inline Outcome WriteClicks(const Clicks& clicks, size_t rows_of_batch, WriterOptions options) {
  Outcome done;
  options.page_values = 1'024;
  auto writer = Writer::Create(CreateMemoryFile(&done.bytes, "memory"),
                               *Schema::FromJson(kClickFeatures), std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  for (size_t row = 0; row < clicks.size(); row += rows_of_batch) {
    const size_t count = std::min(rows_of_batch, clicks.size() - row);
    RowBatch batch = BatchOf(**writer, std::span(clicks).subspan(row, count));
    done.status = row % 2 == 0 ? (*writer)->Append(std::move(batch)) : (*writer)->Append(batch);
    if (!done.status.ok()) {
      EXPECT_EQ((*writer)->Finish().status().ToString(), done.status.ToString());
      return done;
    }
  }
  auto report = (*writer)->Finish();
  done.status = report.status();
  if (report.ok()) done.report = *report;
  return done;
}

inline std::unique_ptr<Reader> OpenBytes(const std::vector<std::byte>& bytes) {
  auto reader = Reader::Open(OpenMemoryFile(bytes, "memory"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

inline std::string TextOf(const Reader& reader) {
  std::string text;
  auto rows = RowText::Create(reader, {});
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  while (true) {
    const Result<bool> more = (*rows)->Next(&text, nullptr);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) return text;
  }
}

struct Cut {
  uint64_t num_rows = 0;
  uint64_t num_sessions = 0;
  bool continues_session = false;

  bool operator==(const Cut&) const = default;
};

inline std::vector<Cut> CutsOf(const Reader& reader) {
  std::vector<Cut> cuts;
  for (const StripeInfo& stripe : reader.stripes())
    cuts.push_back({stripe.num_rows, stripe.num_sessions, stripe.continues_session});
  return cuts;
}

// F-051: which session each row is of, told from the rows alone; a session is cut only where it is
// longer than a stripe.
inline void CheckCuts(const Clicks& clicks, const std::vector<Cut>& cuts) {
  size_t row = 0;
  for (size_t i = 0; i < cuts.size(); ++i) {
    uint64_t starts = 0;
    for (size_t r = row; r < row + cuts[i].num_rows; ++r)
      starts += r == 0 || clicks[r].visit != clicks[r - 1].visit ? 1U : 0U;
    EXPECT_EQ(cuts[i].num_sessions, starts) << i;
    EXPECT_EQ(cuts[i].continues_session, row != 0 && clicks[row].visit == clicks[row - 1].visit)
        << i;
    if (cuts[i].continues_session) {
      EXPECT_EQ(cuts[i - 1].num_sessions + (cuts[i - 1].continues_session ? 1 : 0), 1U) << i;
    }
    row += cuts[i].num_rows;
  }
  EXPECT_EQ(row, clicks.size());
}

}  // namespace dsi::test
