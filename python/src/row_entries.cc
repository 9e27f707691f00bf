// Entries of sequences and weighted features that are dicts, or members of one.
#include <nanobind/stl/string.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "dsi/python/src/row_setter.h"
#include "dsi/python/src/text_bytes.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

Status Fault(const std::string& feature, const std::string& text) {
  return {StatusCode::kBadInput, '"' + feature + "\": " + text};
}

// A list, tuple or array; numbers of numpy have no length.
bool IsListOfValues(nb::handle value) {
  return nb::hasattr(value, "__len__") && !PyUnicode_Check(value.ptr()) &&
         !PyBytes_Check(value.ptr());
}

// The number that a name says in decimal; null: none.
nb::object NumberIn(std::string_view name) {
  int64_t number = 0;
  uint64_t wide = 0;
  const auto is_whole = [&](auto* out) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), *out);
    return error == std::errc() && end == name.data() + name.size();
  };
  if (is_whole(&number)) return nb::int_(number);
  if (is_whole(&wide)) return nb::int_(wide);
  return {};
}

}  // namespace

bool RowSetter::IsMap(const Entries& entries, nb::handle dict) const {
  if (!entries.may_be_map) return false;
  const FeatureSpec& feature = schema_->features[entries.feature];
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict.ptr(), &at, &key, &value) != 0) {
    if (value == Py_None) continue;
    if (IsListOfValues(value)) return false;
    std::string_view word;
    if (!PyUnicode_Check(key) || !BytesOf(key, &word)) return true;
    const std::string name = feature.name + '.' + std::string(word);
    return name != ColumnName(feature, 0) && name != ColumnName(feature, 1);
  }
  return PyDict_Size(dict.ptr()) == 0;
}

Status RowSetter::SetMap(const Entries& entries, nb::handle dict, RowBatch* batch) {
  const FeatureSpec& feature = schema_->features[entries.feature];
  std::vector<nb::list> columns(2);
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict.ptr(), &at, &key, &value) != 0) {
    nb::object name = nb::borrow(key);
    if (std::string_view word;
        !feature.columns[0].hashed && PyUnicode_Check(key) && BytesOf(key, &word)) {
      name = NumberIn(word);
      if (!name.is_valid()) {
        return Fault(feature.name, "the key '" + std::string(word) +
                                       "' is no whole number (a \"hashed\" column takes any)");
      }
    }
    columns[0].append(name);
    columns[1].append(nb::borrow(value));
  }
  return SetColumns(entries, columns, batch);
}

Status RowSetter::SetEntries(const Entries& entries, nb::handle value, RowBatch* batch) {
  const FeatureSpec& feature = schema_->features[entries.feature];
  nb::object list = nb::borrow(value);
  if (IsListOfValues(value) && nb::hasattr(value, "tolist")) list = value.attr("tolist")();
  if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) {
    return Fault(feature.name, "is of type " + TypeNameOf(value) +
                                   ", expected a list of dicts, or a dict of lists");
  }
  std::vector<nb::list> columns(feature.columns.size());
  size_t number = 0;
  for (const nb::handle entry : list) {
    if (entry.is_none() && null_entries_ == NullEntries::kDrop) continue;
    Status status = AddEntry(entries, entry, number++, &columns);
    if (!status.ok()) return status;
  }
  return SetColumns(entries, columns, batch);
}

Status RowSetter::AddEntry(const Entries& entries, nb::handle entry, size_t number,
                           std::vector<nb::list>* columns) {
  const FeatureSpec& feature = schema_->features[entries.feature];
  const std::string where = "entry " + std::to_string(number);
  const bool fills = null_entries_ == NullEntries::kFill;
  if (!PyDict_Check(entry.ptr()) && !(fills && entry.is_none()))
    return Fault(feature.name, where + " is of type " + TypeNameOf(entry) + ", expected a dict");
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (!entry.is_none() && PyDict_Next(entry.ptr(), &at, &key, &value) != 0) {
    if (value == Py_None) continue;
    name_ = feature.name + '.';
    if (Status status = AddName(key); !status.ok()) return status;
    const auto target = targets_.find(name_);
    if (target == targets_.end() && ignore_unknown_) continue;
    if (target == targets_.end() || target->second.feature != entries.feature)
      return Fault(feature.name, where + " has '" + name_ + "', which is no column of it");
    (*columns)[target->second.column].append(nb::borrow(value));
  }
  for (size_t c = 0; c < columns->size(); ++c) {
    const size_t length = nb::len((*columns)[c]);
    if (fills && length == number) (*columns)[c].append(nb::none());
    if (nb::len((*columns)[c]) != number + 1)
      return Fault(feature.name, where + " has no '" + ColumnName(feature, c) + "'");
  }
  return Status::Ok();
}

Status RowSetter::SetColumns(const Entries& entries, const std::vector<nb::list>& columns,
                             RowBatch* batch) {
  const FeatureSpec& feature = schema_->features[entries.feature];
  for (uint32_t c = 0; c < columns.size(); ++c) {
    name_ = ColumnName(feature, c);
    Status status =
        SetItems(columns[c], {entries.feature, c, true, feature.columns[c].hashed}, batch);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace dsi::python
