#include "dsi/python/src/schema.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/io/open.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/text_bytes.h"
#include "dsi/reader/reader.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

std::string Normal(const std::string& json) { return Take(Take(Schema::FromJson(json)).ToJson()); }

std::string OfFile(const std::string& path) {
  nb::gil_scoped_release release;
  return Take(Take(Take(Reader::Open(path))->schema()).ToJson());
}

// The features of all files as they are reconciled; features have the order of Columns.
std::vector<FeatureSpec> FeaturesOf(const std::vector<ColumnInfo>& columns) {
  std::vector<FeatureSpec> features;
  for (const ColumnInfo& column : columns) {
    if (column.support.code() == StatusCode::kUnsupported) continue;
    Check(column.support);  // Files disagree about it.
    if (features.empty() || features.back().name != column.feature) {
      FeatureSpec made;
      made.name = column.feature;
      made.kind = column.kind;
      made.id = column.feature_id;
      made.max_length = column.max_length;
      made.fixed_length = column.fixed_length;
      made.newest_first = column.newest_first;
      made.nested = column.nested;
      made.default_bits = column.default_bits;
      features.push_back(std::move(made));
    }
    ColumnSpec spec;
    if (column.name != column.feature) spec.name = column.name.substr(column.feature.size() + 1);
    spec.type = column.type;
    spec.time_unit = column.time_unit;
    spec.id_space = column.id_space;
    spec.precision = column.precision;
    spec.max_error = column.max_error;
    spec.hashed = column.hashed;
    features.back().columns.push_back(std::move(spec));
  }
  return features;
}

// Leaves out of what the first file declares whatever names a feature that is not there.
void Prune(Schema* schema) {
  const auto lacks = [&](const std::string& name) { return schema->FindFeature(name) < 0; };
  std::erase_if(schema->cluster_by, lacks);
  for (GroupSpec& group : schema->groups) {
    std::erase_if(group.features, lacks);
    if (!group.owner.empty() && lacks(group.owner)) group.owner.clear();
  }
  std::erase_if(schema->groups, [](const GroupSpec& group) { return group.features.empty(); });
}

// Without features that files disagree about.
std::vector<ColumnInfo> Reconciled(std::vector<ColumnInfo> columns) {
  std::set<std::string> conflicts;
  for (const ColumnInfo& column : columns) {
    if (column.support.code() == StatusCode::kBadInput) conflicts.insert(column.feature);
  }
  std::erase_if(columns,
                [&](const ColumnInfo& column) { return conflicts.contains(column.feature); });
  return columns;
}

std::string OfDataset(PyDataset& dataset, bool of_all) {
  nb::gil_scoped_release release;
  const auto files = dataset.dataset()->files();
  Schema schema;
  if (!files.empty()) {
    auto file = Take(OpenUri(files[0].path, dataset.open_options()));
    schema = Take(Take(Reader::Open(std::move(file)))->schema());
  }
  if (files.size() != 1 || !files[0].overlays.empty())
    schema.features = FeaturesOf(of_all ? dataset.Columns() : Reconciled(dataset.Columns()));
  Prune(&schema);
  return Take(schema.ToJson());
}

uint64_t IdOf(nb::handle text, const std::string& name) {
  std::string_view bytes;
  Type type = Type::kInt64;
  if (!BytesOf(text, &bytes)) throw nb::type_error("text: expected str or bytes");
  if (!ParseType(name, &type) || !MayBeHashed(Kind::kList, type))
    Raise({StatusCode::kInvalidArgument,
           "type: found '" + name + "', expected int64, uint64, int32 or uint32"});
  return IdOfText(bytes, type);
}

}  // namespace

void BindSchema(nb::module_& module) {
  module.def("check_schema", Normal, nb::arg("json"),
             "The JSON form of a schema, complete. BadInput: what is wrong, and where.");
  module.def("schema_of_file", OfFile, nb::arg("path"), "Of a .dsi file, as JSON.");
  module.def(
      "id_of_text", IdOf, nb::arg("text"), nb::arg("type") = "int64",
      "The id that a hashed column of this type stores for a string, or for bytes: the low bits\n"
      "of its XXH3 (64 bits, seed 0), 63 for int64, 64 for uint64, 31 for int32, 32 for uint32.\n"
      "InvalidArgument: another type.");
  module.def(
      "schema_of_dataset", OfDataset, nb::arg("dataset"), nb::arg("of_all") = true,
      "Of all files, as JSON: features reconciled; keys, groups and notes of the first file.\n"
      "of_all: BadInput where files disagree about a feature, which is left out else.");
}

}  // namespace dsi::python
