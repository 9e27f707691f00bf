#include "dsi/writer/id_space_encoder_internal.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/writer/gather_internal.h"
#include "dsi/writer/id_table_internal.h"
#include "dsi/writer/number_by_use_internal.h"

namespace dsi::internal {
namespace {

// A gather from a larger dictionary is slower than reading the ids.
constexpr size_t kMaxDictionary = 1U << 22;
constexpr double kSharedLimit = 1.5;  // A projection of one column must not read more than this
                                      // times what its own dictionary would cost.

// What is encoded side by side, with a plan for each: of a column its ids, codes into a dictionary
// in either order, and ids that the dictionary does not hold; of a dictionary the ids in either
// order.
enum Way : uint32_t { kIdsWay, kCodesWay, kCodesByUseWay, kLiteralsWay };
static_assert(kLiteralsWay < PlanMemory::kWays);
constexpr Way kSortedWay = kIdsWay;
constexpr Way kByUseWay = kCodesWay;

// One column of the space while the choice is made.
template <typename T>
struct Member {
  const ColumnLayout* layout = nullptr;
  uint32_t tier = 0;
  Type type = Type::kInt64;
  std::vector<std::byte> bytes;
  std::vector<uint32_t> codes;
  std::vector<T> literals;  // Of the codes that no entry has.
  Way way = kIdsWay;        // In which it is stored.
  double direct_cost = 0;
  double literals_cost = 0;
  double coded_cost = 0;  // That of literals included.

  uint32_t slot() const { return layout->slot_of_tier(tier); }
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  ArrayView literals_view() const {
    return {.values = literals.data(),
            .count = literals.size(),
            .width = sizeof(T),
            .is_signed = IsSignedInteger(type)};
  }
};

// Cost of a stream, as its first page promises it.
double Price(ArrayView values, const StripeOptions& options, uint32_t slot, Way way) {
  const auto all = static_cast<double>(values.count);
  values.count = std::min<size_t>(values.count, options.page_values);
  return PricePage(values, options.tuning, options.plans->Of(slot, way)) * all /
         static_cast<double>(values.count);
}

// Codes are stored in the fewest bytes that hold them, and priced in those.
double PriceCodes(std::span<const uint32_t> codes, const StripeOptions& options, uint32_t slot,
                  Way way) {
  const size_t page = std::min<size_t>(codes.size(), options.page_values);
  const NarrowCodes narrow(codes.first(page),
                           *std::max_element(codes.begin(), codes.begin() + page));
  return Price(narrow.view(), options, slot, way) * static_cast<double>(codes.size()) /
         static_cast<double>(page);
}

// Costs of a member by itself and through the dictionary, from its first page.
template <typename T>
void Weigh(size_t dictionary_size, double dictionary_cost_per_id, const StripeOptions& options,
           Member<T>* m) {
  std::vector<bool> used(dictionary_size, false);
  used.push_back(true);  // The code of literals.
  size_t distinct = 0;
  for (const uint32_t code : m->codes) {
    distinct += used[code] ? 0 : 1;
    used[code] = true;
  }
  // The ids themselves are not weighed again as members leave.
  if (m->direct_cost == 0)
    m->direct_cost = Price(ViewOf(m->bytes, m->type), options, m->slot(), kIdsWay);
  m->literals_cost =
      m->literals.empty() ? 0 : Price(m->literals_view(), options, m->slot(), kLiteralsWay);
  m->coded_cost = m->literals_cost + PriceCodes(m->codes, options, m->slot(), kCodesWay);
  const double own = m->coded_cost + static_cast<double>(distinct) * dictionary_cost_per_id;
  const double shared =
      m->coded_cost + static_cast<double>(dictionary_size) * dictionary_cost_per_id;
  // A tier is read with others of its column, so its share of the dictionary says little.
  const bool shares = m->layout->num_tiers > 1 || shared <= kSharedLimit * own;
  m->way = shares && own < m->direct_cost ? kCodesWay : kIdsWay;
}

// Distinct ids in the order of their codes.
template <typename T>
struct Dictionary {
  std::vector<T> ids;
  uint32_t slot = 0;
  Way way = kSortedWay;
  double cost = 0;

