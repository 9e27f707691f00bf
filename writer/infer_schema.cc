// Finds a schema: one pass over the rows that remembers what each name held.
#include <simdjson.h>

#include <deque>
#include <unordered_set>
#include <utility>

#include "dsi/format/error_internal.h"
#include "dsi/format/json_position_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/no_throw_internal.h"
#include "dsi/writer/delimited_record_internal.h"
#include "dsi/writer/infer_feature_internal.h"
#include "dsi/writer/json_line_internal.h"
#include "dsi/writer/key_tree_internal.h"
#include "dsi/writer/text_rows_internal.h"

namespace dsi {
namespace internal {
namespace {

namespace dom = simdjson::dom;
using dom::element_type;

// Looks at rows and gives what was seen of each name, in order of first appearance.
class RowLooker {
 public:
  explicit RowLooker(LineSource* lines) : lines_(lines) {}
  virtual ~RowLooker() = default;
  RowLooker(const RowLooker&) = delete;
  RowLooker& operator=(const RowLooker&) = delete;
  // False at the end.
  virtual Result<bool> LookAtRow() = 0;

  std::deque<SeenFeature>& seen() { return seen_; }

 protected:
  LineSource& lines() { return *lines_; }
  uint64_t line() const { return lines_->lines_done(); }
  Result<uint32_t> Add(std::string_view name) {
    name_bytes_ += name.size();
    if (name.empty() || name.size() > kMaxNameBytes) {
      return BadInput("{}: a name of {} bytes, expected 1 to {}", lines_->Where(), name.size(),
                      kMaxNameBytes);
    }
    if (seen_.size() >= kMaxColumns || name_bytes_ > kMaxSchemaBytes) {
      return Error(StatusCode::kResourceExhausted, "{}: more than {} features", lines_->Where(),
                   seen_.size());
    }
    seen_.emplace_back().name = name;
    return static_cast<uint32_t>(seen_.size() - 1);
  }

 private:
  LineSource* lines_;
  std::deque<SeenFeature> seen_;
  uint64_t name_bytes_ = 0;
};

class JsonLooker : public RowLooker {
 public:
  using RowLooker::RowLooker;

  Result<bool> LookAtRow() override {
    std::string_view text;
    do {
      DSI_ASSIGN_OR_RETURN(const bool more, lines().Next(&text));
      if (!more) return false;
    } while (IsBlank(text));
    dom::object object;
    DSI_RETURN_IF_ERROR(parser_.Parse(text, lines(), &object));
    ++row_;
    DSI_RETURN_IF_ERROR(LookAtObject(object, keys_.root()));
    return true;
  }

 private:
  Status LookAtObject(dom::object object, KeyTree::Node* parent) {
    KeyTree::Entry* last = nullptr;
    for (const dom::key_value_pair member : object) {
      if (keys_.size() > kMaxColumns || parent->name.size() > kMaxNameBytes) {
        return BadInput("{}: too many or too long names", lines().Where());
      }
      KeyTree::Node* node = keys_.FindOrAdd(parent, member.key, &last);
      if (node->row == row_) {
        return BadInput("{}: {} stands twice in the row", lines().Where(),
                        QuoteForMessage(node->name));
      }
      node->row = row_;
      if (member.value.is_null()) continue;
      if (member.value.is_object()) {
        DSI_RETURN_IF_ERROR(LookAtObject(member.value, node));
        continue;
      }
      if (node->feature == KeyTree::kNone) {
        DSI_ASSIGN_OR_RETURN(node->feature, Add(node->name));
      }
      SeenFeature& feature = seen()[node->feature];
      // A dot inside a top-level key is part of the key; below, it cannot be told from nesting.
      const bool dotted = member.key.find('.') != std::string_view::npos;
      feature.nested |= parent != keys_.root() || !dotted;
      DSI_RETURN_IF_ERROR(LookAtValue(member.value, &feature));
    }
    return {};
  }

  Status LookAtValue(dom::element value, SeenFeature* feature) {
    dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      (void)LookAtNumber(value, &feature->one);
      return {};
    }
    bool empty = true;
    for (const dom::element item : array) {
      empty = false;
      const bool known = LookAtNumber(item, &feature->many);
      if (!known || feature->many.text_line != 0) {
        return BadInput(
            "{}: feature {}: found {} in an array, expected numbers (arrays of strings, "
            "nulls, arrays and objects have no place in a row)",
            lines().Where(), QuoteForMessage(feature->name), DescribeJson(item));
      }
    }
    if (empty && feature->empty_list_line == 0) feature->empty_list_line = line();
    return {};
  }

  // False for what is neither number, string nor truth value.
  bool LookAtNumber(dom::element value, SeenValues* values) {
    switch (value.type()) {
      case element_type::INT64:
        values->AddInt(int64_t(value), line());
        return true;
      case element_type::UINT64:
        values->AddUint(uint64_t(value), line());
        return true;
      case element_type::DOUBLE:
        values->AddDouble(line());
        return true;
      case element_type::BOOL:
        values->AddBool(line());
        return true;
      case element_type::STRING:
        values->AddText(std::string_view(value), line());
        return true;
      default:
        return false;
    }
  }

  KeyTree keys_;
  JsonLineParser parser_;
  uint64_t row_ = 0;
};

class DelimitedLooker : public RowLooker {
 public:
  DelimitedLooker(LineSource* source, char delimiter)
      : RowLooker(source), records_(source, delimiter) {}

