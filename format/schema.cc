// Rules of a schema (spec S-010 … S-013) and look-ups by name. The JSON form is in schema_json.cc.
#include "dsi/format/schema.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/limits.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/name_words_internal.h"
#include "dsi/format/wire_internal.h"

namespace dsi {
namespace {

// simdjson looks for what the CPU has at its first call, where running out of memory would end the
// process. Here that is while the library is loaded.
[[maybe_unused]] const bool simdjson_is_ready = simdjson::validate_utf8("a", 1);

// Keys; dense numbers and lists, as which an id often stands.
bool MayOwn(const FeatureSpec& feature) {
  return feature.kind == Kind::kKey ||
         ((feature.kind == Kind::kDense || feature.kind == Kind::kList) &&
          IsInteger(feature.columns[0].type));
}

using internal::InvalidArgument;
using internal::QuoteForMessage;

// S-013.
Status CheckName(std::string_view what, std::string_view name) {
  if (name.empty()) return InvalidArgument("{}: empty name", what);
  if (name.size() > kMaxNameBytes) {
    return InvalidArgument("{} {}: a name of {} bytes, expected at most {}", what,
                           QuoteForMessage(name), name.size(), kMaxNameBytes);
  }
  if (name.find('\0') != std::string_view::npos) {
    return InvalidArgument("{} {}: a name with a NUL byte", what, QuoteForMessage(name));
  }
  if (!simdjson::validate_utf8(name.data(), name.size())) {
    return InvalidArgument("{}: a name that is not valid UTF-8", what);
  }
  return {};
}

Status CheckText(std::string_view what, std::string_view text) {
  if (simdjson::validate_utf8(text.data(), text.size())) return {};
  return InvalidArgument("{}: text that is not valid UTF-8", what);
}

bool IsValidType(Type type) { return !TypeName(type).empty(); }

Status CheckColumnCount(const FeatureSpec& feature) {
  const size_t count = feature.columns.size();
  if (feature.kind == Kind::kSequence) {
    if (count >= 1 && count <= kMaxSequenceColumns) return {};
    return InvalidArgument("{} columns, expected 1 to {}", count, kMaxSequenceColumns);
  }
  const size_t expected = feature.kind == Kind::kWeighted ? 2 : 1;
  if (count == expected) return {};
  return InvalidArgument("{} columns, expected {} for kind {}", count, expected,
                         KindName(feature.kind));
}

Status CheckColumnNames(const FeatureSpec& feature) {
  if (feature.kind == Kind::kWeighted) {
    if (feature.columns[0].name == "ids" && feature.columns[1].name == "weights") return {};
    return InvalidArgument("columns {} and {}, expected \"ids\" and \"weights\"",
                           QuoteForMessage(feature.columns[0].name),
                           QuoteForMessage(feature.columns[1].name));
  }
  if (feature.kind != Kind::kSequence) {
    if (feature.columns[0].name.empty()) return {};
    return InvalidArgument("column name {}, expected none for kind {}",
                           QuoteForMessage(feature.columns[0].name), KindName(feature.kind));
  }
  std::unordered_set<std::string_view> names;
  for (const ColumnSpec& column : feature.columns) {
    DSI_RETURN_IF_ERROR(CheckName("column", column.name));
    if (!names.insert(column.name).second) {
      return InvalidArgument("column {} stands twice", QuoteForMessage(column.name));
    }
  }
  // What an entry has as a value it cannot have as an object.
  for (const ColumnSpec& column : feature.columns) {
    if (const auto other = internal::NestedIn(column.name, names)) {
      return InvalidArgument("column {} would be nested in column {}", QuoteForMessage(column.name),
                             QuoteForMessage(*other));
    }
  }
  return {};
}

// S-012.
Status CheckTypes(const FeatureSpec& feature) {
  for (const ColumnSpec& column : feature.columns) {
    if (!IsValidType(column.type)) {
      return InvalidArgument("unknown type {}", static_cast<int>(column.type));
    }
    DSI_RETURN_IF_ERROR(CheckText("id_space", column.id_space));
    if (!column.id_space.empty() && !IsInteger(column.type)) {
      return InvalidArgument("id_space {} on type {}, expected an integer type",
                             QuoteForMessage(column.id_space), TypeName(column.type));
    }
    const bool bytes_fit = feature.kind == Kind::kString || feature.kind == Kind::kKey;
    if (column.type == Type::kBytes && !bytes_fit) {
      return InvalidArgument("type bytes on kind {}, expected a number type",
                             KindName(feature.kind));
    }
  }
  const Type type = feature.columns[0].type;
  if (feature.kind == Kind::kString && type != Type::kBytes) {
    return InvalidArgument("type {} on kind string, expected bytes", TypeName(type));
  }
  if (feature.kind == Kind::kTimestamp && type != Type::kInt64) {
    return InvalidArgument("type {} on kind timestamp, expected int64", TypeName(type));
  }
  if (feature.kind == Kind::kWeighted && (!IsInteger(type) || !IsFloat(feature.columns[1].type))) {
    return InvalidArgument(
        "ids of type {} and weights of type {}, expected an integer type and a "
        "float type",
        TypeName(type), TypeName(feature.columns[1].type));
  }
  return {};
}

// S-014.
Status CheckPrecision(const FeatureSpec& feature) {
  for (const ColumnSpec& column : feature.columns) {
    if (PrecisionName(column.precision).empty()) {
      return InvalidArgument("unknown precision {}", static_cast<int>(column.precision));
    }
    if (!(column.max_error >= 0 && std::isfinite(column.max_error))) {
      return InvalidArgument("max_error {}, expected a number from 0", column.max_error);
    }
    if (column.precision == Precision::kExact) {
      if (column.max_error == 0) continue;
      return InvalidArgument("max_error {} without a precision", column.max_error);
    }
    const std::string_view name = PrecisionName(column.precision);
    if (!IsFloat(column.type)) {
      return InvalidArgument("precision {} on type {}, expected a float type", name,
                             TypeName(column.type));
    }
    if (feature.kind != Kind::kDense && feature.kind != Kind::kEmbedding &&
        !IsListKind(feature.kind)) {
      return InvalidArgument("precision {} on kind {}, which is stored exactly", name,
                             KindName(feature.kind));
    }
  }
  return {};
}

// S-015.
Status CheckHashed(const FeatureSpec& feature) {
  for (size_t c = 0; c < feature.columns.size(); ++c) {
    const Type type = feature.columns[c].type;
    if (!feature.columns[c].hashed || MayBeHashed(feature.kind, type)) continue;
    return InvalidArgument(
        "hashed on kind {}, type {}, expected a list kind of integers of 4 or 8 bytes",
        KindName(feature.kind), TypeName(type));
  }
  return {};
}

// S-012.
Status CheckUnits(const FeatureSpec& feature) {
  for (const ColumnSpec& column : feature.columns) {
    const bool has_unit = column.time_unit != TimeUnit::kNone;
    if (feature.kind == Kind::kTimestamp && !has_unit)
      return InvalidArgument("no time unit, expected one of s, ms, us, ns");
    if (TimeUnitName(column.time_unit).empty() ||
        (has_unit && (column.hashed || !MayBeTime(feature.kind, column.type)))) {
      return InvalidArgument(
          "a time unit on kind {}, {}type {}, expected a timestamp, or a list or sequence of int64",
          KindName(feature.kind), column.hashed ? "hashed, " : "", TypeName(column.type));
    }
  }
  return {};
}

Status CheckDefault(const FeatureSpec& feature) {
  if (!feature.default_bits) return {};
  const Type type = feature.columns[0].type;
  if (type == Type::kBytes) return InvalidArgument("a default on type bytes, expected none");
  const int bits = type == Type::kBool ? 1 : TypeWidth(type) * 8;
  if (bits < 64 && (*feature.default_bits >> bits) != 0) {
    return InvalidArgument("a default that does not fit type {}", TypeName(type));
  }
  return {};
}

Status CheckFeature(const FeatureSpec& feature) {
  if (KindName(feature.kind).empty()) {
    return InvalidArgument("unknown kind {}", static_cast<int>(feature.kind));
  }
  DSI_RETURN_IF_ERROR(CheckColumnCount(feature));
  DSI_RETURN_IF_ERROR(CheckColumnNames(feature));
  DSI_RETURN_IF_ERROR(CheckTypes(feature));
  DSI_RETURN_IF_ERROR(CheckPrecision(feature));
  DSI_RETURN_IF_ERROR(CheckHashed(feature));
  DSI_RETURN_IF_ERROR(CheckUnits(feature));
  DSI_RETURN_IF_ERROR(CheckDefault(feature));
  if ((feature.kind == Kind::kEmbedding) != (feature.fixed_length > 0)) {
    return InvalidArgument("length {} on kind {}, expected {}", feature.fixed_length,
                           KindName(feature.kind),
                           feature.kind == Kind::kEmbedding ? "1 or more" : "none");
  }
  if (feature.fixed_length > kMaxListLength || feature.max_length > kMaxListLength) {
    return InvalidArgument("a length above {}", kMaxListLength);
  }
  if (!IsListKind(feature.kind) && (feature.max_length != 0 || feature.newest_first)) {
    return InvalidArgument("max_length or newest on kind {}, expected a list kind",
                           KindName(feature.kind));
  }
  return {};
}

// Every column's full name is its identity in a file and in a row's text.
Status CheckColumnNamesUnique(const std::vector<FeatureSpec>& features) {
  std::unordered_set<std::string> names;
  for (const FeatureSpec& feature : features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      std::string name = ColumnName(feature, c);
      DSI_RETURN_IF_ERROR(CheckName("column", name));
      if (names.size() >= kMaxColumns) return InvalidArgument("more than {} columns", kMaxColumns);
      const auto [at, fresh] = names.insert(std::move(name));
      if (!fresh) return InvalidArgument("column {} stands twice", QuoteForMessage(*at));
    }
  }
  return {};
}

// {"a": 1} and {"a": {"b": 2}} cannot both be in one object, so "a" and a nested "a.b" exclude
// each other.
Status CheckNesting(const std::vector<FeatureSpec>& features,
                    const std::unordered_map<std::string_view, size_t>& by_name) {
  for (const FeatureSpec& feature : features) {
    if (!feature.nested) continue;
    const std::string_view name = feature.name;
    size_t depth = 1;
    for (const ColumnSpec& column : feature.columns) {
      const auto dots =
          static_cast<size_t>(std::count(column.name.begin(), column.name.end(), '.'));
      depth = std::max(depth, dots + (column.name.empty() ? 1 : 2));
    }
    for (size_t dot = name.find('.'); dot != std::string_view::npos;
         dot = name.find('.', dot + 1)) {
      if (++depth >= internal::kMaxJsonDepth) {
        return InvalidArgument("feature {}: nested deeper than {}", QuoteForMessage(name),
                               internal::kMaxJsonDepth);
      }
      if (by_name.contains(name.substr(0, dot))) {
        return InvalidArgument(
            "feature {} would be nested in feature {}; set nested to false to keep both",
            QuoteForMessage(name), QuoteForMessage(name.substr(0, dot)));
      }
    }
  }
  return {};
}

Status CheckClusterBy(const Schema& schema,
                      const std::unordered_map<std::string_view, size_t>& by_name) {
  std::unordered_set<std::string_view> seen;
  for (size_t i = 0; i < schema.cluster_by.size(); ++i) {
    const std::string& name = schema.cluster_by[i];
    const auto at = by_name.find(name);
    if (at == by_name.end()) {
      return InvalidArgument("cluster_by: {} is no feature", QuoteForMessage(name));
    }
    if (!seen.insert(name).second) {
      return InvalidArgument("cluster_by: {} stands twice", QuoteForMessage(name));
    }
    const Kind kind = schema.features[at->second].kind;
    const bool last = i + 1 == schema.cluster_by.size();
    if (kind != Kind::kKey && !(kind == Kind::kTimestamp && last)) {
      return InvalidArgument("cluster_by: {} is of kind {}, expected key{}", QuoteForMessage(name),
                             KindName(kind), last ? " or timestamp" : " (a timestamp only last)");
    }
  }
  return {};
}

Status CheckGroups(const Schema& schema,
                   const std::unordered_map<std::string_view, size_t>& by_name) {
  std::unordered_set<std::string_view> names;
  std::unordered_map<std::string_view, std::string_view> group_of;
  for (const GroupSpec& group : schema.groups) {
    DSI_RETURN_IF_ERROR(CheckName("group", group.name));
    const std::string where = "group " + QuoteForMessage(group.name);
    if (!names.insert(group.name).second) return InvalidArgument("{} stands twice", where);
    if (group.features.empty()) return InvalidArgument("{} has no features", where);
    if (!group.owner.empty()) {
      const auto owner = by_name.find(group.owner);
      if (owner == by_name.end() || !MayOwn(schema.features[owner->second])) {
        return InvalidArgument("{}: owner {} is no key, and no id or list of ids", where,
                               QuoteForMessage(group.owner));
      }
    }
    for (const std::string& feature : group.features) {
      if (!by_name.contains(feature)) {
        return InvalidArgument("{}: {} is no feature", where, QuoteForMessage(feature));
      }
      const auto [at, fresh] = group_of.emplace(feature, group.name);
      if (!fresh) {
        return InvalidArgument("{}: feature {} is in group {} already", where,
                               QuoteForMessage(feature), QuoteForMessage(at->second));
      }
    }
  }
  return {};
}

// F-074: ids of a declared space have one width, and spaces are numbered in 16 bits.
Status CheckIdSpaces(const std::vector<FeatureSpec>& features) {
  std::unordered_map<std::string_view, int> widths;
  for (const FeatureSpec& feature : features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      const ColumnSpec& column = feature.columns[c];
      if (column.id_space.empty()) continue;
      const int width = TypeWidth(column.type);
      const auto [at, fresh] = widths.emplace(column.id_space, width);
      if (width < 4 || at->second != width) {
        return InvalidArgument(
            "id_space {}: column {} has ids of {} bytes, expected {}",
            QuoteForMessage(column.id_space), QuoteForMessage(ColumnName(feature, c)), width,
            width < 4 ? "4 or 8" : "the " + std::to_string(at->second) + " of its other columns");
      }
    }
  }
  if (widths.size() <= kMaxIdSpaces) return {};
  return InvalidArgument(
      "{} id spaces, expected at most {}: declare one for columns that share ids; a list without "
      "has one of its own where that pays",
      widths.size(), kMaxIdSpaces);
}

