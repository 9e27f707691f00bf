// The front page of the news profile: which articles there are, how popular each is just now, and
// what has happened to them.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/tools/generate/json_text_internal.h"
#include "dsi/tools/generate/log_ids_internal.h"
#include "dsi/tools/generate/rank_law_internal.h"

namespace dsi::tools {

struct NewsArticle {
  uint32_t number = 0;
  uint32_t category = 0;
  int64_t published_ms = 0;
  uint32_t shown = 0;    // Rows of the article so far, clicked or not.
  uint32_t clicked = 0;  // Clicks on it so far.
  RecentIds<20> visitors;
  RecentIds<20> co_clicks;  // What its visitors had clicked just before.
  JsonText fixed;           // The members of `item` that never change.
};

// A fixed number of articles in order of popularity. A new one is put in somewhere, mostly near the
// top, and moves down as newer ones come above it, until it falls off the end.
class NewsFront {
 public:
  static constexpr uint32_t kCategories = 40;
  static constexpr uint32_t kPublishers = 300;

  NewsFront(uint64_t seed, uint32_t articles, IdWriter ids);

  void Publish(int64_t now_ms, uint64_t bits);

  // By popularity. The number stays the article's own until the next Publish.
  uint32_t DrawSlot(uint64_t bits) const { return order_[popularity_.Draw(bits) - 1]; }
  NewsArticle& At(uint32_t slot) { return articles_[slot]; }

 private:
  void Describe(NewsArticle* article) const;

  uint64_t key_;
  IdWriter ids_;
  RankLaw popularity_;
  std::vector<NewsArticle> articles_;
  std::vector<uint32_t> order_;  // Slots of articles, the most popular first.
  uint32_t last_number_ = 0;
};

}  // namespace dsi::tools
