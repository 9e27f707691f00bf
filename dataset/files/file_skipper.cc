#include "dsi/dataset/files/file_skipper_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/filter_column_internal.h"

namespace dsi::internal {

Result<FileSkipper> FileSkipper::Make(const DatasetFiles& files, const RowFilter& filter) {
  FileSkipper skipper;
  skipper.files_ = &files;
  for (const Predicate& predicate : filter.where) {
    for (const Predicate* const one : AlternativesOf(predicate)) skipper.terms_.push_back({*one});
    skipper.terms_.back().is_last = true;
  }
  if (!skipper.terms_.empty()) DSI_RETURN_IF_ERROR(skipper.FindColumns());
  return skipper;
}

Status FileSkipper::FindColumns() {
  std::vector<std::string> names;
  for (const Term& term : terms_) names.push_back(term.predicate.column);
  DSI_ASSIGN_OR_RETURN(view_, MakeView(*files_, names));
  DSI_ASSIGN_OR_RETURN(stored_, files_->StoredSchemas());
  for (size_t i = 0; i < terms_.size(); ++i) {
    Term& term = terms_[i];
    DSI_ASSIGN_OR_RETURN(term.column, FilterColumnOf(*view_, i, term.predicate));
    for (uint32_t schema = 0; schema < view_->num_schemas(); ++schema) {
      const ColumnInfo* const there = view_->InSchema(schema, term.column);
      if (there == nullptr) continue;
      term.ready.try_emplace(there->type, term.predicate, there->type, there->time_unit);
      const auto [ordinals, is_new] = term.ordinals.try_emplace(there->name);
      if (!is_new) continue;
      for (const FileSchema& stored : stored_->schemas) {
        const auto at = std::find_if(stored.columns.begin(), stored.columns.end(),
                                     [&](const ColumnInfo& c) { return c.name == there->name; });
        ordinals->second.push_back(static_cast<uint32_t>(at - stored.columns.begin()));
      }
    }
  }
  return Status::Ok();
}

bool FileSkipper::MayPass(size_t file) const {
  if (terms_.empty()) return true;
  const SchemasOfFiles& schemas = view_->schemas();
  for (size_t i = 0; i < schemas.num_variants(file); ++i) {
    if (MayPass(file, schemas.variant(file, i))) return true;
  }
  return false;
}

bool FileSkipper::MayPass(size_t file, const FileVariant& variant) const {
  bool one_may = false;
  for (const Term& term : terms_) {
    one_may = one_may || MayPass(file, variant, term);
    if (term.is_last && !std::exchange(one_may, false)) return false;
  }
  return true;
}

bool FileSkipper::MayPass(size_t file, const FileVariant& variant, const Term& term) const {
  const ColumnInfo* const there = view_->InSchema(variant.schema, term.column);
  if (there == nullptr) return term.predicate.compare == Compare::kMissing;
  // Which of the files that have the rows says it, whose statistics are of its own columns.
  const uint16_t member = variant.members.empty() ? 0 : variant.members[there->ordinal];
  const uint32_t overlay = member == 0 ? 0 : variant.overlays[member - 1];
  const FileFacts& facts = member == 0 ? files_->facts(file) : files_->overlays()[overlay].facts;
  if (facts.statistics.empty()) return true;
  const uint32_t stored = stored_->of_file[member == 0 ? file : files_->files().size() + overlay];
  const uint32_t column = term.ordinals.find(there->name)->second[stored];
  const auto known =
      std::lower_bound(facts.statistics.begin(), facts.statistics.end(), column,
                       [](const FileStatistics& one, uint32_t at) { return one.column < at; });
  if (known == facts.statistics.end() || known->column != column) return true;
  return term.ready.find(there->type)->second.MayMatch(known->all, facts.num_rows);
}

}  // namespace dsi::internal
