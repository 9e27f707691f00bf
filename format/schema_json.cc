// Reads the JSON form of a schema. Every member is asked for by name and counted, so that a
// misspelt or repeated word is an error and never ignored. Writing is in schema_to_json.cc.
#include <simdjson.h>

#include <utility>

#include "dsi/format/default_bits_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/format/limits.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/schema.h"

namespace dsi {
namespace {

namespace dom = simdjson::dom;
using internal::BadInput;
using internal::Expected;
using internal::QuoteForMessage;
using internal::ReadMembers;
using internal::ReadString;
using internal::ReadStrings;

Status ReadUint32(std::string_view member, dom::element value, uint32_t* out) {
  uint64_t number = 0;
  if (value.get(number) != simdjson::SUCCESS || number > kMaxListLength) {
    return Expected(member, "a whole number from 0 to 2147483647");
  }
  *out = static_cast<uint32_t>(number);
  return {};
}

Status ReadType(dom::element value, std::string_view member, Type* type) {
  std::string name;
  DSI_RETURN_IF_ERROR(ReadString(member, value, &name));
  if (ParseType(name, type)) return {};
  return BadInput(
      "{}: found {}, expected one of bool, int8 … int64, uint8 … uint64, float32, "
      "float64, bytes",
      QuoteForMessage(member), QuoteForMessage(name));
}

Status Unknown(std::string_view member) {
  internal::NearNames near(member, 1);
  for (const std::string_view known :
       {"features",    "groups",   "cluster_by", "metadata",  "name",    "kind",       "type",
        "weight_type", "id_space", "precision",  "max_error", "columns", "max_length", "length",
        "id",          "nested",   "newest",     "unit",      "default", "owner",      "hashed"})
    near.Offer(known);
  return BadInput("unknown member {}{}", QuoteForMessage(member), near.Advice());
}

Status ReadPrecision(std::string_view member, dom::element value, Precision* precision) {
  std::string name;
  DSI_RETURN_IF_ERROR(ReadString(member, value, &name));
  if (ParsePrecision(name, precision)) return {};
  return BadInput("{}: found {}, expected one of exact, fp16, bf16, int8", QuoteForMessage(member),
                  QuoteForMessage(name));
}

Status ReadMaxError(std::string_view member, dom::element value, double* max_error) {
  if (value.get(*max_error) == simdjson::SUCCESS) return {};
  return Expected(member, "a number");
}

Status ReadBool(std::string_view member, dom::element value, bool* out) {
  if (value.get(*out) == simdjson::SUCCESS) return {};
  return Expected(member, "true or false");
}

Status ReadUnit(std::string_view member, dom::element value, TimeUnit* unit) {
  std::string name;
  DSI_RETURN_IF_ERROR(ReadString(member, value, &name));
  if (ParseTimeUnit(name, unit)) return {};
  return BadInput("{}: found {}, expected one of s, ms, us or ns", QuoteForMessage(member),
                  QuoteForMessage(name));
}

Status ReadColumn(dom::element value, ColumnSpec* column) {
  return ReadMembers(value, [column](std::string_view name, dom::element member) {
    if (name == "name") return ReadString(name, member, &column->name);
    if (name == "type") return ReadType(member, name, &column->type);
    if (name == "id_space") return ReadString(name, member, &column->id_space);
    if (name == "precision") return ReadPrecision(name, member, &column->precision);
    if (name == "max_error") return ReadMaxError(name, member, &column->max_error);
    if (name == "hashed") return ReadBool(name, member, &column->hashed);
    if (name == "unit") return ReadUnit(name, member, &column->time_unit);
    return Unknown(name);
  });
}

Status ReadColumns(dom::element value, std::vector<ColumnSpec>* columns) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return Expected("columns", "an array of objects");
  for (const dom::element item : array) {
    const std::string where = "columns[" + std::to_string(columns->size()) + "]";
    DSI_RETURN_IF_ERROR(ReadColumn(item, &columns->emplace_back()).At(where));
  }
  return {};
}

Type DefaultType(Kind kind) {
  switch (kind) {
    case Kind::kDense:
    case Kind::kEmbedding:
    case Kind::kLabel:
      return Type::kFloat32;
    case Kind::kString:
      return Type::kBytes;
    default:
      return Type::kInt64;
  }
}

// Members whose meaning depends on the kind, which may stand after them.
struct FeatureParts {
  bool has_kind = false;
  std::optional<Type> type;
  std::optional<Type> weight_type;
  std::string id_space;
  Precision precision = Precision::kExact;
  double max_error = 0;
  bool hashed = false;
  TimeUnit time_unit = TimeUnit::kNone;
  bool has_columns = false;
  std::optional<dom::element> default_value;
};

Status ReadFeatureMember(std::string_view name, dom::element value, FeatureSpec* feature,
                         FeatureParts* parts) {
  if (name == "name") return ReadString(name, value, &feature->name);
  if (name == "kind") {
    std::string kind;
    DSI_RETURN_IF_ERROR(ReadString(name, value, &kind));
    parts->has_kind = true;
    if (ParseKind(kind, &feature->kind)) return {};
    return BadInput(
        "\"kind\": found {}, expected one of dense, list, weighted, sequence, "
        "embedding, label, key, timestamp, string",
        QuoteForMessage(kind));
  }
  if (name == "type") return ReadType(value, name, &parts->type.emplace());
  if (name == "weight_type") return ReadType(value, name, &parts->weight_type.emplace());
  if (name == "id_space") return ReadString(name, value, &parts->id_space);
  if (name == "precision") return ReadPrecision(name, value, &parts->precision);
  if (name == "max_error") return ReadMaxError(name, value, &parts->max_error);
  if (name == "hashed") return ReadBool(name, value, &parts->hashed);
  if (name == "columns") {
    parts->has_columns = true;
    return ReadColumns(value, &feature->columns);
  }
  if (name == "max_length") return ReadUint32(name, value, &feature->max_length);
  if (name == "length") return ReadUint32(name, value, &feature->fixed_length);
  if (name == "id") {
    if (value.get(feature->id.emplace()) == simdjson::SUCCESS) return {};
    return Expected(name, "a whole number from 0");
  }
  if (name == "nested") return ReadBool(name, value, &feature->nested);
  if (name == "newest") {
    std::string end;
    DSI_RETURN_IF_ERROR(ReadString(name, value, &end));
    if (end != "first" && end != "last") return Expected(name, "\"first\" or \"last\"");
    feature->newest_first = end == "first";
    return {};
  }
  if (name == "unit") return ReadUnit(name, value, &parts->time_unit);
  if (name == "default") {
    parts->default_value = value;
    return {};
  }
  return Unknown(name);
}

Status ReadDefault(dom::element value, FeatureSpec* feature) {
  const Type type = feature->columns[0].type;
  uint64_t bits = 0;
  bool fits = false;
  std::string_view word;
  switch (value.type()) {
    case dom::element_type::BOOL:
      fits = type == Type::kBool;
      bits = bool(value) ? 1 : 0;
      break;
    case dom::element_type::INT64:
      fits = internal::DefaultFromInt(value, type, &bits);
      break;
    case dom::element_type::UINT64:
      fits = internal::DefaultFromUint(value, type, &bits);
      break;
    case dom::element_type::DOUBLE:
      fits = internal::DefaultFromDouble(value, type, &bits);
      break;
    case dom::element_type::STRING:
      word = value;
      fits = internal::DefaultFromWord(word, type, &bits);
      break;
    default:
      break;
  }
  if (!fits) return Expected("default", "a value that fits type " + std::string(TypeName(type)));
  feature->default_bits = bits;
  return {};
}

Status ReadFeature(dom::element value, FeatureSpec* feature) {
  FeatureParts parts;
  DSI_RETURN_IF_ERROR(ReadMembers(value, [&](std::string_view name, dom::element member) {
    return ReadFeatureMember(name, member, feature, &parts);
  }));
  if (feature->name.empty()) return BadInput("expected a \"name\"");
  const std::string where = QuoteForMessage(feature->name);
  if (!parts.has_kind) return BadInput("{}: expected a \"kind\"", where);
  if (parts.weight_type && feature->kind != Kind::kWeighted) {
    return BadInput("{}: weight_type on kind {}", where, KindName(feature->kind));
  }
  if (feature->kind == Kind::kSequence) {
    if (parts.type || !parts.id_space.empty() || parts.precision != Precision::kExact ||
        parts.max_error != 0 || parts.hashed || parts.time_unit != TimeUnit::kNone) {
      return BadInput(
          "{}: \"type\", \"id_space\", \"precision\", \"hashed\" and \"unit\" of a sequence stand "
          "in its columns",
          where);
    }
  } else {
    if (parts.has_columns) {
      return BadInput("{}: \"columns\" on kind {}", where, KindName(feature->kind));
    }
    const Type type = parts.type.value_or(DefaultType(feature->kind));
    if (feature->kind == Kind::kWeighted) {
      feature->columns = {{"ids", type, parts.id_space},
                          {"weights", parts.weight_type.value_or(Type::kFloat32), ""}};
    } else {
      feature->columns = {{"", type, parts.id_space}};
    }
    // Of a weighted feature it is the scores' that are rounded.
    feature->columns.back().precision = parts.precision;
    feature->columns.back().max_error = parts.max_error;
    // And its ids that are made of texts.
    feature->columns.front().hashed = parts.hashed;
    feature->columns.front().time_unit = parts.time_unit;
  }
  if (!parts.default_value || feature->columns.empty()) return {};
  return ReadDefault(*parts.default_value, feature).At(where);
}

Status ReadGroup(dom::element value, GroupSpec* group) {
  return ReadMembers(value, [group](std::string_view name, dom::element member) {
    if (name == "name") return ReadString(name, member, &group->name);
    if (name == "owner") return ReadString(name, member, &group->owner);
    if (name == "features") return ReadStrings(name, member, &group->features);
    return Unknown(name);
  });
}

template <typename Spec, typename Read>
Status ReadObjects(std::string_view member, dom::element value, Read read,
                   std::vector<Spec>* specs) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return Expected(member, "an array of objects");
  for (const dom::element item : array) {
    const std::string where = std::string(member) + "[" + std::to_string(specs->size()) + "]";
    if (specs->size() >= kMaxColumns) return BadInput("{}: more than {}", member, kMaxColumns);
    DSI_RETURN_IF_ERROR(read(item, &specs->emplace_back()).At(where));
  }
  return {};
}

