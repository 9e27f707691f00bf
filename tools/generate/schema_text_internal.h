// Builds the JSON text of a schema (format/schema.h), one feature after the other.
#pragma once

#include <string>
#include <string_view>

namespace dsi::tools {

class SchemaText {
 public:
  void AddKey(std::string_view name) { Add(name, R"("kind":"key","type":"int64")"); }
  // Milliseconds since 1970.
  void AddTimestamp(std::string_view name) { Add(name, R"("kind":"timestamp","unit":"ms")"); }
  void AddLabel(std::string_view name) { Add(name, R"("kind":"label","type":"int8")"); }
  void AddDense(std::string_view name) { Add(name, R"("kind":"dense","type":"float32")"); }
  // Whole numbers; of the ids that `id_space` names where it is not empty.
  void AddList(std::string_view name, std::string_view id_space, bool newest_first);

  // The whole text, ending in a newline. The rows are clustered by session_id and timestamp, so
  // these two must have been added.
  std::string Finish();

 private:
  void Add(std::string_view name, std::string_view members);

  std::string text_;
};

}  // namespace dsi::tools
