#include "dsi/writer/id_space_choice_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/codecs/choose_internal.h"
#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/codecs/dictionary/number_by_use_internal.h"
#include "dsi/writer/gather_internal.h"
#include "dsi/writer/id_table_internal.h"

namespace dsi::internal {
namespace {

// A gather from a larger dictionary is slower than reading the ids.
constexpr size_t kMaxDictionary = 1U << 22;
// A projection of one column must not read more than this times what it would cost by itself.
constexpr double kSharedLimit = 1.5;
// The other order of a dictionary, which is tried last, may come to this share of an ascending one.
constexpr double kBestOrder = 0.9;

// The ways of a dictionary.
constexpr IdWay kAscendingWay = kIdsWay;
constexpr IdWay kByUseWay = kCodesWay;

template <typename T>
using Members = std::span<IdSpaceMember<T>* const>;

// Cost of a stream, as a page made of pieces of it promises: its first page may be unlike the rest.
double Price(const ArrayView& values, const StripeOptions& options, uint32_t slot, IdWay way) {
  const PiecesOf page(values, std::max<size_t>(1, options.page_values / PiecesOf::kPieces));
  return PricePage(page.view(), options.tuning, options.plans->Of(slot, way)) *
         static_cast<double>(values.count) / static_cast<double>(page.view().count);
}

// Codes are stored in the fewest bytes that hold them, and priced in those.
double PriceCodes(std::span<const uint32_t> codes, const StripeOptions& options, uint32_t slot,
                  IdWay way) {
  const NarrowCodes narrow(codes, *std::max_element(codes.begin(), codes.end()));
  return Price(narrow.view(), options, slot, way);
}

template <typename T>
IdDictionary<T> DictionaryOf(std::vector<T> ids, uint32_t slot, IdWay way,
                             const StripeOptions& options) {
  IdDictionary<T> dictionary = {.ids = std::move(ids), .slot = slot, .way = way};
  dictionary.cost = Price(dictionary.view(), options, slot, way);
  return dictionary;
}

// How many members have each entry of a dictionary.
template <typename T>
std::vector<uint32_t> CountUsers(size_t entries, Members<T> in) {
  std::vector<uint32_t> users(entries + 1, 0);  // The code of literals included.
  std::vector<uint32_t> last(entries + 1, kNone32);
  for (size_t i = 0; i < in.size(); ++i) {
    for (const uint32_t code : in[i]->codes) {
      users[code] += last[code] != i ? 1 : 0;
      last[code] = static_cast<uint32_t>(i);
    }
  }
  users.pop_back();
  return users;
}

// Costs of a member by itself and through the dictionary. `users`: of each entry, how many members
// have it.
template <typename T>
void Weigh(const std::vector<uint32_t>& users, double dictionary_cost, const StripeOptions& options,
           IdSpaceMember<T>* m) {
  std::vector<bool> used(users.size() + 1, false);
  for (const uint32_t code : m->codes) used[code] = true;
  size_t distinct = 0;
  size_t own_alone = 0;
  for (size_t i = 0; i < users.size(); ++i) {
    distinct += used[i] ? 1 : 0;
    own_alone += used[i] && users[i] == 1 ? 1 : 0;
  }
  // The ids themselves are not weighed again as members leave.
  if (m->direct_cost == 0)
    m->direct_cost = Price(ViewOf(m->bytes, m->type), options, m->slot, kIdsWay);
  m->literals_cost =
      m->literals.empty() ? 0 : Price(m->literals_view(), options, m->slot, kLiteralsWay);
  m->coded_cost = m->literals_cost + PriceCodes(m->codes, options, m->slot, kCodesWay);
  const double cost_per_id = dictionary_cost / static_cast<double>(users.size());
  const auto with = [&](size_t ids) {
    return m->coded_cost + static_cast<double>(ids) * cost_per_id;
  };
  const bool shares = !m->is_read_alone ||
                      with(users.size()) <= kSharedLimit * std::min(with(distinct), m->direct_cost);
  m->way = shares && kBestOrder * with(own_alone) < m->direct_cost ? kCodesWay : kIdsWay;
}

// Gives every value of the members a code, and returns the ids that a dictionary holds, ascending.
// Of a dictionary that would not stay in a second-level cache, ids that occur once become literals:
// one takes no less as an entry and a code, and would be waited for when it is decoded.
template <typename T>
std::vector<T> NumberIds(IdTable<T>* table, Members<T> in) {
  const std::vector<T> ids = table->Sorted();
  table->Number(ids);
  std::vector<uint32_t> uses(ids.size(), 0);
  size_t total = 0;
  for (IdSpaceMember<T>* m : in) {
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
  for (IdSpaceMember<T>* m : in) {
    for (uint32_t& code : m->codes) {
      const uint32_t entry = entry_of[code];
      if (entry == kNone32) m->literals.push_back(ids[code]);
      code = entry == kNone32 ? static_cast<uint32_t>(entries.size()) : entry;
    }
  }
  return entries;
}

// Ids in the order of their codes' frequency, most used first, where skewed codes save more than a
// sorted dictionary does (E-110). Returns what members and dictionary cost then.
template <typename T>
double TryMostUsedFirst(const StripeOptions& options, Members<T> in, double sorted_cost,
                        IdDictionary<T>* dictionary) {
  const size_t literal = dictionary->ids.size();
  std::vector<uint32_t> uses(literal + 1, 0);
  for (const IdSpaceMember<T>* m : in) {
    for (const uint32_t code : m->codes) ++uses[code];
  }
  uses.pop_back();
  if (!AreUsedUnequally(uses, EntropyOfUses(uses))) return sorted_cost;
  NumbersByUse numbers = NumberByUse(uses);
  numbers.number.push_back(static_cast<uint32_t>(literal));
  IdDictionary<T> by_use =
      DictionaryOf(numbers.Reorder(dictionary->ids), dictionary->slot, kByUseWay, options);
  double cost = by_use.cost;
  std::vector<std::vector<uint32_t>> codes;
  for (const IdSpaceMember<T>* m : in) {
    codes.push_back(numbers.Renumber(m->codes));
    cost += m->literals_cost + PriceCodes(codes.back(), options, m->slot, kCodesByUseWay);
  }
  if (cost >= sorted_cost) return sorted_cost;
  *dictionary = std::move(by_use);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i]->codes = std::move(codes[i]);
    in[i]->way = kCodesByUseWay;
  }
  return cost;
}

// An ascending dictionary of all ids of the members, with codes into it. Empty where there would be
// too many, or one has a value that no code stands for.
template <typename T>
IdDictionary<T> BuildDictionary(uint32_t slot, const StripeOptions& options, Members<T> in) {
  size_t total = 0;
  for (const IdSpaceMember<T>* m : in) total += m->values().size();
  IdTable<T> table(total / 8);
  for (const IdSpaceMember<T>* m : in) {
    for (const T id : m->values()) {
      if (!table.Insert(id)) return {};
    }
  }
  std::vector<T> ids = NumberIds<T>(&table, in);
  if (ids.empty() || ids.size() > kMaxDictionary) return {};
  return DictionaryOf(std::move(ids), slot, kAscendingWay, options);
}

}  // namespace

