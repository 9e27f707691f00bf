// Columns of a real table: at most a page of each, by every encoding that takes it.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/bench/codecs_figures/pages.h"

namespace dsi::bench {

// "<name>.<width><marks>": f for floats, s where the ids are of the one shared dictionary.
struct NamedColumn {
  std::string name;
  Column column;
  bool is_shared = false;
};

inline NamedColumn ReadColumn(const std::filesystem::path& path) {
  NamedColumn read;
  read.name = path.stem().string();
  const std::string kind = path.extension().string();
  Column& column = read.column;
  column.width = kind.at(1) - '0';
  column.is_float = kind.find('f') != std::string::npos;
  read.is_shared = kind.find('s') != std::string::npos;
  column.count = std::min<size_t>(std::filesystem::file_size(path), kL2.page_bytes) /
                 static_cast<size_t>(column.width);
  column.words.resize(kL2.page_bytes / 8);
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(column.words.data()),
            static_cast<std::streamsize>(column.size()));
  return read;
}

// Ids of all columns that share them, the most frequent first, as a writer orders them.
inline std::vector<uint64_t> SharedIds(const std::vector<NamedColumn>& columns) {
  std::unordered_map<uint64_t, size_t> uses;
  for (const NamedColumn& one : columns) {
    if (!one.is_shared) continue;
    for (size_t i = 0; i < one.column.count; ++i) ++uses[one.column.words[i]];
  }
  std::vector<uint64_t> ids;
  for (const auto& [id, count] : uses) ids.push_back(id);
  std::sort(ids.begin(), ids.end(),
            [&](uint64_t a, uint64_t b) { return std::pair(uses[b], a) < std::pair(uses[a], b); });
  return ids;
}

// Each encoding alone: what is inside is packed, or where that does not pay, chosen.
inline std::vector<std::pair<std::string, EncodePlan>> PlansAlone(const Column& column) {
  const EncodePlan raw = Plan(Encoding::kRaw);
  const EncodePlan packed = Plan(Encoding::kPacked);
  const EncodePlan zstd = Plan(Encoding::kCompressed, {raw}, 1);
  // Mantissas of floats from signs and exponents; halves of integers.
  const int low_bits = !column.is_float ? 4 * column.width : column.width == 4 ? 23 : 52;
  return {{"raw", raw},
          {"constant", Plan(Encoding::kConstant)},
          {"packed", packed},
          {"delta", Plan(Encoding::kDelta, {packed})},
          {"runs", Plan(Encoding::kRuns, {packed, packed})},
          {"dictionary", Plan(Encoding::kDictionary, {raw, packed})},
          {"sparse", Plan(Encoding::kSparse, {packed, packed})},
          {"split", Plan(Encoding::kSplit, {packed, packed}, low_bits)},
          {"skewed", Plan(Encoding::kSkewed, {packed, raw})},
          {"decimal", Plan(Encoding::kDecimal, {packed}, 2)},
          {"zstd", zstd},
          {"lz4", Plan(Encoding::kCompressed, {raw}, 2)},
          {"chosen", internal::ChoosePlan(column.view(), EncodeTuning())}};
}

// A column's own page, and its part of the dictionary by its part of the ids.
inline void DecodeShared(benchmark::State& state, const Column& column,
                         const std::vector<uint64_t>& ids, size_t all_values) {
  const EncodePlan plan = Plan(Encoding::kSharedDictionary, {Plan(Encoding::kPacked)});
  const Residence residence = {"L2", column.size(), 1};
  DecodeNodes(state, column, EncodeColumn(column, plan, ids), residence);
  state.counters["stored_per_byte"] +=
      static_cast<double>(8 * ids.size()) / static_cast<double>(all_values) / column.width;
}

inline void RegisterColumns(const std::filesystem::path& folder) {
  const auto columns = std::make_shared<std::vector<NamedColumn>>();
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    columns->push_back(ReadColumn(entry.path()));
  const auto ids = std::make_shared<std::vector<uint64_t>>(SharedIds(*columns));
  size_t shared_values = 0;
  for (const NamedColumn& one : *columns) shared_values += one.is_shared ? one.column.count : 0;
  for (size_t i = 0; i < columns->size(); ++i) {
    const NamedColumn& one = (*columns)[i];
    for (const auto& [name, plan] : PlansAlone(one.column)) {
      benchmark::RegisterBenchmark(
          (one.name + "/" + name).c_str(), [=, plan = plan](benchmark::State& state) {
            const Column& column = (*columns)[i].column;
            DecodeNodes(state, column, EncodeColumn(column, plan, {}), {"L2", column.size(), 1});
          });
    }
    if (!one.is_shared) continue;
    benchmark::RegisterBenchmark((one.name + "/shared dictionary").c_str(),
                                 [=](benchmark::State& state) {
                                   DecodeShared(state, (*columns)[i].column, *ids, shared_values);
                                 });
  }
}

}  // namespace dsi::bench
