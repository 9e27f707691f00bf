// What the caller changes of the schema that the files have.
#include "dsi/rewrite/rewritten_schema_internal.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/format/reserved_names_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kAdvice = 3;

using Names = std::set<std::string>;

// The columns that each of the names and patterns stands for: those of features, and single ones of
// sequences.
Result<Names> ColumnsNamed(const Schema& schema, const std::vector<std::string>& names) {
  if (names.empty()) return Names();
  std::multimap<std::string, std::string> known;  // A name, and a column that it stands for.
  for (const FeatureSpec& feature : schema.features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      const std::string column = ColumnName(feature, c);
      known.emplace(feature.name, column);
      if (feature.kind == Kind::kSequence) known.emplace(column, column);
    }
  }
  Names found;
  for (const std::string& name : names) {
    auto [begin, end] = known.equal_range(name);
    bool is_known = begin != end;
    for (; begin != end; ++begin) found.insert(begin->second);
    if (!is_known && name.find_first_of("*?") != name.npos) {
      for (const auto& [other, column] : known) {
        if (!GlobMatches(name, other)) continue;
        is_known = true;
        found.insert(column);
      }
    }
    if (is_known) continue;
    NearNames near(name, kAdvice);
    for (const FeatureSpec& feature : schema.features) near.Offer(feature.name);
    return InvalidArgument("no feature is called {}{}", QuoteForMessage(name), near.Advice());
  }
  return found;
}

// Leaves columns out, and features that have no other out of all that names them.
void Drop(const Names& columns, RewritePlan* plan) {
  Schema& schema = plan->schema;
  Names gone;
  for (FeatureSpec& feature : schema.features) {
    const std::string first = ColumnName(feature, 0);
    std::vector<ColumnSpec> left;
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      if (!columns.contains(ColumnName(feature, c))) left.push_back(feature.columns[c]);
    }
    feature.columns = std::move(left);
    if (columns.contains(first)) feature.default_bits.reset();  // Of its type.
    if (feature.columns.empty()) gone.insert(feature.name);
  }
  for (const std::string& key : schema.cluster_by) {
    if (gone.contains(key)) plan->lost_key = key;
  }
  std::erase_if(schema.cluster_by, [&](const std::string& key) { return gone.contains(key); });
  std::erase_if(schema.features,
                [&](const FeatureSpec& feature) { return gone.contains(feature.name); });
  for (GroupSpec& group : schema.groups) {
    std::erase_if(group.features, [&](const std::string& name) { return gone.contains(name); });
    if (gone.contains(group.owner)) group.owner.clear();
  }
  std::erase_if(schema.groups, [](const GroupSpec& group) { return group.features.empty(); });
}

// Gives features other names; `source` says from which they came.
Status Rename(const std::vector<std::pair<std::string, std::string>>& pairs, Schema* schema,
              std::map<std::string, std::string>* source) {
  std::map<std::string, std::string> names;
  for (const auto& [from, to] : pairs) {
    if (schema->FindFeature(from) < 0) {
      DSI_RETURN_IF_ERROR(ColumnsNamed(*schema, {from}).status());
      return InvalidArgument("{} is {}; one feature gets another name", QuoteForMessage(from),
                             from.find_first_of("*?") != from.npos ? "a pattern" : "a column");
    }
    if (!names.emplace(from, to).second)
      return InvalidArgument("feature {} gets two names", QuoteForMessage(from));
  }
  for (const FeatureSpec& feature : schema->features) {
    const auto renamed = names.find(feature.name);
    (*source)[renamed == names.end() ? feature.name : renamed->second] = feature.name;
  }
  RenameFeatures(names, schema);
  return Status::Ok();
}

// The feature of the files that a feature of a given schema is: by id, then by name. Null: none.
const FeatureSpec* SourceOf(const FeatureSpec& feature, const Schema& files) {
  for (const FeatureSpec& other : files.features) {
    if (feature.id && other.id == feature.id) return &other;
  }
  const int at = files.FindFeature(feature.name);
  return at < 0 ? nullptr : &files.features[static_cast<size_t>(at)];
}

