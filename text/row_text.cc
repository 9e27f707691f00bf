// Rows as JSON Lines, from an internal scan of jagged columns. The names make a tree, once; each
// row is one walk over it.
#include "dsi/text/row_text.h"

#include <simdjson.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/text/row_text_buffer_internal.h"

namespace dsi {
namespace {

using internal::kPositionName;
using internal::TextBuffer;

constexpr uint32_t kBatchRows = 1024;

// An object (no column) or a column's value, under a key.
struct TextNode {
  std::string key;  // Escaped, with quotes and colon.
  const ColumnInfo* column = nullptr;
  size_t output = 0;  // Position in the columns of the scan.
  std::vector<TextNode> members;
  std::map<std::string, size_t, std::less<>> objects;  // Members that are objects, by name.
};

// The keys under which a column's value stands: its name cut at dots where they are nesting; the
// columns of one feature are always one object.
std::vector<std::string_view> PathOf(const ColumnInfo& column,
                                     const std::set<std::string_view>& leaves) {
  const std::string_view name = column.name;
  std::vector<std::string_view> path;
  size_t begin = 0;
  if (column.nested) {
    for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', begin)) {
      // A name that is a column itself cannot be an object as well; an empty part is no key.
      if (dot == begin || dot + 1 == name.size() || leaves.contains(name.substr(0, dot)))
        return {name};
      path.push_back(name.substr(begin, dot - begin));
      begin = dot + 1;
    }
  } else if (column.feature.size() < name.size()) {
    path.push_back(name.substr(0, column.feature.size()));
    begin = column.feature.size() + 1;
  }
  path.push_back(name.substr(begin));
  return path;
}

TextNode* Add(TextNode* parent, std::string_view name) {
  TextBuffer key;
  key.AddQuoted(name);
  key.Add(':');
  parent->members.emplace_back().key = key.text();
  return &parent->members.back();
}

TextNode* FindOrAddObject(TextNode* parent, std::string_view name) {
  const auto at = parent->objects.find(name);
  if (at != parent->objects.end()) return &parent->members[at->second];
  parent->objects.emplace(name, parent->members.size());
  return Add(parent, name);
}

template <typename T>
void AddValues(const JaggedView& view, size_t row, bool list, TextBuffer* text) {
  const std::byte* const values = static_cast<const std::byte*>(view.values) +
                                  static_cast<size_t>(view.offsets[row]) * sizeof(T);
  if (list)
    return text->AddList<T>(values, static_cast<size_t>(view.offsets[row + 1] - view.offsets[row]));
  T value;
  std::memcpy(&value, values, sizeof(T));
  text->AddNumber(value);
}

// Types other than bytes.
void AddNumbers(const JaggedView& view, size_t row, bool list, TextBuffer* text) {
  switch (view.dtype) {
    case Type::kBool:
      return AddValues<bool>(view, row, list, text);  // The scan has checked that it is 0 or 1.
    case Type::kInt8:
      return AddValues<int8_t>(view, row, list, text);
    case Type::kInt16:
      return AddValues<int16_t>(view, row, list, text);
    case Type::kInt32:
      return AddValues<int32_t>(view, row, list, text);
    case Type::kInt64:
      return AddValues<int64_t>(view, row, list, text);
    case Type::kUint8:
      return AddValues<uint8_t>(view, row, list, text);
    case Type::kUint16:
      return AddValues<uint16_t>(view, row, list, text);
    case Type::kUint32:
      return AddValues<uint32_t>(view, row, list, text);
    case Type::kUint64:
      return AddValues<uint64_t>(view, row, list, text);
    case Type::kFloat32:
      return AddValues<float>(view, row, list, text);
    case Type::kFloat64:
      return AddValues<double>(view, row, list, text);
    case Type::kBytes:
      return;
  }
}

}  // namespace

class RowText::Impl {
 public:
  // `columns`: those of the scan, in any order, or more. has_order: "__position" says where a row
  // once was.
  Impl(std::unique_ptr<Scan> scan, std::vector<ColumnInfo> columns, bool has_order,
       const RowTextOptions& options)
      : scan_(std::move(scan)),
        columns_(std::move(columns)),
        has_order_(has_order),
        next_row_(options.row_begin) {
    text_.quotes_wide_integers = options.wide_integers_as_strings;
    Build(std::count(options.features.begin(), options.features.end(), kPositionName) != 0);
  }

