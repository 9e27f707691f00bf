#include "dsi/dataset/files/file_schema_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/reader/reader_access_internal.h"

namespace dsi::internal {
namespace {

// Equal schemas have equal texts.
std::string KeyOf(const FileSchema& schema) {
  std::string key = ManifestColumns(schema.columns);
  for (const ColumnInfo& column : schema.unsupported) key += '\n' + column.name;
  return key;
}

}  // namespace

FileSchema MakeFileSchema(std::vector<ColumnInfo> columns) {
  FileSchema schema;
  for (ColumnInfo& column : columns) {
    if (!column.support.ok()) {
      schema.unsupported.push_back(std::move(column));
      continue;
    }
    column.ordinal = static_cast<uint32_t>(schema.columns.size());
    column.group = 0;
    column.max_error = 0;
    column.stored_bytes = column.stored_values = 0;
    schema.columns.push_back(std::move(column));
  }
  schema.id = fmt::format("{:016x}", NameHash(ManifestColumns(schema.columns)));
  return schema;
}

SchemaCollector::SchemaCollector(std::vector<FileSchema> known) : schemas_(std::move(known)) {
  for (size_t i = 0; i < schemas_.size(); ++i)
    places_.emplace(KeyOf(schemas_[i]), static_cast<uint32_t>(i));
}

uint32_t SchemaCollector::Add(std::vector<ColumnInfo> columns) {
  FileSchema schema = MakeFileSchema(std::move(columns));
  std::string key = KeyOf(schema);
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] =
      places_.emplace(std::move(key), static_cast<uint32_t>(schemas_.size()));
  if (is_new) schemas_.push_back(std::move(schema));
  return place->second;
}

std::vector<FileSchema> SchemaCollector::TakeInOrder(std::vector<uint32_t>* of_file) {
  std::vector<uint32_t> new_places(schemas_.size(), UINT32_MAX);
  std::vector<FileSchema> ordered;
  for (uint32_t& place : *of_file) {
    if (new_places[place] == UINT32_MAX) {
      new_places[place] = static_cast<uint32_t>(ordered.size());
      ordered.push_back(std::move(schemas_[place]));
    }
    place = new_places[place];
  }
  return ordered;
}

Result<std::vector<FileStatistics>> CollectStatistics(const Reader& reader,
                                                      const FileSchema& schema) {
  std::vector<FileStatistics> out;
  const OpenFile& file = ReaderAccess::File(reader);
  if (file.statistics() == nullptr) return out;
  // Of the file's columns the schema has those that this build can read.
  uint32_t position = 0;
  for (uint32_t ordinal = 0; ordinal < file.core().columns.count; ++ordinal) {
    DSI_ASSIGN_OR_RETURN(const OpenColumn column, file.LoadAnyColumn(ordinal));
    if (!column.record.Support().ok()) continue;
    const ColumnInfo& info = schema.columns[position];
    FileStatistics sum{.column = position++};
    if (!HasOneValue(info.kind)) continue;
    DSI_ASSIGN_OR_RETURN(const CountedVector<ColumnStatistics> stripes,
                         file.LoadStatistics(ordinal, info.type, nullptr));
    if (stripes.empty()) continue;
    for (const ColumnStatistics& stripe : stripes) sum.all.Add(info.type, stripe);
    out.push_back(sum);
  }
  return out;
}

}  // namespace dsi::internal