// Position of the column of this name; none: it has none.
std::optional<size_t> FindColumn(const FeatureSpec& feature, std::string_view name) {
  for (size_t c = 0; c < feature.columns.size(); ++c) {
    if (feature.columns[c].name == name) return c;
  }
  return std::nullopt;
}

Status CheckSame(const FeatureSpec& feature, const FeatureSpec& was) {
  const auto differs = [&](std::string_view what) {
    return InvalidArgument("feature {}: its {} is not that of the files, which stays",
                           QuoteForMessage(feature.name), what);
  };
  if (feature.kind != was.kind) return differs("kind");
  if (feature.fixed_length != was.fixed_length) return differs("length");
  if (feature.newest_first != was.newest_first) return differs("order of entries");
  for (size_t c = 0; c < feature.columns.size(); ++c) {
    const std::optional<size_t> there = FindColumn(was, feature.columns[c].name);
    if (!there) {
      return InvalidArgument("the files have no column {} of feature {}",
                             QuoteForMessage(ColumnName(feature, c)), QuoteForMessage(was.name));
    }
    if (feature.columns[c].hashed != was.columns[*there].hashed) return differs("being hashed");
    if (feature.columns[c].time_unit != was.columns[*there].time_unit)
      return differs("unit of time");
  }
  return Status::Ok();
}

// How a column of the files is asked for, as the type of that of a feature.
Result<Projection> Ask(const FeatureSpec& was, const FeatureSpec& feature, size_t c) {
  const size_t there = *FindColumn(was, feature.columns[c].name);
  Projection projection = AskForColumn(was, there);
  const Type from = was.columns[there].type;
  const Type to = feature.columns[c].type;
  if (from == to) return projection;
  if (was.columns[there].hashed) {
    return InvalidArgument("{}: ids of texts stay {}, the type they were made for",
                           QuoteForMessage(ColumnName(feature, c)), TypeName(from));
  }
  const Type both[] = {from, to};
  const bool can_ask =
      to == Type::kInt32 || to == Type::kInt64 || to == Type::kFloat32 || to == Type::kFloat64;
  if (!can_ask || WidenTypes(both, WideningOf(was.kind)) != to) {
    return InvalidArgument("{}: a {} in the files does not become a {}",
                           QuoteForMessage(ColumnName(feature, c)), TypeName(from), TypeName(to));
  }
  projection.dtype = to;
  projection.exact = MustBeExact(from, to, to);
  return projection;
}

Status AskForAll(const Schema& files, const std::map<std::string, std::string>& source,
                 RewritePlan* plan) {
  for (const FeatureSpec& feature : plan->schema.features) {
    std::vector<Projection>& asked = plan->sources.emplace_back();
    const auto named = source.find(feature.name);
    if (named == source.end()) continue;
    const FeatureSpec& was = files.features[static_cast<size_t>(files.FindFeature(named->second))];
    DSI_RETURN_IF_ERROR(CheckSame(feature, was));
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      DSI_ASSIGN_OR_RETURN(Projection projection, Ask(was, feature, c));
      asked.push_back(std::move(projection));
    }
  }
  return Status::Ok();
}

// DS-022: only what is left out may be what files disagree about.
Status CheckSources(std::span<const ColumnInfo> columns, const RewritePlan& plan) {
  std::map<std::string_view, const Status*> conflicts;
  for (const ColumnInfo& column : columns) {
    if (!column.support.ok()) conflicts[column.name] = &column.support;
  }
  if (conflicts.empty()) return Status::Ok();
  for (const std::vector<Projection>& of_feature : plan.sources) {
    for (const Projection& asked : of_feature) {
      const auto conflict = conflicts.find(asked.name);
      if (conflict != conflicts.end()) return *conflict->second;
    }
  }
  return Status::Ok();
}

}  // namespace

