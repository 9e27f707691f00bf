// Checks an Arrow schema and takes from it what is needed.
#include "dsi/arrow/in/arrow_field_internal.h"

#include <cstring>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

// Of the caller's tree, which may be a ring.
constexpr int kMaxDepth = 64;
// Longer ones name the members of a union or a time zone: what follows does not matter.
constexpr size_t kMaxFormatBytes = 64;

class SchemaReader {
 public:
  // `where`: names of the fields around.
  Status Read(const ArrowSchema* schema, const std::string& where, int depth, ArrowField* field) {
    if (schema == nullptr) return BadInput("column {}: a null schema", QuoteForMessage(where));
    if (schema->release == nullptr) {
      return BadInput("column {}: a schema that was released", QuoteForMessage(where));
    }
    if (depth > kMaxDepth) {
      return BadInput("column {}: nested deeper than {}", QuoteForMessage(where), kMaxDepth);
    }
    if (++num_fields_ > kMaxColumns) return BadInput("more than {} Arrow fields", kMaxColumns);
    if (schema->format == nullptr) return BadInput("column {}: no format", QuoteForMessage(where));
    field->format.assign(schema->format, strnlen(schema->format, kMaxFormatBytes));
    ParseArrowFormat(field->format, field);
    if (schema->dictionary != nullptr) {
      DSI_RETURN_IF_ERROR(ReadDictionary(*schema, where, depth, field));
    }
    if (field->form == ArrowForm::kUnsupported) return {};
    return ReadChildren(*schema, where, depth, field);
  }

 private:
  Status ReadDictionary(const ArrowSchema& schema, const std::string& where, int depth,
                        ArrowField* field) {
    field->dictionary = std::make_unique<ArrowField>();
    DSI_RETURN_IF_ERROR(Read(schema.dictionary, where, depth + 1, field->dictionary.get()));
    if (field->form == ArrowForm::kNumber && IsInteger(field->type) && !field->is_span &&
        field->instant_nanos == 0) {
      return {};
    }
    return BadInput("column {}: dictionary indices of format {}, expected integers",
                    QuoteForMessage(where), QuoteForMessage(field->format));
  }

  Status ReadChildren(const ArrowSchema& schema, const std::string& where, int depth,
                      ArrowField* field) {
    const bool is_struct = field->form == ArrowForm::kStruct;
    const int64_t expected = IsArrowList(field->form) ? 1 : 0;
    const int64_t count = schema.n_children;
    if (is_struct ? count < 0 || count > kMaxColumns : count != expected) {
      return BadInput("column {}: {} children of a field of format {}", QuoteForMessage(where),
                      count, QuoteForMessage(field->format));
    }
    if (count > 0 && schema.children == nullptr) {
      return BadInput("column {}: null children", QuoteForMessage(where));
    }
    for (int64_t i = 0; i < count; ++i) {
      const ArrowSchema* child = schema.children[i];
      ArrowField& to = field->children.emplace_back();
      if (!is_struct) {
        DSI_RETURN_IF_ERROR(Read(child, where, depth + 1, &to));
        continue;
      }
      if (child != nullptr && child->release != nullptr && child->name != nullptr) {
        to.name.assign(child->name, strnlen(child->name, kMaxNameBytes + 1));
      }
      const std::string path = where.empty() ? to.name : where + "." + to.name;
      DSI_RETURN_IF_ERROR(Read(child, path, depth + 1, &to));
      if (to.name.empty()) {
        return BadInput("column {} of {}: no name", i,
                        where.empty() ? "the table" : QuoteForMessage(where));
      }
      name_bytes_ += path.size();
      if (path.size() > kMaxNameBytes || name_bytes_ > kMaxSchemaBytes) {
        return BadInput("column {}: a name of more than {} bytes, or {} of all names",
                        QuoteForMessage(path), kMaxNameBytes, kMaxSchemaBytes);
      }
    }
    if (!field->is_map()) return {};
    const ArrowField& entries = field->children[0];
    if (entries.form == ArrowForm::kStruct && entries.children.size() == 2) return {};
    return BadInput("column {}: a map of {}, expected structs of two members",
                    QuoteForMessage(where), DescribeArrow(entries));
  }

  uint64_t num_fields_ = 0;
  uint64_t name_bytes_ = 0;
};

}  // namespace

Result<ArrowField> ParseArrowSchema(const ArrowSchema& schema) {
  ArrowField table;
  const Status read = SchemaReader().Read(&schema, "", 0, &table);
  if (!read.ok()) return read.At("Arrow schema");
  if (table.form != ArrowForm::kStruct) {
    return BadInput("Arrow schema: found {}, expected a table: a struct of columns",
                    DescribeArrow(table));
  }
  return table;
}

std::string DescribeArrow(const ArrowField& field) {
  if (field.dictionary) return "dictionary<" + DescribeArrow(*field.dictionary) + ">";
  switch (field.form) {
    case ArrowForm::kNull:
      return "null";
    case ArrowForm::kHalf:
      return "float16";
    case ArrowForm::kBool:
    case ArrowForm::kNumber:
      if (field.instant_nanos != 0) return field.format.starts_with("td") ? "date" : "timestamp";
      if (field.is_span) return field.format.starts_with("tt") ? "time" : "duration";
      return std::string(TypeName(field.type));
    case ArrowForm::kDecimal:
      return fmt::format("decimal({}, {})", field.digits, field.width);
    case ArrowForm::kBytes32:
    case ArrowForm::kBytes64:
    case ArrowForm::kBytesView:
    case ArrowForm::kFixedBytes:
      return "string";
    case ArrowForm::kList32:
    case ArrowForm::kList64:
    case ArrowForm::kListView32:
    case ArrowForm::kListView64:
      if (field.is_map()) return "map";
      return "list<" + DescribeArrow(field.children[0]) + ">";
    case ArrowForm::kFixedList:
      return fmt::format("fixed_size_list<{}>[{}]", DescribeArrow(field.children[0]), field.width);
    case ArrowForm::kStruct:
      return "struct";
    case ArrowForm::kUnsupported:
      break;
  }
  return ArrowAdvice(field);
}

std::string ArrowAdvice(const ArrowField& field) {
  return fmt::format("format {}, {}", QuoteForMessage(field.format), field.advice);
}

}  // namespace dsi::internal
