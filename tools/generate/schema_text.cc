#include "dsi/tools/generate/schema_text_internal.h"

#include <utility>

namespace dsi::tools {

void SchemaText::Add(std::string_view name, std::string_view members) {
  text_ += text_.empty() ? "{\"features\":[\n" : ",\n";
  text_ += "{\"name\":\"";
  text_ += name;
  text_ += "\",";
  text_ += members;
  text_ += '}';
}

void SchemaText::AddList(std::string_view name, std::string_view id_space, bool newest_first) {
  std::string members = R"("kind":"list","type":"int64")";
  if (!id_space.empty()) members += ",\"id_space\":\"" + std::string(id_space) + '"';
  if (newest_first) members += R"(,"newest":"first")";
  Add(name, members);
}

std::string SchemaText::Finish() {
  text_ += "\n],\"cluster_by\":[\"session_id\",\"timestamp\"]}\n";
  return std::exchange(text_, std::string());
}

}  // namespace dsi::tools
