// A golden node: values, and the bytes in which they stand in tests/golden/nodes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal::test {

struct NodeCase {
  Encoding encoding;
  std::string name;
  Array values;
  Bytes node;                             // What the encoder makes of them today.
  std::vector<uint64_t> dictionary = {};  // What shared codes refer to.

  // Frames depend on the version of the library that makes them.
  bool is_reproducible() const { return encoding != Encoding::kCompressed; }
};

// The folder of an encoding below tests/golden/nodes: its name in the registry, without spaces.
inline std::string FolderOf(Encoding encoding) {
  std::string folder(EncodingName(encoding));
  for (char& c : folder) c = c == ' ' ? '_' : c;
  return folder;
}

// Bits that look random and are the same everywhere.
inline uint64_t Noise(uint64_t i) {
  i = (i + 1) * 0x9E3779B97F4A7C15;
  return (i ^ i >> 29) * 0xBF58476D1CE4E5B9 >> 3;
}

using Values = std::vector<uint64_t>;

class NodeCaseList {
 public:
  void Add(std::string name, int width, const Values& values, const EncodePlan& plan) {
    const Array array(width, values);
    cases.push_back({plan.encoding, std::move(name), array, Encode(array, plan)});
  }

  // A form that no plan leads to.
  void AddByHand(std::string name, const HandMadeNode& node, const Values& values,
                 Values dictionary = {}) {
    cases.push_back({static_cast<Encoding>(node.encoding), std::move(name),
                     Array(node.width, values), node.bytes(), std::move(dictionary)});
  }

  // Codes into a dictionary, encoded by this plan, and values that it lacks (E-051).
  void AddShared(std::string name, int width, const Values& dictionary, size_t count,
                 const EncodePlan& plan, const Values& literals = {}) {
    std::vector<uint32_t> codes(count);
    Values coded(count);
    size_t next = 0;
    for (size_t i = 0; i < count; ++i) {
      const bool is_literal = next < literals.size() && i % 3 == 1;
      codes[i] =
          static_cast<uint32_t>(is_literal ? dictionary.size() : Noise(i) % dictionary.size());
      coded[i] = is_literal ? literals[next++] : dictionary[codes[i]];
    }
    const Array values(width, coded);
    Bytes node;
    const InnerEncoder encode = ByPlan(plan, {});
    EncodeSharedCodes(codes, encode, Array(width, literals).view(), encode, &node);
    cases.push_back(
        {Encoding::kSharedDictionary, std::move(name), values, std::move(node), dictionary});
  }

  std::vector<NodeCase> cases;
};

}  // namespace dsi::internal::test
