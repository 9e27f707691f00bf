// Lists of lists in rows: their entries side by side, and how many each has.
#include <algorithm>
#include <utility>

#include "dsi/python/src/row_setter.h"
#include "dsi/python/src/text_bytes.h"

namespace nb = nanobind;

namespace dsi::python {

nb::object RowSetter::ListOf(nb::handle value) {
  if (IsListOfValues(value) && nb::hasattr(value, "tolist")) return value.attr("tolist")();
  return nb::borrow(value);
}

bool RowSetter::HoldsLists(nb::handle list) {
  if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) return false;
  for (const nb::handle item : list) {
    if (!item.is_none()) return IsListOfValues(item) && !PyDict_Check(item.ptr());
  }
  return nb::len(list) != 0;  // Nulls alone may be lists.
}

Status RowSetter::SetListOfLists(nb::handle lists, uint32_t feature, RowBatch* batch) {
  InnerLists inner;
  for (const nb::handle list : lists) {
    if (list.is_none() && null_entries_ == NullEntries::kDrop) continue;
    if (Status status = AddInner(list, &inner); !status.ok()) return status;
  }
  return SetInner(inner, feature, batch);
}

Status RowSetter::AddInner(nb::handle value, InnerLists* inner) const {
  const size_t before = nb::len(inner->entries);
  if (!value.is_none() || null_entries_ != NullEntries::kFill) {
    const nb::object list = ListOf(value);
    if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) return Unfit(value, "a list");
    for (const nb::handle item : list) {
      if (!item.is_none() || null_entries_ != NullEntries::kDrop) inner->entries.append(item);
    }
  }
  inner->lengths.push_back(static_cast<int64_t>(nb::len(inner->entries) - before));
  return Status::Ok();
}

Status RowSetter::SetInner(const InnerLists& inner, uint32_t feature, RowBatch* batch) {
  const LengthsColumn& lengths = *lengths_[feature];
  given_.emplace_back(lengths.feature, lengths.column);
  const bool hashed = schema_->features[feature].columns[0].hashed;
  Status status = SetItems(inner.entries, {feature, 0, true, hashed, false}, batch);
  if (!status.ok()) return status;
  return batch->SetInts(lengths.feature, lengths.column, std::span(inner.lengths));
}

Status RowSetter::CheckFlat(RowBatch* batch) {
  for (const auto& [feature, is_empty] : flat_) {
    const LengthsColumn& lengths = *lengths_[feature];
    if (std::find(given_.begin(), given_.end(), std::pair(lengths.feature, lengths.column)) !=
        given_.end()) {
      continue;
    }
    if (!is_empty) {
      const std::string& name = schema_->features[feature].name;
      return {StatusCode::kBadInput, '"' + name + "\" holds no lists, expected some, or \"" +
                                         LengthsName(name) + "\" in the row"};
    }
    Status status = batch->SetInts(lengths.feature, lengths.column, std::span<const int64_t>());
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace dsi::python
