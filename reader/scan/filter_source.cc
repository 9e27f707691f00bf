#include "dsi/reader/scan/filter_source_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/reader/scan/predicate_internal.h"

namespace dsi::internal {
namespace {

bool HoldsOneNumber(const OpenColumn& column) {
  return !HasLengths(column.record.kind, column.record.type) &&
         column.record.kind != Kind::kEmbedding;
}

}  // namespace

Result<FilterColumns> FindFilterColumns(const OpenFile& file, const RowFilter& filter) {
  std::vector<const Predicate*> predicates;
  for (const Predicate& predicate : filter.where) predicates.push_back(&predicate);
  for (const Sampling& sampling : filter.sample) {
    for (const Predicate& predicate : sampling.when) predicates.push_back(&predicate);
  }
  FilterColumns found;
  for (const Predicate* const predicate : predicates) {
    DSI_ASSIGN_OR_RETURN(const std::vector<uint32_t> ordinals, file.FindColumns(predicate->column));
    if (ordinals.size() != 1) {
      return InvalidArgument("filter: \"{}\" stands for {} columns; name one of them",
                             predicate->column, ordinals.size());
    }
    const auto known =
        std::find_if(found.columns.begin(), found.columns.end(),
                     [&](const OpenColumn& column) { return column.ordinal == ordinals[0]; });
    found.of_predicate.push_back(static_cast<uint32_t>(known - found.columns.begin()));
    if (known != found.columns.end()) continue;
    DSI_ASSIGN_OR_RETURN(OpenColumn column, file.LoadColumn(ordinals[0]));
    if (!HoldsOneNumber(column)) {
      return InvalidArgument("filter: {} is a {} of {}; only one number per row can be compared",
                             column.name, KindName(column.record.kind),
                             TypeName(column.record.type));
    }
    found.columns.push_back(std::move(column));
  }
  return found;
}

Result<CountedVector<bool>> RuledOutStripes(const OpenFile& file, const RowFilter& filter,
                                            const FilterColumns& columns, size_t first, size_t end,
                                            MemoryBudget* budget) {
  CountedVector<bool> ruled_out(budget);
  for (size_t i = 0; i < filter.where.size(); ++i) {
    const OpenColumn& column = columns.columns[columns.of_predicate[i]];
    if (!HasStatistics(column.record.kind, column.record.type)) continue;
    DSI_ASSIGN_OR_RETURN(const CountedVector<ColumnStatistics> statistics,
                         file.LoadStatistics(column.ordinal, column.record.type, budget));
    if (statistics.empty()) continue;
    ruled_out.resize(end - first, false);
    const ReadyPredicate predicate(filter.where[i].compare, filter.where[i].value,
                                   column.record.type);
    for (size_t stripe = first; stripe < end; ++stripe) {
      if (!predicate.MayMatch(statistics[stripe], file.core().stripes[stripe].num_rows))
        ruled_out[stripe - first] = true;
    }
  }
  return ruled_out;
}

std::vector<RowFilter> SplitFilter(const RowFilter& filter, std::span<const uint32_t> of_predicate,
                                   size_t num_files) {
  std::vector<RowFilter> parts(num_files);
  size_t next = 0;
  for (const Predicate& predicate : filter.where)
    parts[of_predicate[next++]].where.push_back(predicate);
  for (const Sampling& sampling : filter.sample) {
    for (const Predicate& predicate : sampling.when) {
      RowFilter& part = parts[of_predicate[next++]];
      if (part.sample.empty()) part.sample.emplace_back();
      part.sample[0].when.push_back(predicate);
    }
  }
  return parts;
}

bool HasPredicates(const RowFilter& filter) {
  return !filter.where.empty() ||
         std::any_of(filter.sample.begin(), filter.sample.end(),
                     [](const Sampling& sampling) { return !sampling.when.empty(); });
}

Result<FilterSource> FilterSource::Make(const OpenFile& file, const RowFilter& filter,
                                        size_t first_stripe, size_t end_stripe,
                                        MemoryBudget* budget) {
  FilterSource source(budget);
  source.first_stripe_ = first_stripe;
  DSI_ASSIGN_OR_RETURN(source.columns_, FindFilterColumns(file, filter));
  if (source.columns_.columns.empty()) return source;
  ScanOptions options;
  for (const OpenColumn& column : source.columns_.columns)
    options.features.push_back({.name = column.name, .width = 1, .dtype = {}});
  DSI_ASSIGN_OR_RETURN(source.projection_,
                       ResolveProjection(file, options, first_stripe, end_stripe));
  DSI_ASSIGN_OR_RETURN(source.is_ruled_out_, RuledOutStripes(file, filter, source.columns_,
                                                             first_stripe, end_stripe, budget));
  return source;
}

}  // namespace dsi::internal
