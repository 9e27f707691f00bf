// The news profile is what it says of itself: its counters and lists are those of a plain replay of
// the log, and its sessions lie far apart in it.
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsi/base/xxh3_internal.h"
#include "dsi/tests/tools/generated_rows.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::json;
using Ids = std::deque<int64_t>;

Ids IdsOf(const Json& list) { return list.get<Ids>(); }

void Push(int64_t id, size_t most, Ids* ids) {
  ids->push_back(id);
  if (ids->size() > most) ids->pop_front();
}

TEST(GenerateNews, BytesArePinned) {
  const std::string text = Generate(OptionsOf("news", 2000));
  EXPECT_EQ(internal::Xxh3(text.data(), text.size(), 0), 11688817355464595907u);
}

// Takes the state of articles and readers from their first rows, unless they are new, and follows
// it by what the rows before say.
class Replay {
 public:
  void Take(const Json& row) {
    const auto time = row["timestamp"].get<int64_t>();
    if (first_ms_ == 0) first_ms_ = time;
    CheckReader(row);
    CheckArticle(row, time);
    pending_.push_back(row);
    if (pending_.size() == 5) EndRequest();
  }

  int new_articles() const { return new_articles_; }
  int64_t checked() const { return checked_; }

 private:
  struct Article {
    double shown, clicked;
    Ids visitors, co_clicks;
  };
  struct Reader {
    double clicks;
    Ids clicked, categories;
    int64_t session = 0;
    Ids in_session;
  };

  void CheckReader(const Json& row) {
    const auto found = readers_.find(row["user_id"]);
    const Json& lists = row["user"];
    EXPECT_LE(lists["clicked"].size(), 30u);
    if (found == readers_.end()) {
      readers_[row["user_id"]] = {row["dense"]["user_clicks"], IdsOf(lists["clicked"]),
                                  IdsOf(lists["clicked_categories"]), row["session_id"],
                                  IdsOf(row["context"]["session_items"])};
      return;
    }
    Reader& reader = found->second;
    if (reader.session != row["session_id"]) {
      reader.session = row["session_id"];
      reader.in_session.clear();
    }
    ++checked_;
    EXPECT_EQ(row["dense"]["user_clicks"], reader.clicks);
    EXPECT_EQ(IdsOf(lists["clicked"]), reader.clicked);
    EXPECT_EQ(IdsOf(lists["clicked_categories"]), reader.categories);
    EXPECT_EQ(IdsOf(row["context"]["session_items"]), reader.in_session);
  }

  void CheckArticle(const Json& row, int64_t time) {
    const Json& dense = row["dense"];
    const Json& lists = row["item"];
    const auto found = articles_.find(row["item_id"]);
    if (found != articles_.end()) {
      ++checked_;
      const Article& article = found->second;
      EXPECT_EQ(dense["item_shown"], article.shown);
      EXPECT_EQ(dense["item_clicks"], article.clicked);
      EXPECT_EQ(IdsOf(lists["recent_visitors"]), article.visitors);
      EXPECT_EQ(IdsOf(lists["co_clicks"]), article.co_clicks);
      return;
    }
    Article& article = articles_[row["item_id"]];
    article = {dense["item_shown"], dense["item_clicks"], IdsOf(lists["recent_visitors"]),
               IdsOf(lists["co_clicks"])};
    // Of what was published after the log began, the log has everything.
    if (dense["item_age_minutes"].get<double>() * 60'000 + 60'000 <
        static_cast<double>(time - first_ms_)) {
      ++new_articles_;
      EXPECT_EQ(article.shown, 0);
      EXPECT_EQ(article.clicked, 0);
      EXPECT_TRUE(article.visitors.empty() && article.co_clicks.empty());
    }
  }

  // A click and its negatives show the state before all five; then the click moves it.
  void EndRequest() {
    std::set<int64_t> items;
    for (const Json& row : pending_) {
      const bool clicked = &row == pending_.data();
      EXPECT_EQ(row["label"], clicked ? 1 : 0);
      EXPECT_EQ(row["request_id"], pending_[0]["request_id"]);
      EXPECT_EQ(row["session_id"], pending_[0]["session_id"]);
      EXPECT_EQ(row["user"], pending_[0]["user"]);
      EXPECT_EQ(row["dense"].contains("dwell_seconds"), clicked);
      EXPECT_EQ(row["dense"].contains("scrolls"), clicked);
      EXPECT_EQ(row["dense"]["read_share"] > 0, clicked);
      items.insert(row["item_id"].get<int64_t>());
      ++articles_[row["item_id"]].shown;
    }
    EXPECT_EQ(items.size(), 5u);
    const Json& row = pending_[0];
    Article& article = articles_[row["item_id"]];
    Reader& reader = readers_[row["user_id"]];
    ++article.clicked;
    Push(row["user_id"], 20, &article.visitors);
    if (!reader.clicked.empty()) Push(reader.clicked.back(), 20, &article.co_clicks);
    ++reader.clicks;
    Push(row["item_id"], 30, &reader.clicked);
    Push(row["item_id"], 30, &reader.in_session);
    Push(row["item"]["category"][0], 30, &reader.categories);
    pending_.clear();
  }

