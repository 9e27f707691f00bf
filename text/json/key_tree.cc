#include "dsi/text/json/key_tree_internal.h"

#include <xxhash.h>

#include "dsi/base/probe_internal.h"

namespace dsi::internal {
namespace {

uint64_t HashKey(const KeyTree::Node& parent, std::string_view key) {
  return XXH3_64bits_withSeed(key.data(), key.size(), parent.number);
}

}  // namespace

KeyTree::Node* KeyTree::Add(std::string_view name, bool parts) {
  if (parts) {
    for (size_t dot = name.find('.'); dot != std::string_view::npos;
         dot = name.find('.', dot + 1)) {
      Add(name.substr(0, dot), false);
    }
  }
  const auto at = by_name_.find(name);
  if (at != by_name_.end()) return at->second;
  Node& node = nodes_.emplace_back();
  node.name = name;
  node.number = static_cast<uint32_t>(nodes_.size());  // The root is 0.
  by_name_.emplace(node.name, &node);
  return &node;
}

std::string KeyTree::Join(const Node& parent, std::string_view key) {
  std::string name = parent.name;
  if (parent.number != 0) name += '.';  // Of the root nothing is in a name; "" may be a key.
  name += key;
  return name;
}

// A name may be cut into keys in several ways ({"a": {"b": 1}} or {"a.b": 1}); each way met gets an
// entry of its own, all of them lead to one node.
KeyTree::Entry* KeyTree::FindByHash(Node* parent, std::string_view key) {
  const uint64_t hash = HashKey(*parent, key);
  const auto tag = static_cast<uint32_t>(hash >> 32);
  const Bucket& bucket = buckets_[Probe(buckets_, hash, [&](const Bucket& s) {
    if (s.entry == 0) return true;
    if (s.tag != tag) return false;
    const Entry& entry = entries_[s.entry - 1];
    return entry.parent == parent && entry.key == key;
  })];
  if (bucket.entry != 0) return &entries_[bucket.entry - 1];
  const auto node = by_name_.find(Join(*parent, key));
  return node == by_name_.end() ? nullptr : AddEntry(parent, key, node->second, hash);
}

KeyTree::Entry* KeyTree::AddEntry(Node* parent, std::string_view key, Node* node, uint64_t hash) {
  if (2 * (entries_.size() + 1) > buckets_.size()) {
    buckets_.assign(buckets_.size() * 2, {});
    uint32_t number = 0;
    for (const Entry& entry : entries_) Place(HashKey(*entry.parent, entry.key), ++number);
  }
  Entry& entry = entries_.emplace_back();
  entry.key = key;
  entry.parent = parent;
  entry.node = node;
  entry.feature = node->feature;
  Place(hash, static_cast<uint32_t>(entries_.size()));
  return &entry;
}

void KeyTree::Place(uint64_t hash, uint32_t entry) {
  buckets_[Probe(buckets_, hash, [](const Bucket& bucket) { return bucket.entry == 0; })] = {
      static_cast<uint32_t>(hash >> 32), entry};
}

KeyTree::Node* KeyTree::FindOrAdd(Node* parent, std::string_view key, Entry** last) {
  Node* node = Find(parent, key, last);
  if (node != nullptr) return node;
  Add(Join(*parent, key), false);
  return Find(parent, key, last);
}

}  // namespace dsi::internal
