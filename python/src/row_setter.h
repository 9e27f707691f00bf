// Rows that are dicts of Python's, set into a RowBatch.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/format/lists_of_lists.h"
#include "dsi/format/null_entries.h"
#include "dsi/format/schema.h"
#include "dsi/python/src/text_bytes.h"
#include "dsi/writer/row_batch.h"

namespace dsi::python {

// Keys of a dict are names of features or columns (whole numbers stand for their digits); a dict in
// a dict makes dotted names. None is a missing value. Entries of a sequence or weighted feature may
// be a list of dicts, one for each, and where they have two columns a dict, whose keys are the
// first. Lists of lists become entries and lengths (FindLengths). Numbers: int, float, bool, and
// what has __index__ or __float__; bytes and str; lists are lists, tuples, and whatever has the
// buffer protocol. Hashed columns take strings, too, one of them as a list of one. Called with the
// interpreter's lock held.
class RowSetter {
 public:
  RowSetter(std::shared_ptr<const Schema> schema, bool ignore_unknown, NullEntries null_entries);
  // Adds one row; errors name the feature, and the row is dropped.
  Status Add(nanobind::handle row, RowBatch* batch);

 private:
  struct Target {
    uint32_t feature = 0;
    uint32_t column = 0;
    bool is_list = false;
    bool hashed = false;
    bool is_lengths = false;
  };

  // A feature whose columns are features of their own name.
  struct Entries {
    uint32_t feature = 0;
    bool may_be_map = false;
    std::vector<int> lists = {};  // By column: the feature whose lengths it holds, or -1.
  };

  // Lists in a list: their entries, and how many each has.
  struct InnerLists {
    nanobind::list entries;
    std::vector<int64_t> lengths;
  };

  // kBadInput: longer than names are, which bounds how deep dicts nest.
  Status AddName(nanobind::handle key);
  // visit(value) of each value that is there, with name_ its name: `prefix` bytes of what it was,
  // and its key.
  template <typename Visit>
  Status ForEachMember(nanobind::handle dict, size_t prefix, const Visit& visit) {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict.ptr(), &at, &key, &value) != 0) {
      const nanobind::object held = nanobind::borrow(value);
      if (IsNull(held)) continue;
      name_.resize(prefix);
      Status status = AddName(key);
      if (status.ok()) status = visit(held);
      if (!status.ok()) return status;
    }
    return Status::Ok();
  }
  Status SetDict(nanobind::handle dict, size_t prefix, RowBatch* batch);
  // Not a dict of columns, but of entries.
  bool IsMap(const Entries& entries, nanobind::handle dict) const;
  Status SetMap(const Entries& entries, nanobind::handle dict, RowBatch* batch);
  Status SetEntries(const Entries& entries, nanobind::handle value, RowBatch* batch);
  Status AddEntry(const Entries& entries, nanobind::handle entry, size_t number,
                  std::vector<nanobind::list>* columns, std::vector<InnerLists>* inner);
  // Of an entry, or of a dict in it; name_ begins with its name and a dot, `prefix` bytes.
  Status AddMembers(const Entries& entries, nanobind::handle dict, size_t prefix,
                    const std::string& where, std::vector<nanobind::list>* columns,
                    std::vector<InnerLists>* inner);
  // One list of several; name_ is that of the feature.
  Status AddInner(nanobind::handle list, InnerLists* inner) const;
  Status SetColumn(const Entries& entries, uint32_t column, const nanobind::list& values,
                   RowBatch* batch);
  Status SetValue(nanobind::handle value, RowBatch* batch);
  const ColumnSpec& ColumnOf(const Target& target) const;
  TimeUnit UnitOf(const Target& target) const;
  Status SetNumber(nanobind::handle value, const Target& target, RowBatch* batch);
  Status SetList(nanobind::handle value, const Target& target, RowBatch* batch);
  // The list that an array makes, else the value.
  static nanobind::object ListOf(nanobind::handle value);
  static bool HoldsLists(nanobind::handle list);
  Status SetListOfLists(nanobind::handle lists, uint32_t feature, RowBatch* batch);
  Status SetInner(const InnerLists& inner, uint32_t feature, RowBatch* batch);
  // Entries that stand side by side already come with the lengths of their lists.
  Status CheckFlat(RowBatch* batch);
  Status SetItems(nanobind::handle fast, const Target& target, RowBatch* batch);
  Status SetTexts(nanobind::handle items, const Target& target, RowBatch* batch);
  // Whether a null of this column is left out, or filled, and not refused.
  bool TakesNulls(const Target& target) const;
  // False: no buffer of numbers that lie side by side.
  bool SetBuffer(nanobind::handle value, const Target& target, RowBatch* batch, Status* status);
  Status Unfit(nanobind::handle value, const char* expected) const;

  std::shared_ptr<const Schema> schema_;
  bool ignore_unknown_;
  NullEntries null_entries_;
  std::unordered_map<std::string, Target> targets_;
  std::unordered_map<std::string, Entries> entries_;
  std::vector<std::optional<LengthsColumn>> lengths_;  // By feature, of lists in it.
  // Of the row: lists whose lengths must be in it, and whether they are empty; columns of lengths
  // that are in it.
  std::vector<std::pair<uint32_t, bool>> flat_;
  std::vector<std::pair<uint32_t, uint32_t>> given_;
  std::string name_;  // Of the value that is being set.
  std::vector<int64_t> ints_;
  std::vector<uint64_t> uints_;
  std::vector<double> doubles_;
  std::vector<std::string_view> texts_;
};

}  // namespace dsi::python
