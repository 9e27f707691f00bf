// Builds tables of Arrow from any bytes: schemas and arrays of any structure, whose buffers are as
// long as what they claim, to the byte. They are refused or read; what was read is whole, and no
// struct of the caller's is released.
//
// Input: bytes that answer one question after another (which format, how long, what is broken);
// where they end, the answer is 0.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/arrow/arrow_input.h"

namespace {

// Who reads a struct must know all of what a format says; `width`: bytes of a slot.
struct Format {
  const char* text;
  size_t width;
  int64_t buffers;
};
constexpr Format kFormats[] = {
    {"l", 8, 2},       {"i", 4, 2},    {"s", 2, 2},     {"c", 1, 2},   {"L", 8, 2},   {"I", 4, 2},
    {"S", 2, 2},       {"C", 1, 2},    {"f", 4, 2},     {"g", 8, 2},   {"e", 2, 2},   {"b", 0, 2},
    {"tsn:", 8, 2},    {"tdD", 4, 2},  {"tdm", 8, 2},   {"ttm", 4, 2}, {"tDu", 8, 2}, {"n", 0, 0},
    {"u", 4, 3},       {"Z", 8, 3},    {"vu", 16, 4},   {"w:0", 0, 2}, {"w:3", 3, 2}, {"+l", 4, 2},
    {"+L", 8, 2},      {"+w:1", 0, 1}, {"+w:3", 0, 1},  {"+s", 0, 1},  {"+l", 4, 2},  {"+s", 0, 1},
    {"d:38,9", 16, 2}, {"+m", 4, 2},   {"+ud:0", 0, 2}, {"+r", 0, 0},  {"w:x", 0, 2}, {"", 0, 0},
    {"+l", 4, 2},      {"+L", 8, 2},   {"+w:3", 0, 1},  {"vu", 16, 4}, {"c", 1, 2},   {"i", 4, 2},
    {"+vl", 4, 3},     {"+vL", 8, 3}};
constexpr const char* kNames[] = {"a",      "b",          "v",   "h",       "t",
                                  "item",   "time",       "ids", "weights", "h.item",
                                  "h.time", "session_id", "l",   "g",       "tags"};
// Columns as a table has them that is read into kTarget, beside those that are anything.
struct Usual {
  const char* name;
  size_t format;
};
constexpr Usual kUsual[] = {{"h.item", 23}, {"h.time", 24}, {"v", 26}, {"item", 18},
                            {"b", 23},      {"a", 0},       {"t", 23}, {"session_id", 1},
                            {"l", 23},      {"l", 24},      {"g", 23}};
constexpr const char* kTarget = R"({"features": [
    {"name": "a", "kind": "dense", "type": "int32"},
    {"name": "b", "kind": "list", "type": "int16"},
    {"name": "v", "kind": "embedding", "type": "float32", "length": 3},
    {"name": "h", "kind": "sequence", "columns": [{"name": "item", "type": "int64", "hashed": true},
                                                  {"name": "time", "type": "uint32"}]},
    {"name": "t", "kind": "weighted", "type": "int64", "hashed": true},
    {"name": "item", "kind": "string"},
    {"name": "time", "kind": "timestamp", "unit": "ms"},
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "ids", "kind": "list", "type": "bool"},
    {"name": "l", "kind": "list", "type": "int32", "hashed": true},
    {"name": "l_lengths", "kind": "list", "type": "int32"},
    {"name": "g", "kind": "sequence", "columns": [{"name": "item", "type": "int64"},
                                                  {"name": "tags_lengths", "type": "int64"}]},
    {"name": "g.tags", "kind": "list", "type": "int16", "nested": false}]})";

void Require(bool holds) {
  if (!holds) std::abort();
}

class TableMaker {
 public:
  TableMaker(const uint8_t* data, size_t size) : data_(data), size_(size) {
    Make({"", kTable}, 0, Byte() % 40, &schema_, &array_);
  }

  uint8_t Byte() { return at_ < size_ ? data_[at_++] : 0; }
  const ArrowSchema& schema() const { return schema_; }
  const ArrowArray& array() const { return array_; }

 private:
  static constexpr int kMaxDepth = 6;
  static constexpr size_t kTable = 27;    // Its format.
  static constexpr size_t kIntegers = 8;  // Formats below may be indices.