  Result<bool> Next(std::string* out, std::vector<uint64_t>* positions) {
    if (positions != nullptr) positions->clear();
    do {
      DSI_ASSIGN_OR_RETURN(const bool more, scan_->Next(&batch_));
      if (!more) return false;
    } while (batch_.num_rows() == 0);
    for (size_t i = 0; i < views_.size(); ++i) {
      DSI_ASSIGN_OR_RETURN(views_[i], batch_.Jagged(i));
    }
    text_.Clear();
    for (size_t row = 0; row < batch_.num_rows(); ++row) {
      DSI_RETURN_IF_ERROR(AddObject(root_, row).At(fmt::format("row {}", RowNumber(row))));
      text_.Add('\n');
    }
    out->append(text_.text());
    if (positions != nullptr) AddPositions(positions);
    next_row_ = RowNumber(batch_.num_rows() - 1) + 1;
    return true;
  }

  uint64_t next_row() const { return next_row_; }

  Status failed;  // Rows may be lost: there are no more.

 private:
  uint64_t RowNumber(size_t row) const {
    const std::span<const uint64_t> numbers = batch_.row_numbers();
    return numbers.empty() ? batch_.first_row() + row : numbers[row];
  }

  void Build(bool position_is_named) {
    const std::span<const ScanColumn> outputs = scan_->columns();
    views_.resize(outputs.size());
    std::map<std::string_view, size_t> output_of;  // A column that is named twice: the first.
    for (size_t i = 0; i < outputs.size(); ++i) output_of.emplace(outputs[i].name, i);
    std::vector<const ColumnInfo*> shown;
    for (const ColumnInfo& column : columns_) {
      const auto output = output_of.find(column.name);
      if (output == output_of.end()) continue;
      if (column.name == kPositionName && has_order_) position_ = output->second;
      if (column.name != kPositionName || position_is_named) shown.push_back(&column);
    }
    std::sort(shown.begin(), shown.end(),
              [](const ColumnInfo* a, const ColumnInfo* b) { return a->ordinal < b->ordinal; });
    std::set<std::string_view> leaves;
    for (const ColumnInfo* column : shown) leaves.insert(column->name);
    for (const ColumnInfo* column : shown) {
      std::vector<std::string_view> path = PathOf(*column, leaves);
      const std::string_view key = path.back();
      path.pop_back();
      TextNode* node = &root_;
      for (const std::string_view name : path) node = FindOrAddObject(node, name);
      node = Add(node, key);
      node->column = column;
      node->output = output_of.at(column->name);
    }
  }

  Status AddObject(const TextNode& object, size_t row) {
    text_.Add('{');
    bool first = true;
    for (const TextNode& member : object.members) {
      if (member.column != nullptr && views_[member.output].present[row] == 0) continue;
      const size_t before = text_.size();
      if (!first) text_.Add(',');
      text_.Add(member.key);
      if (member.column != nullptr) {
        DSI_RETURN_IF_ERROR(AddColumn(member, row));
      } else {
        const size_t inside = text_.size() + 1;
        DSI_RETURN_IF_ERROR(AddObject(member, row));
        // An object of missing features is missing.
        if (text_.size() == inside + 1) {
          text_.CutTo(before);
          continue;
        }
      }
      first = false;
    }
    text_.Add('}');
    return Status::Ok();
  }

  Status AddColumn(const TextNode& member, size_t row) {
    const JaggedView& view = views_[member.output];
    const Kind kind = member.column->kind;
    if (view.dtype != Type::kBytes) {
      AddNumbers(view, row, IsListKind(kind) || kind == Kind::kEmbedding, &text_);
      return Status::Ok();
    }
    const std::string_view bytes(static_cast<const char*>(view.values) + view.offsets[row],
                                 static_cast<size_t>(view.offsets[row + 1] - view.offsets[row]));
    if (!simdjson::validate_utf8(bytes)) {
      return internal::Error(StatusCode::kUnsupported,
                             "column {}: its bytes are not UTF-8, JSON cannot hold them",
                             member.column->name);
    }
    text_.AddQuoted(bytes);
    return Status::Ok();
  }

  // Where the file does not have it, or not as it should be: the row's number.
  void AddPositions(std::vector<uint64_t>* positions) const {
    positions->resize(batch_.num_rows());
    for (size_t row = 0; row < positions->size(); ++row) (*positions)[row] = RowNumber(row);
    if (!position_) return;
    const JaggedView& view = views_[*position_];
    if (TypeWidth(view.dtype) != 8 || IsFloat(view.dtype)) return;
    for (size_t row = 0; row < positions->size(); ++row) {
      if (view.offsets[row + 1] - view.offsets[row] != 1) continue;
      std::memcpy(&(*positions)[row],
                  static_cast<const std::byte*>(view.values) + view.offsets[row] * 8, 8);
    }
  }

