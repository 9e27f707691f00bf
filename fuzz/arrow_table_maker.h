// Tables of Arrow out of any bytes: schemas and arrays of any structure, whose buffers are as long
// as what they claim, to the byte.
//
// Input: bytes that answer one question after another (which format, how long, what is broken);
// where they end, the answer is 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/arrow/abi.h"
#include "dsi/fuzz/arrow_formats.h"
#include "dsi/fuzz/break_arrow.h"

namespace dsi::fuzz {

class ArrowTableMaker {
 public:
  ArrowTableMaker(const uint8_t* data, size_t size) : data_(data), size_(size) {
    Make({"", kTable}, 0, Byte() % 40, &schema_, &array_);
  }

  uint8_t Byte() { return at_ < size_ ? data_[at_++] : 0; }
  const ArrowSchema& schema() const { return schema_; }
  const ArrowArray& array() const { return array_; }
  // Of all fields, with a space before and behind each.
  const std::string& formats() const { return formats_; }

 private:
  static constexpr int kMaxDepth = 6;
  static constexpr size_t kTable = 27;    // Its format.
  static constexpr size_t kIntegers = 8;  // Formats below may be indices.

  // One in 32 is broken.
  bool Breaks() { return (Byte() & 31) == 31; }

  void Make(const ArrowColumn& column, int depth, int64_t length, ArrowSchema* schema,
            ArrowArray* array) {
    const ArrowFormat& form = kArrowFormats[column.format];
    const int64_t offset = Byte() % 4 == 3 ? Byte() % 40 : 0;
    schema->format = form.text;
    schema->name = column.name;
    schema->release = [](ArrowSchema*) { std::abort(); };
    array->length = length;
    array->offset = offset;
    array->null_count = -1;
    array->release = [](ArrowArray*) { std::abort(); };
    const int64_t items = AddBuffers(form, static_cast<size_t>(length + offset), array);
    AddChildren(form, depth, items, schema, array);
    formats_ += form.text;
    formats_ += ' ';
    const bool is_index = column.format < kIntegers;
    if (is_index && depth < kMaxDepth && Byte() % 4 == 3) {
      schema->dictionary = &schemas_.emplace_back();
      array->dictionary = &arrays_.emplace_back();
      constexpr size_t kOften[] = {18, 23, 0};
      const uint8_t often = Byte();
      Make(often % 2 == 0 ? ArrowColumn{"", kOften[often / 2 % 3]} : Any(), depth + 1, Byte() % 20,
           schema->dictionary, array->dictionary);
    }
    if (Breaks()) BreakArrow([this] { return Byte(); }, schema, array);
  }

  ArrowColumn Any() {
    const char* const name = kColumnNames[Byte() % std::size(kColumnNames)];
    return {name, Byte() % std::size(kArrowFormats)};
  }

  // Of the entries of a map.
  ArrowColumn Member(size_t i) {
    constexpr size_t kOften[] = {0, 18, 8, 1};
    const uint8_t often = Byte();
    return often % 8 == 7 ? Any() : ArrowColumn{i == 0 ? "key" : "value", kOften[often % 4]};
  }

  std::vector<uint8_t> Bytes(size_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = Byte();
    return bytes;
  }
  const void* Keep(const std::vector<uint8_t>& bytes) {
    blocks_.emplace_back(new uint8_t[bytes.size()]);
    if (!bytes.empty()) std::memcpy(blocks_.back().get(), bytes.data(), bytes.size());
    return blocks_.back().get();
  }
  // Numbers of `width` bytes, mostly small.
  std::vector<uint8_t> SmallNumbers(size_t count, size_t width, int64_t* greatest) {
    std::vector<uint8_t> bytes(count * width);
    int64_t last = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint8_t step = Byte();
      const int64_t value = step >= 240 ? int64_t{step} - 245 : last + step % 8;
      last = value;
      *greatest = std::max(*greatest, value);
      std::memcpy(&bytes[i * width], &value, width);
    }
    return bytes;
  }

  // Returns how many items its lists need.
  int64_t AddBuffers(const ArrowFormat& form, size_t slots, ArrowArray* array) {
    auto& buffers = buffers_.emplace_back();
    array->n_buffers = form.buffers;
    const bool has_sizes = std::string_view(form.text).starts_with("+v");
    const bool has_offsets = form.buffers == 3 || (form.text[0] == '+' && form.width != 0);
    int64_t greatest = 0;
    if (form.buffers > 0) {
      buffers.push_back(Byte() % 2 == 0 ? nullptr : Keep(Bytes((slots + 7) / 8)));
    }
    if (form.width == 16 && form.buffers == 4) {
      AddViews(slots, &buffers);
    } else if (has_sizes) {
      greatest = AddRanges(slots, form.width, &buffers);
    } else if (has_offsets) {
      buffers.push_back(Keep(SmallNumbers(slots + 1, form.width, &greatest)));
    } else if (form.buffers > 1) {
      const bool is_bits = form.text[0] == 'b';
      buffers.push_back(Keep(Bytes(is_bits ? (slots + 7) / 8 : slots * form.width)));
    }
    // As long as the greatest offset asks for.
    if (form.buffers == 3 && !has_sizes)
      buffers.push_back(Keep(Bytes(static_cast<size_t>(greatest))));
    if (Breaks() && !buffers.empty()) buffers[Byte() % buffers.size()] = nullptr;
    array->buffers = buffers.data();
    return greatest;
  }

