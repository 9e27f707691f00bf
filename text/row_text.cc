// Rows as JSON Lines, from an internal scan of jagged columns. The names make a tree, once; each
// row is one walk over it.
#include "dsi/text/row_text.h"

#include <simdjson.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/reader/scan/batch_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/text/row_text_buffer_internal.h"

namespace dsi {
namespace {

using internal::kPositionName;
using internal::OpenColumn;
using internal::TextBuffer;

constexpr uint32_t kBatchRows = 1024;

// An object (no column) or a column's value, under a key.
struct TextNode {
  std::string key;  // Escaped, with quotes and colon.
  const OpenColumn* column = nullptr;
  size_t output = 0;  // Position in views_.
  std::vector<TextNode> members;
  std::map<std::string, size_t, std::less<>> objects;  // Members that are objects, by name.
};

// The keys under which a column's value stands: its name cut at dots where they are nesting; the
// columns of one feature are always one object.
std::vector<std::string_view> PathOf(const OpenColumn& column,
                                     const std::set<std::string_view>& leaves) {
  const std::string_view name = column.name;
  std::vector<std::string_view> path;
  size_t begin = 0;
  if (column.record.nested) {
    for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', begin)) {
      // A name that is a column itself cannot be an object as well; an empty part is no key.
      if (dot == begin || dot + 1 == name.size() || leaves.contains(name.substr(0, dot)))
        return {name};
      path.push_back(name.substr(begin, dot - begin));
      begin = dot + 1;
    }
  } else if (column.record.feature_name_size < name.size()) {
    path.push_back(name.substr(0, column.record.feature_name_size));
    begin = column.record.feature_name_size + size_t{1};
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
  explicit Impl(bool quotes_wide_integers) { text_.quotes_wide_integers = quotes_wide_integers; }

  Result<bool> Next(std::string* out, std::vector<uint64_t>* positions) {
    if (positions != nullptr) positions->clear();
    DSI_ASSIGN_OR_RETURN(const bool more, scan_->Next(&batch_));
    if (!more) return false;
    if (!built_) Build();
    for (size_t i = 0; i < views_.size(); ++i) {
      DSI_ASSIGN_OR_RETURN(views_[i], batch_.Jagged(names_[i]));
    }
    text_.Clear();
    for (size_t row = 0; row < batch_.num_rows(); ++row) {
      DSI_RETURN_IF_ERROR(AddObject(root_, row).At(fmt::format("row {}", RowNumber(row))));
      text_.Add('\n');
    }
    out->append(text_.text());
    if (positions != nullptr) DSI_RETURN_IF_ERROR(AddPositions(positions));
    next_row = RowNumber(batch_.num_rows() - 1) + 1;
    return true;
  }

  Status failed;  // Rows may be lost: there are no more.
  std::unique_ptr<Scan> scan_;
  bool position_named_ = false;
  uint64_t next_row = 0;

 private:
  uint64_t RowNumber(size_t row) const {
    const std::span<const uint64_t> numbers = batch_.row_numbers();
    return numbers.empty() ? batch_.first_row() + row : numbers[row];
  }

  // The names and types are those of the scan, known with its first batch.
  void Build() {
    built_ = true;
    const internal::ScanProjection& projection = *internal::BatchAccess::State(&batch_)->projection;
    std::vector<const OpenColumn*> columns;
    for (const OpenColumn& column : projection.columns) {
      if (column.name == kPositionName) has_position_ = true;
      if (column.name != kPositionName || position_named_) columns.push_back(&column);
    }
    std::sort(columns.begin(), columns.end(),
              [](const OpenColumn* a, const OpenColumn* b) { return a->ordinal < b->ordinal; });
    std::set<std::string_view> leaves;
    for (const OpenColumn* column : columns) leaves.insert(column->name);
    for (const OpenColumn* column : columns) {
      std::vector<std::string_view> path = PathOf(*column, leaves);
      const std::string_view key = path.back();
      path.pop_back();
      TextNode* node = &root_;
      for (const std::string_view name : path) node = FindOrAddObject(node, name);
      node = Add(node, key);
      node->column = column;
      node->output = names_.size();
      names_.push_back(column->name);
    }
    views_.resize(names_.size());
    projection_ = internal::BatchAccess::State(&batch_)->projection;  // Keeps the columns.
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
    const Kind kind = member.column->record.kind;
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
  Status AddPositions(std::vector<uint64_t>* positions) {
    positions->resize(batch_.num_rows());
    for (size_t row = 0; row < positions->size(); ++row) (*positions)[row] = RowNumber(row);
    if (!has_position_) return Status::Ok();
    DSI_ASSIGN_OR_RETURN(const JaggedView view, batch_.Jagged(kPositionName));
    if (TypeWidth(view.dtype) != 8 || IsFloat(view.dtype)) return Status::Ok();
    for (size_t row = 0; row < positions->size(); ++row) {
      if (view.offsets[row + 1] - view.offsets[row] != 1) continue;
      std::memcpy(&(*positions)[row],
                  static_cast<const std::byte*>(view.values) + view.offsets[row] * 8, 8);
    }
    return Status::Ok();
  }

  bool built_ = false;
  bool has_position_ = false;
  TextNode root_;
  std::vector<std::string> names_;
  std::vector<JaggedView> views_;
  std::shared_ptr<const internal::ScanProjection> projection_;
  Batch batch_;
  TextBuffer text_;
};

RowText::RowText(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RowText::~RowText() = default;

Result<std::unique_ptr<RowText>> RowText::Create(const Reader& reader,
                                                 const RowTextOptions& options) {
  return internal::NoThrow([&] { return Make(reader, options); });
}

Result<std::unique_ptr<RowText>> RowText::Make(const Reader& reader,
                                               const RowTextOptions& options) {
  auto impl = std::make_unique<Impl>(options.wide_integers_as_strings);
  ScanOptions scan;
  scan.batch_size = kBatchRows;
  scan.row_begin = options.row_begin;
  scan.row_end = options.row_end;
  scan.filter = options.filter;
  impl->next_row = options.row_begin;
  scan.memory_bytes = options.memory_bytes;
  bool reads_position = options.features.empty();
  for (const std::string& name : options.features) {
    scan.features.push_back({.name = name, .layout = Layout::kJagged, .dtype = {}});
    impl->position_named_ |= name == kPositionName;
    reads_position |= internal::GlobMatches(name, kPositionName);
  }
  if (scan.features.empty())
    scan.features.push_back({.name = "*", .layout = Layout::kJagged, .dtype = {}});
  if (!reads_position) {
    const Result<ColumnInfo> position = reader.FindColumn(kPositionName);
    if (position.ok() && position->support.ok())
      scan.features.push_back(
          {.name = std::string(kPositionName), .layout = Layout::kJagged, .dtype = {}});
  }
  DSI_ASSIGN_OR_RETURN(impl->scan_, reader.NewScan(scan));
  return std::unique_ptr<RowText>(new RowText(std::move(impl)));
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

uint64_t RowText::next_row() const noexcept { return impl_->next_row; }

}  // namespace dsi