  int64_t first_ms_ = 0;
  std::map<int64_t, Article> articles_;
  std::map<int64_t, Reader> readers_;
  std::vector<Json> pending_;
  int new_articles_ = 0;
  int64_t checked_ = 0;
};

TEST(GenerateNews, RowsShowWhatAReplayOfTheLogShows) {
  Replay replay;
  ForEachRow(OptionsOf("news", 25'000), [&](const Json& row) { replay.Take(row); });
  EXPECT_GT(replay.new_articles(), 3);
  EXPECT_GT(replay.checked(), 30'000);
}

// The number after `name` in the text of a row, which is quicker than to parse all of it.
int64_t NumberOf(std::string_view line, std::string_view name) {
  return std::stoll(std::string(line.substr(line.find(name) + name.size(), 20)));
}

TEST(GenerateNews, ThousandsOfSessionsAreOpenForMinutes) {
  struct Session {
    int64_t first_ms, last_ms, last_row, clicks;
  };
  std::map<int64_t, Session> sessions;
  std::vector<int64_t> distances;
  int64_t rows = 0;
  int64_t last_ms = 0;
  ForEachLine(OptionsOf("news", 150'000), [&](std::string_view line) {
    const int64_t id = NumberOf(line, "\"session_id\":");
    last_ms = NumberOf(line, "\"timestamp\":");
    const auto [at, added] = sessions.try_emplace(id, Session{last_ms, last_ms, rows, 0});
    if (rows % 5 == 0) {
      if (!added) distances.push_back(rows - at->second.last_row);
      at->second.last_row = rows;
      ++at->second.clicks;
    }
    at->second.last_ms = last_ms;
    ++rows;
  });
  const int64_t middle = (sessions.begin()->second.first_ms + last_ms) / 2;
  int64_t open = 0;
  int64_t minutes = 0;
  for (const auto& [id, session] : sessions) {
    if (session.first_ms >= middle || session.last_ms <= middle) continue;
    ++open;
    minutes += (session.last_ms - session.first_ms) / 60'000;
  }
  std::sort(distances.begin(), distances.end());
  EXPECT_GT(open, 2000);
  EXPECT_GT(minutes / open, 5);
  EXPECT_GT(distances[distances.size() / 2], 5'000) << "rows between two clicks of a session";
}

TEST(GenerateNews, PopularityIsSkewedAndDrifts) {
  std::map<int64_t, int64_t> early, late, readers;
  int64_t rows = 0;
  ForEachLine(OptionsOf("news", 150'000), [&](std::string_view line) {
    if (rows < 50'000) ++early[NumberOf(line, "\"item_id\":")];
    if (rows >= 100'000) ++late[NumberOf(line, "\"item_id\":")];
    if (rows % 5 == 0) ++readers[NumberOf(line, "\"user_id\":")];
    ++rows;
  });
  const auto top = [](const std::map<int64_t, int64_t>& counts, size_t most) {
    std::vector<std::pair<int64_t, int64_t>> order;
    for (const auto& [id, count] : counts) order.emplace_back(count, id);
    std::sort(order.rbegin(), order.rend());
    order.resize(most);
    return order;
  };
  int64_t in_top = 0;
  int stayed = 0;
  std::set<int64_t> later;
  for (const auto& [count, id] : top(late, 50)) later.insert(id);
  for (const auto& [count, id] : top(early, 50)) {
    in_top += count;
    stayed += later.contains(id) ? 1 : 0;
  }
  EXPECT_GT(in_top, 50'000 / 5) << "of 2000 articles 50 have a fifth of the rows";
  EXPECT_LT(stayed, 40);
  EXPECT_GT(stayed, 5);
  int64_t by_active = 0;
  for (const auto& [count, id] : top(readers, 200)) by_active += count;
  EXPECT_GT(by_active, 30'000 / 20) << "of 20,000 readers 200 have a twentieth of the clicks";
}

TEST(GenerateNews, ReadersReadUntilTheyClickAgain) {
  std::map<int64_t, std::pair<int64_t, double>> last;  // By session: time and dwell time.
  ForEachRow(OptionsOf("news", 10'000, RowOrder::kSession), [&](const Json& row) {
    if (row["label"] == 0) return;
    const auto time = row["timestamp"].get<int64_t>();
    const auto found = last.find(row["session_id"]);
    if (found != last.end()) {
      EXPECT_LT(found->second.second * 1000, time - found->second.first);
    }
    last[row["session_id"]] = {time, row["dense"]["dwell_seconds"].get<double>()};
  });
}

}  // namespace
}  // namespace dsi::tools