  Dictionary() = default;
  Dictionary(std::vector<T> the_ids, uint32_t the_slot, Way the_way, const StripeOptions& options)
      : ids(std::move(the_ids)), slot(the_slot), way(the_way) {
    cost = Price(view(), options, slot, way);
  }

  ArrayView view() const { return {.values = ids.data(), .count = ids.size(), .width = sizeof(T)}; }
};

// Ids in the order of their codes' frequency, most used first, where skewed codes save more than a
// sorted dictionary does (E-110).
template <typename T>
void TryMostUsedFirst(const StripeOptions& options, std::span<Member<T>* const> in,
                      double sorted_cost, Dictionary<T>* dictionary) {
  constexpr double kLeastGain = 0.5;  // Bits of a code.
  const size_t literal = dictionary->ids.size();
  std::vector<uint64_t> uses(literal + 1, 0);
  uint64_t total = 0;
  for (const Member<T>* m : in) {
    for (const uint32_t code : m->codes) ++uses[code];
    total += m->codes.size() - m->literals.size();
  }
  uses.pop_back();
  double entropy = 0;
  for (const uint64_t n : uses) {
    if (n == 0) continue;
    const double share = static_cast<double>(n) / static_cast<double>(total);
    entropy -= share * std::log2(share);
  }
  if (std::log2(static_cast<double>(uses.size())) - entropy < kLeastGain) return;
  NumbersByUse numbers = NumberByUse(uses);
  numbers.number.push_back(static_cast<uint32_t>(literal));
  Dictionary<T> by_use(numbers.Reorder(dictionary->ids), dictionary->slot, kByUseWay, options);
  double cost = by_use.cost;
  std::vector<std::vector<uint32_t>> codes;
  for (const Member<T>* m : in) {
    codes.push_back(numbers.Renumber(m->codes));
    cost += m->literals_cost + PriceCodes(codes.back(), options, m->slot(), kCodesByUseWay);
  }
  if (cost >= sorted_cost) return;
  *dictionary = std::move(by_use);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i]->codes = std::move(codes[i]);
    in[i]->way = kCodesByUseWay;
  }
}

// Gives every value of the members a code, and returns the ids that a dictionary holds, ascending.
// Of a dictionary that would not stay in a second-level cache, ids that occur once become literals:
// one takes no less as an entry and a code, and would be waited for when it is decoded.
template <typename T>
std::vector<T> NumberIds(IdTable<T>* table, std::span<Member<T>* const> in) {
  const std::vector<T> ids = table->Sorted();
  table->Number(ids);
  std::vector<uint32_t> uses(ids.size(), 0);
  size_t total = 0;
  for (Member<T>* m : in) {
    m->codes.clear();
    m->literals.clear();
    for (const T id : m->values()) ++uses[m->codes.emplace_back(table->Code(id))];
    total += m->codes.size();
  }
  constexpr size_t kCachedBytes = 512 << 10;
  constexpr size_t kLeastShare = 16;  // One of so many values.
  if (ids.size() * sizeof(T) <= kCachedBytes) return ids;
  const auto once = static_cast<size_t>(std::count(uses.begin(), uses.end(), 1U));
  if (once * kLeastShare < total) return ids;
  std::vector<T> entries;
  std::vector<uint32_t> entry_of(ids.size(), kNone32);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (uses[i] == 1) continue;
    entry_of[i] = static_cast<uint32_t>(entries.size());
    entries.push_back(ids[i]);
  }
  for (Member<T>* m : in) {
    for (uint32_t& code : m->codes) {
      const uint32_t entry = entry_of[code];
      if (entry == kNone32) m->literals.push_back(ids[code]);
      code = entry == kNone32 ? static_cast<uint32_t>(entries.size()) : entry;
    }
  }
  return entries;
}

