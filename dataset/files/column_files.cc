// Where a dataset has its columns, for who looks for one that is not in all files.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dsi/dataset/files/column_files_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"

namespace dsi::internal {
namespace {

// Files that are alike: of the same schemas.
struct FileClass {
  std::vector<uint32_t> schemas;  // Of one with overlays there may be several.
  uint64_t count = 0;
  uint32_t first = 0;
  uint32_t last = 0;
};

// In the order of the first files.
std::vector<FileClass> ClassesOf(const SchemasOfFiles& schemas, uint32_t num_files) {
  std::vector<FileClass> classes;
  std::map<std::set<uint32_t>, size_t> known;
  for (uint32_t file = 0; file < num_files; ++file) {
    std::set<uint32_t> own;
    for (size_t variant = 0; variant < schemas.num_variants(file); ++variant)
      own.insert(schemas.schema_of(file, variant));
    const auto [at, is_new] = known.try_emplace(std::move(own), classes.size());
    if (is_new) classes.push_back({.schemas = {at->first.begin(), at->first.end()}, .first = file});
    FileClass& of_file = classes[at->second];
    ++of_file.count;
    of_file.last = file;
  }
  return classes;
}

template <typename T>
void AddOnce(const T& value, std::vector<T>* to) {
  if (std::find(to->begin(), to->end(), value) == to->end()) to->push_back(value);
}

void Count(const FileClass& files, ColumnFiles* found) {
  if (found->num_files == 0) found->first = files.first;
  found->num_files += files.count;
  found->last = std::max(found->last, files.last);
}

void AddFiles(const FileClass& files, const SchemaView& view, uint32_t column, ColumnFiles* found) {
  bool is_stored = false;
  bool is_blank = false;
  for (const uint32_t schema : files.schemas) {
    const ColumnInfo* const there = view.InSchema(schema, column);
    if (there == nullptr) continue;
    if (view.BlankOf(column, *there).has_value()) {
      is_blank = true;
      continue;
    }
    is_stored = true;
    AddOnce(there->name, &found->names);
    AddOnce(there->type, &found->types);
  }
  if (is_blank) found->num_blank += files.count;
  if (is_stored) Count(files, found);
}

void AddUnsupported(const FileClass& files, const SchemaView& view, ColumnFiles* found) {
  const auto has_it = [&](uint32_t schema) {
    return std::ranges::any_of(
        view.schemas().schemas[schema].unsupported,
        [&](const ColumnInfo& column) { return column.name == found->column.name; });
  };
  if (std::ranges::any_of(files.schemas, has_it)) Count(files, found);
}

}  // namespace

Result<std::vector<ColumnFiles>> FilesOfColumns(const DatasetFiles& files) {
  std::vector<Status> conflicts;
  DSI_ASSIGN_OR_RETURN(const auto view, MakeView(files, {}, &conflicts));
  const std::vector<FileClass> classes =
      ClassesOf(view->schemas(), static_cast<uint32_t>(view->num_files()));
  std::vector<ColumnFiles> found;
  for (const ColumnInfo& column : view->columns()) {
    ColumnFiles& of_column = found.emplace_back();
    of_column.column = column;
    of_column.conflict = std::move(conflicts[column.ordinal]);
    for (const FileClass& alike : classes) AddFiles(alike, *view, column.ordinal, &of_column);
  }
  for (const ColumnInfo& column : view->unsupported()) {
    ColumnFiles& of_column = found.emplace_back();
    of_column.column = column;
    of_column.conflict = column.support;
    for (const FileClass& alike : classes) AddUnsupported(alike, *view, &of_column);
  }
  return found;
}

}  // namespace dsi::internal
