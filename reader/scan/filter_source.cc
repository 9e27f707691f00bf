#include "dsi/reader/scan/filter_source_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// The column that a predicate looks at. All of a feature exist in the same rows and are of the same
// lengths, so that its name is enough to ask for that.
Result<OpenColumn> FindFilterColumn(const OpenFile& file, const Predicate& predicate) {
  DSI_ASSIGN_OR_RETURN(const std::vector<uint32_t> ordinals, file.FindColumns(predicate.column));
  DSI_ASSIGN_OR_RETURN(OpenColumn column, file.LoadColumn(ordinals[0]));
  bool is_one = ordinals.size() == 1;
  if (!is_one && !LooksAtValues(predicate)) {
    DSI_ASSIGN_OR_RETURN(const OpenColumn last, file.LoadColumn(ordinals.back()));
    is_one = last.first_column() == column.first_column();
  }
  if (!is_one) {
    return InvalidArgument("filter: \"{}\" stands for {} columns; name one of them",
                           predicate.column, ordinals.size());
  }
  DSI_RETURN_IF_ERROR(CheckPredicate(predicate, column.name, column.record.kind, column.record.type,
                                     column.record.time_unit));
  return column;
}

// How the column is read for predicates: strings whole, of others their first number is enough.
Projection FilterProjection(const OpenColumn& column) {
  Projection projection{.name = column.name};
  const bool is_text = column.record.type == Type::kBytes;
  projection.layout = is_text ? Layout::kJagged : Layout::kPadded;
  if (column.record.kind != Kind::kEmbedding) projection.width = 1;
  return projection;
}

// Each with its alternatives behind it.
void AddPredicates(const std::vector<Predicate>& from, std::vector<const Predicate*>* to) {
  for (const Predicate& predicate : from) {
    const std::vector<const Predicate*> some = AlternativesOf(predicate);
    to->insert(to->end(), some.begin(), some.end());
  }
}

}  // namespace

std::vector<const Predicate*> PredicatesOf(const RowFilter& filter) {
  std::vector<const Predicate*> predicates;
  AddPredicates(filter.where, &predicates);
  for (const Sampling& sampling : filter.sample) AddPredicates(sampling.when, &predicates);
  return predicates;
}

Result<FilterColumns> FindFilterColumns(const OpenFile& file, const RowFilter& filter) {
  FilterColumns found;
  for (const Predicate* const predicate : PredicatesOf(filter)) {
    DSI_ASSIGN_OR_RETURN(OpenColumn column, FindFilterColumn(file, *predicate));
    column.shape_only = !LooksAtValues(*predicate);
    const auto known =
        std::find_if(found.columns.begin(), found.columns.end(),
                     [&](const OpenColumn& other) { return other.ordinal == column.ordinal; });
    found.of_predicate.push_back(static_cast<uint32_t>(known - found.columns.begin()));
    found.predicates.emplace_back(*predicate, column.record.type, column.record.time_unit);
    if (known == found.columns.end()) {
      found.columns.push_back(std::move(column));
    } else {
      known->shape_only = known->shape_only && column.shape_only;
    }
  }
  return found;
}

Result<CountedVector<bool>> RuledOutStripes(const OpenFile& file, const RowFilter& filter,
                                            const FilterColumns& columns, size_t first, size_t end,
                                            MemoryBudget* budget) {
  CountedVector<bool> ruled_out(budget);
  std::vector<CountedVector<ColumnStatistics>> statistics;  // By column; empty: not known.
  size_t num_known = 0;  // Columns of them that were looked at: those of the predicates so far.
  size_t next = 0;
  for (const Predicate& predicate : filter.where) {
    const size_t begin = next;
    next += AlternativesOf(predicate).size();
    bool all_known = true;
    for (size_t i = begin; i < next; ++i) {
      for (; num_known <= columns.of_predicate[i]; ++num_known) {
        const OpenColumn& column = columns.columns[num_known];
        statistics.emplace_back(budget);
        if (!HasOneValue(column.record.kind)) continue;
        DSI_ASSIGN_OR_RETURN(statistics.back(),
                             file.LoadStatistics(column.ordinal, column.record.type, budget));
      }
      all_known = all_known && !statistics[columns.of_predicate[i]].empty();
    }
    if (!all_known) continue;
    ruled_out.resize(end - first, false);
    for (size_t stripe = first; stripe < end; ++stripe) {
      const uint32_t num_rows = file.core().stripes[stripe].num_rows;
      bool may_match = false;
      for (size_t i = begin; i < next && !may_match; ++i) {
        may_match =
            columns.predicates[i].MayMatch(statistics[columns.of_predicate[i]][stripe], num_rows);
      }
      if (!may_match) ruled_out[stripe - first] = true;
    }
  }
  return ruled_out;
}

bool IsOfOneFile(std::span<const uint32_t> of_alternatives) {
  return std::count(of_alternatives.begin(), of_alternatives.end(), of_alternatives[0]) ==
         std::ssize(of_alternatives);
}

std::vector<RowFilter> SplitFilter(const RowFilter& filter, std::span<const uint32_t> of_predicate,
                                   size_t num_files) {
  std::vector<RowFilter> parts(num_files);
  size_t next = 0;
  // Alone, none of them must hold.
  const auto add_each = [&](const std::vector<const Predicate*>& alternatives) {
    for (const Predicate* const predicate : alternatives) {
      RowFilter& part = parts[of_predicate[next++]];
      if (part.sample.empty()) part.sample.emplace_back();
      part.sample[0].when.push_back(*predicate);
      part.sample[0].when.back().alternatives.clear();
    }
  };
  for (const Predicate& predicate : filter.where) {
    const std::vector<const Predicate*> alternatives = AlternativesOf(predicate);
    if (IsOfOneFile(of_predicate.subspan(next, alternatives.size()))) {
      parts[of_predicate[next]].where.push_back(predicate);
      next += alternatives.size();
    } else {
      add_each(alternatives);
    }
  }
  for (const Sampling& sampling : filter.sample) {
    for (const Predicate& predicate : sampling.when) add_each(AlternativesOf(predicate));
  }
  return parts;
}

Result<FilterSource> FilterSource::Make(const OpenFile& file, const RowFilter& filter,
                                        size_t first_stripe, size_t end_stripe,
                                        MemoryBudget* budget) {
  FilterSource source(budget);
  source.first_stripe_ = first_stripe;
  DSI_ASSIGN_OR_RETURN(source.columns_, FindFilterColumns(file, filter));
  std::vector<const Predicate*> where;
  AddPredicates(filter.where, &where);
  source.num_where_ = where.size();
  if (source.columns_.columns.empty()) return source;
  ScanOptions options;
  std::vector<std::vector<OpenColumn>> columns;
  for (const OpenColumn& column : source.columns_.columns) {
    options.features.push_back(FilterProjection(column));
    columns.push_back({column});
  }
  DSI_ASSIGN_OR_RETURN(source.projection_, ResolveProjection(file, options, first_stripe,
                                                             end_stripe, std::move(columns)));
  DSI_ASSIGN_OR_RETURN(source.is_ruled_out_, RuledOutStripes(file, filter, source.columns_,
                                                             first_stripe, end_stripe, budget));
  return source;
}

}  // namespace dsi::internal