Status CheckMetadata(const Schema& schema) {
  uint64_t bytes = 0;
  for (const auto& [name, text] : schema.metadata) {
    DSI_RETURN_IF_ERROR(CheckText("metadata", name));
    DSI_RETURN_IF_ERROR(CheckText("metadata", text));
    bytes += name.size() + text.size();
  }
  if (bytes <= kMaxMetadataBytes) return {};
  return InvalidArgument("metadata of {} bytes, expected at most {}", bytes, kMaxMetadataBytes);
}

Status CheckSchema(const Schema& schema) {
  if (schema.features.empty()) return InvalidArgument("no features, expected 1 or more");
  std::unordered_map<std::string_view, size_t> by_name;
  std::unordered_set<uint64_t> ids;
  for (size_t i = 0; i < schema.features.size(); ++i) {
    const FeatureSpec& feature = schema.features[i];
    DSI_RETURN_IF_ERROR(
        CheckName("feature", feature.name).At("features[" + std::to_string(i) + "]"));
    const std::string where = "feature " + QuoteForMessage(feature.name);
    if (!by_name.emplace(feature.name, i).second) return InvalidArgument("{} stands twice", where);
    DSI_RETURN_IF_ERROR(CheckFeature(feature).At(where));
    if (feature.id && !ids.insert(*feature.id).second) {
      return InvalidArgument("{}: id {} is another feature's", where, *feature.id);
    }
  }
  DSI_RETURN_IF_ERROR(CheckColumnNamesUnique(schema.features));
  DSI_RETURN_IF_ERROR(CheckIdSpaces(schema.features));
  DSI_RETURN_IF_ERROR(CheckNesting(schema.features, by_name));
  DSI_RETURN_IF_ERROR(CheckClusterBy(schema, by_name));
  DSI_RETURN_IF_ERROR(CheckGroups(schema, by_name));
  return CheckMetadata(schema);
}

}  // namespace

Status Schema::Validate() const {
  return internal::NoThrow([this] { return CheckSchema(*this); });
}

int Schema::FindFeature(std::string_view name) const {
  const auto at = std::find_if(features.begin(), features.end(),
                               [name](const FeatureSpec& feature) { return feature.name == name; });
  return at == features.end() ? -1 : static_cast<int>(at - features.begin());
}

FeatureIndex::FeatureIndex(const Schema& schema) {
  ordinals_.reserve(schema.features.size());
  for (uint32_t f = 0; f < schema.features.size(); ++f)
    ordinals_.emplace(schema.features[f].name, f);
}

int FeatureIndex::Find(std::string_view name) const {
  const auto at = ordinals_.find(name);
  return at == ordinals_.end() ? -1 : static_cast<int>(at->second);
}

std::string ColumnName(const FeatureSpec& feature, size_t column) {
  if (feature.columns.size() == 1 && feature.kind != Kind::kSequence) return feature.name;
  return feature.name + "." + feature.columns[column].name;
}

}  // namespace dsi