template <typename T>
void Encode(const IdSpaceLayout& space, const FileLayout& layout,
            std::span<const ClusteredFeature> features,
            std::span<const std::unique_ptr<FeatureValues>> stored, const StripeOptions& options,
            EncodedStripe* stripe) {
  std::vector<Member<T>> members;
  size_t total = 0;
  for (const uint32_t c : space.columns) {
    const ColumnLayout& column = layout.columns[c];
    for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
      Member<T>& m = members.emplace_back();
      m.layout = &column;
      m.tier = tier;
      m.type = features[column.feature].source().spec->columns[column.column].type;
      m.bytes = stored[column.feature]->TakeValues(column.column, tier);
      total += m.values().size();
    }
  }

  // Members whose share of a dictionary does not pay leave it, and the dictionary is built again
  // from those that stay.
  std::vector<Member<T>*> in;
  for (Member<T>& m : members) {
    if (!m.values().empty()) in.push_back(&m);
  }
  Dictionary<T> dictionary;
  while (!in.empty()) {
    IdTable<T> table(total / 8);
    bool fits = true;
    for (const Member<T>* m : in) {
      for (const T id : m->values()) {
        if (!(fits = table.Insert(id))) break;
      }
      if (!fits) break;
    }
    std::vector<T> entries;
    if (fits) entries = NumberIds<T>(&table, in);
    if (entries.empty() || entries.size() > kMaxDictionary) {
      in.clear();
      break;
    }
    dictionary = Dictionary<T>(std::move(entries), space.dictionary_slot, kSortedWay, options);
    const size_t before = in.size();
    double direct = 0;
    double coded = dictionary.cost;
    const double cost_per_id = dictionary.cost / static_cast<double>(dictionary.ids.size());
    for (Member<T>* m : in) {
      Weigh(dictionary.ids.size(), cost_per_id, options, m);
      direct += m->direct_cost;
      coded += m->coded_cost;
    }
    std::erase_if(in, [](Member<T>* m) {
      if (m->way != kIdsWay) return false;
      m->codes = {};
      m->literals = {};
      return true;
    });
    if (in.size() == before) {
      if (coded >= direct) {
        in.clear();
      } else {
        TryMostUsedFirst<T>(options, in, coded, &dictionary);
      }
      break;
    }
  }

  for (Member<T>& m : members) {
    EncodedStream& stream = stripe->streams[m.slot()];
    if (std::find(in.begin(), in.end(), &m) != in.end()) {
      stream =
          EncodeCodeStream({.codes = m.codes,
                            .literal = static_cast<uint32_t>(dictionary.ids.size()),
                            .literals = m.literals_view()},
                           options.page_values, options.tuning, options.plans->Of(m.slot(), m.way),
                           options.plans->Of(m.slot(), kLiteralsWay));
      continue;
    }
    stream = EncodeStream(ViewOf(m.bytes, m.type), options.page_values, options.tuning,
                          options.plans->Of(m.slot(), kIdsWay));
  }
  EncodedStream& stream = stripe->streams[space.dictionary_slot];
  stream.record.width = sizeof(T);
  if (!in.empty()) {
    stream = EncodeStream(dictionary.view(), options.page_values, options.tuning,
                          options.plans->Of(dictionary.slot, dictionary.way));
  }
}

}  // namespace

void EncodeIdSpace(const FileLayout& layout, const IdSpaceLayout& space,
                   std::span<const ClusteredFeature> features,
                   std::span<const std::unique_ptr<FeatureValues>> stored,
                   const StripeOptions& options, EncodedStripe* stripe) {
  if (space.width == 4) {
    Encode<uint32_t>(space, layout, features, stored, options, stripe);
  } else {
    Encode<uint64_t>(space, layout, features, stored, options, stripe);
  }
}

}  // namespace dsi::internal
