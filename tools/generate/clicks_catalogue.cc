#include "dsi/tools/generate/clicks_catalogue_internal.h"

#include <algorithm>
#include <cmath>

#include "dsi/tools/generate/counter_rng_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kCatalogueStream = 0x51;
constexpr uint32_t kWords = 4000;
constexpr uint32_t kBrands = 900;
constexpr double kBrandCoverage = 0.8;
constexpr double kRankOffset = 8;

// Small numbers are more frequent: the square of a uniform number.
uint32_t SkewedFromBits(uint64_t bits, uint32_t bound) {
  const double u = UnitFromBits(bits);
  return static_cast<uint32_t>(u * u * bound);
}

}  // namespace

Catalogue::Catalogue(uint64_t seed, uint32_t items, uint32_t first_users, IdWriter ids)
    : key_(DeriveKey(seed, kCatalogueStream)),
      ids_(ids),
      items_(items),
      popularity_(items, kRankOffset),
      by_category_(kCategories) {
  for (uint32_t i = 0; i < items; ++i) {
    const uint64_t key = DeriveKey(key_, i + 1);
    Item& item = items_[i];
    item.category = 1 + SkewedFromBits(DrawBits(key, 0), kCategories);
    item.price = ClearLowBits(std::exp(2.5 + NormalFromBits(DrawBits(key, 1))));
    by_category_[item.category - 1].push_back(i + 1);
    // The shop was open before the log begins: the views of an item follow its popularity.
    item.views = static_cast<uint32_t>(40'000 * popularity_.WeightOf(i + 1) * 2 *
                                       UnitFromBits(DrawBits(key, 2)));
    item.clicks = item.views / 6;
    for (uint32_t k = 0; k < std::min(item.views, 8u); ++k) {
      item.recent_users.Push(1 + BoundedFromBits(DrawBits(key, 16 + k), first_users));
    }
  }
  for (uint32_t i = 0; i < items; ++i) {
    const uint64_t key = DeriveKey(key_, i + 1);
    for (uint32_t k = 0; k < std::min(items_[i].views / 2, 8u); ++k) {
      items_[i].seen_with.Push(DrawItem(DrawBits(key, 32 + k)));
    }
  }
}

uint32_t Catalogue::DrawItemOf(uint32_t category, uint64_t bits) const {
  const std::vector<uint32_t>& items = by_category_[category - 1];
  if (items.empty()) return DrawItem(bits);
  return items[SkewedFromBits(bits, static_cast<uint32_t>(items.size()))];
}

uint32_t Catalogue::CategoryOf(uint32_t item) const { return items_[item - 1].category; }

void Catalogue::View(uint32_t item, uint32_t user, uint32_t before, bool clicked) {
  Item& i = items_[item - 1];
  ++i.views;
  i.clicks += clicked ? 1 : 0;
  i.recent_users.Push(user);
  if (before != 0) i.seen_with.Push(before);
  i.rendered = false;
}

std::string_view Catalogue::ListsText(uint32_t item) {
  Item& i = items_[item - 1];
  if (i.fixed.empty()) RenderFixed(item, &i);
  if (!i.rendered) Render(&i);
  return i.lists.View();
}

std::string_view Catalogue::DenseText(uint32_t item) {
  ListsText(item);
  return items_[item - 1].dense.View();
}

void Catalogue::RenderFixed(uint32_t number, Item* item) {
  const uint64_t key = DeriveKey(DeriveKey(key_, number), 1);
  JsonText& t = item->fixed;
  t.Append("\"id\":[");
  ids_.Append(number, IdWriter::kItem, &t);
  t.Append("],\"cats\":[");
  ids_.Append(item->category, IdWriter::kCategory, &t);
  for (uint32_t k = BoundedFromBits(DrawBits(key, 0), 3); k > 0; --k) {
    t.Append(',');
    ids_.Append(1 + SkewedFromBits(DrawBits(key, k), kCategories), IdWriter::kCategory, &t);
  }
  t.Append("],\"words\":[");
  // One item in fourteen has no description: an empty list, which is not a missing one.
  const uint32_t words = BoundedFromBits(DrawBits(key, 4), 14);
  for (uint32_t k = 0; k < words; ++k) {
    if (k != 0) t.Append(',');
    ids_.Append(1 + SkewedFromBits(DrawBits(key, 16 + k), kWords), IdWriter::kWord, &t);
  }
  t.Append(']');
  if (Happens(DrawBits(key, 5), ProbabilityThreshold(kBrandCoverage))) {
    t.Append(",\"brand\":[");
    ids_.Append(1 + SkewedFromBits(DrawBits(key, 6), kBrands), IdWriter::kOther, &t);
    t.Append(']');
  }
}

void Catalogue::Render(Item* item) {
  item->lists.Clear();
  item->lists.Append(item->fixed.View());
  item->lists.Append(",\"seen_with\":");
  item->seen_with.AppendTo(ids_, IdWriter::kItem, &item->lists);
  item->lists.Append(",\"recent_users\":");
  item->recent_users.AppendTo(ids_, IdWriter::kUser, &item->lists);

  item->dense.Clear();
  item->dense.Append("\"item_price\":");
  item->dense.AppendFloat(item->price);
  item->dense.Append(",\"item_views\":");
  item->dense.AppendFloat(static_cast<float>(item->views));
  item->dense.Append(",\"item_clicks\":");
  item->dense.AppendFloat(static_cast<float>(item->clicks));
  item->dense.Append(",\"item_click_rate\":");
  item->dense.AppendFloat(ClearLowBits((item->clicks + 1.0) / (item->views + 8.0)));
  item->rendered = true;
}

}  // namespace dsi::tools