template <typename T>
IdDictionary<T> ChooseDictionary(uint32_t slot, const StripeOptions& options,
                                 std::span<IdSpaceMember<T>> members) {
  std::vector<IdSpaceMember<T>*> in;
  for (IdSpaceMember<T>& m : members) {
    if (!m.values().empty()) in.push_back(&m);
  }
  const auto leave = [](IdSpaceMember<T>* m) {
    m->way = kIdsWay;
    m->codes = {};
    m->literals = {};
  };
  while (!in.empty()) {
    IdDictionary<T> dictionary = BuildDictionary<T>(slot, options, in);
    if (dictionary.ids.empty()) break;
    const std::vector<uint32_t> users = CountUsers<T>(dictionary.ids.size(), in);
    double direct = 0;
    double coded = dictionary.cost;
    for (IdSpaceMember<T>* m : in) {
      Weigh(users, dictionary.cost, options, m);
      direct += m->direct_cost;
      coded += m->coded_cost;
    }
    const auto stay = std::partition(in.begin(), in.end(),
                                     [](const IdSpaceMember<T>* m) { return m->way != kIdsWay; });
    if (stay == in.end()) {
      if (TryMostUsedFirst<T>(options, in, coded, &dictionary) < direct) return dictionary;
      break;
    }
    // The others have a smaller dictionary without those whose share of it does not pay.
    std::for_each(stay, in.end(), leave);
    in.erase(stay, in.end());
  }
  std::for_each(in.begin(), in.end(), leave);
  return {};
}

template IdDictionary<uint32_t> ChooseDictionary(uint32_t, const StripeOptions&,
                                                 std::span<IdSpaceMember<uint32_t>>);
template IdDictionary<uint64_t> ChooseDictionary(uint32_t, const StripeOptions&,
                                                 std::span<IdSpaceMember<uint64_t>>);

}  // namespace dsi::internal
