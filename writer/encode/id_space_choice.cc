#include "dsi/writer/encode/id_space_choice_internal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/codecs/dictionary/number_by_use_internal.h"
#include "dsi/codecs/dictionary/value_table_internal.h"
#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/writer/cluster/gather_internal.h"
#include "dsi/writer/encode/repeats_internal.h"

namespace dsi::internal {
namespace {

// Bounds the memory that looking for ids takes; three in four may occur once.
constexpr size_t kMaxIds = 1U << 24;
// A gather from a larger dictionary is slower than reading the ids.
constexpr size_t kMaxDictionary = 1U << 22;
// A projection of one column must not read more than this times what it would with a dictionary of
// its own, or none.
constexpr double kSharedLimit = 1.5;

// Ids of which so few repeat have no dictionary that saves more than this.
constexpr double kLeastSaved = 0.02;
// Of fewer ids a dictionary is made and looked at in no time.
constexpr size_t kFewestToSample = 65'536;

// The ways of a dictionary.
constexpr IdWay kAscendingWay = kIdsWay;
constexpr IdWay kByUseWay = kCodesWay;

template <typename T>
using Members = std::span<IdSpaceMember<T>* const>;

// Cost of a stream, as a page made of pieces of it promises: its first page may be unlike the rest.
// Codes and literals stand in a node around them.
double Price(const ArrayView& values, const StripeOptions& options, uint32_t slot, IdWay way,
             int levels_above = 0) {
  const PiecesOf page(values, std::max<size_t>(1, options.page_values / PiecesOf::kPieces));
  return PricePage(page.view(), options.tuning, options.plans->Of(slot, way), levels_above) *
         static_cast<double>(values.count) / static_cast<double>(page.view().count);
}

// Codes are stored in the fewest bytes that hold them, and priced in those.
double PriceCodes(std::span<const uint32_t> codes, const StripeOptions& options, uint32_t slot,
                  IdWay way) {
  const NarrowCodes narrow(codes, *std::max_element(codes.begin(), codes.end()));
  return Price(narrow.view(), options, slot, way, 1);
}

template <typename T>
IdDictionary<T> DictionaryOf(std::vector<T> ids, uint32_t slot, IdWay way,
                             const StripeOptions& options) {
  IdDictionary<T> dictionary = {.ids = std::move(ids), .slot = slot, .way = way};
  dictionary.cost = Price(dictionary.view(), options, slot, way);
  return dictionary;
}

// How many members have each entry of a dictionary; and the code of literals, which is the last.
template <typename T>
std::vector<uint32_t> CountUsers(size_t entries, Members<T> in) {
  std::vector<uint32_t> users(entries + 1, 0);
  std::vector<uint32_t> last(entries + 1, kNone32);
  for (size_t i = 0; i < in.size(); ++i) {
    for (const uint32_t code : in[i]->codes) {
      users[code] += last[code] != i ? 1 : 0;
      last[code] = static_cast<uint32_t>(i);
    }
  }
  return users;
}

// What a member's codes come to, with so many entries to pay.
template <typename T>
double WithEntries(const IdSpaceMember<T>& m, const IdDictionary<T>& dictionary, double entries) {
  return m.coded_cost + entries * dictionary.cost / static_cast<double>(dictionary.ids.size());
}

// Entries that a member has: how many, and how many if each is shared equally by all who have it.
struct Entries {
  double distinct = 0;
  double share = 0;
};

template <typename T>
Entries EntriesOf(const IdSpaceMember<T>& m, const std::vector<uint32_t>& users) {
  std::vector<bool> counted(users.size(), false);
  counted.back() = true;  // The code of literals.
  Entries entries;
  for (const uint32_t code : m.codes) {
    if (counted[code]) continue;
    counted[code] = true;
    ++entries.distinct;
    entries.share += 1.0 / users[code];
  }
  return entries;
}

// The members who do better without a dictionary of all. Whom its size alone drives off may want
// the smaller one that is left without those who cannot pay their share, so these leave first.
template <typename T>
std::vector<IdSpaceMember<T>*> FindLosers(Members<T> in, const IdDictionary<T>& dictionary) {
  const std::vector<uint32_t> users = CountUsers<T>(dictionary.ids.size(), in);
  std::vector<IdSpaceMember<T>*> cannot_pay;
  std::vector<IdSpaceMember<T>*> crowded;
  for (IdSpaceMember<T>* m : in) {
    const Entries entries = EntriesOf(*m, users);
    const double alone = std::min(WithEntries(*m, dictionary, entries.distinct), m->direct_cost);
    const double all = WithEntries(*m, dictionary, static_cast<double>(dictionary.ids.size()));
    if (WithEntries(*m, dictionary, entries.share) >= m->direct_cost) {
      cannot_pay.push_back(m);
    } else if (m->is_read_alone && all > kSharedLimit * alone) {
      crowded.push_back(m);
    }
  }
  return cannot_pay.empty() ? crowded : cannot_pay;
}

// Gives every value of the members a code, and returns the ids that a dictionary holds, ascending;
// none where there are too many. Of a dictionary that would not stay in a second-level cache, ids
// that occur once become literals: one takes no less as an entry and a code, and would be waited
// for when it is decoded.
template <typename T>
std::vector<T> NumberIds(Members<T> in) {
  size_t total = 0;
  std::vector<T> ids;
  {
    ValueTable<T> table;
    for (IdSpaceMember<T>* m : in) {
      m->literals.clear();
      m->codes.resize(m->values().size());
      if (!table.Insert(m->values(), m->codes.data(), kMaxIds)) return {};
      total += m->codes.size();
    }
    ids = std::move(table).TakeEntries();
  }
  std::vector<uint32_t> uses(ids.size(), 0);
  for (const IdSpaceMember<T>* m : in) {
    for (const uint32_t number : m->codes) ++uses[number];
  }
  constexpr size_t kCachedBytes = 512 << 10;
  constexpr size_t kLeastShare = 16;  // One of so many values.
  const auto once = static_cast<size_t>(std::count(uses.begin(), uses.end(), 1U));
  const bool has_literals = ids.size() * sizeof(T) > kCachedBytes && once * kLeastShare >= total;
  std::vector<T> entries;
  std::vector<uint32_t> entry_of = std::move(uses);
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool is_literal = has_literals && entry_of[i] == 1;
    entry_of[i] = is_literal ? kNone32 : static_cast<uint32_t>(entries.size());
    if (!is_literal) entries.push_back(ids[i]);
  }
  if (entries.empty()) return {};
  std::vector<T> sorted;
  std::vector<uint32_t> ranks;
  SortEntries(entries, &sorted, &ranks);
  for (IdSpaceMember<T>* m : in) {
    for (uint32_t& code : m->codes) {
      const uint32_t entry = entry_of[code];
      if (entry == kNone32) m->literals.push_back(ids[code]);
      code = entry == kNone32 ? static_cast<uint32_t>(sorted.size()) : ranks[entry];
    }
  }
  return sorted;
}

// Prices the members: their ids, which are not weighed again as others leave, and their codes into
// an ascending dictionary.
template <typename T>
void PriceMembers(const StripeOptions& options, Members<T> in) {
  for (IdSpaceMember<T>* m : in) {
    if (m->direct_cost == 0)
      m->direct_cost = Price(ViewOf(m->bytes, m->type), options, m->slot, kIdsWay);
    m->literals_cost =
        m->literals.empty() ? 0 : Price(m->literals_view(), options, m->slot, kLiteralsWay, 1);
    m->coded_cost = m->literals_cost + PriceCodes(m->codes, options, m->slot, kCodesWay);
    m->way = kCodesWay;
  }
}

// Ids in the order of their codes' frequency, most used first, where skewed codes save more than an
// ascending dictionary does (E-110).
template <typename T>
void TryMostUsedFirst(const StripeOptions& options, Members<T> in, IdDictionary<T>* dictionary) {
  const size_t literal = dictionary->ids.size();
  std::vector<uint32_t> uses(literal + 1, 0);
  double ascending_cost = dictionary->cost;
  for (const IdSpaceMember<T>* m : in) {
    for (const uint32_t code : m->codes) ++uses[code];
    ascending_cost += m->coded_cost;
  }
  uses.pop_back();
  if (!AreUsedUnequally(uses, EntropyOfUses(uses))) return;
  NumbersByUse numbers = NumberByUse(uses);
  numbers.number.push_back(static_cast<uint32_t>(literal));
  IdDictionary<T> by_use =
      DictionaryOf(numbers.Reorder(dictionary->ids), dictionary->slot, kByUseWay, options);
  double cost = by_use.cost;
  std::vector<std::vector<uint32_t>> codes;
  std::vector<double> costs;
  for (const IdSpaceMember<T>* m : in) {
    codes.push_back(numbers.Renumber(m->codes));
    costs.push_back(m->literals_cost + PriceCodes(codes.back(), options, m->slot, kCodesByUseWay));
    cost += costs.back();
  }
  if (cost >= ascending_cost) return;
  *dictionary = std::move(by_use);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i]->codes = std::move(codes[i]);
    in[i]->coded_cost = costs[i];
    in[i]->way = kCodesByUseWay;
  }
}

