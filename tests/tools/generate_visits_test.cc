// The visits profile is what it says of itself.
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

constexpr uint64_t kRows = 60'000;
constexpr int64_t kHourMs = 3'600'000;

TEST(GenerateVisits, BytesArePinned) {
  const std::string text = Generate(OptionsOf("visits", 2000));
  EXPECT_EQ(internal::Xxh3(text.data(), text.size(), 0), 17746560657422781959u);
}

TEST(GenerateVisits, HistoriesAndCountersAreThoseOfAReplay) {
  struct Place {
    double visits, ratings;
    bool all_seen;
    std::deque<int64_t> visitors;
  };
  struct User {
    std::deque<int64_t> visited, categories, gaps;
    int64_t last_ms;
  };
  std::map<int64_t, User> users;
  std::map<int64_t, Place> places;
  size_t longest = 0;
  int64_t replayed = 0;
  int64_t rated = 0;
  ForEachRow(OptionsOf("visits", kRows / 2), [&](const Json& row) {
    const auto list = [&](const char* of, const char* name) {
      return row[of][name].get<std::deque<int64_t>>();
    };
    const auto time = row["timestamp"].get<int64_t>();
    const User shown = {list("user", "visited"), list("user", "categories"), list("user", "gaps"),
                        time};
    const auto [found, first_of_user] = users.try_emplace(row["user_id"], shown);
    User& user = found->second;
    replayed += first_of_user ? 0 : 1;
    EXPECT_EQ(shown.visited, user.visited);
    EXPECT_EQ(shown.categories, user.categories);
    longest = std::max(longest, shown.visited.size());
    // How long the user was away before the first row is not told.
    if (!first_of_user || shown.visited.empty()) {
      EXPECT_EQ(shown.gaps, user.gaps);
      user.gaps.push_back((time - user.last_ms) / kHourMs);
    } else {
      EXPECT_EQ(shown.gaps.size(), shown.visited.size());
      user.gaps.push_back(row["dense"]["hours_since_visit"].get<int64_t>());
    }
    user.visited.push_back(row["item_id"]);
    user.categories.push_back(row["place"]["category"][0]);
    for (std::deque<int64_t>* of_user : {&user.visited, &user.categories, &user.gaps})
      if (of_user->size() > 50) of_user->pop_front();
    user.last_ms = time;

    const Json& dense = row["dense"];
    const double visits = dense["place_visits"];
    const auto [at, unused] = places.try_emplace(
        row["item_id"], Place{visits, 0, visits == 0, list("place", "recent_visitors")});
    Place& place = at->second;
    EXPECT_EQ(list("place", "recent_visitors"), place.visitors);
    place.visitors.push_back(row["user_id"]);
    if (place.visitors.size() > 20) place.visitors.pop_front();
    EXPECT_EQ(visits, place.visits);
    EXPECT_EQ(dense.contains("place_rating"), visits != 0);
    if (place.all_seen && visits != 0) {
      EXPECT_NEAR(dense["place_rating"], place.ratings / visits, 0.001 * 5);
      ++rated;
    }
    ++place.visits;
    place.ratings += row["label"].get<double>();
  });
  EXPECT_EQ(longest, 50u);
  EXPECT_GT(replayed, 10'000);
  EXPECT_GT(rated, 50);
}

TEST(GenerateVisits, SessionsAreShortAndUsersComeBackAfterDays) {
  struct User {
    int64_t session, last_ms;
  };
  std::map<int64_t, User> users;
  std::set<int64_t> sessions;
  std::vector<int64_t> away_hours;
  ForEachRow(OptionsOf("visits", kRows), [&](const Json& row) {
    const auto session = row["session_id"].get<int64_t>();
    const auto time = row["timestamp"].get<int64_t>();
    sessions.insert(session);
    const auto [at, unused] = users.try_emplace(row["user_id"], User{session, time});
    const int64_t hours = (time - at->second.last_ms) / kHourMs;
    if (at->second.session == session) {
      EXPECT_LE(hours, 3);
    } else {
      away_hours.push_back(hours);
    }
    at->second = {session, time};
  });
  EXPECT_NEAR(static_cast<double>(kRows) / static_cast<double>(sessions.size()), 1.15, 0.01);
  EXPECT_GT(users.size(), 12'000u);
  EXPECT_LE(users.size(), 20'000u);
  EXPECT_LE(users.rbegin()->first, 20'000);
  std::sort(away_hours.begin(), away_hours.end());
  EXPECT_GE(away_hours.front(), 12);
  EXPECT_GT(away_hours[away_hours.size() / 2], 3 * 24);
}

TEST(GenerateVisits, OneCategoryInAThousandIsNotThePlaces) {
  std::map<int64_t, std::map<int64_t, int>> categories;
  std::map<int64_t, std::string> others;
  std::map<int64_t, int64_t> ratings;
  ForEachRow(OptionsOf("visits", kRows), [&](const Json& row) {
    ++categories[row["item_id"]][row["place"]["category"][0]];
    ++ratings[row["label"].get<int64_t>()];
    const Json& place = row["place"];
    const std::string other = place["city"].dump() + place["words"].dump();
    EXPECT_EQ(others.try_emplace(row["item_id"], other).first->second, other);
  });
  int64_t rows = 0;
  int64_t not_own = 0;
  std::vector<int64_t> visits;
  for (const auto& [place, counts] : categories) {
    int all = 0;
    int most = 0;
    for (const auto& [category, count] : counts) {
      all += count;
      most = std::max(most, count);
    }
    visits.push_back(all);
    if (all < 4) continue;
    rows += all;
    not_own += all - most;
  }
  EXPECT_NEAR(static_cast<double>(not_own) / static_cast<double>(rows), 0.001, 0.0005);
  EXPECT_LE(categories.rbegin()->first, 20'000);
  std::sort(visits.rbegin(), visits.rend());
  int64_t in_top = 0;
  for (size_t i = 0; i < 200; ++i) in_top += visits[i];
  EXPECT_GT(in_top, static_cast<int64_t>(kRows / 10)) << "of 20,000 places 200 have a tenth";
  EXPECT_EQ(ratings.begin()->first, 1);
  EXPECT_EQ(ratings.rbegin()->first, 5);
}

// Walks two rows alike and maps every number of the one to that of the other.
void MapIds(const Json& plain, const Json& hashed, std::map<int64_t, int64_t>* ids) {
  ASSERT_EQ(plain.size(), hashed.size());
  for (size_t i = 0; i < plain.size(); ++i) {
    const auto [at, added] = ids->try_emplace(plain[i], hashed[i]);
    EXPECT_EQ(at->second, hashed[i]);
  }
}

TEST(GenerateLogs, HashedIdsAreTheSameWhereverTheyOccur) {
  for (const std::string profile : {"news", "visits"}) {
    const bool news = profile == "news";
    GenerateOptions options = OptionsOf(profile, 500);
    const std::vector<Json> plain = Rows(Generate(options));
    options.hash_ids = true;
    const std::vector<Json> hashed = Rows(Generate(options));
    std::map<int64_t, int64_t> items, users;
    for (size_t i = 0; i < plain.size(); ++i) {
      const Json& a = plain[i];
      const Json& b = hashed[i];
      EXPECT_EQ(a["dense"], b["dense"]);
      EXPECT_EQ(a["timestamp"], b["timestamp"]);
      const char* history = news ? "clicked" : "visited";
      MapIds(Json::array({a["item_id"]}), Json::array({b["item_id"]}), &items);
      MapIds(a["user"][history], b["user"][history], &items);
      MapIds(Json::array({a["user_id"]}), Json::array({b["user_id"]}), &users);
      const char* owner = news ? "item" : "place";
      MapIds(a[owner]["recent_visitors"], b[owner]["recent_visitors"], &users);
      if (news) MapIds(a["item"]["co_clicks"], b["item"]["co_clicks"], &items);
    }
    std::set<int64_t> different;
    int64_t large = 0;
    for (const auto& [number, hash] : items) {
      different.insert(hash);
      large += hash > (int64_t{1} << 40) ? 1 : 0;
    }
    EXPECT_EQ(different.size(), items.size());
    EXPECT_GT(large, static_cast<int64_t>(items.size()) - 3);
  }
}

}  // namespace
}  // namespace dsi::tools
