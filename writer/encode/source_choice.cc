#include "dsi/writer/encode/source_choice_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/logarithm_internal.h"
#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/codecs/dictionary/value_table_internal.h"
#include "dsi/dedup/contained_internal.h"
#include "dsi/dedup/find_places_internal.h"
#include "dsi/writer/cluster/gather_internal.h"
#include "dsi/writer/encode/id_space_choice_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kFewestValues = 1'024;
// A projection of one column must not read more than this times what it would without a source.
constexpr double kReadLimit = 1.5;
// A step to a place that is not near takes about as many bits as this.
constexpr double kFarBits = 28;
// Entropy knows nothing of what repeats, which codecs find: places must take this share of it.
constexpr double kMostOfEntropy = 0.5;

struct Candidate {
  uint32_t column = 0;
  Type type = Type::kInt64;
  double bytes = 0;  // What its values take by entropy; 0: not known.
  double count = 0;  // Of its values, as known as that.
  bool is_source = false;
  bool borrows = false;
};

struct Borrower {
  uint32_t at = 0;   // Of the candidates.
  double share = 0;  // Of its values that the source seems to have.
};

template <typename T>
std::span<const T> ValuesOf(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Calls visit(values) with the values in their type.
template <typename Visit>
auto VisitValues(const std::vector<std::byte>& bytes, Type type, const Visit& visit) {
  return TypeWidth(type) == 4 ? visit(ValuesOf<uint32_t>(bytes)) : visit(ValuesOf<uint64_t>(bytes));
}

// Of a list by itself: its codes, and where it shares them with nobody the entries of a dictionary,
// whose differences are stored.
template <typename T>
double EntropyBytes(std::span<const T> values, bool has_entries) {
  ValueTable<T> table;
  std::vector<uint32_t> numbers(values.size());
  table.Insert(values, numbers.data());
  std::vector<uint32_t> uses(table.entries().size());
  for (const uint32_t number : numbers) ++uses[number];
  const double codes = EntropyOfUses(uses) * static_cast<double>(values.size());
  if (!has_entries) return codes / 8;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const auto entries = static_cast<double>(uses.size());
  const double range = Log2(static_cast<double>(*greatest - *least) + 1);
  return (codes + entries * std::max(0.0, range - Log2(entries))) / 8;
}

class SourceChooser {
 public:
  SourceChooser(const FileLayout& layout, std::span<const ClusteredFeature> features,
                std::span<const std::unique_ptr<FeatureValues>> stored,
                const StripeOptions& options, const ForEach& for_each)
      : layout_(layout),
        features_(features),
        stored_(stored),
        options_(options),
        for_each_(for_each) {}

  Result<std::vector<BorrowingStream>> Choose() {
    DSI_RETURN_IF_ERROR(FindCandidates());
    DSI_RETURN_IF_ERROR(Weigh());
    saved_.resize(candidates_.size());
    for (size_t source = 0; source < candidates_.size(); ++source) saved_[source] = SavedBy(source);
    for (size_t source = Best(); source != kNone; source = Best())
      DSI_RETURN_IF_ERROR(LendFrom(source));
    std::sort(streams_.begin(), streams_.end(),
              [](const auto& a, const auto& b) { return a.column < b.column; });
    return std::move(streams_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  std::vector<std::byte> ValuesOfColumn(uint32_t c) const {
    const ColumnLayout& column = layout_.columns[c];
    return stored_[column.feature]->CopyValues(column.column, kFewestValues, kMostSourceValues);
  }

  Status FindCandidates() {
    for (uint32_t c = 0; c < layout_.columns.size(); ++c) {
      const ColumnLayout& column = layout_.columns[c];
      const FeatureSpec& spec = *features_[column.feature].source().spec;
      const Type type = spec.columns[column.column].type;
      const bool may_be = IsListKind(spec.kind) && TypeWidth(type) >= 4 && column.num_tiers == 1;
      if (!may_be) continue;
      Candidate& candidate = candidates_.emplace_back();
      candidate.column = c;
      candidate.type = type;
    }
    std::vector<std::vector<uint64_t>> samples(candidates_.size());
    DSI_RETURN_IF_ERROR(for_each_(candidates_.size(), [&](size_t i) {
      const std::vector<std::byte> bytes = ValuesOfColumn(candidates_[i].column);
      samples[i] = VisitValues(bytes, candidates_[i].type, [&](const auto& values) {
        return SampleGrams(values, static_cast<uint64_t>(candidates_[i].type));
      });
    }));
    const auto contained = FindContained(samples);
    lent_by_.resize(candidates_.size());
    lent_to_.resize(candidates_.size());
    for (const auto& [pair, share] : contained) {
      lent_by_[pair.second].push_back({pair.first, share});
      lent_to_[pair.first].push_back(pair.second);
    }
    return Status::Ok();
  }

  // What the members of pairs take by entropy.
  Status Weigh() {
    std::vector<uint32_t> members;
    for (uint32_t i = 0; i < candidates_.size(); ++i) {
      if (!lent_by_[i].empty() || !lent_to_[i].empty()) members.push_back(i);
    }
    return for_each_(members.size(), [&](size_t i) {
      Candidate& candidate = candidates_[members[i]];
      const std::vector<std::byte> bytes = ValuesOfColumn(candidate.column);
      const uint16_t id_space = layout_.columns[candidate.column].id_space;
      const bool has_entries =
          id_space == kNone16 || layout_.id_spaces[id_space].columns.size() == 1;
      candidate.bytes = VisitValues(bytes, candidate.type, [&](const auto& values) {
        candidate.count = static_cast<double>(values.size());
        return EntropyBytes(values, has_entries);
      });
    });
  }

  bool MayLend(const Candidate& source, const Candidate& to) const {
    return !to.borrows && !to.is_source && source.bytes > 0 &&
           source.bytes < kReadLimit * to.bytes && !AreMetByChance(source, to);
  }

  // Grams of few values, of which a source of so many has any.
  static bool AreMetByChance(const Candidate& source, const Candidate& to) {
    return 8 * to.bytes / to.count * kPlaceGram < Log2(source.count);
  }

  // For how many bytes of others its values stand in; 0: it lends nothing.
  double SavedBy(size_t at) const {
    const Candidate& source = candidates_[at];
    if (source.borrows || source.is_source) return 0;
    double saved = 0;
    for (const Borrower& borrower : lent_by_[at]) {
      const Candidate& to = candidates_[borrower.at];
      if (MayLend(source, to)) saved += borrower.share * to.bytes;
    }
    return saved;
  }

  // The candidate whose values stand in for the most bytes of others; those of a pair are both
  // candidates until one lends to the other.
  size_t Best() const {
    const auto best = std::max_element(saved_.begin(), saved_.end());
    if (best == saved_.end() || *best == 0) return kNone;
    return static_cast<size_t>(best - saved_.begin());
  }

  // After a candidate began to lend or to borrow.
  void SaveAnew(size_t changed) {
    saved_[changed] = SavedBy(changed);
    for (const uint32_t source : lent_to_[changed]) saved_[source] = SavedBy(source);
  }

  Status LendFrom(size_t at) {
    Candidate& source = candidates_[at];
    source.is_source = true;
    SaveAnew(at);
    std::vector<uint32_t> borrowers;
    for (const Borrower& borrower : lent_by_[at]) {
      if (MayLend(source, candidates_[borrower.at])) borrowers.push_back(borrower.at);
    }
    const std::vector<std::byte> bytes = ValuesOfColumn(source.column);
    std::vector<EncodedStream> streams(borrowers.size());
    DSI_RETURN_IF_ERROR(VisitValues(bytes, source.type, [&](const auto& values) {
      const PlaceFinder finder(values);
      return for_each_(borrowers.size(), [&](size_t i) {
        streams[i] = Encode(candidates_[borrowers[i]], values, finder);
      });
    }));
    for (size_t i = 0; i < borrowers.size(); ++i) {
      Candidate& candidate = candidates_[borrowers[i]];
      const auto stored = static_cast<double>(streams[i].bytes());
      candidate.borrows = !streams[i].nodes.empty() && stored <= kMostOfEntropy * candidate.bytes &&
                          stored + source.bytes <= kReadLimit * candidate.bytes;
      if (!candidate.borrows) continue;
      SaveAnew(borrowers[i]);
      const ColumnLayout& column = layout_.columns[source.column];
      streams[i].record.SetSource(source.column,
                                  column.id_space == kNone16 ? kNone32 : column.id_space);
      streams_.push_back({candidate.column, std::move(streams[i])});
    }
    return Status::Ok();
  }

  // Empty where the values are those of the source, of which the stream will be an alias.
  template <typename T>
  EncodedStream Encode(const Candidate& candidate, std::span<const T> source,
                       const PlaceFinder<T>& finder) const {
    const std::vector<std::byte> bytes = ValuesOfColumn(candidate.column);
    const std::span<const T> values = ValuesOf<T>(bytes);
    if (std::equal(values.begin(), values.end(), source.begin(), source.end())) return {};
    const size_t source_size = source.size();
    const double bits = 8 * candidate.bytes / static_cast<double>(values.size());
    const size_t least_far =
        std::max(kPlaceGram, static_cast<size_t>(kFarBits / std::max(bits, 1.0)) + 1);
    const std::vector<uint32_t> places = finder.Find(values, least_far);
    std::vector<T> literals;
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] == source_size) literals.push_back(values[i]);
    }
    const CodedIds ids = {
        .codes = places,
        .literal = static_cast<uint32_t>(source_size),
        .literals = {.values = literals.data(), .count = literals.size(), .width = sizeof(T)}};
    const uint32_t slot = layout_.columns[candidate.column].values_slot;
    return EncodeCodeStream(ids, options_.page_values, options_.tuning,
                            options_.plans->Of(slot, kPlacesWay),
                            options_.plans->Of(slot, kPlaceLiteralsWay));
  }

  const FileLayout& layout_;
  std::span<const ClusteredFeature> features_;
  std::span<const std::unique_ptr<FeatureValues>> stored_;
  const StripeOptions& options_;
  const ForEach& for_each_;
  std::vector<Candidate> candidates_;
  // Of each candidate: which ones' values it seems to have, ascending …
  std::vector<std::vector<Borrower>> lent_by_;
  std::vector<std::vector<uint32_t>> lent_to_;  // … and which seem to have its own.
  std::vector<double> saved_;                   // By each, as things stand.
  std::vector<BorrowingStream> streams_;
};

}  // namespace

Result<std::vector<BorrowingStream>> ChooseSources(
    const FileLayout& layout, std::span<const ClusteredFeature> features,
    std::span<const std::unique_ptr<FeatureValues>> stored, const StripeOptions& options,
    const ForEach& for_each) {
  return SourceChooser(layout, features, stored, options, for_each).Choose();
}

}  // namespace dsi::internal
