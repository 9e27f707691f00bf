#include "dsi/dataset/files/file_skipper_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {

Result<FileSkipper> FileSkipper::Make(const DatasetFiles& files, const RowFilter& filter) {
  FileSkipper skipper;
  skipper.files_ = &files;
  if (filter.where.empty()) return skipper;
  std::vector<std::string> names;
  for (const Predicate& predicate : filter.where) names.push_back(predicate.column);
  DSI_ASSIGN_OR_RETURN(skipper.view_, MakeView(files, names));
  const SchemaView& view = *skipper.view_;
  for (size_t i = 0; i < filter.where.size(); ++i) {
    const Predicate& predicate = filter.where[i];
    if (view.of_pattern()[i].size() != 1) {
      return InvalidArgument("filter: \"{}\" stands for {} columns; name one of them",
                             predicate.column, view.of_pattern()[i].size());
    }
    const uint32_t column = view.of_pattern()[i][0];
    const ColumnInfo& info = view.columns()[column];
    if (!HasStatistics(info.kind, info.type)) {
      return InvalidArgument("filter: {} is a {} of {}; only one number per row can be compared",
                             info.name, KindName(info.kind), TypeName(info.type));
    }
    Term term;
    for (uint32_t schema = 0; schema < view.num_schemas(); ++schema) {
      const ColumnInfo* const there = view.InSchema(schema, column);
      if (there == nullptr) {
        term.in_schema.push_back(nullptr);
        continue;
      }
      const ReadyPredicate ready(predicate.compare, predicate.value, there->type);
      term.in_schema.push_back(
          std::make_unique<Term::InSchema>(Term::InSchema{there->ordinal, ready}));
    }
    skipper.terms_.push_back(std::move(term));
  }
  return skipper;
}

bool FileSkipper::MayPass(size_t file) const {
  // What a manifest tells is of the file without its overlays.
  if (!files_->overlays_of(file).empty()) return true;
  const std::span<const FileStatistics> known = files_->statistics(file);
  for (const Term& term : terms_) {
    const Term::InSchema* const there = term.in_schema[view_->schema_of(file)].get();
    if (there == nullptr) return false;
    const auto of_column = std::lower_bound(
        known.begin(), known.end(), there->column,
        [](const FileStatistics& one, uint32_t column) { return one.column < column; });
    if (of_column == known.end() || of_column->column != there->column) continue;
    // As those of a stripe of one row: what counts is whether all are missing.
    const bool all_missing = of_column->num_missing == files_->files()[file].num_rows;
    const ColumnStatistics statistics{.num_missing = all_missing ? 1U : 0U,
                                      .has_bounds = of_column->has_bounds,
                                      .least = of_column->least,
                                      .greatest = of_column->greatest};
    if (!there->predicate.MayMatch(statistics, 1)) return false;
  }
  return true;
}

}  // namespace dsi::internal
