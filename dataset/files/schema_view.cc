#include "dsi/dataset/files/schema_view_internal.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/dataset/files/match_features_internal.h"
#include "dsi/format/default_bits_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kAdvice = 3;

// What follows the feature's name in that of its column; empty: nothing.
std::string_view ColumnPart(const ColumnInfo& column) {
  return std::string_view(column.name).substr(column.feature.size());
}

std::string Described(const ColumnInfo& column) {
  std::string text = fmt::format("{} of {}", KindName(column.kind), TypeName(column.type));
  if (column.fixed_length != 0) text += fmt::format("[{}]", column.fixed_length);
  if (column.time_unit != TimeUnit::kNone)
    text += fmt::format(" in {}", TimeUnitName(column.time_unit));
  if (column.hashed) text += ", hashed";
  if (IsListKind(column.kind)) text += column.newest_first ? ", newest first" : ", newest last";
  return text;
}

// Whether columns of two files can be one (DS-022, DS-023). Ids of one text differ by the type.
bool GoTogether(const ColumnInfo& a, const ColumnInfo& b) {
  const Type types[] = {a.type, b.type};
  return a.kind == b.kind && a.time_unit == b.time_unit && a.fixed_length == b.fixed_length &&
         a.newest_first == b.newest_first && a.hashed == b.hashed &&
         (!a.hashed || a.type == b.type) && WidenTypes(types, WideningOf(a.kind));
}

// Whether rows of the feature that one of them is of have as many entries of the other, in the same
// order (DS-026).
bool AreParallel(const ColumnInfo& a, const ColumnInfo& b) {
  return a.kind == Kind::kSequence && b.kind == Kind::kSequence && a.newest_first == b.newest_first;
}

// Bits of a default as those of a wider type.
uint64_t WidenDefault(uint64_t bits, Type from, Type to) {
  uint64_t wide = bits;
  if (from == Type::kFloat32) {
    (void)DefaultFromDouble(std::bit_cast<float>(static_cast<uint32_t>(bits)), to, &wide);
  } else if (IsSignedInteger(from)) {
    (void)DefaultFromInt(static_cast<int64_t>(ExtendedBits(bits, from)), to, &wide);
  } else if (from != Type::kFloat64) {
    (void)DefaultFromUint(bits, to, &wide);
  }
  return wide;
}

}  // namespace

class SchemaMatcher {
 public:
  SchemaMatcher(const DatasetFiles& files, std::shared_ptr<const SchemasOfFiles> schemas)
      : files_(files), schemas_(std::move(schemas)) {}

  Result<std::shared_ptr<const SchemaView>> Run(const std::vector<std::string>& patterns,
                                                std::vector<Status>* conflicts) {
    FindFilesOfSchemas();
    MatchColumns();
    FindUnsupported();
    auto view = std::make_shared<SchemaView>();
    DSI_RETURN_IF_ERROR(Choose(patterns, view.get()));
    const size_t num_schemas = schemas_->schemas.size();
    view->places_.assign(num_schemas, std::vector<uint32_t>(chosen_.size(), SchemaView::kNone));
    for (uint32_t i = 0; i < chosen_.size(); ++i) {
      const Column& column = columns_[chosen_[i]];
      Result<ColumnInfo> info = Reconcile(column);
      if (!info.ok() && conflicts == nullptr) return info.status();
      if (conflicts != nullptr) conflicts->push_back(info.status());
      view->columns_.push_back(info.ok() ? *std::move(info) : AsInNewest(column));
      view->columns_.back().ordinal = i;
      for (const Occurrence& at : features_[column.feature].in)
        view->places_[at.schema][i] = at.column;
      for (const Occurrence& at : column.in) view->places_[at.schema][i] = at.column;
    }
    for (auto& [column, status] : NamesakesIn(*view)) {
      if (conflicts == nullptr) return status;
      (*conflicts)[column] = std::move(status);
    }
    view->files_ = schemas_;
    view->unsupported_ = std::move(unsupported_);
    return std::shared_ptr<const SchemaView>(std::move(view));
  }

 private:
  struct Occurrence {
    uint32_t schema = 0;
    uint32_t column = 0;
  };
  struct Places {
    std::vector<Occurrence> in;  // By ascending schema.
    uint32_t newest = 0;         // Of `in`: that of the last file that has it.
  };
  // A feature of the dataset: its first column in each schema.
  struct Feature : Places {
    std::vector<uint32_t> columns;  // Few.
  };
  struct Column : Places {
    uint32_t feature = 0;
    std::string other_name;  // By a newer file that lacks it (DS-021); empty: none.
    // kUnsupported: a file has it as only a newer version can read it (DS-027).
    Status support = Status::Ok();
  };

