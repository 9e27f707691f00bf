// Text of a predicate, as --where takes it, over a small file: it is refused or read into one whose
// own text reads back to the same, and whose rows are those for which it holds, one by one. The
// opposite of a term has the other rows that exist. The lines of the text are also taken as a key
// and its values.
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/json_text_internal.h"
#include "dsi/fuzz/file_model.h"
#include "dsi/fuzz/small_file.h"
#include "dsi/tests/support/filter_model.h"
#include "dsi/text/filter_text.h"

namespace {

using dsi::Compare;
using dsi::fuzz::Disagree;
using Rows = std::set<uint64_t>;

constexpr char kSchema[] = R"({"features": [
  {"name": "label", "kind": "label", "type": "int8"},
  {"name": "ok", "kind": "dense", "type": "bool"},
  {"name": "price", "kind": "dense", "type": "float32"},
  {"name": "score", "kind": "dense", "type": "float64"},
  {"name": "city", "kind": "string"},
  {"name": "user", "kind": "key", "type": "uint64"},
  {"name": "clicks", "kind": "list", "type": "int64"},
  {"name": "topics", "kind": "weighted", "type": "int64"},
  {"name": "a=b in c", "kind": "dense", "type": "int32"},
  {"name": "ts", "kind": "timestamp", "unit": "ms"}]})";

constexpr char kRows[] = R"(
{"label": 1, "ok": true, "price": 0.5, "score": 0.1, "city": "Bern", "user": 5, "clicks": [1, 2]}
{"label": 0, "price": 16777216, "score": 1e300, "city": "", "user": 18446744073709551615}
{"label": -128, "ok": false, "city": "x or label = 1", "clicks": [], "a=b in c": 3, "ts": 0}
{"topics": {"ids": [7, 8], "weights": [0.5, 1]}, "a=b in c": -2147483648, "ts": 1714521600000}
{"label": 127, "price": -0.0, "score": -5, "city": "Ol\"o, \\é", "user": 0, "ts": -1}
{}
{"ok": true, "price": 3, "city": "Bernd", "topics": {"ids": [], "weights": []}, "clicks": [3]}
{"label": 1, "score": 9007199254740993.0, "user": 9007199254740993, "a=b in c": 2147483647}
)";

constexpr const char* kWords[] = {"=",  "!=", "<",      "<=",     ">",
                                  ">=", "in", "not in", "exists", "missing"};
// Those of the rows that exist for which the other does not hold.
constexpr Compare kOpposites[] = {Compare::kNotEqual, Compare::kEqual,     Compare::kGreaterEqual,
                                  Compare::kGreater,  Compare::kLessEqual, Compare::kLess,
                                  Compare::kNotIn,    Compare::kIn,        Compare::kMissing,
                                  Compare::kExists};

// Numbers in such a form that they are read as the same type.
std::string TextOf(const dsi::FilterValue& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) {
    std::string quoted;
    dsi::internal::AppendJsonString(*text, &quoted);
    return quoted;
  }
  if (const auto* const whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
  if (const auto* const large = std::get_if<uint64_t>(&value)) return std::to_string(*large);
  char real[64];
  static_cast<void>(std::snprintf(real, sizeof(real), "%.17e", std::get<double>(value)));
  return real;
}

std::string TextOf(const dsi::Predicate& predicate) {
  std::string text = predicate.column;
  if (predicate.subject == dsi::Subject::kLength) text = "length(" + text + ")";
  if (predicate.subject == dsi::Subject::kHash)
    text = "hash(" + text + ", " + std::to_string(predicate.salt) + ")";
  text += std::string(" ") + kWords[static_cast<size_t>(predicate.compare)] + " ";
  for (const dsi::FilterValue& value : predicate.values) {
    text += TextOf(value);
    if (&value != &predicate.values.back()) text += ", ";
  }
  if (predicate.compare < Compare::kIn) text += TextOf(predicate.value);
  for (const dsi::Predicate& other : predicate.alternatives) text += " or " + TextOf(other);
  return text;
}