Status ReadSchema(dom::element root, Schema* schema) {
  return ReadMembers(root, [schema](std::string_view name, dom::element value) -> Status {
    if (name == "features") return ReadObjects(name, value, ReadFeature, &schema->features);
    if (name == "groups") return ReadObjects(name, value, ReadGroup, &schema->groups);
    if (name == "cluster_by") return ReadStrings(name, value, &schema->cluster_by);
    if (name == "metadata") {
      const Status status = ReadMembers(value, [schema](std::string_view key, dom::element text) {
        return ReadString(key, text, &schema->metadata[std::string(key)]);
      });
      return status.At("metadata");
    }
    return Unknown(name);
  });
}

Result<Schema> ParseSchema(std::string_view json) {
  dom::parser parser;
  DSI_ASSIGN_OR_RETURN(const dom::element root,
                       internal::ParseJson(json, kMaxSchemaBytes, "schema", &parser));
  Schema schema;
  DSI_RETURN_IF_ERROR(ReadSchema(root, &schema).At("schema"));
  const Status status = schema.Validate();
  // What is a caller's mistake in a schema built in code is bad input in a text.
  if (!status.ok()) {
    const bool bad = status.code() == StatusCode::kInvalidArgument;
    return Status(bad ? StatusCode::kBadInput : status.code(), "schema: " + status.message());
  }
  return schema;
}

}  // namespace

Result<Schema> Schema::FromJson(std::string_view json) {
  return internal::NoThrow([&] { return ParseSchema(json); });
}

Result<Schema> Schema::FromJsonFile(const std::string& path) {
  return internal::NoThrow([&]() -> Result<Schema> {
    DSI_ASSIGN_OR_RETURN(const std::string text, internal::ReadTextFile(path, kMaxSchemaBytes));
    Result<Schema> schema = ParseSchema(text);
    if (!schema.ok()) return schema.status().At(path);
    return schema;
  });
}

}  // namespace dsi
