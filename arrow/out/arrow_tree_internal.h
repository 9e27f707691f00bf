// A tree of Arrow's structs, schemas or arrays, that lives as long as one of them does.
//
// Arrow lets a consumer move a struct, children out of their parent too, and then release what is
// left. So each struct of a tree stands for one reference to the whole, and releases its children
// first. Thread safety: structs of one tree may be released by different threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace dsi::internal {

class ArrowTree {
 public:
  ArrowTree() = default;
  ArrowTree(const ArrowTree&) = delete;
  ArrowTree& operator=(const ArrowTree&) = delete;
  virtual ~ArrowTree() = default;

  // Before the first struct is handed out.
  void SetReferences(size_t count) { references_.store(count, std::memory_order_relaxed); }
  void Unref() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) OnLastRelease();
  }

 private:
  virtual void OnLastRelease() noexcept = 0;

  std::atomic<size_t> references_ = 0;
};

// `release` of an ArrowSchema or an ArrowArray.
template <typename Node>
void ReleaseNode(Node* node) {
  auto* const tree = static_cast<ArrowTree*>(node->private_data);
  for (int64_t i = 0; i < node->n_children; ++i) {
    Node* const child = node->children[i];
    if (child->release != nullptr) child->release(child);
  }
  Node* const dictionary = node->dictionary;
  if (dictionary != nullptr && dictionary->release != nullptr) dictionary->release(dictionary);
  node->release = nullptr;
  tree->Unref();  // The node may be gone with it.
}

}  // namespace dsi::internal
