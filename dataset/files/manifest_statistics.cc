#include "dsi/dataset/files/manifest_statistics_internal.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/manifest_values_internal.h"
#include "dsi/format/default_bits_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

bool ReadBound(dom::element value, Type type, uint64_t* bound) {
  const bool fits = ReadTypedValue(value, type, bound);
  *bound = ExtendedBits(*bound, type);
  return fits && !IsNan(type, *bound);
}

// Bytes of a string are hexadecimal digits: they may be no text.
bool ReadBound(dom::element value, TextPrefix* bound) {
  std::string_view digits;
  if (value.get(digits) != simdjson::SUCCESS || digits.size() > 2 * TextPrefix::kMaxSize ||
      digits.size() % 2 != 0 ||
      digits.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return false;
  std::string text;
  for (size_t i = 0; i < digits.size(); i += 2) {
    uint8_t byte = 0;
    (void)std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    text += static_cast<char>(byte);
  }
  *bound = TextPrefix(text);
  return true;
}

void AppendBound(const TextPrefix& bound, std::string* out) {
  *out += '"';
  for (const char c : bound.view()) *out += fmt::format("{:02x}", static_cast<uint8_t>(c));
  *out += '"';
}

Status ReadBounds(dom::element least, dom::element greatest, Type type, ColumnStatistics* all) {
  if (type == Type::kBytes) {
    if (!ReadBound(least, &all->least_text) || !ReadBound(greatest, &all->greatest_text)) {
      return BadInput("expected strings of 2 to {} hexadecimal digits 0 … f, or none",
                      2 * TextPrefix::kMaxSize);
    }
    if (all->least_text <= all->greatest_text) return Status::Ok();
  } else {
    if (!ReadBound(least, type, &all->least) || !ReadBound(greatest, type, &all->greatest))
      return BadInput("expected numbers that fit the type");
    if (OrderedBits(type, all->least) <= OrderedBits(type, all->greatest)) return Status::Ok();
  }
  return BadInput("the least value is above the greatest");
}

}  // namespace

Status ReadStatistics(dom::element value, const std::vector<ColumnInfo>& columns, uint64_t num_rows,
                      std::vector<FileStatistics>* statistics) {
  return ReadArray(value, kMaxColumns, [&](uint64_t i, dom::element item) -> Status {
    dom::array parts;
    const bool is_array = item.get(parts) == simdjson::SUCCESS;
    if (!is_array || (parts.size() != 2 && parts.size() != 4))
      return BadInput("expected [column, missing] or [column, missing, least, greatest]");
    FileStatistics one;
    auto part = parts.begin();
    DSI_RETURN_IF_ERROR(ReadNumber32(*part, kMaxColumns, &one.column));
    const bool is_next = i == 0 || one.column > statistics->back().column;
    if (one.column >= columns.size() || !is_next)
      return BadInput("column {} of {}, or not ascending", one.column, columns.size());
    const ColumnInfo& column = columns[one.column];
    const auto wrong = [&](std::string_view what) {
      return BadInput("{}: {}", QuoteForMessage(column.name), what);
    };
    if (!HasOneValue(column.kind)) return wrong("has no values to compare");
    ColumnStatistics& all = one.all;
    DSI_RETURN_IF_ERROR(ReadNumber(*++part, num_rows, &all.num_missing));
    all.has_bounds = parts.size() == 4;
    if (all.has_bounds == (all.num_missing == num_rows) &&
        !(IsFloat(column.type) && !all.has_bounds))
      return wrong("a least value where all rows miss it, or none where some have it");
    if (all.has_bounds) {
      const dom::element least = *++part;
      const dom::element greatest = *++part;
      DSI_RETURN_IF_ERROR(
          ReadBounds(least, greatest, column.type, &all).At(QuoteForMessage(column.name)));
    }
    statistics->push_back(one);
    return Status::Ok();
  });
}

void AppendStatistics(const std::vector<FileStatistics>& statistics,
                      const std::vector<ColumnInfo>& columns, std::string* out) {
  *out += '[';
  for (size_t i = 0; i < statistics.size(); ++i) {
    const ColumnStatistics& all = statistics[i].all;
    *out += fmt::format("{}[{}, {}", i == 0 ? "" : ", ", statistics[i].column, all.num_missing);
    const Type type = columns[statistics[i].column].type;
    if (all.has_bounds && type == Type::kBytes) {
      for (const TextPrefix& bound : {all.least_text, all.greatest_text}) {
        *out += ", ";
        AppendBound(bound, out);
      }
    } else if (all.has_bounds) {
      for (const uint64_t bits : {all.least, all.greatest}) {
        *out += ", ";
        AppendTypedValue(bits, type, out);
      }
    }
    *out += ']';
  }
  *out += ']';
}

}  // namespace dsi::internal