  // One in 32 is broken.
  bool Breaks() { return (Byte() & 31) == 31; }
  int64_t AnyLength() {
    constexpr int64_t kLengths[] = {-1, INT64_MIN, INT64_MAX, 0};
    return kLengths[Byte() % 4];
  }

  void Make(const Usual& column, int depth, int64_t length, ArrowSchema* schema,
            ArrowArray* array) {
    const Format& form = kFormats[column.format];
    const int64_t offset = Byte() % 4 == 3 ? Byte() % 40 : 0;
    schema->format = form.text;
    schema->name = column.name;
    schema->release = [](ArrowSchema*) { std::abort(); };
    array->length = length;
    array->offset = offset;
    array->null_count = -1;
    array->release = [](ArrowArray*) { std::abort(); };
    AddBuffers(form, static_cast<size_t>(length + offset), array);
    AddChildren(form, depth, schema, array);
    const bool is_index = column.format < kIntegers;
    if (is_index && depth < kMaxDepth && Byte() % 4 == 3) {
      schema->dictionary = &schemas_.emplace_back();
      array->dictionary = &arrays_.emplace_back();
      constexpr size_t kOften[] = {18, 23, 0};
      const uint8_t often = Byte();
      Make(often % 2 == 0 ? Usual{"", kOften[often / 2 % 3]} : Any(), depth + 1, Byte() % 20,
           schema->dictionary, array->dictionary);
    }
    if (Breaks()) Break(schema, array);
  }

