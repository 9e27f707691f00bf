// Dictionary: a child with the distinct values, ascending or the most used first, a child with
// codes (E-050).
#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <variant>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/codecs/dictionary/number_by_use_internal.h"
#include "dsi/codecs/dictionary/value_table_internal.h"
#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

// A choice looks no further: larger dictionaries belong to a whole stripe, not to one array.
constexpr size_t kMaxDistinct = 65536;

// Entries in a piece of the sample that their own plan is chosen from. Neighbours in the order of
// use have little in common that more of them would show.
constexpr size_t kEntriesPiece = 2048;
constexpr size_t kEntriesByUsePiece = 512;

// With more distinct values than this the codes cost more than they save.
constexpr size_t MostDistinct(size_t count) { return count - count / 8; }

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  const size_t entries = node.aux;
  const size_t most = std::min<size_t>(node.count, kMostEntries);
  if (entries < 1 || entries > most) {
    return Corrupt("dictionary: {} entries, expected 1 to {} (E-050)", entries, most);
  }
  ChildWalk children(node.payload);
  DSI_ASSIGN_OR_RETURN(const NodeView entries_node, children.Next(node.width, entries));
  DSI_ASSIGN_OR_RETURN(const NodeView codes_node, children.NextOfWidthUpTo(4, node.count));
  DSI_RETURN_IF_ERROR(children.End());
  ArrayReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(reader.Open(entries_node, Deeper(context)));
  reader.Map(context.map);
  return DecodeThroughDictionary(
      codes_node, Deeper(context),
      {.entries = reader.values(), .count = entries, .width = context.WidthOf(node)}, dst);
}

// Entries in ascending order; codes by first appearance become codes into them.
template <typename T>
std::vector<T> OrderByValue(const ValueTable<T>& table,
                            std::initializer_list<std::vector<uint32_t>*> all_codes) {
  std::vector<T> sorted;
  std::vector<uint32_t> ranks;
  SortEntries(table.entries(), &sorted, &ranks);
  for (std::vector<uint32_t>* codes : all_codes) {
    for (uint32_t& code : *codes) code = ranks[code];
  }
  return sorted;
}

// The array by ascending entries: in the context, from then on, where it is the outermost, else in
// `own`. nullptr where it has more than `most`.
template <typename T>
const CodedArray<T>* FindDistinct(const ArrayView& array, size_t most, EncodeContext* context,
                                  CodedArray<T>* own) {
  const bool is_outermost = context->IsOutermost(array);
  if (is_outermost) {
    if (const auto* known = std::get_if<CodedArray<T>>(&context->coded))
      return known->entries.size() <= most ? known : nullptr;
  }
  ValueTable<T> table;
  own->codes.resize(array.count);
  if (!table.Insert(Values<T>(array), own->codes.data(), most)) return nullptr;
  own->entries = OrderByValue(table, {&own->codes});
  return is_outermost ? &context->coded.template emplace<CodedArray<T>>(std::move(*own)) : own;
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  return VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    CodedArray<T> own;
    const CodedArray<T>* coded = FindDistinct(array, MostDistinct(array.count), context, &own);
    if (coded == nullptr) return false;
    CodedArray<T> by_use;
    if (plan.by_use) {
      const NumbersByUse numbers = NumberByUse(CountUses(coded->codes, coded->entries.size()));
      by_use = {numbers.Reorder(coded->entries), numbers.Renumber(coded->codes)};
      coded = &by_use;
    }
    const NarrowCodes narrow(coded->codes, static_cast<uint32_t>(coded->entries.size() - 1));
    NodeWriter writer(out, Encoding::kDictionary, array.width, array.count);
    writer.SetAux(static_cast<uint32_t>(coded->entries.size()));
    EncodeChild(ViewOf<T>(coded->entries), plan, 0, context, out);
    EncodeChild(narrow.view(), plan, 1, context, out);
    writer.Finish();
    return true;
  });
}

// Bytes of a dictionary of this size and of the codes into it, when nothing is known about their
// order.
double RoughBytes(double distinct, double count, int width) {
  const double code_bits = std::ceil(Log2(std::max(distinct, 2.0)));
  return 3 * NodeBytes(0) + distinct * width * 0.75 + count * code_bits / 8;
}

// How many values a source has from which `count` draws gave `distinct` different ones, were all
// equally likely: the hopeful case, since a skewed source has more.
double SourceSize(double distinct, double count) {
  if (distinct >= count) return 1e18;
  double low = distinct;
  double high = count * count;
  for (int i = 0; i < 40; ++i) {
    const double middle = std::sqrt(low * high);
    (middle * (1 - Exp(-count / middle)) < distinct ? low : high) = middle;
  }
  return low;
}

// The number of distinct values of a whole array, from a sample of which it is `distinct`. Hopeful
// where it will be counted, because that also gives up early.
double ExpectDistinct(const Chooser& chooser, double half_distinct, double distinct) {
  if (chooser.scale() <= 1) return distinct;
  if (chooser.has_whole()) {
    const double source = SourceSize(distinct, static_cast<double>(chooser.sample().count));
    return std::max(distinct, source * (1 - Exp(-chooser.total_count() / source)));
  }
  // As it grew from half of the sample to all of it, so it grows on.
  return distinct * Pow(chooser.scale(), Log2(distinct / half_distinct));
}

