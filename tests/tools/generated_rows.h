// What tests of generated tables share: making a table and looking at its rows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dsi/tools/generate/generate_internal.h"

namespace dsi::tools {

inline GenerateOptions OptionsOf(const std::string& profile, uint64_t rows,
                                 RowOrder order = RowOrder::kTime, uint64_t seed = 1) {
  GenerateOptions options;
  options.profile = profile;
  options.rows = rows;
  options.order = order;
  options.seed = seed;
  if (profile == "wide") options.features = 500;
  return options;
}

// Calls `use` with the text of every row, without its line end.
template <typename Use>
void ForEachLine(const GenerateOptions& options, const Use& use) {
  std::string error;
  const auto generator = RowGenerator::Create(options, &error);
  ASSERT_NE(generator, nullptr) << error;
  std::string block;
  uint64_t lines = 0;
  while (generator->NextBlock(&block)) {
    ASSERT_EQ(block.back(), '\n') << "a block ends at the end of a row";
    for (size_t at = 0; at < block.size(); ++lines) {
      const size_t end = block.find('\n', at);
      use(std::string_view(block).substr(at, end - at));
      at = end + 1;
    }
  }
  EXPECT_TRUE(block.empty());
  EXPECT_EQ(generator->rows_done(), options.rows);
  EXPECT_EQ(lines, options.rows);
}

template <typename Use>
void ForEachRow(const GenerateOptions& options, const Use& use) {
  ForEachLine(options, [&](std::string_view line) { use(nlohmann::json::parse(line)); });
}

inline std::string Generate(const GenerateOptions& options) {
  std::string all;
  ForEachLine(options, [&](std::string_view line) { all.append(line).append(1, '\n'); });
  return all;
}

inline std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

inline std::vector<nlohmann::json> Rows(const std::string& text) {
  std::vector<nlohmann::json> rows;
  for (const std::string& line : Lines(text)) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

}  // namespace dsi::tools
