#include "dsi/arrow/in/value_doubts_internal.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/name_words_internal.h"

namespace dsi::internal {
namespace {

constexpr int64_t kMostRows = 16'384;
constexpr size_t kExampleBytes = 40;

struct Range {
  int64_t least = INT64_MAX;
  int64_t greatest = INT64_MIN;
};

// Of values of 8 bytes, those beyond int64 as the greatest.
Range RangeOf(std::span<const std::byte> values, Type type) {
  Range range;
  for (size_t at = 0; at < values.size(); at += sizeof(int64_t)) {
    const auto bits = LoadLE<uint64_t>(&values[at]);
    const bool beyond = type == Type::kUint64 && bits > INT64_MAX;
    const int64_t value = beyond ? INT64_MAX : static_cast<int64_t>(bits);
    range.least = std::min(range.least, value);
    range.greatest = std::max(range.greatest, value);
  }
  return range;
}

// Not inside a character.
std::string CutShort(std::string_view text) {
  size_t length = std::min(text.size(), kExampleBytes);
  while (length < text.size() && length > 0 && (text[length] & 0xc0) == 0x80) --length;
  return std::string(text.substr(0, length)) + (length < text.size() ? "…" : "");
}

// The first text of a feature in which a day may stand; empty: none.
std::string FirstDay(const RowBatch::FeatureBuffer& texts) {
  const char* text = reinterpret_cast<const char*>(texts.values[0].data());
  for (size_t i = 0; i < texts.num_present; ++i) {
    const size_t length = texts.lengths[texts.ListOf(i)];
    if (MayTellDay({text, length})) return CutShort({text, length});
    text += length;
  }
  return {};
}

}  // namespace

Status NoteDoubts(const ArrowSchema& table, const ArrowArray& rows, const Schema& schema,
                  ArrowSchemaReport* report) {
  Schema asked;
  for (const FeatureSpec& feature : schema.features) {
    const Type type = feature.columns[0].type;
    const bool is_number = feature.kind == Kind::kDense && IsInteger(type) && TypeWidth(type) >= 4;
    if (!is_number && !(feature.kind == Kind::kString && IsTimeName(feature.name))) continue;
    FeatureSpec& spec = asked.features.emplace_back();
    spec.name = feature.name;
    spec.kind = feature.kind;
    spec.nested = false;
    spec.columns = feature.columns;
    if (is_number && type != Type::kUint64) spec.columns[0].type = Type::kInt64;
  }
  if (asked.features.empty()) return {};
  const auto target = std::make_shared<const Schema>(std::move(asked));
  DSI_ASSIGN_OR_RETURN(const std::unique_ptr<ArrowInput> input,
                       ArrowInput::Create(table, target, {.ignore_unknown = true}));
  ArrowArray first = rows;  // The same buffers, of which it has no part.
  first.length = std::min(first.length, kMostRows);
  if (first.null_count > 0) first.null_count = -1;
  RowBatch batch(target);
  DSI_RETURN_IF_ERROR(input->Append(first, &batch));
  for (size_t f = 0; f < target->features.size(); ++f) {
    const FeatureSpec& feature = target->features[f];
    const RowBatch::FeatureBuffer& values = batch.feature(f);
    if (values.num_present == 0) continue;
    if (feature.kind == Kind::kString) {
      std::string example = FirstDay(values);
      if (!example.empty()) report->text_times.emplace_back(feature.name, std::move(example));
      continue;
    }
    const Range range = RangeOf(values.values[0], feature.columns[0].type);
    if (AreRoundedIds(feature.name, range.least, range.greatest))
      report->rounded_ids.push_back(feature.name);
  }
  return {};
}

}  // namespace dsi::internal
