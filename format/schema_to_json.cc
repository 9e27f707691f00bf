// Writes the JSON form of a schema, one feature per line. Members that hold their default are left
// out and the order is fixed, so that equal schemas give equal text.
#include <fmt/format.h>

#include "dsi/format/default_bits_internal.h"
#include "dsi/format/schema.h"

namespace dsi {
namespace {

void AppendString(std::string_view text, std::string* out) {
  *out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\t':
        *out += "\\t";
        break;
      case '\r':
        *out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          *out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          *out += c;
        }
    }
  }
  *out += '"';
}

void AppendMember(std::string_view name, std::string_view text, std::string* out) {
  *out += fmt::format(", \"{}\": ", name);
  AppendString(text, out);
}

void AppendStrings(const std::vector<std::string>& texts, std::string* out) {
  *out += '[';
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) *out += ", ";
    AppendString(texts[i], out);
  }
  *out += ']';
}

void AppendPrecision(const ColumnSpec& column, std::string* out) {
  if (column.precision == Precision::kExact) return;
  AppendMember("precision", PrecisionName(column.precision), out);
  if (column.max_error != 0) *out += fmt::format(", \"max_error\": {}", column.max_error);
}

void AppendColumns(const FeatureSpec& feature, std::string* out) {
  const ColumnSpec& first = feature.columns[0];
  if (feature.kind == Kind::kSequence) {
    *out += ", \"columns\": [";
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      *out += c == 0 ? "{\"name\": " : ", {\"name\": ";
      AppendString(feature.columns[c].name, out);
      AppendMember("type", TypeName(feature.columns[c].type), out);
      if (!feature.columns[c].id_space.empty()) {
        AppendMember("id_space", feature.columns[c].id_space, out);
      }
      AppendPrecision(feature.columns[c], out);
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
}

void AppendFeature(const FeatureSpec& feature, std::string* out) {
  *out += "{\"name\": ";
  AppendString(feature.name, out);
  AppendMember("kind", KindName(feature.kind), out);
  if (!feature.columns.empty()) AppendColumns(feature, out);
  if (feature.time_unit != TimeUnit::kNone) {
    AppendMember("unit", TimeUnitName(feature.time_unit), out);
  }
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
  AppendString(group.name, out);
  if (!group.owner.empty()) AppendMember("owner", group.owner, out);
  *out += ", \"features\": ";
  AppendStrings(group.features, out);
  *out += '}';
}

}  // namespace

std::string Schema::ToJson() const {
  std::string out = "{\n  \"features\": [";
  for (size_t i = 0; i < features.size(); ++i) {
    out += i == 0 ? "\n    " : ",\n    ";
    AppendFeature(features[i], &out);
  }
  out += "\n  ]";
  if (!cluster_by.empty()) {
    out += ",\n  \"cluster_by\": ";
    AppendStrings(cluster_by, &out);
  }
  if (!groups.empty()) {
    out += ",\n  \"groups\": [";
    for (size_t i = 0; i < groups.size(); ++i) {
      out += i == 0 ? "\n    " : ",\n    ";
      AppendGroup(groups[i], &out);
    }
    out += "\n  ]";
  }
  if (!metadata.empty()) {
    out += ",\n  \"metadata\": {";
    for (auto at = metadata.begin(); at != metadata.end(); ++at) {
      out += at == metadata.begin() ? "\n    " : ",\n    ";
      AppendString(at->first, &out);
      out += ": ";
      AppendString(at->second, &out);
    }
    out += "\n  }";
  }
  return out + "\n}\n";
}

}  // namespace dsi
