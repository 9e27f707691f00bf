#include "dsi/tools/where_term_internal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/tools/feature_choice_internal.h"

namespace dsi::tools {
namespace {

using internal::InvalidArgument;

constexpr std::string_view kSymbols = "=!<>";
constexpr std::string_view kGrammar =
    "FEATURE OP VALUE, where OP is one of = != < <= > >=, FEATURE exists or FEATURE missing";
constexpr std::array<std::pair<std::string_view, Compare>, 7> kOperators = {
    {{"=", Compare::kEqual},
     {"==", Compare::kEqual},
     {"!=", Compare::kNotEqual},
     {"<", Compare::kLess},
     {"<=", Compare::kLessEqual},
     {">", Compare::kGreater},
     {">=", Compare::kGreaterEqual}}};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Parts {
  std::string_view name;
  std::string_view op;
  std::string_view value;
};

// At the run of symbols that begins at `at`.
Parts SplitAt(std::string_view text, size_t at) {
  const size_t end = std::min(text.find_first_not_of(kSymbols, at), text.size());
  return {Trim(text.substr(0, at)), text.substr(at, end - at), Trim(text.substr(end))};
}

bool IsName(std::string_view name, std::span<const ColumnInfo> columns) {
  return std::any_of(columns.begin(), columns.end(), [name](const ColumnInfo& column) {
    return name == column.feature || name == column.name;
  });
}

// At the first operator that stands after a name of the file; else at the word at the end, else at
// the first operator. Nothing where there is neither.
std::optional<Parts> Split(std::string_view text, std::span<const ColumnInfo> columns) {
  std::optional<Parts> first;
  for (size_t at = text.find_first_of(kSymbols); at != std::string_view::npos;) {
    const Parts parts = SplitAt(text, at);
    if (IsName(parts.name, columns)) return parts;
    if (!first) first = parts;
    at = text.find_first_of(kSymbols, at + parts.op.size());
  }
  const size_t space = text.rfind(' ');
  if (space == std::string_view::npos) return first;
  const Parts word = {Trim(text.substr(0, space)), text.substr(space + 1), ""};
  const bool is_word = word.op == "exists" || word.op == "missing";
  return is_word && (!first || IsName(word.name, columns)) ? word : first;
}

Result<const ColumnInfo*> FindColumn(std::string_view name, std::span<const ColumnInfo> columns) {
  const ColumnInfo* found = nullptr;
  for (const ColumnInfo& column : columns) {
    if (name != column.feature && name != column.name) continue;
    if (!column.support.ok()) return column.support;
    if (found != nullptr) {
      return InvalidArgument("{} has several columns; name one of them, such as {}", name,
                             found->name);
    }
    found = &column;
  }
  if (found == nullptr) return UnknownFeature(name, columns);
  if (HasLengths(found->kind, found->type) || found->kind == Kind::kEmbedding) {
    return InvalidArgument("{} is a {} of {}; only features of one number can be compared",
                           found->name, KindName(found->kind), TypeName(found->type));
  }
  return found;
}

template <typename T>
bool ParseWhole(std::string_view text, T* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

Result<decltype(Predicate::value)> ParseValue(std::string_view text, const ColumnInfo& column) {
  if (text.empty()) return InvalidArgument("there is no value after the operator");
  if (column.type == Type::kBool && (text == "true" || text == "false"))
    return decltype(Predicate::value)(int64_t{text == "true"});
  int64_t whole = 0;
  uint64_t large = 0;
  double real = 0;
  if (ParseWhole(text, &whole)) return decltype(Predicate::value)(whole);
  if (ParseWhole(text, &large)) return decltype(Predicate::value)(large);
  if (ParseWhole(text, &real) && !std::isnan(real)) return decltype(Predicate::value)(real);
  return InvalidArgument("the value '{}' is no number{}", text,
                         column.type == Type::kBool ? ", true or false" : "");
}

Result<WhereTerm> Parse(std::string_view text, std::span<const ColumnInfo> columns) {
  const std::optional<Parts> parts = Split(text, columns);
  if (!parts) return InvalidArgument("there is no operator; expected {}", kGrammar);
  if (parts->name.empty()) return InvalidArgument("there is no feature before '{}'", parts->op);
  DSI_ASSIGN_OR_RETURN(const ColumnInfo* const column, FindColumn(parts->name, columns));
  WhereTerm term;
  term.predicate.column = column->name;
  if (parts->op == "exists" || parts->op == "missing") {
    // Every number that is there differs from NaN.
    term.predicate.compare = Compare::kNotEqual;
    term.predicate.value = std::numeric_limits<double>::quiet_NaN();
    term.missing = parts->op == "missing";
    return term;
  }
  const auto* const op =
      std::find_if(kOperators.begin(), kOperators.end(),
                   [&](const auto& candidate) { return candidate.first == parts->op; });
  if (op == kOperators.end())
    return InvalidArgument("'{}' is no operator; expected {}", parts->op, kGrammar);
  term.predicate.compare = op->second;
  DSI_ASSIGN_OR_RETURN(term.predicate.value, ParseValue(parts->value, *column));
  return term;
}

}  // namespace

Result<WhereTerm> ParseWhereTerm(std::string_view text, std::span<const ColumnInfo> columns) {
  auto term = Parse(Trim(text), columns);
  if (!term.ok()) return term.status().At("--where '" + std::string(text) + "'");
  return term;
}

}  // namespace dsi::tools
