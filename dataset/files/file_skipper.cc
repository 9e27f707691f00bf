#include "dsi/dataset/files/file_skipper_internal.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/reader/scan/predicate_internal.h"

namespace dsi::internal {
namespace {

class Judge {
 public:
  Judge(const DatasetFiles& files, const RowFilter& filter) : files_(files), filter_(filter) {}

  Status FindColumns() {
    std::vector<std::string> names;
    for (const Predicate& predicate : filter_.where) names.push_back(predicate.column);
    DSI_ASSIGN_OR_RETURN(view_, MakeView(files_, names));
    DSI_ASSIGN_OR_RETURN(stored_, files_.StoredSchemas());
    for (size_t i = 0; i < names.size(); ++i) {
      const std::vector<uint32_t>& found = view_->of_pattern()[i];
      if (found.size() != 1) {
        return InvalidArgument("filter: \"{}\" stands for {} columns; name one of them", names[i],
                               found.size());
      }
      const ColumnInfo& info = view_->columns()[found[0]];
      if (!HasStatistics(info.kind, info.type)) {
        return InvalidArgument("filter: {} is a {} of {}; only one number per row can be compared",
                               info.name, KindName(info.kind), TypeName(info.type));
      }
      columns_.push_back(found[0]);
    }
    return Status::Ok();
  }

  // Whether a row of some of its stripes may.
  bool MayPass(size_t file) {
    const SchemasOfFiles& schemas = view_->schemas();
    for (size_t i = 0; i < schemas.num_variants(file); ++i) {
      const FileVariant variant = schemas.variant(file, i);
      bool may_pass = true;
      for (size_t term = 0; term < columns_.size() && may_pass; ++term)
        may_pass = MayPass(file, variant, term);
      if (may_pass) return true;
    }
    return false;
  }

 private:
  bool MayPass(size_t file, const FileVariant& variant, size_t term) {
    const ColumnInfo* const there = view_->InSchema(variant.schema, columns_[term]);
    if (there == nullptr) return false;
    // Which of the files that have the rows says it, whose statistics are of its own columns.
    const uint16_t member = variant.members.empty() ? 0 : variant.members[there->ordinal];
    const uint32_t overlay = member == 0 ? 0 : variant.overlays[member - 1];
    const FileFacts& facts = member == 0 ? files_.facts(file) : files_.overlays()[overlay].facts;
    if (facts.statistics.empty()) return true;
    const uint32_t column = OrdinalOf(
        stored_->of_file[member == 0 ? file : files_.files().size() + overlay], there->name);
    const auto known =
        std::lower_bound(facts.statistics.begin(), facts.statistics.end(), column,
                         [](const FileStatistics& one, uint32_t at) { return one.column < at; });
    if (known == facts.statistics.end() || known->column != column) return true;
    // As those of a stripe of one row: what counts is whether all are missing.
    const ColumnStatistics statistics{.num_missing = known->num_missing == facts.num_rows ? 1U : 0U,
                                      .has_bounds = known->has_bounds,
                                      .least = known->least,
                                      .greatest = known->greatest};
    const Predicate& predicate = filter_.where[term];
    return ReadyPredicate(predicate.compare, predicate.value, there->type).MayMatch(statistics, 1);
  }

  // Position of a column in a stored schema, which has it.
  uint32_t OrdinalOf(uint32_t schema, const std::string& name) {
    const auto [at, is_new] = ordinals_.try_emplace({schema, name}, 0);
    if (is_new) {
      const std::vector<ColumnInfo>& columns = stored_->schemas[schema].columns;
      const auto found = std::find_if(columns.begin(), columns.end(),
                                      [&](const ColumnInfo& c) { return c.name == name; });
      at->second = static_cast<uint32_t>(found - columns.begin());
    }
    return at->second;
  }

  const DatasetFiles& files_;
  const RowFilter& filter_;
  std::shared_ptr<const SchemaView> view_;
  const SchemasOfFiles* stored_ = nullptr;
  std::vector<uint32_t> columns_;  // Of the view, by predicate.
  std::map<std::pair<uint32_t, std::string>, uint32_t> ordinals_;
};

}  // namespace

Result<FileSkipper> FileSkipper::Make(const DatasetFiles& files, const RowFilter& filter) {
  FileSkipper skipper;
  skipper.may_pass_.assign(files.files().size(), true);
  if (filter.where.empty()) return skipper;
  Judge judge(files, filter);
  DSI_RETURN_IF_ERROR(judge.FindColumns());
  for (size_t file = 0; file < skipper.may_pass_.size(); ++file)
    skipper.may_pass_[file] = judge.MayPass(file);
  return skipper;
}

}  // namespace dsi::internal
