// Arrow tables built by hand, as somebody else's program would export them, so that each part can
// be sliced, shared or broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/arrow/abi.h"

namespace dsi::arrow_input_test {

// One field of a table and its array. Buffers are as long as they are, never longer.
struct ArrowNode {
  std::string format;
  std::string name;
  int64_t length = 0;
  int64_t offset = 0;
  int64_t null_count = -1;
  std::vector<std::optional<std::vector<uint8_t>>> buffers = {};  // Nothing: null.
  std::vector<ArrowNode> children = {};
  std::shared_ptr<ArrowNode> dictionary = {};
};

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::vector<uint8_t> BitsOf(const std::vector<bool>& values) {
  std::vector<uint8_t> bits((values.size() + 7) / 8);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]) bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | 1U << (i % 8));
  }
  return bits;
}

// No buffer where all are there.
template <typename T>
std::optional<std::vector<uint8_t>> ValidityOf(const std::vector<std::optional<T>>& values) {
  std::vector<bool> valid;
  bool all = true;
  for (const auto& value : values) {
    valid.push_back(value.has_value());
    all &= value.has_value();
  }
  if (all) return std::nullopt;
  return BitsOf(valid);
}

template <typename T>
ArrowNode Numbers(const std::string& name, const std::string& format,
                  const std::vector<std::optional<T>>& values, T at_null = T{}) {
  std::vector<T> plain;
  for (const auto& value : values) plain.push_back(value.value_or(at_null));
  return {.format = format,
          .name = name,
          .length = static_cast<int64_t>(values.size()),
          .buffers = {ValidityOf(values), BytesOf(plain)}};
}

// Of 128 bits: `values` over a power of ten that the format names.
inline ArrowNode Decimals(const std::string& name, const std::string& format,
                          const std::vector<std::optional<__int128>>& values) {
  std::vector<__int128> plain;
  for (const auto& value : values) plain.push_back(value.value_or(-1));
  return {.format = format,
          .name = name,
          .length = static_cast<int64_t>(values.size()),
          .buffers = {ValidityOf(values), BytesOf(plain)}};
}

inline ArrowNode Bools(const std::string& name, const std::vector<std::optional<bool>>& values) {
  std::vector<bool> plain;
  for (const auto& value : values) plain.push_back(value.value_or(false));
  return {.format = "b",
          .name = name,
          .length = static_cast<int64_t>(values.size()),
          .buffers = {ValidityOf(values), BitsOf(plain)}};
}

using Texts = std::vector<std::optional<std::string>>;

