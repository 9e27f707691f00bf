// Writes a manifest, one schema's column and one file a line. Members that hold their default are
// left out and the order is fixed, so that equal contents give equal text.
#include <fmt/format.h>

#include "dsi/base/json_text_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/files/manifest_statistics_internal.h"
#include "dsi/dataset/files/manifest_values_internal.h"
#include "dsi/format/default_bits_internal.h"

namespace dsi::internal {
namespace {

void AppendText(std::string_view name, std::string_view text, std::string* out) {
  *out += fmt::format(", \"{}\": ", name);
  AppendJsonString(text, out);
}

void AppendColumn(const ColumnInfo& column, std::string* out) {
  *out += "{\"name\": ";
  AppendJsonString(column.name, out);
  if (column.feature != column.name) AppendText("feature", column.feature, out);
  *out += ", \"id\": ";
  AppendWholeNumber(column.feature_id, out);
  *out += fmt::format(", \"kind\": \"{}\", \"type\": \"{}\"", KindName(column.kind),
                      TypeName(column.type));
  if (column.time_unit != TimeUnit::kNone) AppendText("unit", TimeUnitName(column.time_unit), out);
  if (!column.id_space.empty()) AppendText("id_space", column.id_space, out);
  if (column.precision != Precision::kExact)
    AppendText("precision", PrecisionName(column.precision), out);
  if (column.fixed_length != 0) *out += fmt::format(", \"length\": {}", column.fixed_length);
  if (column.max_length != 0) *out += fmt::format(", \"max_length\": {}", column.max_length);
  if (column.newest_first) *out += ", \"newest\": \"first\"";
  if (!column.nested) *out += ", \"nested\": false";
  if (column.hashed) *out += ", \"hashed\": true";
  if (column.default_bits) {
    *out += ", \"default\": ";
    AppendTypedValue(ExtendedBits(*column.default_bits, column.type), column.type, out);
  }
  *out += '}';
}

// DS-017.
void AppendOverlay(const FileFacts& facts, std::string* out) {
  const OverlayBinding& overlay = *facts.overlay;
  *out += ", \"overlay\": {";
  if (!facts.base_path.empty()) {
    *out += "\"base\": ";
    AppendJsonString(facts.base_path, out);
    *out += ", ";
  }
  *out += fmt::format("\"fingerprint\": \"{:016x}\", \"base_rows\": {}, \"rows\": [",
                      overlay.base_fingerprint, overlay.base_rows);
  for (size_t i = 0; i < overlay.rows.size(); ++i)
    *out +=
        fmt::format("{}[{}, {}]", i == 0 ? "" : ", ", overlay.rows[i].begin, overlay.rows[i].end);
  *out += "]}";
}

}  // namespace

std::string ManifestColumns(const std::vector<ColumnInfo>& columns) {
  std::string out = "[";
  for (const ColumnInfo& column : columns) {
    if (out.size() > 1) out += ",\n    ";
    AppendColumn(column, &out);
  }
  out += ']';
  return out;
}

std::string ManifestToJson(const ManifestContent& manifest) {
  std::string out = "{\n\"dsi_manifest\": 1,\n";
  if (manifest.is_snapshot()) AppendSnapshotHead(manifest.snapshot, &out);
  out += "\"schemas\": [";
  for (size_t i = 0; i < manifest.schemas.size(); ++i) {
    const FileSchema& schema = manifest.schemas[i];
    out += fmt::format("{}{{\"id\": \"{}\", \"columns\": {}}}", i == 0 ? "\n  " : ",\n  ",
                       schema.id, ManifestColumns(schema.columns));
  }
  out += "\n],\n\"files\": [";
  for (size_t i = 0; i < manifest.paths.size(); ++i) {
    const FileFacts& facts = manifest.facts[i];
    out += i == 0 ? "\n  {\"path\": " : ",\n  {\"path\": ";
    AppendJsonString(manifest.paths[i], &out);
    out += fmt::format(", \"bytes\": {}, \"fingerprint\": \"{:016x}\", \"schema\": \"{}\"",
                       facts.bytes, facts.fingerprint, manifest.schemas[facts.schema].id);
    out += fmt::format(", \"rows\": {}, \"stripes\": [", facts.num_rows);
    for (size_t s = 0; s < facts.stripe_rows.size(); ++s)
      out += fmt::format("{}{}", s == 0 ? "" : ", ", facts.stripe_rows[s]);
    out += ']';
    if (facts.overlay) AppendOverlay(facts, &out);
    if (!facts.statistics.empty()) {
      out += ", \"statistics\": ";
      AppendStatistics(facts.statistics, manifest.schemas[facts.schema].columns, &out);
    }
    out += '}';
  }
  out += "\n]\n}\n";
  return out;
}

}  // namespace dsi::internal