// Rows that a scan gives, or an error of the options.
dsi::Result<Rows> Scan(const dsi::Reader& file, const dsi::Predicate& predicate) {
  dsi::ScanOptions options;
  options.features = {{.name = "label"}};
  options.batch_size = 3;
  options.filter.where = {predicate};
  options.memory_bytes = dsi::fuzz::kMemoryBytes;
  DSI_ASSIGN_OR_RETURN(const auto scan, file.NewScan(options));
  dsi::Batch batch;
  Rows rows;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) return rows;
    rows.insert(batch.row_numbers().begin(), batch.row_numbers().end());
    for (size_t i = 0; batch.row_numbers().empty() && i < batch.num_rows(); ++i)
      rows.insert(batch.first_row() + i);
  }
}

// Hashes and texts of times are not.
bool IsInModel(const dsi::Predicate& term) {
  const auto is_text = [](const dsi::FilterValue& value) {
    return std::holds_alternative<std::string>(value);
  };
  const bool has_text =
      is_text(term.value) || std::any_of(term.values.begin(), term.values.end(), is_text);
  return term.subject != dsi::Subject::kHash && !(has_text && term.column == "ts");
}

void CheckTerm(const dsi::Reader& file, const dsi::test::ModelTable& model, dsi::Predicate term) {
  term.alternatives.clear();
  const auto rows = Scan(file, term);
  dsi::Predicate opposite = term;
  opposite.compare = kOpposites[static_cast<size_t>(term.compare)];
  const auto others = Scan(file, opposite);
  if (rows.ok() != others.ok()) Disagree("only one of it and its opposite: " + TextOf(term));
  if (!rows.ok()) return;
  const bool of_presence = term.compare >= Compare::kExists;
  const auto& column = model.Column(term.column).rows;
  for (size_t row = 0; row < column.size(); ++row) {
    const bool is_there = of_presence || column[row].has_value();
    if (rows->contains(row) + others->contains(row) != (is_there ? 1 : 0))
      Disagree("row " + std::to_string(row) + " and the opposite: " + TextOf(term));
    if (IsInModel(term) && rows->contains(row) != dsi::test::Passes(model, term, row))
      Disagree("row " + std::to_string(row) + ": " + TextOf(term));
  }
}

void Check(const dsi::Reader& file, const dsi::test::ModelTable& model,
           const dsi::Predicate& predicate) {
  CheckTerm(file, model, predicate);
  for (const dsi::Predicate& other : predicate.alternatives) CheckTerm(file, model, other);
  const auto rows = Scan(file, predicate);
  if (!rows.ok()) {
    if (rows.status().message().empty()) Disagree("an error without words");
    return;
  }
  Rows of_terms;
  dsi::Predicate term = predicate;
  term.alternatives.clear();
  of_terms.merge(*Scan(file, term));
  for (const dsi::Predicate& other : predicate.alternatives) of_terms.merge(*Scan(file, other));
  if (*rows != of_terms) Disagree("not the rows of its terms: " + TextOf(predicate));
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto file =
      dsi::fuzz::OpenFile(dsi::fuzz::WriteFile(kSchema, std::string(kRows).substr(1)));
  static const dsi::test::ModelTable model = dsi::fuzz::ModelOf(*file);
  static const std::vector<dsi::ColumnInfo> columns = *file->Columns();
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const std::vector<std::string> lines = Lines(text);
  const auto keys = dsi::ParseKeyValues(lines[0], std::span(lines).subspan(1), columns);
  if (keys.ok()) Check(*file, model, *keys);

  const auto predicate = dsi::ParsePredicate(text, columns);
  if (!predicate.ok()) {
    if (predicate.status().message().empty()) Disagree("an error without words");
    return 0;
  }
  // Quotes, of a text that is read back, hold nothing else.
  if (simdjson::validate_utf8(text)) {
    const std::string written = TextOf(*predicate);
    const auto again = dsi::ParsePredicate(written, columns);
    if (!again.ok()) Disagree(written + ": " + again.status().ToString());
    if (TextOf(*again) != written) Disagree(written + " becomes " + TextOf(*again));
  }
  Check(*file, model, *predicate);
  return 0;
}
