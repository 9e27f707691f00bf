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
  const auto is_column = [&](PyObject* key) {
    std::string_view word;
    if (!PyUnicode_Check(key) || !BytesOf(key, &word)) return false;
    const std::string name = feature.name + '.' + std::string(word);
    return name == ColumnName(feature, 0) || name == ColumnName(feature, 1);
  };
  bool names_columns = PyDict_Size(dict.ptr()) != 0;
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict.ptr(), &at, &key, &value) != 0) {
    const bool names_column = is_column(key);
    names_columns = names_columns && names_column;
    if (!IsNull(value)) return !IsListOfValues(value) && !names_column;
  }
  return !names_columns;
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
  for (uint32_t c = 0; c < 2; ++c) {
    Status status = SetColumn(entries, c, columns[c], batch);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status RowSetter::SetEntries(const Entries& entries, nb::handle value, RowBatch* batch) {
  const FeatureSpec& feature = schema_->features[entries.feature];
  const nb::object list = ListOf(value);
  if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) {
    return Fault(feature.name, "is of type " + TypeNameOf(value) +
                                   ", expected a list of dicts, or a dict of lists");
  }
  std::vector<nb::list> columns(feature.columns.size());
  std::vector<InnerLists> inner(feature.columns.size());
  size_t number = 0;
  for (const nb::handle entry : list) {
    if (entry.is_none() && null_entries_ == NullEntries::kDrop) continue;
    Status status = AddEntry(entries, entry, number++, &columns, &inner);
    if (!status.ok()) return status;
  }
  for (uint32_t c = 0; c < columns.size(); ++c) {
    Status status;
    if (const int lists = entries.lists[c]; lists >= 0 && nb::len(columns[c]) == 0) {
      name_ = schema_->features[static_cast<size_t>(lists)].name;
      status = SetInner(inner[c], static_cast<uint32_t>(lists), batch);
    } else {
      status = SetColumn(entries, c, columns[c], batch);
    }
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status RowSetter::AddEntry(const Entries& entries, nb::handle entry, size_t number,
                           std::vector<nb::list>* columns, std::vector<InnerLists>* inner) {
  const FeatureSpec& feature = schema_->features[entries.feature];
  const std::string where = "entry " + std::to_string(number);
  const bool fills = null_entries_ == NullEntries::kFill;
  if (!PyDict_Check(entry.ptr()) && !(fills && entry.is_none()))
    return Fault(feature.name, where + " is of type " + TypeNameOf(entry) + ", expected a dict");
  name_ = feature.name + '.';
  if (!entry.is_none()) {
    Status status = AddMembers(entries, entry, name_.size(), where, columns, inner);
    if (!status.ok()) return status;
  }
  for (size_t c = 0; c < columns->size(); ++c) {
    const auto length = [&] { return nb::len((*columns)[c]) + (*inner)[c].lengths.size(); };
    if (fills && length() == number) {
      if (entries.lists[c] >= 0 && nb::len((*columns)[c]) == 0) {
        (*inner)[c].lengths.push_back(0);
      } else {
        (*columns)[c].append(nb::none());
      }
    }
    if (length() != number + 1) {
      const std::string name = entries.lists[c] < 0
                                   ? ColumnName(feature, c)
                                   : schema_->features[static_cast<size_t>(entries.lists[c])].name;
      return Fault(feature.name, where + " has no '" + name + "'");
    }
  }
  return Status::Ok();
}

Status RowSetter::AddMembers(const Entries& entries, nb::handle dict, size_t prefix,
                             const std::string& where, std::vector<nb::list>* columns,
                             std::vector<InnerLists>* inner) {
  const FeatureSpec& feature = schema_->features[entries.feature];
  return ForEachMember(dict, prefix, [&](nb::handle value) {
    const auto target = targets_.find(name_);
    const bool is_known = target != targets_.end();
    const auto lengths = is_known ? lengths_[target->second.feature] : std::nullopt;
    if (lengths && lengths->feature == entries.feature)
      return AddInner(value, &(*inner)[lengths->column]);
    if (is_known && target->second.feature == entries.feature) {
      (*columns)[target->second.column].append(value);
      return Status::Ok();
    }
    if (!is_known && PyDict_Check(value.ptr())) {
      name_ += '.';
      return AddMembers(entries, value, name_.size(), where, columns, inner);
    }
    if (!is_known && ignore_unknown_) return Status::Ok();
    return Fault(feature.name, where + " has '" + name_ + "', which is no column of it");
  });
}

Status RowSetter::SetColumn(const Entries& entries, uint32_t column, const nb::list& values,
                            RowBatch* batch) {
  const FeatureSpec& feature = schema_->features[entries.feature];
  name_ = ColumnName(feature, column);
  return SetItems(values, {entries.feature, column, true, feature.columns[column].hashed, false},
                  batch);
}

}  // namespace dsi::python
