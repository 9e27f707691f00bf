// Values of JSON to columns of a row: numbers exactly or refused.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/text/json/key_tree_internal.h"
#include "dsi/text/lines/time_forms_internal.h"
#include "dsi/text/text_input.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

// Errors are kBadInput or the batch's, and name the feature, not the line. Memory is used again
// from row to row. Thread safety: one thread at a time.
class JsonValues {
 public:
  // The schema outlives it.
  JsonValues(const Schema* schema, TimeForms times, NullEntries null_entries);

  // Where the values go.
  void set_batch(RowBatch* batch) { batch_ = batch; }

  // Where nulls are filled.
  simdjson::dom::element null() const { return null_; }
  // What stands behind the name of a column.
  Status SetValue(const KeyTree::Node& node, simdjson::dom::element value);
  // The entries of a list, one by one.
  Status SetList(const KeyTree::Node& node, std::span<const simdjson::dom::element> entries);
  // The entries of a list of whole numbers, or hashed, as names are: numbers in decimal.
  Status SetNames(const KeyTree::Node& node, std::span<const std::string_view> names);

 private:
  Status ReadTime(const KeyTree::Node& node, simdjson::dom::element value, int64_t* time) const;
  std::string Expected(const KeyTree::Node& node) const;
  // Does with nulls what was asked for.
  template <typename Items>
  Status SetEntries(const KeyTree::Node& node, const Items& items);
  // Items: a dom::array, or a span.
  template <typename Items>
  Status SetItems(const KeyTree::Node& node, const Items& items);
  template <typename Items, typename T>
  Status Collect(const KeyTree::Node& node, const Items& items, std::vector<T>* values) const;
  template <typename Items>
  Status SetTimes(const KeyTree::Node& node, const Items& items);
  template <typename Items>
  Status SetDoubles(const KeyTree::Node& node, const Items& items);
  Status Unexpected(const KeyTree::Node& node, simdjson::dom::element value) const;
  // Of what stands alone or is an entry.
  Status Unfit(const KeyTree::Node& node, simdjson::dom::element value) const;
  Status UnexpectedEntry(const KeyTree::Node& node, simdjson::dom::element item, size_t at) const;

  const Schema& schema_;
  const TimeForms times_;
  const NullEntries null_entries_;
  RowBatch* batch_ = nullptr;
  simdjson::dom::parser constants_;  // Of what nulls are filled with.
  simdjson::dom::element null_;
  simdjson::dom::element zero_;
  simdjson::dom::element nan_;
  simdjson::dom::element empty_text_;
  std::vector<simdjson::dom::element> entries_;
  std::vector<int64_t> ints_;
  std::vector<uint64_t> uints_;
  std::vector<double> doubles_;
  std::vector<std::string_view> texts_;
};

}  // namespace dsi::internal