  Usual Any() {
    const char* const name = kNames[Byte() % std::size(kNames)];
    return {name, Byte() % std::size(kFormats)};
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

  void AddBuffers(const Format& form, size_t slots, ArrowArray* array) {
    auto& buffers = buffers_.emplace_back();
    array->n_buffers = form.buffers;
    const bool has_offsets = form.buffers == 3 || (form.text[0] == '+' && form.width != 0);
    int64_t greatest = 0;
    if (form.buffers > 0) {
      buffers.push_back(Byte() % 2 == 0 ? nullptr : Keep(Bytes((slots + 7) / 8)));
    }
    if (form.width == 16 && form.buffers == 4) {
      AddViews(slots, &buffers);
    } else if (has_offsets) {
      buffers.push_back(Keep(SmallNumbers(slots + 1, form.width, &greatest)));
    } else if (form.buffers > 1) {
      const bool is_bits = form.text[0] == 'b';
      buffers.push_back(Keep(Bytes(is_bits ? (slots + 7) / 8 : slots * form.width)));
    }
    // As long as the greatest offset asks for.
    const bool has_sizes = std::string_view(form.text).starts_with("+v");
    if (has_sizes) buffers.push_back(Keep(SmallNumbers(slots, form.width, &greatest)));
    if (form.buffers == 3 && !has_sizes)
      buffers.push_back(Keep(Bytes(static_cast<size_t>(greatest))));
    if (Breaks() && !buffers.empty()) buffers[Byte() % buffers.size()] = nullptr;
    array->buffers = buffers.data();
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

  void AddChildren(const Format& form, int depth, ArrowSchema* schema, ArrowArray* array) {
    const std::string text = form.text;
    const bool is_struct = text == "+s";
    const bool is_list = text == "+l" || text == "+L" || text.starts_with("+w");
    size_t count = is_struct ? 1 + Byte() % 6U : is_list ? 1 : 0;
    if (depth >= kMaxDepth && is_struct) count = 0;
    const uint8_t usual = depth == 0 ? Byte() : 0;
    auto& schema_children = schema_children_.emplace_back();
    auto& array_children = array_children_.emplace_back();
    for (size_t i = 0; i < count; ++i) {
      schema_children.push_back(&schemas_.emplace_back());
      array_children.push_back(&arrays_.emplace_back());
      const Usual column = depth >= kMaxDepth             ? Usual{"item", 0}
                           : depth == 0 && usual % 4 != 0 ? kUsual[(usual + i) % std::size(kUsual)]
                           : is_list && Byte() % 2 == 0   ? Usual{"item", 0}
                                                          : Any();
      // Long enough for its parent, mostly.
      int64_t length = array->length + array->offset;
      if (text.starts_with("+w")) length *= text == "+w:1" ? 1 : 3;
      if (text == "+l" || text == "+L" || Byte() % 16 == 15) length = Byte() % 64;
      ArrowSchema* const child = schema_children.back();
      Make(column, depth + 1, length, child, array_children.back());
    }
    schema->n_children = array->n_children = static_cast<int64_t>(count);
    schema->children = schema_children.data();
    array->children = array_children.data();
  }

  void Break(ArrowSchema* schema, ArrowArray* array) {
    switch (Byte() % 16) {
      case 0:
        array->length = AnyLength();
        break;
      case 1:
        array->offset = AnyLength();
        break;
      case 2:
        array->null_count = Byte() - 3;
        break;
      case 3:
        array->n_buffers += Byte() % 2 == 0 ? -1 : -2;
        break;
      case 4:
        array->n_children = AnyLength();
        break;
      case 5:
        schema->n_children = AnyLength();
        break;
      case 6:
        array->children = nullptr;
        break;
      case 7:
        schema->children = nullptr;
        break;
      case 8:
        array->buffers = nullptr;
        break;
      case 9:
        array->release = nullptr;
        break;
      case 10:
        schema->release = nullptr;
        break;
      case 11:
        array->dictionary = nullptr;
        break;
      case 12:
        schema->name = nullptr;
        break;
      case 13:
        schema->format = nullptr;
        break;
      case 14:
        if (array->n_children > 0) array->children[0] = nullptr;
        break;
      default:
        if (schema->n_children > 0 && schema->children != nullptr) schema->children[0] = schema;
    }
  }

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

// Every feature has as many values as its rows say.
void RequireWhole(const dsi::RowBatch& batch) {
  for (size_t f = 0; f < batch.schema().features.size(); ++f) {
    const dsi::FeatureSpec& spec = batch.schema().features[f];
    const dsi::RowBatch::FeatureBuffer& rows = batch.feature(f);
    uint64_t entries = rows.num_present * std::max<uint64_t>(spec.fixed_length, 1);
    if (dsi::HasLengths(spec.kind, spec.columns[0].type)) {
      Require(rows.lengths.size() == rows.num_present);
      entries = 0;
      for (const uint32_t length : rows.lengths) entries += length;
    }
    for (size_t c = 0; c < spec.columns.size(); ++c) {
      Require(rows.values[c].size() ==
              entries * static_cast<size_t>(dsi::TypeWidth(spec.columns[c].type)));
    }
  }
}

void Read(const TableMaker& table, std::shared_ptr<const dsi::Schema> target, bool ignore,
          dsi::NullEntries nulls) {
  const auto input = dsi::ArrowInput::Create(
      table.schema(), target,
      {.ignore_unknown = ignore, .null_entries = nulls, .memory_bytes = 1 << 20});
  if (!input.ok()) return Require(!input.status().message().empty());
  dsi::RowBatch batch(std::move(target));
  for (int times = 0; times < 2; ++times) {
    const size_t before = batch.num_rows();
    const dsi::Status status = (*input)->Append(table.array(), &batch);
    Require(batch.num_rows() ==
            before + (status.ok() ? static_cast<size_t>(table.array().length) : 0));
    Require(status.ok() || !status.message().empty());
  }
  if (batch.num_rows() > 0) RequireWhole(batch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto target = std::make_shared<const dsi::Schema>(*dsi::Schema::FromJson(kTarget));
  const TableMaker table(data, size);
  constexpr std::array kAll = {dsi::NullEntries::kFail, dsi::NullEntries::kDrop,
                               dsi::NullEntries::kFill};
  for (const dsi::NullEntries nulls : kAll) Read(table, target, true, nulls);
  dsi::Result<dsi::Schema> found = dsi::SchemaFromArrow(table.schema());
  if (dsi::Result<dsi::Schema> by_rows = dsi::SchemaFromArrow(table.schema(), &table.array());
      by_rows.ok()) {
    Require(found.ok());
    found = std::move(by_rows);
  }
  // What was found takes every table that is sound.
  if (!found.ok()) return 0;
  const auto own = std::make_shared<const dsi::Schema>(*std::move(found));
  for (const dsi::NullEntries nulls : kAll) Read(table, own, false, nulls);
  return 0;
}
