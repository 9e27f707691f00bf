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

// A term as users write it: column, comparison, and what it takes.
nb::tuple ParseTerm(PyDataset& dataset, const std::string& text) {
  const Predicate made = [&] {
    const nb::gil_scoped_release release;
    return Take(ParsePredicate(text, dataset.Columns()));
  }();
  const nb::str compare(Word(kCompares, made.compare).data());
  nb::object column = nb::cast(made.column);
  if (made.subject == Subject::kLength)
    column = nb::module_::import_("dsi.options").attr("Length")(column);
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

}  // namespace

std::vector<Predicate> Predicates(std::vector<Term> terms) {
  std::vector<Predicate> made;
  for (Term& term : terms) {
    auto& [column, compare, value, values, of_length] = term;
    Predicate& predicate = made.emplace_back();
    predicate.column = std::move(column);
    predicate.compare = Value(kCompares, "a comparison", compare);
    predicate.value = ValueOf(std::move(value));
    predicate.subject = of_length ? Subject::kLength : Subject::kValue;
    predicate.values.reserve(values.size());
    for (TermValue& member : values) predicate.values.push_back(ValueOf(std::move(member)));
  }
  return made;
}

void BindFilter(nb::module_& module) {
  module.def("parse_term", ParseTerm, nb::arg("dataset"), nb::arg("text"),
             "The term that a text such as 'label = 1' says, of columns of the dataset.");
}

}  // namespace dsi::python
