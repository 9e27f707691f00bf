// A folder of small files made by the writer, for tests of datasets.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/format/schema.h"
#include "dsi/writer/writer.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi::test {

inline FeatureSpec OneColumn(std::string name, Kind kind, Type type,
                             std::optional<uint64_t> id = {}) {
  FeatureSpec f;
  f.name = std::move(name);
  f.kind = kind;
  f.columns = {{"", type, ""}};
  f.id = id;
  if (kind == Kind::kTimestamp) f.columns[0].time_unit = TimeUnit::kMillis;
  return f;
}

inline Schema SmallSchema() {
  Schema s;
  s.features = {OneColumn("key", Kind::kKey, Type::kInt64),
                OneColumn("score", Kind::kDense, Type::kFloat32)};
  return s;
}

inline std::vector<std::byte> SmallFile(const Schema& schema, int64_t first, int64_t num_rows,
                                        uint32_t stripe_rows = 1 << 18) {
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.threads = 1;
  options.stripe_rows = stripe_rows;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "small"), schema, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  if (!writer.ok()) return bytes;
  RowBatch rows((*writer)->schema());
  for (int64_t i = first; i < first + num_rows; ++i) {
    for (uint32_t f = 0; f < schema.features.size(); ++f) {
      const FeatureSpec& feature = schema.features[f];
      const Type type = feature.columns[0].type;
      const std::vector<int64_t> two = {i, i + 1};
      if (type == Type::kBytes) {
        EXPECT_TRUE(rows.SetBytes(f, std::to_string(i)).ok());
      } else if (IsListKind(feature.kind)) {
        for (uint32_t c = 0; c < feature.columns.size(); ++c) {
          const std::vector<double> halves = {static_cast<double>(i) / 2, 0.5};
          const bool is_float = IsFloat(feature.columns[c].type);
          EXPECT_TRUE((is_float ? rows.SetDoubles(f, c, halves) : rows.SetInts(f, c, two)).ok());
        }
      } else if (IsFloat(type)) {
        EXPECT_TRUE(rows.SetDouble(f, static_cast<double>(i) / 2).ok());
      } else {
        EXPECT_TRUE(rows.SetInt(f, i).ok());
      }
    }
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return bytes;
}

class DatasetFolder : public TempFolder {
 public:
  void Put(const std::string& name, const std::vector<std::byte>& bytes) {
    std::filesystem::create_directories(std::filesystem::path(File(name)).parent_path());
    std::ofstream(File(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  void PutText(const std::string& name, const std::string& text) {
    std::ofstream(File(name), std::ios::binary) << text;
  }
  void PutRows(const std::string& name, int64_t first, int64_t num_rows,
               const Schema& schema = SmallSchema(), uint32_t stripe_rows = 1 << 18) {
    Put(name, SmallFile(schema, first, num_rows, stripe_rows));
  }

  // Names of the files below the folder, with blanks between; an error in its place.
  std::string Found(const std::string& where) const {
    const auto dataset = Dataset::Open(File(where));
    if (!dataset.ok()) return dataset.status().ToString();
    return NamesOf(**dataset);
  }
  std::string NamesOf(const Dataset& dataset) const {
    std::string names;
    for (const DatasetFile& file : dataset.files()) {
      EXPECT_TRUE(file.path.starts_with(path())) << file.path;
      names += (names.empty() ? "" : " ") + file.path.substr(path().size() + 1);
    }
    return names;
  }
};

inline Result<std::unique_ptr<internal::DatasetFiles>> OpenFiles(
    const std::string& where, const DatasetOptions& options = {}) {
  return internal::DatasetFiles::Open(std::span(&where, 1), options);
}

inline size_t OpenDescriptors() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    (void)entry;
    ++count;
  }
  return count;
}

}  // namespace dsi::test
