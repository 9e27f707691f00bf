// Makes the golden nodes: FOLDER/<encoding>/<name>.node, and the values of each in
// FOLDER/<encoding>.json. Run by hand when bytes change, and say why in the commit:
//
//     make_nodes_helper tests/golden/nodes
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "dsi/tests/golden/node_cases.h"

namespace {

using namespace dsi::internal;
using namespace dsi::internal::test;

std::string InDecimal(const std::vector<uint64_t>& values) {
  std::string text;
  for (const uint64_t value : values) {
    if (!text.empty()) text += ' ';
    text += std::to_string(value);
  }
  return text;
}

nlohmann::ordered_json EntryOf(const NodeCase& c) {
  const std::string form = *DescribeNode(c.node, c.values.count);
  nlohmann::ordered_json entry = {
      {"form", form}, {"width", c.values.width}, {"count", c.values.count}};
  entry["values"] = InDecimal(Generate(c.values.count, [&](size_t i) { return c.values.at(i); }));
  if (!c.dictionary.empty()) {
    const Array dictionary(c.values.width, c.dictionary);
    entry["dictionary"] =
        InDecimal(Generate(dictionary.count, [&](size_t i) { return dictionary.at(i); }));
  }
  std::printf("%s/%s: %zu bytes, %s\n", FolderOf(c.encoding).c_str(), c.name.c_str(), c.node.size(),
              form.c_str());
  return entry;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_nodes_helper FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::map<std::string, nlohmann::ordered_json> values;
  bool done = true;
  const auto write = [&](const std::filesystem::path& path, const void* bytes, size_t size) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    done &= out.flush().good();
  };
  for (const NodeCase& c : NodeCases()) {
    const std::string encoding = FolderOf(c.encoding);
    values[encoding][c.name] = EntryOf(c);
    write(folder / encoding / (c.name + ".node"), c.node.data(), c.node.size());
  }
  for (const auto& [encoding, entries] : values) {
    const std::string text = entries.dump(1) + "\n";
    write(folder / (encoding + ".json"), text.data(), text.size());
  }
  return done ? 0 : 1;
}