  Status ReadHeader() {
    DSI_ASSIGN_OR_RETURN(const bool more, records_.Next());
    if (!more) return BadInput("{}: found no line, expected a header", lines().Where());
    std::unordered_set<std::string> names;
    for (const Cell& cell : records_.cells()) {
      if (!names.emplace(cell.text).second) {
        return BadInput("{}: {} stands twice in the header", lines().Where(),
                        QuoteForMessage(cell.text));
      }
      DSI_RETURN_IF_ERROR(Add(cell.text).status());
    }
    // "a" and "a.b" side by side can only be two plain names.
    for (SeenFeature& feature : seen()) {
      feature.nested = true;
      for (size_t dot = feature.name.find('.'); dot != std::string::npos;
           dot = feature.name.find('.', dot + 1)) {
        if (names.contains(feature.name.substr(0, dot))) feature.nested = false;
      }
    }
    return {};
  }

  Result<bool> LookAtRow() override {
    DSI_ASSIGN_OR_RETURN(const bool more, records_.Next());
    if (!more) return false;
    const std::vector<Cell>& cells = records_.cells();
    if (cells.size() != seen().size()) {
      return BadInput("{}: found {} cells, expected the {} of the header", lines().Where(),
                      cells.size(), seen().size());
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].text.empty()) LookAtCell(cells[i].text, &seen()[i]);
    }
    return true;
  }

 private:
  void LookAtCell(std::string_view text, SeenFeature* feature) {
    if (text.find('|') == std::string_view::npos) {
      LookAtPart(text, &feature->one);
      return;
    }
    SeenValues parts;
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find('|', at), text.size());
      LookAtPart(text.substr(at, end - at), &parts);
      at = end + 1;
    }
    // A bar in a text is no list.
    if (parts.text_line != 0) {
      feature->one.AddText(text, line());
    } else {
      feature->many.Merge(parts);
    }
  }

  void LookAtPart(std::string_view text, SeenValues* values) {
    int64_t whole = 0;
    uint64_t big = 0;
    double number = 0;
    if (text == "true" || text == "false") return values->AddBool(line());
    // Leading zeros mark a code, which a number would lose.
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') {
      return values->AddText(text, line());
    }
    switch (ParseNumber(text, &whole, &big, &number)) {
      case NumberText::kInt:
        return values->AddInt(whole, line());
      case NumberText::kUint:
        return values->AddUint(big, line());
      case NumberText::kDouble:
        return values->AddDouble(line());
      case NumberText::kNone:
        return values->AddText(text, line());
    }
  }

  RecordReader records_;
};

Status LookAtRows(RowLooker* rows, const LineSource& lines, const InferOptions& options) {
  constexpr uint64_t kProgressBytes = 1 << 20;
  uint64_t reported = 0;
  for (uint64_t row = 0; options.max_rows == 0 || row < options.max_rows; ++row) {
    DSI_ASSIGN_OR_RETURN(const bool more, rows->LookAtRow());
    if (!more) break;
    if (!options.progress || lines.bytes_done() - reported < kProgressBytes) continue;
    reported = lines.bytes_done();
    if (!options.progress(reported, lines.bytes_total())) {
      return {StatusCode::kCancelled, "cancelled while finding a schema"};
    }
  }
  return {};
}

Result<Schema> MakeSchema(const std::deque<SeenFeature>& seen, bool typed_text) {
  Schema schema;
  std::string session;
  std::string time;
  for (const SeenFeature& one : seen) {
    // A name that never had a value says nothing; in a header it still needs a place.
    const bool valueless = one.one.FirstLine() == 0 && one.many.FirstLine() == 0;
    if (valueless && one.empty_list_line == 0 && typed_text) continue;
    SeenFeature known = one;
    if (valueless && !typed_text) known.one.text_line = 1;
    DSI_ASSIGN_OR_RETURN(FeatureSpec feature, InferFeature(known, typed_text));
    if (session.empty() && feature.kind == Kind::kKey && feature.name.ends_with("session_id")) {
      session = feature.name;
    }
    if (time.empty() && feature.kind == Kind::kTimestamp) time = feature.name;
    schema.features.push_back(std::move(feature));
  }
  if (!session.empty()) schema.cluster_by.push_back(session);
  if (!session.empty() && !time.empty()) schema.cluster_by.push_back(time);
  return schema;
}

Result<Schema> InferFromLines(LineSource* lines, TextFormat format, const InferOptions& options) {
  const bool typed_text = format == TextFormat::kJsonLines;
  std::unique_ptr<RowLooker> rows;
  if (typed_text) {
    rows = std::make_unique<JsonLooker>(lines);
  } else {
    auto cells = std::make_unique<DelimitedLooker>(lines, format == TextFormat::kCsv ? ',' : '\t');
    DSI_RETURN_IF_ERROR(cells->ReadHeader());
    rows = std::move(cells);
  }
  DSI_RETURN_IF_ERROR(LookAtRows(rows.get(), *lines, options));
  DSI_ASSIGN_OR_RETURN(Schema schema, MakeSchema(rows->seen(), typed_text));
  if (schema.features.empty()) return BadInput("found no values to find a schema from");
  const Status status = schema.Validate();
  if (status.code() == StatusCode::kInvalidArgument)
    return Status(StatusCode::kBadInput, status.message());
  DSI_RETURN_IF_ERROR(status);
  return schema;
}

}  // namespace
}  // namespace internal

Result<Schema> InferSchema(const std::string& path, const InferOptions& options) {
  return internal::NoThrow([&]() -> Result<Schema> {
    DSI_ASSIGN_OR_RETURN(const TextFormat format,
                         internal::ResolveTextFormat(path, options.text.format));
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<internal::LineSource> lines,
                         internal::OpenLines(path, options.text.max_line_bytes));
    Result<Schema> schema = internal::InferFromLines(lines.get(), format, options);
    // Messages about a line name the source already.
    const std::string name = internal::SourceName(path);
    if (schema.ok() || schema.status().message().starts_with(name)) return schema;
    return schema.status().At(name);
  });
}

}  // namespace dsi
