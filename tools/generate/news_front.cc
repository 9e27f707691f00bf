#include "dsi/tools/generate/news_front_internal.h"

#include <algorithm>

#include "dsi/tools/generate/counter_rng_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kArticleStream = 0x61;
constexpr uint32_t kMostWords = 12;
constexpr uint32_t kWords = 5000;
constexpr double kRankOffset = 8;

}  // namespace

NewsFront::NewsFront(uint64_t seed, uint32_t articles, IdWriter ids)
    : key_(DeriveKey(seed, kArticleStream)),
      ids_(ids),
      popularity_(articles, kRankOffset),
      articles_(articles) {
  order_.reserve(articles);
}

void NewsFront::Publish(int64_t now_ms, uint64_t bits) {
  auto slot = static_cast<uint32_t>(order_.size());
  if (slot == articles_.size()) {
    slot = order_.back();
    order_.pop_back();
  }
  const size_t rank = std::min<size_t>(popularity_.Draw(bits) - 1, order_.size());
  order_.insert(order_.begin() + static_cast<ptrdiff_t>(rank), slot);
  NewsArticle& article = articles_[slot];
  article = NewsArticle();
  article.number = ++last_number_;
  article.published_ms = now_ms;
  Describe(&article);
}

void NewsFront::Describe(NewsArticle* article) const {
  const uint64_t key = DeriveKey(key_, article->number);
  // Few publishers and categories have most of the articles: the square of a uniform number.
  const double who = UnitFromBits(DrawBits(key, 0));
  const double what = UnitFromBits(DrawBits(key, 1));
  article->category = 1 + static_cast<uint32_t>(what * what * kCategories);
  JsonText& t = article->fixed;
  t.Append("\"category\":[");
  ids_.Append(article->category, IdWriter::kCategory, &t);
  t.Append("],\"publisher\":[");
  ids_.Append(1 + static_cast<uint64_t>(who * who * kPublishers), IdWriter::kOther, &t);
  t.Append("],\"words\":[");
  const uint32_t words = BoundedFromBits(DrawBits(key, 2), kMostWords + 1);
  for (uint32_t i = 0; i < words; ++i) {
    if (i != 0) t.Append(',');
    ids_.Append(1 + BoundedFromBits(DrawBits(key, 16 + i), kWords), IdWriter::kWord, &t);
  }
  t.Append(']');
}

}  // namespace dsi::tools
