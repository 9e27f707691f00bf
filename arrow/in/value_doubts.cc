#include "dsi/arrow/in/value_doubts_internal.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/name_words_internal.h"

namespace dsi::internal {
namespace {

constexpr int64_t kMostRows = 16'384;
constexpr int64_t kRowsAtOnce = 256;  // Of tables of many columns few rows are much memory.

// What is known of a column.
struct Seen {
  int64_t least = INT64_MAX;
  int64_t greatest = INT64_MIN;
  std::string day;  // The first text in which one may stand; empty: none.
};

// Of values of 8 bytes, those beyond int64 as the greatest.
void AddNumbers(std::span<const std::byte> values, Type type, Seen* seen) {
  for (size_t at = 0; at < values.size(); at += sizeof(int64_t)) {
    const auto bits = LoadLE<uint64_t>(&values[at]);
    const bool beyond = type == Type::kUint64 && bits > INT64_MAX;
    const int64_t value = beyond ? INT64_MAX : static_cast<int64_t>(bits);
    seen->least = std::min(seen->least, value);
    seen->greatest = std::max(seen->greatest, value);
  }
}

void AddTexts(const RowBatch::FeatureBuffer& texts, Seen* seen) {
  const char* text = reinterpret_cast<const char*>(texts.values[0].data());
  for (size_t i = 0; i < texts.num_present && seen->day.empty(); ++i) {
    const size_t length = texts.lengths[texts.ListOf(i)];
    if (MayTellDay({text, length})) seen->day = ExampleOf({text, length});
    text += length;
  }
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
  std::vector<Seen> seen(target->features.size());
  RowBatch batch(target);
  const int64_t num_rows = std::min(rows.length, kMostRows);
  // Once in any case: what the array says of itself is checked before it is added to.
  for (int64_t at = 0; at == 0 || at < num_rows; at += kRowsAtOnce) {
    ArrowArray part = rows;  // The same buffers, of which it owns none.
    part.offset += at;
    part.length = std::min(kRowsAtOnce, num_rows - at);
    if (part.null_count > 0) part.null_count = -1;
    batch.Clear();
    DSI_RETURN_IF_ERROR(input->Append(part, &batch));
    for (size_t f = 0; f < seen.size(); ++f) {
      const FeatureSpec& feature = target->features[f];
      const RowBatch::FeatureBuffer& values = batch.feature(f);
      if (feature.kind == Kind::kString) {
        AddTexts(values, &seen[f]);
      } else {
        AddNumbers(values.values[0], feature.columns[0].type, &seen[f]);
      }
    }
  }
  for (size_t f = 0; f < seen.size(); ++f) {
    const std::string& name = target->features[f].name;
    if (!seen[f].day.empty()) report->text_times.emplace_back(name, std::move(seen[f].day));
    const bool has_numbers = seen[f].least <= seen[f].greatest;
    if (has_numbers && AreRoundedIds(name, seen[f].least, seen[f].greatest))
      report->rounded_ids.push_back(name);
  }
  return {};
}

}  // namespace dsi::internal
