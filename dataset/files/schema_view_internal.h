// One schema over files of several: which column of each file a column of the dataset is (spec
// DS-020 …).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/scan_options.h"

namespace dsi::internal {

// Thread safety: const calls from many threads are safe.
class SchemaView {
 public:
  // Those asked for, each once: name, type (widened), default, greatest max_length; ordinals are
  // positions in it.
  std::span<const ColumnInfo> columns() const { return columns_; }
  // Of each pattern the columns that it stands for.
  std::span<const std::vector<uint32_t>> of_pattern() const { return of_pattern_; }
  // The column of a file, or of one of its variants, that a column stands for: its name there, its
  // type; null: the file lacks the feature. Another column of it where the file lacks this one
  // alone (DS-026): it tells which rows have it and how many entries.
  const ColumnInfo* InFile(size_t file, uint32_t column, size_t variant = 0) const {
    return InSchema(files_->schema_of(file, variant), column);
  }

  // What no file has as this build can read it (DS-027), whatever was asked for.
  std::span<const ColumnInfo> unsupported() const { return unsupported_; }

  size_t num_files() const { return files_->of_file.size(); }
  // What overlays make of files.
  const SchemasOfFiles& schemas() const { return *files_; }

  // Files of one schema are alike: what was worked out for one holds for the others.
  uint32_t schema_of(size_t file, size_t variant = 0) const {
    return files_->schema_of(file, variant);
  }
  size_t num_schemas() const { return files_->schemas.size(); }
  const ColumnInfo* InSchema(uint32_t schema, uint32_t column) const {
    const uint32_t place = places_[schema][column];
    return place == kNone ? nullptr : &files_->schemas[schema].columns[place];
  }
  // The entries of a column where InSchema gives `there`; none: they are those of the file.
  std::optional<BlankEntries> BlankOf(uint32_t column, const ColumnInfo& there) const;

 private:
  friend class SchemaMatcher;
  static constexpr uint32_t kNone = UINT32_MAX;

  std::shared_ptr<const SchemasOfFiles> files_;
  std::vector<ColumnInfo> columns_;
  std::vector<ColumnInfo> unsupported_;
  std::vector<std::vector<uint32_t>> of_pattern_;
  std::vector<std::vector<uint32_t>> places_;  // By schema and column.
};

// A pattern is the name of a column or feature, with '*' and '?' or without; none: all columns.
// kNotFound: a pattern stands for nothing; kBadInput names the files that cannot be reconciled in a
// column asked for; kUnsupported: a file has a column that is named as only a newer version knows
// (DS-027), which patterns pass over. `conflicts` not null: that stands there, by column, which is
// then that of the last file that has it.
Result<std::shared_ptr<const SchemaView>> MakeView(const DatasetFiles& files,
                                                   std::vector<std::string> patterns,
                                                   std::vector<Status>* conflicts = nullptr);

// All columns; `support` of one that files cannot be reconciled in is kBadInput, of one that this
// build cannot read in all files that have it kUnsupported.
Result<std::vector<ColumnInfo>> AllColumns(const DatasetFiles& files);
// The first such error among them.
Status CheckReconciled(std::span<const ColumnInfo> columns);

// What types of a column become together (DS-023).
enum class Widening : uint8_t {
  kIds,       // Of lists: integers stay integers.
  kKey,       // Integers become floats in which all of their type are exact.
  kQuantity,  // Those of 8 bytes as well, each of which is then looked at (MustBeExact).
};
Widening WideningOf(Kind kind);

// The type that holds every value of all of them, and in which a scan can hand out each; none:
// there is no such type.
std::optional<Type> WidenTypes(std::span<const Type> types, Widening widening);

// Values of a file were widened to a float type that has not all of theirs, and are asked for as
// such: who asked for float32 would have them rounded anyway.
inline bool MustBeExact(Type in_file, Type widened, Type asked) {
  return IsFloat(widened) && IsInteger(in_file) && TypeWidth(in_file) == 8 &&
         asked == Type::kFloat64;
}

}  // namespace dsi::internal