  // Of list views, in any order. Returns where the last of them ends.
  int64_t AddRanges(size_t slots, size_t width, std::vector<const void*>* buffers) {
    std::vector<uint8_t> begins(slots * width), sizes(slots * width);
    int64_t items = 0;
    for (size_t i = 0; i < slots; ++i) {
      const int64_t begin = Byte() % 64, size = Byte() % 8;
      items = std::max(items, begin + size);
      std::memcpy(&begins[i * width], &begin, width);
      std::memcpy(&sizes[i * width], &size, width);
    }
    if (slots > 0 && Breaks()) {
      const int64_t any = AnyArrowLength(Byte());
      std::vector<uint8_t>& broken = Byte() % 2 == 0 ? begins : sizes;
      std::memcpy(&broken[Byte() % slots * width], &any, width);
    }
    buffers->push_back(Keep(begins));
    buffers->push_back(Keep(sizes));
    return items;
  }

  void AddViews(size_t slots, std::vector<const void*>* buffers) {
    std::vector<uint8_t> views;
    for (size_t i = 0; i < slots; ++i) {
      int32_t view[4] = {Byte() % 24, 0, 0, Byte() % 24};
      if (Breaks()) view[Byte() % 4] = static_cast<int32_t>(Byte()) - 128;
      const auto* bytes = reinterpret_cast<const uint8_t*>(view);
      views.insert(views.end(), bytes, bytes + sizeof(view));
    }
    buffers->push_back(Keep(views));
    int64_t size = Byte() % 48;
    buffers->push_back(Keep(Bytes(static_cast<size_t>(size))));
    if (Breaks()) size = -size;
    std::vector<uint8_t> sizes(sizeof(size));
    std::memcpy(sizes.data(), &size, sizeof(size));
    buffers->push_back(Keep(sizes));
  }

  // `items`: that a list view or a map needs.
  void AddChildren(const ArrowFormat& form, int depth, int64_t items, ArrowSchema* schema,
                   ArrowArray* array) {
    const std::string text = form.text;
    const bool is_struct = text == "+s";
    const bool is_map = text == "+m";
    const bool is_view = text.starts_with("+v");
    const bool is_list = text == "+l" || text == "+L" || text.starts_with("+w") || is_view;
    const bool is_entries = is_struct && entries_of_map_;
    entries_of_map_ = is_map;
    size_t count = is_entries ? 2 : is_struct ? 1 + Byte() % 6U : is_list || is_map ? 1 : 0;
    if (depth >= kMaxDepth && is_struct) count = 0;
    const uint8_t usual = depth == 0 ? Byte() : 0;
    auto& schema_children = schema_children_.emplace_back();
    auto& array_children = array_children_.emplace_back();
    for (size_t i = 0; i < count; ++i) {
      schema_children.push_back(&schemas_.emplace_back());
      array_children.push_back(&arrays_.emplace_back());
      const ArrowColumn column = is_map               ? ArrowColumn{"entries", kTable}
                                 : depth >= kMaxDepth ? ArrowColumn{"item", 0}
                                 : is_entries         ? Member(i)
                                 : depth == 0 && usual % 4 != 0
                                     ? kUsualColumns[(usual + i) % std::size(kUsualColumns)]
                                 : is_list && Byte() % 2 == 0 ? ArrowColumn{"item", 0}
                                                              : Any();
      // Long enough for its parent, mostly.
      int64_t length = array->length + array->offset;
      if (text.starts_with("+w")) length *= text == "+w:1" ? 1 : 3;
      const bool has_items = is_view || is_map;
      if (has_items) length = items;
      if (text == "+l" || text == "+L" || Byte() % 16 == 15) length = Byte() % 64;
      ArrowSchema* const child = schema_children.back();
      Make(column, depth + 1, length, child, array_children.back());
    }
    schema->n_children = array->n_children = static_cast<int64_t>(count);
    schema->children = schema_children.data();
    array->children = array_children.data();
  }

  bool entries_of_map_ = false;  // Those of the next struct are.
  std::string formats_ = " ";

  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
  ArrowSchema schema_{};
  ArrowArray array_{};
  std::deque<ArrowSchema> schemas_;
  std::deque<ArrowArray> arrays_;
  std::deque<std::vector<ArrowSchema*>> schema_children_;
  std::deque<std::vector<ArrowArray*>> array_children_;
  std::deque<std::vector<const void*>> buffers_;
  std::deque<std::unique_ptr<uint8_t[]>> blocks_;
};

}  // namespace dsi::fuzz
