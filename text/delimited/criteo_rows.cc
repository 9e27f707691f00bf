#include "dsi/text/delimited/criteo_rows_internal.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/text/lines/row_parser_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kNumbers = 13;
constexpr size_t kCategories = 26;
constexpr size_t kCells = 1 + kNumbers + kCategories;
constexpr int kNoFeature = -1;

std::string NameOfCell(size_t cell) {
  if (cell == 0) return "label";
  return cell <= kNumbers ? fmt::format("I{}", cell) : fmt::format("C{}", cell - kNumbers);
}

class CriteoParser : public RowParser {
 public:
  CriteoParser(std::shared_ptr<const Schema> rows_schema, const TextInputOptions& options)
      : RowParser(std::make_unique<LineSource>(options.max_line_bytes), std::move(rows_schema)) {
    for (size_t cell = 0; cell < kCells; ++cell)
      feature_of_[cell] = schema().FindFeature(NameOfCell(cell));
  }

 protected:
  Result<bool> NextRow() override {
    do {
      DSI_ASSIGN_OR_RETURN(const bool more, lines().Next(&line_));
      if (!more) return false;
    } while (line_.empty());
    return true;
  }
  std::string_view row_text() const override { return line_; }

  Status SetRow(RowBatch* batch) override {
    const size_t count = Split();
    if (count != kCells && count != kCells - 1) {
      return BadInput("{}: found {} cells, expected {} of Criteo's format ({} without the label)",
                      lines().Where(), count, kCells, kCells - 1);
    }
    const size_t first = kCells - count;
    for (size_t i = 0; i < count; ++i) {
      if (cells_[i].empty()) continue;
      const Status set = SetCell(first + i, cells_[i], batch);
      if (!set.ok()) return AtLine(set);
    }
    return {};
  }

 private:
  // Into at most one cell more than there can be.
  size_t Split() {
    size_t count = 0;
    for (size_t at = 0; count < cells_.size(); ++count) {
      const size_t end = std::min(line_.find('\t', at), line_.size());
      cells_[count] = line_.substr(at, end - at);
      at = end + 1;
      if (end == line_.size()) return count + 1;
    }
    return count;
  }

  Status SetCell(size_t cell, std::string_view text, RowBatch* batch) {
    if (feature_of_[cell] == kNoFeature) {
      ignored().Add(&ignored_place_[cell], NameOfCell(cell), lines_done());
      return {};
    }
    const auto feature = static_cast<size_t>(feature_of_[cell]);
    const bool is_category = cell > kNumbers;
    int64_t number = 0;
    uint32_t category = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = is_category ? std::from_chars(text.data(), end, category, 16)
                                           : std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end) {
      return BadInput("{}: found {}, expected {}", NameOfCell(cell), QuoteForMessage(text),
                      is_category ? "up to 8 hexadecimal digits" : "a whole number");
    }
    if (is_category) number = category;
    const FeatureSpec& spec = schema().features[feature];
    if (IsListKind(spec.kind) || spec.kind == Kind::kEmbedding)
      return batch->SetInts(feature, 0, std::span<const int64_t>(&number, 1));
    if (spec.columns[0].type == Type::kBytes) return batch->SetBytes(feature, text);
    return batch->SetInt(feature, number);
  }

  std::string_view line_;
  std::array<std::string_view, kCells + 1> cells_;
  std::array<int, kCells> feature_of_{};
  std::array<uint32_t, kCells> ignored_place_{};
};

}  // namespace

Schema CriteoSchema() {
  Schema schema;
  for (size_t cell = 0; cell < kCells; ++cell) {
    FeatureSpec feature;
    feature.name = NameOfCell(cell);
    const bool is_category = cell > kNumbers;
    feature.kind = cell == 0 ? Kind::kLabel : is_category ? Kind::kList : Kind::kDense;
    const Type type = cell == 0 ? Type::kInt8 : is_category ? Type::kUint32 : Type::kInt32;
    feature.columns = {{"", type, ""}};
    if (is_category) feature.max_length = 1;
    schema.features.push_back(std::move(feature));
  }
  return schema;
}

Status CheckCriteoSchema(const Schema& schema, bool ignore_unknown, const std::string& file) {
  for (size_t cell = 0; cell < kCells && !ignore_unknown; ++cell) {
    if (schema.FindFeature(NameOfCell(cell)) != kNoFeature) continue;
    return BadInput("{}: {} of Criteo's format is no feature of the schema", file,
                    NameOfCell(cell));
  }
  for (const FeatureSpec& feature : schema.features) {
    if (feature.columns.size() == 1) continue;
    return BadInput("{}: feature {} has {} columns, expected one", file,
                    QuoteForMessage(feature.name), feature.columns.size());
  }
  return {};
}

std::unique_ptr<RowParser> MakeCriteoParser(std::shared_ptr<const Schema> schema,
                                            const TextInputOptions& options) {
  return std::make_unique<CriteoParser>(std::move(schema), options);
}

}  // namespace dsi::internal