  // Columns that have the name of a pattern, and those of the feature that has it.
  struct Named {
    std::vector<uint32_t> columns, of_feature;
  };

  const ColumnInfo& At(const Occurrence& at) const {
    return schemas_->schemas[at.schema].columns[at.column];
  }
  std::string FileWith(uint32_t schema) const {
    return ShownName(files_.files()[first_file_[schema]].path);
  }
  const std::string& FeatureName(const Column& column) const {
    const Feature& feature = features_[column.feature];
    return At(feature.in[feature.newest]).feature;
  }
  const std::string& Name(const Column& column) const {
    return column.other_name.empty() ? At(column.in[column.newest]).name : column.other_name;
  }
  uint32_t LastFile(const Places& places) const {
    return last_file_[places.in[places.newest].schema];
  }
  void AddTo(const Occurrence& at, Places* places) const {
    places->in.push_back(at);
    if (last_file_[at.schema] >= LastFile(*places))
      places->newest = static_cast<uint32_t>(places->in.size() - 1);
  }

  void FindFilesOfSchemas() {
    first_file_.assign(schemas_->schemas.size(), UINT32_MAX);
    last_file_.assign(schemas_->schemas.size(), 0);
    for (uint32_t i = 0; i < schemas_->of_file.size(); ++i) {
      for (size_t variant = 0; variant < schemas_->num_variants(i); ++variant) {
        const uint32_t schema = schemas_->schema_of(i, variant);
        first_file_[schema] = std::min(first_file_[schema], i);
        last_file_[schema] = i;
      }
    }
  }

  void MatchColumns() {
    const MatchedFeatures matched = MatchFeatures(schemas_->schemas);
    features_.resize(matched.count);
    for (uint32_t s = 0; s < schemas_->schemas.size(); ++s) {
      const std::vector<ColumnInfo>& columns = schemas_->schemas[s].columns;
      for (uint32_t c = 0; c < columns.size(); ++c) {
        Feature& feature = features_[matched.of_column[s][c]];
        if (feature.in.empty() || feature.in.back().schema != s) AddTo({s, c}, &feature);
        auto found = std::find_if(feature.columns.begin(), feature.columns.end(), [&](uint32_t i) {
          return ColumnPart(At(columns_[i].in[0])) == ColumnPart(columns[c]);
        });
        if (found == feature.columns.end()) {
          found = feature.columns.insert(found, static_cast<uint32_t>(columns_.size()));
          columns_.emplace_back().feature = matched.of_column[s][c];
        }
        AddTo({s, c}, &columns_[*found]);
      }
    }
    // Those of a feature stand together, also where a later file adds one.
    const auto is_before = [](const Column& a, const Column& b) { return a.feature < b.feature; };
    if (!std::is_sorted(columns_.begin(), columns_.end(), is_before))
      std::stable_sort(columns_.begin(), columns_.end(), is_before);
    for (Column& column : columns_) {
      const ColumnInfo& newest = At(column.in[column.newest]);
      if (newest.feature == FeatureName(column)) continue;
      column.other_name = FeatureName(column);
      column.other_name += ColumnPart(newest);
    }
  }

  // DS-027: what a file has and this build cannot read is not lacking there. What no file has
  // otherwise is none of the columns.
  void FindUnsupported() {
    const auto has_some = [](const FileSchema& schema) { return !schema.unsupported.empty(); };
    if (std::ranges::none_of(schemas_->schemas, has_some)) return;
    // DS-020.
    std::unordered_map<uint64_t, uint32_t> by_id;
    std::unordered_map<std::string_view, uint32_t> by_name;
    for (uint32_t f = 0; f < features_.size(); ++f) {
      for (const Occurrence& at : features_[f].in) {
        by_id.emplace(At(at).feature_id, f);
        by_name.emplace(At(at).feature, f);
      }
    }
    std::unordered_set<std::string_view> names;
    for (uint32_t s = 0; s < schemas_->schemas.size(); ++s) {
      for (const ColumnInfo& stored : schemas_->schemas[s].unsupported) {
        const Status support =
            Error(StatusCode::kUnsupported, "{}: in {}: {}", QuoteForMessage(stored.name),
                  FileWith(s), stored.support.message());
        std::optional<uint32_t> feature;
        if (const auto id = by_id.find(stored.feature_id); id != by_id.end()) {
          feature = id->second;
        } else if (const auto name = by_name.find(stored.feature); name != by_name.end()) {
          feature = name->second;
        }
        const bool is_known = feature && Mark(*feature, s, stored, support);
        if (is_known || !names.insert(stored.name).second) continue;
        unsupported_.push_back(stored);
        unsupported_.back().support = support;
      }
    }
  }