  std::unique_ptr<Scan> scan_;
  std::vector<ColumnInfo> columns_;
  bool has_order_;
  std::optional<size_t> position_;  // Position of "__position" among the outputs.
  TextNode root_;
  std::vector<JaggedView> views_;  // By output of the scan.
  Batch batch_;
  TextBuffer text_;
  uint64_t next_row_ = 0;
};

RowText::RowText(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RowText::~RowText() = default;

namespace {

ScanOptions ScanOf(const RowTextOptions& options) {
  ScanOptions scan;
  scan.batch_size = kBatchRows;
  scan.filter = options.filter;
  scan.memory_bytes = options.memory_bytes;
  for (const std::string& name : options.features)
    scan.features.push_back({.name = name, .layout = Layout::kJagged, .dtype = {}});
  if (scan.features.empty())
    scan.features.push_back({.name = "*", .layout = Layout::kJagged, .dtype = {}});
  return scan;
}

// With "__position", where the file has it.
void AskForPosition(const Reader& reader, ScanOptions* scan) {
  for (const Projection& asked : scan->features) {
    if (internal::GlobMatches(asked.name, kPositionName)) return;
  }
  const Result<ColumnInfo> position = reader.FindColumn(kPositionName);
  if (position.ok() && position->support.ok())
    scan->features.push_back(
        {.name = std::string(kPositionName), .layout = Layout::kJagged, .dtype = {}});
}

// What the reader tells of the columns of its scan; of others only where all were asked for.
Result<std::vector<ColumnInfo>> ColumnsOf(const Reader& reader, const Scan& scan,
                                          const RowTextOptions& options) {
  if (options.features.empty()) return reader.Columns();
  std::vector<ColumnInfo> columns;
  std::set<std::string_view> seen;
  for (const ScanColumn& output : scan.columns()) {
    if (!seen.insert(output.name).second) continue;
    DSI_ASSIGN_OR_RETURN(ColumnInfo column, reader.FindColumn(output.name));
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

Result<std::unique_ptr<RowText>> RowText::Create(const Reader& reader,
                                                 const RowTextOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<RowText>> {
    ScanOptions asked = ScanOf(options);
    asked.row_begin = options.row_begin;
    asked.row_end = options.row_end;
    AskForPosition(reader, &asked);
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<Scan> scan, reader.NewScan(asked));
    DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, ColumnsOf(reader, *scan, options));
    return std::unique_ptr<RowText>(
        new RowText(std::make_unique<Impl>(std::move(scan), std::move(columns), true, options)));
  });
}

Result<std::unique_ptr<RowText>> RowText::Create(const Dataset& dataset,
                                                 const RowTextOptions& options) {
  return internal::NoThrow([&] {
    const uint64_t end = std::min(options.row_end, dataset.num_rows());
    DatasetScanOptions order;
    order.scan.batch_size = kBatchRows;
    order.rows = {{options.row_begin, std::max(options.row_begin, end)}};
    return Create(dataset, options, order);
  });
}

Result<std::unique_ptr<RowText>> RowText::Create(const Dataset& dataset,
                                                 const RowTextOptions& options,
                                                 const DatasetScanOptions& order) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<RowText>> {
    DatasetScanOptions asked = order;
    asked.scan = ScanOf(options);
    asked.scan.batch_size = order.scan.batch_size;
    asked.scan.drop_last = order.scan.drop_last;
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<Scan> scan, dataset.NewScan(asked));
    DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, dataset.Columns());
    return std::unique_ptr<RowText>(
        new RowText(std::make_unique<Impl>(std::move(scan), std::move(columns), false, options)));
  });
}

Result<bool> RowText::Next(std::string* out, std::vector<uint64_t>* positions) {
  return internal::NoThrow([&]() -> Result<bool> {
    if (out == nullptr) return internal::InvalidArgument("no string for the rows");
    if (!impl_->failed.ok()) return impl_->failed;
    auto more = internal::NoThrow([&] { return impl_->Next(out, positions); });
    if (!more.ok()) impl_->failed = more.status();
    return more;
  });
}

uint64_t RowText::next_row() const noexcept { return impl_->next_row(); }

}  // namespace dsi
