// Keys in the path of a file, as Hive, Spark and DuckDB lay tables out:
// "day=2026-01-01/hour=7/part-0.jsonl".
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/text/lines/time_forms_internal.h"

namespace dsi::internal {

struct PathKey {
  std::string name;
  std::string value;  // Of the folder's name, with %XX undone.
};

// Of all folders of a path or URL, the outermost first; of one that stands twice the inner one.
// What Hive calls its default partition has no value, and is left out.
std::vector<PathKey> KeysOfPath(std::string_view path);

// What rows of a file have that do not say so themselves.
struct PathValues {
  struct Value {
    uint32_t feature = 0;
    std::string text;
  };
  TimeForms times;
  std::vector<Value> values;
};

// Of the features of a schema with one value a row; null: there are none.
std::shared_ptr<const PathValues> ValuesOfPath(std::string_view path, const Schema& schema,
                                               const TimeForms& times);

}  // namespace dsi::internal