  // The column that is one with that of the schema, or, where the schema has no other of the
  // feature, all of them. False: there is no such column.
  bool Mark(uint32_t feature, uint32_t schema, const ColumnInfo& stored, const Status& support) {
    const bool has_others = std::ranges::any_of(
        features_[feature].in, [&](const Occurrence& at) { return at.schema == schema; });
    bool is_known = false;
    auto column = std::ranges::lower_bound(columns_, feature, {}, &Column::feature);
    for (; column != columns_.end() && column->feature == feature; ++column) {
      const bool is_it = ColumnPart(At(column->in[0])) == ColumnPart(stored);
      is_known |= is_it;
      if ((is_it || !has_others) && column->support.ok()) column->support = support;
    }
    return is_known;
  }

  Status Choose(const std::vector<std::string>& patterns, SchemaView* view) {
    std::vector<uint32_t> position(columns_.size(), SchemaView::kNone);
    const auto choose = [&](uint32_t column) {
      if (position[column] == SchemaView::kNone) {
        position[column] = static_cast<uint32_t>(chosen_.size());
        chosen_.push_back(column);
      }
      return position[column];
    };
    if (patterns.empty()) {
      for (uint32_t i = 0; i < columns_.size(); ++i) choose(i);
    }
    FindNames(patterns);
    for (const std::string& pattern : patterns) {
      std::vector<uint32_t> found = Find(pattern);
      if (found.empty()) return NotFound(pattern);
      for (uint32_t& column : found) column = choose(column);
      view->of_pattern_.push_back(std::move(found));
    }
    return Status::Ok();
  }

  // Looks at all columns once, whatever the number of patterns.
  void FindNames(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) named_.try_emplace(pattern);
    if (patterns.empty()) return;
    for (uint32_t i = 0; i < columns_.size(); ++i) {
      if (const auto at = named_.find(Name(columns_[i])); at != named_.end())
        at->second.columns.push_back(i);
      if (const auto at = named_.find(FeatureName(columns_[i])); at != named_.end())
        at->second.of_feature.push_back(i);
    }
  }

  // A column's name comes before a feature's, and both before patterns, as in one file.
  std::vector<uint32_t> Find(std::string_view pattern) {
    const Named& named = named_.at(pattern);
    if (!named.columns.empty()) return named.columns;
    if (!named.of_feature.empty()) return named.of_feature;
    std::vector<uint32_t> found;
    if (pattern.find_first_of("*?") == std::string_view::npos) return found;
    for (uint32_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].support.ok()) continue;
      if (GlobMatches(pattern, Name(columns_[i])) || GlobMatches(pattern, FeatureName(columns_[i])))
        found.push_back(i);
    }
    return found;
  }

  Status NotFound(std::string_view pattern) const {
    if (pattern.find_first_of("*?") != std::string_view::npos)
      return Error(StatusCode::kNotFound, "no feature of the dataset matches \"{}\"", pattern);
    for (const ColumnInfo& other : unsupported_) {
      if (other.name == pattern || other.feature == pattern) return other.support;
    }
    NearNames near(pattern, kAdvice);
    for (const Column& column : columns_) {
      for (const Occurrence& at : column.in) {
        const ColumnInfo& was = At(at);
        if (was.name != pattern && was.feature != pattern) continue;
        return Error(
            StatusCode::kNotFound,
            "no feature of the dataset is called \"{}\": what {} calls so is \"{}\" in {}, "
            "which is later",
            pattern, FileWith(at.schema), Name(column),
            ShownName(files_.files()[LastFile(features_[column.feature])].path));
      }
      near.Offer(Name(column));
    }
    return Error(StatusCode::kNotFound, "no feature of the dataset is called \"{}\"{}", pattern,
                 near.Advice());
  }

  ColumnInfo AsInNewest(const Column& column) const {
    ColumnInfo info = At(column.in[column.newest]);
    info.name = Name(column);
    info.feature = FeatureName(column);
    return info;
  }

  // DS-021 … DS-024, DS-026.
  Result<ColumnInfo> Reconcile(const Column& column) const {
    DSI_RETURN_IF_ERROR(column.support);
    ColumnInfo sum = AsInNewest(column);
    const Occurrence& first = column.in[0];
    const auto conflict = [&](const Occurrence& a, const Occurrence& b) {
      return BadInput("{}: {} in {}, {} in {} (DS-022)", QuoteForMessage(sum.name),
                      Described(At(a)), FileWith(a.schema), Described(At(b)), FileWith(b.schema));
    };
    std::vector<Type> types;
    std::optional<std::pair<uint32_t, Occurrence>> last_default;
    for (const Occurrence& at : column.in) {
      const ColumnInfo& info = At(at);
      if (!GoTogether(info, At(first))) return conflict(FirstOther(column, at), at);
      types.push_back(info.type);
      sum.max_length = std::max(sum.max_length, info.max_length);
      if (info.default_bits && (!last_default || last_file_[at.schema] >= last_default->first))
        last_default = std::pair(last_file_[at.schema], at);
    }
    const std::optional<Type> type = WidenTypes(types, WideningOf(sum.kind));
    // Types that go together two by two do so all together.
    for (size_t i = 0; !type && i < column.in.size(); ++i) {
      const Occurrence& other = FirstOther(column, column.in[i]);
      if (!GoTogether(At(other), At(column.in[i]))) return conflict(other, column.in[i]);
    }
    sum.type = *type;
    sum.default_bits.reset();
    if (last_default) {
      const ColumnInfo& info = At(last_default->second);
      sum.default_bits = WidenDefault(*info.default_bits, info.type, *type);
    }
    size_t next = 0;  // Of column.in: both ascend.
    for (const Occurrence& at : features_[column.feature].in) {
      const bool has_it = next < column.in.size() && column.in[next].schema == at.schema;
      next += has_it ? 1 : 0;
      if (!has_it && !AreParallel(At(at), At(first))) return conflict(first, at);
      sum.max_length = std::max(sum.max_length, At(at).max_length);
    }
    return sum;
  }

  // The first file whose column does not go with this one; else the first of all.
  const Occurrence& FirstOther(const Column& column, const Occurrence& at) const {
    for (const Occurrence& other : column.in) {
      if (!GoTogether(At(other), At(at))) return other;
    }
    return column.in[0];
  }

  // DS-021: two features that change names may end with one. The later columns.
  std::vector<std::pair<uint32_t, Status>> NamesakesIn(const SchemaView& view) const {
    std::vector<std::pair<uint32_t, Status>> found;
    std::unordered_map<std::string_view, uint32_t> names;
    for (uint32_t i = 0; i < view.columns_.size(); ++i) {
      const auto [other, is_new] = names.emplace(view.columns_[i].name, i);
      if (is_new) continue;
      const auto file_of = [&](uint32_t c) {
        return ShownName(files_.files()[LastFile(features_[columns_[chosen_[c]].feature])].path);
      };
      found.emplace_back(
          i, BadInput("{}: {} and {} have different features of this name",
                      QuoteForMessage(view.columns_[i].name), file_of(other->second), file_of(i)));
    }
    return found;
  }

  const DatasetFiles& files_;
  std::shared_ptr<const SchemasOfFiles> schemas_;
  std::vector<uint32_t> first_file_, last_file_;  // Of each schema.
  std::vector<Feature> features_;                 // In the order in which they appear.
  std::vector<Column> columns_;                   // By feature.
  std::vector<ColumnInfo> unsupported_;           // Of which no file has what can be read.
  std::vector<uint32_t> chosen_;
  std::unordered_map<std::string_view, Named> named_;  // By pattern.
};