// One order of the entries, with codes of the sample and of the whole array. Returns what the
// entries take; 0 where that was not asked.
template <typename T>
double OfferOrder(Chooser* chooser, bool by_use, const std::vector<T>& entries, double distinct,
                  std::span<const uint32_t> codes, std::span<const uint32_t> all_codes) {
  const int width = chooser->sample().width;
  const EncodingSet in_entries = kLeafEncodings | SetOf(Encoding::kDelta, Encoding::kSplit,
                                                        Encoding::kSkewed, Encoding::kDecimal);
  const EncodingSet in_codes =
      kLeafEncodings | SetOf(Encoding::kRuns, Encoding::kSparse, Encoding::kSkewed,
                             Encoding::kDelta, Encoding::kSplit);
  EncodePlan plan;
  plan.encoding = Encoding::kDictionary;
  plan.by_use = by_use;
  if (!chooser->LimitChildren(plan, 0, width)) return 0;
  // Entries look alike everywhere: a smaller sample will do.
  const PiecesOf part(ViewOf<T>(entries), by_use ? kEntriesByUsePiece : kEntriesPiece);
  plan.children.push_back(chooser->ChooseChild(
      part.view(), distinct / static_cast<double>(part.view().count), part.piece(), in_entries));
  const double entries_bytes = plan.children[0].estimated_bytes;
  if (!chooser->LimitChildren(plan, 0, width)) return entries_bytes;
  const auto largest = static_cast<uint32_t>(distinct) - 1;
  const NarrowCodes narrow(codes, largest);
  const NarrowCodes all_narrow(all_codes, largest);
  plan.children.push_back(chooser->ChooseChild(narrow.view(), all_narrow.view(), chooser->scale(),
                                               chooser->chunk(), in_codes));
  chooser->Offer(std::move(plan), 0, width);
  return entries_bytes;
}

// Whether entries by use may win, with codes of no more than their entropy. The entries take no
// less than ascending ones.
bool MayWinByUse(const Chooser& chooser, std::span<const uint32_t> uses, double entries_bytes) {
  const double entropy = EntropyOfUses(uses);
  if (!AreUsedUnequally(uses, entropy)) return false;
  EncodePlan codes;
  codes.encoding = Encoding::kSkewed;
  codes.estimated_bytes = entropy * chooser.total_count() / 8;
  codes.estimated_ns = OwnNs(codes, 0, chooser.total_count(), 1);
  EncodePlan plan;
  plan.encoding = Encoding::kDictionary;
  plan.children.push_back(codes);
  return chooser.WouldWin(plan, entries_bytes, chooser.sample().width);
}

template <typename T>
void OfferOrders(Chooser* chooser, double distinct, const std::vector<uint32_t>& codes,
                 const CodedArray<T>& whole) {
  const double entries_bytes =
      OfferOrder<T>(chooser, false, whole.entries, distinct, codes, whole.codes);
  // Skewed codes take the fewest bits of the smallest numbers.
  const std::vector<uint32_t> uses = CountUses(whole.codes, whole.entries.size());
  if (!MayWinByUse(*chooser, uses, entries_bytes)) return;
  const NumbersByUse numbers = NumberByUse(uses);
  OfferOrder<T>(chooser, true, numbers.Reorder(whole.entries), distinct, numbers.Renumber(codes),
                numbers.Renumber(whole.codes));
}

template <typename T>
void ConsiderOf(Chooser* chooser) {
  EncodeContext* context = chooser->context();
  const ArrayView& sample = chooser->sample();
  const double total = chooser->total_count();
  ValueTable<T> table;
  std::vector<uint32_t> codes(sample.count);
  const std::span<const T> values = Values<T>(sample);
  const size_t half = values.size() / 2;
  table.Insert(values.first(half), codes.data());
  const size_t half_distinct = table.entries().size();
  table.Insert(values.subspan(half), codes.data() + half);
  const auto sampled = static_cast<double>(table.entries().size());
  double distinct = ExpectDistinct(*chooser, static_cast<double>(half_distinct), sampled);
  // Zeros at the bottom can be dropped without a dictionary, too.
  const uint64_t any = chooser->scan().any_bits;
  const double packed = total * BitsFor(any == 0 ? 0 : any >> std::countr_zero(any)) / 8;
  if (RoughBytes(distinct, total, sample.width) >= std::min(chooser->best_bytes(), packed)) return;
  CodedArray<T> whole;
  if (chooser->has_whole()) {
    whole.codes.resize(chooser->whole().count);
    if (!table.Insert(Values<T>(chooser->whole()), whole.codes.data(), kMaxDistinct)) return;
    distinct = static_cast<double>(table.entries().size());
    if (RoughBytes(distinct, total, sample.width) >= chooser->best_bytes()) return;
  }
  if (distinct > static_cast<double>(MostDistinct(static_cast<size_t>(total)))) return;
  whole.entries = OrderByValue(table, {&codes, &whole.codes});
  if (!chooser->has_whole()) whole.codes = codes;
  OfferOrders(chooser, distinct, codes, whole);
  if (context->IsOutermost(chooser->whole())) context->coded = std::move(whole);
}

void Consider(Chooser* chooser) {
  const ArrayView& sample = chooser->sample();
  if (sample.count < 16 || sample.width == 1 || !chooser->HasRoomBelow(1)) return;
  VisitWidth(sample.width, [&](auto zero) { ConsiderOf<decltype(zero)>(chooser); });
}

}  // namespace

const EncodingRow kDictionaryEncoding = {
    Encoding::kDictionary, "dictionary", kUsesAux, 0, Decode, Encode, Consider, true,
};

}  // namespace dsi::internal