// An ascending dictionary of all ids of the members, with codes into it. Empty where there would be
// too many.
template <typename T>
IdDictionary<T> BuildDictionary(uint32_t slot, const StripeOptions& options, Members<T> in) {
  std::vector<T> ids = NumberIds<T>(in);
  if (ids.empty() || ids.size() > kMaxDictionary) return {};
  return DictionaryOf(std::move(ids), slot, kAscendingWay, options);
}

template <typename T>
Repeats RepeatsOf(Members<T> in) {
  RepeatSample<T> sample;
  for (const IdSpaceMember<T>* m : in) sample.Add(m->values());
  return sample.Count();
}

// By a sample no dictionary is worth looking for: of ids so many of which differ none saves much,
// or none was worth it for ids like these.
bool IsHopeless(const Repeats& repeats, const std::optional<Repeats>& refused) {
  if (repeats.total < kFewestToSample) return false;
  return repeats.MostSaved() < kLeastSaved || (refused.has_value() && repeats.IsLike(*refused));
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
    m->codes = std::vector<uint32_t>();  // Gives the memory back.
    m->literals = std::vector<T>();
  };
  const Repeats repeats = RepeatsOf<T>(in);
  std::optional<Repeats>& refused = options.plans->Of(slot)->refused;
  if (IsHopeless(repeats, refused)) in.clear();
  while (!in.empty()) {
    IdDictionary<T> dictionary = BuildDictionary<T>(slot, options, in);
    if (dictionary.ids.empty()) break;
    PriceMembers<T>(options, in);
    TryMostUsedFirst<T>(options, in, &dictionary);
    const std::vector<IdSpaceMember<T>*> losers = FindLosers<T>(in, dictionary);
    if (losers.empty()) {
      refused.reset();
      return dictionary;
    }
    std::for_each(losers.begin(), losers.end(), leave);
    std::erase_if(in, [](const IdSpaceMember<T>* m) { return m->way == kIdsWay; });
  }
  std::for_each(in.begin(), in.end(), leave);
  refused = repeats;
  return {};
}

template IdDictionary<uint32_t> ChooseDictionary(uint32_t, const StripeOptions&,
                                                 std::span<IdSpaceMember<uint32_t>>);
template IdDictionary<uint64_t> ChooseDictionary(uint32_t, const StripeOptions&,
                                                 std::span<IdSpaceMember<uint64_t>>);

}  // namespace dsi::internal
