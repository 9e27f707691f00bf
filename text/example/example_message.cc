#include "dsi/text/example/example_message_internal.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"

namespace dsi::internal {
namespace {

using Form = ExampleFeature::Form;
constexpr uint32_t kVarint = 0;
constexpr uint32_t kEightBytes = 1;
constexpr uint32_t kDelimited = 2;
constexpr uint32_t kFourBytes = 5;
static_assert(std::endian::native == std::endian::little);

}  // namespace

Status ExampleParser::Fault(const char* at, std::string_view what) const {
  return BadInput("malformed tf.Example at byte {} of the record: {}", at - message_.data(), what);
}

Status ExampleParser::Varint(std::string_view* message, uint64_t* value) const {
  constexpr size_t kMostBytes = 10;
  *value = 0;
  for (size_t i = 0; i < std::min(message->size(), kMostBytes); ++i) {
    const auto byte = static_cast<uint8_t>((*message)[i]);
    if (i + 1 == kMostBytes && byte > 1) break;
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      message->remove_prefix(i + 1);
      return {};
    }
  }
  return Fault(message->data(), "a number that does not end, or is beyond 64 bits");
}

Status ExampleParser::Next(std::string_view* message, Field* field) const {
  const char* const begin = message->data();
  uint64_t tag = 0;
  DSI_RETURN_IF_ERROR(Varint(message, &tag));
  field->number = tag >> 3;
  field->wire = tag & 7;
  if (field->number == 0) return Fault(begin, "a field of number 0");
  uint64_t size = 0;
  switch (field->wire) {
    case kVarint:
      return Varint(message, &field->varint);
    case kEightBytes:
      size = 8;
      break;
    case kFourBytes:
      size = 4;
      break;
    case kDelimited:
      DSI_RETURN_IF_ERROR(Varint(message, &size));
      break;
    default:
      return Fault(begin, "a field of a wire type that tf.Example has not");
  }
  if (size > message->size()) {
    return Fault(begin, fmt::format("a field of {} bytes, and {} are left", size, message->size()));
  }
  field->bytes = message->substr(0, size);
  message->remove_prefix(size);
  return {};
}

Status ExampleParser::Parse(std::string_view message) {
  message_ = message;
  features_.clear();
  ints_.clear();
  floats_.clear();
  texts_.clear();
  while (!message.empty()) {
    Field field;
    DSI_RETURN_IF_ERROR(Next(&message, &field));
    if (field.number == 1 && field.wire == kDelimited) DSI_RETURN_IF_ERROR(ReadMap(field.bytes));
  }
  return CheckNames();
}

Status ExampleParser::ReadMap(std::string_view message) {
  while (!message.empty()) {
    Field field;
    DSI_RETURN_IF_ERROR(Next(&message, &field));
    if (field.number == 1 && field.wire == kDelimited) DSI_RETURN_IF_ERROR(ReadEntry(field.bytes));
  }
  return {};
}

Status ExampleParser::ReadEntry(std::string_view message) {
  ExampleFeature feature;
  while (!message.empty()) {
    Field field;
    DSI_RETURN_IF_ERROR(Next(&message, &field));
    if (field.wire != kDelimited) continue;
    if (field.number == 1) feature.name = field.bytes;
    if (field.number == 2) DSI_RETURN_IF_ERROR(ReadFeature(field.bytes, &feature));
  }
  if (!simdjson::validate_utf8(feature.name.data(), feature.name.size()))
    return Fault(feature.name.data(), "a name that is not valid UTF-8");
  features_.push_back(feature);
  return {};
}

Status ExampleParser::ReadFeature(std::string_view message, ExampleFeature* feature) {
  while (!message.empty()) {
    const char* const at = message.data();
    Field field;
    DSI_RETURN_IF_ERROR(Next(&message, &field));
    if (field.number > 3 || field.wire != kDelimited) continue;
    // The writers there are set one, and which of several holds is not the same for all readers.
    if (feature->form != Form::kNone)
      return Fault(at, "a feature with two lists of values, expected one");
    feature->form = static_cast<Form>(field.number);
    DSI_RETURN_IF_ERROR(ReadList(field.bytes, feature));
  }
  return {};
}

Status ExampleParser::ReadList(std::string_view message, ExampleFeature* feature) {
  const auto count = [&] {
    return feature->form == Form::kInts     ? ints_.size()
           : feature->form == Form::kFloats ? floats_.size()
                                            : texts_.size();
  };
  feature->begin = count();
  while (!message.empty()) {
    const char* const at = message.data();
    Field field;
    DSI_RETURN_IF_ERROR(Next(&message, &field));
    if (field.number != 1) continue;
    if (feature->form == Form::kInts && (field.wire == kVarint || field.wire == kDelimited)) {
      DSI_RETURN_IF_ERROR(ReadInts(field));
    } else if (feature->form == Form::kFloats &&
               (field.wire == kFourBytes || field.wire == kDelimited)) {
      DSI_RETURN_IF_ERROR(ReadFloats(field));
    } else if (feature->form == Form::kBytes && field.wire == kDelimited) {
      texts_.push_back(field.bytes);
    } else {
      return Fault(at, "a value of another wire type than its list has");
    }
  }
  feature->end = count();
  return {};
}

Status ExampleParser::ReadInts(const Field& field) {
  if (field.wire == kVarint) {
    ints_.push_back(static_cast<int64_t>(field.varint));
    return {};
  }
  std::string_view packed = field.bytes;
  while (!packed.empty()) {
    uint64_t value = 0;
    DSI_RETURN_IF_ERROR(Varint(&packed, &value));
    ints_.push_back(static_cast<int64_t>(value));
  }
  return {};
}

Status ExampleParser::ReadFloats(const Field& field) {
  if (field.bytes.size() % sizeof(float) != 0)
    return Fault(field.bytes.data(), "packed floats of a size that is no multiple of 4");
  const size_t before = floats_.size();
  floats_.resize(before + field.bytes.size() / sizeof(float));
  if (!field.bytes.empty())
    std::memcpy(floats_.data() + before, field.bytes.data(), field.bytes.size());
  return {};
}

Status ExampleParser::CheckNames() {
  names_.clear();
  for (const ExampleFeature& feature : features_) names_.push_back(feature.name);
  std::sort(names_.begin(), names_.end());
  const auto twice = std::adjacent_find(names_.begin(), names_.end());
  if (twice == names_.end()) return {};
  return Fault(twice->data(), fmt::format("{} stands twice", QuoteForMessage(*twice)));
}

}  // namespace dsi::internal
