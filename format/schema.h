// The logical schema: which features a row has, and hints for clustering and dedup. Spec §12.
//
// JSON form (all but "features", "name" and "kind" optional):
//   { "features": [
//       {"name": "session_id", "kind": "key", "type": "int64"},
//       {"name": "timestamp", "kind": "timestamp", "unit": "ms"},
//       {"name": "label", "kind": "label", "type": "int8"},
//       {"name": "user.age", "kind": "dense", "type": "float32", "default": 0, "id": 17},
//       {"name": "user.clicks", "kind": "list", "type": "int64", "id_space": "item", "newest":
//       "last", "max_length": 100},
//       {"name": "user.history", "kind": "sequence", "columns": [{"name": "item", "type": "int64",
//       "id_space": "item"},
//                                                              {"name": "time", "type": "int32"}]},
//       {"name": "user.topics", "kind": "weighted", "type": "int64"},
//       {"name": "item.tags", "kind": "list", "type": "int64", "hashed": true},
//       {"name": "item.vector", "kind": "embedding", "type": "float32", "length": 64,
//       "precision": "fp16"} ],
//     "cluster_by": ["session_id", "timestamp"],
//     "groups": [ {"name": "user", "owner": "user_id", "features": ["user.age", "user.clicks"]} ],
//     "metadata": {"team": "ads"} }
// A dot in a name of a row's JSON form means nesting unless "nested": false is given: "user.age" is
// {"user": {"age": …}}.
//
// Thread safety: a Schema is a value; const use from many threads is safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/format/types.h"

namespace dsi {

// One stream of values of a feature. One-column features leave `name` empty.
struct ColumnSpec {
  // "item" of the sequence "user.history"; the column is then "user.history.item".
  std::string name;
  Type type = Type::kInt64;
  // The set of ids it draws from; empty: its own, or none for floats. Integers of 4 or 8 bytes, the
  // same in all columns of a space; at most 65,535 spaces.
  std::string id_space;
  // Floats of features that are no label: the writer rounds them to this (spec S-014), never unless
  // asked.
  Precision precision = Precision::kExact;
  // In the schema of a file: the greatest difference that rounding has made to a value. A writer
  // adds what it rounds away.
  double max_error = 0;
  // Integers of 4 or 8 bytes of lists and sequences, and ids of weighted features: texts are taken
  // as well, and become ids (IdOfText, spec S-015). Numbers are taken as they are.
  bool hashed = false;
  // Of timestamps, and where int64 columns of lists and sequences hold times.
  TimeUnit time_unit = TimeUnit::kNone;
};

struct FeatureSpec {
  std::string name;
  Kind kind = Kind::kDense;
  // One; weighted features have two ("ids", "weights"), sequences one or more.
  std::vector<ColumnSpec> columns = {};
  // A stable number beside the name; where none is given, the XXH3 of the name.
  std::optional<uint64_t> id = {};
  // List kinds: the greatest length that readers expect; 0: none. Longer lists are kept whole.
  uint32_t max_length = 0;
  // Embeddings: numbers per row.
  uint32_t fixed_length = 0;
  // List kinds: entry 0 is the newest.
  bool newest_first = false;
  // The dots in the name are nesting of objects in JSON.
  bool nested = true;
  // What stands in batches where a number is missing: bits of the first column's type.
  std::optional<uint64_t> default_bits = {};
};

// Features declared to change together: they share one inverse index.
struct GroupSpec {
  std::string name;
  // The key, or list of one id, whose state the group holds; may be empty.
  std::string owner;
  std::vector<std::string> features;
};

class DSI_EXPORT Schema {
 public:
  std::vector<FeatureSpec> features;
  // Keys, outermost first; the last may be the time: {"session_id", "timestamp"}.
  std::vector<std::string> cluster_by;
  std::vector<GroupSpec> groups;
  // The user's own notes; stored in the file.
  std::map<std::string, std::string> metadata;

  // Reads the JSON form. Errors: kBadInput names the place and what is wrong (unknown word,
  // duplicate feature, type that does not fit the kind, cluster key that is no feature, a feature
  // in two groups …).
  static Result<Schema> FromJson(std::string_view json);
  // As FromJson; kIo and kNotFound for the file.
  static Result<Schema> FromJsonFile(const std::string& path);
  // Writes the JSON form, stable: FromJson(*ToJson()) gives an equal schema. kResourceExhausted: no
  // memory.
  Result<std::string> ToJson() const;

  // Checks everything FromJson promises, for schemas built in code. kInvalidArgument.
  Status Validate() const;

  // Ordinal of a feature by name, or -1. Linear: FeatureIndex is for many look-ups.
  int FindFeature(std::string_view name) const;
};

// The ordinals of a schema's features by name. Refers to the names of the schema, which must
// outlive it unchanged. Const use from many threads is safe.
class DSI_EXPORT FeatureIndex {
 public:
  explicit FeatureIndex(const Schema& schema);
  // -1: none of that name.
  int Find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, uint32_t> ordinals_;
};

// Full name of column c of a feature: the feature's name, or "feature.column" where it has several
// or a sequence has one. Throws std::bad_alloc where there is no memory for the text.
DSI_EXPORT std::string ColumnName(const FeatureSpec& feature, size_t column);

}  // namespace dsi