// What `null_entries` of writers fills in (format/null_entries.h).
std::optional<BlankEntries> SchemaView::BlankOf(uint32_t column, const ColumnInfo& there) const {
  const ColumnInfo& info = columns_[column];
  if (ColumnPart(there) == ColumnPart(info)) return std::nullopt;
  BlankEntries blank{.type = info.type, .bits = info.hashed ? IdOfText("", info.type) : 0};
  (void)DefaultFromWord("NaN", info.type, &blank.bits);  // Of floats.
  return blank;
}

Result<std::shared_ptr<const SchemaView>> MakeView(const DatasetFiles& files,
                                                   std::vector<std::string> patterns,
                                                   std::vector<Status>* conflicts) {
  DSI_ASSIGN_OR_RETURN(auto schemas, files.Schemas());
  return SchemaMatcher(files, std::move(schemas)).Run(patterns, conflicts);
}

Result<std::vector<ColumnInfo>> AllColumns(const DatasetFiles& files) {
  std::vector<Status> conflicts;
  DSI_ASSIGN_OR_RETURN(const auto view, MakeView(files, {}, &conflicts));
  std::vector<ColumnInfo> columns(view->columns().begin(), view->columns().end());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!conflicts[i].ok()) columns[i].support = std::move(conflicts[i]);
  }
  for (const ColumnInfo& column : view->unsupported()) {
    columns.push_back(column);
    columns.back().ordinal = static_cast<uint32_t>(columns.size() - 1);
  }
  return columns;
}

Status CheckReconciled(std::span<const ColumnInfo> columns) {
  for (const ColumnInfo& column : columns) {
    if (column.support.code() == StatusCode::kBadInput) return column.support;
  }
  return Status::Ok();
}

}  // namespace dsi::internal
