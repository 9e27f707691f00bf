// Columns as nodes, with the shared dictionary where there is one, and whether a node is what its
// plan asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsi/bench/codecs_figures/cases.h"
#include "dsi/codecs/node_internal.h"

namespace dsi::bench {

using internal::EncodeTuning;
using Bytes = std::vector<std::byte>;

struct Node {
  Bytes page;
  std::vector<uint64_t> dictionary;

  internal::SharedDictionary shared() const {
    return {dictionary.data(), dictionary.size(), dictionary.empty() ? 0 : 8};
  }
};

// Values that are not in the dictionary are literals.
inline Bytes EncodeShared(const Column& column, const EncodePlan& plan,
                          const std::vector<uint64_t>& dictionary) {
  std::unordered_map<uint64_t, uint32_t> code_of;
  for (const uint64_t entry : dictionary) code_of.emplace(entry, code_of.size());
  std::vector<uint32_t> codes;
  std::vector<uint64_t> literals;
  for (const uint64_t value : std::span(column.words).first(column.count)) {
    const auto at = code_of.find(value);
    const bool is_literal = at == code_of.end();
    if (is_literal) literals.push_back(value);
    codes.push_back(is_literal ? static_cast<uint32_t>(dictionary.size()) : at->second);
  }
  Bytes page;
  internal::EncodeSharedCodes(codes, internal::ByPlan(plan.children.front(), EncodeTuning()),
                              {literals.data(), literals.size(), 8},
                              internal::ByPlan(plan.children.back(), EncodeTuning()), &page);
  return page;
}

inline Node EncodeColumn(const Column& column, const EncodePlan& plan,
                         const std::vector<uint64_t>& dictionary) {
  if (plan.encoding == Encoding::kSharedDictionary)
    return {EncodeShared(column, plan, dictionary), dictionary};
  Node node;
  internal::EncodeNode(column.view(), plan, EncodeTuning(), &node.page);
  return node;
}

inline std::string DescribeIn(const Bytes& page, size_t count) {
  const auto words = internal::DescribeNode(page, count);
  return words.ok() ? *words : words.status().message();
}

// Stops where a plan did not fit and fell back to another, or a dictionary has not all ids: figures
// under the case's name would be of something else.
inline void CheckFollows(const Case& one, const Node& node, size_t count) {
  static const std::regex width(" u(8|16|32|64)");
  const std::string described = DescribeIn(node.page, count);
  const bool same_tree = std::regex_replace(described, width, "") == one.plan.ToString();
  const auto parsed = internal::ParseNode(node.page);
  const bool all_ids =
      one.plan.encoding != Encoding::kDictionary || (parsed.ok() && parsed->aux == one.ids);
  if (same_tree && all_ids) return;
  std::fprintf(stderr, "codecs_bench: %s is %s, expected %s of all ids\n", one.name.c_str(),
               described.c_str(), one.plan.ToString().c_str());
  std::exit(1);
}

}  // namespace dsi::bench
