// Writes the JSON form of a schema, one feature per line. Members that hold their default are left
// out and the order is fixed, so that equal schemas give equal text.
#include <fmt/format.h>

#include "dsi/format/default_bits_internal.h"
#include "dsi/base/json_text_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/schema.h"

namespace dsi {
namespace {

using internal::AppendJsonString;

void AppendMember(std::string_view name, std::string_view text, std::string* out) {
  *out += fmt::format(", \"{}\": ", name);
  AppendJsonString(text, out);
}

void AppendStrings(const std::vector<std::string>& texts, std::string* out) {
  *out += '[';
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) *out += ", ";
    AppendJsonString(texts[i], out);
  }
  *out += ']';
}

void AppendPrecision(const ColumnSpec& column, std::string* out) {
  if (column.precision == Precision::kExact) return;
  AppendMember("precision", PrecisionName(column.precision), out);
  if (column.max_error != 0) *out += fmt::format(", \"max_error\": {}", column.max_error);
}

void AppendHashed(const ColumnSpec& column, std::string* out) {
  if (column.hashed) *out += ", \"hashed\": true";
}

void AppendUnit(const ColumnSpec& column, std::string* out) {
  if (column.time_unit != TimeUnit::kNone)
    AppendMember("unit", TimeUnitName(column.time_unit), out);
}

void AppendColumns(const FeatureSpec& feature, std::string* out) {
  const ColumnSpec& first = feature.columns[0];
  if (feature.kind == Kind::kSequence) {
    *out += ", \"columns\": [";
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      *out += c == 0 ? "{\"name\": " : ", {\"name\": ";
      AppendJsonString(feature.columns[c].name, out);
      AppendMember("type", TypeName(feature.columns[c].type), out);
      if (!feature.columns[c].id_space.empty()) {
        AppendMember("id_space", feature.columns[c].id_space, out);
      }
      AppendPrecision(feature.columns[c], out);
      AppendHashed(feature.columns[c], out);
      AppendUnit(feature.columns[c], out);
      *out += '}';
    }
    *out += ']';
    return;
  }
  AppendMember("type", TypeName(first.type), out);
  if (feature.kind == Kind::kWeighted && feature.columns.size() > 1) {
    AppendMember("weight_type", TypeName(feature.columns[1].type), out);
  }
  if (!first.id_space.empty()) AppendMember("id_space", first.id_space, out);
  AppendPrecision(feature.columns.back(), out);
  AppendHashed(first, out);
  AppendUnit(first, out);
}

void AppendFeature(const FeatureSpec& feature, std::string* out) {
  *out += "{\"name\": ";
  AppendJsonString(feature.name, out);
  AppendMember("kind", KindName(feature.kind), out);
  if (!feature.columns.empty()) AppendColumns(feature, out);
  if (feature.fixed_length != 0) *out += fmt::format(", \"length\": {}", feature.fixed_length);
  if (feature.max_length != 0) *out += fmt::format(", \"max_length\": {}", feature.max_length);
  if (feature.newest_first) *out += ", \"newest\": \"first\"";
  if (!feature.nested) *out += ", \"nested\": false";
  if (feature.default_bits && !feature.columns.empty()) {
    *out += ", \"default\": ";
    *out += internal::DefaultToJson(*feature.default_bits, feature.columns[0].type);
  }
  if (feature.id) *out += fmt::format(", \"id\": {}", *feature.id);
  *out += '}';
}

void AppendGroup(const GroupSpec& group, std::string* out) {
  *out += "{\"name\": ";
  AppendJsonString(group.name, out);
  if (!group.owner.empty()) AppendMember("owner", group.owner, out);
  *out += ", \"features\": ";
  AppendStrings(group.features, out);
  *out += '}';
}

std::string ToText(const Schema& schema) {
  std::string out = "{\n  \"features\": [";
  for (size_t i = 0; i < schema.features.size(); ++i) {
    out += i == 0 ? "\n    " : ",\n    ";
    AppendFeature(schema.features[i], &out);
  }
  out += "\n  ]";
  if (!schema.cluster_by.empty()) {
    out += ",\n  \"cluster_by\": ";
    AppendStrings(schema.cluster_by, &out);
  }
  if (!schema.groups.empty()) {
    out += ",\n  \"groups\": [";
    for (size_t i = 0; i < schema.groups.size(); ++i) {
      out += i == 0 ? "\n    " : ",\n    ";
      AppendGroup(schema.groups[i], &out);
    }
    out += "\n  ]";
  }
  if (!schema.metadata.empty()) {
    out += ",\n  \"metadata\": {";
    for (auto at = schema.metadata.begin(); at != schema.metadata.end(); ++at) {
      out += at == schema.metadata.begin() ? "\n    " : ",\n    ";
      AppendJsonString(at->first, &out);
      out += ": ";
      AppendJsonString(at->second, &out);
    }
    out += "\n  }";
  }
  return out + "\n}\n";
}

}  // namespace

Result<std::string> Schema::ToJson() const {
  return internal::NoThrow([this] { return Result<std::string>(ToText(*this)); });
}

}  // namespace dsi
