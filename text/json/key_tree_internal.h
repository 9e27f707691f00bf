// Finds what a name in a JSON object means. Objects inside each other become dotted names, so the
// tree has one node per dotted name and per part of it that ends before a dot.
//
// Cost: keys mostly come in the order of the row before, so the key that came next then is compared
// first; a key out of order costs a hash and one or two cache lines, which is what counts in rows
// that hold some hundred of many thousand features.
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsi/format/types.h"

namespace dsi::internal {

class KeyTree {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Node;
  // One way of writing a key under a node.
  struct alignas(64) Entry {
    std::string key;
    Node* parent = nullptr;
    Node* node = nullptr;
    Entry* next = nullptr;     // What followed in the last row.
    uint32_t feature = kNone;  // The node's, here to be at hand before the node is.
  };
  struct alignas(64) Node {
    uint64_t row = 0;          // Last row that had it.
    uint32_t feature = kNone;  // The caller's number for it; kNone for a mere part of a name.
    uint32_t column = 0;
    Entry* first = nullptr;    // What came first in the last row.
    uint32_t number = 0;       // Position in the tree; 0: the root.
    Type type = Type::kInt64;  // For the caller, as all below but the name.
    TimeUnit time_unit = TimeUnit::kNone;
    bool is_list : 1 = false;
    bool hashed : 1 = false;
    bool is_unknown : 1 = false;
    bool has_lengths : 1 = false;
    std::string name;  // Full dotted name; empty for the root.
  };

  KeyTree() : buckets_(kFirstBuckets) {}
  KeyTree(const KeyTree&) = delete;
  KeyTree& operator=(const KeyTree&) = delete;

  Node* root() { return &root_; }

  // Gives the node of a full name; makes it, and with `parts` those of its parts, when absent.
  Node* Add(std::string_view name, bool parts);

  // Gives the node of a key in the object `parent`, or null. *last is the entry found before in the
  // same object (null at first) and is set to the one found.
  Node* Find(Node* parent, std::string_view key, Entry** last) {
    Entry* guess = *last == nullptr ? parent->first : (*last)->next;
    if (guess == nullptr || guess->key != key) {
      guess = FindByHash(parent, key);
      if (guess == nullptr) return nullptr;
      (*last == nullptr ? parent->first : (*last)->next) = guess;
    }
    *last = guess;
    return guess->node;
  }

  // As Find; makes the node when it is absent.
  Node* FindOrAdd(Node* parent, std::string_view key, Entry** last);

  size_t size() const { return nodes_.size(); }
  // In the order in which they were made, without the root.
  const std::deque<Node>& nodes() const { return nodes_; }

  // Full name of a key in an object.
  static std::string Join(const Node& parent, std::string_view key);

 private:
  static constexpr size_t kFirstBuckets = 64;  // A power of two.
  struct Bucket {
    uint32_t tag = 0;    // Upper bits of the hash.
    uint32_t entry = 0;  // Position in entries_, plus 1; 0: free.
  };

  Entry* FindByHash(Node* parent, std::string_view key);
  Entry* AddEntry(Node* parent, std::string_view key, Node* node, uint64_t hash);
  void Place(uint64_t hash, uint32_t entry);

  Node root_;
  std::deque<Node> nodes_;  // Deques, for neither nodes nor entries may move.
  std::deque<Entry> entries_;
  std::vector<Bucket> buckets_;  // Open addressing, at most half full.
  std::unordered_map<std::string_view, Node*> by_name_;
};

}  // namespace dsi::internal