Projection AskForColumn(const FeatureSpec& feature, size_t column) {
  Projection projection;
  projection.name = ColumnName(feature, column);
  if (HasLengths(feature.kind, feature.columns[column].type)) {
    projection.layout = Layout::kJagged;
  } else {
    projection.layout = Layout::kPadded;
    projection.width = feature.kind == Kind::kEmbedding ? feature.fixed_length : 1;
  }
  return projection;
}

void RenameFeatures(const std::map<std::string, std::string>& names, Schema* schema) {
  const auto rename = [&](std::string* name) {
    if (const auto at = names.find(*name); at != names.end()) *name = at->second;
  };
  for (FeatureSpec& feature : schema->features) rename(&feature.name);
  for (std::string& key : schema->cluster_by) rename(&key);
  for (GroupSpec& group : schema->groups) {
    rename(&group.owner);
    for (std::string& name : group.features) rename(&name);
  }
}

Result<RewritePlan> PlanFeatures(const Dataset& from, const FeatureChanges& changes) {
  RewritePlan plan;
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, from.Columns());
  DSI_ASSIGN_OR_RETURN(const Schema files, MergedSchema(from, columns));
  std::map<std::string, std::string> source;  // Name of a feature, and that in the files.
  if (changes.schema) {
    if (!changes.only.empty() || !changes.drop.empty() || !changes.rename.empty())
      return InvalidArgument(
          "a schema says all features; none are kept, dropped or renamed beside");
    plan.schema = *changes.schema;
    for (const FeatureSpec& feature : plan.schema.features) {
      if (const FeatureSpec* const was = SourceOf(feature, files)) source[feature.name] = was->name;
    }
  } else {
    plan.schema = files;
    DSI_ASSIGN_OR_RETURN(Names gone, ColumnsNamed(files, changes.drop));
    if (!changes.only.empty()) {
      DSI_ASSIGN_OR_RETURN(const Names stays, ColumnsNamed(files, changes.only));
      for (const FeatureSpec& feature : files.features) {
        for (size_t c = 0; c < feature.columns.size(); ++c) {
          std::string column = ColumnName(feature, c);
          if (!stays.contains(column)) gone.insert(std::move(column));
        }
      }
    }
    Drop(gone, &plan);
    DSI_RETURN_IF_ERROR(Rename(changes.rename, &plan.schema, &source));
  }
  for (const auto& [key, text] : changes.metadata) plan.schema.metadata[key] = text;
  DSI_RETURN_IF_ERROR(plan.schema.Validate());
  DSI_RETURN_IF_ERROR(AskForAll(files, source, &plan));
  DSI_RETURN_IF_ERROR(CheckSources(columns, plan));
  return plan;
}

Result<RewritePlan> PlanRewrite(const Dataset& from, const FeatureChanges& changes,
                                const WriterOptions& writer) {
  DSI_ASSIGN_OR_RETURN(RewritePlan plan, PlanFeatures(from, changes));
  const bool has_other_keys = writer.keep_order || !writer.cluster_by.empty();
  if (!plan.lost_key.empty() && !has_other_keys) {
    return InvalidArgument(
        "feature {} is left out, by which rows are clustered: name other keys, or keep the order",
        QuoteForMessage(plan.lost_key));
  }
  if (!writer.cluster_by.empty()) plan.schema.cluster_by = writer.cluster_by;
  if (writer.keep_order) plan.schema.cluster_by.clear();
  return plan;
}

}  // namespace dsi::internal

namespace dsi {

Result<Schema> RewrittenSchema(const Dataset& from, const FeatureChanges& changes) {
  return internal::NoThrow([&]() -> Result<Schema> {
    DSI_ASSIGN_OR_RETURN(internal::RewritePlan plan, internal::PlanFeatures(from, changes));
    return std::move(plan.schema);
  });
}

}  // namespace dsi