template <typename Offset>
ArrowNode Strings(const std::string& name, const std::string& format, const Texts& values) {
  std::vector<Offset> offsets = {0};
  std::string bytes;
  for (const auto& value : values) {
    bytes += value.value_or("");
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  return {.format = format,
          .name = name,
          .length = static_cast<int64_t>(values.size()),
          .buffers = {ValidityOf(values), BytesOf(offsets),
                      std::vector<uint8_t>(bytes.begin(), bytes.end())}};
}

// Views into one buffer, and short strings inside of them.
inline ArrowNode StringViews(const std::string& name, const Texts& values) {
  std::vector<uint8_t> views;
  std::string bytes;
  for (const auto& value : values) {
    const std::string text = value.value_or("");
    uint8_t view[16] = {};
    const auto size = static_cast<int32_t>(text.size());
    std::memcpy(view, &size, 4);
    if (text.size() <= 12) {
      std::memcpy(view + 4, text.data(), text.size());
    } else {
      const int32_t place[2] = {0, static_cast<int32_t>(bytes.size())};
      std::memcpy(view + 4, text.data(), 4);
      std::memcpy(view + 8, place, 8);
      bytes += text;
    }
    views.insert(views.end(), view, view + 16);
  }
  return {.format = "vu",
          .name = name,
          .length = static_cast<int64_t>(values.size()),
          .buffers = {ValidityOf(values), views, std::vector<uint8_t>(bytes.begin(), bytes.end()),
                      BytesOf<int64_t>({static_cast<int64_t>(bytes.size())})}};
}

template <typename Offset>
ArrowNode Lists(const std::string& name, const std::vector<Offset>& offsets, ArrowNode items,
                const std::vector<bool>& valid = {}) {
  ArrowNode node{.format = sizeof(Offset) == 4 ? "+l" : "+L",
                 .name = name,
                 .length = static_cast<int64_t>(offsets.size()) - 1,
                 .buffers = {std::nullopt, BytesOf(offsets)},
                 .children = {std::move(items)}};
  if (!valid.empty()) node.buffers[0] = BitsOf(valid);
  return node;
}

// Lists that stand anywhere among the items.
template <typename Offset>
ArrowNode ListViews(const std::string& name, const std::vector<Offset>& begins,
                    const std::vector<Offset>& sizes, ArrowNode items,
                    const std::vector<bool>& valid = {}) {
  ArrowNode node{.format = sizeof(Offset) == 4 ? "+vl" : "+vL",
                 .name = name,
                 .length = static_cast<int64_t>(begins.size()),
                 .buffers = {std::nullopt, BytesOf(begins), BytesOf(sizes)},
                 .children = {std::move(items)}};
  if (!valid.empty()) node.buffers[0] = BitsOf(valid);
  return node;
}

inline ArrowNode FixedLists(const std::string& name, int64_t width, ArrowNode items,
                            const std::vector<bool>& valid = {}) {
  ArrowNode node{.format = "+w:" + std::to_string(width),
                 .name = name,
                 .length = items.length / width,
                 .buffers = {std::nullopt},
                 .children = {std::move(items)}};
  if (!valid.empty()) node.buffers[0] = BitsOf(valid);
  return node;
}

inline ArrowNode Structs(const std::string& name, std::vector<ArrowNode> children,
                         const std::vector<bool>& valid = {}) {
  ArrowNode node{.format = "+s",
                 .name = name,
                 .length = children.empty() ? 0 : children[0].length,
                 .buffers = {std::nullopt},
                 .children = std::move(children)};
  if (!valid.empty()) node.buffers[0] = BitsOf(valid);
  return node;
}

// A list of structs of a key and a value.
inline ArrowNode Map(const std::string& name, const std::vector<int32_t>& offsets, ArrowNode keys,
                     ArrowNode values, const std::vector<bool>& present = {}) {
  ArrowNode node = Lists<int32_t>(
      name, offsets, Structs("entries", {std::move(keys), std::move(values)}), present);
  node.format = "+m";
  return node;
}

inline ArrowNode Nulls(const std::string& name, int64_t length) {
  return {.format = "n", .name = name, .length = length};
}

inline ArrowNode Dictionary(ArrowNode indices, ArrowNode values) {
  indices.dictionary = std::make_shared<ArrowNode>(std::move(values));
  return indices;
}

// Some slots of an array, by offset and length alone.
inline ArrowNode Slice(ArrowNode node, int64_t offset, int64_t length) {
  node.offset += offset;
  node.length = length;
  return node;
}

// A table as its consumer sees it; it owns what it exports.
class ArrowTable {
 public:
  enum class Whole { kTable };
  ArrowTable(Whole, ArrowNode root) : root_(std::move(root)) {
    Export(root_, &schema_);
    Export(root_, &array_);
  }
  explicit ArrowTable(std::vector<ArrowNode> columns)
      : ArrowTable(Whole::kTable, Structs("", std::move(columns))) {}
  ArrowTable(const ArrowTable&) = delete;
  ArrowTable& operator=(const ArrowTable&) = delete;

  ArrowSchema* schema() { return &schema_; }
  ArrowArray* array() { return &array_; }
  // Below the root.
  ArrowSchema* schema(size_t child) { return schema_.children[child]; }
  ArrowArray* array(size_t child) { return array_.children[child]; }

 private:
  template <typename T>
  static void Release(T* released) {
    released->release = nullptr;
  }

  void Export(const ArrowNode& node, ArrowSchema* to) {
    auto& children = schema_children_.emplace_back();
    for (const ArrowNode& child : node.children) {
      children.push_back(&schemas_.emplace_back());
      Export(child, &schemas_.back());
    }
    *to = {.format = node.format.c_str(),
           .name = node.name.c_str(),
           .metadata = nullptr,
           .flags = ARROW_FLAG_NULLABLE,
           .n_children = static_cast<int64_t>(children.size()),
           .children = children.data(),
           .dictionary = nullptr,
           .release = &Release<ArrowSchema>,
           .private_data = nullptr};
    if (node.dictionary == nullptr) return;
    to->dictionary = &schemas_.emplace_back();
    Export(*node.dictionary, to->dictionary);
  }

  void Export(const ArrowNode& node, ArrowArray* to) {
    auto& buffers = buffers_.emplace_back();
    for (const auto& buffer : node.buffers) {
      // A buffer of no bytes has an address of no bytes.
      buffers.push_back(buffer.has_value() ? blocks_.emplace_back(Copy(*buffer)).get() : nullptr);
    }
    auto& children = array_children_.emplace_back();
    for (const ArrowNode& child : node.children) {
      children.push_back(&arrays_.emplace_back());
      ArrowArray* const array = children.back();
      Export(child, array);
    }
    *to = {.length = node.length,
           .null_count = node.null_count,
           .offset = node.offset,
           .n_buffers = static_cast<int64_t>(buffers.size()),
           .n_children = static_cast<int64_t>(children.size()),
           .buffers = buffers.data(),
           .children = children.data(),
           .dictionary = nullptr,
           .release = &Release<ArrowArray>,
           .private_data = nullptr};
    if (node.dictionary == nullptr) return;
    to->dictionary = &arrays_.emplace_back();
    Export(*node.dictionary, to->dictionary);
  }

  // Blocks of their own, so that a sanitizer sees every byte beyond.
  static std::unique_ptr<uint8_t[]> Copy(const std::vector<uint8_t>& bytes) {
    std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
    if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
    return copy;
  }

  ArrowNode root_;
  ArrowSchema schema_{};
  ArrowArray array_{};
  std::deque<ArrowSchema> schemas_;
  std::deque<ArrowArray> arrays_;
  std::deque<std::vector<ArrowSchema*>> schema_children_;
  std::deque<std::vector<ArrowArray*>> array_children_;
  std::deque<std::vector<const void*>> buffers_;
  std::deque<std::unique_ptr<uint8_t[]>> blocks_;
};

}  // namespace dsi::arrow_input_test
