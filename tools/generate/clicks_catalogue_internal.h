// The items of the clicks profile: what they carry for good, and what moves with every view.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dsi/tools/generate/json_text_internal.h"
#include "dsi/tools/generate/log_ids_internal.h"
#include "dsi/tools/generate/rank_law_internal.h"

namespace dsi::tools {

class Catalogue {
 public:
  static constexpr uint32_t kCategories = 300;

  // Users 1 to `first_users` are taken to have used the shop before the log begins.
  Catalogue(uint64_t seed, uint32_t items, uint32_t first_users, IdWriter ids);

  // Items are numbered from 1 in order of popularity, which falls like the inverse rank.
  uint32_t DrawItem(uint64_t bits) const { return popularity_.Draw(bits); }
  // An item whose first category is `category`, or any item where it has none.
  uint32_t DrawItemOf(uint32_t category, uint64_t bits) const;
  uint32_t CategoryOf(uint32_t item) const;

  // A view moves the item's lists and counters. `before` is what the user viewed before, or 0.
  void View(uint32_t item, uint32_t user, uint32_t before, bool clicked);

  // Members of the row's objects `item` and `dense`, without the braces.
  std::string_view ListsText(uint32_t item);
  std::string_view DenseText(uint32_t item);

 private:
  struct Item {
    uint32_t category = 0;
    uint32_t views = 0;
    uint32_t clicks = 0;
    float price = 0;
    RecentIds<8> recent_users;
    RecentIds<8> seen_with;
    bool rendered = false;
    JsonText fixed;  // The members that never change.
    JsonText lists;
    JsonText dense;
  };

  void RenderFixed(uint32_t number, Item* item);
  void Render(Item* item);

  uint64_t key_;
  IdWriter ids_;
  std::vector<Item> items_;
  RankLaw popularity_;
  std::vector<std::vector<uint32_t>> by_category_;
};

}  // namespace dsi::tools
