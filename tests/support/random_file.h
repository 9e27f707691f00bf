// Random files as users make them: clustered, grouped, of many stripes; and random scans of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dsi/tests/support/scan_model.h"

namespace dsi::test {

// The order that writer.h promises, found the slow way: input rows in the order of the file.
std::vector<size_t> ClusteredOrder(const ModelTable& table, const std::vector<std::string>& keys);

struct RandomFile {
  ModelTable table;  // Rows in the order of the file; __position is a column where it was kept.
  std::vector<std::byte> bytes;
  std::string what;  // How it was made, for messages.
};

RandomFile MakeRandomFile(uint64_t seed);

// A scan whose values all fit the types asked for, of columns in one to five layouts each.
ScanOptions MakeRandomScan(const ModelTable& table, std::mt19937_64* random);

// The value in another type; none where it does not fit.
std::optional<uint64_t> ConvertModel(uint64_t bits, Type from, Type to);

// Rows of the file that the scan hands out.
std::vector<uint64_t> ExpectedRows(const ModelTable& table, const ScanOptions& options);

}  // namespace dsi::test
