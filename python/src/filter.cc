#include "dsi/python/src/filter.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <type_traits>

#include "dsi/python/src/dataset.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/words.h"
#include "dsi/text/filter_text.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

const Words<Compare> kCompares = {
    {"==", Compare::kEqual},        {"=", Compare::kEqual},        {"!=", Compare::kNotEqual},
    {"<", Compare::kLess},          {"<=", Compare::kLessEqual},   {">", Compare::kGreater},
    {">=", Compare::kGreaterEqual}, {"in", Compare::kIn},          {"not in", Compare::kNotIn},
    {"exists", Compare::kExists},   {"missing", Compare::kMissing}};

const Words<Subject> kSubjects = {
    {"value", Subject::kValue}, {"length", Subject::kLength}, {"hash", Subject::kHash}};

FilterValue ValueOf(TermValue value) {
  return std::visit(
      [](auto&& v) -> FilterValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, nb::bytes>) {
          return std::string(static_cast<const char*>(v.data()), v.size());
        } else {
          return std::move(v);
        }
      },
      std::move(value));
}

// A predicate without its alternatives as users write it: column, comparison, and what it takes.
nb::tuple TermOf(const Predicate& made) {
  const nb::str compare(Word(kCompares, made.compare).data());
  nb::object column = nb::cast(made.column);
  if (made.subject == Subject::kLength)
    column = nb::module_::import_("dsi.options").attr("Length")(column);
  if (made.subject == Subject::kHash)
    column = nb::module_::import_("dsi.options").attr("Hash")(column, made.salt);
  switch (made.compare) {
    case Compare::kExists:
    case Compare::kMissing:
      return nb::make_tuple(column, compare);
    case Compare::kIn:
    case Compare::kNotIn:
      return nb::make_tuple(column, compare, made.values);
    default:
      return nb::make_tuple(column, compare, made.value);
  }
}

Predicate PredicateOf(Term term) {
  auto& [column, compare, value, values, subject, salt] = term;
  Predicate predicate;
  predicate.column = std::move(column);
  predicate.compare = Value(kCompares, "a comparison", compare);
  predicate.value = ValueOf(std::move(value));
  predicate.subject = Value(kSubjects, "a subject", subject);
  predicate.salt = salt;
  predicate.values.reserve(values.size());
  for (TermValue& member : values) predicate.values.push_back(ValueOf(std::move(member)));
  return predicate;
}

nb::list ParseTerms(PyDataset& dataset, const std::string& text) {
  const Predicate made = [&] {
    const nb::gil_scoped_release release;
    return Take(ParsePredicate(text, dataset.Columns()));
  }();
  nb::list terms;
  terms.append(TermOf(made));
  for (const Predicate& other : made.alternatives) terms.append(TermOf(other));
  return terms;
}

}  // namespace

std::vector<Predicate> Predicates(std::vector<Clause> clauses) {
  std::vector<Predicate> made;
  for (Clause& clause : clauses) {
    if (clause.empty()) Raise({StatusCode::kInvalidArgument, "no terms of which one must hold"});
    Predicate& predicate = made.emplace_back(PredicateOf(std::move(clause[0])));
    for (size_t i = 1; i < clause.size(); ++i)
      predicate.alternatives.push_back(PredicateOf(std::move(clause[i])));
  }
  return made;
}

void BindFilter(nb::module_& module) {
  module.def(
      "parse_terms", ParseTerms, nb::arg("dataset"), nb::arg("text"),
      "The terms, of which one must hold, that a text such as 'label = 1 or price > 2' says, "
      "of columns of the dataset.");
}

}  // namespace dsi::python
